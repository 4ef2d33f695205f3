#include "core/plan_file/plan_document.h"

#include <algorithm>
#include <limits>
#include <memory>

#include "core/graph/tiling.h"
#include "core/plan/constraint_use.h"
#include "core/plan_file/tensor_names.h"
#include "core/run/embedded.h"
#include "core/storage/aliasing.h"
#include "core/storage/parts.h"

namespace hw {
namespace {

/// Numbers as numbers, sizes in bytes.
Json valueJson(const ParamValue& value) {
  return std::visit(
      [](const auto& each) -> Json {
        if constexpr (std::is_same_v<std::decay_t<decltype(each)>, Bytes>) {
          return each.count();
        } else {
          return each;
        }
      },
      value);
}

/// "0-3".
Value stepsText(std::optional<Step> first, std::optional<Step> last) {
  if (!first || !last) return {};
  return std::to_string(first->count()) + "-" + std::to_string(last->count());
}

/// Some pool is cut into several blocks: the method hands out blocks, not addresses.
bool handsOutBlocks(const Plan& plan) {
  return std::ranges::any_of(plan.regions, [](const auto& regions) { return regions.size() > 1; });
}

/// Collects placements; knows how stays and tensors of a run hang together.
class Describer {
 public:
  Describer(const Run& run, std::size_t most)
      : run_(run), most_(most), blocks_(handsOutBlocks(run.plan)) {}

  PlacementList placements() {
    if (run_.model->problem) {
      for (const StayId id : run_.problem.stays.keys()) addStay(id);
    } else {
      addTensors();
    }
    nameTensors();
    return std::move(list_);
  }

 private:
  void addStay(StayId id) {
    const TensorId tensor = run_.stayTensor(id);
    if (run_.problem.gaps.empty()) {
      add(id, run_.problem.stays[id].steps, {.tensor = tensor});
      return;
    }
    for (const Interval<Step>& steps : run_.problem.liveSteps(id)) {
      add(id, steps, {.tensor = tensor});
    }
  }

  void addTensors() {
    const Storage& storage = run_.storage;
    IdMap<BufferId, std::vector<StayId>> stays(storage.buffers.size());
    for (const StayId id : run_.problem.stays.keys()) {
      stays[run_.problem.stays[id].buffer].push_back(id);
    }
    for (const TensorId id : storage.slots.keys()) {
      const auto& slot = storage.slots[id];
      if (!slot) continue;
      const TensorId root = storage.buffers[slot->buffer].root;
      // The root of a buffer that moves says how long each of its places lasts.
      const bool wholeStays = root == id && !run_.problem.moves.empty();
      for (const StayId stay : stays[slot->buffer]) {
        add(stay, wholeStays ? run_.problem.stays[stay].steps : storage.lifetimes[id],
            {.tensor = id, .root = root == id ? TensorId() : root, .offset = slot->offset});
      }
    }
  }

  /// The tenant of a stay: a tensor, and the one it shares memory with.
  struct Tenant {
    TensorId tensor{};
    TensorId root{};  ///< None: the tensor itself.
    Bytes offset{};   ///< Inside the stay.
  };

  /// Adds a placement for the steps that the stay and the tensor have in common.
  void add(StayId id, Interval<Step> steps, const Tenant& tenant) {
    const auto& address = run_.plan.addresses[id];
    const Stay& stay = run_.problem.stays[id];
    steps = {std::max(steps.begin, stay.steps.begin), std::min(steps.end, stay.steps.end)};
    if (!address || steps.empty() || ++list_.count > most_) return;
    const auto& exact = run_.graph().tensors[tenant.tensor].bytes;
    Placement placement{.pool = run_.problem.pools[address->pool].name,
                        .offset = *run_.plan.flatOffset(id) + tenant.offset,
                        .size = exact.value_or(stay.size),
                        .first = steps.begin,
                        .last = steps.end - Step(1)};
    if (blocks_) placement.block = blockOf(*address);
    placement.share = partText(run_.graph(), run_.storage, tenant.tensor);
    list_.first.push_back(std::move(placement));
    tenants_.push_back(tenant);
  }

