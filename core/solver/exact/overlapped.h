#pragma once

#include "core/solver/exact/exact.h"

namespace hw {

/// `solveExact` for pools in which outputs may overlap inputs: orders of placement are improved by
/// swaps, from every order there is, and a search that proves asks whether the bound suffices, and
/// then whether less than the best plan does. The bound is that of the live bytes, each overlap as
/// near as it may be (`lowerBound`), until the search has proved a higher one. With pins there are
/// no proofs.
ExactResult solveOverlapped(const Problem& problem, PoolId pool, const ExactOptions& options);

}  // namespace hw
