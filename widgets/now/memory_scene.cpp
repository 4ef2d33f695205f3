#include "widgets/now/memory_scene.h"

#include <algorithm>
#include <tuple>

#include "core/base/text.h"
#include "core/picture/block_store.h"
#include "core/picture/map_scene.h"
#include "widgets/text/run_text.h"

namespace hw {

namespace {

/// The last entry that is over by `moment`; null before the first.
const TimelineEntry* lastEntry(const Run& run, std::size_t moment) {
  const auto next = std::ranges::upper_bound(run.timeline, moment, {}, &TimelineEntry::lastEvent);
  return next == run.timeline.begin() ? nullptr : &*std::prev(next);
}

auto place(const ScenePiece& piece) { return std::tuple(piece.pool, piece.low, piece.high); }

auto identity(const ScenePiece& piece) {
  return std::tuple(piece.pool, piece.low, piece.high, piece.owner);
}

bool holds(const MemoryScene& scene, const ScenePiece& piece) {
  // Pieces ascend by place, and no two of one moment share a place.
  const auto found = std::ranges::lower_bound(scene.pieces, place(piece), {}, place);
  return found != scene.pieces.end() && identity(*found) == identity(piece);
}

/// The cuts of `has` that `lacks` does not have and that lie inside one of its free pieces.
void addCuts(const MemoryScene& has, const MemoryScene& lacks, double openness,
             std::vector<SceneCut>& cuts) {
  auto around = lacks.pieces.begin();
  for (const ScenePiece& piece : has.pieces) {
    const auto before = [&](const ScenePiece& other) {
      return std::tuple(other.pool, other.high) <= std::tuple(piece.pool, piece.low);
    };
    while (around != lacks.pieces.end() && before(*around)) ++around;
    if (around == lacks.pieces.end()) return;
    if (around->pool != piece.pool || around->owner || around->low >= piece.low) continue;
    cuts.push_back({piece.pool, piece.low, openness});
  }
}

double mix(double from, double to, double progress) { return from + (to - from) * progress; }

}  // namespace

RunFrames runFrames(const Run& run) {
  constexpr std::size_t kMostFramed = 20'000;
  RunFrames frames;
  if (run.problem.stays.size() > kMostFramed) return frames;
  for (const PoolId pool : run.problem.pools.keys()) {
    frames.add(framesOf(run.problem, run.plan, pool));
  }
  return frames;
}

namespace {

/// Cuts the free pieces of `scene`, from `first` on, at the ends of `frame`: what lies in it is its
/// rest.
void cutRest(MemoryScene& scene, std::size_t first, const SceneFrame& frame) {
  std::vector<ScenePiece> pieces(scene.pieces.begin(),
                                 scene.pieces.begin() + static_cast<std::ptrdiff_t>(first));
  for (std::size_t i = first; i < scene.pieces.size(); ++i) {
    const ScenePiece& piece = scene.pieces[i];
    if (piece.owner || piece.rest || piece.low >= frame.high || frame.low >= piece.high) {
      pieces.push_back(piece);
      continue;
    }
    const auto put = [&](double low, double high, bool rest) {
      if (low >= high) return;
      pieces.push_back({.pool = piece.pool, .low = low, .high = high, .rest = rest});
    };
    put(piece.low, frame.low, false);
    put(std::max(piece.low, frame.low), std::min(piece.high, frame.high), true);
    put(frame.high, piece.high, false);
  }
  scene.pieces = std::move(pieces);
}

/// The frames of one pool, whose pieces are those from `first` on, that are there: a tenant is in
/// them, or the step under way keeps them.
void addFrames(const std::vector<Frame>& frames, Step now, std::size_t first, MemoryScene& scene) {
  std::vector<StayId> owners;
  for (std::size_t i = first; i < scene.pieces.size(); ++i) {
    if (scene.pieces[i].owner) owners.push_back(scene.pieces[i].owner);
  }
  std::ranges::sort(owners);
  const auto isIn = [&](StayId stay) { return std::ranges::binary_search(owners, stay); };
  for (const Frame& frame : frames) {
    const bool there =
        frame.block ? frame.steps.contains(now) || std::ranges::any_of(frame.block->tenants, isIn)
                    : isIn(frame.tenant) && frame.steps.contains(now);
    if (!there) continue;
    const SceneFrame found{.pool = scene.pieces[first].pool,
                           .low = static_cast<double>(frame.bytes.begin.count()),
                           .high = static_cast<double>(frame.bytes.end.count())};
    cutRest(scene, first, found);
    scene.frames.push_back(found);
  }
}

}  // namespace

MemoryScene memoryScene(const Run& run, std::size_t moment, const RunFrames& frames) {
  MemoryScene scene;
  const MemoryState state = run.trace.stateAfter(moment);
  const TimelineEntry* last = lastEntry(run, moment);
  const Step now(moment == 0 ? 0 : run.trace.event(moment - 1).step);
  for (const PoolId pool : run.problem.pools.keys()) {
    scene.frontiers.push_back(0);
    if (!state.contains(pool)) continue;
    const std::vector<Bytes> starts = run.plan.regionStarts(pool);
    const std::size_t first = scene.pieces.size();
    for (const RegionId region : IdRange<RegionId>(state[pool].regionCount())) {
      const Bytes start = starts[std::min(region.index(), starts.size() - 1)];
      for (const Chunk& chunk : state[pool].chunks(region)) {
        const Bytes low = start + chunk.offset;
        const auto high = static_cast<double>((low + chunk.size).count());
        const bool takesOver = last && chunk.owner && last->stay == chunk.owner &&
                               last->happening != Happening::release && last->lastEvent == moment;
        scene.pieces.push_back({.pool = pool,
                                .low = static_cast<double>(low.count()),
                                .high = high,
                                .owner = chunk.owner,
                                .former = takesOver ? last->formerTenant : StayId()});
        scene.frontiers.back() = std::max(scene.frontiers.back(), high);
      }
    }
    const bool any = scene.pieces.size() > first;
    if (any && frames.contains(pool)) addFrames(frames[pool], now, first, scene);
  }
  return scene;
}

MemoryScene between(const MemoryScene& from, const MemoryScene& to, double progress) {
  if (progress >= 1) return to;
  MemoryScene scene;
  scene.frames = to.frames;
  std::vector<ScenePiece> moving;
  for (ScenePiece piece : to.pieces) {
    if (!piece.owner || holds(from, piece)) {
      scene.pieces.push_back(piece);
      continue;
    }
    // What comes lies on the free memory it comes from and opens up from its low end.
    ScenePiece under = piece;
    under.owner = {};
    under.former = {};
    scene.pieces.push_back(under);
    piece.high = mix(piece.low, piece.high, progress);
    piece.presence = progress;
    moving.push_back(piece);
  }
  for (ScenePiece piece : from.pieces) {
    if (!piece.owner || holds(to, piece)) continue;
    piece.presence = 1 - progress;
    moving.push_back(piece);
  }
  scene.pieces.insert(scene.pieces.end(), moving.begin(), moving.end());
  addCuts(to, from, 4 * progress * (1 - progress), scene.cuts);
  addCuts(from, to, 1 - progress, scene.cuts);
  for (std::size_t pool = 0; pool < to.frontiers.size(); ++pool) {
    const double before = pool < from.frontiers.size() ? from.frontiers[pool] : 0;
    scene.frontiers.push_back(mix(before, to.frontiers[pool], progress));
  }
  return scene;
}

std::vector<SceneFlight> flights(const Run& run, const MemoryScene& from, const MemoryScene& to) {
  std::vector<SceneFlight> all;
  for (const ScenePiece& piece : to.pieces) {
    if (!piece.owner || holds(from, piece)) continue;
    SceneFlight flight{
        .owner = piece.owner, .toPool = piece.pool, .toLow = piece.low, .toHigh = piece.high};
    const BufferId buffer = run.problem.stays[piece.owner].buffer;
    const auto held = std::ranges::find_if(from.pieces, [&](const ScenePiece& other) {
      return buffer && other.owner && other.owner != piece.owner && other.pool != piece.pool &&
             run.problem.stays[other.owner].buffer == buffer;
    });
    if (held != from.pieces.end()) {
      flight.fromPool = held->pool;
      flight.fromLow = held->low;
      flight.fromHigh = held->high;
      flight.isFill = piece.pool < held->pool;
    } else if (run.problem.moves.empty() && run.problem.pools[piece.pool].level > 0) {
      flight.fromPool = PoolId(piece.pool.index() - 1);
      flight.fromLow = to.frontiers[flight.fromPool.index()];
      flight.fromHigh = flight.fromLow + piece.high - piece.low;
    } else {
      continue;
    }
    all.push_back(flight);
  }
  return all;
}

namespace {

/// "; spilled to L3: no room in L2", or where a move takes it from; empty for what lives where it
/// should.
QString spillText(const Run& run, const TimelineEntry& entry) {
  const bool takes = entry.happening != Happening::release && entry.happening != Happening::merge;
  if (!takes || !entry.stay) return {};
  const auto name = [&](PoolId pool) {
    return QString::fromStdString(printable(run.problem.pools[pool].name));
  };
  const auto move = std::ranges::find(run.problem.moves, entry.stay, &Move::to);
  if (move != run.problem.moves.end()) {
    return move->from ? tr("; comes from %1").arg(name(run.problem.poolOf(move->from))) : QString();
  }
  if (!run.problem.moves.empty() || run.problem.pools[entry.pool].level == 0) return {};
  return tr("; spilled to %1: no room in %2")
      .arg(name(entry.pool), name(PoolId(entry.pool.index() - 1)));
}

QString entryText(const Run& run, const TimelineEntry& entry) {
  const QString name = entry.stay ? viewText(blockName(run, entry.stay)) : QString();
  const QString size = sizeText(entry.size);
  const QString before = sizeText(entry.freeBefore);
  const QString former =
      entry.formerTenant ? viewText(blockName(run, entry.formerTenant)) : tr("nobody");
  switch (entry.happening) {
    case Happening::fresh:
      return tr("fresh: %1 takes %2 never used before").arg(name, size);
    case Happening::reuse:
      return tr("reuse: %1 takes over %2 from %3").arg(name, size, former);
    case Happening::split:
      return tr("split: %1 takes %2 of %3 that %4 left").arg(name, size, before, former);
    case Happening::extend:
      return tr("extend: %1 stretches %2 at the frontier to %3").arg(name, before, size);
    case Happening::release:
      return tr("release: %1 gives back %2").arg(name, size);
    case Happening::merge:
      return tr("merge: free neighbours become one of %1").arg(size);
  }
  return {};
}

}  // namespace

QString happeningText(const Run& run, std::size_t moment) {
  const TimelineEntry* entry = lastEntry(run, moment);
  return entry ? entryText(run, *entry) + spillText(run, *entry) : QString();
}

}  // namespace hw
