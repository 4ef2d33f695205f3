#pragma once

#include <string>

#include "core/machine/memory_model.h"

namespace hw {

/// "4GB/s", "6400MB/s": exact, as platforms are read.
std::string rateText(std::int64_t rate);

/// The platform as a TOML file (docs/formats/platform.md), which `parsePlatform` reads as the same;
/// only its `file` is no part of it.
std::string platformToml(const Platform& platform);

}  // namespace hw
