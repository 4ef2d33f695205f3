#include "core/latency/stay_times.h"

#include <algorithm>

namespace hw {
namespace {

/// By activity: from its start to the end of the run, if activities wait for nothing but each
/// other.
std::vector<SimTime> tailsOf(const TimedWork& work, const ReuseTimer& timer) {
  const auto lengthOf = [&](std::uint32_t i) { return timer.endOf(i) - timer.startOf(i); };
  std::vector<SimTime> tails(work.activities.size());
  for (auto i = static_cast<std::uint32_t>(tails.size()); i-- > 0;) {
    tails[i] += lengthOf(i);  // So far it was what comes after its end.
    timer.forEachWait(
        i, [&](std::uint32_t other) { tails[other] = std::max(tails[other], tails[i]); });
  }
  return tails;
}

/// One that `activity` waited for to its very start.
template <class ForEach>
std::uint32_t lastOf(const ReuseTimer& timer, std::uint32_t activity, const ForEach& forEach) {
  std::uint32_t found = kNoActivity;
  forEach([&](std::uint32_t other) {
    if (timer.endOf(other) == timer.startOf(activity)) found = other;
  });
  return found;
}

/// What `activity` waited for last apart from reuse; kNoActivity: nothing held it as long.
std::uint32_t ownCause(const TimedWork& work, const ReuseTimer& timer, std::uint32_t activity) {
  const TimedActivity& own = work.activities[activity];
  const auto other =
      lastOf(timer, activity, [&](const auto& visit) { timer.forEachOwnWait(activity, visit); });
  if (other != kNoActivity) return other;
  for (const std::uint32_t before : {own.engineBefore, own.issuedBefore}) {
    if (before != kNoActivity && timer.startOf(before) == timer.startOf(activity)) return before;
  }
  return kNoActivity;
}

}  // namespace

StayTimes stayTimes(const TimedWork& work, const ReuseTimer& timer) {
  const std::vector<SimTime> tails = tailsOf(work, timer);
  StayTimes times{std::vector<SimTime>(work.stays.size()), std::vector<SimTime>(work.stays.size())};
  for (std::uint32_t stay = 0; stay < work.stays.size(); ++stay) {
    for (const std::uint32_t exit : work.exits.of(stay)) {
      times.ends[stay] = std::max(times.ends[stay], timer.endOf(exit));
    }
    for (const std::uint32_t entry : work.entries.of(stay)) {
      times.tails[stay] = std::max(times.tails[stay], tails[entry]);
    }
  }
  return times;
}

std::vector<ReusePair> criticalReuse(const TimedWork& work, const ReuseTimer& timer,
                                     const std::vector<Bytes>& offsets) {
  std::vector<ReusePair> pairs;
  if (work.activities.empty()) return pairs;
  const auto meet = [&](std::uint32_t a, std::uint32_t b) {
    return work.stays[a].pool == work.stays[b].pool &&
           offsets[a] < offsets[b] + work.stays[b].size &&
           offsets[b] < offsets[a] + work.stays[a].size;
  };
  std::uint32_t at = 0;
  for (std::uint32_t i = 0; i < work.activities.size(); ++i) {
    if (timer.endOf(i) >= timer.endOf(at)) at = i;
  }
  while (timer.startOf(at) > SimTime()) {
    std::uint32_t cause = ownCause(work, timer, at);
    if (cause == kNoActivity) {
      cause = lastOf(timer, at, [&](const auto& visit) { timer.forEachWait(at, visit); });
      if (cause == kNoActivity) break;  // For a free channel, for example.
      for (const std::uint32_t after : work.enters.of(at)) {
        for (const std::uint32_t before : work.leaves.of(cause)) {
          if (before != after && meet(before, after)) pairs.push_back({before, after});
        }
      }
    }
    at = cause;
  }
  return pairs;
}

}  // namespace hw
