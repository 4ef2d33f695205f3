#pragma once

#include <QFont>
#include <QPainter>
#include <memory>
#include <optional>

#include "widgets/canvas/block_store.h"
#include "widgets/canvas/map_raster.h"
#include "widgets/canvas/moved_blocks.h"
#include "widgets/canvas/plot_frame.h"
#include "widgets/ghost.h"

namespace hw {

/// Everything a memory map shows: plain data, so that the screen, a picture file and a test draw
/// the same thing through one path.
struct MapScene {
  std::shared_ptr<const Run> run{};            ///< Never null.
  std::shared_ptr<const BlockStore> blocks{};  ///< Of `pool`; never null.
  PoolId pool{0};
  MapWindow window{};
  double playhead = 0;          ///< In steps.
  Step step{};                  ///< The step under way: what lives at it is drawn as alive.
  bool started = false;         ///< False at the very start, when nothing is alive yet.
  std::vector<double> marks{};  ///< In steps.
  std::vector<Ghost> ghosts{};  ///< Of the selected stay, of all pools.
  bool hexAddresses = false;
  StayId selected{};
  OpId selectedOp{};
  StayId hovered{};
  /// What to hatch, of `blocks`; null when this map is held against no other.
  std::shared_ptr<const MovedBlocks> moved{};
  QString title{};       ///< What stands above the map; empty: its pool and method.
  int corner = 0;        ///< Pixels to leave free at the right end of the title, for buttons.
  bool loading = false;  ///< `blocks` are still being sorted: nothing can be said about them.
  std::shared_ptr<const StayFilter> filter{};  ///< What it does not keep is pale.
  std::optional<Interval<Step>> marked{};      ///< A range of steps between two lines.

  /// True for what the filter does not keep.
  bool isPale(StayId stay) const { return filter && !filter->keeps(stay); }
  /// True for all stays of the selected stay's buffer.
  bool isSelected(StayId stay) const;
  /// What to write above the map.
  QString heading() const;
};

/// Draws maps. Holds no state beyond its arguments.
class MapPainter {
 public:
  MapPainter(const MapScene& scene, const PlotFrame& frame);

  StepAxis stepAxis() const;
  ByteAxis byteAxis() const;

  /// What to rasterize for this scene, at `ratio` device pixels per logical one.
  MapRequest request(double ratio, const QFontMetrics& metrics) const;

  /// Hatches what has moved and writes names into the blocks of `raster` that have room for one;
  /// once, after rasterizing.
  void writeLabels(MapRaster& raster, const QFont& font) const;

  /// Draws everything; a raster of another window is stretched to where it belongs.
  void paint(QPainter& painter, const MapRaster& raster) const;

  /// How many blocks `paintExact` is for; with more, a picture of pixels is smaller and no worse.
  static constexpr std::size_t kMostExact = 20'000;

  /// The same as shapes and text instead of pixels, for paper: a rectangle a block.
  void paintExact(QPainter& painter) const;

 private:
  void paintOver(QPainter& painter) const;
  void paintAround(QPainter& painter, const QString& note) const;
  void paintExactGrid(QPainter& painter) const;
  void paintExactBlock(QPainter& painter, std::size_t index) const;
  void paintHatch(QPainter& painter, const QRectF& box) const;
  void writeHatch(QPainter& past, QPainter& future, const MapRaster& raster) const;
  QString note(const MapRaster& raster) const;
  void paintRaster(QPainter& painter, const MapRaster& raster) const;
  void paintOpColumn(QPainter& painter) const;
  void paintMarked(QPainter& painter) const;
  void paintLive(QPainter& painter) const;
  void paintSelection(QPainter& painter) const;
  void paintGhosts(QPainter& painter) const;
  void paintHover(QPainter& painter) const;
  void paintLines(QPainter& painter) const;
  void paintBlock(QPainter& painter, std::size_t index) const;
  QRectF rectOf(std::size_t index) const;
  std::vector<StayId> selectedStays() const;

  const MapScene& scene_;
  PlotFrame frame_;
  MapRequest exact_;  ///< Maps blocks to logical pixels of the plot.
  MapColors colors_;
};

}  // namespace hw
