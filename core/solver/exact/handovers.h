#pragma once

#include <cstdint>
#include <vector>

#include "core/solver/exact/boxes.h"

namespace hw::exact {

/// Boxes that were made one, because they fit together too well for it to be by chance: as one
/// they are fewer to search. What holds for them holds for the boxes they are made of; that none
/// of their plans fits says nothing.
struct Joined {
  Boxes boxes{};

  /// A box of the whole inside one that was joined.
  struct Place {
    std::uint32_t joined = 0;
    std::int64_t offset = 0;  ///< Inside it, in units.
  };
  std::vector<Place> places{};  ///< By box of the whole.

  /// Offsets of the whole, in units, from those of the joined.
  std::vector<std::int64_t> offsetsOf(const std::vector<std::int64_t>& joined) const;
};

/// Joins, again and again: a box and the next that begins where it ends, both equally high (one
/// takes over the bytes of the other); and two to four that live side by side, of one length, where
/// a box as high as all of them, or two, end where they begin, or begin where they end; and four
/// around a middle, as in a wheel. Boxes that are aligned, pinned or have gaps are left alone.
/// Which of several equals are joined depends on `seed`. Nothing is joined where there are more
/// than 5,000.
Joined joinHandovers(const Boxes& whole, Bytes capacity, std::uint64_t seed);

}  // namespace hw::exact
