#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <utility>

#include "core/base/text.h"
#include "core/residency/residency.h"
#include "core/run/embedded.h"
#include "core/run/overlaid.h"
#include "core/run/plan_once.h"
#include "core/run/planner.h"
#include "core/run/run.h"

namespace hw {
namespace {

constexpr Bytes kDefaultAlignment{64};
const DeviceSpec& device(const RunConfig& config) { return config.platform.devices.front(); }

const PoolSize& poolSize(const RunConfig& config, std::size_t pool) {
  return pool == 0 ? config.l2 : config.l3;
}

/// The user's alignment, or the usual one, or what a pool of the platform insists on.
Bytes alignmentOf(const Model& model, const RunConfig& config) {
  const bool own = config.allocator.info->followsModel && hasOwnPlan(*model.graph);
  const Bytes usual = model.problem ? Bytes(1)
                      : own         ? ownAlignment(*model.graph)
                                    : kDefaultAlignment;
  Bytes alignment = config.alignment.value_or(usual);
  for (std::size_t pool = 0; pool < device(config).pools.size(); ++pool) {
    if (poolSize(config, pool).kind != PoolSize::Kind::platform) continue;
    alignment = std::max(alignment, device(config).pools[pool].alignment);
  }
  return alignment;
}

Result<void> checkConfig(const Model& model, const RunConfig& config) {
  const auto refuse = [](std::string message) {
    return fail(ErrorCode::invalidArgument, std::move(message));
  };
  if (config.allocator.info == nullptr) return refuse("no allocator was chosen");
  if (config.platform.devices.empty() || device(config).pools.empty()) {
    return refuse(fmt::format("platform '{}' has no device with a pool", config.platform.name));
  }
  const std::int64_t alignment = config.alignment.value_or(kDefaultAlignment).count();
  if (alignment < 1 || (alignment & (alignment - 1)) != 0 || alignment > (1 << 30)) {
    return refuse(fmt::format("alignment {} is not a power of two up to 1 GiB", alignment));
  }
  if (!model.graph) return refuse("the model has no graph");
  return {};
}

/// The order in which releases that fall on one step are told: the op's distinct inputs in order,
/// then its outputs, then whatever nobody reads.
void rankReleases(const Run& run, IdMap<BufferId, std::uint32_t>& ranks) {
  constexpr std::uint32_t kUnread = 0xFFFFFFFF;
  ranks = IdMap<BufferId, std::uint32_t>(run.storage.buffers.size(), kUnread);
  for (const OpId op : run.graph().ops.keys()) {
    const Step step = run.schedule.stepOf[op];
    std::uint32_t position = 0;
    const auto rank = [&](TensorId tensor) {
      ++position;
      if (!tensor || !run.storage.slots[tensor]) return;
      const BufferId buffer = run.storage.slots[tensor]->buffer;
      if (run.storage.buffers[buffer].steps.end != step + Step(1)) return;
      ranks[buffer] = std::min(ranks[buffer], position);
    };
    std::ranges::for_each(run.graph().reads(op), rank);
    std::ranges::for_each(run.graph().ops[op].outputs, rank);
  }
}

/// The buffers among `tensors`, each once, in order.
std::vector<StayId> staysOf(const Run& run, const std::vector<TensorId>& tensors) {
  std::vector<StayId> stays;
  for (const TensorId tensor : tensors) {
    if (!tensor || !run.storage.slots[tensor]) continue;
    const StayId stay(run.storage.slots[tensor]->buffer.index());
    if (std::ranges::find(stays, stay) == stays.end()) stays.push_back(stay);
  }
  return stays;
}

std::vector<StepUses> stepUses(const Run& run) {
  std::vector<StepUses> uses;
  for (const OpId op : run.schedule.order) {
    uses.push_back({.step = run.schedule.stepOf[op],
                    .reads = staysOf(run, run.graph().reads(op)),
                    .writes = staysOf(run, run.graph().ops[op].outputs)});
  }
  return uses;
}

/// Blocks of execution units hold whole tensors, so views are off when a run is partitioned.
StorageOptions storageOptions(const Run& run) {
  const AllocatorInfo& info = *run.config.allocator.info;
  AliasRules alias = info.perDevice ? AliasRules::none() : run.config.alias;
  if (info.overlays) alias.inPlace = false;
  return {.alias = alias,
          .planInputs = run.config.planInputs && info.plansInputs,
          .planOutputs = run.config.planOutputs,
          .alignment = run.alignment};
}

Problem problemOf(const Run& run) {
  Problem problem;
  problem.steps = std::max(run.schedule.steps(), Step(1));
  IdMap<BufferId, std::uint32_t> ranks;
  rankReleases(run, ranks);
  problem.stays.reserve(run.storage.buffers.size());
  for (const BufferId id : run.storage.buffers.keys()) {
    const Buffer& buffer = run.storage.buffers[id];
    problem.stays.add({.buffer = id,
                       .steps = buffer.steps,
                       .size = alignUp(buffer.size, run.alignment),
                       .alignment = run.alignment,
                       .releaseRank = ranks[id],
                       .outlives = buffer.graphOutput});
  }
  problem.uses = stepUses(run);
  problem.overlays = permittedOverlays(run);
  return problem;
}

/// A problem from a file keeps its sizes; only addresses follow the alignment asked for.
void alignGiven(Run& run) {
  if (run.alignment == Bytes(1)) return;
  for (Stay& stay : run.problem.stays) {
    const auto both =
        checkedMul(stay.alignment.count() / std::gcd(stay.alignment.count(), run.alignment.count()),
                   run.alignment.count());
    stay.alignment = Bytes(both.value_or(kMaxBytes.count()));
  }
}

IdMap<StayId, Bytes> trafficOf(const Run& run) {
  IdMap<StayId, Bytes> traffic;
  if (run.model->problem) {
    // Nothing is known about the ops: written once, read once.
    for (const Stay& stay : run.problem.stays) traffic.add(stay.size * 2);
    return traffic;
  }
  const auto byBuffer = bufferTraffic(run.graph(), run.storage);
  for (const Stay& stay : run.problem.stays) traffic.add(byBuffer[stay.buffer]);
  return traffic;
}

bool usesAllDevices(const Run& run) {
  return run.config.allocator.info->perDevice && !run.model->problem;
}

/// Where the model brings a plan of its own, that decides who shares memory.
Result<void> followModel(Run& run) {
  const bool follows = run.config.allocator.info->followsModel && !run.model->problem;
  if (!follows || !hasOwnPlan(run.graph())) return {};
  const auto rules = ownAlias(run.graph(), run.schedule, storageOptions(run));
  if (!rules) return tl::unexpected(rules.error());
  run.config.alias = *rules;
  return {};
}

void pinModelOffsets(Run& run) {
  if (!run.config.allocator.info->followsModel || run.model->problem) return;
  const std::size_t pinned = pinToOwnPlan(run.graph(), run.storage, run.problem);
  run.notes.push_back(
      pinned == 0 ? "the model brings no plan of its own: everything is placed largest first"
                  : fmt::format("the model's own plan places {} of {} buffers", pinned,
                                run.problem.stays.size()));
}

/// One problem for the first device's pools.
Result<void> planFirstDevice(Run& run, const RunContext& context) {
  if (run.model->problem) {
    alignGiven(run);
  } else {
    run.problem = problemOf(run);
  }
  pinModelOffsets(run);
  run.problem.pools = {};
  for (std::size_t pool = 0; pool < device(run.config).pools.size(); ++pool) {
    run.problem.pools.add(
        {device(run.config).pools[pool].name, capacityOf(run.config, device(run.config), pool)});
  }
  if (auto good = checkTotal(run.problem); !good) return good;
  auto plan = planProblem(run.problem, {.allocator = run.config.allocator,
                                        .settings = planSettings(run.config, context),
                                        .traffic = [&] { return trafficOf(run); }});
  if (!plan) return tl::unexpected(plan.error());
  run.plan = std::move(*plan);
  if (!run.problem.overlays.empty()) adoptOverlays(run, problemOf);
  return {};
}

/// Stays outside the first pool of their device.
std::vector<StayId> spilledStays(const Run& run) {
  std::vector<bool> first;
  for (const DeviceSpec& spec : run.config.platform.devices) {
    for (std::size_t pool = 0; pool < spec.pools.size(); ++pool) first.push_back(pool == 0);
  }
  std::vector<StayId> spilled;
  for (const StayId id : run.problem.stays.keys()) {
    const auto& address = run.plan.addresses[id];
    if (address && !first[address->pool.index()]) spilled.push_back(id);
  }
  return spilled;
}

void noteMoves(Run& run) {
  std::vector<std::string> texts;
  for (const OpMove& move : run.config.moves) texts.push_back(moveText(move));
  if (texts.empty()) return;
  run.notes.push_back(
      fmt::format("the order of the operators is not the model's: {}", fmt::join(texts, ", ")));
}

void noteWhatIsMissing(Run& run) {
  if (run.config.allocator.info->perDevice && run.config.alias != AliasRules::none() &&
      !run.model->problem) {
    run.notes.push_back("views are off: the blocks of execution units hold whole tensors");
  }
  if (run.config.planInputs && !run.config.allocator.info->plansInputs && !run.model->problem) {
    run.notes.push_back(fmt::format("{} gives graph inputs no place: they live outside the arena",
                                    run.config.allocator.info->name));
  }
  if (run.config.platform.devices.size() > 1 && !usesAllDevices(run)) {
    run.notes.push_back(fmt::format("platform '{}' has {} devices; everything runs on '{}'",
                                    run.config.platform.name, run.config.platform.devices.size(),
                                    device(run.config).name));
  }
  if (!run.storage.unsized.empty()) {
    run.notes.push_back(
        fmt::format("{} tensors have no known size and are left out: every total "
                    "is at least what is shown",
                    run.storage.unsized.size()));
  }
}

bool stopped(const RunContext& context) { return context.stop.stop_requested(); }

void report(const RunContext& context, double fraction, const char* what) {
  if (context.progress) context.progress(fraction, what);
}

void simulate(Run& run, const RunContext& context) {
  report(context, 0.7, "simulating");
  Simulation simulation =
      simulateDirect({.graph = run.graph(),
                      .schedule = run.schedule,
                      .storage = run.storage,
                      .problem = run.problem,
                      .plan = run.plan,
                      .platform = run.config.platform,
                      .streamWeights = run.config.streamWeights,
                      .partition = usesAllDevices(run) ? &run.partition : nullptr});
  run.timing = std::move(simulation.timing);
  run.trace = std::move(simulation.trace);
  run.timeline = describe(run.trace.events(), run.problem.pools.size());
}

/// Everything behind the model and, of a planning problem, the problem.
Result<std::shared_ptr<const Run>> carryOut(const std::shared_ptr<Run>& run,
                                            const RunContext& context) {
  run->alignment = alignmentOf(*run->model, run->config);

  report(context, 0.0, "sharing storage");
  auto schedule = movedOrder(run->graph(), run->config.moves);
  if (!schedule) return tl::unexpected(schedule.error());
  run->schedule = *std::move(schedule);
  if (auto good = followModel(*run); !good) return tl::unexpected(good.error());
  if (!run->model->problem)
    run->storage = shareStorage(run->graph(), run->schedule, storageOptions(*run));
  noteMoves(*run);
  noteWhatIsMissing(*run);

  report(context, 0.1, "planning");
  const auto start = std::chrono::steady_clock::now();
  const auto planned =
      usesAllDevices(*run) ? planPartitioned(*run, context) : planFirstDevice(*run, context);
  if (!planned) return tl::unexpected(planned.error());
  run->planSeconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  run->spilled = spilledStays(*run);
  if (stopped(context)) return fail(ErrorCode::stopped, "the run was stopped");

  run->metrics = measure(run->problem, run->plan);
  if (context.simulate) simulate(*run, context);
  report(context, 1.0, "done");
  return std::shared_ptr<const Run>(run);
}

}  // namespace

std::string Run::stayName(StayId id) const {
  const TensorId tensor = stayTensor(id);
  return displayName(graph(), tensor);
}

TensorId Run::stayTensor(StayId id) const {
  const BufferId buffer = problem.stays[id].buffer;
  return model->problem ? TensorId(buffer.index()) : storage.buffers[buffer].root;
}

Result<std::shared_ptr<const Run>> execute(std::shared_ptr<const Model> model,
                                           const RunConfig& config, const RunContext& context) {
  if (auto good = checkConfig(*model, config); !good) return tl::unexpected(good.error());
  const auto run = std::make_shared<Run>();
  run->model = std::move(model);
  run->config = config;
  if (run->model->problem) run->problem = *run->model->problem;
  return carryOut(run, context);
}

Result<std::shared_ptr<const Run>> executeOnce(Model model, const RunConfig& config,
                                               const RunContext& context) {
  if (auto good = checkConfig(model, config); !good) return tl::unexpected(good.error());
  const auto run = std::make_shared<Run>();
  if (model.problem) run->problem = std::exchange(*model.problem, Problem());
  run->model = std::make_shared<const Model>(std::move(model));
  run->config = config;
  return carryOut(run, context);
}

}  // namespace hw
