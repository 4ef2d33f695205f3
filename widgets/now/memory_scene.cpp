#include "widgets/now/memory_scene.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "core/base/text.h"
#include "core/picture/axis.h"
#include "core/picture/constraint_links.h"
#include "core/picture/map_scene.h"
#include "core/picture/plot.h"
#include "widgets/base/theme.h"
#include "widgets/map/map_colors.h"
#include "widgets/plot/painter_canvas.h"
#include "widgets/text/run_text.h"
#include "widgets/text/text.h"

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
    // A piece that comes lies on the free memory it comes from and opens up from its low end.
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
  return tr("; moved to %1: no room in %2")
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

namespace {

constexpr double kPieceEdgeRoom = 4;  ///< Pixels a piece needs each way to have an outline.
constexpr double kCutWidth = 7;       ///< Pixels of a fully open cut.
constexpr int kMostBarHeight = 88;

QString sizeText(double bytes) {
  return QString::fromStdString(formatBytes(Bytes(static_cast<std::int64_t>(bytes))));
}

int firstPixel(double edge) { return static_cast<int>(std::ceil(edge - 0.5)); }

class MemoryPainter {
 public:
  MemoryPainter(QPainter& painter, const Run& run, const MemoryScene& scene,
                const MemoryDecoration& decoration)
      : painter_(painter),
        run_(run),
        scene_(scene),
        decoration_(decoration),
        colors_(MapColors::of(theme_.inks())) {
    if (!run.problem.stays.contains(decoration.selected)) return;
    for (const auto& link : linksOf(run.problem, run.plan, decoration.selected)) {
      partners_.emplace(link.partner, link.kind);
    }
  }

  void paintRow(const MemoryRow& row) {
    painter_.save();
    painter_.setClipRect(row.bar.adjusted(0, 0, 1, 1));
    painter_.fillRect(row.bar, theme_.plot);
    double used = 0;
    for (const ScenePiece& piece : scene_.pieces) {
      if (piece.pool != row.pool) continue;
      if (piece.owner && piece.presence == 1) used += piece.high - piece.low;
      paintPiece(row, piece);
    }
    for (const Interval<Bytes>& range : reservedRanges(run_.problem, run_.plan, row.pool)) {
      paintReserved(row, range);
    }
    for (const SceneFrame& frame : scene_.frames) {
      if (frame.pool == row.pool) paintFrame(row, frame);
    }
    for (const SceneCut& cut : scene_.cuts) {
      if (cut.pool == row.pool) paintCut(row, cut);
    }
    painter_.restore();
    painter_.setBrush(Qt::NoBrush);
    painter_.setPen(theme_.grid);
    painter_.drawRect(row.bar.adjusted(-1, -1, 0, 0));
    if (run_.plan.regions.contains(row.pool) && run_.plan.footprint(row.pool) > Bytes()) {
      paintTicks(row);
      paintMarks(row);
    } else {
      painter_.setPen(theme_.mutedText);
      painter_.drawText(row.bar, Qt::AlignCenter, tr("nothing was placed here"));
    }
    paintName(row, used);
  }

  /// Over all rows: what is on its way between two of them.
  void paintFlight(const std::vector<MemoryRow>& rows, const SceneFlight& flight) {
    const auto row = [&](PoolId pool) { return std::ranges::find(rows, pool, &MemoryRow::pool); };
    const auto from = row(flight.fromPool);
    const auto to = row(flight.toPool);
    if (from == rows.end() || to == rows.end()) return;
    const auto box = [](const MemoryRow& in, double low, double high) {
      const double left = in.axis.toPixel(low);
      return QRectF(left, in.bar.top(), std::max(2.0, in.axis.toPixel(high) - left),
                    in.bar.height());
    };
    QRectF start = box(*from, flight.fromLow, flight.fromHigh);
    // A piece that never had a place there waits at the end of the bar.
    start.moveRight(std::min(start.right(), static_cast<double>(from->bar.right()) + 8));
    // One that is larger than all of the memory does not reach over the names beside it.
    start.setLeft(std::max(start.left(), static_cast<double>(from->bar.left())));
    const QRectF end = box(*to, flight.toLow, flight.toHigh);
    const auto mix = [&](double a, double b) { return a + (b - a) * flight.progress; };
    const QRectF now(mix(start.x(), end.x()), mix(start.y(), end.y()),
                     mix(start.width(), end.width()), mix(start.height(), end.height()));
    const BlockShade& shade = colors_.live[static_cast<std::size_t>(kindOf(flight.owner))];
    painter_.save();
    painter_.setOpacity(0.85);
    painter_.fillRect(now, QColor(shade.fill));
    painter_.setBrush(Qt::NoBrush);
    painter_.setPen(QPen(theme_.accent, 1.5));
    painter_.drawRect(now);
    painter_.setOpacity(1);
    writeName(now.toRect(), flight.owner, false);
    painter_.restore();
  }

