#include "core/picture/map_scene.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/import/plans/unknown_parts.h"
#include "core/picture/constraint_links.h"
#include "core/plan/frames.h"
#include "core/plan/overlap_use.h"
#include "core/storage/parts.h"

namespace hw {
namespace {

/// Blocks need this many units each way for an edge of their own, and for a name.
constexpr double kEdgeRoom = 4;
constexpr double kNameRoom = 9;
/// Between heading and note.
constexpr double kNoteGap = 16;
/// Least width and height of the ring around what is selected.
constexpr double kLeastSeen = 9;
/// Part of the others that a selection hides.
constexpr double kVeil = 0.3;
/// As many blocks can be encircled without hiding the rest.
constexpr std::size_t kFew = 64;

/// Without what the axes are.
std::string briefHeading(const MapScene& scene) {
  const auto* info = scene.run->request.allocator.info;
  return fmt::format("{}   {}", printable(scene.run->problem.pools[scene.pool].name, 40),
                     info ? info->name : "");
}

/// More activities than this are too many to look for those under way at every frame.
constexpr std::size_t kMostSearched = 200'000;

/// Buffers that are on their way from one memory to another: both ends are outlined in the colour
/// of the move, and the one that is being written is filled as far as time has gone.
void drawMoving(Canvas& canvas, const MapScene& scene, const Plot& plot) {
  const Timing& timing = scene.run->timing;
  if (scene.unit() != AxisUnit::time || !scene.started || timing.times.size() > kMostSearched) {
    return;
  }
  for (const ActivityId id : timing.times.keys()) {
    const Activity& move = timing.activities.activities[id];
    const Interval<SimTime> during{timing.times[id].start, timing.times[id].end};
    const SimTime now(scene.at.count());
    if (move.kind == ActivityKind::compute || !during.contains(now)) continue;
    const Ink ink = activityInk(static_cast<std::size_t>(move.kind), true);
    const double done = onAxis(now - during.begin) / onAxis(during.length());
    for (const StayId stay : {move.from, move.to}) {
      for (const std::uint32_t index : scene.blocks->blocksOf(stay)) {
        const Block block = scene.blocks->block(index);
        const Interval<double> span{block.span.begin.real(), block.span.end.real()};
        const Box whole = plot.boxOf(span, block.bytes);
        const Box box = whole.cut(plot.frame.plot);
        if (box.isEmpty()) continue;
        const Box part = Box::between(whole.left, whole.bottom() - whole.height * done,
                                      whole.right(), whole.bottom())
                             .cut(box);
        if (stay == move.to && !part.isEmpty()) canvas.rectangle(part, {.fill = Fill{ink, 0.4}});
        canvas.rectangle(box, {.edge = Stroke{ink, 2, kDashed}});
      }
    }
  }
}

}  // namespace

MapScene MapScene::whole(std::shared_ptr<const Run> run, PoolId pool, AxisUnit unit,
                         std::shared_ptr<const Coloring> coloring) {
  auto scale = std::make_shared<const RunScale>(*run, unit);
  MapScene scene{.blocks = std::make_shared<const BlockStore>(
                     BlockStore::ofPool(*run, pool, unit, std::move(coloring))),
                 .pool = pool,
                 .scale = unit == AxisUnit::time ? scale : nullptr,
                 .window = {0, scale->length(), 0, fullByteRange(*run, pool)},
                 .now = {.playhead = -scale->length()}};
  scene.run = std::move(run);
  return scene;
}

bool MapScene::isSelected(StayId stay) const {
  if (!selected || !run->problem.stays.contains(selected)) return false;
  if (stay == selected) return true;
  const BufferId buffer = run->problem.stays[selected].buffer;
  return buffer && run->problem.stays[stay].buffer == buffer;
}

std::string MapScene::heading() const {
  if (!title.empty()) return title;
  if (unit() == AxisUnit::time) return briefHeading(*this) + "   address / simulated time";
  const bool made = run->problem.constraints.virtualTime;
  return briefHeading(*this) + (made ? "   address / virtual time" : "   address / execution step");
}

MapDrawing::MapDrawing(Canvas& canvas, const MapScene& scene, const Box& where)
    : canvas_(canvas),
      scene_(scene),
      scale_(scene.scale ? scene.scale
                         : std::make_shared<const RunScale>(*scene.run, AxisUnit::step)),
      plot_(where, canvas.ruler(), scene.window, scene.unit(), scene.hexAddresses) {
  plot_.x.stepName = stepWord(*scene.run);
}

Box MapDrawing::boxOf(std::size_t index) const {
  const Block block = scene_.blocks->block(index);
  const Interval<double> span{block.span.begin.real(), block.span.end.real()};
  return plot_.boxOf(span, block.bytes).cut(plot_.frame.plot);
}

BlockTime MapDrawing::timeOf(const Block& block) const {
  if (scene_.filter && !scene_.filter->keeps(block.stay)) return BlockTime::pale;
  if (!scene_.started) return BlockTime::past;
  if (block.span.contains(scene_.at)) return BlockTime::live;
  return block.span.begin > scene_.at ? BlockTime::future : BlockTime::past;
}

std::vector<std::size_t> MapDrawing::shownBlocks() const {
  std::vector<std::size_t> shown;
  scene_.blocks->visit(scene_.window, [&](std::size_t index) { shown.push_back(index); });
  if (shown.size() <= kMostShapes) return shown;
  const auto area = [&](std::size_t index) { return boxOf(index).width * boxOf(index).height; };
  std::ranges::stable_sort(shown, std::greater(), area);
  shown.resize(kMostShapes);
  std::ranges::sort(shown);
  return shown;
}

std::size_t MapDrawing::drawBlocks() const {
  drawGrid(canvas_, plot_);
  const std::vector<std::size_t> shown = shownBlocks();
  const auto time = [&](std::size_t index) { return timeOf(scene_.blocks->block(index)); };
  for (const std::size_t index : shown) drawBlock(index, time(index), hintOf(index));
  // After all blocks, so that none covers a name.
  for (const std::size_t index : shown) writeName(index, time(index));
  drawParts();
  std::size_t all = 0;
  scene_.blocks->visit(scene_.window, [&](std::size_t) { ++all; });
  return all - shown.size();
}

Hint MapDrawing::hintOf(std::size_t index) const {
  const Block block = scene_.blocks->block(index);
  const auto parts = scene_.blocks->blocksOf(block.stay);
  const auto part = std::ranges::find(parts, index) - parts.begin();
  return {fmt::format("{}stay-{}{}", scene_.prefix, block.stay.index(),
                      part > 0 ? fmt::format("-{}", part) : ""),
          fmt::format("{}: {} B at {:#x}, {}", printable(scene_.run->stayName(block.stay)),
                      groupDigits(block.bytes.length().count()), block.bytes.begin.count(),
                      spanText(block.span, scene_.unit()))};
}

void MapDrawing::drawBlock(std::size_t index, BlockTime time, const Hint& hint) const {
  const Box box = boxOf(index);
  if (box.isEmpty()) return;
  const Block block = scene_.blocks->block(index);
  const auto ink = [&](BlockPart of) { return blockInk(block.kind, time, of); };
  if (box.width < kEdgeRoom || box.height < kEdgeRoom) {
    return canvas_.rectangle(box, {.fill = Fill{ink(BlockPart::thin)}}, hint);
  }
  // Dotted: what has not happened yet has no firm outline.
  const std::string_view dashes = time == BlockTime::future ? "1 1" : "";
  canvas_.rectangle(
      box, {.fill = Fill{ink(BlockPart::fill)}, .edge = Stroke{ink(BlockPart::edge), 1, dashes}},
      hint);
  if (scene_.moved && scene_.moved->contains(index)) canvas_.hatch(box, kMovedHatch);
  if (isGuessed(*scene_.run, block.stay)) canvas_.hatch(box, kGuessedHatch);
}

void MapDrawing::writeName(std::size_t index, BlockTime time) const {
  const Box box = boxOf(index);
  if (time == BlockTime::pale || box.width < kNameRoom || box.height < kNameRoom) return;
  drawBlockLabel(canvas_, box, *scene_.run, scene_.blocks->stay(index),
                 blockInk(scene_.blocks->kind(index), time, BlockPart::word));
}

void MapDrawing::drawLive() const {
  if (!scene_.started) return;
  MapWindow now = scene_.window;
  now.begin = scene_.at.real();
  now.end = now.begin + 1;
  scene_.blocks->visit(now, [&](std::size_t index) {
    if (timeOf(scene_.blocks->block(index)) != BlockTime::live) return;
    drawBlock(index, BlockTime::live);
    writeName(index, BlockTime::live);
  });
}

void MapDrawing::outline(std::size_t index, const Stroke& stroke) const {
  const Box box = boxOf(index);
  if (!box.isEmpty()) canvas_.rectangle(box, {.edge = stroke});
}

/// Around a block, however small it is: a line with ground on both sides of it.
void MapDrawing::encircle(std::size_t index, const Stroke& stroke) const {
  const Box box = boxOf(index);
  if (box.isEmpty()) return;
  const Box& area = plot_.frame.plot;
  const double width = std::min(area.width, std::max(box.width, kLeastSeen));
  const double height = std::min(area.height, std::max(box.height, kLeastSeen));
  // About its middle, but not over the edge of the plot.
  const Box seen{std::clamp(box.left + (box.width - width) / 2, area.left, area.right() - width),
                 std::clamp(box.top + (box.height - height) / 2, area.top, area.bottom() - height),
                 width, height};
  if (width > box.width || height > box.height) {
    const Box ring{seen.left - 2, seen.top - 2, width + 4, height + 4};
    canvas_.rectangle(ring.cut(area), {.edge = Stroke{Ink::plot, 2}});
  }
  canvas_.rectangle(seen, {.edge = stroke});
}

/// Few blocks that a filter picked out are not lost among the pale ones, however small they are.
void MapDrawing::drawPickedOut() const {
  if (!scene_.filter || scene_.filter->count > kFew) return;
  for (const StayId stay : scene_.run->problem.stays.keys()) {
    if (!scene_.filter->keeps(stay)) continue;
    for (const std::uint32_t index : scene_.blocks->blocksOf(stay)) {
      const Box box = boxOf(index);
      if (box.width < kEdgeRoom || box.height < kEdgeRoom) encircle(index);
    }
  }
}

bool MapDrawing::isFree(const Box& box) const {
  const MapWindow under{plot_.x.toPlace(box.left), plot_.x.toPlace(box.right()),
                        plot_.bytes.toBytes(box.bottom()), plot_.bytes.toBytes(box.top)};
  bool free = !scene_.loading;
  scene_.blocks->visit(under, [&](std::size_t) { free = false; });
  for (const auto& range : reservedRanges(scene_.run->problem, scene_.run->plan, scene_.pool)) {
    free = free && plot_.boxOf({under.begin, under.end}, range).cut(box).isEmpty();
  }
  return free;
}

/// With something selected everything else steps back behind a thin veil; where it could have lain
/// are outlines, for nothing is there.
void MapDrawing::drawSelection() const {
  const Problem& problem = scene_.run->problem;
  if (!scene_.selected || !problem.stays.contains(scene_.selected)) return;
  canvas_.rectangle(plot_.frame.plot, {.fill = Fill{Ink::plot, kVeil}});
  for (const StayId stay : problem.stays.keys()) {
    if (!scene_.isSelected(stay)) continue;
    for (const std::uint32_t index : scene_.blocks->blocksOf(stay)) {
      drawBlock(index, BlockTime::live);
      writeName(index, BlockTime::live);
      drawPartsOf(scene_.blocks->block(index), openBlock(index));
      encircle(index);
    }
  }
  for (const Ghost& ghost : scene_.ghosts) {
    const Interval<double> span{scale_->begin(ghost.steps.begin), scale_->begin(ghost.steps.end)};
    const Box box = plot_.boxOf(span, ghost.bytes).cut(plot_.frame.plot);
    if (ghost.pool != scene_.pool || box.isEmpty()) continue;
    canvas_.rectangle(box, {.edge = Stroke{Ink::selection, 1, kDashed}});
  }
}

/// Of a loop the first turn stands for all: the others are paler, and a bracket above them has a
/// mark between two turns.
void MapDrawing::drawLoops() const {
  constexpr double kBracket = 3, kTurnVeil = 0.55;
  const Box& area = plot_.frame.plot;
  for (const LoopTurns& loop : scene_.blocks->loops()) {
    const std::int64_t each = loop.steps.length().count() / loop.turns;
    const auto edge = [&](std::int64_t turn) {
      return plot_.x.toX(scale_->begin(loop.steps.begin + Step(each * turn)));
    };
    const Box others = Box::between(edge(1), area.top, edge(loop.turns), area.bottom()).cut(area);
    if (!others.isEmpty()) canvas_.rectangle(others, {.fill = Fill{Ink::plot, kTurnVeil}});
    const Box all = Box::between(edge(0), area.top, edge(loop.turns), area.bottom()).cut(area);
    if (all.isEmpty()) continue;
    canvas_.line({all.left, area.top}, {all.right(), area.top}, {Ink::axis, 2});
    const std::int64_t next = edge(1) - edge(0) > 2 * kBracket ? 1 : loop.turns;
    for (std::int64_t turn = 0; turn <= loop.turns; turn += next) {
      const Box mark = Box{edge(turn) - 1, area.top, 2, kBracket}.cut(area);
      if (!mark.isEmpty()) canvas_.rectangle(mark, {.fill = Fill{Ink::axis}});
    }
  }
}

std::string MapDrawing::drawOver() const {
  drawLoops();
  const auto& stepOf = scene_.run->schedule.stepOf;
  if (scene_.selectedOp && stepOf.contains(scene_.selectedOp)) {
    const Interval<double> during = scale_->during(stepOf[scene_.selectedOp]);
    const Box& area = plot_.frame.plot;
    const Box column{plot_.x.toX(during.begin), area.top,
                     std::max(2.0, during.length() * plot_.x.pixelsPerUnit()), area.height};
    canvas_.rectangle(column.cut(area), {.fill = Fill{Ink::selection, 0.2}});
  }
  drawMoving(canvas_, scene_, plot_);
  drawPickedOut();
  drawSelection();
  drawConstraints();
  drawSameOp();
  // All stays of a buffer that moves are one thing, in every map.
  const Problem& problem = scene_.run->problem;
  const auto outlineAll = [&](StayId stay) {
    for (const std::uint32_t index : scene_.blocks->blocksOf(stay)) outline(index, {Ink::hover, 2});
  };
  if (problem.moves.empty() || !problem.stays.contains(scene_.hovered)) {
    outlineAll(scene_.hovered);
  } else {
    for (const StayId stay : problem.stays.keys()) {
      if (problem.stays[stay].buffer == problem.stays[scene_.hovered].buffer) outlineAll(stay);
    }
  }
  return drawReferenceLines(canvas_, plot_, referenceLines(*scene_.run, scene_.pool),
                            [this](const Box& box) { return isFree(box); });
}

void MapDrawing::drawAround(std::string_view note) const {
  drawAxes(canvas_, plot_);
  PlotFrame frame = plot_.frame;
  frame.title.width -= scene_.corner;
  const Ruler& ruler = canvas_.ruler();
  const double room = frame.title.width - ruler.width(note) - kNoteGap;
  const bool brief =
      !note.empty() && scene_.title.empty() && ruler.width(scene_.heading(), true) > room;
  drawTitle(canvas_, frame, brief ? briefHeading(scene_) : scene_.heading(), note, scene_.place);
  drawNow(canvas_, plot_.frame, plot_.x, scene_.now);
}

std::string MapDrawing::note() const {
  if (scene_.loading) return "drawing…";
  if (scene_.blocks->size() == 0) return "nothing was placed here";
  if (scene_.moved) {
    return fmt::format("hatched where it lies elsewhere than in A: {} of {} blocks",
                       groupDigits(scene_.moved->count), groupDigits(scene_.blocks->size()));
  }
  if (scene_.filter) {
    return fmt::format("{} of {} buffers picked out: {}", groupDigits(scene_.filter->count),
                       groupDigits(scene_.run->problem.stays.size()), scene_.filter->title);
  }
  const Run& run = *scene_.run;
  if (const auto& loops = scene_.blocks->loops(); !loops.empty()) {
    const auto turns = [](const LoopTurns& loop) { return groupDigits(loop.turns); };
    return fmt::format("loop of {} turns", joinText(loops, ", then ", turns));
  }
  const std::size_t penalties = run.problem.constraints.penalties.size();
  if (penalties == 0 || penalties > kMostConstraintsSearched) return {};
  // The cost first: legends beside it leave little room.
  return fmt::format("penalty {}: {} of {} paid", groupDigits(penaltyOf(run.problem, run.plan)),
                     groupDigits(paidPenalties(run.problem, run.plan).size()),
                     groupDigits(penalties));
}

bool isGuessed(const Run& run, StayId stay) {
  return isLifeUnknown(run.graph(), run.stayTensor(stay));
}

bool hasGuessed(const Run& run) {
  if (unknownNote(run.graph()).empty()) return false;
  const auto stays = run.problem.stays.keys();
  return std::ranges::any_of(stays, [&](StayId stay) { return isGuessed(run, stay); });
}

void drawMap(Canvas& canvas, const MapScene& scene, const Box& where) {
  const MapDrawing drawing(canvas, scene, where);
  const std::size_t left = drawing.drawBlocks();
  const std::string lines = drawing.drawOver();
  const std::string note = drawing.note();
  drawing.drawAround(
      joined(lines, note.empty() && left > 0
                        ? fmt::format("the {} smallest blocks are left out", groupDigits(left))
                        : note));
}

std::string spanText(const Interval<AxisPlace>& span, AxisUnit unit) {
  if (unit == AxisUnit::time) {
    return fmt::format("{} to {}", formatTime(SimTime(span.begin.count())),
                       formatTime(SimTime(span.end.count())));
  }
  return fmt::format("steps {} to {}", span.begin.count(), span.end.count() - 1);
}

std::string joined(std::string first, std::string_view second) {
  if (!first.empty() && !second.empty()) first += "   ";
  return first.append(second);
}

std::string blockName(const Run& run, StayId stay) { return printable(run.stayName(stay), 80); }

std::string blockLabel(const Run& run, StayId stay) {
  return blockName(run, stay) + "  " + formatBytes(run.problem.stays[stay].size);
}

void FittedLabel::draw(Canvas& canvas, Ink ink) const {
  if (!text.empty()) canvas.text(at, text, {.ink = ink, .upwards = upwards});
}

namespace {

FittedLabel fittedLabel(const Ruler& ruler, const Box& box, const std::string& name,
                        const std::string& full) {
  constexpr double kPadding = 4;
  const double line = ruler.height() * 0.85;
  const double along = box.height >= line ? box.width - 2 * kPadding : 0;
  const double up = box.width >= line ? box.height - 2 * kPadding : 0;
  const double longer = std::max(along, up);
  if (longer < ruler.width("nnn")) return {};
  const auto fitted = [&](std::string text, bool upwards) -> FittedLabel {
    const double across = upwards ? box.width : box.height;
    const double baseline = (across - ruler.height()) / 2 + ruler.ascent();
    const Point at = upwards ? Point{box.left + baseline, box.bottom() - kPadding}
                             : Point{box.left + kPadding, box.top + baseline};
    return {at, std::move(text), upwards};
  };
  const double fullWidth = ruler.width(full);
  if (fullWidth <= along) return fitted(full, false);
  const double nameWidth = ruler.width(name);
  if (nameWidth <= along) return fitted(name, false);
  if (fullWidth <= up) return fitted(full, true);
  if (nameWidth <= up) return fitted(name, true);
  return fitted(nameEnd(ruler, name, longer), up > along);
}

}  // namespace

FittedLabel fittedBlockLabel(const Ruler& ruler, const Box& box, const Run& run, StayId stay) {
  return fittedLabel(ruler, box, blockName(run, stay), blockLabel(run, stay));
}

void drawBlockLabel(Canvas& canvas, const Box& box, const Run& run, StayId stay, Ink ink) {
  fittedBlockLabel(canvas.ruler(), box, run, stay).draw(canvas, ink);
}

void drawBoxLabel(Canvas& canvas, const Box& box, const std::string& name, const std::string& full,
                  Ink ink) {
  fittedLabel(canvas.ruler(), box, name, full).draw(canvas, ink);
}

namespace {

/// Offset of a piece's host in its buffer.
Bytes hostOffset(const Run& run, TensorId tensor) {
  const Tiling::Piece* piece = pieceOf(run.graph(), tensor);
  return piece == nullptr ? Bytes() : run.storage.offsetOf(piece->host);
}

/// From the op that writes a tensor to the last that reads it: on an axis of time they need not
/// run in the order of their steps.
Interval<double> lifeOf(const Run& run, const RunScale& scale, const BufferPart& part) {
  if (scale.unit() == AxisUnit::step) {
    return {scale.begin(part.steps.begin), scale.begin(part.steps.end)};
  }
  const Tensor& tensor = run.graph().tensors[part.tensor];
  Interval<double> life{0, scale.during(part.steps.end - Step(1)).end};
  if (tensor.producer) life.begin = scale.during(run.schedule.stepOf[tensor.producer]).begin;
  if (tensor.graphOutput && part.steps.end == run.schedule.steps()) life.end = scale.length();
  for (const OpId reader : tensor.consumers) {
    if (run.graph().ops[reader].folded) continue;
    life.end = std::max(life.end, scale.during(run.schedule.stepOf[reader]).end);
  }
  return life;
}

}  // namespace

std::vector<PartBlock> partBlocks(const Run& run, const RunScale& scale, const Block& block,
                                  const Coloring& coloring) {
  if (run.storage.isIdentity()) return {};
  std::vector<PartBlock> blocks;
  for (const BufferPart& part :
       partsOf(run.graph(), run.storage, run.problem.stays[block.stay].buffer)) {
    const Interval<double> life = lifeOf(run, scale, part);
    const Interval<double> span{std::max(life.begin, block.span.begin.real()),
                                std::min(life.end, block.span.end.real())};
    if (span.empty()) continue;
    const Bytes low = block.bytes.begin + part.bytes.begin;
    blocks.push_back({part.tensor,
                      span,
                      {low, low + part.bytes.length()},
                      coloring.of(run, part.tensor),
                      pieceMaker(run.graph(), part.tensor)});
  }
  return blocks;
}

std::vector<HaloBlock> haloOf(const Run& run, const RunScale& scale, const BlockStore& store,
                              const Block& block, const PartBlock& part) {
  std::vector<HaloBlock> halo;
  const Graph& graph = run.graph();
  for (const auto& [first, last] : readAgain(graph, part.tensor)) {
    const Interval<double> kept{
        std::max(part.span.begin, scale.during(run.schedule.stepOf[first]).end),
        std::min(part.span.end, scale.during(run.schedule.stepOf[last]).end)};
    if (!kept.empty()) halo.push_back({kept, part.bytes, false});
  }
  if (store.madeAgain().empty()) return halo;
  const Bytes host = block.bytes.begin + hostOffset(run, part.tensor);
  for (const Interval<Bytes>& each : store.madeAgain().stretchesOf(graph, part.tensor)) {
    const Interval<Bytes> bytes{std::max(part.bytes.begin, host + each.begin),
                                std::min(part.bytes.end, host + each.end)};
    if (!bytes.empty()) halo.push_back({part.span, bytes, true});
  }
  return halo;
}

TensorId partAt(const Run& run, const RunScale& scale, const Block& block, double place, Bytes at) {
  TensorId found;
  for (const PartBlock& part : partBlocks(run, scale, block)) {
    if (part.span.contains(place) && part.bytes.contains(at)) found = part.tensor;
  }
  return found;
}

std::string partLabel(const Run& run, TensorId tensor) {
  std::string label = printable(displayName(run.graph(), tensor), 80);
  const std::string share = partText(run.graph(), run.storage, tensor);
  if (!share.empty()) label += ": " + share;
  for (const auto& [first, last] : readAgain(run.graph(), tensor)) {
    const Tiling& tiling = *run.graph().tiling;
    label += fmt::format("; {} reads it again",
                         printable(displayName(*tiling.original, tiling.opOf[last]), 80));
  }
  return label;
}

namespace {

/// A block needs this many units each way for its parts to be told apart in it.
constexpr double kContainerRoom = 9;
/// Parts need this many each way, and their container this much around them.
constexpr double kPartRoom = 3;
constexpr double kRim = 1.5;
/// Drawing more parts than this takes too long.
constexpr std::size_t kMostParts = 4'000;
/// With more parts than this names are not kept out of each other's way.
constexpr std::size_t kMostNamed = 64;

/// The longest stretch of a part that none of those behind it, which are drawn over it, covers.
Interval<double> seenSpan(const std::vector<PartBlock>& parts, std::size_t i) {
  const PartBlock& own = parts[i];
  if (parts.size() > kMostNamed) return own.span;
  std::vector<Interval<double>> covered;
  for (std::size_t k = i + 1; k < parts.size(); ++k) {
    if (parts[k].bytes.overlaps(own.bytes)) covered.push_back(parts[k].span);
  }
  covered.push_back({own.span.end, own.span.end});
  std::ranges::sort(covered, {}, &Interval<double>::begin);
  Interval<double> longest{own.span.begin, own.span.begin};
  double from = own.span.begin;
  for (const Interval<double>& span : covered) {
    const Interval<double> gap{from, std::min(span.begin, own.span.end)};
    if (gap.length() > longest.length()) longest = gap;
    from = std::max(from, span.end);
  }
  return longest;
}

/// About how many parts the buffer of a stay has: each piece as many stretches as one of them.
double partCount(const Run& run, StayId stay) {
  const auto& tensors = run.storage.buffers[run.problem.stays[stay].buffer].tensors;
  const TensorId last = tensors.back();
  const std::size_t each =
      pieceOf(run.graph(), last) != nullptr ? stretchesOf(run.graph(), last).size() : 1;
  return static_cast<double>(tensors.size()) * static_cast<double>(each);
}

}  // namespace

void MapDrawing::drawParts() const {
  drawReserved();
  drawReservedRanges();
  drawFrames();
  drawShared();
  if (scene_.run->storage.isIdentity()) return;
  std::vector<std::pair<double, std::size_t>> shown;  // With how large a part of it is, about.
  scene_.blocks->visit(scene_.window, [&](std::size_t index) {
    const Box box = boxOf(index);
    if (box.width < kContainerRoom || box.height < kContainerRoom) return;
    const double parts = partCount(*scene_.run, scene_.blocks->stay(index));
    shown.emplace_back(-box.width * box.height / parts, index);
  });
  // Of what thousands share, parts are smaller than anyone sees.
  std::ranges::sort(shown);
  std::size_t drawn = 0;
  // Blocks that share bytes while both are there have their parts on top of both.
  std::vector<std::pair<Block, std::vector<PartBlock>>> opened;
  for (const auto& [size, index] : shown) {
    if (drawn >= kMostParts) break;
    opened.emplace_back(scene_.blocks->block(index), openBlock(index));
    drawn += opened.back().second.size();
  }
  for (const auto& [block, parts] : opened) drawPartsOf(block, parts);
  drawOverlaps();
}

/// Draws the block hatched, where it has parts, and returns those that are on screen.
std::vector<PartBlock> MapDrawing::openBlock(std::size_t index) const {
  const Box box = boxOf(index);
  if (box.width < kContainerRoom || box.height < kContainerRoom) return {};
  const Block block = scene_.blocks->block(index);
  auto parts = partBlocks(*scene_.run, *scale_, block, scene_.blocks->coloring());
  if (parts.empty()) return parts;
  const Ink edge = blockInk(block.kind, timeOf(block), BlockPart::edge);
  canvas_.rectangle(box, {.fill = Fill{Ink::plot}, .edge = Stroke{edge}});
  canvas_.hatch(box, kKeptHatch);
  std::erase_if(parts, [this](const PartBlock& part) { return boxOf(part).isEmpty(); });
  return parts;
}

void MapDrawing::drawPartsOf(const Block& block, const std::vector<PartBlock>& parts) const {
  for (const PartBlock& part : parts) {
    drawPart(block, part);
    drawHalo(block, part);
  }
  if (timeOf(block) == BlockTime::pale) return;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    PartBlock seen = parts[i];
    seen.span = seenSpan(parts, i);
    writePart(seen, timeOf(block, parts[i]));
  }
}

