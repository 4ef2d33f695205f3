#pragma once

#include <QPainter>
#include <QSize>
#include <QString>
#include <functional>

#include "core/base/result.h"
#include "widgets/theme.h"

namespace hw {

/// Something that can be drawn into a rectangle of any painter.
struct Picture {
  QSize size{};  ///< In units of 1/96 inch: pixels of a PNG at scale 1.
  QString title{};
  std::function<void(QPainter&, const QRect&)> paint{};
  /// The same as SVG text of that size, footer and all, where something better is known than
  /// recording `paint`; without margins.
  std::function<QByteArray(const QSize&, bool footer)> svg{};
  /// True when `paint` relies on clipping, which Qt 6.4 drops when it records SVG: the SVG then
  /// holds an image of twice the resolution, a PDF one of three times.
  bool clips = false;
  /// Where the picture comes from, written below it inside `size`; empty: nothing.
  QString footer{};
  int scale = 1;   ///< Pixels a unit of a PNG, 1 to 3.
  int margin = 0;  ///< Units on each side.
  /// The colours of all of it; null: those of the screen. Lives as long as the program.
  const Theme* theme = nullptr;
  double letters = 12;  ///< Units high are those of the text: 12 are 9 pt.
};

/// Writes `picture` as PNG, SVG or PDF, by the ending of `file`. Equal pictures give equal bytes; a
/// file that cannot be finished is not left behind, and one that was there before stays.
Result<void> writePicture(const Picture& picture, const QString& file);

/// The picture as pixels, `scale` a unit.
QImage imageOf(const Picture& picture);

/// Refuses endings that `writePicture` cannot write.
Result<void> checkPictureFile(const QString& file);

/// Puts `bytes` where `file` says, whole or not at all.
Result<void> writeWhole(const QString& file, const QByteArray& bytes);

/// `text` in lines no wider than `width`: broken between words, and inside those that are too long.
QStringList brokenLines(const QString& text, const QFontMetricsF& metrics, double width);

}  // namespace hw
