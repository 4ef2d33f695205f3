#pragma once

#include <QPainter>
#include <QRect>
#include <memory>
#include <vector>

#include "core/picture/axis.h"
#include "core/picture/block_store.h"
#include "widgets/now/memory_scene.h"

namespace hw {

/// One pool's place on the screen.
struct MemoryRow {
  PoolId pool{};
  QRect label{};  ///< Left of the bar: name and bytes in use.
  QRect bar{};
  QRect ticks{};  ///< Below the bar.
  ByteAxis axis{};
};

/// Where title and rows go inside `whole`: one row a pool, one below the other, bars aligned with
/// the plots of maps and charts. Where more than two pools are known, those that nothing was placed
/// in have none. Where there is little room, rows have no ticks.
std::vector<MemoryRow> memoryRows(const Run& run, const QRect& whole, const QFontMetrics& metrics);

/// The least height that shows every row well enough to be read.
int leastMemoryHeight(const Run& run, const QFontMetrics& metrics);

/// The pixels of a piece across its bar, with the rule of the maps: those whose centres it covers,
/// at least one for what has an owner.
QRect pieceBox(const MemoryRow& row, const ScenePiece& piece);

/// What is drawn besides the memory itself.
struct MemoryDecoration {
  std::size_t moment = 0;
  StayId selected{};
  StayId hovered{};
  bool hexAddresses = false;
  std::shared_ptr<const StayFilter> filter{};  ///< What it does not keep is pale.
  Step step{};                                 ///< Under way: who of those that share bytes lives.
  TensorId selectedPart{};                     ///< Of those that share the selected stay.
};

/// A whole piece as a block of the maps.
Block blockOf(const Run& run, const ScenePiece& piece);

void paintMemory(QPainter& painter, const QRect& whole, const Run& run, const MemoryScene& scene,
                 const MemoryDecoration& decoration);

}  // namespace hw
