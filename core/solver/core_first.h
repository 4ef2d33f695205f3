#pragma once

#include <functional>

#include "core/plan/problem.h"
#include "core/solver/fast/fast_search.h"

namespace hw {

struct CoreFirstOptions {
  Bytes below{};           ///< Only a lower peak is of use.
  Bytes bound{};           ///< Nothing lower is possible: reason to stop.
  std::int64_t moves = 0;  ///< Placements of the skyline at most, over all cores.
  std::uint64_t seed = 1;
  std::function<bool()> stopped{};  ///< Asked now and then.
};

struct CoreFirst {
  IdMap<StayId, Bytes> offsets{};  ///< Empty: no lower peak was found.
  Bytes peak{};
  std::int64_t moves = 0;
};

/// At the steps with the most live bytes nearly everything has to fit together; elsewhere there is
/// room to spare. So the stays that are live at the fullest steps, the *core*, are packed alone by
/// `searchFast`: a few of many stays, which it packs often for few moves. They stay where they are
/// then, and the others are placed around them, those of fuller steps first, of these the largest,
/// each into the tightest gap.
///
///     bound - - - - - - - - ____ - - - - - - -
///                   ____   |    |                the core: what is live at the two fullest steps
///      ...    .....|    |__|    |__    .....     dots: the others, which find room around it
///      ....  ......|       |       |........
///
/// Full is what has nearly the most bytes live; less and less suffices from core to core. Pinned
/// stays are where they are, and gaps are used by those around the core. `rectangles` are those of
/// the pool. The same for the same seed and moves. O(n) for each stay around, at worst.
CoreFirst packCoreFirst(const Problem& problem, PoolId pool, const Rectangles& rectangles,
                        const CoreFirstOptions& options);

}  // namespace hw
