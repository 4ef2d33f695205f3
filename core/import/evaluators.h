#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "core/import/op_facts.h"

namespace hw {

using SmallValues = std::vector<SmallValue>;

/// Computes the outputs of one op type from small inputs; empty when it cannot.
struct Evaluator {
  std::string_view type;
  SmallValues (*evaluate)(const OpFacts& facts);
  bool needsValues = true;   ///< False: the shapes of the inputs may be enough.
  std::size_t operands = 1;  ///< So many first inputs must be there, if values are needed.
};

/// Ops that compute new elements, and ops that only move them.
std::span<const Evaluator> arithmeticEvaluators();
std::span<const Evaluator> movementEvaluators();
/// Ops that pick or limit elements, and rarer arithmetic.
std::span<const Evaluator> selectionEvaluators();

/// Calls `visit(index)` for each multi-index of `shape` in row-major order.
void forEachIndex(const Shape& shape, const std::function<void(const Shape&)>& visit);

/// The row-major position of `index` in a tensor of `shape` that is broadcast to it: leading
/// dimensions it lacks and those of size 1 do not count.
std::size_t positionIn(const Shape& shape, const Shape& index);

}  // namespace hw
