#pragma once

#include <optional>
#include <vector>

#include "core/graph/graph.h"

namespace hw {

/// An op that makes one element of many: a sum, a mean, the largest. It may take its input in a
/// piece at a time, in any order, each element once, and keep what came of it so far.
struct Fold {
  std::size_t input = 0;
  std::vector<bool> axes{};  ///< Of the input: those that are gone, or 1, afterwards.
  /// Partial results need 32 bits an element: sums of elements that are narrower.
  bool wide = false;
  /// Each element that it takes in has constants of its own, which it reads with it.
  bool ownConstants = false;
};

/// A dense convolution as a fold of its channels: each element that it makes adds up products of
/// all channels, so it may take in some of them at a time, `axes` being that of the channels alone,
/// and keep all sums. Nothing for other ops, convolutions in groups among them.
std::optional<Fold> channelSumOf(const Graph& graph, OpId op);

/// The fold that an op is; nothing for all others, and where shapes do not tell which axes go.
std::optional<Fold> foldOf(const Graph& graph, OpId op);

}  // namespace hw
