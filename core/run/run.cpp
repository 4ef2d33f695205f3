#include "core/run/run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <utility>

#include "core/allocators/allocator.h"
#include "core/base/text.h"
#include "core/graph/tiling.h"
#include "core/machine/memory_model.h"
#include "core/machine/platforms.h"
#include "core/run/embedded.h"
#include "core/run/fastest.h"
#include "core/run/options.h"
#include "core/run/rewrites.h"
#include "core/run/shapes.h"
#include "core/sim/cost_model.h"
#include "core/storage/aliasing.h"

namespace hw {
namespace {

/// True for requests that a graph in parts refuses: the contents of a ring depend on the order of
/// parts.
bool rewritesParts(const RunRequest& request) {
  return request.channelsLast || request.order != OpOrder::given || !request.moves.empty() ||
         request.recompute || request.tile != TileRule::off || request.inputs == InputPlace::rows ||
         request.allocator.info->way == Way::perDevice;
}

/// True if `request` can be carried out on `model`, as far as that can be told beforehand: an error
/// says what cannot be.
Result<void> checkRequest(const Model& model, const RunRequest& request) {
  const auto refuse = [](std::string message) {
    return fail(ErrorCode::invalidArgument, std::move(message));
  };
  const Platform& platform = request.platform;
  if (request.allocator.info == nullptr) return refuse("no allocator was chosen");
  if (platform.devices.empty() || platform.devices.front().pools.empty()) {
    return refuse(fmt::format("platform '{}' has no device with a pool", platform.name));
  }
  const Bytes alignment = request.alignment.value_or(kDefaultAlignment);
  if (!isAlignment(alignment)) {
    return refuse(fmt::format("alignment {} is not a power of two up to 1 GiB", alignment.count()));
  }
  if (!model.graph) return refuse("the model has no graph");
  if (model.graph->tiling && rewritesParts(request)) {
    return refuse(
        "the operators of this graph are parts already, or run again: they keep their order, on "
        "one device, and are not rewritten once more");
  }
  return {};
}

/// The rewrites of the catalogue in their order, then what comes behind them.
const std::vector<RunStage>& allStages() {
  static const std::vector<RunStage> stages = [] {
    std::vector<RunStage> list = {
        {"sharing storage", 0.07}, {"planning", 0.1}, {"simulating", 0.7}};
    for (const RewriteInfo& info : rewriteCatalog()) {
      if (info.stage.rewrite) list.push_back(info.stage);
    }
    std::ranges::sort(list, {}, &RunStage::begins);
    return list;
  }();
  return stages;
}

/// Tells of the stages of a run, one after the other.
class StageTeller {
 public:
  explicit StageTeller(const RunContext& context) : tell_(context.progress) {}

  /// The next stage begins. Its own fractions, told to the result, become fractions of the run.
  std::function<void(double, const std::string&)> next() {
    if (!tell_) return {};
    const RunStage& stage = allStages()[at_++];
    const double end = at_ < allStages().size() ? allStages()[at_].begins : 1;
    tell_(stage.begins, std::string(stage.name));
    return [tell = tell_, begin = stage.begins, end](double fraction, const std::string& what) {
      tell(begin + fraction * (end - begin), what);
    };
  }
  /// The stages up to sharing storage are over, whoever went through them.
  void skipToPlanning() {
    at_ = 0;
    while (allStages()[at_].rewrite) ++at_;
    ++at_;
  }
  void done() const {
    if (tell_) tell_(1, "done");
  }

