#pragma once

#include "core/allocators/catalog.h"
#include "core/base/result.h"
#include "core/plan/problem.h"
#include "core/storage/aliasing.h"

namespace hw {

// A plan that came with the model: offsets by tensor, followed by the way of planning `embedded`.

/// True when the model places any of its tensors itself.
bool hasOwnPlan(const Graph& graph);

/// False for `embedded` where the model brings no plan: its answer would be that of
/// `greedy-by-size` under a second name.
bool appliesTo(const AllocatorInfo& info, const Graph& graph);

/// Who plans a model where "all" are asked for: the catalogue, as far as it applies.
std::vector<AllocatorChoice> allAllocators(const Graph& graph);

/// The largest power of two up to 64 that all its offsets are multiples of: sizes rounded up to it
/// never run into a neighbour that the exact ones did not reach.
Bytes ownAlignment(const Graph& graph);

/// The sharing rules under which the model's offsets make sense: none, views, or all, the first
/// with which what shares storage has one address and nothing else overlaps. Fails, and names two
/// tensors, when there are none such.
Result<AliasRules> ownAlias(const Graph& graph, const Schedule& schedule,
                            const StorageOptions& options);

/// `problem` with the stays pinned that the model places; the others are left to the allocator.
Problem pinnedToOwnPlan(const Graph& graph, const Storage& storage, Problem problem);

}  // namespace hw
