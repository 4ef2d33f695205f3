#pragma once

#include "core/ops/op_facts.h"

namespace hw {

/// A size that an operand must have for an op to take it.
struct SizeNeed {
  enum class Kind : std::uint8_t { equal, atLeast, multiple };
  std::size_t input = 0;
  std::optional<std::size_t> axis{};  ///< None: all its elements are counted.
  Kind kind = Kind::equal;
  std::int64_t size = 0;
};

/// The sizes that the inputs would have to have and do not; empty where all fit, and for unknown
/// ops. Where two inputs do not fit together, there is a need for each of them.
/// A rule here belongs to a shape rule: ops that share one take the same.
std::vector<SizeNeed> unmetNeeds(const OpFacts& facts);

/// The size that `need` is about; nothing where the input has no known shape.
std::optional<std::int64_t> sizeOf(const OpFacts& facts, const SizeNeed& need);

}  // namespace hw
