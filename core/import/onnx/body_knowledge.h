#pragma once

#include <optional>
#include <string>

#include "core/import/onnx/inference.h"

namespace hw {

/// True when both shapes are known and equal.
bool hasSameShape(const Knowledge& a, const Knowledge& b);

bool hasRank(const onnx::TypeProto& type);

/// Takes from what the file declares the dimensions that a rule leaves open. A declaration of
/// another rank, of other sizes, or of more than there can be is none.
void fillFrom(const Knowledge& declared, Knowledge& known);

/// The type of an output whose dimensions depend on data, those left open.
Knowledge openKnowledge(const OpenFacts& facts);

/// What remains of `known` when its shape and value may differ from run to run.
Knowledge withoutShape(const Knowledge& known, std::string reason);
Knowledge withoutValue(Knowledge known);

/// How many turns a loop takes.
struct TurnCount {
  std::optional<std::int64_t> exact{};
  std::int64_t most = -1;  ///< -1: no bound is known.
};

/// `row` once a turn, with the turns as one more dimension at `axis`.
Knowledge stacked(const Knowledge& row, const TurnCount& turns, std::int64_t axis);

/// What a condition is known to be.
std::optional<bool> truth(const Knowledge* known);

}  // namespace hw
