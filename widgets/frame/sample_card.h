#pragma once

#include <QImage>
#include <QRectF>
#include <QString>
#include <vector>

#include "core/run/run.h"
#include "widgets/base/theme.h"

namespace hw {

/// What a sample looks like at a glance: its map in small, and its figures.
struct SampleCard {
  struct Block {
    QRectF place{};  ///< In the unit square: steps to the right, addresses upwards.
    TensorClass kind = TensorClass::intermediate;
  };
  QString figures{};  ///< "122 operators, 9.19 MiB in unlimited L2".
  std::vector<Block> blocks{};
};

/// Of the first pool of `run`; of many blocks the largest.
SampleCard sampleCard(const Run& run);

/// The card's map in the colours of `theme`, `scale` pixels a point.
QImage cardPicture(const SampleCard& card, const QSize& size, const Theme& theme, double scale);

}  // namespace hw
