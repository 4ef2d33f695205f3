#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/picture/constraint_links.h"
#include "core/picture/map_scene.h"
#include "core/run/figures.h"

// The constraints of a problem on its map: links between blocks, shared bytes, reserved ranges.

namespace hw {

/// The shortest way between two blocks, in the middle of what they have in common.
struct LinkWay {
  Box from{};
  Box to{};
  Point begin{};
  Point end{};
};

namespace {

/// More links than this hide the map.
constexpr std::size_t kMostLinksDrawn = 200;
/// Of a stay in many parts, as many are looked at.
constexpr std::size_t kMostBlocksLinked = 8;
constexpr double kDotRadius = 2.5;
constexpr double kBarWidth = 3;
constexpr double kBandOpacity = 0.3;

/// The places of two intervals that are nearest to each other; of what they share the middle.
std::pair<double, double> nearestPlaces(Interval<double> a, Interval<double> b) {
  const double low = std::max(a.begin, b.begin);
  const double high = std::min(a.end, b.end);
  if (low <= high) return {(low + high) / 2, (low + high) / 2};
  return a.begin < b.begin ? std::pair{a.end, b.begin} : std::pair{a.begin, b.end};
}

LinkWay linkWay(const Box& from, const Box& to) {
  const auto [fromX, toX] = nearestPlaces({from.left, from.right()}, {to.left, to.right()});
  const auto [fromY, toY] = nearestPlaces({from.top, from.bottom()}, {to.top, to.bottom()});
  return {from, to, {fromX, fromY}, {toX, toY}};
}

double wayLength(const LinkWay& way) {
  return std::abs(way.end.x - way.begin.x) + std::abs(way.end.y - way.begin.y);
}

/// The bytes that meet, from the end of the one block to the begin of the other; empty where
/// neither is before the other.
Box meetingBand(const LinkWay& way) {
  const Box& first = way.from.left <= way.to.left ? way.from : way.to;
  const Box& second = way.from.left <= way.to.left ? way.to : way.from;
  return Box::between(first.right(), std::max(first.top, second.top), second.left,
                      std::min(first.bottom(), second.bottom()));
}

/// The two ends of `band`, over the edges of the blocks that it lies between.
void drawMeetingBars(Canvas& canvas, const Box& band, const Box& area) {
  for (const double x : {band.left - kBarWidth, band.right()}) {
    const Box bar = Box{x, band.top, kBarWidth, band.height}.cut(area);
    if (!bar.isEmpty()) canvas.rectangle(bar, {.fill = Fill{Ink::accent}});
  }
}

}  // namespace

/// The way between the parts of two stays that are nearest; nothing where one is not on screen.
std::optional<LinkWay> MapDrawing::wayBetween(StayId a, StayId b) const {
  std::optional<LinkWay> best;
  const auto parts = [this](StayId stay) {
    const auto all = scene_.blocks->blocksOf(stay);
    return all.first(std::min(all.size(), kMostBlocksLinked));
  };
  for (const std::uint32_t from : parts(a)) {
    for (const std::uint32_t to : parts(b)) {
      const Box left = boxOf(from);
      const Box right = boxOf(to);
      if (left.isEmpty() || right.isEmpty()) continue;
      const LinkWay way = linkWay(left, right);
      if (!best || wayLength(way) < wayLength(*best)) best = way;
    }
  }
  return best;
}

/// A line on ground of its own, with a dot at each end; of a penalty that is paid the bytes, too.
void MapDrawing::drawWay(const LinkWay& way, LinkKind kind) const {
  const Stroke stroke = strokeOf(kind);
  const Box band = meetingBand(way);
  if (kind == LinkKind::paid && band.height > 0 && band.width >= 0) {
    const Box inside = band.cut(plot_.frame.plot);
    if (!inside.isEmpty()) canvas_.rectangle(inside, {.fill = Fill{stroke.ink, kBandOpacity}});
    drawMeetingBars(canvas_, band, plot_.frame.plot);
  }
  canvas_.line(way.begin, way.end, {Ink::plot, stroke.width + 2});
  canvas_.line(way.begin, way.end, stroke);
  for (const Point& end : {way.begin, way.end}) {
    drawDot(canvas_, end, kDotRadius + 1, {Ink::plot});
    drawDot(canvas_, end, kDotRadius, {stroke.ink});
  }
}

/// Partners of what is selected are not behind the veil.
void MapDrawing::bringForward(const ConstraintLink& link) const {
  for (const std::uint32_t index : scene_.blocks->blocksOf(link.partner)) {
    drawBlock(index, timeOf(scene_.blocks->block(index)));
    writeName(index, timeOf(scene_.blocks->block(index)));
    encircle(index, strokeOf(link.kind));
  }
}

/// The links of the selected stay, and what its penalties cost where there is room to say it.
void MapDrawing::drawLinks() const {
  const Run& run = *scene_.run;
  auto links = linksOf(run.problem, run.plan, scene_.selected);
  links.resize(std::min(links.size(), kMostLinksDrawn));
  for (const ConstraintLink& link : links) bringForward(link);
  // These may lie over what is selected.
  if (!links.empty()) drawShared(scene_.selected);
  for (const std::uint32_t index : scene_.blocks->blocksOf(scene_.selected)) encircle(index);
  std::vector<Box> taken;
  for (const ConstraintLink& link : links) {
    const auto way = wayBetween(scene_.selected, link.partner);
    if (!way || !way->from.cut(way->to).isEmpty()) continue;
    drawWay(*way, link.kind);
    if (link.cost == 0) continue;
    const std::string cost = groupDigits(link.cost);
    const Ruler& ruler = canvas_.ruler();
    const double width = ruler.width(cost, true);
    const Point middle{(way->begin.x + way->end.x) / 2, (way->begin.y + way->end.y) / 2};
    const Box box{middle.x - width / 2, middle.y - ruler.height() - 2, width, ruler.height()};
    if (!plot_.frame.plot.holds(box) || box.meetsAny(taken)) continue;
    taken.push_back(box);
    canvas_.text(
        {middle.x, box.top + ruler.ascent()}, cost,
        {.ink = strokeOf(link.kind).ink, .anchor = Anchor::middle, .bold = true, .halo = true});
  }
}

/// All penalties that are paid, thin, where they are few.
void MapDrawing::drawPaid() const {
  const Run& run = *scene_.run;
  if (run.problem.constraints.penalties.size() > kMostConstraintsSearched) return;
  const auto paid = paidPenalties(run.problem, run.plan);
  if (paid.size() > kMostLinksDrawn) return;
  for (const ReusePenalty& penalty : paid) {
    const auto way = wayBetween(penalty.pair.a, penalty.pair.b);
    if (!way) continue;
    const Box band = meetingBand(*way);
    if (band.height > 0 && band.width >= 0) drawMeetingBars(canvas_, band, plot_.frame.plot);
    canvas_.line(way->begin, way->end, {strokeOf(LinkKind::paid).ink, 1});
  }
}

void MapDrawing::drawConstraints() const {
  const Problem& problem = scene_.run->problem;
  if (problem.constraints.empty()) return;
  if (problem.stays.contains(scene_.selected)) return drawLinks();
  drawPaid();
}

/// Bytes in which two are at one step, as they may: hatched, with both names. `only`: of that stay.
void MapDrawing::drawShared(StayId only) const {
  const Run& run = *scene_.run;
  const Constraints& rules = run.problem.constraints;
  std::size_t pairs = rules.exclusive.size();
  for (const std::vector<StayId>& group : rules.together) pairs += group.size() * group.size() / 2;
  if (pairs > kMostConstraintsSearched) return;
  for (const StayPair& pair : sharersOf(run.problem)) {
    if (only && pair.a != only && pair.b != only) continue;
    const Interval<Step> steps{
        std::max(run.problem.stays[pair.a].steps.begin, run.problem.stays[pair.b].steps.begin),
        std::min(run.problem.stays[pair.a].steps.end, run.problem.stays[pair.b].steps.end)};
    const Interval<Bytes> bytes = meetingBytes(run.problem, run.plan, pair);
    if (steps.empty() || bytes.empty() || scene_.blocks->blocksOf(pair.a).empty()) continue;
    const Address& place = *run.plan.addresses[pair.a];
    const Bytes start = run.plan.regionStart(place.pool, place.region);
    const Box box = plot_
                        .boxOf({scale_->begin(steps.begin), scale_->begin(steps.end)},
                               {start + bytes.begin, start + bytes.end})
                        .cut(plot_.frame.plot);
    if (box.isEmpty()) continue;
    const Block block = scene_.blocks->block(scene_.blocks->blocksOf(pair.a).front());
    const auto ink = [&](BlockPart of) { return blockInk(block.kind, timeOf(block), of); };
    canvas_.rectangle(box, {.fill = Fill{ink(BlockPart::fill)}});
    canvas_.hatch(box, kSharedHatch);
    canvas_.rectangle(box, {.edge = strokeOf(LinkKind::exclusive)});
    const std::string names =
        fmt::format("{} or {}", blockName(run, pair.a), blockName(run, pair.b));
    drawBoxLabel(canvas_, box, names, names, ink(BlockPart::word));
  }
}

/// Draws what the platform keeps for itself, above what may be planned.
void MapDrawing::drawReserved() const {
  const Bytes reserved = reservedBytes(*scene_.run, scene_.pool);
  if (reserved == Bytes()) return;
  const Bytes target = *scene_.run->problem.pools[scene_.pool].capacity;
  const Box box = plot_
                      .boxOf({scene_.window.begin, scene_.window.end},
                             Interval<Bytes>{target, target + reserved})
                      .cut(plot_.frame.plot);
  drawReservedBand(canvas_, box, reserved);
}

void MapDrawing::drawReservedRanges() const {
  const Run& run = *scene_.run;
  for (const Interval<Bytes>& bytes : reservedRanges(run.problem, run.plan, scene_.pool)) {
    const Box box = plot_.boxOf({scene_.window.begin, scene_.window.end}, bytes);
    drawReservedBand(canvas_, box.cut(plot_.frame.plot), bytes.length());
  }
}

void drawReservedBand(Canvas& canvas, const Box& box, Bytes bytes) {
  if (box.isEmpty()) return;
  canvas.hatch(box, kReservedHatch);
  const std::string label = "reserved " + formatBytes(bytes);
  drawBoxLabel(canvas, box, "reserved", label, Ink::muted);
}

}  // namespace hw
