#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "core/latency/reuse_timer.h"

namespace hw::test {

/// The least latency of all valid addresses below a capacity, by trying them; nothing when there
/// are none.
class EveryPlan {
 public:
  EveryPlan(const Problem& problem, const TimedWork& work, Bytes capacity)
      : problem_(problem), timer_(work), capacity_(capacity) {}

  std::optional<SimTime> least() {
    place(0);
    return least_;
  }

 private:
  void place(std::size_t stay) {
    if (stay == problem_.stays.size()) {
      timer_.place(offsets_);
      least_ = std::min(least_.value_or(kMaxTime), timer_.contended());
      return;
    }
    const Stay& own = problem_.stays[StayId(stay)];
    for (Bytes at; at + own.size <= capacity_; at += own.alignment) {
      if (!isFree(own, {at, at + own.size})) continue;
      offsets_.push_back(at);
      place(stay + 1);
      offsets_.pop_back();
    }
  }

  bool isFree(const Stay& own, const Interval<Bytes>& bytes) const {
    for (std::size_t i = 0; i < offsets_.size(); ++i) {
      const Stay& other = problem_.stays[StayId(i)];
      const Interval<Bytes> theirs{offsets_[i], offsets_[i] + other.size};
      if (own.steps.overlaps(other.steps) && theirs.overlaps(bytes)) return false;
    }
    return true;
  }

  const Problem& problem_;
  ReuseTimer timer_;
  Bytes capacity_;
  std::vector<Bytes> offsets_;
  std::optional<SimTime> least_;
};

}  // namespace hw::test
