#pragma once

#include <QImage>
#include <QRect>
#include <QSize>
#include <optional>
#include <vector>

#include "core/picture/block_store.h"
#include "widgets/map/map_colors.h"

namespace hw {

/// A drawing and its size. Pixels here are those of the device.
struct MapRequest {
  MapWindow window{};
  QSize size{1, 1};
  double ratio = 1;          ///< Device pixels per logical pixel.
  std::vector<int> gridX{};  ///< Columns and rows of the grid lines.
  std::vector<int> gridY{};
  MapColors colors{};
  std::shared_ptr<const StayFilter> filter{};  ///< All that it leaves out is pale; null: nothing.

  double pixelsPerUnit() const { return size.width() / (window.end - window.begin); }
  double pixelsPerByte() const { return size.height() / (window.highByte - window.lowByte); }
  double toX(double place) const { return (place - window.begin) * pixelsPerUnit(); }
  double toY(double byte) const { return (window.highByte - byte) * pixelsPerByte(); }
  /// The pixels whose centres lie in `block`; at least one pixel each way. Not clipped.
  QRect boxOf(const Block& block) const;
  friend bool operator==(const MapRequest&, const MapRequest&) = default;
};

/// A map drawn once, for as long as nobody zooms, pans or resizes.
///
/// There are two pictures of the same blocks, because whether a block is past or future depends on
/// the playhead, and everything that differs lies on one side of it: the screen shows `past` left
/// of the playhead, `future` right of it, and the few blocks alive now on top.
///
/// A block at least one pixel wide and high fills the pixels whose centres it covers, so that
/// neighbours meet without gap or overlap. Smaller ones share pixels: there the colour says how
/// much of the pixel is occupied, and by which classes.
struct MapRaster {
  MapRequest request{};
  QImage past{};
  QImage future{};
  std::vector<std::uint32_t> ids{};    ///< Per pixel: block index + 1, or 0.
  std::vector<std::uint32_t> roomy{};  ///< Blocks that a label might fit in, ascending.
  std::size_t drawn = 0;               ///< Blocks on screen.
  std::size_t shared = 0;              ///< Blocks smaller than a pixel that had to share one.
  std::vector<std::uint64_t> cover{};  ///< Scratch: kept for the next picture of the same size.

  /// The block that covers the centre of a pixel; else, of those too small to be sure of a centre
  /// that touch it, the one from the highest row on screen, then the first. Nothing outside.
  std::optional<std::size_t> blockAt(int x, int y) const;
};

/// Draws the blocks of `store` that meet the request's window. Pure: may run on any thread.
MapRaster rasterize(const BlockStore& store, const MapRequest& request);

/// The same into a raster whose memory is used again: getting 32 MB of fresh memory from the system
/// takes longer than drawing 100,000 blocks.
void rasterize(const BlockStore& store, const MapRequest& request, MapRaster& raster);

}  // namespace hw
