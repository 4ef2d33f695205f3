#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "core/pairs/pair_search.h"

namespace hw {

/// The limits of a search and the use of them. The clock is read only where there is a limit of
/// time, and to say when a plan was found.
class PairAllowance {
 public:
  explicit PairAllowance(const PairOptions& options)
      : options_(options), begun_(std::chrono::steady_clock::now()) {}

  void spend(std::int64_t nodes) { nodes_ += nodes; }
  std::int64_t nodes() const { return nodes_; }
  bool stopped() const { return stopped_; }
  bool isLimited() const { return options_.limits.nodes > 0 || options_.limits.seconds > 0; }

  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count();
  }

  /// Of the limit that is nearer, in [0, 1]; 0 without limits.
  double share() const {
    const PairLimits& limits = options_.limits;
    double share = limits.seconds > 0 ? seconds() / limits.seconds : 0;
    if (limits.nodes > 0) {
      share = std::max(share, static_cast<double>(nodes_) / static_cast<double>(limits.nodes));
    }
    return std::min(share, 1.0);
  }

  /// True from when nothing is left, or the search was stopped.
  bool isSpent() {
    stopped_ = stopped_ || (options_.stopped && options_.stopped());
    return stopped_ || share() >= 1;
  }

 private:
  const PairOptions& options_;
  std::chrono::steady_clock::time_point begun_;
  std::int64_t nodes_ = 0;
  bool stopped_ = false;
};

/// `searchLowestPeak` with what is left of a budget, down to a peak of `enough` or the bound.
PairPlan lowestPeakWithin(const PairModel& model, const PairOptions& options, PairAllowance& budget,
                          Bytes enough);

/// True if a plan has an offset for each block, in the place of fixed ones and within the capacity,
/// and keeps apart what must be.
bool pairFits(const PairModel& model, const std::vector<Bytes>& offsets);

}  // namespace hw
