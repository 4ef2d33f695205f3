#include "core/run/planner.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/allocators/offline.h"
#include "core/base/text.h"
#include "core/graph/tiling.h"
#include "core/machine/platforms.h"
#include "core/plan/constraint_use.h"
#include "core/plan/pair_blocks.h"
#include "core/residency/residency.h"

namespace hw {
namespace {

/// Rounds of "spill what overshot, plan again" before the budget is halved instead.
constexpr int kGentleRounds = 16;

/// The share of the budget left that each search of those rounds may take. As long as nothing is
/// spilled, a search may take all of it: what fits is better than anything spilled.
constexpr double kShareOfARound = 0.125;

/// Takes what overshot a pool from its budget; by half where that would leave nothing, or takes too
/// long. False when there is nothing to take.
bool shrink(std::optional<Bytes>& budget, Bytes overshoot, int round) {
  if (!budget || *budget <= Bytes() || overshoot <= Bytes()) return false;
  const bool gentle = *budget > overshoot && round < kGentleRounds;
  budget = gentle ? *budget - overshoot : Bytes(budget->count() / 2);
  return true;
}

bool allInFirstPool(const Problem& problem) {
  return std::ranges::none_of(problem.stays,
                              [](const Stay& stay) { return stay.pool && stay.pool != PoolId(0); });
}

using Budgets = IdMap<PoolId, std::optional<Bytes>>;

/// The moves that the rule chose between the pools of a device, in sentences; `own`: it is one of
/// several.
std::vector<std::string> trafficNotes(const Problem& whole, const std::vector<PoolId>& pools,
                                      const std::vector<NearStays>& levels, bool own) {
  std::vector<std::string> notes;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const auto& [stays, moved, atLeast] = levels[i];
    std::string note = fmt::format("residency: {} bytes move to and from {}",
                                   groupDigits(moved.count()), whole.pools[pools[i + 1]].name);
    if (own) note += fmt::format(" beside {}", whole.pools[pools[i]].name);
    if (atLeast == moved) note += ", and no other choice within the same budget moves fewer";
    if (atLeast < moved && atLeast > Bytes()) {
      note += fmt::format("; any choice within the same budget moves at least {}",
                          groupDigits(atLeast.count()));
    }
    notes.push_back(std::move(note));
  }
  return notes;
}

/// The number of buffers near as the run begins, or ends, of those that may be; empty: none may.
std::string endsNote(const LevelProgram& program, const std::vector<NearStays>& levels,
                     bool LevelBuffer::*may, bool NearStay::*is, std::string_view what) {
  IdMap<BufferId, bool> touched(program.buffers.size());
  for (const UseStep& step : program.steps) {
    for (const OperandUse& use : step.operands) touched[use.buffer] = true;
  }
  std::size_t asked = 0;
  for (const BufferId id : touched.keys()) asked += touched[id] && program.buffers[id].*may ? 1 : 0;
  std::ptrdiff_t found = 0;
  for (const NearStays& level : levels) found += std::ranges::count(level.stays, true, is);
  if (asked == 0) return {};
  return fmt::format("{} of {} {}", found, asked, what);
}

/// The bytes that may be live in each pool.
struct Rooms {
  Budgets buffers{};
  Budgets weights{};  ///< With them; never more than for buffers alone.
};

/// Decides who lives where: whole lives in the problem itself, or several stays in a new one; then
/// which weights come near.
class Residents {
 public:
  Residents(Problem whole, const PlanOrder& order) : whole_(std::move(whole)), order_(order) {
    if (order.moves()) {
      devices_ = order.devices(whole_);
    } else {
      traffic_ = order.traffic(whole_);
    }
  }

  Problem& within(const Rooms& rooms) {
    notes_.clear();
    Problem& placed = buffersWithin(rooms.buffers);
    if (!order_.fetches()) return placed;
    if (!order_.moves()) {
      moving_ = whole_;
      loadInputs(moving_, order_.fetching.inputs);
      storeOutputs(moving_, order_.fetching.outputs);
    }
    fetch(rooms.weights);
    return moving_;
  }

  const std::vector<std::string>& notes() const { return notes_; }
  /// Nothing can go further away.
  bool isFar(PoolId pool) const {
    if (devices_.empty()) return pool.index() + 1 == whole_.pools.size();
    return std::ranges::any_of(
        devices_, [&](const MovingDevice& device) { return pool == device.pools.back(); });
  }
  std::vector<TensorId> weights() const { return weights_.roots; }

