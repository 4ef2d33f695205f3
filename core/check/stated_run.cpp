#include "core/check/stated_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/allocators/allocator.h"
#include "core/base/text.h"
#include "core/check/plan_audit.h"
#include "core/machine/platforms.h"
#include "core/plan/validate.h"
#include "core/plan_file/plan_reader.h"
#include "core/run/options.h"
#include "core/run/overlaid.h"
#include "core/run/planner.h"

namespace hw {
namespace {

constexpr std::string_view kTableName = "plan file";
constexpr std::string_view kFileRow = "file";
constexpr std::string_view kMakerRow = "made by";

bool isOthersPlan(std::string_view bytes) {
  const ImporterInfo* importer = importerOf(bytes);
  return importer != nullptr && importer->othersPlan;
}

/// A file may name files of its own: those are never opened.
bool opensFiles(const RunOption& option, const std::vector<std::string>& texts) {
  return std::ranges::any_of(texts, [&](const std::string& text) {
    return (option.name == "platform" && isPlatformFile(text)) ||
           (option.name == "allocator" && trimText(text).starts_with("plugin"));
  });
}

/// Request that planned it, by the settings of the file: all that is not there is as it usually is.
Result<RunRequest> settingsOf(const PlanDocument& document, const RunRequest& asked) {
  if (document.allocator.empty()) return asked;
  RunRequest request = defaultRequest();
  request.model = asked.model;
  request.import = asked.import;
  request.threads = asked.threads;
  if (const auto info = findAllocator(document.allocator)) request.allocator = {.info = *info};
  if (!document.settings.contains("platform")) request.platform = asked.platform;
  for (const auto& [name, texts] : document.settings) {
    const RunOption* option = findOption(name);
    const bool about = option != nullptr && option->group != OptionGroup::model &&
                       option->group != OptionGroup::import;
    if (!about || opensFiles(*option, texts)) continue;
    HW_DO(option->read(texts, request));
  }
  return request;
}

/// Puts what was read into the memories of a machine.
class StatedRun {
 public:
  StatedRun(const Run& read, const PlanDocument& document, RunRequest request)
      : read_(read), document_(document), request_(std::move(request)) {}

  Result<std::shared_ptr<const Run>> on(const std::shared_ptr<const Model>& model,
                                        const std::string& file) {
    const Problem* bare = model->problem ? &*model->problem : nullptr;
    if (bare != nullptr) request_ = onOwnPools(*bare, std::move(request_));
    const auto pools = plannedPools(request_, request_.platform.devices.front(), bare);
    HW_TRY(places, poolsAmong(pools));
    auto run = std::make_shared<Run>(read_);
    run->model = model;
    if (read_.model->graph != model->graph) run->rewritten = read_.model->graph;
    run->sharing.alias = request_.alias;
    run->sharing.planInputs = document_.planInputs.value_or(true);
    run->sharing.planOutputs = document_.planOutputs.value_or(true);
    run->plan.addresses = addressesIn(places);
    run->plan.regions = {};
    run->plan.status = PlanStatus::complete;
    run->problem = problemIn(pools, run->plan);
    for (const PoolId pool : run->problem.pools.keys()) {
      const auto& capacity = run->problem.pools[pool].capacity;
      if (capacity && run->plan.footprint(pool) > *capacity) {
        run->plan.status = PlanStatus::overBudget;
      }
    }
    if (const auto wrong = validate(run->problem, run->plan, 1); !wrong.empty()) {
      return fail(ErrorCode::unsupported, "it cannot be played: " + wrong.front().message);
    }
    run->plan.tables = {tableOf(file)};
    run->plan = finishPlan(run->problem, std::move(run->plan));
    run->notes = {noteOn(file)};
    run->metrics = measure(run->problem, run->plan);
    run->request = embeddedRequest();
    const bool moves = !run->problem.moves.empty();
    run->inputsFar = moves && request_.inputs != InputPlace::near;
    run->outputsFar = moves && request_.outputs != OutputPlace::near;
    play(*run);
    return run;
  }

 private:
  /// Pools of the machine, by those of the file.
  Result<IdMap<PoolId, PoolId>> poolsAmong(const IdMap<PoolId, ProblemPool>& pools) const {
    IdMap<PoolId, std::size_t> used(read_.problem.pools.size(), 0);
    for (const auto& address : read_.plan.addresses) ++used[address->pool];
    const bool one = std::ranges::count(used, std::size_t(0)) + 1 >= std::ssize(used);
    IdMap<PoolId, PoolId> places(read_.problem.pools.size(), PoolId(0));
    for (const PoolId id : read_.problem.pools.keys()) {
      const std::string& name = read_.problem.pools[id].name;
      const auto same = std::ranges::find(pools, name, &ProblemPool::name);
      if (same != pools.end()) {
        places[id] = PoolId(static_cast<std::size_t>(same - pools.begin()));
      } else if (!one && used[id] > 0) {
        return fail(ErrorCode::unsupported,
                    fmt::format("it places tensors in {}, which {} does not have; choose the "
                                "machine that it was made for",
                                printable(name, 40), platformLabel(request_.platform)));
      }
    }
    return places;
  }

