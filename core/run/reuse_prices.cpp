#include "core/run/reuse_prices.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/base/text.h"
#include "core/import/stated_rules.h"
#include "core/latency/hasten_plan.h"
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

/// Ascending; nothing where there are too many, or too many pairs to look at.
std::optional<std::vector<ReusePenalty>> pricesOf(const TimedWork& work) {
  constexpr std::size_t kMostLooks = 200'000'000;
  const std::vector<TouchedTime> times = touchedTimes(work);
  if (!times.empty() && times.size() > kMostLooks / times.size()) return std::nullopt;
  std::vector<ReusePenalty> prices;
  // The earlier by steps has the bytes first, whichever is touched first.
  for (const TouchedTime& before : times) {
    const TimedStay& one = work.stays[before.stay.index()];
    for (const TouchedTime& after : times) {
      if (after.first >= before.last) break;  // By when they are touched first.
      const TimedStay& other = work.stays[after.stay.index()];
      if (one.pool != other.pool || one.steps.end > other.steps.begin) continue;
      const auto [low, high] = std::minmax(before.stay, after.stay);
      prices.push_back({{low, high}, (before.last - after.first).count()});
      if (prices.size() > kMostRulePairs) return std::nullopt;
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
  const bool placed = std::ranges::all_of(planned.plan.addresses,
                                          [](const auto& address) { return address.has_value(); });
  if (!placed) return noted(std::move(own), "not every buffer has a place");
  const PlannedWork made = plannedWork(own.simulated());
  if (const auto why = cannotHasten(planned.problem, made.list); !why.empty()) {
    return noted(std::move(own), std::string(why));
  }
  auto prices = pricesOf(TimedWork(made.list, planned.problem));
  Wide sum{};
  for (const ReusePenalty& each : prices.value_or(std::vector<ReusePenalty>())) sum += each.cost;
  if (!prices || sum > Wide{kMostPenalty}) {
    return noted(std::move(own), "too many buffers would wait for each other");
  }
  if (prices->empty()) return noted(std::move(own), "no two buffers would wait for each other");
  Problem priced = planned.problem;
  for (const StayId id : priced.stays.keys()) {
    priced.stays[id].pool = planned.plan.addresses[id]->pool;
  }
  priced.constraints.penalties = *std::move(prices);
  auto plan = own.task.request.allocator.make()->plan(priced, settings);
  if (!plan) {
    if (settings.stop.stop_requested()) return tl::unexpected(std::move(plan.error()));
    return noted(std::move(own), plan.error().message);
  }
  if (fits(planned.problem, planned.plan) && !fits(priced, *plan)) {
    return noted(std::move(own), "no plan that fits was found with them");
  }
  plan->notes.push_back(fmt::format(
      "the penalties of {} pairs of buffers are how long, in picoseconds, the second would wait "
      "for the first, if nothing else were used again",
      groupDigits(priced.constraints.penalties.size())));
  plan->notes.insert(plan->notes.end(), planned.notes.begin(), planned.notes.end());
  planned.problem = std::move(priced);
  planned.plan = *std::move(plan);
  return own;
}

}  // namespace hw