 private:
  std::function<void(double, const std::string&)> tell_;
  std::size_t at_ = 0;
};

Result<Program> rewritten(const Model& model, const Rewriting& rewriting, StageTeller& teller) {
  Result<Program> program = Program{model.graph, givenOrder(*model.graph)};
  for (const RunStage& stage : allStages()) {
    if (!stage.rewrite || !program) break;
    teller.next();
    program = stage.rewrite(*std::move(program), rewriting);
  }
  return program;
}

/// A run before it is planned.
struct Begun {
  Task task{};
  Storage storage{};
};

Result<Begun> begin(const Model& model, const RunRequest& request, RunShape shape,
                    const RunContext& context, StageTeller& teller) {
  const StorageOptions sharing = sharingOf(model, request, shape);
  HW_TRY(program,
         rewritten(model, {shape, request, sharing, context.stop, context.common.get()}, teller));
  HW_TRY(task, taskOf(model, request, shape, std::move(program)));
  teller.next();
  Storage storage = shape == RunShape::problem ? Storage() : storageOf(task);
  return Begun{std::move(task), std::move(storage)};
}

/// All that `begin` looks at, of runs on one device that do not follow the model's own plan.
std::string commonKey(const Model& model, const RunRequest& request) {
  const StorageOptions sharing = sharingOf(model, request, RunShape::oneDevice);
  const bool overlaps = request.overlap && request.allocator.info->overlaps;
  std::string key =
      fmt::format("{} {} {} {}", static_cast<const void*>(&model), sharing.alignment.count(),
                  sharing.planInputs, overlaps ? platformText(request.platform) : "");
  for (const auto& [name, texts] : textsOf(request)) {
    const OptionGroup group = findOption(name)->group;
    if (group != OptionGroup::storage && group != OptionGroup::order) continue;
    key += fmt::format("\n{}={}", name, fmt::join(texts, "\n"));
  }
  return key;
}

/// The same with what runs before it have made already.
Result<Begun> beginFromCommon(const Model& model, const RunRequest& request,
                              const RunContext& context, StageTeller& teller) {
  const RunShape shape = shapeOf(model, request);
  if (!context.common || shape != RunShape::oneDevice) {
    return begin(model, request, shape, context, teller);
  }
  const auto make = [&]() -> Result<CommonPart> {
    HW_TRY(begun, begin(model, request, shape, context, teller));
    return CommonPart{std::move(begun.task.program), std::move(begun.storage)};
  };
  HW_TRY(part, context.common->get(commonKey(model, request), make));
  HW_TRY(task, taskOf(model, request, shape, part->program));
  teller.skipToPlanning();
  return Begun{std::move(task), part->storage};
}

/// The search for the lowest plan of a program and of the other ways to run it in parts. Ways are
/// planned whose bound is below the lowest plan so far, as far as lower is of use; with several
/// threads also those of which that is not known yet.
class LowestWay {
 public:
  LowestWay(Begun asked, std::optional<Problem> given, const PlanContext& settings)
      : others_(std::exchange(asked.task.program.otherWays, {})),
        asked_(std::move(asked)),
        given_(std::move(given)),
        settings_(settings) {
    if (asked_.task.request.allocator.aimsAt("latency")) others_.clear();
    if (!others_.empty()) task_ = asked_.task;
    plans_.resize(1 + others_.size());
    done_.resize(plans_.size());
    stops_.resize(plans_.size());
  }

  Result<PlannedTask> find(Workers& workers) {
    const std::stop_callback stopAll(settings_.stop, [this] {
      for (std::stop_source& stop : stops_) stop.request_stop();
    });
    workers.run(plans_.size(), [&](std::size_t way) {
      std::unique_lock lock(mutex_);
      if (isUseless(way)) return settle(way, std::nullopt);
      lock.unlock();
      Outcome plan = planOf(way);
      lock.lock();
      settle(way, std::move(plan));
    });
    return std::move(*lowest_);
  }

 private:
  using Outcome = std::optional<Result<PlannedTask>>;

  /// True if the plan of `way` cannot be lower, whatever comes of the ways that are not settled.
  bool isUseless(std::size_t way) const {
    if (way == 0 || !lowest_) return false;
    if (!*lowest_ || settings_.stop.stop_requested()) return true;
    const PlannedTask& lowest = **lowest_;
    const Bytes least = std::max(others_[way - 1].tiles->peak, task_.request.tileTo);
    // One that fits may be higher than one that does not and came first.
    return lowest.planned.plan.footprint() <= least && (lowest.fits() || settled_ == way);
  }

