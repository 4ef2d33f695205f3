#pragma once

#include "core/picture/stage/sketch.h"
#include "core/picture/stage/stage.h"

namespace hw::stage {

/// The lists of `stage` in `where`, in as many columns as have room, each row a chip. Lists that
/// are too long are left out in the middle, with a count.
void drawLists(Sketch& sketch, const Stage& stage, const MethodPlayer& player, const Box& where,
               StayId selected);

/// The height at which all rows have room.
double listsHeight(const Ruler& ruler, const Stage& stage, double width);

}  // namespace hw::stage