/// The rim of the container shows, where there is room for one.
Box MapDrawing::boxOf(const PartBlock& part) const {
  Box box = plot_.boxOf(part.span, part.bytes).cut(plot_.frame.plot);
  if (box.width > 4 * kRim) box = {box.left + kRim, box.top, box.width - 2 * kRim, box.height};
  if (box.height > 4 * kRim) box = {box.left, box.top + kRim, box.width, box.height - 2 * kRim};
  return box;
}

BlockTime MapDrawing::timeOf(const Block& block, const PartBlock& part) const {
  const BlockTime time = timeOf(block);
  const auto at = scene_.at.real();
  if (time != BlockTime::live || part.span.contains(at)) return time;
  return part.span.begin > at ? BlockTime::future : BlockTime::past;
}

void MapDrawing::writePart(const PartBlock& part, BlockTime time) const {
  const Box box = boxOf(part);
  const Tensor& tensor = scene_.run->graph().tensors[part.tensor];
  const std::string name = printable(displayName(scene_.run->graph(), part.tensor), 80);
  drawBoxLabel(canvas_, box, name, name + "  " + formatBytes(tensor.bytes.value_or(Bytes())),
               blockInk(part.kind, time, BlockPart::word));
}

void MapDrawing::drawPart(const Block& block, const PartBlock& part) const {
  const Box box = boxOf(part);
  if (box.isEmpty()) return;
  const BlockTime time = timeOf(block, part);
  const auto ink = [&](BlockPart of) { return blockInk(part.kind, time, of); };
  const Run& run = *scene_.run;
  Hint hint{.tooltip = partLabel(run, part.tensor)};
  // Of what lies in several stretches, the first has the name.
  if (part.bytes.begin - block.bytes.begin == run.storage.offsetOf(part.tensor)) {
    hint.id = fmt::format("{}part-{}-{}", scene_.prefix, block.stay.index(), part.tensor.index());
  }
  if (box.width < kPartRoom || box.height < kPartRoom) {
    return canvas_.rectangle(box, {.fill = Fill{ink(BlockPart::thin)}}, hint);
  }
  const bool chosen = scene_.selectedPart == part.tensor && scene_.isSelected(block.stay);
  canvas_.rectangle(box,
                    {.fill = Fill{ink(BlockPart::fill)},
                     .edge = chosen ? Stroke{Ink::selection, 2} : Stroke{ink(BlockPart::edge), 1}},
                    hint);
}

