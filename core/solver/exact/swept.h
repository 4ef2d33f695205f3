#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/solver/exact/boxes.h"

namespace hw::exact {

/// True if `capacity`, which is not below the load, leaves so little free of few enough units that
/// all of it may be packed by `packFull`.
bool isNearlyFull(const Boxes& boxes, Bytes capacity);

struct Swept {
  std::optional<std::vector<std::int64_t>> offsets{};  ///< By box, in units; nothing: not found.
  std::int64_t work = 0;  ///< About so many nodes of the skyline search take as long.
};

/// One try to pack boxes that fill `capacity`, with what is free as boxes of its own, drawn by
/// `seed`: some of the boxes are joined, and a `HandoverSweep` packs what they become, from the
/// first step to the last or back. That it finds nothing says nothing.
Swept packFull(const Boxes& boxes, Bytes capacity, std::uint64_t seed,
               const std::function<bool()>& stopped);

/// One try to pack boxes into `capacity` that need not fill it: in two of three seeds some are
/// joined as by `packFull`, and a beam search with noise (`packByBeam`) packs what they become.
Swept packNearlyFull(const Boxes& boxes, Bytes capacity, std::uint64_t seed,
                     const std::function<bool()>& stopped);

}  // namespace hw::exact
