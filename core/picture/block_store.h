#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/id.h"
#include "core/base/interval.h"
#include "core/graph/halo.h"
#include "core/picture/axis.h"
#include "core/picture/coloring.h"
#include "core/plan/decision.h"
#include "core/run/run.h"
#include "core/schedule/loops.h"

namespace hw {

class RunScale;

/// One rectangle of a memory map: a stay, or the part of one between two of its gaps.
struct Block {
  Interval<AxisPlace> span{};  ///< While it has its bytes, in the unit of its store.
  Interval<Bytes> bytes{};     ///< Flat: all regions of the pool laid one after the other.
  StayId stay{};
  BlockClass kind = BlockClass::buffer;
};

/// The part of a map that is on screen; fractions allowed.
struct MapWindow {
  double begin = 0;  ///< In the unit of the axis, like the next.
  double end = 1;    ///< Greater than `begin`.
  double lowByte = 0;
  double highByte = 1;  ///< Greater than `lowByte`.
  friend bool operator==(const MapWindow&, const MapWindow&) = default;
};

/// The rectangles of one pool, laid out for drawing: immutable columns in order of (begin, lowest
/// byte, stay), so that many threads may read them, with the bounds of every run of `kZone` blocks,
/// so that what is off screen is skipped a zone at a time. They lie among the steps, or in time.
class BlockStore {
 public:
  static constexpr std::size_t kZone = 256;

  BlockStore() = default;
  /// Blocks with an empty side are left out.
  explicit BlockStore(std::vector<Block> blocks, AxisUnit unit = AxisUnit::step,
                      std::shared_ptr<const Coloring> coloring = Coloring::byType());

  /// The placed stays of one pool of a run: over their live steps, or from when the run gives them
  /// their bytes to when it takes them back. Time only of a run that is timed. `coloring` is of
  /// the run.
  static BlockStore ofPool(const Run& run, PoolId pool, AxisUnit unit = AxisUnit::step,
                           std::shared_ptr<const Coloring> coloring = Coloring::byType());

  AxisUnit unit() const { return unit_; }
  /// What gave its blocks their classes.
  const Coloring& coloring() const { return *coloring_; }
  /// Bytes of the pieces in it that parts make again.
  const MadeAgain& madeAgain() const { return madeAgain_; }
  const std::vector<LoopTurns>& loops() const { return loops_; }

  std::size_t size() const { return stays_.size(); }
  Block block(std::size_t index) const;

  std::int64_t beginAt(std::size_t index) const { return begins_[index]; }
  std::int64_t endAt(std::size_t index) const { return ends_[index]; }
  std::int64_t lowByte(std::size_t index) const { return lows_[index]; }
  std::int64_t highByte(std::size_t index) const { return highs_[index]; }
  StayId stay(std::size_t index) const { return stays_[index]; }
  BlockClass kind(std::size_t index) const { return kinds_[index]; }

  /// The blocks of one stay, ascending; empty when it is not in this pool.
  std::span<const std::uint32_t> blocksOf(StayId stay) const;

  /// Calls `visit(index)` for every block that meets `window`, ascending.
  template <class Visit>
  void visit(const MapWindow& window, Visit&& visit) const;

  /// Number of blocks that a `visit` would look at: an upper bound of those on screen. O(zones).
  std::size_t countNear(const MapWindow& window) const;

 private:
  /// A window rounded outwards to whole places and bytes.
  struct Cut {
    std::int64_t begin, end;
    std::int64_t low, high;
    explicit Cut(const MapWindow& window);
  };
  struct Zone {
    std::int64_t begin, end;
    std::int64_t low, high;
    bool meets(const Cut& cut) const {
      return begin < cut.end && end > cut.begin && low < cut.high && high > cut.low;
    }
  };

  void buildZones();
  void buildIndex();

