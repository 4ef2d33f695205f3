#pragma once

#include "core/picture/stage/sketch.h"
#include "core/plan/method_record.h"
#include "core/run/run.h"

namespace hw::stage {

/// The ops around the step that tick `ticks` looks at, in a row at the bottom of `where`, below the
/// sub-functions and execution units that they belong to if they are dealt out to devices; returns
/// what is left above. Nothing of a run without ops, or where there is little room.
Box drawSchedule(Sketch& sketch, const Run& run, const MethodRecord& record, std::size_t ticks,
                 const Box& where);

}  // namespace hw::stage
