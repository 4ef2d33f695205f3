#pragma once

#include <QPainter>
#include <QRect>
#include <QString>
#include <memory>
#include <vector>

#include "core/picture/axis.h"
#include "core/picture/block_store.h"
#include "core/plan/frames.h"
#include "core/run/run.h"

namespace hw {

/// A piece of a pool as the eye sees it, at one moment or between two.
struct ScenePiece {
  PoolId pool{};
  double low = 0;  ///< Bytes, flat; fractions only between two moments.
  double high = 0;
  StayId owner{};       ///< None: free.
  double presence = 1;  ///< 0 to 1: how far it has come, or how much of it is left.
  StayId former{};      ///< While something takes over from another: the one before.
  bool rest = false;    ///< Of a block that somebody has: neither used nor free.
  friend bool operator==(const ScenePiece&, const ScenePiece&) = default;
};

/// A cut between two free pieces that is opening (split) or closing (merge).
struct SceneCut {
  PoolId pool{};
  double at = 0;        ///< Bytes, flat.
  double openness = 0;  ///< 0: not there, 1: fully open.
  friend bool operator==(const SceneCut&, const SceneCut&) = default;
};

/// A tensor on its way from one pool to another: pushed out to a slower one (spill), or brought
/// back (fill).
struct SceneFlight {
  StayId owner{};
  PoolId fromPool{};
  double fromLow = 0;  ///< Bytes, flat.
  double fromHigh = 0;
  PoolId toPool{};
  double toLow = 0;
  double toHigh = 0;
  double progress = 0;  ///< 0: where it comes from, 1: arrived.
  bool isFill = false;
  friend bool operator==(const SceneFlight&, const SceneFlight&) = default;
};

/// A block that is taken as a whole, whoever of its tenants lives.
struct SceneFrame {
  PoolId pool{};
  double low = 0;  ///< Bytes, flat.
  double high = 0;
  friend bool operator==(const SceneFrame&, const SceneFrame&) = default;
};

/// The content of the memory bars: pieces by pool, then address; what is still leaving lies on top
/// of what it leaves behind, later in the list.
struct MemoryScene {
  std::vector<ScenePiece> pieces{};
  std::vector<SceneCut> cuts{};
  std::vector<double> frontiers{};  ///< Per pool: bytes ever used so far.
  std::vector<SceneFlight> flights{};
  std::vector<SceneFrame> frames{};
  friend bool operator==(const MemoryScene&, const MemoryScene&) = default;
};

/// The blocks of every pool; none of a run with so many stays that nobody could tell them apart.
using RunFrames = IdMap<PoolId, std::vector<Frame>>;
RunFrames runFrames(const Run& run);

/// Memory exactly as it is after `moment` events. `frames` are the run's, or none.
MemoryScene memoryScene(const Run& run, std::size_t moment, const RunFrames& frames = {});

/// Memory on the way from one scene to another, `progress` from 0 to 1: allocations open up from
/// their low end, releases fade, the frontier moves, cuts open and close. At 1 it equals `to`.
MemoryScene between(const MemoryScene& from, const MemoryScene& to, double progress);

/// A move between pools from one scene to the next of the same run, at the start of its way: a
/// tensor that got its place in a slower pool because there was none in the faster, from above the
/// frontier there; and one that another pool holds, or held until now, from that place.
std::vector<SceneFlight> flights(const Run& run, const MemoryScene& from, const MemoryScene& to);

/// The last thing a person would say has happened by `moment`: "b takes over 4 B from a"; empty
/// before the first event.
QString happeningText(const Run& run, std::size_t moment);

/// One pool's place on the screen.
struct MemoryRow {
  PoolId pool{};
  QRect label{};  ///< Left of the bar: name and bytes in use.
  QRect bar{};
  QRect ticks{};  ///< Below the bar.
  ByteAxis axis{};
};

/// The places of title and rows inside `whole`: one row a pool, one below the other, bars aligned
/// with the plots of maps and charts. Where more than two pools are known, those that nothing was
/// placed in have none. Where there is little room, rows have no ticks.
std::vector<MemoryRow> memoryRows(const Run& run, const QRect& whole, const QFontMetrics& metrics);

/// The least height that shows every row well enough to be read.
int leastMemoryHeight(const Run& run, const QFontMetrics& metrics);

/// The pixels of a piece across its bar, with the rule of the maps: those whose centres it covers,
/// at least one for what has an owner.
QRect pieceBox(const MemoryRow& row, const ScenePiece& piece);

/// The things that are drawn besides the memory itself.
struct MemoryDecoration {
  std::size_t moment = 0;
  StayId selected{};
  StayId hovered{};
  bool hexAddresses = false;
  std::shared_ptr<const StayFilter> filter{};  ///< All that it leaves out is pale.
  Step step{};                                 ///< Under way: who of those that share bytes lives.
  std::shared_ptr<const Coloring> coloring = Coloring::byType();
  TensorId selectedPart{};  ///< Of those that share the selected stay.
};

/// A whole piece as a block of the maps.
Block blockOf(const Run& run, const ScenePiece& piece);

void paintMemory(QPainter& painter, const QRect& whole, const Run& run, const MemoryScene& scene,
                 const MemoryDecoration& decoration);

}  // namespace hw
