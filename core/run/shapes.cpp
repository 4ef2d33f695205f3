#include "core/run/shapes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <tuple>

#include "core/base/text.h"
#include "core/graph/tiling.h"
#include "core/import/tensor_rules.h"
#include "core/residency/near_stays.h"
#include "core/residency/residency.h"
#include "core/run/embedded.h"
#include "core/run/fastest.h"
#include "core/run/overlaid.h"
#include "core/run/partitioned.h"
#include "core/run/reuse_prices.h"
#include "core/storage/overlays.h"

namespace hw {
namespace {

MachinePools allPoolsOf(const Platform& platform) {
  return machinePools(platform, platform.devices.size());
}

/// True if buffers can move on every device of a platform: each has a memory before its last.
bool movesOnAll(const Platform& platform) {
  const MachinePools machine = allPoolsOf(platform);
  return std::ranges::all_of(machine.ofDevice,
                             [&](const std::vector<PoolId>& pools) { return pools.size() > 1; });
}

/// The user's alignment, or the usual one, or what a pool of the platform insists on.
Bytes alignmentOf(const Model& model, const RunRequest& request, RunShape shape) {
  const Bytes usual = shape == RunShape::problem        ? Bytes(1)
                      : shape == RunShape::followsModel ? ownAlignment(*model.graph)
                                                        : kDefaultAlignment;
  Bytes alignment = request.alignment.value_or(usual);
  const DeviceSpec& device = request.platform.devices.front();
  for (std::size_t pool = 0; pool < device.pools.size(); ++pool) {
    if ((pool == 0 ? request.l2 : request.l3).kind != PoolSize::Kind::platform) continue;
    alignment = std::max(alignment, device.pools[pool].alignment);
  }
  return alignment;
}

/// Nothing moves, and nothing comes near.
void keepPlaces(RunRequest& request) {
  request.residency = ResidencyRule::wholeLife;
  if (request.weights.near()) request.weights = {};
  if (request.inputs == InputPlace::loaded) request.inputs = InputPlace::arena;
  if (request.outputs == OutputPlace::stored) request.outputs = OutputPlace::arena;
}

/// Outputs may overlap inputs: on one device, where buffers keep their places.
bool overlaps(const Task& task) {
  return task.request.overlap && task.method().overlaps && task.shape == RunShape::oneDevice &&
         !task.moves() && !task.fetches();
}

/// True if the rules about the tensors of a model say something of the buffers of `task`.
bool keepsRules(const Task& task, const Model& model) {
  return task.program.graph == model.graph && task.shape == RunShape::oneDevice && !task.moves() &&
         !task.fetches() && !task.overlays() && !overlaps(task);
}

Problem problemOf(const Task& task, const Storage& storage) {
  const auto& graph = task.program.graph;
  const Schedule& schedule = task.program.schedule;
  Problem problem = makeProblem(*graph, schedule, storage, task.sharing.alignment);
  if (task.overlays()) problem.overlays = permittedOverlays(*graph, schedule, storage);
  if (overlaps(task)) {
    problem.overlaps = permittedOverlaps(
        *graph, schedule, storage, task.request.platform.devices.front(), task.sharing.alignment);
  }
  if (task.method().way != Way::embedded) return problem;
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

/// The buffers that come near before ops read them: weights behind those of `storage`.
Fetching fetchingOf(const Task& task, const Storage& storage) {
  const Graph& graph = *task.program.graph;
  Fetching fetching{.weights = task.request.weights,
                    .first = BufferId(storage.buffers.size()),
                    .alignment = task.sharing.alignment};
  if (task.request.weights.near()) {
    fetching.reads = weightReads(graph, task.program.schedule, storage);
  }
  const auto buffersOf = [&](const std::vector<TensorId>& tensors) {
    std::vector<BufferId> buffers;
    for (const TensorId tensor : tensors) {
      if (const BufferId buffer = storage.bufferOf(tensor)) buffers.push_back(buffer);
    }
    return buffers;
  };
  if (task.inputsLoaded()) fetching.inputs = buffersOf(graph.inputs);
  if (task.outputsStored()) fetching.outputs = buffersOf(graph.outputs);
  return fetching;
}

/// A planning problem from a file.
Result<PlannedTask> planGiven(Task task, Problem given, const PlanContext& settings) {
  Problem problem = aligned(std::move(given), task.sharing.alignment);
  const Graph& graph = *task.program.graph;
  if (task.method().way == Way::embedded) {
    HW_TRY(pinned, pinnedToOwnPlan(graph, std::move(problem)));
    problem = std::move(pinned);
  }
  const auto pools = plannedPools(task.request, task.request.platform.devices.front(), &problem);
  HW_TRY(placed, inPools(std::move(problem), pools));
  problem = std::move(placed);
  const auto traffic = [&](const Problem& asked) { return trafficOf(graph, Storage(), asked); };
  HW_TRY(planned, planProblem(std::move(problem), {.allocator = task.request.allocator,
                                                   .settings = settings,
                                                   .traffic = traffic}));
  return PlannedTask{.task = std::move(task), .planned = std::move(planned)};
}

/// One problem, for the pools of the first device.
Result<PlannedTask> planOneDevice(Task task, Storage storage, const PlanContext& settings,
                                  const RoomShare& rooms) {
  const Graph& graph = *task.program.graph;
  const Schedule& schedule = task.program.schedule;
  const RunRequest& request = task.request;
  Problem problem = problemOf(task, storage);
  problem.pools = plannedPools(request, request.platform.devices.front());
  std::vector<std::string> ruleNotes;
  if (task.rules) {
    HW_TRY(notes, applyTensorRules(*task.rules, graph, storage, problem));
    ruleNotes = std::move(notes);
  }
  const auto traffic = [&](const Problem& asked) { return trafficOf(graph, storage, asked); };
  const auto devices = [&](const Problem& asked) {
    MovingDevice only{.program = levelProgram(graph, schedule, storage, asked),
                      .neededFar = IdMap<BufferId, std::optional<Step>>(storage.buffers.size())};
    allowNearEnds(only.program, request.inputs == InputPlace::near,
                  request.outputs == OutputPlace::near);
    for (const PoolId pool : asked.pools.keys()) only.pools.push_back(pool);
    return std::vector{std::move(only)};
  };
  const Fetching fetching = fetchingOf(task, storage);
  HW_TRY(planned, planProblem(std::move(problem), {.allocator = request.allocator,
                                                   .settings = settings,
                                                   .traffic = traffic,
                                                   .residency = request.residency,
                                                   .devices = devices,
                                                   .fetching = fetching,
                                                   .rooms = rooms}));
  planned.plan.notes.insert(planned.plan.notes.end(), ruleNotes.begin(), ruleNotes.end());
  storage = withWeights(std::move(storage), graph, fetching.reads, planned.weights);
  if (!planned.problem.overlays.empty()) {
    Storage shared = overlaidStorage(graph, schedule, storage, planned);
    Problem fewer = makeProblem(graph, schedule, shared, task.sharing.alignment);
    planned = overlaidPlan(storage, std::move(planned), shared, std::move(fewer));
    storage = std::move(shared);
  }
  return PlannedTask{std::move(task), std::move(storage), std::move(planned)};
}

/// A block per execution unit, on every device.
Result<PlannedTask> planBlocks(Task task, Storage storage, const PlanContext& settings) {
  HW_TRY(plan, planPartitioned(*task.program.graph, task.program.schedule, storage, task.request,
                               task.sharing.alignment, settings));
  return PlannedTask{std::move(task), std::move(storage), std::move(plan.planned),
                     std::move(plan.partition), std::move(plan.account)};
}

/// Its copies are left out: moves bring what others made.
Result<Partition> withoutCopies(const Task& task, const Storage& storage) {
  const Platform& platform = task.request.platform;
  std::vector<SharedRead> shared;
  for (const BufferId buffer : storage.buffers.keys()) {
    for (DeviceIndex device = 0; device < platform.devices.size(); ++device) {
      shared.push_back({buffer, device});
    }
  }
  const Graph& graph = *task.program.graph;
  const Schedule& schedule = task.program.schedule;
  HW_TRY(partition, partitionGraph(graph, schedule, storage, platform, shared));
  partition.residences.clear();
  partition.blocks.clear();
  return std::move(partition);
}

/// The pools of all devices, as a run has them.
IdMap<PoolId, ProblemPool> allPools(const RunRequest& request) {
  const Platform& platform = request.platform;
  const MachinePools machine = allPoolsOf(platform);
  IdMap<PoolId, ProblemPool> pools(machine.pools.size());
  for (DeviceIndex device = 0; device < platform.devices.size(); ++device) {
    const auto own = plannedPools(request, platform.devices[device]);
    for (const PoolId id : own.keys()) {
      const PoolId at = machine.ofDevice[device][id.index()];
      if (machine.pools[at].device != device) continue;
      pools[at] = own[id];
      if (platform.devices.size() == 1 || machine.pools[at].spec->shared) continue;
      pools[at].name = fmt::format("{}/{}", platform.devices[device].name, own[id].name);
    }
  }
  // The far memories of all devices are equally far: a copy from one to another comes before the op
  // of its step, as loads do, and is no store.
  std::size_t farthest = 0;
  for (const ProblemPool& pool : pools) farthest = std::max(farthest, pool.level);
  for (const auto& own : machine.ofDevice) {
    if (own.size() > 1) pools[own.back()].level = farthest;
  }
  return pools;
}

/// A graph spread over the devices of a platform on which buffers move: one problem with the pools
/// of all. Every buffer has stays of its own, no blocks; what one device makes and another reads
/// goes through the last memory of both, copied where these are two.
Result<PlannedTask> planMoving(Task task, Storage storage, const PlanContext& settings) {
  const Graph& graph = *task.program.graph;
  const Schedule& schedule = task.program.schedule;
  const RunRequest& request = task.request;
  HW_TRY(partition, withoutCopies(task, storage));
  std::vector<DeviceIndex> deviceAt;
  for (const OpId op : schedule.order) deviceAt.push_back(partition.deviceOf[op]);
  Problem problem = makeProblem(graph, schedule, storage, task.sharing.alignment);
  problem.pools = allPools(request);
  const auto devices = [&](const Problem& asked) {
    LevelProgram program = levelProgram(graph, schedule, storage, asked);
    allowNearEnds(program, request.inputs == InputPlace::near,
                  request.outputs == OutputPlace::near);
    return dealtOut(program, deviceAt, allPoolsOf(request.platform).ofDevice);
  };
  Fetching fetching = fetchingOf(task, storage);
  fetching.ways = {allPoolsOf(request.platform).ofDevice, deviceAt};
  HW_TRY(planned, planProblem(std::move(problem), {.allocator = request.allocator,
                                                   .settings = settings,
                                                   .residency = request.residency,
                                                   .devices = devices,
                                                   .fetching = fetching}));
  storage = withWeights(std::move(storage), graph, fetching.reads, planned.weights);
  return PlannedTask{std::move(task), std::move(storage), std::move(planned), std::move(partition)};
}

/// By the rule that the task has. An allocator that looks for fast plans says so while it plans:
/// then others are held against what it has found.
Result<PlannedTask> planAsAsked(Task task, Storage storage, std::optional<Problem> given,
                                const PlanContext& settings) {
  std::optional<HasteLimits> limits;
  PlanContext listening = settings;
  // A problem from a file has no ops that take time, and of several devices nothing is tried.
  if (!given && !isSpread(task.shape)) {
    listening.hasten = [&](const Problem&, const PlanContext&, const HasteLimits& asked, Plan&) {
      limits = asked;
    };
  }
  const bool priced = !given && !isSpread(task.shape) && !task.rules &&
                      task.request.allocator.aimsAt("penalty") && !task.program.graph->ops.empty();
  const AllocatorChoice asked = task.request.allocator;
  if (priced) {
    HW_TRY(lowest, AllocatorChoice::parse("best"));
    task.request.allocator = lowest;
  }
  HW_TRY(own, planByRule(std::move(task), std::move(storage), std::move(given), listening));
  if (priced) {
    own.task.request.allocator = asked;
    return withReusePrices(std::move(own), settings);
  }
  if (!limits) return std::move(own);
  return fastestOf(std::move(own), settings, *limits);
}

/// Plans with each rule while rules are compared: it gives good addresses quickly.
constexpr std::string_view kQuickAllocator = "greedy-by-size";

/// A rule, as far as it can be judged without the allocator that was asked for.
struct Trial {
  ResidencyRule rule{};
  SimTime latency{};
  Bytes moved{};
};

/// `task` for trying one rule. Rules that move buffers load inputs and store outputs, so whole
/// lives have to do that too: else they would look faster than they are. The blocks of several
/// devices share storage as what moves between them cannot.
Task withRule(Task task, ResidencyRule rule) {
  RunRequest& request = task.request;
  request.residency = rule;
  if (rule != ResidencyRule::wholeLife) return task;
  if (isSpread(task.shape)) {
    task.shape = RunShape::blocks;
    task.sharing.alias = request.alias;
    task.sharing.homes = homesOf(*task.program.graph, request.platform);
    keepPlaces(request);
    return task;
  }
  if (request.inputs != InputPlace::near) request.inputs = InputPlace::loaded;
  if (request.outputs != OutputPlace::near) request.outputs = OutputPlace::stored;
  return task;
}

Storage storageFor(const Task& ruled, const Storage& storage) {
  return ruled.shape == RunShape::blocks ? storageOf(ruled) : storage;
}

Bytes movedBytes(const Timing& timing) {
  Bytes sum;
  for (const Traffic& traffic : timing.traffic) sum = addMoved(sum, traffic.total());
  return sum;
}

/// Every rule once; the fastest first, of those the one that moves least, then the first.
Result<std::vector<Trial>> tryRules(const Task& task, const Storage& storage,
                                    const PlanContext& settings) {
  HW_TRY(quick, AllocatorChoice::parse(std::string(kQuickAllocator)));
  std::vector<Trial> trials;
  for (const ResidencyInfo& info : residencyCatalog()) {
    // `leastTraffic` chooses between `cost` and `exact`, so `exact` need not be tried by itself.
    if (info.rule == ResidencyRule::best || info.rule == ResidencyRule::exact) continue;
    Task ruled = withRule(task, info.rule);
    const bool ends =
        task.request.inputs == InputPlace::loaded || task.request.outputs == OutputPlace::stored;
    if (ruled.shape == RunShape::blocks && ends) continue;
    ruled.request.allocator = quick;
    Storage own = storageFor(ruled, storage);
    HW_TRY(plan, planByRule(std::move(ruled), std::move(own), std::nullopt, settings));
    const Simulation simulation = simulate(plan.simulated());
    trials.push_back({info.rule, simulation.timing.makespan, movedBytes(simulation.timing)});
  }
  std::ranges::stable_sort(
      trials, {}, [](const Trial& trial) { return std::tuple(trial.latency, trial.moved); });
  return trials;
}

Result<PlannedTask> planByBestRule(const Task& task, const Storage& storage,
                                   const PlanContext& settings) {
  HW_TRY(trials, tryRules(task, storage, settings));
  Task ruled = withRule(task, trials.front().rule);
  Storage own = storageFor(ruled, storage);
  HW_TRY(plan, planAsAsked(std::move(ruled), std::move(own), std::nullopt, settings));
  std::vector<std::string> others;
  for (auto trial = trials.begin() + 1; trial != trials.end(); ++trial) {
    others.push_back(fmt::format("{} {}", infoOf(trial->rule).name, formatTime(trial->latency)));
  }
  auto& notes = plan.planned.plan.notes;
  notes.push_back(fmt::format("residency: {} is the fastest with the addresses of {}, {}; {}",
                              infoOf(trials.front().rule).name, kQuickAllocator,
                              formatTime(trials.front().latency), fmt::join(others, ", ")));
  if (plan.task.shape == RunShape::blocks) {
    notes.emplace_back(
        "graph inputs and outputs are where they are planned from the first step to the last: "
        "blocks of several devices are not loaded or stored");
  }
  return std::move(plan);
}

}  // namespace

RunShape shapeOf(const Model& model, const RunRequest& request) {
  if (model.problem) return RunShape::problem;
  const Way way = request.allocator.info->way;
  if (way == Way::embedded && hasOwnPlan(*model.graph)) return RunShape::followsModel;
  if (way != Way::perDevice) return RunShape::oneDevice;
  const bool moves = request.residency != ResidencyRule::wholeLife && movesOnAll(request.platform);
  return moves ? RunShape::movesOnDevices : RunShape::blocks;
}

StorageOptions sharingOf(const Model& model, const RunRequest& request, RunShape shape) {
  StorageOptions sharing{.alias = request.alias,
                         .planInputs = request.plansInputs() && request.allocator.info->plansInputs,
                         .planOutputs = request.plansOutputs(),
                         .alignment = alignmentOf(model, request, shape)};
  if (shape == RunShape::movesOnDevices) sharing.alias = AliasRules::none();
  if (shape == RunShape::blocks) sharing.homes = homesOf(*model.graph, request.platform);
  return sharing;
}

Result<Task> taskOf(const Model& model, const RunRequest& request, RunShape shape,
                    Program program) {
  Task task{shape, request, std::move(program), sharingOf(model, request, shape)};
  const bool several = request.platform.devices.front().pools.size() > 1;
  const bool moves = shape == RunShape::movesOnDevices ||
                     (shape == RunShape::oneDevice && several && task.method().way == Way::direct);
  if (!moves) keepPlaces(task.request);
  if (shape == RunShape::blocks && batchesOf(*task.program.graph) > 1) {
    task.sharing.homes = homesOf(*task.program.graph, request.platform);
  }
  if (task.inputsLoaded() && !task.sharing.planInputs) task.request.inputs = InputPlace::external;
  task.rules = model.rules;
  if (task.rules && !keepsRules(task, model)) {
    return fail(ErrorCode::invalidArgument,
                "the constraints of this graph are kept where its operators run as they are, on "
                "one device, and each buffer keeps its place: no operators in parts or run again, "
                "no other layout, no work in place, no overlaps, no moves or loads, and no plan of "
                "the model's own");
  }
  if (shape != RunShape::followsModel) return task;
  HW_TRY(rules, ownAlias(*task.program.graph, task.program.schedule, task.sharing));
  task.sharing.alias = rules;
  return task;
}

Storage storageOf(const Task& task) {
  const StorageOptions& options = task.sharing;
  const Graph& graph = *task.program.graph;
  const Schedule& schedule = task.program.schedule;
  if (task.overlays()) return shareForOverlays(graph, schedule, options);
  if (task.program.storage) return *task.program.storage;
  Storage storage = shareStorage(graph, schedule, options);
  if (task.shape != RunShape::followsModel) return storage;
  return withDeclaredOverlaps(graph, std::move(storage), options.alignment);
}

Result<PlannedTask> planByRule(Task task, Storage storage, std::optional<Problem> given,
                               const PlanContext& settings, const RoomShare& rooms) {
  switch (task.shape) {
    case RunShape::problem:
      return planGiven(std::move(task), *std::move(given), settings);
    case RunShape::blocks:
      return planBlocks(std::move(task), std::move(storage), settings);
    case RunShape::movesOnDevices:
      return planMoving(std::move(task), std::move(storage), settings);
    case RunShape::oneDevice:
    case RunShape::followsModel:
      break;
  }
  return planOneDevice(std::move(task), std::move(storage), settings, rooms);
}

Result<PlannedTask> planTask(Task task, Storage storage, std::optional<Problem> given,
                             const PlanContext& settings) {
  if (task.request.residency == ResidencyRule::best) return planByBestRule(task, storage, settings);
  return planAsAsked(std::move(task), std::move(storage), std::move(given), settings);
}

PlanMetrics PlannedTask::measured() const {
  const bool mayOverlap = task.method().way == Way::embedded && !storage.isIdentity() &&
                          task.sharing.alias == AliasRules::none();
  if (!mayOverlap) return measure(planned.problem, planned.plan);
  return measureOwnPlan(*task.program.graph, storage, planned.problem, planned.plan);
}

SimulationInput PlannedTask::simulated() const {
  return {.graph = *task.program.graph,
          .schedule = task.program.schedule,
          .storage = storage,
          .problem = planned.problem,
          .plan = planned.plan,
          .platform = task.request.platform,
          .streamWeights = task.request.weights.rule != WeightRule::free,
          .partition = isSpread(task.shape) ? &partition : nullptr,
          .inputsFar = task.inputsFar(),
          .outputsFar = task.outputsFar()};
}

}  // namespace hw
