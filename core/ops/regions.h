#pragma once

#include <optional>
#include <vector>

#include "core/base/interval.h"
#include "core/graph/graph.h"

namespace hw {

/// The stretch along one axis of an input that an op needs to make a stretch of its outputs. To
/// make [a, b) of the outputs' `axis` it reads
///
///     [ floor((a * step + low) / per), floor(((b - 1) * step + high) / per) + 1 )
///
/// as far as that lies inside: what is beyond is padding, or stands for the nearest element inside.
/// A window of stride s that pads p before and reaches over k: step s, low -p, high k - 1 - p.
struct Reach {
  static constexpr int kWhole = -1;

  int axis = kWhole;  ///< Of the outputs; kWhole: all of the input's axis, whatever is made.
  std::int64_t step = 1;
  std::int64_t per = 1;
  std::int64_t low = 0;
  std::int64_t high = 0;

  /// The part of an axis of `size` elements that `made` needs, neither of them empty; never empty.
  Interval<std::int64_t> needed(Interval<std::int64_t> made, std::int64_t size) const;
};

/// The part of each input that an op needs to make a part of its outputs. All outputs have their
/// axes in common.
struct Regions {
  /// By input, axis by axis. No axes: all of the input, whatever is made.
  std::vector<std::vector<Reach>> inputs{};

  /// The axis of `input` that hangs on `axis` of the outputs; null when none does.
  const Reach* along(std::size_t input, int axis, std::size_t& at) const;
};

/// Images that the op works on have their channels last; else they follow the batch.
bool channelsAreLast(const Op& op);

/// The regions of an op, from its row, attributes and shapes; nothing where it has none, or where
/// that is not known.
std::optional<Regions> regionsOf(const Graph& graph, OpId op);

}  // namespace hw