  IdMap<StayId, std::optional<Address>> addressesIn(const IdMap<PoolId, PoolId>& places) const {
    auto addresses = read_.plan.addresses;
    for (auto& address : addresses) address->pool = places[address->pool];
    return addresses;
  }

  /// The stays as planners see them; where the file's end before sizes are rounded up to the
  /// alignment, as they are.
  Problem problemIn(const IdMap<PoolId, ProblemPool>& pools, Plan& plan) const {
    Problem problem = read_.problem;
    if (!read_.model->problem) problem = asPlanned(std::move(problem), plan);
    problem.pools = pools;
    const bool chosen = pools.size() > 1 && pools[PoolId(0)].capacity.has_value();
    const bool moves = !problem.moves.empty();
    std::vector<Bytes> ends(pools.size());
    for (const StayId id : problem.stays.keys()) {
      Stay& stay = problem.stays[id];
      const Address& address = *plan.addresses[id];
      stay.pool = chosen || moves ? address.pool : PoolId();
      Bytes& end = ends[address.pool.index()];
      end = std::max(end, address.offset + stay.size);
    }
    for (const Bytes end : ends) plan.regions.add(IdMap<RegionId, Bytes>({end}));
    return problem;
  }

  /// `exact` with what the graph says of releases, of who touches what, and of what may overlap.
  Problem asPlanned(Problem exact, const Plan& plan) const {
    const Graph& graph = *read_.model->graph;
    const Bytes alignment = read_.sharing.alignment;
    Problem usual = makeProblem(graph, read_.schedule, read_.storage, alignment);
    for (Stay& stay : exact.stays) {
      stay.releaseRank = usual.stays[StayId(stay.buffer.index())].releaseRank;
    }
    exact.uses = usual.uses;
    nameNearest(exact);
    const bool oneStayEach = exact.moves.empty() && exact.stays.size() == usual.stays.size();
    if (!oneStayEach) {
      Problem rounded = exact;
      for (Stay& stay : rounded.stays) stay.size = alignUp(stay.size, alignment);
      return isWithin(rounded, plan) ? rounded : exact;
    }
    if (!document_.overlaps.empty()) {
      exact.overlaps = permittedOverlaps(graph, read_.schedule, read_.storage,
                                         request_.platform.devices.front(), alignment);
    }
    for (const StayId id : exact.stays.keys()) usual.stays[id].pool = exact.stays[id].pool;
    usual.overlaps = exact.overlaps;
    usual.pools = exact.pools;
    return isWithin(usual, plan) ? usual : exact;
  }

  /// Uses name buffers so far: each is used in the nearest pool that has it at the step.
  void nameNearest(Problem& problem) const {
    IdMap<BufferId, std::vector<StayId>> stays(read_.storage.buffers.size());
    for (const StayId id : problem.stays.keys()) stays[problem.stays[id].buffer].push_back(id);
    for (StepUses& uses : problem.uses) {
      for (auto* named : {&uses.reads, &uses.writes}) {
        for (StayId& id : *named) {
          StayId nearest;
          for (const StayId each : stays[BufferId(id.index())]) {
            if (!problem.stays[each].steps.contains(uses.step)) continue;
            if (!nearest || problem.stays[each].pool < problem.stays[nearest].pool) nearest = each;
          }
          if (nearest) id = nearest;
        }
      }
    }
  }

  /// True if all of them end where the file says that the pools do.
  bool isWithin(const Problem& problem, const Plan& plan) const {
    return std::ranges::all_of(problem.stays.keys(), [&](StayId id) {
      const PoolId pool = read_.plan.addresses[id]->pool;
      const Bytes end = plan.addresses[id]->offset + problem.stays[id].size;
      const auto stated =
          std::ranges::find(document_.pools, read_.problem.pools[pool].name, &StatedPool::name);
      const bool known = stated != document_.pools.end() && stated->peak;
      return end <= (known ? *stated->peak : read_.plan.footprint(pool));
    });
  }

  std::string noteOn(const std::string& file) const {
    return fmt::format(
        "the plan of {}{}, shown as it is", printable(file, 80),
        document_.allocator.empty() ? "" : ", made by " + printable(request_.allocator.text(), 80));
  }