  Outcome planOf(std::size_t way) {
    PlanContext settings = settings_;
    settings.stop = stops_[way].get_token();
    if (way == 0) {
      return planTask(std::move(asked_.task), std::move(asked_.storage), std::move(given_),
                      settings);
    }
    Task task = task_;
    task.program = others_[way - 1];
    Storage storage = storageOf(task);
    return planTask(std::move(task), std::move(storage), std::nullopt, settings);
  }

  /// Takes plans in the order of their ways, so that it does not matter which came first.
  void settle(std::size_t way, Outcome plan) {
    plans_[way] = std::move(plan);
    done_[way] = true;
    for (; settled_ < plans_.size() && done_[settled_]; ++settled_) {
      Outcome next = std::exchange(plans_[settled_], std::nullopt);
      if (next && !isUseless(settled_) && replaces(*next)) lowest_ = std::move(next);
    }
    for (std::size_t later = settled_; later < plans_.size(); ++later) {
      if (isUseless(later)) stops_[later].request_stop();
    }
  }

  /// True if `rival` is lower than the lowest so far. An error always replaces it.
  bool replaces(const Result<PlannedTask>& rival) const {
    if (!lowest_ || !rival) return true;
    const PlannedTask& lowest = **lowest_;
    if (rival->fits() != lowest.fits()) return rival->fits();
    return rival->planned.plan.footprint() < lowest.planned.plan.footprint();
  }