  AxisUnit unit_ = AxisUnit::step;
  std::shared_ptr<const Coloring> coloring_ = Coloring::byType();
  MadeAgain madeAgain_;
  std::vector<LoopTurns> loops_;
  std::vector<std::int64_t> begins_, ends_;
  std::vector<std::int64_t> lows_, highs_;
  std::vector<StayId> stays_;
  std::vector<BlockClass> kinds_;
  std::vector<Zone> zones_;
  std::vector<std::uint32_t> firstOfStay_;  ///< Per stay, into `byStay_`; one more at the end.
  std::vector<std::uint32_t> byStay_;
};

template <class Visit>
void BlockStore::visit(const MapWindow& window, Visit&& visit) const {
  const Cut cut(window);
  for (std::size_t zone = 0; zone < zones_.size(); ++zone) {
    if (zones_[zone].begin >= cut.end) return;  // Zones ascend by begin.
    if (!zones_[zone].meets(cut)) continue;
    const std::size_t last = std::min(size(), (zone + 1) * kZone);
    for (std::size_t i = zone * kZone; i < last; ++i) {
      if (begins_[i] < cut.end && ends_[i] > cut.begin && lows_[i] < cut.high &&
          highs_[i] > cut.low) {
        visit(i);
      }
    }
  }
}

/// A tensor that lies inside a block of a map with others: its own bytes for its own life.
struct PartBlock {
  TensorId tensor{};
  Interval<double> span{};  ///< On the axis of the scale; inside the block's.
  Interval<Bytes> bytes{};  ///< Flat, like the block's.
  BlockClass kind = BlockClass::boundary;
  OpId maker{};  ///< Of a piece: the op of the original graph whose parts made it.
};

/// Bytes of a piece that are there for more than one part of an op.
struct HaloBlock {
  Interval<double> span{};
  Interval<Bytes> bytes{};
  bool made = false;  ///< Made again; else kept to be read again.
};

/// The halo in `part`, one of those of a block of the store: what an earlier part made as well, and
/// the time after the first part of an op has read it, as long as others of that op still will.
std::vector<HaloBlock> haloOf(const Run& run, const RunScale& scale, const BlockStore& store,
                              const Block& block, const PartBlock& part);

/// The tensors that share `block`, larger ones first: whoever draws them in this order covers none.
/// Empty where one tensor has the block for itself. O(k log k).
std::vector<PartBlock> partBlocks(const Run& run, const RunScale& scale, const Block& block,
                                  const Coloring& coloring = {});

/// The last of them, as they are drawn, that has the byte at a place of the axis; none where no
/// tensor needs it.
TensorId partAt(const Run& run, const RunScale& scale, const Block& block, double place, Bytes at);

/// "ra: bytes 0–63 of c, no copy".
std::string partLabel(const Run& run, TensorId tensor);

/// Which blocks of a map lie elsewhere than the same tensors in another run of the same model.
struct MovedBlocks {
  std::vector<bool> moved{};  ///< Per block of the store.
  std::size_t count = 0;      ///< Of those that are true.

  bool contains(std::size_t index) const { return index < moved.size() && moved[index]; }
};

/// A block has stayed when the reference has the same bytes of the same buffer at the same
/// addresses of the same pool during any step that both know; everything else has moved. Nothing
/// has where operators run in other parts: then they have few tensors and no steps in common.
/// O(n log n) in blocks of both runs.
MovedBlocks movedBlocks(const Run& run, PoolId pool, const BlockStore& blocks,
                        const Run& reference);

/// A place that was considered for the selected stay and not taken, as maps draw it.
struct Ghost {
  PoolId pool{};
  Interval<Bytes> bytes{};  ///< What was free there; the stay's size where that has no end.
  Interval<Step> steps{};   ///< The stay's.
  Verdict verdict{};
  friend bool operator==(const Ghost&, const Ghost&) = default;
};

/// The stays that a search, a histogram or a table picked out; views draw the others pale.
/// Immutable and of one run, so that threads which draw may read it.
struct StayFilter {
  std::string title{};       ///< What was asked for, for people: "4.00 KiB to 64.0 KiB".
  std::vector<bool> kept{};  ///< By stay.
  std::size_t count = 0;     ///< How many are kept.

  bool keeps(StayId stay) const { return stay.index() < kept.size() && kept[stay.index()]; }
};

inline std::shared_ptr<const StayFilter> makeFilter(std::string title, std::vector<bool> kept) {
  const auto count = static_cast<std::size_t>(std::count(kept.begin(), kept.end(), true));
  return std::make_shared<const StayFilter>(StayFilter{std::move(title), std::move(kept), count});
}

}  // namespace hw