/// Hatched where other parts of an op read it again, in another colour where they make it again.
void MapDrawing::drawHalo(const Block& block, const PartBlock& part) const {
  for (const HaloBlock& halo : haloOf(*scene_.run, *scale_, *scene_.blocks, block, part)) {
    const Box box = plot_.boxOf(halo.span, halo.bytes).cut(plot_.frame.plot);
    if (box.width < kPartRoom || box.height < kPartRoom) continue;
    canvas_.hatch(box, halo.made ? kMadeAgainHatch : kReadAgainHatch);
  }
}

/// Stresses what parts of the selected op made, wherever it lies: of a selected piece the op that
/// made it.
void MapDrawing::drawSameOp() const {
  const Graph& graph = scene_.run->graph();
  if (!graph.tiling) return;
  OpId op = pieceMaker(graph, scene_.selectedPart);
  if (!op && scene_.selectedOp && partOf(graph, scene_.selectedOp) != nullptr) {
    op = graph.tiling->opOf[scene_.selectedOp];
  }
  if (!op) return;
  std::size_t drawn = 0;
  scene_.blocks->visit(scene_.window, [&](std::size_t index) {
    if (drawn > kMostParts || boxOf(index).isEmpty()) return;
    const Block block = scene_.blocks->block(index);
    for (const PartBlock& part :
         partBlocks(*scene_.run, *scale_, block, scene_.blocks->coloring())) {
      if (part.maker != op) continue;
      ++drawn;
      const Box box = boxOf(part);
      if (box.isEmpty()) continue;
      const bool thin = box.width < kPartRoom || box.height < kPartRoom;
      const bool chosen = part.tensor == scene_.selectedPart;
      const auto ink = [&](BlockPart of) { return blockInk(part.kind, BlockTime::live, of); };
      if (thin) {
        canvas_.rectangle(box, {.fill = Fill{ink(BlockPart::thin)}});
        continue;
      }
      canvas_.rectangle(box, {.fill = Fill{ink(BlockPart::fill)},
                              .edge = Stroke{Ink::selection, chosen ? 3.0 : 1.0}});
      drawHalo(block, part);
    }
  });
}

