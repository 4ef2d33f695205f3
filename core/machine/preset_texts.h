#pragma once

#include <span>
#include <string_view>

namespace hw {

/// A preset: the name of its platform, and its file.
struct PresetText {
  std::string_view name;
  std::string_view toml;
};

/// The files of core/machine/presets, compiled in by cmake/platform_presets.cmake; the default
/// platform first.
std::span<const PresetText> presetTexts();

}  // namespace hw
