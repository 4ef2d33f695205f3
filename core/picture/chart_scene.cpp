#include "core/picture/chart_scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/text.h"

namespace hw {
namespace {

/// Appends a piece unless the value stays what it is.
template <class Piece, class Place>
void append(std::vector<Piece>& pieces, Place from, Bytes value) {
  if (!pieces.empty() && pieces.back().value == value) return;
  if (!pieces.empty() && pieces.back().from == from) {
    pieces.back().value = value;
    return;
  }
  pieces.push_back({from, value});
}

/// Calls `visit(event, most)` for each event by which a pool is larger than ever before.
template <class Visit>
void forEachRise(const Run& run, PoolId pool, const Visit& visit) {
  Bytes footprint;
  Bytes most;
  for (std::size_t i = 0; i < run.trace.size(); ++i) {
    const MemoryEvent& event = run.trace.event(i);
    if (event.poolId() != pool) continue;
    if (event.kind == EventKind::extend) footprint += event.size;
    if (event.kind == EventKind::shrink) footprint -= event.size;
    if (footprint <= most) continue;
    most = footprint;
    visit(i, most);
  }
}

/// Collects points and leaves out those that change nothing.
class Polyline {
 public:
  void to(double x, double y) {
    if (!points_.empty() && points_.back() == Point{x, y}) return;
    points_.push_back({x, y});
  }
  std::vector<Point> take() { return std::move(points_); }

 private:
  std::vector<Point> points_;
};

double valueOf(const Stair& piece) { return piece.value.real(); }
double startOf(const Stair& piece) { return piece.from.real(); }

/// The piece in force at `place`, or the end when none is yet.
std::vector<Stair>::const_iterator pieceAt(const std::vector<Stair>& pieces, double place) {
  const auto next = std::ranges::upper_bound(pieces, place, {},
                                             [](const Stair& piece) { return startOf(piece); });
  return next == pieces.begin() ? pieces.end() : std::prev(next);
}

std::vector<Stair> stairsOf(const StepFunction& curve) {
  std::vector<Stair> stairs;
  stairs.reserve(curve.pieces.size());
  for (const StepFunction::Piece& piece : curve.pieces) {
    stairs.push_back({AxisPlace(piece.from.count()), piece.value});
  }
  return stairs;
}

}  // namespace

StepFunction liveCurve(const Run& run, PoolId pool) {
  if (run.trace.size() == 0) return liveBytes(run.problem, pool);
  StepFunction curve;
  Bytes inUse;
  Bytes most;
  std::int32_t step = 0;
  for (const MemoryEvent& event : run.trace.events()) {
    if (event.step != step) {
      append(curve.pieces, Step(step), most);
      // Steps that nothing happens in show what the last one left.
      append(curve.pieces, Step(step + 1), inUse);
      step = event.step;
      most = inUse;
    }
    if (event.poolId() != pool) continue;
    if (event.kind == EventKind::alloc) inUse += event.size;
    if (event.kind == EventKind::free) inUse -= event.size;
    most = std::max(most, inUse);
  }
  append(curve.pieces, Step(step), most);
  if (Step(step + 1) < run.problem.steps) append(curve.pieces, Step(step + 1), inUse);
  return curve;
}

StepFunction highWaterCurve(const Run& run, PoolId pool) {
  StepFunction curve;
  forEachRise(run, pool, [&](std::size_t event, Bytes most) {
    append(curve.pieces, Step(run.trace.event(event).step), most);
  });
  return curve;
}

std::vector<Stair> liveOverTime(const Run& run, PoolId pool) {
  std::vector<Stair> stairs;
  Bytes inUse;
  for (std::size_t i = 0; i < run.trace.size(); ++i) {
    const MemoryEvent& event = run.trace.event(i);
    if (event.poolId() != pool) continue;
    if (event.kind == EventKind::alloc) inUse += event.size;
    if (event.kind == EventKind::free) inUse -= event.size;
    append(stairs, AxisPlace(run.trace.timeOf(i).count()), inUse);
  }
  return stairs;
}

std::vector<Stair> highWaterOverTime(const Run& run, PoolId pool) {
  std::vector<Stair> stairs;
  forEachRise(run, pool, [&](std::size_t event, Bytes most) {
    append(stairs, AxisPlace(run.trace.timeOf(event).count()), most);
  });
  return stairs;
}

void StairCurve::Span::add(const Span& other) {
  least = std::min(least, other.least);
  most = std::max(most, other.most);
}

StairCurve::StairCurve(std::vector<Stair> pieces) : pieces_(std::move(pieces)) {
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const Span one{pieces_[i].value, pieces_[i].value};
    if (i % kZone == 0) zones_.push_back(one);
    zones_.back().add(one);
    if (pieces_[i].value > pieces_[peak_].value) peak_ = i;
  }
}

