#include "core/solver/search_use.h"

#include <algorithm>
#include <chrono>

namespace hw {

double secondsNow(const Clock& clock) {
  if (clock) return clock();
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

namespace {

/// Of the whole: what even the last of many searches gets. With nothing at all, none would find a
/// thing, and no time would mean no limit.
constexpr double kLeast = 0.02;

}  // namespace

/// The clock starts with the first search of a run. Later ones share what is left, so that the run
/// as a whole keeps the limit, or nearly.
std::optional<double> SearchUse::deadline(double limit, const Clock& clock) {
  const double now = secondsNow(clock);
  if (!start) start = now;
  if (limit <= 0) return std::nullopt;
  return now + std::max(kLeast * limit, (*start + limit - now) * share);
}

double SearchUse::seconds(double limit, const Clock& clock) {
  const auto until = deadline(limit, clock);
  return until ? *until - secondsNow(clock) : 0;
}

std::int64_t SearchUse::most(std::int64_t used, std::int64_t budget) const {
  const auto parts = [&](std::int64_t of, double part) {
    return static_cast<std::int64_t>(static_cast<double>(of) * part);
  };
  const std::int64_t left = std::max<std::int64_t>(0, budget - used);
  if (share >= 1) return used + left;
  return used + std::max(parts(left, share), parts(budget, kLeast));
}

}  // namespace hw
