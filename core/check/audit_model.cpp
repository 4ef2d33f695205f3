#include "core/check/audit_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/base/text.h"
#include "core/graph/tiling.h"
#include "core/plan/metrics.h"
#include "core/plan/validate.h"
#include "core/residency/fetching.h"
#include "core/rewrite/set_aside.h"
#include "core/run/options.h"
#include "core/run/stages.h"
#include "core/storage/aliasing.h"
#include "core/storage/overlays.h"

namespace hw {
namespace {

/// The tensor that holds each tensor's bytes in the plan; none for tensors it does not list.
IdMap<TensorId, TensorId> statedRoots(const Graph& graph, const std::vector<Resolved>& placements) {
  IdMap<TensorId, TensorId> roots(graph.tensors.size());
  for (const Resolved& resolved : placements) roots[resolved.tensor] = resolved.root;
  return roots;
}

bool explains(const Storage& storage, const IdMap<TensorId, TensorId>& roots, bool rootsOnly) {
  return std::ranges::all_of(storage.slots.keys(), [&](TensorId id) {
    const auto& slot = storage.slots[id];
    if (!slot) return true;
    const TensorId root = storage.buffers[slot->buffer].root;
    return roots[id] ? root == roots[id] : !rootsOnly || root != id;
  });
}

/// True if the plan says that the output of a chance lies over its input.
bool isTaken(const Storage& storage, const OverlayChance& chance,
             const IdMap<TensorId, TensorId>& roots, bool rootsOnly) {
  if (!rootsOnly) return roots[chance.input] && roots[chance.input] == roots[chance.output];
  // Of the two buffers the larger is listed, of equals the output's.
  const Buffer& input = storage.buffers[storage.slots[chance.input]->buffer];
  const Buffer& output = storage.buffers[storage.slots[chance.output]->buffer];
  return !roots[output.size < input.size ? output.root : input.root];
}

/// Storage where just those ops work in place of which the plan says so, and which may.
Storage storageWithStatedOverlays(const Graph& graph, const Schedule& schedule,
                                  const StorageOptions& options,
                                  const IdMap<TensorId, TensorId>& roots, bool rootsOnly) {
  Storage storage = shareForOverlays(graph, schedule, options);
  std::vector<OverlayChance> taken;
  std::set<TensorId> overlaid;
  for (const OverlayChance& chance : overlayChances(graph, schedule, storage)) {
    if (!isTaken(storage, chance, roots, rootsOnly)) continue;
    if (overlaid.insert(chance.output).second) taken.push_back(chance);
  }
  return overlay(graph, std::move(storage), taken);
}

/// The model with the scratch that the plan places: without, its op cannot run over its input.
Result<std::shared_ptr<const Model>> withStatedScratch(const std::shared_ptr<const Model>& model,
                                                       const PlanDocument& plan) {
  if (model->problem) return model;
  std::set<std::string> placed;
  for (const Placement& placement : plan.placements) placed.insert(placement.tensor);
  const Graph& graph = *model->graph;
  HW_TRY(aside, scratchSetAside(model->graph, [&](OpId op) {
           return placed.contains(plan.byId ? scratchIdText(graph.ops[op].outputs[0])
                                            : scratchName(graph, op));
         }));
  if (aside == model->graph) return model;
  auto more = std::make_shared<Model>(*model);
  more->graph = std::move(aside);
  return more;
}

/// The model as its images are held where it is planned as `request` says, and nothing else of it
/// rewritten.
Result<std::shared_ptr<const Model>> withStatedLayout(const std::shared_ptr<const Model>& model,
                                                      RunRequest request) {
  if (!request.channelsLast || model->graph->tiling) return model;
  request.alias = AliasRules::none();
  request.order = OpOrder::given;
  request.moves.clear();
  HW_TRY(program, rewrittenProgram(*model, request));
  auto held = std::make_shared<Model>(*model);
  held->graph = std::move(program.graph);
  return held;
}

/// Number of the plan's placements that are of tensors of this size and life, in tensors that are
/// there.
std::ptrdiff_t agreement(const Program& program, const PlanDocument& plan) {
  const Graph& graph = *program.graph;
  const TensorNames names(graph);
  const IdMap<TensorId, Interval<Step>> lives = lifetimes(graph, program.schedule);
  return std::ranges::count_if(plan.placements, [&](const Placement& placement) {
    const auto tensor = names.find(placement.tensor);
    if (!placement.aliasOf.empty() && !names.find(placement.aliasOf)) return false;
    if (!tensor || (placement.size && placement.size != graph.tensors[*tensor].bytes)) return false;
    const Interval<Step>& life = lives[*tensor];  // Of a ring it is empty: its pieces live.
    return life.empty() || !placement.first || *placement.first == life.begin;
  });
}

/// Of the ways to run in parts that the plan's settings may have come to, the one that it is of.
/// Where outputs overlap inputs, that hangs on the kernels of its platform, which may be a file
/// that is not here, and is never opened: all that kernels can do is tried.
Result<Program> statedWay(const Model& model, RunRequest request, const PlanDocument& plan) {
  std::vector<KernelWays> kernels(1);
  if (request.overlap) kernels = {{}, {true, false}, {false, true}, {true, true}};
  std::vector<Program> ways;
  for (const KernelWays& each : kernels) {
    for (UnitSpec& unit : request.platform.devices.front().units) unit.kernels = each;
    HW_TRY(program, rewrittenProgram(model, request));
    std::vector<Program> others = std::exchange(program.otherWays, {});
    ways.push_back(std::move(program));
    std::ranges::move(others, std::back_inserter(ways));
  }
  return std::move(*std::ranges::max_element(
      ways, {}, [&](const Program& way) { return agreement(way, plan); }));
}

}  // namespace

Interval<Step> statedSteps(const Placement& placement, const std::optional<Demand>& demand) {
  Interval<Step> steps;
  if (demand) steps = {demand->steps.front().begin, demand->steps.back().end};
  if (placement.first) steps.begin = *placement.first;
  if (placement.last) steps.end = *placement.last + Step(1);
  return steps;
}

Result<StatedProgram> statedProgram(const std::shared_ptr<const Model>& model,
                                    const PlanDocument& plan) {
  RunRequest request = defaultRequest();
  request.alignment = plan.alignment;
  for (const char* name :
       {"layout", "recompute", "tile", "tile-to", "extra-work", "inputs", "outputs", "order",
        "move", "batches", "alias", "overlap", "allocator"}) {
    const auto texts = plan.settings.find(name);
    if (texts == plan.settings.end()) continue;
    // A plug-in is a file, and none that a plan names is looked at; it plans like any other.
    const bool plugin = std::ranges::any_of(texts->second, [](const std::string& text) {
      return trimText(text).starts_with("plugin");
    });
    if (plugin) continue;
    HW_DO(findOption(name)->read(texts->second, request));
  }
  const bool whole = request.tile == TileRule::off && request.inputs != InputPlace::rows &&
                     !request.recompute && request.batches == 1;
  if (whole || model->graph->tiling) {
    HW_TRY(held, withStatedLayout(model, request));
    HW_TRY(aside, withStatedScratch(held, plan));
    HW_TRY(order, statedOrder(*aside->graph, plan));
    return StatedProgram{std::move(aside), std::move(order)};
  }
  HW_TRY(program, statedWay(*model, std::move(request), plan));
  auto parts = std::make_shared<Model>(*model);
  parts->graph = std::move(program.graph);
  return StatedProgram{std::move(parts), std::move(program.schedule)};
}

std::string spelledSteps(const Interval<Step>& steps) {
  const std::int64_t last = steps.end.count() - 1;
  if (steps.begin.count() == last) return fmt::format("step {}", last);
  return fmt::format("steps {}-{}", steps.begin.count(), last);
}

Result<Schedule> statedOrder(const Graph& graph, const PlanDocument& plan) {
  if (!plan.schedule.empty()) {
    if (respects(plan.schedule, precedenceOf(graph))) return scheduleOf(plan.schedule);
    return fail(ErrorCode::malformed,
                fmt::format("the schedule is no order of the model's {} ops; expected each once, "
                            "and none before one whose result it reads",
                            graph.ops.size()),
                "order.schedule");
  }
  RunRequest request;
  if (const auto texts = plan.settings.find("move"); texts != plan.settings.end()) {
    HW_DO(findOption("move")->read(texts->second, request));
  }
  return movedOrder(graph, request.moves, givenOrder(graph));
}

IdMap<TensorId, std::optional<Demand>> demandsOf(const Model& model, const Schedule& schedule,
                                                 bool planInputs, bool planOutputs) {
  const Graph& graph = *model.graph;
  IdMap<TensorId, std::optional<Demand>> demands(graph.tensors.size());
  if (model.problem) {
    const Problem& problem = *model.problem;
    for (const StayId id : problem.stays.keys()) {
      demands[TensorId(problem.stays[id].buffer.index())] =
          Demand{problem.stays[id].size, problem.liveSteps(id)};
    }
    return demands;
  }
  const auto steps = lifetimes(graph, schedule);
  for (const TensorId id : graph.tensors.keys()) {
    const Tensor& tensor = graph.tensors[id];
    const bool external =
        (tensor.graphInput && !planInputs) || (tensor.graphOutput && !planOutputs);
    if (tensor.constant || tensor.persistent || external || isRing(graph, id)) continue;
    if (!tensor.bytes || *tensor.bytes == Bytes()) continue;
    demands[id] = Demand{*tensor.bytes, {steps[id]}};
  }
  return demands;
}

void dropIdleScratch(const Graph& graph, const Storage& storage,
                     IdMap<TensorId, std::optional<Demand>>& demands) {
  for (const TensorId id : graph.tensors.keys()) {
    if (!storage.bufferOf(id) && isScratch(graph, id)) demands[id].reset();
  }
}

AliasReading readAliases(const Graph& graph, const Schedule& schedule,
                         const std::vector<Resolved>& placements, const AliasQuestion& question) {
  const auto roots = statedRoots(graph, placements);
  std::optional<AliasReading> first;
  for (const AliasRules& candidate : question.rules) {
    StorageOptions options = question.options;
    options.alias = candidate;
    AliasReading reading{.storage = shareStorage(graph, schedule, options), .rules = candidate};
    reading.explains = explains(reading.storage, roots, question.buffersOnly);
    if (reading.explains) return reading;
    if (candidate.inPlace) {
      Storage stated =
          storageWithStatedOverlays(graph, schedule, options, roots, question.buffersOnly);
      if (explains(stated, roots, question.buffersOnly)) {
        return {.storage = std::move(stated), .rules = candidate, .explains = true};
      }
    }
    if (!first) first = std::move(reading);
  }
  return std::move(*first);
}

Storage withPlacedWeights(const Graph& graph, const Schedule& schedule, Storage storage,
                          const std::vector<Resolved>& placements) {
  std::set<TensorId> placed;
  for (const Resolved& placement : placements) placed.insert(placement.tensor);
  const auto reads = weightReads(graph, schedule, storage);
  std::vector<TensorId> roots;
  for (const WeightReads& weight : reads) {
    if (placed.contains(weight.tensor)) roots.push_back(weight.tensor);
  }
  return withWeights(std::move(storage), graph, reads, roots);
}

std::vector<AliasRules> rulesToTry(const PlanDocument& plan) {
  std::vector<AliasRules> all;
  all.reserve(32);
  for (int bits = 0; bits < 32; ++bits) {
    all.push_back(
        {(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, (bits & 8) != 0, (bits & 16) != 0});
  }
  const auto rank = [&](const AliasRules& rules) {
    if (aliasText(rules) == plan.alias) return 0;
    if (rules == AliasRules()) return 1;
    if (rules == AliasRules::none()) return 2;
    if (rules.always) return 5;
    return rules == AliasRules::all() ? 3 : 4;
  };
  std::ranges::stable_sort(all, {}, rank);
  return all;
}

namespace {

using Presence = AuditedRunParts::Presence;

/// The file as a problem and the plan of it.
struct Stated {
  Problem problem{};
  Plan plan{};
};

/// "device/L2" is nearer than what is listed after it of the same device, and than what belongs to
/// no device: that is of several.
Stated withPools(const std::vector<AuditedRunParts::Pool>& pools) {
  const auto deviceOf = [](const std::string& name) { return name.substr(0, name.find('/') + 1); };
  Stated stated;
  std::size_t deepest = 0;
  for (const AuditedRunParts::Pool& pool : pools) {
    const std::string device = deviceOf(pool.name);
    const auto before = std::ranges::count_if(stated.problem.pools, [&](const ProblemPool& other) {
      return deviceOf(other.name) == device;
    });
    const auto level = static_cast<std::size_t>(before);
    if (!device.empty()) deepest = std::max(deepest, level + 1);
    stated.problem.pools.add({.name = pool.name, .level = level});
    stated.plan.regions.add({pool.size});
  }
  // So far away is the last memory of every device, if it has several: copies go between these.
  std::map<std::string, PoolId> last;
  for (const PoolId id : stated.problem.pools.keys())
    last[deviceOf(stated.problem.pools[id].name)] = id;
  for (const auto& [device, id] : last) {
    std::size_t& level = stated.problem.pools[id].level;
    if (!device.empty() && level > 0) level = deepest - 1;
  }
  for (ProblemPool& pool : stated.problem.pools) {
    if (deviceOf(pool.name).empty()) pool.level += deepest;
  }
  return stated;
}

/// The stays of a planning problem: it says itself when they live.
std::optional<Stated> problemStays(const AuditedRunParts& parts) {
  Stated stated = withPools(parts.pools);
  Problem problem = *parts.model->problem;
  problem.pools = std::move(stated.problem.pools);
  for (const StayId id : problem.stays.keys()) {
    const TensorId tensor = parts.storage.rootOf(problem.stays[id].buffer);
    const std::vector<Presence>& places = parts.places[tensor];
    const bool one = std::ranges::all_of(
        places, [&](const Presence& place) { return place.address == places.front().address; });
    if (places.empty() || !one) return std::nullopt;
    problem.stays[id].pool = places.front().address.pool;
    stated.plan.addresses.add(places.front().address);
  }
  stated.problem = std::move(problem);
  return stated;
}

/// Places of a buffer, by what its tensors say, ascending. In one place only it is there for life;
/// in several, each lasts as long as some tensor is said to be there.
std::vector<Presence> placesOf(const AuditedRunParts& parts, const Buffer& buffer) {
  std::vector<Presence> places;
  for (const TensorId id : buffer.tensors) {
    for (Presence place : parts.places[id]) {
      place.address.offset -= parts.storage.slots[id]->offset;
      places.push_back(place);
    }
  }
  std::ranges::sort(places, {}, [](const Presence& p) { return std::pair(p.address, p.steps); });
  std::vector<Presence> joined;
  for (const Presence& place : places) {
    const bool goesOn = !joined.empty() && joined.back().address == place.address &&
                        place.steps.begin <= joined.back().steps.end;
    if (!goesOn) {
      joined.push_back(place);
    } else {
      joined.back().steps.end = std::max(joined.back().steps.end, place.steps.end);
    }
  }
  const bool one = std::ranges::all_of(
      joined, [&](const Presence& place) { return place.address == joined.front().address; });
  if (one && !joined.empty() && parts.moves.empty())
    joined = {{joined.front().address, buffer.steps}};
  return joined;
}

std::optional<Stated> graphStays(const AuditedRunParts& parts) {
  Stated stated = withPools(parts.pools);
  Problem& problem = stated.problem;
  problem.steps = std::max(parts.schedule.steps(), Step(1));
  for (const BufferId id : parts.storage.buffers.keys()) {
    const Buffer& buffer = parts.storage.buffers[id];
    const std::vector<Presence> places = placesOf(parts, buffer);
    if (places.empty()) return std::nullopt;
    for (const Presence& place : places) {
      problem.stays.add({.buffer = id,
                         .steps = place.steps,
                         .size = buffer.size,
                         .alignment = parts.alignment,
                         .pool = place.address.pool,
                         .outlives = buffer.graphOutput && place.steps.end == problem.steps});
      stated.plan.addresses.add(place.address);
    }
  }
  return stated;
}

/// Each between the stays of its buffer that are in its pools at its step.
std::vector<Move> movesBetween(const Problem& problem, std::size_t buffers,
                               const std::vector<AuditedRunParts::Moved>& moved) {
  IdMap<BufferId, std::vector<StayId>> stays(buffers);
  for (const StayId id : problem.stays.keys()) stays[problem.stays[id].buffer].push_back(id);
  std::vector<Move> moves;
  for (const auto& [buffer, from, to, step] : moved) {
    Move move{.buffer = buffer, .step = step};
    for (const StayId id : stays[buffer]) {
      const Stay& stay = problem.stays[id];
      if (!stay.steps.contains(step)) continue;
      if (stay.pool == from) move.from = id;
      if (stay.pool == to) move.to = id;
    }
    const bool whole = bool(move.from) == bool(from) && bool(move.to) == bool(to);
    moves.push_back(whole ? move : Move{.buffer = buffer, .step = step});
  }
  return moves;
}

}  // namespace

std::shared_ptr<const Run> assembleRun(AuditedRunParts parts) {
  const bool bare = parts.model->problem.has_value();
  auto stated = bare ? problemStays(parts) : graphStays(parts);
  if (!stated) return nullptr;
  if (!bare) {
    stated->problem.moves =
        movesBetween(stated->problem, parts.storage.buffers.size(), parts.moves);
  }
  const auto run = std::make_shared<Run>();
  run->model = std::move(parts.model);
  run->sharing.alignment = parts.alignment;
  run->schedule = std::move(parts.schedule);
  run->storage = std::move(parts.storage);
  run->problem = std::move(stated->problem);
  run->plan = std::move(stated->plan);
  return run;
}

namespace {

/// A moment at which a member of a group begins or ceases to hold its bytes.
struct Edge {
  Step step{};
  bool begins = false;
  std::size_t member = 0;
};

/// Covers what the members of one group hold by disjoint rectangles, so that sharing inside the
/// group does not look like a conflict. Addresses are cut at every member's ends:
///
///     root  +-----------+      each of the two segments is held from the first begin to the
///     a     +-----+     |      last end of whoever covers it
///     b           +-----+
class GroupCover {
 public:
  explicit GroupCover(std::vector<Holding> members) : members_(std::move(members)) {
    for (const Holding& member : members_) {
      cuts_.push_back(member.bytes.begin);
      cuts_.push_back(member.bytes.end);
    }
    std::ranges::sort(cuts_);
    cuts_.erase(std::unique(cuts_.begin(), cuts_.end()), cuts_.end());
    holders_.resize(cuts_.size());
    since_.resize(cuts_.size());
  }

  std::vector<Holding> rectangles() {
    std::vector<Edge> edges;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      edges.push_back({members_[i].steps.begin, true, i});
      edges.push_back({members_[i].steps.end, false, i});
    }
    // At one step begins come first: two stretches of which one ends where the other begins then
    // become one rectangle.
    std::ranges::stable_sort(edges, [](const Edge& a, const Edge& b) {
      return a.step != b.step ? a.step < b.step : a.begins > b.begins;
    });
    for (const Edge& edge : edges) cross(edge);
    return std::move(cover_);
  }

 private:
  std::size_t cutAt(Bytes address) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(cuts_, address) - cuts_.begin());
  }

