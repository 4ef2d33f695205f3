#include "core/run/run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/base/text.h"
#include "core/order/least_peak.h"
#include "core/run/embedded.h"
#include "core/run/first_device.h"
#include "core/run/moved_partition.h"
#include "core/run/partitioned.h"

namespace hw {
namespace {

constexpr Bytes kDefaultAlignment{64};

bool followsModel(const RunRequest& request, const Model& model) {
  return request.allocator.info->way == Way::embedded && hasOwnPlan(*model.graph);
}

/// The user's alignment, or the usual one, or what a pool of the platform insists on.
Bytes alignmentOf(const Model& model, const RunRequest& request) {
  const Bytes usual = model.problem                  ? Bytes(1)
                      : followsModel(request, model) ? ownAlignment(*model.graph)
                                                     : kDefaultAlignment;
  Bytes alignment = request.alignment.value_or(usual);
  const DeviceSpec& device = request.platform.devices.front();
  for (std::size_t pool = 0; pool < device.pools.size(); ++pool) {
    if ((pool == 0 ? request.l2 : request.l3).kind != PoolSize::Kind::platform) continue;
    alignment = std::max(alignment, device.pools[pool].alignment);
  }
  return alignment;
}

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
  return {};
}

/// Its blocks belong to devices, and not to one problem.
bool isSpread(const RunRequest& request, const Model& model) {
  return request.allocator.info->way == Way::perDevice && !model.problem;
}

/// How tensors share storage, as far as that does not depend on their order; blocks of execution
/// units hold whole tensors.
StorageOptions sharingOf(const Model& model, const RunRequest& request) {
  return {.alias = isSpread(request, model) ? AliasRules::none() : request.alias,
          .planInputs = request.planInputs && request.allocator.info->plansInputs,
          .planOutputs = request.planOutputs,
          .alignment = alignmentOf(model, request)};
}

Result<Program> reorder(Program program, const Rewriting& rewriting) {
  const Graph& graph = *program.graph;
  const RunRequest& request = rewriting.request;
  if (request.order != OpOrder::given && !graph.ops.empty()) {
    FoundOrder found = orderOf(graph, request.order, rewriting.sharing, rewriting.stop);
    program.schedule = std::move(found.schedule);
    program.order = found.account;
  }
  HW_TRY(schedule, movedOrder(graph, request.moves, std::move(program.schedule)));
  program.schedule = std::move(schedule);
  return program;
}

constexpr Stage kStages[] = {{"ordering operators", 0, reorder},
                             {"sharing storage", 0.05},
                             {"planning", 0.1},
                             {"simulating", 0.7}};

/// Tells of the stages of a run, one after the other.
class StageTeller {
 public:
  explicit StageTeller(const RunContext& context) : tell_(context.progress) {}