StairCurve::StairCurve(const StepFunction& curve) : StairCurve(stairsOf(curve)) {}

StairCurve StairCurve::live(const Run& run, PoolId pool, AxisUnit unit) {
  return unit == AxisUnit::time ? StairCurve(liveOverTime(run, pool))
                                : StairCurve(liveCurve(run, pool));
}

StairCurve StairCurve::highWater(const Run& run, PoolId pool, AxisUnit unit) {
  return unit == AxisUnit::time ? StairCurve(highWaterOverTime(run, pool))
                                : StairCurve(highWaterCurve(run, pool));
}

StairCurve::Span StairCurve::spanOf(std::size_t first, std::size_t last) const {
  const auto& pieces = pieces_;
  Span span{pieces[first].value, pieces[first].value};
  while (first < last) {
    if (first % kZone == 0 && first + kZone <= last) {
      span.add(zones_[first / kZone]);
      first += kZone;
    } else {
      span.add({pieces[first].value, pieces[first].value});
      ++first;
    }
  }
  return span;
}

StairCurve::Figures StairCurve::over(double begin, double end) const {
  auto piece = pieceAt(pieces_, begin);
  // The curve is 0 before its first piece.
  const bool late = piece == pieces_.end();
  Figures figures{.least = late ? Bytes() : kMaxBytes};
  if (late) piece = pieces_.begin();
  double sum = 0;
  for (; piece != pieces_.end() && startOf(*piece) < end; ++piece) {
    const auto next = std::next(piece);
    const double to = next == pieces_.end() ? end : std::min(end, startOf(*next));
    figures.least = std::min(figures.least, piece->value);
    figures.most = std::max(figures.most, piece->value);
    sum += (to - std::max(begin, startOf(*piece))) * valueOf(*piece);
  }
  figures.mean = sum / (end - begin);
  return figures;
}

std::vector<Point> StairCurve::stairs(double begin, double end, std::size_t limit) const {
  Polyline line;
  const auto& pieces = pieces_;
  auto piece = pieceAt(pieces, begin);
  double value = piece == pieces.end() ? 0 : valueOf(*piece);
  line.to(begin, value);
  piece = piece == pieces.end() ? pieces.begin() : std::next(piece);
  const auto last = std::ranges::lower_bound(pieces, end, {}, startOf);
  const auto inside = static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, last - piece));
  // Every piece has room: each takes two points, where the curve leaves its level and where it
  // meets the next, and the two ends of the line take one each.
  if (2 * inside + 2 <= limit) {
    for (; piece < last; ++piece) {
      line.to(startOf(*piece), value);
      line.to(startOf(*piece), value = valueOf(*piece));
    }
    line.to(end, value);
    return line.take();
  }
  // Else columns are drawn, of four points each: up to the greatest value within, down to the
  // least, to the last one, and along to the next column.
  const double columns = std::floor(static_cast<double>(limit - 2) / 4);
  while (piece < last) {
    const double from = startOf(*piece);
    const double column = std::floor((from - begin) / (end - begin) * columns);
    const double edge = begin + (column + 1) * (end - begin) / columns;
    // Rounding may put a piece exactly on the edge of its column. It is taken into it nevertheless
    // (the search starts after it), or the loop would never end.
    const auto next = std::ranges::lower_bound(std::next(piece), last, edge, {}, startOf);
    const Span span = spanOf(static_cast<std::size_t>(piece - pieces.begin()),
                             static_cast<std::size_t>(next - pieces.begin()));
    line.to(from, value);
    line.to(from, std::max(value, span.most.real()));
    line.to(from, std::min(value, span.least.real()));
    line.to(from, value = valueOf(*std::prev(next)));
    piece = next;
  }
  line.to(end, value);
  return line.take();
}

std::vector<Point> stairs(const StepFunction& curve, double begin, double end, std::size_t limit) {
  return StairCurve(curve).stairs(begin, end, limit);
}

