#pragma once

#include <QPainter>
#include <QSize>
#include <QString>
#include <functional>

#include "app/gui/request/picture_style.h"
#include "core/base/result.h"
#include "core/picture/chart_scene.h"
#include "core/picture/conflict_scene.h"
#include "core/picture/map_scene.h"
#include "widgets/base/theme.h"

namespace hw {

/// Something that can be drawn into a rectangle of any painter.
struct Picture {
  QSize size{};  ///< In units of 1/96 inch: pixels of a PNG at scale 1.
  QString title{};
  std::function<void(QPainter&, const QRect&)> paint{};
  /// The same for SVG, with names, ids and tooltips; none: what `paint` does is recorded.
  std::function<void(Canvas&, const Box&)> draw{};
  /// True when `paint` relies on clipping, which Qt 6.4 drops when it records SVG: the SVG then
  /// holds an image of twice the resolution, a PDF one of three times.
  bool clips = false;
  /// The source of the picture, written below it inside `size`; empty: nothing.
  QString footer{};
  int scale = 1;   ///< Pixels a unit of a PNG, 1 to 3.
  int margin = 0;  ///< Units on each side.
  /// The colours of all of it; null: those of the screen. Lives as long as the program.
  const Theme* theme = nullptr;
  double letters = 12;  ///< Units high are those of the text: 12 are 9 pt.
};

/// Maps one below the other, as even as whole units allow.
Picture pictureOf(const std::vector<MapScene>& maps);
Picture pictureOf(const ChartScene& chart);
Picture pictureOf(const ConflictScene& conflicts);

/// Of the size, the colours and with the footer that `style` asks for; `size` is for presets
/// without one. `run` may be null.
Picture styled(Picture picture, const PictureStyle& style, const QSize& size, const Run* run);

/// Writes `picture` as PNG, SVG, PDF or a WebP of one frame, by the ending of `file`. Equal
/// pictures give equal bytes, but for the time in a PDF; a file that cannot be finished is not left
/// behind, and one that was there before stays.
Result<void> writePicture(const Picture& picture, const QString& file);

/// The picture as pixels, `scale` a unit.
QImage imageOf(const Picture& picture);

/// "svg" of "a/map.SVG".
QString endingOf(const QString& file);

/// True where the file plays a run instead of showing one moment of it.
bool isMoving(const QString& file);

/// Refuses endings that `writePicture` cannot write.
Result<void> checkPictureFile(const QString& file);

/// Puts `bytes` where `file` says, whole or not at all.
Result<void> writeWhole(const QString& file, const QByteArray& bytes);

/// Letters `units` high, whatever the resolution of what they are written on.
QFont withLetters(QFont font, double units);

/// The font of printed pages: placed where the layout thinks, not where pixels would be.
QFont paperFont(double letters);

/// A PDF with pages of `page` units. `draw` is called once, with a painter on the first page and
/// what starts the next one. Qt dates the file.
QByteArray pdfOf(const QSizeF& page, const QString& title, double letters,
                 const std::function<void(QPainter&, const std::function<void()>&)>& draw);

}  // namespace hw
