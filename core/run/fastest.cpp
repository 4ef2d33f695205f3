#include "core/run/fastest.h"

#include <fmt/format.h>

#include <algorithm>
#include <list>

#include "core/allocators/search_report.h"
#include "core/latency/hasten_plan.h"
#include "core/sim/simulator.h"

namespace hw {
namespace {

/// Up to so many stays, allocators that do not search are asked.
constexpr std::size_t kStaysOfQuick = 20'000;
/// Placements that a search among them may make.
constexpr std::int64_t kRivalNodes = 10'000;
constexpr std::string_view kRivalOfMany = "idle-longest";
/// Smaller budgets, whose plans are made quickly.
constexpr RoomShare kSmallerRooms[] = {{100, 50}, {100, 0}, {75, 75}, {50, 50}, {0, 0}};
constexpr std::string_view kMakesSmaller = "greedy-by-size";
/// So many choices are looked into, with so small a part of the budget each; the best has the rest.
constexpr std::int64_t kLookedInto = 8;
constexpr std::int64_t kSearchParts = 16;

/// One choice of stays and moves, with the plans there are of it.
struct StayChoice {
  PlannedTask answer{};
  std::string maker{};
  std::vector<TimedPlan> plans{};
  SimTime latency{};  ///< Of the fastest.
  std::optional<TimedStays> timed{};
};

bool isBounded(const Problem& problem) {
  return problem.pools.size() > 1 && problem.pools[PoolId(0)].capacity;
}

/// Writes the pools that the allocator chose into the stays.
void fixPools(Planned& planned) {
  for (const StayId id : planned.problem.stays.keys()) {
    planned.problem.stays[id].pool = planned.plan.addresses[id]->pool;
  }
}

class FastestSearch {
 public:
  FastestSearch(const Task& task, const PlanContext& settings, const HasteLimits& limits)
      : task_(task), settings_(settings), limits_(limits) {}

  PlannedTask run(PlannedTask own) {
    const PlannedTask lowest = own;
    const bool bounded = isBounded(own.planned.problem);
    const std::size_t stays = own.planned.problem.stays.size();
    add(std::move(own), "the lowest plan");
    if (!choices_.empty()) own_ = &choices_.front();
    if (bounded) addSmaller();
    addRivals(stays);
    if (choices_.empty()) return lowest;
    choices_.sort([](const auto& a, const auto& b) { return a.latency < b.latency; });
    return write(search());
  }

 private:
  /// Takes an answer that fits to those of the same stays and moves.
  void add(PlannedTask answer, std::string maker) {
    Planned& planned = answer.planned;
    if (!fits(planned.problem, planned.plan)) return;
    fixPools(planned);
    const SimTime latency = latencyOf(answer.simulated());
    TimedPlan plan{.offsets = offsetsOf(planned.plan), .latency = latency, .winner = maker};
    auto same = std::ranges::find_if(choices_, [&](const StayChoice& other) {
      return hasSameStays(other.answer.planned.problem, planned.problem);
    });
    if (same == choices_.end()) {
      choices_.push_back({std::move(answer), std::move(maker), {}, latency});
      same = std::prev(choices_.end());
    }
    same->plans.push_back(std::move(plan));
    same->latency = std::min(same->latency, latency);
  }

  void addSmaller() {
    const AllocatorChoice quick{.info = *findAllocator(kMakesSmaller)};
    for (const RoomShare& rooms : kSmallerRooms) {
      addPlanOf(quick, rooms,
                fmt::format("{} in {} % of the room, {} % with weights", kMakesSmaller,
                            rooms.buffers, rooms.weights));
    }
  }

  void addRivals(std::size_t stays) {
    for (const AllocatorInfo& info : allocatorCatalog()) {
      const bool same = info.way == Way::direct && (info.plansInputs || !task_.sharing.planInputs);
      if (!same || info.name == task_.method().name) continue;
      const bool asked = stays <= (info.isSearch ? kFewStays : kStaysOfQuick);
      if (!asked && info.name != kRivalOfMany) continue;
      addPlanOf({.info = &info}, {}, std::string(info.name));
    }
  }