namespace {

constexpr Stroke kHighWater{Ink::highWater, 1.5};
constexpr double kLegendLine = 22;  ///< Of a line in the legend, before its name.
constexpr double kLegendGap = 14;

/// Capacity and live peak, as far as they are on screen; dots tell at which step the peaks are.
std::vector<ReferenceLine> references(const ChartScene& scene) {
  std::vector<ReferenceLine> lines = referenceLines(*scene.run, scene.pool);
  std::erase_if(lines, [&](const ReferenceLine& line) {
    return line.kind == ReferenceLine::Kind::peak || line.bytes.real() > scene.window.highByte;
  });
  return lines;
}

struct LegendEntry {
  std::string name;
  Stroke stroke;
};

std::vector<LegendEntry> legendOf(const ChartScene& scene) {
  const bool plans = !scene.others.empty() && scene.otherNames.empty();
  std::vector<LegendEntry> entries{{"in use", {Ink::live, 5}},
                                   {plans ? "A" : "high water", kHighWater}};
  for (std::size_t i = 1; i <= scene.others.size(); ++i) {
    entries.push_back({plans ? placeLetter(i) : scene.otherNames[i - 1], seriesStroke(i)});
  }
  for (const ReferenceLine& line : references(scene)) {
    const bool capacity = line.kind == ReferenceLine::Kind::capacity;
    entries.push_back({capacity ? "capacity" : "live peak", strokeOf(line.kind)});
  }
  return entries;
}

double widthOf(const LegendEntry& entry, const Ruler& ruler) {
  return ruler.width(entry.name) + kLegendLine + kLegendGap;
}

class ChartDrawing {
 public:
  ChartDrawing(Canvas& canvas, const ChartScene& scene, const Box& where)
      : canvas_(canvas), scene_(scene), plot_(where, canvas.ruler(), scene.window, scene.unit) {
    plot_.x.stepName = stepWord(*scene.run);
  }

  void draw() const {
    drawGrid(canvas_, plot_);
    const std::vector<Point> live = pointsOf(scene_.curves->live);
    canvas_.stairs(live, plot_.bytes.toPixel(0), {Ink::live, 0.4});
    canvas_.path(live, {.edge = Stroke{Ink::live}});
    for (std::size_t i = 0; i < scene_.others.size(); ++i) {
      if (scene_.others[i])
        canvas_.path(pointsOf(*scene_.others[i]), {.edge = seriesStroke(i + 1)});
    }
    canvas_.path(pointsOf(scene_.curves->highWater), {.edge = kHighWater});
    for (const ReferenceLine& line : references(scene_)) {
      const double y = std::round(plot_.bytes.toPixel(line.bytes.real()));
      canvas_.line({plot_.frame.plot.left, y}, {plot_.frame.plot.right(), y}, strokeOf(line.kind));
    }
    drawAxes(canvas_, plot_);
    drawPeaks();
    drawHeading();
  }

 private:
  std::vector<Point> pointsOf(const StairCurve& curve) const {
    std::vector<Point> points = curve.stairs(plot_.x.begin, plot_.x.end, kMostPoints);
    for (Point& point : points) point = {plot_.x.toX(point.x), plot_.bytes.toPixel(point.y)};
    return points;
  }

  /// Marks the most live bytes and the highest address: a dot each, and beside it
  /// as much of its words as has room. In time more may be in use at once than is live at any step.
  void drawPeaks() const {
    const Stair* live = scene_.curves->live.peak();
    if (!live) return;
    std::vector<Box> taken = highWaterBoxes();
    if (scene_.unit == AxisUnit::time) {
      drawPeak("most in use", *live, taken);
      return;
    }
    const PoolMetrics& metrics = scene_.run->metrics.pools[scene_.pool];
    const Stair top{AxisPlace(metrics.atTop.step.count()), metrics.peak};
    if (top == *live) {
      drawPeak("live peak = highest address", *live, taken);
    } else {
      drawPeak("highest address", top, taken);
      drawPeak("live peak", *live, taken);
    }
  }

  /// Boxes that its line covers.
  std::vector<Box> highWaterBoxes() const {
    const std::vector<Point> points = pointsOf(scene_.curves->highWater);
    std::vector<Box> boxes;
    for (std::size_t i = 1; i < points.size(); ++i) {
      const auto [left, right] = std::minmax(points[i - 1].x, points[i].x);
      const auto [top, bottom] = std::minmax(points[i - 1].y, points[i].y);
      boxes.push_back(Box::between(left - 1, top - 1, right + 1, bottom + 1));
    }
    return boxes;
  }

  void drawPeak(const char* what, const Stair& peak, std::vector<Box>& taken) const {
    const Box& area = plot_.frame.plot;
    const bool inTime = scene_.unit == AxisUnit::time;
    const Point at{plot_.x.toX(peak.from.real() + (inTime ? 0 : 0.5)),
                   plot_.bytes.toPixel(peak.value.real())};
    if (at.x < area.left || at.x > area.right()) return;
    const std::string where =
        inTime ? formatTime(SimTime(peak.from.count())) : "step " + groupDigits(peak.from.count());
    const std::string size = formatBytes(peak.value);
    const std::string named = fmt::format("{} {}", what, size);
    for (const std::string& text : {fmt::format("{} at {}", named, where), named, size}) {
      const auto box = placeBeside(at, canvas_.ruler().width(text), taken);
      if (!box) continue;
      canvas_.text({box->left, box->top + canvas_.ruler().ascent()}, text, {.halo = true});
      taken.push_back(*box);
      break;
    }
    drawDot(canvas_, at, 3, {});
  }

