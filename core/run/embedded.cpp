#include "core/run/embedded.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/plan/validate.h"

namespace hw {
namespace {

/// The start of a buffer, as each tensor in it that the model places sees it.
struct Origin {
  std::optional<Bytes> start{};
  TensorId contradicts{};  ///< Sees it elsewhere than those before it.
};

Origin originOf(const Graph& graph, const Storage& storage, const Buffer& buffer) {
  Origin origin;
  for (const TensorId id : buffer.tensors) {
    const auto& planned = graph.tensors[id].plannedOffset;
    if (!planned) continue;
    const Bytes start = *planned - storage.slots[id]->offset;
    if (!origin.start) origin.start = start;
    if (start < Bytes() || *origin.start != start) origin.contradicts = id;
  }
  return origin;
}

std::string nameOf(const Graph& graph, TensorId id) {
  return "'" + printable(displayName(graph, id)) + "'";
}

/// The buffers that the model places, as a problem and its plan.
struct OwnPlan {
  Problem problem{};
  Plan plan{};
  std::vector<BufferId> buffers{};  ///< By stay.
  std::string fault{};              ///< Why an offset makes no sense; empty: all do.
};

OwnPlan ownPlanOf(const Graph& graph, const Storage& storage, Bytes alignment) {
  OwnPlan own;
  Problem& problem = own.problem;
  problem.pools.add({});
  for (const BufferId id : storage.buffers.keys()) {
    const Buffer& buffer = storage.buffers[id];
    const Origin origin = originOf(graph, storage, buffer);
    if (origin.contradicts && own.fault.empty()) {
      own.fault = fmt::format("{} is placed apart from {}, whose bytes it shares",
                              nameOf(graph, origin.contradicts), nameOf(graph, buffer.root));
    }
    if (!origin.start) continue;
    if (!isAligned(*origin.start, alignment) && own.fault.empty()) {
      own.fault = fmt::format("{} is at byte {}, not a multiple of {}", nameOf(graph, buffer.root),
                              origin.start->count(), alignment.count());
    }
    if (!own.fault.empty()) return own;
    problem.stays.add({.buffer = BufferId(own.buffers.size()),
                       .steps = buffer.steps,
                       .size = alignUp(buffer.size, alignment),
                       .alignment = alignment});
    problem.steps = std::max(problem.steps, buffer.steps.end);
    own.plan.addresses.add(Address{PoolId(0), RegionId(0), *origin.start});
    own.buffers.push_back(id);
  }
  Bytes end;
  for (const StayId id : problem.stays.keys()) {
    end = std::max(end, own.plan.addresses[id]->offset + problem.stays[id].size);
  }
  own.plan.regions.resize(1);
  own.plan.regions[PoolId(0)].add(end);
  return own;
}

/// The fault of the model's offsets when tensors share storage like this; empty: none.
std::string faultOf(const Graph& graph, const Storage& storage, Bytes alignment) {
  const OwnPlan own = ownPlanOf(graph, storage, alignment);
  if (!own.fault.empty()) return own.fault;
  for (const Violation& violation : validate(own.problem, own.plan, 1)) {
    if (!violation.a || !violation.b) return violation.message;
    const auto root = [&](StayId id) { return storage.buffers[own.buffers[id.index()]].root; };
    return fmt::format("{} and {} share bytes while both are needed",
                       nameOf(graph, root(violation.a)), nameOf(graph, root(violation.b)));
  }
  return {};
}

/// Pairs of buffers that overlap, at most `most`.
std::vector<std::pair<BufferId, BufferId>> overlappingBuffers(const OwnPlan& own,
                                                              std::size_t most) {
  std::vector<std::pair<BufferId, BufferId>> pairs;
  for (const Violation& violation : validate(own.problem, own.plan, most)) {
    if (!violation.a || !violation.b) continue;
    pairs.emplace_back(own.buffers[violation.a.index()], own.buffers[violation.b.index()]);
  }
  return pairs;
}

/// Groups that grow together.
class BufferGroups {
 public:
  explicit BufferGroups(std::size_t count) : parents_(count) {
    for (const BufferId id : parents_.keys()) parents_[id] = id;
  }
  BufferId of(BufferId id) {
    while (parents_[id] != id) id = parents_[id] = parents_[parents_[id]];
    return id;
  }
  void join(BufferId a, BufferId b) { parents_[of(b)] = of(a); }

