#pragma once

#include <QSize>
#include <QString>
#include <optional>
#include <span>

namespace hw {

/// The content of a picture.
enum class PictureKind { window, views, map, chart, now, lanes, conflicts, compare };

/// The size of a picture, and of its letters.
enum class PicturePreset {
  screen,  ///< As large as on the screen, or as asked for.
  slide,   ///< 16:9, 13.3 inches wide.
  column,  ///< The column of a paper, 88 mm wide, letters of 7.5 pt.
  page,    ///< A4 lying, with margins.
};

enum class PictureColors { screen, light, dark };

/// Everything that can be chosen about a picture.
struct PictureStyle {
  PictureKind kind = PictureKind::map;
  PicturePreset preset = PicturePreset::screen;
  PictureColors colors = PictureColors::screen;
  int scale = 1;  ///< Pixels a unit of a PNG, 1 to 3.
  bool footer = true;
  friend bool operator==(const PictureStyle&, const PictureStyle&) = default;
};

/// A name on the command line and in settings, and what it means.
template <class Value>
struct NamedValue {
  const char* name;
  Value value;
};

std::span<const NamedValue<PictureKind>> pictureKinds();
std::span<const NamedValue<PicturePreset>> picturePresets();
std::span<const NamedValue<PictureColors>> pictureColors();

template <class Value>
std::optional<Value> valueNamed(std::span<const NamedValue<Value>> values, const QString& name) {
  for (const auto& each : values) {
    if (name == QLatin1String(each.name)) return each.value;
  }
  return {};
}

template <class Value>
QString nameOf(std::span<const NamedValue<Value>> values, Value value) {
  for (const auto& each : values) {
    if (each.value == value) return QString::fromLatin1(each.name);
  }
  return {};
}

/// The measures of a preset; `screen` gives no size.
struct PresetMeasures {
  QSize size{};  ///< Units of 1/96 inch.
  int margin = 0;
  double letters = 12;
};
PresetMeasures measuresOf(PicturePreset preset);

/// Only the whole window cannot be had in another size or other colours than it has.
inline bool isFree(PictureKind kind) { return kind != PictureKind::window; }

}  // namespace hw
