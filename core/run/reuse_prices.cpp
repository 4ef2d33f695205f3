#include "core/run/reuse_prices.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/import/stated_rules.h"
#include "core/latency/reuse_timer.h"
#include "core/sim/activity_builder.h"

namespace hw {
namespace {

/// From when to when activities touch a stay in a run without reuse.
struct TouchedTime {
  StayId stay{};
  SimTime first{};
  SimTime last{};
};

std::vector<TouchedTime> touchedTimes(const TimedWork& work) {
  ReuseTimer timer(work);
  timer.placeApart();
  timer.contended();
  std::vector<TouchedTime> times;
  for (std::uint32_t stay = 0; stay < work.stays.size(); ++stay) {
    if (work.stays[stay].opener == kNoActivity) continue;
    TouchedTime time{StayId(stay), kMaxTime, SimTime()};
    for (const std::uint32_t entry : work.entries.of(stay)) {
      time.first = std::min(time.first, timer.startOf(entry));
    }
    for (const std::uint32_t exit : work.exits.of(stay)) {
      time.last = std::max(time.last, timer.endOf(exit));
    }
    times.push_back(time);
  }
  std::ranges::sort(times, {},
                    [](const TouchedTime& each) { return std::pair(each.first, each.stay); });
  return times;
}

/// Ascending; one more than `kMostRulePairs` where there are more.
std::vector<ReusePenalty> pricesOf(const TimedWork& work) {
  const std::vector<TouchedTime> times = touchedTimes(work);
  std::vector<ReusePenalty> prices;
  for (std::size_t i = 0; i < times.size() && prices.size() <= kMostRulePairs; ++i) {
    // Whoever starts at or after its end waits for nothing; of two, the earlier by steps has the
    // bytes first, whichever is touched first.
    for (std::size_t j = i + 1; j < times.size() && times[j].first < times[i].last; ++j) {
      const TimedStay& one = work.stays[times[i].stay.index()];
      const TimedStay& other = work.stays[times[j].stay.index()];
      if (one.pool != other.pool || one.liveWith(other)) continue;
      const bool inOrder = one.steps.begin < other.steps.begin;
      const TouchedTime& before = times[inOrder ? i : j];
      const TouchedTime& after = times[inOrder ? j : i];
      const SimTime wait = before.last - after.first;
      if (wait <= SimTime()) continue;
      const auto [low, high] = std::minmax(before.stay, after.stay);
      prices.push_back({{low, high}, wait.count()});
    }
  }
  std::ranges::sort(prices);
  return prices;
}

PlannedTask noted(PlannedTask own, std::string why) {
  own.planned.plan.notes.push_back("no penalties: " + std::move(why));
  return own;
}

}  // namespace

Result<PlannedTask> withReusePrices(PlannedTask own, const PlanContext& settings) {
  Planned& planned = own.planned;
  const Problem& problem = planned.problem;
  if (!problem.gaps.empty() || !problem.overlays.empty() || !problem.overlaps.empty()) {
    return noted(std::move(own),
                 "of stays that share their bytes while they live none are worked "
                 "out");
  }
  const bool placed = std::ranges::all_of(planned.plan.addresses,
                                          [](const auto& address) { return address.has_value(); });
  if (!placed) return noted(std::move(own), "not every buffer has a place");
  const PlannedWork made = plannedWork(own.simulated());
  if (made.list.sequential()) {
    return noted(std::move(own),
                 "on this machine one thing follows the other, so that no reuse "
                 "makes anybody wait");
  }
  std::vector<ReusePenalty> prices = pricesOf(TimedWork(made.list, problem));
  Wide sum{};
  for (const ReusePenalty& each : prices) sum += each.cost;
  if (prices.empty()) return noted(std::move(own), "no two buffers would wait for each other");
  if (prices.size() > kMostRulePairs || sum > Wide{kMostPenalty}) {
    return noted(std::move(own), "too many buffers would wait for each other");
  }
  Problem priced = problem;
  for (const StayId id : priced.stays.keys()) {
    priced.stays[id].pool = planned.plan.addresses[id]->pool;
  }
  priced.constraints.penalties = std::move(prices);
  HW_TRY(plan, own.task.request.allocator.make()->plan(priced, settings));
  plan.notes.push_back(fmt::format(
      "the penalties of {} pairs of buffers are how long, in picoseconds, the second would wait "
      "for the first, if nothing else were used again",
      groupDigits(static_cast<std::int64_t>(priced.constraints.penalties.size()))));
  plan.notes.insert(plan.notes.end(), planned.notes.begin(), planned.notes.end());
  planned.problem = std::move(priced);
  planned.plan = std::move(plan);
  return own;
}

}  // namespace hw
