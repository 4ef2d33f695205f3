#pragma once

#include "core/base/dice.h"
#include "core/solver/exact/jigsaw.h"

namespace hw::exact {

/// How many pairs, or wheels, as good as one there may be by chance for it to be joined, and which
/// kinds are.
struct LikelyKinds {
  double most = 0;
  bool rows = true;
  bool piles = true;
};

/// Joins what fits together too well to do so by chance, as far as heights tell: where there are
/// few different heights, two of one height that meet mean little, and are left to a search. Rows
/// are two of one height, one behind the other; piles two of one life; wheels four around a fifth.
void joinLikely(Jigsaw& jigsaw, LikelyKinds kinds, Dice& dice);

}  // namespace hw::exact
