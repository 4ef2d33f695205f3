#pragma once

#include <string>

#include "core/insight/autopsy.h"
#include "core/run/run.h"

namespace hw {

/// Why the plan does not fit: one sentence with the figures that matter.
std::string autopsyText(const Run& run, const Autopsy& found);

}  // namespace hw