 private:
  IdMap<BufferId, BufferId> parents_;
};

/// One buffer of several that are placed: its root is the largest of those that begin it.
Buffer joinedBuffer(const Graph& graph, const std::vector<TensorId>& tensors,
                    const Storage& storage) {
  const auto begin = [&](TensorId id) { return *graph.tensors[id].plannedOffset; };
  const auto size = [&](TensorId id) { return graph.tensors[id].bytes.value_or(Bytes()); };
  Buffer whole{.root = tensors.front(), .tensors = tensors};
  for (const TensorId id : tensors) {
    const bool lower = begin(id) < begin(whole.root);
    const bool larger = begin(id) == begin(whole.root) && size(id) > size(whole.root);
    if (lower || larger) whole.root = id;
  }
  bool first = true;
  for (const TensorId id : tensors) {
    const Interval<Step>& steps = storage.buffers[storage.slots[id]->buffer].steps;
    whole.size = std::max(whole.size, begin(id) + size(id) - begin(whole.root));
    whole.steps.begin = first ? steps.begin : std::min(whole.steps.begin, steps.begin);
    whole.steps.end = std::max(whole.steps.end, steps.end);
    whole.graphOutput |= storage.buffers[storage.slots[id]->buffer].graphOutput;
    first = false;
  }
  std::ranges::sort(whole.tensors);
  return whole;
}

/// `storage` with its buffers joined by groups, numbered as they always are.
Storage regrouped(const Graph& graph, const Storage& storage, BufferGroups& groups) {
  IdMap<BufferId, std::vector<TensorId>> members(storage.buffers.size());
  IdMap<BufferId, std::size_t> sizes(storage.buffers.size());
  for (const BufferId id : storage.buffers.keys()) {
    const auto& tensors = storage.buffers[id].tensors;
    auto& group = members[groups.of(id)];
    group.insert(group.end(), tensors.begin(), tensors.end());
    ++sizes[groups.of(id)];
  }
  std::vector<Buffer> buffers;
  for (const BufferId id : storage.buffers.keys()) {
    if (sizes[id] == 1) buffers.push_back(storage.buffers[id]);
    if (sizes[id] > 1) buffers.push_back(joinedBuffer(graph, members[id], storage));
  }
  std::ranges::sort(
      buffers, {}, [](const Buffer& buffer) { return std::pair(buffer.steps.begin, buffer.root); });
  Storage shared = storage;
  shared.buffers = {};
  for (Buffer& buffer : buffers) {
    const BufferId id(shared.buffers.size());
    for (const TensorId tensor : buffer.tensors) {
      auto& slot = shared.slots[tensor];
      const auto& planned = graph.tensors[tensor].plannedOffset;
      const auto& start = graph.tensors[buffer.root].plannedOffset;
      if (planned && start) slot->offset = *planned - *start;
      slot->buffer = id;
    }
    shared.buffers.add(std::move(buffer));
  }
  return shared;
}

/// "bytes 50-99 while both are live, from step 2 on": what two pinned stays share.
std::string sharedPart(const Stay& a, const Stay& b) {
  return fmt::format("bytes {}-{} while both are live, from step {} on",
                     std::max(*a.pinned, *b.pinned).count(),
                     std::min(*a.pinned + a.size, *b.pinned + b.size).count() - 1,
                     std::max(a.steps.begin, b.steps.begin).count());
}

}  // namespace

bool hasOwnPlan(const Graph& graph) {
  return std::ranges::any_of(graph.tensors,
                             [](const Tensor& tensor) { return tensor.plannedOffset.has_value(); });
}

Bytes ownPlanBytes(const Graph& graph) {
  Bytes end;
  for (const Tensor& tensor : graph.tensors) {
    if (!tensor.plannedOffset || tensor.constant) continue;
    end = std::max(end, *tensor.plannedOffset + tensor.bytes.value_or(Bytes()));
  }
  return end;
}

bool appliesTo(const AllocatorInfo& info, const Graph& graph) {
  return info.way != Way::embedded || hasOwnPlan(graph);
}

std::vector<AllocatorChoice> allAllocators(const Graph& graph) {
  std::vector<AllocatorChoice> all;
  for (const AllocatorInfo& info : allocatorCatalog()) {
    if (appliesTo(info, graph) && info.granule == Bytes(1)) all.push_back({.info = &info});
  }
  return all;
}

Bytes ownAlignment(const Graph& graph) {
  // tflite-micro rounds sizes up itself; of other plans the exact ones count.
  const Bytes least(graph.format == "tflite" ? 16 : 1);
  Bytes alignment{64};
  for (const Tensor& tensor : graph.tensors) {
    if (!tensor.plannedOffset) continue;
    while (!isAligned(*tensor.plannedOffset, alignment)) alignment = Bytes(alignment.count() / 2);
  }
  const Bytes end = ownPlanBytes(graph);
  while (alignment > least && alignUp(end, alignment) > end) {
    alignment = Bytes(alignment.count() / 2);
  }
  return alignment;
}

Result<AliasRules> ownAlias(const Graph& graph, const Schedule& schedule,
                            const StorageOptions& options) {
  for (const AliasRules& rules : {AliasRules::none(), AliasRules(), AliasRules::all()}) {
    StorageOptions candidate = options;
    candidate.alias = rules;
    const Storage storage = shareStorage(graph, schedule, candidate);
    if (faultOf(graph, storage, options.alignment).empty()) return rules;
  }
  StorageOptions apart = options;
  apart.alias = AliasRules::none();
  const OwnPlan own = ownPlanOf(graph, shareStorage(graph, schedule, apart), options.alignment);
  if (own.fault.empty()) return AliasRules::none();
  return fail(ErrorCode::unsupported,
              "the plan that came with the model cannot be followed: " + own.fault +
                  "; 'highwater check MODEL embedded' lists everything");
}

Storage withDeclaredOverlaps(const Graph& graph, Storage storage, Bytes alignment) {
  constexpr std::size_t kAtOnce = 10'000;
  // Joined buffers cover more bytes, and may run into others.
  while (true) {
    const OwnPlan own = ownPlanOf(graph, storage, alignment);
    if (!own.fault.empty()) return storage;
    const auto pairs = overlappingBuffers(own, kAtOnce);
    if (pairs.empty()) return storage;
    BufferGroups groups(storage.buffers.size());
    for (const auto& [a, b] : pairs) groups.join(a, b);
    storage = regrouped(graph, storage, groups);
  }
}

void addOwnPlanNotes(const Graph& graph, const Schedule& schedule, const StorageOptions& options,
                     const Problem& planned, std::vector<std::string>& notes) {
  const auto pinned = std::ranges::count_if(
      planned.stays, [](const Stay& stay) { return stay.pinned.has_value(); });
  notes.push_back(pinned == 0
                      ? "the model brings no plan of its own: everything is placed largest first"
                      : fmt::format("the model's own plan places {} of {} buffers", pinned,
                                    planned.stays.size()));
  // Of a problem, whose graph has no ops, no two overlap.
  if (!hasOwnPlan(graph) || graph.ops.empty()) return;
  constexpr std::size_t kMost = 1000;
  const Storage storage = shareStorage(graph, schedule, options);
  const OwnPlan own = ownPlanOf(graph, storage, options.alignment);
  const std::size_t pairs = own.fault.empty() ? overlappingBuffers(own, kMost).size() : 0;
  if (pairs == 0) return;
  notes.push_back(fmt::format(
      "{}{} bytes while both are needed, as the plan's author declares: those bytes are counted "
      "once",
      pairs == kMost ? "at least " : "",
      pairs == 1 ? "1 pair of tensors shares" : fmt::format("{} pairs of tensors share", pairs)));
}

Problem pinnedToOwnPlan(const Graph& graph, const Storage& storage, Problem problem) {
  for (Stay& stay : problem.stays) {
    stay.pinned = originOf(graph, storage, storage.buffers[stay.buffer]).start;
  }
  return problem;
}

Result<Problem> pinnedToOwnPlan(const Graph& graph, Problem given) {
  Problem placed{.steps = given.steps};
  placed.pools.add({});
  Plan plan;
  Bytes end;
  std::vector<StayId> stays;
  for (const StayId id : given.stays.keys()) {
    Stay& stay = given.stays[id];
    stay.pinned = graph.tensors[TensorId(stay.buffer.index())].plannedOffset;
    if (!stay.pinned) continue;
    for (const auto& gap : given.gapsOf(id)) {
      placed.gaps.push_back({StayId(placed.stays.size()), gap});
    }
    placed.stays.add(stay);
    plan.addresses.add(Address{PoolId(0), RegionId(0), *stay.pinned});
    end = std::max(end, *stay.pinned + stay.size);
    stays.push_back(id);
  }
  plan.regions.resize(1);
  plan.regions[PoolId(0)].add(end);
  const auto name = [&](StayId id) {
    return nameOf(graph, TensorId(given.stays[stays[id.index()]].buffer.index()));
  };
  for (const Violation& violation : validate(placed, plan, 1)) {
    std::string fault = violation.message;
    if (violation.a && violation.b) {
      fault = fmt::format("{} and {} share {}", name(violation.a), name(violation.b),
                          sharedPart(placed.stays[violation.a], placed.stays[violation.b]));
    } else if (violation.a) {
      const Stay& stay = placed.stays[violation.a];
      fault = fmt::format("{} is at byte {}, not a multiple of {}", name(violation.a),
                          stay.pinned->count(), stay.alignment.count());
    }
    return fail(ErrorCode::unsupported,
                "the offsets that came with the problem cannot be followed: " + fault);
  }
  return given;
}

}  // namespace hw