  MethodTable tableOf(const std::string& file) const {
    MethodTable table{.name = std::string(kTableName),
                      .summary = "what the file says of itself",
                      .columns = {"what", "says"}};
    const auto add = [&](std::string_view what, const std::string& says) {
      if (!says.empty()) addRow(table, {std::string(what), says});
    };
    add(kFileRow, file);
    add(kMakerRow, document_.allocator.empty() ? "" : request_.allocator.text());
    add("status", document_.status);
    add("model", document_.modelName);
    return table;
  }

  RunRequest embeddedRequest() const {
    RunRequest request = request_;
    request.allocator = AllocatorChoice::parse("embedded").value();
    request.alignment = read_.sharing.alignment;
    if (document_.planInputs.value_or(true) != request.plansInputs()) {
      request.inputs = request.plansInputs() ? InputPlace::external : InputPlace::arena;
    }
    if (document_.planOutputs.value_or(true) != request.plansOutputs()) {
      request.outputs = request.plansOutputs() ? OutputPlace::external : OutputPlace::arena;
    }
    return request;
  }

  const Run& read_;
  const PlanDocument& document_;
  RunRequest request_;
};

std::optional<std::string> said(const Run& run, std::string_view what) {
  const auto table = std::ranges::find(run.plan.tables, kTableName, &MethodTable::name);
  if (table == run.plan.tables.end()) return std::nullopt;
  for (const auto& row : table->rows) {
    const auto* name = std::get_if<std::string>(&row.front());
    const auto* says = std::get_if<std::string>(&row.back());
    if (name != nullptr && says != nullptr && *name == what) return *says;
  }
  return std::nullopt;
}

}  // namespace

bool holdsPlan(std::string_view bytes) {
  const ImporterInfo* importer = importerOf(bytes);
  if (importer == nullptr) return false;
  const std::string_view format = importer->name;
  if (format == "problem-csv") {
    const std::string_view header = bytes.substr(0, bytes.find('\n'));
    return header.find("offset") != std::string_view::npos;
  }
  if (format == "plan-json" || importer->othersPlan) return true;
  // Any other JSON passes for a graph; a plan of somebody else may say nothing but who is where.
  constexpr std::size_t kLookedAt = std::size_t{1024} * 1024;
  const std::string_view text = bytes.substr(0, kLookedAt);
  return format == "graph-json" && text.find("\"placements\"") != std::string_view::npos &&
         text.find("\"ops\"") == std::string_view::npos;
}

Result<PlanDocument> placesOf(const Model& model) {
  auto theirs = embeddedPlan(model);
  if (!theirs) return fail(ErrorCode::malformed, "the file places none of its buffers");
  PlanDocument plan{.alignment = theirs->alignment};
  for (Placement& placement : theirs->placements) {
    plan.placements.push_back({.tensor = std::move(placement.tensor),
                               .pool = placement.pool,
                               .offset = placement.offset,
                               .size = placement.size,
                               .aliasOf = std::move(placement.aliasOf)});
  }
  return plan;
}

Result<PlanDocument> readHeldPlan(std::string_view bytes, const std::string& path) {
  if (!isOthersPlan(bytes)) return readPlan(bytes);
  HW_TRY(model, importModel(bytes, path, {}));
  return placesOf(model);
}

Result<std::shared_ptr<const Run>> statedRun(const std::shared_ptr<const Model>& model,
                                             const PlanDocument& document, const std::string& file,
                                             const RunRequest& asked) {
  HW_TRY(request, settingsOf(document, asked));
  if (request.platform.devices.size() > 1) {
    return fail(ErrorCode::unsupported,
                "it goes over several devices, and which of them runs what is not in the file");
  }
  const Audit audit = auditPlan(model, document, {});
  if (!audit.findings.empty()) {
    const std::size_t more = audit.findings.size() - 1;
    const Finding& first = audit.findings.front();
    return fail(
        ErrorCode::malformed,
        more > 0 ? fmt::format("{}, and {} more like it", first.message, more) : first.message,
        first.where);
  }
  if (!audit.run) {
    return fail(ErrorCode::unsupported, "which tensors share their bytes cannot be made out");
  }
  return StatedRun(*audit.run, document, std::move(request)).on(model, file);
}

std::optional<std::string> planFileOf(const Run& run) { return said(run, kFileRow); }

RunRequest requestBehind(const Run& run) {
  RunRequest request = run.request;
  if (!planFileOf(run)) return request;
  const auto maker = AllocatorChoice::parse(said(run, kMakerRow).value_or(""));
  request.allocator = maker ? *maker : AllocatorChoice::parse(kDefaultAllocator).value();
  return request;
}

}  // namespace hw
