#pragma once

#include "core/allocators/allocator.h"
#include "core/latency/latency_search.h"
#include "core/sim/tensor_places.h"

namespace hw {

/// What `Hasten` is, for a run on a machine: `plan`, which is `input.plan` before it was finished,
/// gets other addresses within the capacities of `input.problem`, with which `input` ends sooner.
/// One that does not fit stays as it is. So does any where one thing follows the other, for no
/// addresses are faster than others there; a note says so.
void hastenPlan(const SimulationInput& input, const PlanContext& context, const HasteLimits& limits,
                Plan& plan);

/// Plans from which a search within the capacities of `problem` sets out: `lowest`, and that of
/// `idle-longest`, each if it fits. Both are finished plans.
std::vector<TimedPlan> latencyStarts(const Problem& problem, const Plan& lowest,
                                     const PlanContext& context);

/// "proved: no plan of this order within 10.55 MiB is faster than 28.94 ms", and how near a search
/// came to it.
std::string proofText(const Problem& problem, const LatencySearchResult& result);

/// By pool; nothing: unbounded.
std::vector<std::optional<Bytes>> capacitiesOf(const Problem& problem);

/// Where the stays of `plan` lie, by stay; kNowhere where it says nothing.
std::vector<Bytes> offsetsOf(const Plan& plan);
/// Moves them.
void setOffsets(const std::vector<Bytes>& offsets, Plan& plan);

}  // namespace hw
