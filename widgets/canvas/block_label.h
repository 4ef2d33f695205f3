#pragma once

#include <QPainter>
#include <QRectF>
#include <QString>

#include "widgets/canvas/block_store.h"

namespace hw {

/// "b8.add", made safe to show and not longer than anyone reads.
QString blockName(const Run& run, StayId stay);

/// "b8.add  9.00 KiB".
QString blockLabel(const Run& run, StayId stay);

/// Name, size, address, steps and class of a block, one a line, for tooltips.
QString blockDescription(const Run& run, const Block& block);

/// What fits into a box of a block's label, and the way it runs.
struct FittedLabel {
  QString text{};  ///< May be empty.
  bool upwards = false;
};

/// Name and size if they fit along the box, else the name whichever way it fits, else as much of
/// the name as still says something along the longer side.
FittedLabel fitLabel(const QFontMetricsF& metrics, const QSizeF& box, const Run& run, StayId stay);

/// Writes a label that was fitted to `box`, with the painter's pen and font.
void drawLabel(QPainter& painter, const QFontMetricsF& metrics, const QRectF& box,
               const FittedLabel& label);

/// Fits and writes.
void drawBlockLabel(QPainter& painter, const QRectF& box, const Run& run, StayId stay);

}  // namespace hw