  std::vector<Program> others_;
  Begun asked_;
  Task task_;  ///< Of the other ways, each with its own program in place of this one.
  std::optional<Problem> given_;
  const PlanContext& settings_;
  std::vector<Outcome> plans_;           ///< By way, until they are settled.
  std::vector<bool> done_;               ///< By way: planned, or of no use.
  std::vector<std::stop_source> stops_;  ///< By way: ends its planning.
  std::mutex mutex_;
  std::size_t settled_ = 0;  ///< The number of settled ways, which are the first.
  Outcome lowest_{};         ///< The lowest plan of these, or the first error.
};

/// The choices of `info` that are held against the fastest plan of one device: none but where it
/// plans all devices, or around the model's own plan.
std::vector<AllocatorChoice> rivalsOf(const AllocatorInfo& info, const Graph& graph,
                                      std::size_t stays) {
  if (info.way == Way::embedded && hasOwnPlan(graph)) return {{.info = &info}};
  std::vector<AllocatorChoice> rivals;
  if (info.way != Way::perDevice) return rivals;
  const ParamSpec& param = info.params.front();
  for (const AllocatorInfo& nested : allocatorCatalog()) {
    const bool asked = nested.way == Way::direct && !nested.isSearch && stays <= kFewStays;
    if (!asked && nested.name != param.fallback) continue;
    rivals.push_back(
        AllocatorChoice::parse(fmt::format("{}:{}={}", info.name, param.name, nested.name))
            .value());
  }
  return rivals;
}

/// Both do all that was asked for, or leave the same of it.
bool doTheSame(const Task& a, const Task& b) {
  return a.program.layout.has_value() == b.program.layout.has_value() &&
         a.program.repeats.has_value() == b.program.repeats.has_value() &&
         a.program.tiles.has_value() == b.program.tiles.has_value() &&
         batchesOf(*a.program.graph) == batchesOf(*b.program.graph) &&
         a.request.weights.near() == b.request.weights.near() && a.inputsFar() == b.inputsFar() &&
         a.outputsFar() == b.outputsFar() && a.sharing.planInputs == b.sharing.planInputs;
}

/// Tells how the plan of another way compares with that of the first device, if that fits.
std::string wayNote(const AllocatorChoice& way, SimTime latency, std::optional<SimTime> before) {
  return fmt::format("planned by {}: {}, where {}", way.text(), formatTime(latency),
                     before ? "the fastest plan of one device takes " + formatTime(*before)
                            : "no plan of one device that was found fits");
}

struct FastestPlan {
  PlannedTask plan{};
  SimTime latency = kMaxTime;          ///< kMaxTime where it does not fit.
  std::optional<SimTime> oneDevice{};  ///< Of the plan of one device, if that fits.
};

/// Replaces `fastest` by the fastest plan of `rivals`, if that is faster and does the same. They
/// are choices of one allocator, so what comes before planning is the same for all of them.
void addRivals(const Model& model, RunRequest request, std::vector<AllocatorChoice> rivals,
               const RunContext& context, FastestPlan& fastest) {
  std::erase_if(rivals, [&](const AllocatorChoice& rival) {
    request.allocator = rival;
    return !checkRequest(model, request);
  });
  if (rivals.empty()) return;
  request.allocator = rivals.front();
  StageTeller silent({});
  const auto begun = begin(model, request, shapeOf(model, request), context, silent);
  if (!begun) return;
  for (const AllocatorChoice& rival : rivals) {
    if (context.stop.stop_requested()) return;
    Task task = begun->task;
    request.allocator = task.request.allocator = rival;
    auto plan =
        planTask(std::move(task), begun->storage, std::nullopt, planSettings(request, context, {}));
    if (!plan || !plan->fits() || !doTheSame(plan->task, fastest.plan.task)) continue;
    const SimTime latency = latencyOf(plan->simulated());
    if (latency >= fastest.latency) continue;
    plan->planned.plan.notes.push_back(wayNote(rival, latency, fastest.oneDevice));
    fastest.plan = *std::move(plan);
    fastest.latency = latency;
  }
}

/// `first`, or the plan of another way that is faster and does the same.
PlannedTask fastestWay(const Model& model, const RunRequest& asked, PlannedTask first,
                       const RunContext& context) {
  if (!asked.allocator.aimsAt("latency") || model.problem) return first;
  FastestPlan fastest{.plan = std::move(first)};
  if (fastest.plan.fits()) {
    fastest.oneDevice = fastest.latency = latencyOf(fastest.plan.simulated());
  }
  const std::size_t stays = fastest.plan.planned.problem.stays.size();
  for (const AllocatorInfo& info : allocatorCatalog()) {
    addRivals(model, asked, rivalsOf(info, *model.graph, stays), context, fastest);
  }
  return std::move(fastest.plan);
}

/// `given` is the problem of a model that is one.
Result<std::shared_ptr<const Run>> carryOut(std::shared_ptr<const Model> model,
                                            std::optional<Problem> given, const RunRequest& request,
                                            const RunContext& context) {
  StageTeller teller(context);
  HW_TRY(begun, beginFromCommon(*model, request, context, teller));
  const PlanContext settings = planSettings(request, context, teller.next());
  const auto start = std::chrono::steady_clock::now();
  Workers alone(1);
  HW_TRY(lowest, LowestWay(std::move(begun), std::move(given), settings)
                     .find(context.common ? context.common->workers() : alone));
  PlannedTask done = fastestWay(*model, request, std::move(lowest), context);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  if (context.stop.stop_requested()) return fail(ErrorCode::stopped, "the run was stopped");
  Simulation simulation;
  if (context.simulate) {
    SimulationInput input = done.simulated();
    input.goOn = [&, tell = teller.next()](double part) {
      if (tell) tell(part, "simulating");
      return !context.stop.stop_requested();
    };
    simulation = simulate(input);
    if (context.stop.stop_requested()) return fail(ErrorCode::stopped, "the run was stopped");
  }
  auto& [task, storage, planned, partition, account] = done;
  PlanMetrics metrics = done.measured();
  auto notes = notesOf(request, done);
  auto timeline = describe(simulation.trace.events(), planned.problem.pools.size());
  // A graph that nobody rewrote is the model's.
  auto graph = std::move(task.program.graph);
  if (graph == model->graph) graph = nullptr;
  teller.done();
  return std::make_shared<const Run>(Run{.model = std::move(model),
                                         .request = request,
                                         .rewritten = std::move(graph),
                                         .sharing = task.sharing,
                                         .schedule = std::move(task.program.schedule),
                                         .order = task.program.order,
                                         .storage = std::move(storage),
                                         .partition = std::move(partition),
                                         .partitionAccount = std::move(account),
                                         .problem = std::move(planned.problem),
                                         .plan = std::move(planned.plan),
                                         .metrics = std::move(metrics),
                                         .inputsFar = task.inputsFar(),
                                         .outputsFar = task.outputsFar(),
                                         .timing = std::move(simulation.timing),
                                         .trace = std::move(simulation.trace),
                                         .timeline = std::move(timeline),
                                         .planSeconds = seconds.count(),
                                         .notes = std::move(notes)});
}

}  // namespace

std::span<const RunStage> stageCatalog() { return allStages(); }

Result<Program> rewrittenProgram(const Model& model, const RunRequest& request,
                                 const RunContext& context) {
  StageTeller teller({});
  HW_TRY(begun, beginFromCommon(model, request, context, teller));
  return std::move(begun.task.program);
}

std::string Run::stayName(StayId id) const { return displayName(graph(), stayTensor(id)); }

TensorId Run::stayTensor(StayId id) const { return storage.rootOf(problem.stays[id].buffer); }

Result<std::shared_ptr<const Run>> execute(std::shared_ptr<const Model> model,
                                           const RunRequest& request, const RunContext& context) {
  HW_DO(checkRequest(*model, request));
  std::optional<Problem> given = model->problem;
  const RunRequest asked = given ? onOwnPools(*given, request) : request;
  return carryOut(std::move(model), std::move(given), asked, context);
}

Result<std::shared_ptr<const Run>> executeOnce(Model model, const RunRequest& request,
                                               const RunContext& context) {
  HW_DO(checkRequest(model, request));
  std::optional<Problem> given;
  if (model.problem) given = std::exchange(*model.problem, Problem());
  const RunRequest asked = given ? onOwnPools(*given, request) : request;
  return carryOut(std::make_shared<const Model>(std::move(model)), std::move(given), asked,
                  context);
}

void play(Run& run) {
  Simulation simulation =
      simulate({.graph = run.graph(),
                .schedule = run.schedule,
                .storage = run.storage,
                .problem = run.problem,
                .plan = run.plan,
                .platform = run.request.platform,
                .streamWeights = run.request.weights.rule != WeightRule::free,
                .partition = run.partition.deviceOf.empty() ? nullptr : &run.partition,
                .inputsFar = run.inputsFar,
                .outputsFar = run.outputsFar});
  run.timing = std::move(simulation.timing);
  run.trace = std::move(simulation.trace);
  run.timeline = describe(run.trace.events(), run.problem.pools.size());
}

std::shared_ptr<const Run> replayed(const Run& run, Platform platform) {
  auto other = std::make_shared<Run>(run);
  other->request.platform = std::move(platform);
  if (!other->timing.ops.empty()) play(*other);
  return other;
}

std::shared_ptr<const Run> replanned(const Run& run, Plan plan, RunRequest request) {
  auto other = std::make_shared<Run>(run);
  if (request.l2.kind == PoolSize::Kind::bytes) {
    other->problem.pools[PoolId(0)].capacity = request.l2.bytes;
  }
  other->request = std::move(request);
  other->plan = finishPlan(other->problem, std::move(plan));
  other->metrics = measure(other->problem, other->plan);
  other->planSeconds = 0;
  if (!other->timing.ops.empty()) play(*other);
  return other;
}

}  // namespace hw