  void cross(const Edge& edge) {
    const Holding& member = members_[edge.member];
    const std::size_t end = cutAt(member.bytes.end);
    for (std::size_t cut = cutAt(member.bytes.begin); cut < end; ++cut) {
      if (edge.begins) {
        if (holders_[cut]++ == 0) since_[cut] = {edge.step, edge.member};
      } else if (--holders_[cut] == 0) {
        Holding rectangle = members_[since_[cut].second];
        rectangle.bytes = {cuts_[cut], cuts_[cut + 1]};
        rectangle.steps = {since_[cut].first, edge.step};
        cover_.push_back(rectangle);
      }
    }
  }

  std::vector<Holding> members_;
  std::vector<Bytes> cuts_;
  std::vector<int> holders_;  ///< By segment [cuts_[i], cuts_[i + 1]).
  std::vector<std::pair<Step, std::size_t>> since_;
  std::vector<Holding> cover_;
};

std::vector<Holding> disjointWithinGroups(std::vector<Holding> holdings) {
  const auto key = [](const Holding& holding) { return std::pair(holding.group, holding.pool); };
  std::ranges::stable_sort(holdings, {}, key);
  std::vector<Holding> disjoint;
  for (auto first = holdings.begin(); first != holdings.end();) {
    const auto last = std::find_if(first, holdings.end(),
                                   [&](const Holding& other) { return key(other) != key(*first); });
    const auto cover = GroupCover(std::vector<Holding>(first, last)).rectangles();
    disjoint.insert(disjoint.end(), cover.begin(), cover.end());
    first = last;
  }
  return disjoint;
}

}  // namespace