  /// Some of them are in that pool.
  bool haveWeightsIn(PoolId pool) const {
    return std::ranges::any_of(moving_.stays, [&](const Stay& stay) {
      return stay.pool == pool && stay.buffer >= order_.fetching.first;
    });
  }

 private:
  Problem& buffersWithin(const Budgets& budgets) {
    if (!order_.moves()) {
      const Residency pools = wholeLife(whole_, traffic_, budgets);
      for (const StayId id : whole_.stays.keys()) whole_.stays[id].pool = pools[id];
      return whole_;
    }
    // Rounds in which only weights give way leave the buffers where they are.
    if (chosen_ && std::ranges::equal(chosen_->budgets, budgets)) {
      notes_ = chosen_->notes;
      return moving_ = chosen_->problem;
    }
    std::vector<std::vector<NearStays>> levels;
    for (const MovingDevice& device : devices_) {
      std::vector<std::optional<Bytes>> near;
      for (const PoolId pool : device.pools) near.push_back(budgets[pool]);
      near.pop_back();
      levels.push_back(chooseResidency(device, near, order_.residency, order_.settings.stop));
      const auto told = trafficNotes(whole_, device.pools, levels.back(), devices_.size() > 1);
      notes_.insert(notes_.end(), told.begin(), told.end());
      noteEnds(device.program, levels.back());
    }
    chosen_ = Chosen{budgets, movingProblem(whole_, devices_, levels), notes_};
    return moving_ = chosen_->problem;
  }

  void noteEnds(const LevelProgram& program, const std::vector<NearStays>& levels) {
    for (std::string note : {endsNote(program, levels, &LevelBuffer::mayStartNear, &NearStay::given,
                                      "inputs are near as the run begins"),
                             endsNote(program, levels, &LevelBuffer::mayEndNear,
                                      &NearStay::outlives, "outputs are near as the run ends")}) {
      if (!note.empty()) notes_.push_back(std::move(note));
    }
  }

  void fetch(const Budgets& budgets) {
    const Fetching& asked = order_.fetching;
    if (asked.reads.empty()) return;
    const WeightWays ways = asked.ways.pools.empty() ? wayOf(moving_.pools) : asked.ways;
    weights_ = fetchWeights(moving_, asked.reads, asked.weights, asked.first, asked.alignment, ways,
                            budgets);
    std::size_t reads = 0;
    for (const WeightReads& weight : asked.reads) reads += weight.steps.size();
    notes_.push_back(fmt::format(
        "weights: {} of {} reads find theirs near; {}", weights_.reads, reads,
        weights_.reads == reads ? "all have room" : "the others have no room and stream theirs"));
  }

  /// The outcome of a rule within budgets.
  struct Chosen {
    Budgets budgets{};
    Problem problem{};
    std::vector<std::string> notes{};
  };

  Problem whole_;
  const PlanOrder& order_;
  std::vector<MovingDevice> devices_;  ///< None where buffers keep their places.
  IdMap<StayId, Bytes> traffic_;
  std::optional<Chosen> chosen_;
  Problem moving_;
  FetchedWeights weights_;
  std::vector<std::string> notes_;
};

/// Makes budgets smaller, round by round.
class Squeeze {
 public:
  explicit Squeeze(Rooms& rooms) : rooms_(rooms) {}

  /// Takes from them what overshot; false when nothing did, or nothing can be taken.
  bool byOvershoot(const Problem& problem, const Plan& plan, const Residents& residents) {
    bool again = false;
    bool weightsGive = false;
    for (const PoolId id : problem.pools.keys()) {
      const std::optional<Bytes>& capacity = problem.pools[id].capacity;
      if (residents.isFar(id) || !capacity) continue;
      Bytes overshoot = plan.footprint(id) - *capacity;
      // An online allocator stops at the first stay without a place; that much is missing at least.
      const auto& failed = plan.outOfMemory;
      if (failed && problem.poolOf(failed->stay) == id) {
        overshoot = std::max(overshoot, failed->wanted);
      }
      // Weights give way first: buffers keep the places they would have without them.
      const bool ofWeights = residents.haveWeightsIn(id);
      weightsGive |= ofWeights && overshoot > Bytes();
      auto& budget = ofWeights ? rooms_.weights[id] : rooms_.buffers[id];
      again |= shrink(budget, overshoot, ofWeights ? weightRounds_ : rounds_);
      if (!ofWeights) rooms_.weights[id] = std::min(rooms_.weights[id], rooms_.buffers[id]);
    }
    ++(weightsGive ? weightRounds_ : rounds_);
    return again;
  }