 private:
  bool selected(StayId stay) const {
    if (!decoration_.selected || !run_.problem.stays.contains(decoration_.selected)) return false;
    const BufferId buffer = run_.problem.stays[decoration_.selected].buffer;
    return stay == decoration_.selected || (buffer && run_.problem.stays[stay].buffer == buffer);
  }

  BlockClass kindOf(StayId stay) const { return decoration_.coloring->of(run_, stay); }

  void paintPiece(const MemoryRow& row, const ScenePiece& piece) {
    const QRect box = pieceBox(row, piece);
    if (box.isEmpty() || !box.intersects(row.bar)) return;
    if (piece.rest) return paintRest(box);
    if (!piece.owner) return paintFree(box);
    const BlockShade& shade = colors_.live[static_cast<std::size_t>(kindOf(piece.owner))];
    const bool pale = decoration_.filter && !decoration_.filter->keeps(piece.owner);
    const bool dimmed = !selected(piece.owner) && !partners_.contains(piece.owner) &&
                        (pale || decoration_.selected);
    const QColor fill =
        dimmed ? mixColors(QColor(shade.fill), theme_.plot, 0.3) : QColor(shade.fill);
    painter_.setOpacity(piece.presence);
    painter_.fillRect(box, fill);
    const bool roomy = box.width() >= kPieceEdgeRoom;
    const bool parted = roomy && piece.presence == 1 && paintParts(row, piece, dimmed);
    if (roomy && !parted) {
      painter_.setBrush(Qt::NoBrush);
      painter_.setPen(QColor(shade.edge));
      painter_.drawRect(box.adjusted(0, 0, -1, -1));
      painter_.setPen(dimmed ? theme_.text : readableOn(fill));
      painter_.setClipRect(box & row.bar, Qt::ReplaceClip);
      paintNames(box, piece, dimmed);
      painter_.setClipRect(row.bar.adjusted(0, 0, 1, 1));
    }
    painter_.setOpacity(1);
    if (piece.presence == 1) paintOutline(box, piece.owner);
  }

  /// The tensors that share a piece and live now, each in its own bytes; hatched is what the piece
  /// keeps for the others. False: one tensor has it for itself.
  bool paintParts(const MemoryRow& row, const ScenePiece& piece, bool dimmed) {
    const auto parts = partBlocks(run_, scale_, blockOf(run_, piece), *decoration_.coloring);
    if (parts.empty()) return false;
    PainterCanvas canvas(painter_);
    const Box whole = toBox(pieceBox(row, piece));
    const BlockTime time = dimmed ? BlockTime::pale : BlockTime::live;
    canvas.rectangle(whole,
                     {.fill = Fill{Ink::plot},
                      .edge = Stroke{blockInk(BlockClass::movement, time, BlockPart::edge)}});
    canvas.hatch(whole, kKeptHatch);
    for (const PartBlock& part : parts) {
      if (!part.span.contains(static_cast<double>(decoration_.step.count()))) continue;
      ScenePiece own = piece;
      own.low = static_cast<double>(part.bytes.begin.count());
      own.high = static_cast<double>(part.bytes.end.count());
      // Rows of an image may be a pixel wide: they have no room for an edge.
      const QRect full = pieceBox(row, own);
      const bool edged = full.width() > kPieceEdgeRoom;
      const QRect box = full.adjusted(edged ? 1 : 0, 2, edged ? -1 : 0, -2);
      if (box.isEmpty()) continue;
      const bool chosen = decoration_.selectedPart == part.tensor && selected(piece.owner);
      const auto ink = [&](BlockPart of) { return blockInk(part.kind, time, of); };
      if (!edged && !chosen) {
        canvas.rectangle(toBox(box), {.fill = Fill{ink(BlockPart::thin)}});
        continue;
      }
      canvas.rectangle(toBox(box),
                       {.fill = Fill{ink(BlockPart::fill)},
                        .edge = chosen ? Stroke{Ink::selection, 2} : Stroke{ink(BlockPart::edge)}});
      const Tensor& tensor = run_.graph().tensors[part.tensor];
      const std::string name = printable(displayName(run_.graph(), part.tensor), 80);
      drawBoxLabel(canvas, toBox(box), name,
                   name + "  " + formatBytes(tensor.bytes.value_or(Bytes())),
                   dimmed ? Ink::text : ink(BlockPart::word));
    }
    return true;
  }

