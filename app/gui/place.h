#pragma once

#include "app/gui/request/arguments.h"
#include "widgets/state/view_state.h"

namespace hw {

/// Takes all views to the axis, the step, the range and the tensor that the command line names, as
/// far as it names any. Fails, and says which there are, when the run on show does not have them.
Result<void> goToPlace(const StudioArguments& arguments, ViewState& state);

}  // namespace hw
