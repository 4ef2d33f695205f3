#include "core/run/run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/base/text.h"
#include "core/machine/memory_model.h"
#include "core/machine/platforms.h"
#include "core/ops/row_walk.h"
#include "core/order/least_peak.h"
#include "core/rewrite/set_aside.h"
#include "core/run/check_request.h"
#include "core/run/embedded.h"
#include "core/run/first_device.h"
#include "core/run/moved_partition.h"
#include "core/run/options.h"
#include "core/run/overlaid.h"
#include "core/storage/aliasing.h"
#include "core/tile/tile.h"

namespace hw {
namespace {

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

/// Its blocks belong to devices, and not to one problem.
bool isSpread(const RunRequest& request, const Model& model) {
  return request.allocator.info->way == Way::perDevice && !model.problem;
}

/// Buffers move between all its devices.
bool movesOnDevices(const RunRequest& request, const Model& model) {
  return isSpread(request, model) && request.residency != ResidencyRule::wholeLife &&
         movesOnAll(request.platform);
}

/// How tensors share, whatever their order.
StorageOptions sharingOf(const Model& model, const RunRequest& request) {
  StorageOptions sharing{.alias = request.alias,
                         .planInputs = request.planInputs && request.allocator.info->plansInputs,
                         .planOutputs = request.planOutputs,
                         .alignment = alignmentOf(model, request)};
  if (isSpread(request, model)) sharing.homes = homesOf(*model.graph, request.platform);
  return sharing;
}

/// The same where buffers move between devices: each is one tensor.
StorageOptions movedSharingOf(const Model& model, const RunRequest& request) {
  StorageOptions sharing = sharingOf(model, request);
  if (!movesOnDevices(request, model)) return sharing;
  sharing.alias = AliasRules::none();
  sharing.homes = {};
  return sharing;
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

/// Problems, and plans over several devices or of the model's own, do not run in parts.
bool staysWhole(const Model& model, const RunRequest& request) {
  return model.problem || isSpread(request, model) || followsModel(request, model);
}

/// The op's output may lie so near its input, by rows, that it takes fewer bytes than scratch.
bool overlapsNearer(const Graph& graph, const Op& op, const RunRequest& request) {
  const auto scratch = channelScratch(graph, op);
  const auto walk = rowWalkOf(graph, op);
  const auto& units = request.platform.devices.front().units;
  const auto unit = std::ranges::find_if(
      units, [&](const UnitSpec& each) { return coversOp(each.ops, op.type); });
  if (!scratch || !walk || unit == units.end()) return false;
  const RowDistances least = rowDistances(*walk);
  return (unit->kernels.forward && least.up < *scratch) ||
         (unit->kernels.reverse && least.down < *scratch);
}

/// First of all: what comes behind it need not know that the model said otherwise.
Result<Program> relay(Program program, const Rewriting& rewriting) {
  if (!rewriting.request.channelsLast || staysWhole(rewriting.model, rewriting.request)) {
    return program;
  }
  HW_TRY(relaid, channelsLast(program.graph));
  if (relaid.graph != program.graph) program.schedule = givenOrder(*relaid.graph);
  program.graph = std::move(relaid.graph);
  program.layout = std::move(relaid.account);
  return program;
}

/// Early, so that all that looks for fewer bytes knows what work in place costs.
Result<Program> setAside(Program program, const Rewriting& rewriting) {
  const RunRequest& request = rewriting.request;
  if (!rewriting.sharing.alias.inPlace || staysWhole(rewriting.model, request)) return program;
  const bool whole = request.tile == TileRule::off && !request.inputRows && !request.recompute;
  const bool overlaps = request.overlap && request.allocator.info->overlaps && whole;
  const std::shared_ptr<const Graph> graph = program.graph;
  HW_TRY(set, scratchSetAside(graph, [&](OpId op) {
           return !overlaps || !overlapsNearer(*graph, graph->ops[op], request);
         }));
  program.graph = std::move(set);
  return program;
}

Result<Program> repeat(Program program, const Rewriting& rewriting) {
  const RunRequest& request = rewriting.request;
  if (!request.recompute || staysWhole(rewriting.model, request)) return program;
  HW_TRY(repeats, recomputed(program.graph, std::move(program.schedule), rewriting.sharing,
                             request.extraWork, rewriting.stop));
  program.graph = std::move(repeats.graph);
  program.schedule = std::move(repeats.schedule);
  program.repeats = std::move(repeats.account);
  return program;
}

/// What parts may do more than once, as a share of the work of a program some of whose ops run
/// again already.
double extraWorkLeft(const RunRequest& request, const Program& program) {
  if (!program.repeats || program.repeats->work <= 0) return request.extraWork;
  const auto work = static_cast<double>(program.repeats->work);
  const auto done = static_cast<double>(program.repeats->extra);
  return std::max(0.0, request.extraWork * work - done) / (work + done);
}

Result<Program> tile(Program program, const Rewriting& rewriting) {
  const RunRequest& request = rewriting.request;
  if (request.tile == TileRule::off && !request.inputRows) return program;
  if (staysWhole(rewriting.model, request)) return program;
  HW_TRY(ways, tiledWays(program.graph, program.schedule, rewriting.sharing,
                         {.rule = request.tile,
                          .arriving = request.inputRows,
                          .extraWork = extraWorkLeft(request, program),
                          .enough = request.tileTo},
                         rewriting.stop));
  // A narrower rule has one plan, as it always had.
  if (request.tile != TileRule::any) ways.resize(1);
  std::vector<Program> programs;
  for (TiledProgram& way : ways) {
    Program& inParts = programs.emplace_back(program);
    inParts.graph = std::move(way.graph);
    inParts.schedule = std::move(way.schedule);
    inParts.tiles = std::move(way.account);
  }
  Program first = std::move(programs.front());
  first.otherWays.assign(std::move_iterator(programs.begin() + 1),
                         std::move_iterator(programs.end()));
  return first;
}

constexpr RunStage kStages[] = {{"laying out images", 0, relay},
                                {"setting scratch aside", 0.002, setAside},
                                {"ordering operators", 0.005, reorder},
                                {"running operators again", 0.03, repeat},
                                {"cutting into parts", 0.05, tile},
                                {"sharing storage", 0.07},
                                {"planning", 0.1},
                                {"simulating", 0.7}};

/// Tells of the stages of a run, one after the other.
class StageTeller {
 public:
  explicit StageTeller(const RunContext& context) : tell_(context.progress) {}

  /// The next stage begins. Its own fractions, told to the result, become fractions of the run.
  std::function<void(double, const std::string&)> next() {
    if (!tell_) return {};
    const RunStage& stage = kStages[at_++];
    const double end = at_ < std::size(kStages) ? kStages[at_].begins : 1;
    tell_(stage.begins, std::string(stage.name));
    return [tell = tell_, begin = stage.begins, end](double fraction, const std::string& what) {
      tell(begin + fraction * (end - begin), what);
    };
  }
  /// The stages up to sharing storage are over, whoever went through them.
  void skipToPlanning() {
    at_ = 0;
    while (kStages[at_].rewrite) ++at_;
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
  for (const RunStage& stage : kStages) {
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
  prepared.sharing = movedSharingOf(model, request);
  if (prepared.spread) prepared.blockSharing = sharingOf(model, request);
  const bool several = request.platform.devices.front().pools.size() > 1;
  if (prepared.method().way == Way::direct && !model.problem && several) {
    prepared.residency = request.residency;
    prepared.weightsNear = request.weights.near();
    const bool stays = !prepared.moves();
    prepared.inputsLoaded = stays && request.loadInputs && prepared.sharing.planInputs;
    prepared.outputsStored = stays && request.storeOutputs;
  }
  if (movesOnDevices(request, model)) {
    prepared.residency = request.residency;
    prepared.weightsNear = request.weights.near();
  }
  if (!followsModel(request, model) || model.problem) return prepared;
  HW_TRY(rules, ownAlias(*prepared.program.graph, prepared.program.schedule, prepared.sharing));
  prepared.sharing.alias = rules;
  return prepared;
}

/// A run before it is planned.
struct Begun {
  Prepared prepared;
  Storage storage{};
};

Result<Begun> begin(const Model& model, const RunRequest& request, const RunContext& context,
                    StageTeller& teller) {
  const StorageOptions sharing = movedSharingOf(model, request);
  HW_TRY(program, rewritten(model, {model, request, sharing, context.stop}, teller));
  HW_TRY(prepared, prepare(model, std::move(program), request));
  teller.next();
  Storage storage = model.problem ? Storage() : storageOf(prepared);
  return Begun{std::move(prepared), std::move(storage)};
}

/// All that `begin` looks at, of runs on one device that do not follow the model's own plan.
std::string commonKey(const Model& model, const RunRequest& request) {
  const StorageOptions sharing = sharingOf(model, request);
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
  const bool alone = model.problem || isSpread(request, model) || followsModel(request, model);
  if (!context.common || alone) return begin(model, request, context, teller);
  const auto make = [&]() -> Result<CommonPart> {
    HW_TRY(begun, begin(model, request, context, teller));
    return CommonPart{std::move(begun.prepared.program), std::move(begun.storage)};
  };
  HW_TRY(part, context.common->get(commonKey(model, request), make));
  HW_TRY(prepared, prepare(model, part->program, request));
  teller.skipToPlanning();
  return Begun{std::move(prepared), part->storage};
}

/// A program with its plan.
struct PlannedWay {
  Prepared prepared;
  Answer answer;

  Bytes bytes() const {
    Bytes sum;
    for (const PoolId pool : answer.planned.problem.pools.keys()) {
      sum += answer.planned.plan.footprint(pool);
    }
    return sum;
  }
  bool fits() const { return hw::fits(answer.planned.problem, answer.planned.plan); }
};

/// `first`, or that of the other ways whose plan is lower. Only those are planned whose bound is
/// below the lowest plan so far, as far as lower is of use.
Result<PlannedWay> lowestWay(const Model& model, PlannedWay first, std::vector<Program> others,
                             const PlanContext& settings) {
  const RunRequest& request = first.prepared.request;
  std::optional<PlannedWay> lowest = std::move(first);
  if (request.allocator.text().find("for=latency") != std::string::npos) return *std::move(lowest);
  for (Program& other : others) {
    if (settings.stop.stop_requested()) break;
    if (lowest->bytes() <= std::max(other.tiles->peak, request.tileTo)) continue;
    HW_TRY(prepared, prepare(model, std::move(other), request));
    HW_TRY(answer, planFirstDevice(prepared, storageOf(prepared), std::nullopt, settings));
    PlannedWay rival{std::move(prepared), std::move(answer)};
    const bool lower =
        rival.fits() == lowest->fits() ? rival.bytes() < lowest->bytes() : rival.fits();
    if (lower) lowest.emplace(std::move(rival));
  }
  return *std::move(lowest);
}

/// `given` is the problem of a model that is one.
Result<std::shared_ptr<const Run>> carryOut(std::shared_ptr<const Model> model,
                                            std::optional<Problem> given, const RunRequest& request,
                                            const RunContext& context) {
  StageTeller teller(context);
  HW_TRY(begun, beginFromCommon(*model, request, context, teller));
  auto& [firstWay, storage] = begun;
  auto otherWays = std::exchange(firstWay.program.otherWays, {});
  const PlanContext settings = planSettings(request, context, teller.next());
  const auto start = std::chrono::steady_clock::now();
  HW_TRY(planned, planFirstDevice(firstWay, std::move(storage), std::move(given), settings));
  HW_TRY(way, lowestWay(*model, {std::move(firstWay), std::move(planned)}, std::move(otherWays),
                        settings));
  auto& [prepared, answer] = way;
  prepared.endsNear = answer.blocks;
  if (answer.blocks) prepared.sharing = prepared.blockSharing;
  prepared.weightsNear = prepared.weightsNear && !answer.blocks;
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  if (context.stop.stop_requested()) return fail(ErrorCode::stopped, "the run was stopped");
  Simulation simulation;
  if (context.simulate) {
    simulation = simulated(prepared, answer, [&, tell = teller.next()](double done) {
      if (tell) tell(done, "simulating");
      return !context.stop.stop_requested();
    });
    if (context.stop.stop_requested()) return fail(ErrorCode::stopped, "the run was stopped");
  }
  PlanMetrics metrics = measured(prepared, answer);
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

std::span<const RunStage> stageCatalog() { return kStages; }

Result<Program> rewrittenProgram(const Model& model, const RunRequest& request,
                                 const std::stop_token& stop) {
  StageTeller teller({});
  return rewritten(model, {model, request, movedSharingOf(model, request), stop}, teller);
}

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