namespace {

/// A wedge needs this many units each way to be seen as one.
constexpr double kWedgeRoom = 3;

/// The part of a polygon that lies on one side of a line, after Sutherland and Hodgman (1974):
/// `inside` is not negative there, and grows evenly.
template <class Inside>
std::vector<Point> cutOff(const std::vector<Point>& points, const Inside& inside) {
  std::vector<Point> kept;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Point& from = points[i];
    const Point& to = points[(i + 1) % points.size()];
    const double a = inside(from);
    const double b = inside(to);
    if (a >= 0) kept.push_back(from);
    if ((a >= 0) == (b >= 0)) continue;
    const double share = a / (a - b);
    kept.push_back({from.x + (to.x - from.x) * share, from.y + (to.y - from.y) * share});
  }
  return kept;
}

std::vector<Point> cutTo(const Box& box, std::vector<Point> points) {
  points = cutOff(points, [&](const Point& p) { return p.x - box.left; });
  points = cutOff(points, [&](const Point& p) { return box.right() - p.x; });
  points = cutOff(points, [&](const Point& p) { return p.y - box.top; });
  return cutOff(points, [&](const Point& p) { return box.bottom() - p.y; });
}

}  // namespace

/// The output lies over the input; what is still to be read of that while time goes on is drawn
/// over it again, a wedge that ends where the op does:
///
///     forwards   x x x x y      backwards   y y y y y     addresses upwards,
///                x x x y y                  x y y y y     time to the right
///                x x y y y                  x x y y y
///                x y y y y                  x x x y y
void MapDrawing::drawOverlaps() const {
  const Run& run = *scene_.run;
  for (const Overlap& overlap : run.problem.overlaps) {
    const Interval<Bytes> shared = sharedBytes(run.problem, run.plan, overlap);
    const auto blocks = scene_.blocks->blocksOf(overlap.under);
    if (overlap.parts || shared.empty() || blocks.empty()) continue;
    const Address& under = *run.plan.addresses[overlap.under];
    const Bytes start = run.plan.regionStart(under.pool, under.region);
    const Interval<double> during = scale_->during(run.problem.shared(overlap).begin);
    const Box box = plot_.boxOf(during, {start + shared.begin, start + shared.end});
    if (box.width < kWedgeRoom || box.height < kWedgeRoom) continue;
    const bool below = liesBelow(run.problem, run.plan, overlap);
    const Point tip{box.right(), below ? box.top : box.bottom()};
    const auto wedge =
        cutTo(plot_.frame.plot, {{box.left, box.bottom()}, {box.left, box.top}, tip});
    if (wedge.size() < 3) continue;
    const Block block = scene_.blocks->block(blocks.back());
    const BlockTime time = timeOf(block);
    canvas_.path(wedge, {.fill = Fill{blockInk(block.kind, time, BlockPart::fill)},
                         .edge = Stroke{blockInk(block.kind, time, BlockPart::edge)}});
    // It may cover the names of both: they stand in the middle of their blocks.
    const std::uint32_t output = scene_.blocks->blocksOf(overlap.over).front();
    writeName(blocks.back(), time);
    writeName(output, timeOf(scene_.blocks->block(output)));
  }
}

