#pragma once

#include "core/picture/stage/sketch.h"
#include "core/picture/stage/stage.h"
#include "core/plan/method_record.h"
#include "core/run/run.h"

namespace hw::stage {

/// The lists of `stage` in `where`, in as many columns as have room, each row a chip. Lists that
/// are too long are left out in the middle, with a count.
void drawLists(Sketch& sketch, const Stage& stage, const MethodPlayer& player, const Box& where,
               StayId selected);

/// The height at which all rows have room.
double listsHeight(const Ruler& ruler, const Stage& stage, double width);

/// The ops around the step that tick `ticks` looks at, in a row at the bottom of `where`, below the
/// sub-functions and execution units that they belong to if they are dealt out to devices; returns
/// what is left above. Nothing of a run without ops, or where there is little room.
Box drawSchedule(Sketch& sketch, const Run& run, const MethodRecord& record, std::size_t ticks,
                 const Box& where);

}  // namespace hw::stage
