#pragma once

#include "core/solver/exact/boxes.h"

namespace hw {

/// A peak that no plan of the stays of `pool` can be below, without searching: the live maximum,
/// with what alignments and pins add to it. Each step is proved in docs/solver.md. Linear in the
/// sections that the stays cover.
Bytes provenBound(const Problem& problem, PoolId pool);

namespace exact {

/// The same for one part.
Bytes provenBound(const Boxes& boxes);

/// The least value from `bound` on that the peak of a plan can have: a whole number of units and
/// the size of some box.
Bytes attainable(const Boxes& boxes, Bytes bound);

}  // namespace exact
}  // namespace hw