 private:
  Rooms& rooms_;
  int rounds_ = 1;
  int weightRounds_ = 1;
};

/// All that pools may hold, or less of all but the last.
Rooms roomsOf(const IdMap<PoolId, ProblemPool>& pools, const RoomShare& share) {
  const auto part = [](const std::optional<Bytes>& capacity, int percent) {
    if (!capacity || percent == 100) return capacity;
    return std::optional(
        Bytes(capacity->count() / 100 * percent + capacity->count() % 100 * percent / 100));
  };
  Rooms rooms;
  for (const PoolId pool : pools.keys()) {
    const bool last = pool.index() + 1 == pools.size();
    rooms.buffers.add(part(pools[pool].capacity, last ? 100 : share.buffers));
    rooms.weights.add(part(pools[pool].capacity, last ? 100 : share.weights));
  }
  return rooms;
}

/// Adds notes on pools of which less than the capacity was used, and why.
void addRoomNotes(const Problem& problem, const Rooms& rooms, const Rooms& given,
                  std::vector<std::string>& notes) {
  for (const PoolId id : problem.pools.keys()) {
    const std::string& name = problem.pools[id].name;
    const std::optional<Bytes>& capacity = problem.pools[id].capacity;
    const auto why = [&](const Budgets& now, const Budgets& before) {
      return now[id] == before[id] ? fmt::format("of {} no more was to be used", name)
                                   : fmt::format("fragmentation overshot {}", name);
    };
    if (rooms.buffers[id] != capacity) {
      notes.push_back(
          fmt::format("{}, so buffers were moved to L3 down to a budget of {} out of {} bytes",
                      why(rooms.buffers, given.buffers), groupDigits(rooms.buffers[id]->count()),
                      groupDigits(capacity->count())));
    } else if (rooms.weights[id] != capacity) {
      notes.push_back(
          fmt::format("{}, so fewer weights come near: what is live with them is kept below {} out "
                      "of {} bytes",
                      why(rooms.weights, given.weights), groupDigits(rooms.weights[id]->count()),
                      groupDigits(capacity->count())));
    }
  }
}

Result<Planned> planWithin(Problem whole, const PlanOrder& order) {
  const auto allocator = order.allocator.make();
  SearchUse use;
  PlanContext settings = order.settings;
  if (settings.use == nullptr) settings.use = &use;
  const Rooms given = roomsOf(whole.pools, order.rooms);
  Rooms rooms = given;
  Residents residents(std::move(whole), order);
  Squeeze squeeze(rooms);
  for (;;) {
    Problem& problem = residents.within(rooms);
    use.share = problem.moves.empty() && allInFirstPool(problem) ? 1 : kShareOfARound;
    HW_TRY(plan, allocator->plan(problem, settings));
    if (squeeze.byOvershoot(problem, plan, residents)) {
      // Counts start anew for plans that spill; time does not.
      if (use.share == 1) use.tries = use.nodes = 0;
      continue;
    }
    std::vector<std::string> notes = residents.notes();
    addRoomNotes(problem, rooms, given, notes);
    plan.notes.insert(plan.notes.end(), notes.begin(), notes.end());
    return Planned{std::move(problem), std::move(plan), residents.weights(), std::move(notes)};
  }
}

/// The pools cannot hold what is live at one step, whatever lives where.
bool impossible(const Problem& problem) {
  Bytes room;
  for (const ProblemPool& pool : problem.pools) {
    if (!pool.capacity) return false;
    room += *pool.capacity;
  }
  return leastLive(problem) > room;
}

/// An allocator proves things about the stays it is given, each with its pool. Once something was
/// spilled that says nothing about other choices of what to spill.
void limitProof(const Problem& problem, Plan& plan) {
  if (allInFirstPool(problem)) return;
  if (plan.status == PlanStatus::optimal && plan.footprint() > lowerBound(problem)) {
    plan.status = PlanStatus::complete;
    plan.notes.emplace_back(
        "no pool can be smaller with these buffers in it; another choice of what to move to L3 is "
        "not ruled out");
  } else if (plan.status == PlanStatus::infeasible && !impossible(problem)) {
    plan.status = PlanStatus::overBudget;
    plan.notes.emplace_back(
        "no plan fits with these buffers in L3; another choice is not ruled out");
  }
}

Result<void> checkTotal(const Problem& problem) {
  Bytes total;
  for (const Stay& stay : problem.stays) {
    total += stay.size + stay.alignment;
    if (total > kMaxBytes) {
      return fail(ErrorCode::unsupported,
                  "the tensors add up to more than 2^60 bytes, more than can be planned");
    }
  }
  return {};
}

/// The order in which releases that fall on one step are told: the op's distinct inputs in order,
/// then its outputs, then whatever nobody reads.
IdMap<BufferId, std::uint32_t> releaseRanks(const Graph& graph, const Schedule& schedule,
                                            const Storage& storage) {
  constexpr std::uint32_t kUnread = 0xFFFFFFFF;
  IdMap<BufferId, std::uint32_t> ranks(storage.buffers.size(), kUnread);
  for (const OpId op : graph.ops.keys()) {
    const Step end = schedule.stepOf[op] + Step(1);
    std::uint32_t position = 0;
    const auto rank = [&](TensorId tensor) {
      ++position;
      const BufferId buffer = storage.bufferOf(tensor);
      if (!buffer || storage.buffers[buffer].steps.end != end) return;
      ranks[buffer] = std::min(ranks[buffer], position);
    };
    std::ranges::for_each(graph.reads(op), rank);
    std::ranges::for_each(graph.ops[op].outputs, rank);
  }
  return ranks;
}

/// True for a buffer that holds a graph input of an inference behind the first.
bool comesLater(const Graph& graph, const Buffer& buffer) {
  return batchesOf(graph) > 1 && buffer.steps.begin > Step() &&
         std::ranges::any_of(buffer.tensors, [&](TensorId id) { return isGiven(graph, id); });
}

/// Lists stays without repeating any, however many an op has.
class StayLists {
 public:
  explicit StayLists(const Storage& storage)
      : storage_(storage), lastList_(storage.buffers.size(), 0) {}