  void nameTensors() {
    std::vector<TensorId> wanted;
    for (const Tenant& tenant : tenants_) {
      wanted.push_back(tenant.tensor);
      if (tenant.root) wanted.push_back(tenant.root);
    }
    std::vector<std::string> names = namesOf(run_.graph(), wanted);
    auto next = names.begin();
    for (std::size_t i = 0; i < tenants_.size(); ++i) {
      list_.first[i].tensor = std::move(*next++);
      if (tenants_[i].root) list_.first[i].aliasOf = std::move(*next++);
    }
  }

  /// Blocks are counted through all pools.
  std::size_t blockOf(const Address& address) const {
    std::size_t block = address.region.index();
    for (const PoolId pool : run_.plan.regions.keys()) {
      if (pool < address.pool) block += run_.plan.regions[pool].size();
    }
    return block;
  }

  const Run& run_;
  std::size_t most_;
  bool blocks_;
  PlacementList list_;
  std::vector<Tenant> tenants_;  ///< Of the placements in the list.
};

}  // namespace

const Columns<Placement>& placementColumns() {
  using enum ColumnKind;
  using P = Placement;
  static const Columns<P> kColumns = {
      {"tensor", "tensor", text, &P::tensor},
      {"pool", "pool", text, &P::pool},
      {"offset", "offset", address, &P::offset, "From the start of the pool"},
      {"size", "bytes", bytes, &P::size},
      {"first", "first step", step, &P::first},
      {"last", "last step", step, &P::last, "The last one that needs it"},
      {"steps", "steps", range, [](const P& place) { return stepsText(place.first, place.last); },
       "From the first to the last that needs it"},
      {"alias_of", "shares", text, &P::aliasOf, "The tensor in whose memory it lies"},
      {"share", "without a copy", text, &P::share, "How it comes to bytes that are there"},
      {"block", "block", count, &P::block}};
  return kColumns;
}

Columns<StayId> bufferColumns(const Run& run) {
  const auto offsets =
      std::make_shared<const IdMap<StayId, std::optional<Bytes>>>(run.plan.flatOffsets());
  const auto column = [](const char* key, std::function<Value(const StayId&)> value) {
    return like<StayId>(placementColumns(), key, std::move(value));
  };
  const auto stay = [&run](StayId id) -> const Stay& { return run.problem.stays[id]; };
  return {column("tensor", [&run](StayId id) { return run.stayName(id); }),
          column("pool",
                 [&run](StayId id) -> Value {
                   const auto& at = run.plan.addresses[id];
                   return at ? Value(run.problem.pools[at->pool].name) : Value();
                 }),
          column("offset", [offsets](StayId id) { return (*offsets)[id]; }),
          column("size", [stay](StayId id) { return stay(id).size; }),
          column("first", [stay](StayId id) { return stay(id).steps.begin; }),
          column("last", [stay](StayId id) { return stay(id).steps.end - Step(1); }),
          column("steps", [stay](StayId id) {
            return stepsText(stay(id).steps.begin, stay(id).steps.end - Step(1));
          })};
}

Json allocatorOptions(const AllocatorChoice& choice) {
  Json options = Json::object();
  for (const ParamSpec& spec : choice.info->params) {
    options[std::string(spec.name)] = valueJson(choice.params.value(spec));
  }
  return options;
}

PlacementList firstPlacements(const Run& run, std::size_t most) {
  return Describer(run, most).placements();
}

namespace {

std::vector<StatedMove> describeMoves(const Run& run) {
  std::vector<TensorId> roots;
  for (const Move& move : run.problem.moves) roots.push_back(run.storage.rootOf(move.buffer));
  std::vector<std::string> names = namesOf(run.graph(), roots);
  const auto poolOf = [&](StayId stay) {
    return stay ? run.problem.pools[run.problem.poolOf(stay)].name : std::string();
  };
  std::vector<StatedMove> moves;
  for (const Move& move : run.problem.moves) {
    moves.push_back({.tensor = std::move(names[moves.size()]),
                     .from = poolOf(move.from),
                     .to = poolOf(move.to),
                     .step = move.step});
  }
  return moves;
}

/// Of what may overlap, what does.
std::vector<StatedOverlap> describeOverlaps(const Run& run) {
  std::vector<StatedOverlap> overlaps;
  std::vector<TensorId> roots;
  for (const Overlap& overlap : run.problem.overlaps) {
    if (sharedBytes(run.problem, run.plan, overlap).empty()) continue;
    roots.push_back(run.stayTensor(overlap.over));
    roots.push_back(run.stayTensor(overlap.under));
    overlaps.push_back({.step = run.problem.stays[overlap.over].steps.begin,
                        .way = wayOf(run.problem, run.plan, overlap)});
  }
  std::vector<std::string> names = namesOf(run.graph(), roots);
  for (std::size_t i = 0; i < overlaps.size(); ++i) {
    overlaps[i].output = std::move(names[2 * i]);
    overlaps[i].input = std::move(names[2 * i + 1]);
  }
  return overlaps;
}

/// Of a graph in parts, or with repeats, the model's ops are not the steps: its settings say how it
/// came about. What holds scratch aside, or images otherwise, has an order like any other.
bool runsWhole(const Graph& graph) {
  const auto repeated = repeatedOps(graph);
  return !runsInParts(graph) && batchesOf(graph) == 1 &&
         std::ranges::none_of(repeated, [](OpId first) { return static_cast<bool>(first); });
}

}  // namespace

PlanDocument describePlan(const Run& run) {
  constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
  PlanDocument document{.modelName = run.model->name,
                        .modelSha256 = run.model->sha256,
                        .allocator = std::string(run.request.allocator.info->name),
                        .options = allocatorOptions(run.request.allocator),
                        .alignment = run.sharing.alignment,
                        .status = std::string(statusName(run.plan.status)),
                        .lowerBound = run.metrics.lowerBound,
                        .placements = firstPlacements(run, kAll).first,
                        .moves = describeMoves(run),
                        .overlaps = describeOverlaps(run)};
  for (const PoolId pool : run.problem.pools.keys()) {
    document.pools.push_back({.name = run.problem.pools[pool].name,
                              .capacity = run.problem.pools[pool].capacity,
                              .peak = run.plan.footprint(pool)});
  }
  if (handsOutBlocks(run.plan)) {
    for (const auto& regions : run.plan.regions) {
      document.blocks.insert(document.blocks.end(), regions.begin(), regions.end());
    }
  }
  for (auto& [option, before, after] : changesBetween(defaultRequest(), run.request)) {
    if (option->group == OptionGroup::model || after.empty()) continue;
    document.settings[std::string(option->name)] = after;
  }
  if (run.order && runsWhole(run.graph())) document.schedule = run.schedule.order;
  if (!run.model->problem) {
    // The method that was used, which is another than the one asked for where that cannot do it.
    document.alias = aliasText(run.sharing.alias);
    document.planInputs = run.sharing.planInputs;
    document.planOutputs = run.sharing.planOutputs;
  }
  return document;
}

const Columns<PoolMetrics>& poolColumns() {
  using enum ColumnKind;
  using P = PoolMetrics;
  static const Columns<P> kColumns = {
      {"peak", "highest address", bytes, &P::peak,
       "What must be reserved: one past the highest byte in use"},
      {"footprint_step", "highest at step", step, [](const P& pool) { return pool.atTop.step; },
       "Of the steps that reach the highest address the one with most bytes live"},
      {"lower_bound", "lower bound of what is there", bytes, &P::lowerBound,
       "No plan of these buffers can be smaller"},
      {"gap", "above live peak", excess, &P::gap,
       "Highest address / live peak \u2212 1, of this memory: 0 is the best there can be for what "
       "lives here"},
      {"sum_of_sizes", "without any reuse", bytes, &P::sum, "The sum of all sizes"},
      {"peak_live", "live peak", bytes, &P::peakLive,
       "Most bytes live at one step: no plan of what is there can be smaller"},
      {"peak_step", "live peak at step", step, &P::peakStep, "The first step with most bytes live"},
      {"holes_at_peak", "holes then", bytes, [](const P& pool) { return pool.atPeak.holes; },
       "Free bytes below the highest that is taken"},
      {"kept_at_peak", "kept in blocks then", bytes, [](const P& pool) { return pool.atPeak.kept; },
       "Bytes of no live buffer, but of a block that is taken as a whole: nobody else can have "
       "them"},
      {"largest_hole", "largest hole of any step", bytes, &P::largestHole, "At any step"},
      {"fragmentation_at_peak", "fragmentation then", ratio,
       [](const P& pool) { return pool.atPeak.ratio(); },
       "At the live peak: 1 \u2212 largest hole / all holes"},
      {"fragmentation_average", "fragmentation, average", ratio, &P::averageFragmentation,
       "The same, averaged over all steps"},
      {"buffers", "buffers", count, &P::stays, "How many live there"}};
  return kColumns;
}

namespace {

/// The offsets that came with a planning problem, stretch by stretch.
std::optional<PlanDocument> ownPlacesOf(const Model& model, const Problem& problem) {
  // Offsets alone do not say where a buffer is that may choose its memory.
  const bool known = hasOwnPlan(*model.graph) || arePoolsDecided(problem);
  if (model.offsets.empty() || !known) return std::nullopt;
  PlanDocument document{.modelName = model.name, .allocator = "embedded"};
  if (problem.ownPools) {
    for (const ProblemPool& pool : problem.pools) {
      document.pools.push_back({.name = pool.name, .capacity = pool.capacity});
    }
  }
  const TensorNames names(*model.graph);
  for (const StayId id : problem.stays.keys()) {
    if (!model.offsets[id]) continue;
    const Stay& stay = problem.stays[id];
    Placement placement{.tensor = names.of(TensorId(stay.buffer.index())),
                        .pool = problem.pools[problem.poolOf(id)].name,
                        .offset = *model.offsets[id],
                        .size = stay.size,
                        .alignment = stay.alignment};
    for (const Interval<Step>& live : problem.liveSteps(id)) {
      placement.first = live.begin;
      placement.last = live.end - Step(1);
      document.placements.push_back(placement);
    }
  }
  return document;
}

}  // namespace

std::optional<PlanDocument> embeddedPlan(const Model& model) {
  const Graph& graph = *model.graph;
  if (model.problem) return ownPlacesOf(model, *model.problem);
  if (!hasOwnPlan(graph)) return std::nullopt;
  PlanDocument document{.modelName = model.name, .allocator = "embedded"};
  const TensorNames names(graph);
  // Slices start at multiples of it, and which of them are shared depends on it, too.
  StorageOptions options{.alias = AliasRules::none(), .alignment = ownAlignment(graph)};
  const Schedule schedule = givenOrder(graph);
  if (const auto alias = ownAlias(graph, schedule, options)) options.alias = *alias;
  document.alignment = options.alignment;
  document.alias = aliasText(options.alias);
  const Storage storage = shareStorage(graph, schedule, options);
  for (const TensorId id : graph.tensors.keys()) {
    const Tensor& tensor = graph.tensors[id];
    const auto& slot = storage.slots[id];
    if (!tensor.plannedOffset || tensor.constant || !slot) continue;
    const TensorId root = storage.buffers[slot->buffer].root;
    document.placements.push_back({.tensor = names.of(id),
                                   .pool = "L2",
                                   .offset = *tensor.plannedOffset,
                                   .size = tensor.bytes,
                                   .aliasOf = root == id ? "" : names.of(root)});
  }
  return document;
}

}  // namespace hw
