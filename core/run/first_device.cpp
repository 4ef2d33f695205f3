#include "core/run/first_device.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <tuple>

#include "core/base/text.h"
#include "core/residency/level_program.h"
#include "core/residency/near_ends.h"
#include "core/residency/residency.h"
#include "core/run/choice/fastest.h"
#include "core/run/embedded.h"
#include "core/run/moved_partition.h"
#include "core/run/overlaid.h"
#include "core/run/partitioned.h"
#include "core/storage/overlays.h"

namespace hw {
namespace {

Problem problemOf(const Prepared& prepared, const Storage& storage) {
  const auto& graph = prepared.program.graph;
  const Schedule& schedule = prepared.program.schedule;
  Problem problem = makeProblem(*graph, schedule, storage, prepared.sharing.alignment);
  if (prepared.overlays()) problem.overlays = permittedOverlays(*graph, schedule, storage);
  if (prepared.overlaps()) {
    problem.overlaps =
        permittedOverlaps(*graph, schedule, storage, prepared.request.platform.devices.front(),
                          prepared.sharing.alignment);
  }
  if (prepared.method().way != Way::embedded) return problem;
  return pinnedToOwnPlan(*graph, storage, std::move(problem));
}

/// A problem from a file keeps its sizes; only addresses follow the alignment asked for.
Problem aligned(Problem given, Bytes alignment) {
  if (alignment == Bytes(1)) return given;
  for (Stay& stay : given.stays) {
    const std::int64_t common = std::gcd(stay.alignment.count(), alignment.count());
    const auto both = checkedMul(stay.alignment.count() / common, alignment.count());
    stay.alignment = Bytes(both.value_or(kMaxBytes.count()));
  }
  return given;
}

/// What a simulation of a plan looks at.
SimulationInput inputOf(const Prepared& prepared, const Storage& storage, const Problem& problem,
                        const Plan& plan) {
  return {.graph = *prepared.program.graph,
          .schedule = prepared.program.schedule,
          .storage = storage,
          .problem = problem,
          .plan = plan,
          .platform = prepared.request.platform,
          .streamWeights = prepared.request.weights.rule != WeightRule::free,
          .inputsFar = prepared.inputsFar(),
          .outputsFar = prepared.outputsFar()};
}

/// A block per execution unit, on every device.
Result<Answer> planBlocks(const Prepared& prepared, const AllocatorChoice& allocator,
                          Storage storage, const PlanContext& settings) {
  const auto& graph = prepared.program.graph;
  const Schedule& schedule = prepared.program.schedule;
  RunRequest request = prepared.request;
  request.allocator = allocator;
  HW_TRY(plan,
         planPartitioned(*graph, schedule, storage, request, prepared.sharing.alignment, settings));
  return Answer{std::move(storage), std::move(plan.planned), std::move(plan.partition),
                std::move(plan.account), true};
}

/// One problem, for the pools of the first device; of all, where buffers move on all.
Result<Answer> planByRule(const Prepared& prepared, const AllocatorChoice& allocator,
                          Storage storage, std::optional<Problem> given,
                          const PlanContext& settings, const RoomShare& rooms = {}) {
  if (prepared.spread && !prepared.moves()) {
    return planBlocks(prepared, allocator, std::move(storage), settings);
  }
  if (prepared.spread) {
    return planMovedPartition(prepared, allocator, std::move(storage), settings);
  }
  const Graph& graph = *prepared.program.graph;
  const Schedule& schedule = prepared.program.schedule;
  const RunRequest& request = prepared.request;
  const bool bare = given.has_value();
  Problem problem =
      given ? aligned(*std::move(given), prepared.sharing.alignment) : problemOf(prepared, storage);
  if (bare && prepared.method().way == Way::embedded) {
    HW_TRY(pinned, pinnedToOwnPlan(graph, std::move(problem)));
    problem = std::move(pinned);
  }
  problem.pools = plannedPools(request, request.platform.devices.front(), bare);
  const auto traffic = [&](const Problem& asked) { return trafficOf(graph, storage, asked); };
  const auto devices = [&](const Problem& asked) {
    MovingDevice only{.program = levelProgram(graph, schedule, storage, asked),
                      .neededFar = IdMap<BufferId, std::optional<Step>>(storage.buffers.size())};
    allowNearEnds(only.program, request.nearInputs, request.nearOutputs);
    for (const PoolId pool : asked.pools.keys()) only.pools.push_back(pool);
    return std::vector{std::move(only)};
  };
  const Fetching fetching = fetchingOf(prepared, storage);
  HW_TRY(planned, planProblem(std::move(problem), {.allocator = allocator,
                                                   .settings = settings,
                                                   .traffic = traffic,
                                                   .residency = prepared.residency,
                                                   .devices = devices,
                                                   .fetching = fetching,
                                                   .rooms = rooms}));
  storage = withWeights(std::move(storage), graph, fetching.reads, planned.weights);
  if (planned.problem.overlays.empty()) return Answer{std::move(storage), std::move(planned)};
  Storage shared = overlaidStorage(graph, schedule, storage, planned);
  Problem fewer = makeProblem(graph, schedule, shared, prepared.sharing.alignment);
  Planned merged = overlaidPlan(storage, std::move(planned), shared, std::move(fewer));
  return Answer{std::move(shared), std::move(merged)};
}

/// The same with the allocator that was asked for. One that looks for fast plans says so while it
/// plans: then others are held against what it has found.
Result<Answer> planAsAsked(const Prepared& prepared, const Storage& storage,
                           std::optional<Problem> given, const PlanContext& settings) {
  const AllocatorChoice& allocator = prepared.request.allocator;
  std::optional<HasteLimits> limits;
  PlanContext listening = settings;
  // A problem from a file has no ops that take time, and of several devices nothing is tried.
  if (!given && !prepared.spread) {
    listening.hasten = [&](const Problem&, const PlanContext&, const HasteLimits& asked, Plan&) {
      limits = asked;
    };
  }
  HW_TRY(own, planByRule(prepared, allocator, storage, std::move(given), listening));
  if (!limits) return std::move(own);
  const auto plan = [&](const AllocatorChoice& other, const PlanContext& context,
                        const RoomShare& rooms) {
    RunRequest request = prepared.request;
    request.allocator = other;
    const Prepared with{.request = request,
                        .program = prepared.program,
                        .sharing = prepared.sharing,
                        .residency = prepared.residency,
                        .weightsNear = prepared.weightsNear,
                        .inputsLoaded = prepared.inputsLoaded,
                        .outputsStored = prepared.outputsStored};
    return planByRule(with, other, storageOf(with), std::nullopt, context, rooms);
  };
  const auto input = [&](const Answer& answer) {
    return inputOf(prepared, answer.storage, answer.planned.problem, answer.planned.plan);
  };
  return fastestOf(std::move(own), {.allocator = allocator,
                                    .settings = settings,
                                    .limits = *limits,
                                    .planInputs = prepared.sharing.planInputs,
                                    .plan = plan,
                                    .input = input});
}

/// Plans with each rule while rules are compared: it gives good addresses quickly.
constexpr std::string_view kQuickAllocator = "greedy-by-size";

/// A rule, as far as it can be judged without the allocator that was asked for.
struct Trial {
  ResidencyRule rule{};
  SimTime latency{};
  Bytes moved{};
};

/// `prepared` for trying one rule. Rules that move buffers load inputs and store outputs, so whole
/// lives have to do that too: else they would look faster than they are.
Prepared withRule(Prepared prepared, ResidencyRule rule) {
  prepared.residency = rule;
  const bool keeps = rule == ResidencyRule::wholeLife;
  prepared.endsNear = keeps && prepared.spread;
  if (prepared.endsNear) prepared.sharing = prepared.blockSharing;
  prepared.inputsLoaded = keeps && !prepared.request.nearInputs;
  prepared.outputsStored = keeps && !prepared.request.nearOutputs;
  return prepared;
}

/// Of a rule: blocks of several devices share as what moves between them cannot.
Storage storageFor(const Prepared& ruled, const Storage& storage) {
  return ruled.endsNear ? storageOf(ruled) : storage;
}

Bytes movedBytes(const Timing& timing) {
  Bytes sum;
  for (const Traffic& traffic : timing.traffic) sum = addMoved(sum, traffic.total());
  return sum;
}

/// Every rule once; the fastest first, of those the one that moves least, then the first.
Result<std::vector<Trial>> tryRules(const Prepared& prepared, const Storage& storage,
                                    const PlanContext& settings) {
  HW_TRY(quick, AllocatorChoice::parse(std::string(kQuickAllocator)));
  std::vector<Trial> trials;
  for (const ResidencyInfo& info : residencyCatalog()) {
    // `leastTraffic` chooses between `cost` and `exact`, so `exact` need not be tried by itself.
    if (info.rule == ResidencyRule::best || info.rule == ResidencyRule::exact) continue;
    const bool blocks = prepared.spread && info.rule == ResidencyRule::wholeLife;
    if (blocks && (prepared.request.loadInputs || prepared.request.storeOutputs)) continue;
    const Prepared ruled = withRule(prepared, info.rule);
    HW_TRY(answer, planByRule(ruled, quick, storageFor(ruled, storage), std::nullopt, settings));
    const Simulation simulation = simulated(ruled, answer);
    trials.push_back({info.rule, simulation.timing.makespan, movedBytes(simulation.timing)});
  }
  std::ranges::stable_sort(
      trials, {}, [](const Trial& trial) { return std::tuple(trial.latency, trial.moved); });
  return trials;
}

Result<Answer> planByBestRule(const Prepared& prepared, const Storage& storage,
                              const PlanContext& settings) {
  HW_TRY(trials, tryRules(prepared, storage, settings));
  const Prepared ruled = withRule(prepared, trials.front().rule);
  HW_TRY(answer, planAsAsked(ruled, storageFor(ruled, storage), std::nullopt, settings));
  std::vector<std::string> others;
  for (auto trial = trials.begin() + 1; trial != trials.end(); ++trial) {
    others.push_back(fmt::format("{} {}", infoOf(trial->rule).name, formatTime(trial->latency)));
  }
  answer.planned.plan.notes.push_back(
      fmt::format("residency: {} is the fastest with the addresses of {}, {}; {}",
                  infoOf(trials.front().rule).name, kQuickAllocator,
                  formatTime(trials.front().latency), fmt::join(others, ", ")));
  if (answer.blocks) {
    answer.planned.plan.notes.emplace_back(
        "graph inputs and outputs are where they are planned from the first step to the last: "
        "blocks of several devices are not loaded or stored");
  }
  return std::move(answer);
}

}  // namespace

Storage storageOf(const Prepared& prepared) {
  const StorageOptions& options = prepared.sharing;
  const Graph& graph = *prepared.program.graph;
  const Schedule& schedule = prepared.program.schedule;
  if (prepared.overlays()) return shareForOverlays(graph, schedule, options);
  Storage storage = shareStorage(graph, schedule, options);
  if (prepared.method().way != Way::embedded || !hasOwnPlan(graph)) return storage;
  return withDeclaredOverlaps(graph, std::move(storage), options.alignment);
}

Fetching fetchingOf(const Prepared& prepared, const Storage& storage) {
  const auto& graph = prepared.program.graph;
  const Schedule& schedule = prepared.program.schedule;
  Fetching fetching{.weights = prepared.request.weights,
                    .first = BufferId(storage.buffers.size()),
                    .alignment = prepared.sharing.alignment};
  if (prepared.weightsNear) fetching.reads = weightReads(*graph, schedule, storage);
  const auto buffersOf = [&](const std::vector<TensorId>& tensors) {
    std::vector<BufferId> buffers;
    for (const TensorId tensor : tensors) {
      if (const BufferId buffer = storage.bufferOf(tensor)) buffers.push_back(buffer);
    }
    return buffers;
  };
  if (prepared.inputsLoaded) fetching.inputs = buffersOf(graph->inputs);
  if (prepared.outputsStored) fetching.outputs = buffersOf(graph->outputs);
  return fetching;
}

Result<Answer> planFirstDevice(const Prepared& prepared, Storage storage,
                               std::optional<Problem> given, const PlanContext& settings) {
  if (prepared.residency == ResidencyRule::best) {
    return planByBestRule(prepared, storage, settings);
  }
  return planAsAsked(prepared, storage, std::move(given), settings);
}

PlanMetrics measured(const Prepared& prepared, const Answer& answer) {
  const Planned& planned = answer.planned;
  const bool mayOverlap = prepared.method().way == Way::embedded && !answer.storage.isIdentity() &&
                          prepared.sharing.alias == AliasRules::none();
  if (!mayOverlap) return measure(planned.problem, planned.plan);
  return measureOwnPlan(*prepared.program.graph, answer.storage, planned.problem, planned.plan);
}

Simulation simulated(const Prepared& prepared, const Answer& answer, GoOn goOn) {
  SimulationInput input =
      inputOf(prepared, answer.storage, answer.planned.problem, answer.planned.plan);
  if (prepared.spread) input.partition = &answer.partition;
  input.goOn = std::move(goOn);
  return simulate(input);
}

}  // namespace hw