  /// The owner's name; below it, if it just took over, whose place it was.
  void paintNames(const QRect& box, const ScenePiece& piece, bool dimmed) {
    const QFontMetrics metrics(painter_.font(), painter_.device());
    const QString former = piece.former && piece.former != piece.owner
                               ? tr("was %1").arg(viewText(blockName(run_, piece.former)))
                               : QString();
    if (former.isEmpty() || box.height() < 2 * metrics.height() + 2 ||
        metrics.horizontalAdvance(former) > box.width() - 8) {
      return writeName(box, piece.owner, dimmed);
    }
    const QRect upper(box.left(), box.top(), box.width(), box.height() / 2 + 2);
    const QPen pen = painter_.pen();
    writeName(upper, piece.owner, dimmed);
    painter_.setPen(pen);
    painter_.drawText(box.adjusted(4, box.height() / 2, -4, 0), Qt::AlignLeft | Qt::AlignTop,
                      former);
  }

  void writeName(const QRect& box, StayId stay, bool dimmed) {
    PainterCanvas canvas(painter_);
    drawBlockLabel(canvas, toBox(box), run_, stay,
                   dimmed ? Ink::text : blockInk(kindOf(stay), BlockTime::live, BlockPart::word));
  }

  void paintOutline(const QRect& box, StayId owner) {
    painter_.setBrush(Qt::NoBrush);
    if (selected(owner)) {
      painter_.setPen(QPen(theme_.selection, 2));
      painter_.drawRect(box.adjusted(1, 1, -1, -1));
    } else if (const auto partner = partners_.find(owner); partner != partners_.end()) {
      painter_.setPen(penOf(strokeOf(partner->second)));
      painter_.drawRect(box.adjusted(1, 1, -1, -1));
    }
    if (owner == decoration_.hovered) {
      painter_.setPen(QPen(theme_.hover, 2));
      painter_.drawRect(box.adjusted(1, 1, -1, -1));
    }
  }

  void paintFree(const QRect& box) {
    painter_.fillRect(box, theme_.hole);
    painter_.fillRect(box, QBrush(theme_.hatch, Qt::BDiagPattern));
    painter_.setPen(theme_.hatch);
    if (box.width() >= kPieceEdgeRoom) painter_.drawRect(box.adjusted(0, 0, -1, -1));
  }

  /// Neither used nor free, which is hatched: empty ground inside the frame of its block.
  void paintRest(const QRect& box) {
    PainterCanvas canvas(painter_);
    canvas.rectangle(toBox(box), {.fill = Fill{Ink::plot}});
    drawBoxLabel(canvas, toBox(box), "rest", "rest of its block", Ink::muted);
  }

  void paintFrame(const MemoryRow& row, const SceneFrame& frame) {
    const double left = row.axis.toPixel(frame.low);
    const double right = row.axis.toPixel(frame.high);
    if (right - left < kPieceEdgeRoom) return;
    PainterCanvas(painter_).rectangle(
        Box::between(left, row.bar.top(), right, row.bar.bottom() + 1),
        {.edge = Stroke{Ink::muted, 1, kDashed}});
  }

