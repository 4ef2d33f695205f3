#pragma once

#include <memory>
#include <span>

#include "core/allocators/allocator.h"

namespace hw {

// One factory per method, and the parameters it reads. What each does is said once, in the
// catalogue (catalog.cpp), and, for the published ones, in docs/methods.md.

std::unique_ptr<Allocator> makeFreeList(const Params& params);
std::span<const ParamSpec> freeListParams();

std::unique_ptr<Allocator> makeBlockIds(const Params& params);
std::span<const ParamSpec> blockIdParams();

std::unique_ptr<Allocator> makeCaching(const Params& params);
std::span<const ParamSpec> cachingParams();

std::unique_ptr<Allocator> makeTwoSided(const Params& params);
std::span<const ParamSpec> twoSidedParams();

std::unique_ptr<Allocator> makePlacementSearch(const Params& params);
std::span<const ParamSpec> placementSearchParams();

std::unique_ptr<Allocator> makeGreedyBySize(const Params& params);
std::span<const ParamSpec> greedyBySizeParams();

std::unique_ptr<Allocator> makeGreedyByBreadth(const Params& params);

std::unique_ptr<Allocator> makeSharedObjects(const Params& params);
std::span<const ParamSpec> sharedObjectsParams();

std::unique_ptr<Allocator> makeInOrder(const Params& params);
std::span<const ParamSpec> fitParams();

std::unique_ptr<Allocator> makeStacked(const Params& params);
std::span<const ParamSpec> stackedParams();

std::unique_ptr<Allocator> makeIdleLongest(const Params& params);

std::unique_ptr<Allocator> makeSizeLength(const Params& params);

std::unique_ptr<Allocator> makeHillClimb(const Params& params);
std::unique_ptr<Allocator> makeAnnealedStack(const Params& params);
std::span<const ParamSpec> orderClimbParams();

std::unique_ptr<Allocator> makeExact(const Params& params);
std::span<const ParamSpec> exactParams();

std::unique_ptr<Allocator> makeKeepBest(const Params& params);

std::unique_ptr<Allocator> makeBest(const Params& params);
std::span<const ParamSpec> bestParams();

std::unique_ptr<Allocator> makeFast(const Params& params);
std::span<const ParamSpec> fastParams();

std::unique_ptr<Allocator> makeNoReuse(const Params& params);

}  // namespace hw
