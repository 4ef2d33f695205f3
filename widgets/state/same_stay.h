#pragma once

#include <vector>

#include "core/run/run.h"

namespace hw {

/// The stay of `next` that holds what `stay` of `previous` holds; none when there is none or the
/// models differ.
StayId sameStay(const Run* previous, StayId stay, const Run* next);

/// The same for many stays at once: which stays of `next` hold what the marked stays of `previous`
/// hold, both of one model. O(tensors + stays).
std::vector<bool> sameStays(const Run& previous, const std::vector<bool>& marked, const Run& next);

}  // namespace hw