  /// Bytes that nobody may have are not free.
  void paintReserved(const MemoryRow& row, const Interval<Bytes>& range) {
    const QRect box = pieceBox(row, {.low = static_cast<double>(range.begin.count()),
                                     .high = static_cast<double>(range.end.count())});
    if (box.isEmpty() || !box.intersects(row.bar)) return;
    PainterCanvas canvas(painter_);
    canvas.rectangle(toBox(box & row.bar), {.fill = Fill{Ink::plot}});
    drawReservedBand(canvas, toBox(box & row.bar), range.length());
  }

  void paintCut(const MemoryRow& row, const SceneCut& cut) {
    const double half = cut.openness * kCutWidth / 2;
    const double x = row.axis.toPixel(cut.at);
    painter_.fillRect(QRectF(x - half, row.bar.top(), 2 * half, row.bar.height()), theme_.plot);
    painter_.setPen(QPen(theme_.accent, 1, Qt::DashLine));
    painter_.setOpacity(std::clamp(cut.openness, 0.0, 1.0));
    painter_.drawLine(QPointF(x, row.bar.top()), QPointF(x, row.bar.bottom()));
    painter_.setOpacity(1);
  }

  void paintTicks(const MemoryRow& row) {
    if (row.ticks.isEmpty()) return;
    const QFontMetrics metrics(painter_.font(), painter_.device());
    painter_.setPen(theme_.axis);
    const double spacing = metrics.horizontalAdvance(QStringLiteral("8,888 KiB")) + 24;
    ByteAxis axis = row.axis;
    axis.hex = decoration_.hexAddresses;
    for (const AxisTick& tick : axis.ticks(spacing)) {
      const int x = qRound(row.axis.toPixel(tick.value));
      const QString label = viewText(tick.label);
      const int width = metrics.horizontalAdvance(label) + 2;
      painter_.drawLine(x, row.bar.bottom() + 1, x, row.bar.bottom() + 3);
      const int left = std::min(x - width / 2, row.bar.right() + kPlotRightMargin - width);
      painter_.drawText(QRect(left, row.ticks.top(), width, row.ticks.height()), Qt::AlignCenter,
                        label);
    }
  }

  /// The frontier, and the capacity where it is on screen.
  void paintMarks(const MemoryRow& row) {
    const double frontier = scene_.frontiers[row.pool.index()];
    if (frontier > 0) {
      const double x = std::round(row.axis.toPixel(frontier));
      painter_.setPen(QPen(theme_.highWater, 2));
      painter_.drawLine(QPointF(x, row.bar.top() - 3), QPointF(x, row.bar.bottom() + 1));
    }
    const auto capacity = run_.problem.pools[row.pool].capacity;
    if (!capacity) return;
    const double x = std::round(row.axis.toPixel(static_cast<double>(capacity->count())));
    if (x > row.bar.right() + 1) return;
    painter_.setPen(penOf(strokeOf(ReferenceLine::Kind::capacity)));
    painter_.drawLine(QPointF(x, row.bar.top() - 3), QPointF(x, row.bar.bottom() + 3));
    const QString label = tr("capacity");
    const QFontMetricsF metrics(painter_.font(), painter_.device());
    if (row.bar.right() - x > metrics.horizontalAdvance(label) + 8) {
      painter_.setPen(theme_.capacity);
      painter_.drawText(QPointF(x + 5, row.bar.center().y() + metrics.ascent() / 2), label);
    }
  }

  void paintName(const MemoryRow& row, double used) {
    const QFont plain = painter_.font();
    QFont bold = plain;
    bold.setBold(true);
    const QFontMetrics metrics(plain, painter_.device());
    const bool two = row.label.height() >= 2 * metrics.height();
    const QRect upper(row.label.left(), row.label.top(), row.label.width(),
                      two ? row.label.height() / 2 : row.label.height());
    painter_.setFont(bold);
    painter_.setPen(theme_.text);
    painter_.drawText(upper, Qt::AlignRight | (two ? Qt::AlignBottom : Qt::AlignVCenter),
                      QString::fromStdString(run_.problem.pools[row.pool].name));
    painter_.setFont(plain);
    if (!two) return;
    painter_.setPen(theme_.mutedText);
    painter_.drawText(upper.translated(0, upper.height()), Qt::AlignRight | Qt::AlignTop,
                      sizeText(used));
  }

