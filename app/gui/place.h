#pragma once

#include "app/gui/arguments.h"

namespace hw {

class MainWindow;

/// Takes the window to the step, the range and the tensor that the command line names, as far as
/// it names any. Fails, and says which there are, when the run on show does not have them.
Result<void> goToPlace(const StudioArguments& arguments, MainWindow& window);

}  // namespace hw