std::vector<std::pair<Holding, Holding>> everyConflict(std::vector<Holding> holdings) {
  std::ranges::stable_sort(holdings, {}, [](const Holding& each) { return each.steps.begin; });
  std::vector<std::pair<Holding, Holding>> conflicts;
  std::vector<const Holding*> open;
  for (const Holding& holding : holdings) {
    std::erase_if(open,
                  [&](const Holding* other) { return other->steps.end <= holding.steps.begin; });
    for (const Holding* other : open) {
      const bool meet = other->pool == holding.pool && other->group != holding.group &&
                        other->bytes.overlaps(holding.bytes);
      if (meet && !holding.steps.empty()) conflicts.emplace_back(*other, holding);
    }
    open.push_back(&holding);
  }
  return conflicts;
}

HoldingCheck checkHoldings(const std::vector<Holding>& holdings, std::size_t pools) {
  std::vector<Holding> useful;
  std::ranges::copy_if(holdings, std::back_inserter(useful), [](const Holding& holding) {
    return !holding.bytes.empty() && !holding.steps.empty();
  });
  const std::vector<Holding> rectangles = disjointWithinGroups(std::move(useful));
  Problem problem;
  Plan plan;
  for (std::size_t i = 0; i < pools; ++i) {
    problem.pools.add({});
    plan.regions.add({Bytes()});
  }
  for (const Holding& rectangle : rectangles) {
    const PoolId pool(rectangle.pool);
    problem.stays.add({.buffer = BufferId(problem.stays.size()),
                       .steps = rectangle.steps,
                       .size = rectangle.bytes.length(),
                       .pool = pool});
    problem.steps = std::max(problem.steps, rectangle.steps.end);
    plan.addresses.add(Address{pool, RegionId(0), rectangle.bytes.begin});
    Bytes& region = plan.regions[pool][RegionId(0)];
    region = std::max(region, rectangle.bytes.end);
  }
  HoldingCheck result{.peakLive = lowerBound(problem)};
  for (const Violation& violation : validate(problem, plan)) {
    if (!violation.b) continue;
    result.conflicts.emplace_back(rectangles[violation.a.index()], rectangles[violation.b.index()]);
  }
  return result;
}

}  // namespace hw
