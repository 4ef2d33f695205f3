#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/memory/memory_model.h"

namespace hw {

/// Reads a platform in TOML (docs/formats/platform.md). Unknown keys are errors that name the
/// closest known one; `where` gives line and column.
Result<Platform> parsePlatform(std::string_view toml);

/// The presets compiled into the program, parsed; the first is the default.
const std::vector<Platform>& platformCatalog();

/// A preset by name, or an error with the closest name there is.
Result<Platform> findPlatform(std::string_view name);

}  // namespace hw
