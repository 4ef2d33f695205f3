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

/// Writes as much of a block's label into `box` as fits (name and size, the name, a part of the
/// name, nothing), upwards when that is the only way. With the painter's pen and font.
void drawBlockLabel(QPainter& painter, const QRectF& box, const Run& run, StayId stay);

}  // namespace hw