  /// The next stage begins. Its own fractions, told to the result, become fractions of the run.
  std::function<void(double, const std::string&)> next() {
    if (!tell_) return {};
    const Stage& stage = kStages[at_++];
    const double end = at_ < std::size(kStages) ? kStages[at_].begins : 1;
    tell_(stage.begins, std::string(stage.name));
    return [tell = tell_, begin = stage.begins, end](double fraction, const std::string& what) {
      tell(begin + fraction * (end - begin), what);
    };
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
  for (const Stage& stage : kStages) {
    if (!stage.rewrite || !program) break;
    teller.next();
    program = stage.rewrite(*std::move(program), rewriting);
  }
  return program;
}

/// A model's own plan decides who shares memory.
Result<Prepared> prepare(const Model& model, Program program, const RunRequest& request) {
  Prepared prepared{.request = request, .program = std::move(program)};
  prepared.spread = isSpread(request, model);
  prepared.sharing = sharingOf(model, request);
  const bool several = request.platform.devices.front().pools.size() > 1;
  if (prepared.method().way == Way::direct && !model.problem && several) {
    prepared.residency = request.residency;
    prepared.weightsNear = request.weights.near();
    const bool stays = !prepared.moves();
    prepared.inputsLoaded = stays && request.loadInputs && prepared.sharing.planInputs;
    prepared.outputsStored = stays && request.storeOutputs;
  }
  if (prepared.spread && movesOnAll(request.platform)) prepared.residency = request.residency;
  if (!followsModel(request, model)) return prepared;
  HW_TRY(rules, ownAlias(*prepared.program.graph, prepared.program.schedule, prepared.sharing));
  prepared.sharing.alias = rules;
  return prepared;
}

/// A block per execution unit, on every device.
Result<Answer> planDevices(const Prepared& prepared, Storage storage, const PlanContext& settings) {
  const auto& [graph, schedule, order] = prepared.program;
  HW_TRY(plan, planPartitioned(*graph, schedule, storage, prepared.request,
                               prepared.sharing.alignment, settings));
  return Answer{std::move(storage), std::move(plan.planned), std::move(plan.partition),
                std::move(plan.account)};
}

/// Why buffers are not moved although a rule was asked for.
std::string whyNothingMoves(const Prepared& prepared) {
  const Platform& platform = prepared.request.platform;
  if (prepared.spread) {
    return fmt::format(
        "the devices of platform '{}' share no memory behind those of their own, through which "
        "buffers could go",
        printable(platform.name));
  }
  if (prepared.method().way == Way::embedded) {
    return "the model's own plan gives each one place for its whole life";
  }
  if (platform.devices.front().pools.size() < 2) {
    return fmt::format("device '{}' of platform '{}' has one memory",
                       printable(platform.devices.front().name), printable(platform.name));
  }
  return "a planning problem does not say which operators touch what, so nothing can be moved in "
         "time for them";
}

void addFetchNotes(const Prepared& prepared, std::vector<std::string>& notes) {
  const WeightChoice& weights = prepared.request.weights;
  if (weights.near() && !prepared.weightsNear) {
    notes.emplace_back(
        "weights are streamed: they come near for a graph on one device with two memories or more");
  } else if (weights.rule == WeightRule::resident) {
    notes.emplace_back(
        "resident weights are loaded once and hold their bytes for the whole run; weights that "
        "take neither bytes nor time, which is what this word meant once, are now called free");
  }
  const bool moves = prepared.inputsLoaded || prepared.outputsStored || prepared.moves();
  if ((prepared.request.loadInputs || prepared.request.storeOutputs) && !moves) {
    notes.emplace_back(
        "graph inputs and outputs are where they are planned from the first step to the last: they "
        "are loaded and stored for a graph on one device with two memories or more");
  }
}

/// What a user should know of all that.
std::vector<std::string> notesOf(const Prepared& prepared, const Answer& answer) {
  const RunRequest& request = prepared.request;
  std::vector<std::string> notes;
  if (prepared.program.order) {
    notes.push_back(orderText(request.order, *prepared.program.order));
  } else if (request.order != OpOrder::given) {
    notes.emplace_back("a planning problem has no operators to put in another order");
  }
  std::vector<std::string> moves;
  for (const OpMove& move : request.moves) moves.push_back(moveText(move));
  if (!moves.empty()) {
    notes.push_back(
        fmt::format("the order of the operators is not the model's: {}", fmt::join(moves, ", ")));
  }
  const auto& devices = request.platform.devices;
  if (prepared.spread && request.alias != AliasRules::none()) {
    notes.emplace_back(prepared.moves()
                           ? "views are off: over several devices every buffer is one tensor"
                           : "views are off: the blocks of execution units hold whole tensors");
  }
  if (request.planInputs && !prepared.sharing.planInputs &&
      !prepared.program.graph->inputs.empty()) {
    notes.push_back(fmt::format("{} gives graph inputs no place: they live outside the arena",
                                prepared.method().name));
  }
  if (devices.size() > 1 && !prepared.spread) {
    notes.push_back(fmt::format("platform '{}' has {} devices; everything runs on '{}'",
                                request.platform.name, devices.size(), devices.front().name));
  }
  if (prepared.residency != request.residency) {
    notes.push_back("every buffer stays where it is: " + whyNothingMoves(prepared));
  }
  if (answer.storage.raise > Bytes()) {
    notes.push_back(
        fmt::format("slices are shared as published, which raises the lower bound by {} bytes",
                    groupDigits(answer.storage.raise.count())));
  }
  addFetchNotes(prepared, notes);
  if (!answer.storage.unsized.empty()) {
    notes.push_back(
        fmt::format("{} tensors have no known size and are left out: every total "
                    "is at least what is shown",
                    answer.storage.unsized.size()));
  }
  if (prepared.method().way != Way::embedded) return notes;
  const auto& stays = answer.planned.problem.stays;
  const auto pinned =
      std::ranges::count_if(stays, [](const Stay& s) { return s.pinned.has_value(); });
  notes.push_back(
      pinned == 0
          ? "the model brings no plan of its own: everything is placed largest first"
          : fmt::format("the model's own plan places {} of {} buffers", pinned, stays.size()));
  return notes;
}

/// `given` is the problem of a model that is one.
Result<std::shared_ptr<const Run>> carryOut(std::shared_ptr<const Model> model,
                                            std::optional<Problem> given, const RunRequest& request,
                                            const RunContext& context) {
  StageTeller teller(context);
  const StorageOptions sharing = sharingOf(*model, request);
  HW_TRY(program, rewritten(*model, {request, sharing, context.stop}, teller));
  HW_TRY(prepared, prepare(*model, std::move(program), request));
  teller.next();
  Storage storage = given ? Storage() : storageOf(prepared);
  const PlanContext settings = planSettings(request, context, teller.next());
  const auto start = std::chrono::steady_clock::now();
  HW_TRY(answer, prepared.spread && !prepared.moves()
                     ? planDevices(prepared, std::move(storage), settings)
                     : planFirstDevice(prepared, std::move(storage), std::move(given), settings));
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  if (context.stop.stop_requested()) return fail(ErrorCode::stopped, "the run was stopped");
  Simulation simulation;
  if (context.simulate) {
    teller.next();
    simulation = simulated(prepared, answer);
  }
  PlanMetrics metrics = measure(answer.planned.problem, answer.planned.plan);
  auto notes = notesOf(prepared, answer);
  auto timeline = describe(simulation.trace.events(), answer.planned.problem.pools.size());
  // A graph that nobody rewrote is the model's.
  auto graph = std::move(prepared.program.graph);
  if (graph == model->graph) graph = nullptr;
  teller.done();
  return std::make_shared<const Run>(Run{.model = std::move(model),
                                         .request = request,
                                         .rewritten = std::move(graph),
                                         .sharing = prepared.sharing,
                                         .schedule = std::move(prepared.program.schedule),
                                         .order = prepared.program.order,
                                         .storage = std::move(answer.storage),
                                         .partition = std::move(answer.partition),
                                         .partitionAccount = std::move(answer.account),
                                         .problem = std::move(answer.planned.problem),
                                         .plan = std::move(answer.planned.plan),
                                         .metrics = std::move(metrics),
                                         .inputsFar = prepared.inputsFar(),
                                         .outputsFar = prepared.outputsFar(),
                                         .timing = std::move(simulation.timing),
                                         .trace = std::move(simulation.trace),
                                         .timeline = std::move(timeline),
                                         .planSeconds = seconds.count(),
                                         .notes = std::move(notes)});
}

}  // namespace

std::span<const Stage> stageCatalog() { return kStages; }

std::string Run::stayName(StayId id) const { return displayName(graph(), stayTensor(id)); }

TensorId Run::stayTensor(StayId id) const { return storage.rootOf(problem.stays[id].buffer); }

Result<std::shared_ptr<const Run>> execute(std::shared_ptr<const Model> model,
                                           const RunRequest& request, const RunContext& context) {
  HW_DO(checkRequest(*model, request));
  std::optional<Problem> given = model->problem;
  return carryOut(std::move(model), std::move(given), request, context);
}

Result<std::shared_ptr<const Run>> executeOnce(Model model, const RunRequest& request,
                                               const RunContext& context) {
  HW_DO(checkRequest(model, request));
  std::optional<Problem> given;
  if (model.problem) given = std::exchange(*model.problem, Problem());
  return carryOut(std::make_shared<const Model>(std::move(model)), std::move(given), request,
                  context);
}

}  // namespace hw
