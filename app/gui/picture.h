#pragma once

#include <QPainter>
#include <QSize>
#include <QString>
#include <functional>

#include "core/base/result.h"

namespace hw {

/// Something that can be drawn into a rectangle of any painter.
struct Picture {
  QSize size{};
  QString title{};
  std::function<void(QPainter&, const QRect&)> paint{};
  /// The same as SVG text of that size, where something better is known than recording `paint`.
  std::function<QByteArray(const QSize&)> svg{};
  /// True when `paint` relies on clipping, which Qt 6.4 drops when it records SVG: the SVG then
  /// holds an image of twice the resolution.
  bool clips = false;
};

/// Writes `picture` as PNG or SVG, by the ending of `file`. Equal pictures give equal bytes; a file
/// that cannot be finished is not left behind, and one that was there before stays.
Result<void> writePicture(const Picture& picture, const QString& file);

/// Refuses endings that `writePicture` cannot write.
Result<void> checkPictureFile(const QString& file);

}  // namespace hw