  QPainter& painter_;
  const Theme& theme_ = Theme::current();
  const Run& run_;
  const MemoryScene& scene_;
  const MemoryDecoration& decoration_;
  const RunScale scale_{run_, AxisUnit::step};
  MapColors colors_;
  std::map<StayId, LinkKind> partners_{};  ///< Of the selected stay.
};

std::vector<PoolId> shownPools(const Run& run) {
  std::vector<PoolId> pools;
  for (const PoolId pool : run.problem.pools.keys()) {
    const bool used = run.plan.regions.contains(pool) && run.plan.footprint(pool) > Bytes();
    if (used || run.problem.pools.size() <= 2) pools.push_back(pool);
  }
  if (pools.empty()) pools.emplace_back(0);
  return pools;
}

}  // namespace

std::vector<MemoryRow> memoryRows(const Run& run, const QRect& whole, const QFontMetrics& metrics) {
  std::vector<MemoryRow> rows;
  const QRect title = toRect(PlotFrame::inside(toBox(whole), FontRuler(metrics)).title);
  const int left = title.left();
  const int width = std::max(1, whole.right() + 1 - kPlotRightMargin - left);
  const int top = title.bottom() + 6;
  const std::vector<PoolId> pools = shownPools(run);
  const int share = (whole.bottom() - top) / static_cast<int>(pools.size());
  const int tickHeight = metrics.height() + 4;
  const bool compact = share - tickHeight - 6 < metrics.height();
  const int height =
      compact ? std::max(6, share - 5) : std::clamp(share - tickHeight - 6, 6, kMostBarHeight);
  for (std::size_t i = 0; i < pools.size(); ++i) {
    const int y = top + static_cast<int>(i) * share;
    MemoryRow row;
    row.pool = pools[i];
    row.label = QRect(whole.left(), y, left - whole.left() - 8, height);
    row.bar = QRect(left, y, width, height);
    if (!compact) row.ticks = QRect(left, y + height + 3, width, metrics.height());
    row.axis = {0, fullByteRange(run, row.pool), static_cast<double>(left),
                static_cast<double>(width)};
    rows.push_back(row);
  }
  return rows;
}

int leastMemoryHeight(const Run& run, const QFontMetrics& metrics) {
  const PlotFrame frame = PlotFrame::inside({0, 0, 400, 400}, FontRuler(metrics));
  const int title = toRect(frame.title).bottom() + 6;
  const auto rows = static_cast<int>(shownPools(run).size());
  return title + rows * (metrics.height() + 6) + 1;
}

Block blockOf(const Run& run, const ScenePiece& piece) {
  const Interval<Step>& steps = run.problem.stays[piece.owner].steps;
  return {
      {AxisPlace(steps.begin.count()), AxisPlace(steps.end.count())},
      {Bytes(static_cast<std::int64_t>(piece.low)), Bytes(static_cast<std::int64_t>(piece.high))},
      piece.owner};
}

QRect pieceBox(const MemoryRow& row, const ScenePiece& piece) {
  const int left = firstPixel(row.axis.toPixel(piece.low));
  const int right = firstPixel(row.axis.toPixel(piece.high));
  const int least = piece.owner && piece.presence == 1 ? 1 : 0;
  return {left, row.bar.top(), std::max(least, right - left), row.bar.height()};
}

void paintMemory(QPainter& painter, const QRect& whole, const Run& run, const MemoryScene& scene,
                 const MemoryDecoration& decoration) {
  painter.fillRect(whole, Theme::current().plot);
  const QFontMetrics metrics(painter.font(), painter.device());
  PainterCanvas canvas(painter);
  drawTitle(canvas, PlotFrame::inside(toBox(whole), canvas.ruler()), "Memory now",
            happeningText(run, decoration.moment).toStdString());
  MemoryPainter rows(painter, run, scene, decoration);
  const std::vector<MemoryRow> all = memoryRows(run, whole, metrics);
  for (const MemoryRow& row : all) rows.paintRow(row);
  for (const SceneFlight& flight : scene.flights) rows.paintFlight(all, flight);
}

}  // namespace hw