  /// A line of text `width` wide that keeps inside the plot and clear of what is `taken`: below the
  /// dot or above it, or else under the words of another or a little lower, where a line climbs
  /// slowly.
  std::optional<Box> placeBeside(Point dot, double width, const std::vector<Box>& taken) const {
    const Box& area = plot_.frame.plot;
    const double height = canvas_.ruler().height();
    const double below = std::max(area.top, dot.y + 3);
    const double under = taken.empty() ? below : taken.back().bottom();
    for (const double left : {dot.x + 8, dot.x - 8 - width}) {
      if (left < area.left || left + width > area.right()) continue;
      for (const double top : {below, dot.y - 3 - height, under, below + height / 2}) {
        const Box box{left, top, width, height};
        if (top < area.top || box.bottom() > area.bottom()) continue;
        if (!box.meetsAny(taken)) return box;
      }
    }
    return std::nullopt;
  }

  /// The title, and at its right end what each curve is: a legend that covers nothing.
  void drawHeading() const {
    const Ruler& ruler = canvas_.ruler();
    std::vector<LegendEntry> entries = legendOf(scene_);
    std::reverse(entries.begin(), entries.end());
    const Box& title = plot_.frame.title;
    const std::string heading = chartHeading(scene_, title, ruler);
    drawTitle(canvas_, plot_.frame, heading, {});
    const double least = title.left + ruler.width(heading, true) + scene_.button + kLegendGap;
    double right = title.right();
    for (const LegendEntry& entry : entries) {
      const double width = ruler.width(entry.name);
      if (right - width - kLegendLine < least) break;
      const double middle = std::floor(title.top + title.height / 2);
      canvas_.text({right, middle - ruler.height() / 2 + ruler.ascent()}, entry.name,
                   {.anchor = Anchor::end});
      canvas_.line({right - width - kLegendLine, middle}, {right - width - 5, middle},
                   entry.stroke);
      right -= widthOf(entry, ruler);
    }
  }

  Canvas& canvas_;
  const ChartScene& scene_;
  Plot plot_;
};

}  // namespace

std::shared_ptr<const ChartCurves> ChartCurves::of(const Run& run, PoolId pool, AxisUnit unit) {
  return std::make_shared<const ChartCurves>(
      ChartCurves{StairCurve::live(run, pool, unit), StairCurve::highWater(run, pool, unit)});
}

ChartScene ChartScene::whole(std::shared_ptr<const Run> run, PoolId pool, AxisUnit unit) {
  const double length = unit == AxisUnit::time ? RunScale(*run, unit).length()
                                               : std::max(1.0, run->problem.steps.real());
  ChartScene scene{.curves = ChartCurves::of(*run, pool, unit),
                   .pool = pool,
                   .unit = unit,
                   .window = {0, length, 0, fullByteRange(*run, pool)},
                   .now = {.playhead = -length}};
  scene.run = std::move(run);
  return scene;
}

std::string ChartScene::heading() const {
  return printable(run->problem.pools[pool].name, 40) + "   bytes in use and high water";
}

std::string chartHeading(const ChartScene& scene, const Box& title, const Ruler& ruler) {
  std::string full = scene.heading();
  double used = ruler.width(full, true) + scene.button + kLegendGap;
  for (const LegendEntry& entry : legendOf(scene)) used += widthOf(entry, ruler);
  if (used <= title.width) return full;
  return elided(ruler, printable(scene.run->problem.pools[scene.pool].name, 40),
                title.width - scene.button, false, true);
}

Stroke seriesStroke(std::size_t place) {
  static constexpr std::array<std::string_view, 7> kDashes = {"9 3", "3 3",  "12 3 3 3", "6 6",
                                                              "2 3", "15 5", "5 2"};
  if (place == 0) return {seriesInk(place), 1.5};
  return {seriesInk(place), 1.5, kDashes[(place - 1 + place / kSeriesInks) % kDashes.size()]};
}

void drawCurves(Canvas& canvas, const ChartScene& scene, const Box& where) {
  ChartDrawing(canvas, scene, where).draw();
}

void drawChart(Canvas& canvas, const ChartScene& scene, const Box& where) {
  drawCurves(canvas, scene, where);
  const Plot plot(where, canvas.ruler(), scene.window, scene.unit);
  drawNow(canvas, plot.frame, plot.x, scene.now);
}

}  // namespace hw
