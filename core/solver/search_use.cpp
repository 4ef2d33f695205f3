#include "core/solver/search_use.h"

#include <algorithm>
#include <chrono>

namespace hw {

double secondsNow(const Clock& clock) {
  if (clock) return clock();
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// The clock starts with the first search of a run. Later ones share what is left, so that the run
/// as a whole keeps the limit.
std::optional<double> SearchUse::deadline(double limit, const Clock& clock) {
  const double now = secondsNow(clock);
  if (!start) start = now;
  if (limit <= 0) return std::nullopt;
  return now + std::max(0.0, *start + limit - now) * share;
}

double SearchUse::seconds(double limit, const Clock& clock) {
  const auto until = deadline(limit, clock);
  // Even the last one gets a little: with no time at all it would mean "no limit".
  return until ? std::max(0.02 * limit, *until - secondsNow(clock)) : 0;
}

std::int64_t SearchUse::most(std::int64_t used, std::int64_t budget) const {
  const std::int64_t left = std::max<std::int64_t>(0, budget - used);
  if (share >= 1) return used + left;
  return used + static_cast<std::int64_t>(static_cast<double>(left) * share);
}

}  // namespace hw