  /// Nothing is added where the allocator cannot do what the task asks (pins, say).
  void addPlanOf(const AllocatorChoice& allocator, const RoomShare& rooms, std::string maker) {
    if (settings_.stop.stop_requested()) return;
    PlanContext settings = quietly();
    settings.nodeBudget = std::min(settings.nodeBudget, kRivalNodes);
    Task task = task_;
    task.request.allocator = allocator;
    Storage storage = storageFor(task);
    auto answer = planByRule(std::move(task), std::move(storage), std::nullopt, settings, rooms);
    if (!answer) return;
    answer->task.request.allocator = task_.request.allocator;
    add(*std::move(answer), std::move(maker));
  }

  /// Tasks that differ only in their allocators share storage in one of two ways.
  const Storage& storageFor(const Task& task) {
    auto& storage = task.overlays() ? withOverlays_ : shared_;
    if (!storage) storage = storageOf(task);
    return *storage;
  }

  PlanContext quietly() const {
    PlanContext settings = settings_;
    settings.story = settings.record = false;
    settings.progress = {};
    settings.search = {};
    settings.timeLimit = 0;
    settings.use = nullptr;
    settings.hasten = [](const auto&...) {};  // Each plan as its allocator has it.
    return settings;
  }

  /// Looks into the choices in the order of their latencies, then goes on with the best.
  StayChoice& search() {
    StayChoice* best = &choices_.front();
    SimTime least = best->latency;
    std::int64_t parts = kSearchParts;
    for (StayChoice& choice : choices_) {
      if (choices_.size() == 1 || parts == kSearchParts - kLookedInto) break;
      TimedStays& timed = begin(choice);
      if (!timed.settled().empty() || timed.bound() >= least) continue;
      look(choice, 1);
      --parts;
      if (timed.latency() >= least) continue;
      least = timed.latency();
      best = &choice;
    }
    if (begin(*best).settled().empty()) look(*best, parts);
    return *best;
  }

  void look(StayChoice& choice, std::int64_t parts) const {
    choice.timed->search(choice.plans, settings_, limits_,
                         static_cast<double>(parts) / kSearchParts);
  }

  /// The search starts from the lowest plan, too.
  TimedStays& begin(StayChoice& choice) const {
    if (choice.timed) return *choice.timed;
    Planned& planned = choice.answer.planned;
    if (&choice != own_) {
      PlanContext settings = quietly();
      settings.record = settings_.record;
      auto lowest = task_.request.allocator.make()->plan(planned.problem, settings);
      const bool whole = lowest && std::ranges::all_of(lowest->addresses, [](const auto& address) {
                           return address.has_value();
                         });
      if (whole) planned.plan = *std::move(lowest);
    }
    choice.timed.emplace(choice.answer.simulated());
    return *choice.timed;
  }

  PlannedTask write(StayChoice& choice) const {
    Planned& planned = choice.answer.planned;
    Plan& plan = planned.plan;
    std::vector<std::string> notes;
    if (const auto why = choice.timed->settled(); !why.empty()) notes.emplace_back(why);
    if (choices_.size() > 1) {
      notes.push_back(fmt::format("the stays and moves are those of {}, the best of {} choices",
                                  choice.maker, choices_.size()));
    }
    if (!choice.timed->settled().empty()) {
      plan.notes.insert(plan.notes.end(), notes.begin(), notes.end());
      return std::move(choice.answer);
    }
    plan.regions = {};
    plan.story.clear();
    plan.notes = std::move(notes);
    choice.timed->write(plan);
    plan.notes.insert(plan.notes.end(), planned.notes.begin(), planned.notes.end());
    plan = finishPlan(planned.problem, std::move(plan), settings_.story);
    return std::move(choice.answer);
  }

  const Task task_;
  const PlanContext& settings_;
  const HasteLimits& limits_;
  std::list<StayChoice> choices_;    ///< By latency, once all are there.
  const StayChoice* own_ = nullptr;  ///< Null: the plan that came first does not fit.
  std::optional<Storage> shared_{};
  std::optional<Storage> withOverlays_{};
};

}  // namespace

PlannedTask fastestOf(PlannedTask own, const PlanContext& settings, const HasteLimits& limits) {
  FastestSearch search(own.task, settings, limits);
  return search.run(std::move(own));
}

}  // namespace hw
