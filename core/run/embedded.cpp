#include "core/run/embedded.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/plan/validate.h"

namespace hw {
namespace {

/// Where a buffer starts, as each tensor in it that the model places sees it.
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

/// What is wrong with the model's offsets when tensors share storage like this; empty: nothing.
std::string faultOf(const Graph& graph, const Storage& storage, Bytes alignment) {
  Problem problem;
  problem.pools.add({});
  Plan plan;
  std::vector<TensorId> roots;
  for (const Buffer& buffer : storage.buffers) {
    const Origin origin = originOf(graph, storage, buffer);
    if (origin.contradicts) {
      return fmt::format("{} is placed apart from {}, whose bytes it shares",
                         nameOf(graph, origin.contradicts), nameOf(graph, buffer.root));
    }
    if (!origin.start) continue;
    if (!isAligned(*origin.start, alignment)) {
      return fmt::format("{} is at byte {}, not a multiple of {}", nameOf(graph, buffer.root),
                         origin.start->count(), alignment.count());
    }
    problem.stays.add({.buffer = BufferId(roots.size()),
                       .steps = buffer.steps,
                       .size = alignUp(buffer.size, alignment),
                       .alignment = alignment});
    problem.steps = std::max(problem.steps, buffer.steps.end);
    plan.addresses.add(Address{PoolId(0), RegionId(0), *origin.start});
    roots.push_back(buffer.root);
  }
  Bytes end;
  for (const StayId id : problem.stays.keys()) {
    end = std::max(end, plan.addresses[id]->offset + problem.stays[id].size);
  }
  plan.regions.resize(1);
  plan.regions[PoolId(0)].add(end);
  for (const Violation& violation : validate(problem, plan, 1)) {
    if (!violation.a || !violation.b) return violation.message;
    return fmt::format("{} and {} share bytes while both are needed",
                       nameOf(graph, roots[violation.a.index()]),
                       nameOf(graph, roots[violation.b.index()]));
  }
  return {};
}

}  // namespace

bool hasOwnPlan(const Graph& graph) {
  return std::ranges::any_of(graph.tensors,
                             [](const Tensor& tensor) { return tensor.plannedOffset.has_value(); });
}

bool appliesTo(const AllocatorInfo& info, const Graph& graph) {
  return info.way != Way::embedded || hasOwnPlan(graph);
}

std::vector<AllocatorChoice> allAllocators(const Graph& graph) {
  std::vector<AllocatorChoice> all;
  for (const AllocatorInfo& info : allocatorCatalog()) {
    if (appliesTo(info, graph)) all.push_back({.info = &info});
  }
  return all;
}

Bytes ownAlignment(const Graph& graph) {
  Bytes alignment{64};
  for (const Tensor& tensor : graph.tensors) {
    while (tensor.plannedOffset && !isAligned(*tensor.plannedOffset, alignment)) {
      alignment = Bytes(alignment.count() / 2);
    }
  }
  return alignment;
}

Result<AliasRules> ownAlias(const Graph& graph, const Schedule& schedule,
                            const StorageOptions& options) {
  std::string first;
  for (const AliasRules& rules : {AliasRules::none(), AliasRules(), AliasRules::all()}) {
    StorageOptions candidate = options;
    candidate.alias = rules;
    const Storage storage = shareStorage(graph, schedule, candidate);
    const std::string fault = faultOf(graph, storage, options.alignment);
    if (fault.empty()) return rules;
    if (first.empty()) first = fault;
  }
  return fail(ErrorCode::unsupported,
              "the plan that came with the model cannot be followed: " + first +
                  "; 'highwater check MODEL embedded' lists everything");
}

Problem pinnedToOwnPlan(const Graph& graph, const Storage& storage, Problem problem) {
  for (Stay& stay : problem.stays) {
    stay.pinned = originOf(graph, storage, storage.buffers[stay.buffer]).start;
  }
  return problem;
}

}  // namespace hw
