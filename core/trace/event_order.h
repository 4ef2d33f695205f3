#pragma once

#include <cstdint>
#include <vector>

#include "core/trace/timeline.h"

namespace hw {

/// The order in which the entries of a timeline are gone through: that of the timeline, which is
/// time, or by step, those of one step by time. Both are the same unless steps run side by side.
/// The place of an entry in it, counted from 1, is its number. Immutable.
class EventOrder {
 public:
  EventOrder() = default;
  /// `timeline` outlives it. O(n log n) where steps run side by side, else O(n).
  EventOrder(const std::vector<TimelineEntry>& timeline, bool bySteps);

  std::size_t size() const { return timeline_ == nullptr ? 0 : timeline_->size(); }
  /// From 0.
  const TimelineEntry& entry(std::size_t place) const { return (*timeline_)[indexOf(place)]; }
  bool isByStep() const { return bySteps_; }

  /// How many entries come up to a moment of `step`: by time those among the first `moment` events
  /// of the trace; by step those of earlier steps, and of this one those among these events.
  /// O(log entries).
  std::size_t happened(std::size_t moment, Step step) const;

 private:
  std::size_t indexOf(std::size_t place) const {
    return indices_.empty() ? place : indices_[place];
  }

  const std::vector<TimelineEntry>* timeline_ = nullptr;
  bool bySteps_ = false;
  std::vector<std::uint32_t> indices_;  ///< By place; empty where both orders are the same.
};

}  // namespace hw
