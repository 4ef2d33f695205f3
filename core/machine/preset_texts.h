#pragma once

#include <span>
#include <string_view>

namespace hw {

/// The files of core/machine/presets, compiled in by cmake/platform_presets.cmake; the default
/// platform first.
std::span<const std::string_view> presetTexts();

}  // namespace hw
