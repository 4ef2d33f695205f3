#pragma once

#include "core/run/run.h"

namespace hw {

/// The stay of `next` that holds what `stay` of `previous` holds; none when there is none or the
/// models differ.
StayId sameStay(const Run* previous, StayId stay, const Run* next);

}  // namespace hw