namespace {

/// A frame needs this many units each way to be seen apart from what lies in it.
constexpr double kFrameRoom = 4;
/// With more stays than this, frames are smaller than anyone sees.
constexpr std::size_t kMostFramed = 20'000;

}  // namespace

/// The outline of every block with what it holds, hatched where nobody lives in it.
void MapDrawing::drawFrames() const {
  const Problem& problem = scene_.run->problem;
  const Plan& plan = scene_.run->plan;
  if (problem.stays.size() > kMostFramed) return;
  const auto boxOf = [&](const Interval<Step>& steps, const Interval<Bytes>& bytes) {
    const Interval<double> span{scale_->begin(steps.begin), scale_->begin(steps.end)};
    return plot_.boxOf(span, bytes).cut(plot_.frame.plot);
  };
  for (const Frame& frame : framesOf(problem, plan, scene_.pool)) {
    const Box box = boxOf(frame.steps, frame.bytes);
    if (box.width < kFrameRoom || box.height < kFrameRoom) continue;
    for (const KeptPiece& piece : keptOf(problem, plan, frame)) {
      const Box kept = boxOf(piece.steps, piece.bytes);
      if (!kept.isEmpty()) canvas_.hatch(kept, kKeptHatch);
    }
    canvas_.rectangle(box, {.edge = Stroke{Ink::muted}});
  }
}

}  // namespace hw