  /// Those that hold `tensors`, each once, in order.
  std::vector<StayId> of(const std::vector<TensorId>& tensors) {
    ++list_;
    std::vector<StayId> stays;
    for (const TensorId tensor : tensors) {
      const BufferId buffer = storage_.bufferOf(tensor);
      if (buffer && std::exchange(lastList_[buffer], list_) != list_) {
        stays.emplace_back(buffer.index());
      }
    }
    return stays;
  }

 private:
  const Storage& storage_;
  IdMap<BufferId, std::size_t> lastList_;  ///< The number of the last list that holds its stay.
  std::size_t list_ = 0;
};

}  // namespace

PlanContext planSettings(const RunRequest& request, const RunContext& context,
                         std::function<void(double, const std::string&)> progress) {
  return {.stop = context.stop,
          .seed = request.seed,
          .threads = request.threads,
          .timeLimit = request.timeLimit,
          .oneOfMany = context.oneOfMany,
          .story = context.simulate,
          .record = context.record,
          .progress = std::move(progress),
          .search = context.search};
}

Result<Problem> inPools(Problem given, IdMap<PoolId, ProblemPool> pools) {
  IdMap<PoolId, PoolId> place(given.pools.size());
  for (const PoolId pool : given.pools.keys()) {
    const auto same = std::ranges::find(pools, given.pools[pool].name, &ProblemPool::name);
    if (same == pools.end()) continue;
    place[pool] = PoolId(static_cast<std::size_t>(same - pools.begin()));
    same->reserved = given.pools[pool].reserved;
  }
  std::optional<PoolId> missing;
  const auto move = [&](PoolId& pool) {
    if (!place[pool] && !missing) missing = pool;
    pool = place[pool];
  };
  for (const PoolId pool : given.pools.keys()) {
    if (!place[pool] && !given.pools[pool].reserved.empty()) missing = pool;
  }
  for (Stay& stay : given.stays) {
    if (stay.pool) move(stay.pool);
  }
  for (std::vector<PoolId>& allowed : given.constraints.allowed) {
    for (PoolId& pool : allowed) move(pool);
    std::ranges::sort(allowed);
  }
  if (missing) {
    const std::string names = joinText(pools, ", ", std::mem_fn(&ProblemPool::name));
    return fail(ErrorCode::invalidArgument,
                fmt::format("the problem names memory '{}'; those of the run are {}",
                            printable(given.pools[*missing].name, 40), printable(names, 200)));
  }
  given.pools = std::move(pools);
  return given;
}

