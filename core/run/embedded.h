#pragma once

#include "core/allocators/catalog.h"
#include "core/base/result.h"
#include "core/plan/metrics.h"
#include "core/storage/aliasing.h"

namespace hw {

// A plan that came with the model: offsets by tensor, followed by the way of planning `embedded`.

/// True when the model places any of its tensors itself.
bool hasOwnPlan(const Graph& graph);

/// The end of the highest tensor that the model places: the size of its plan. 0 without one.
Bytes ownPlanBytes(const Graph& graph);

/// False for `embedded` where the model brings no plan: its answer would be that of
/// `greedy-by-size` under a second name.
bool appliesTo(const AllocatorInfo& info, const Graph& graph);

/// The allocators for a model where "all" are asked for: the catalogue, as far as it applies,
/// without those that round sizes to the granules of a device, beside which small models say
/// nothing.
std::vector<AllocatorChoice> allAllocators(const Graph& graph);

/// The largest power of two up to 64 that all its offsets are multiples of, and the end of the
/// highest tensor, too, as far as that leaves 16 for TFLite: sizes rounded up to it never run into
/// a neighbour that the exact ones did not reach, and all together take what the plan takes.
Bytes ownAlignment(const Graph& graph);

/// The sharing rules under which the model's offsets make sense: none, views, or all, the first
/// with which what shares storage has one address and nothing else overlaps. Where there are none
/// such its author lets tensors overlap on purpose: then none, and `withDeclaredOverlaps`. Fails,
/// and names a tensor, where an offset is no multiple of the alignment.
Result<AliasRules> ownAlias(const Graph& graph, const Schedule& schedule,
                            const StorageOptions& options);

/// `storage`, shared by those rules, where tensors that the model's plan lets share bytes while
/// both are needed are one buffer, each at its place in it: planned, drawn and counted once. NPU
/// compilers do so who know more than lifetimes tell. It is the author's word, neither checked nor
/// an error.
Storage withDeclaredOverlaps(const Graph& graph, Storage storage, Bytes alignment);

/// The metrics of a plan of such a storage. Of a buffer in which tensors overlap, those bytes count
/// at each step in which a tensor that is live then lies: the bound is one of every plan in which
/// each pair that overlaps lies as its author says, or apart.
PlanMetrics measureOwnPlan(const Graph& graph, const Storage& storage, const Problem& problem,
                           const Plan& plan);

/// Says how much of `planned` the model places, and how many pairs of tensors overlap so.
void addOwnPlanNotes(const Graph& graph, const Schedule& schedule, const StorageOptions& options,
                     const Problem& planned, std::vector<std::string>& notes);

/// `problem` with the stays pinned that the model places; the others are left to the allocator.
Problem pinnedToOwnPlan(const Graph& graph, const Storage& storage, Problem problem);

/// The same for a planning problem from a file, whose rows may have offsets. Fails, and names
/// buffers, where two of those share bytes while both are live, and where one is no multiple of its
/// alignment.
Result<Problem> pinnedToOwnPlan(const Graph& graph, Problem given);

}  // namespace hw
