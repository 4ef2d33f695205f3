#pragma once

#include "app/gui/request/arguments.h"

namespace hw {

/// Opens, plans and draws without a window on any screen; needs a QApplication. Complains to
/// standard error. Returns the program's exit code: 0 done, 1 the plan does not fit (the picture is
/// written all the same), 2 bad usage, 3 bad input or a file that cannot be written.
int exportFromCommandLine(const StudioArguments& arguments);

}  // namespace hw
