#include "app/gui/request/picture_style.h"

#include <array>

namespace hw {

std::span<const NamedValue<PictureKind>> pictureKinds() {
  static constexpr std::array<NamedValue<PictureKind>, 8> kKinds = {{
      {"window", PictureKind::window},
      {"views", PictureKind::views},
      {"map", PictureKind::map},
      {"chart", PictureKind::chart},
      {"now", PictureKind::now},
      {"lanes", PictureKind::lanes},
      {"conflicts", PictureKind::conflicts},
      {"compare", PictureKind::compare},
  }};
  return kKinds;
}

std::span<const NamedValue<PicturePreset>> picturePresets() {
  static constexpr std::array<NamedValue<PicturePreset>, 4> kPresets = {{
      {"screen", PicturePreset::screen},
      {"16:9", PicturePreset::slide},
      {"column", PicturePreset::column},
      {"a4", PicturePreset::page},
  }};
  return kPresets;
}

std::span<const NamedValue<PictureColors>> pictureColors() {
  static constexpr std::array<NamedValue<PictureColors>, 3> kColors = {{
      {"screen", PictureColors::screen},
      {"light", PictureColors::light},
      {"dark", PictureColors::dark},
  }};
  return kColors;
}

PresetMeasures measuresOf(PicturePreset preset) {
  switch (preset) {
    case PicturePreset::screen:
      break;
    case PicturePreset::slide:
      return {.size = {1280, 720}, .letters = 14};
    case PicturePreset::column:
      return {.size = {333, 300}, .letters = 10};
    case PicturePreset::page:
      return {.size = {1123, 794}, .margin = 38};
  }
  return {};
}

}  // namespace hw