RunRequest onOwnPools(const Problem& bare, RunRequest request) {
  if (!bare.ownPools) return request;
  DeviceSpec& device = request.platform.devices.front();
  const PoolSpec like = device.pools.front();
  device.pools.clear();
  device.dma.clear();
  for (const ProblemPool& pool : bare.pools) {
    device.pools.push_back(like);
    device.pools.back().name = pool.name;
    device.pools.back().capacity = pool.capacity;
    device.pools.back().reserved = {};
  }
  return request;
}

IdMap<PoolId, ProblemPool> plannedPools(const RunRequest& request, const DeviceSpec& device,
                                        const Problem* bare) {
  using Kind = PoolSize::Kind;
  const auto sizeOf = [&](std::size_t pool) -> const PoolSize& {
    return pool == 0 ? request.l2 : request.l3;
  };
  const auto asked = [](const PoolSize& size) {
    return size.kind != Kind::platform && !size.assumed;
  };
  if (bare != nullptr && bare->ownPools) {
    IdMap<PoolId, ProblemPool> own = bare->pools;
    for (std::size_t pool = 0; pool < std::min<std::size_t>(own.size(), 2); ++pool) {
      const PoolSize& size = sizeOf(pool);
      if (size.kind == Kind::bytes && asked(size)) own[PoolId(pool)].capacity = size.bytes;
    }
    return own;
  }
  // A bare problem on the default platform has no limits: nobody has asked for a machine.
  const bool anyMachine =
      bare != nullptr && platformText(request.platform) == platformText(defaultPlatform());
  IdMap<PoolId, ProblemPool> pools;
  for (const PoolSpec& spec : device.pools) {
    const PoolSize& size = sizeOf(pools.size());
    const bool named = bare != nullptr && pools.size() < bare->pools.size();
    const bool bounded = !pools.empty() && pools[PoolId(0)].capacity;
    if (bare != nullptr && !asked(size) && !named && bounded) break;
    std::optional<Bytes> capacity;
    if (size.kind == Kind::platform && !anyMachine) capacity = spec.target();
    if (size.kind == Kind::bytes) capacity = size.bytes;
    pools.add({.name = spec.name, .capacity = capacity, .level = pools.size()});
  }
  return pools;
}

Result<Planned> planProblem(Problem problem, const PlanOrder& order) {
  HW_DO(checkTotal(problem));
  // Constraints are kept by allocators alone.
  const auto hasPool = [](const Stay& stay) { return static_cast<bool>(stay.pool); };
  if (isConstrained(problem) || std::ranges::any_of(problem.stays, hasPool)) {
    problem = withPools(problem);
    HW_TRY(plan, order.allocator.make()->plan(problem, order.settings));
    return Planned{std::move(problem), std::move(plan)};
  }
  const bool decided =
      !order.moves() && !order.fetches() &&
      (order.allocator.placer().info->choosesPools || !problem.pools[PoolId(0)].capacity ||
       !pinsFit(problem, PoolId(0)));  // Whatever is spilled, the pins do not fit.
  if (decided || problem.pools.size() < 2) {
    HW_TRY(plan, order.allocator.make()->plan(problem, order.settings));
    return Planned{std::move(problem), std::move(plan)};
  }
  HW_TRY(planned, planWithin(std::move(problem), order));
  limitProof(planned.problem, planned.plan);
  return std::move(planned);
}

Problem makeProblem(const Graph& graph, const Schedule& schedule, const Storage& storage,
                    Bytes alignment) {
  Problem problem;
  problem.steps = std::max(schedule.steps(), Step(1));
  const auto ranks = releaseRanks(graph, schedule, storage);
  problem.stays.reserve(storage.buffers.size());
  for (const BufferId id : storage.buffers.keys()) {
    const Buffer& buffer = storage.buffers[id];
    // Outputs of an inference before the last are taken as it ends.
    problem.stays.add({.buffer = id,
                       .steps = buffer.steps,
                       .size = alignUp(buffer.size, alignment),
                       .alignment = alignment,
                       .releaseRank = ranks[id],
                       .outlives = buffer.graphOutput && buffer.steps.end == problem.steps,
                       .handedOut = buffer.graphOutput,
                       .given = comesLater(graph, buffer)});
  }
  StayLists stays(storage);
  for (const OpId op : schedule.order) {
    problem.uses.push_back({.step = schedule.stepOf[op],
                            .reads = stays.of(graph.reads(op)),
                            .writes = stays.of(graph.ops[op].outputs)});
  }
  return problem;
}

}  // namespace hw
