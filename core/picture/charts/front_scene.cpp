#include "core/picture/charts/front_scene.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <tuple>

#include "core/base/text.h"
#include "core/picture/axis.h"
#include "core/picture/plot.h"
#include "core/picture/value_axis.h"

namespace hw {
namespace {

/// Writes words into a chart of dots so that they hide neither a dot nor each other. Remembers what
/// lies where; O(n) for each word, of which a chart has dozens.
class LabelPlacer {
 public:
  /// Names of dots stay inside `area`. The canvas outlives this.
  LabelPlacer(Canvas& canvas, const Box& area) : canvas_(canvas), area_(area) {}

  /// Something lies there.
  void take(const Box& box) { taken_.push_back(box); }
  /// A line of such, each part of which is level or upright.
  void take(std::span<const Point> line);
  /// Words that have a place of their own; `at` is on their baseline.
  void write(Point at, std::string_view text, Ink ink, Anchor anchor);

  /// A place where words may begin, or with Anchor::end end, on their baseline.
  struct Spot {
    Point at{};
    Anchor anchor = Anchor::start;
  };
  /// Words at the first of `spots` where they lie inside the area and hide nothing; false, and
  /// nothing written, where there is none.
  bool writeAtOne(std::span<const Spot> spots, std::string_view text, Ink ink);
  /// The name of what lies in `dot`: beside it where nothing else is, else up to two lines higher
  /// or lower with a thin line to it, shortened if it fits nowhere as a whole. Says nothing where
  /// there is no room at all: a dot tells its name to the pointer, too.
  void name(const Box& dot, std::string_view name);

 private:
  bool nameBeside(const Box& dot, std::string_view name, bool whole);

  Canvas& canvas_;
  Box area_;
  std::vector<Box> taken_;
};

constexpr double kFromDot = 4;            ///< Between a dot and its name.
constexpr double kFromEdge = 4;           ///< Between a name and the end of the area.
constexpr double kBetweenNames = 3;       ///< On a line: halos hide no letter.
constexpr std::size_t kLeastOfAName = 6;  ///< A shortened name says nothing below that.
constexpr int kLines[] = {0, -1, 1, -2, 2};

void LabelPlacer::take(std::span<const Point> line) {
  for (std::size_t i = 1; i < line.size(); ++i) {
    const auto [left, right] = std::minmax(line[i - 1].x, line[i].x);
    const auto [top, bottom] = std::minmax(line[i - 1].y, line[i].y);
    take(Box::between(left, top, right + 1, bottom + 1));
  }
}

void LabelPlacer::write(Point at, std::string_view text, Ink ink, Anchor anchor) {
  const Ruler& ruler = canvas_.ruler();
  canvas_.text(at, text, {.ink = ink, .anchor = anchor, .halo = true});
  const double width = ruler.width(text);
  const double left = anchor == Anchor::end ? at.x - width : at.x;
  take({left - kBetweenNames, at.y - ruler.ascent(), width + 2 * kBetweenNames, ruler.height()});
}

bool LabelPlacer::writeAtOne(std::span<const Spot> spots, std::string_view text, Ink ink) {
  const Ruler& ruler = canvas_.ruler();
  const double width = ruler.width(text);
  for (const Spot& spot : spots) {
    const Box box{spot.anchor == Anchor::end ? spot.at.x - width : spot.at.x,
                  spot.at.y - ruler.ascent(), width, ruler.height()};
    if (!area_.holds(box) || box.meetsAny(taken_)) continue;
    write(spot.at, text, ink, spot.anchor);
    return true;
  }
  return false;
}

void LabelPlacer::name(const Box& dot, std::string_view name) {
  if (!nameBeside(dot, name, true)) nameBeside(dot, name, false);
}

/// False where there is no place for it: `whole`, or as much of it as there is room for.
bool LabelPlacer::nameBeside(const Box& dot, std::string_view name, bool whole) {
  const Ruler& ruler = canvas_.ruler();
  const double height = ruler.height();
  for (const int lines : kLines) {
    const double top = dot.top + (dot.height - height) / 2 + lines * height;
    if (top < area_.top || top + height > area_.bottom()) continue;
    for (const bool right : {true, false}) {
      const double room = right ? area_.right() - dot.right() : dot.left - area_.left;
      const std::string text = elided(ruler, name, room - kFromDot - kFromEdge);
      if (whole ? text != name : text.size() < kLeastOfAName) continue;
      const double width = ruler.width(text);
      const double left = right ? dot.right() + kFromDot : dot.left - kFromDot - width;
      const Box box{left, top, width, height};
      if (box.meetsAny(taken_)) continue;
      if (lines != 0) {
        canvas_.line({right ? dot.right() : dot.left, dot.top + dot.height / 2},
                     {right ? left - 1 : left + width + 1, top + height / 2}, {Ink::muted, 1});
      }
      write({left, top + ruler.ascent()}, text, Ink::text, Anchor::start);
      return true;
    }
  }
  return false;
}

constexpr double kHalfDot = 4;  ///< Half the width.
constexpr Stroke kFound{Ink::selection, 2};
constexpr Stroke kBound{Ink::lowerBound, 1.5, kDashed};
constexpr Stroke kWall{Ink::lowerBound, 1, kDotted};
constexpr Stroke kHollow{Ink::muted, 1.5};
constexpr Stroke kStrokes[] = {kFound, kBound, kWall, kHollow};  ///< In the order of the legend.
constexpr std::size_t kDots = 3;  ///< Where in it dots are, instead of lines.
constexpr double kSample = 22;    ///< Of a line in the legend.
constexpr double kLegendAir = 6;

class FrontDrawing {
 public:
  FrontDrawing(Canvas& canvas, const FrontScene& scene, const Box& where)
      : canvas_(canvas),
        scene_(scene),
        frame_(PlotFrame::inside(where, canvas.ruler())),
        legend_(legendAbove(frame_.plot)),
        labels_(canvas, frame_.plot),
        x_(bytesAxis()),
        y_(timeAxis()) {}

  void draw() {
    drawTitle(canvas_, frame_, scene_.title, scene_.note);
    canvas_.rectangle(frame_.plot, {.fill = Fill{Ink::plot}});
    drawTicks();
    const double wallX = x(scene_.leastBytes);
    const double wallY = y(scene_.leastLatency);
    const bool wall = scene_.leastBytes > Bytes();
    const bool floor = scene_.leastLatency > SimTime();
    if (wall) {
      canvas_.hatch(Box::between(frame_.plot.left, frame_.plot.top, wallX, frame_.plot.bottom()),
                    {Ink::hatch});
    }
    if (floor) {
      canvas_.hatch(Box::between(wallX, wallY, frame_.plot.right(), frame_.plot.bottom()),
                    {Ink::hatch});
    }
    if (wall) canvas_.line({wallX, frame_.plot.top}, {wallX, frame_.plot.bottom()}, kWall);
    if (floor) canvas_.line({frame_.plot.left, wallY}, {frame_.plot.right(), wallY}, kWall);
    drawMarks();
    canvas_.path(stairs(scene_.bounds), {.edge = kBound});
    canvas_.path(stairs(scene_.found), {.edge = kFound});
    labels_.take(stairs(scene_.bounds));
    labels_.take(stairs(scene_.found));
    if (wall) labels_.take(Box{wallX, frame_.plot.top, 1, frame_.plot.height});
    mark(scene_.found, Ink::selection, "found");
    mark(scene_.others, Ink::muted, "other");
    canvas_.rectangle(frame_.plot, {.edge = Stroke{Ink::axis}});
    drawLegend();
    drawSaving();
    label();
  }

 private:
  double x(Bytes bytes) const { return x_.toPixel(bytes.real()); }
  double y(SimTime latency) const { return y_.toPixel(latency.real()); }

  /// The arrow of what is saved, a little above both plans, with its words over it.
  void drawSaving() {
    if (!scene_.saving) return;
    const auto& [from, to] = *scene_.saving;
    const double right = x(from.bytes);
    const double left = x(to.bytes) + kHalfDot;
    const double level = std::min(y(from.latency), y(to.latency)) - canvas_.ruler().height();
    if (right - left < 4 * kHalfDot || level < frame_.plot.top) return;
    const Stroke stroke{Ink::lowerBound, 2};
    canvas_.line({left, level}, {right, level}, stroke);
    for (const double side : {-kHalfDot, kHalfDot}) {
      canvas_.line({left, level}, {left + 1.5 * kHalfDot, level + side}, stroke);
    }
    labels_.take(Box::between(left, level - kHalfDot, right, level + kHalfDot));
    const SimTime more = to.latency - from.latency;
    const std::string words = "\u2212" + formatBytes(from.bytes - to.bytes) +
                              (more > SimTime()   ? ", +" + formatTime(more)
                               : more < SimTime() ? ", \u2212" + formatTime(SimTime() - more)
                                                  : std::string());
    const double baseline = level - kHalfDot - canvas_.ruler().height() + canvas_.ruler().ascent();
    const double middle = (left + right) / 2 - canvas_.ruler().width(words) / 2;
    const LabelPlacer::Spot spots[] = {{{middle, baseline}, Anchor::start},
                                       {{right, baseline}, Anchor::end}};
    labels_.writeAtOne(spots, words, Ink::lowerBound);
  }

  /// Sizes to be held against, each with its name beside it at the top, or below those of others.
  void drawMarks() {
    const double line = canvas_.ruler().height();
    for (const FrontScene::Mark& each : scene_.marks) {
      const double at = x(each.bytes);
      canvas_.line({at, frame_.plot.top}, {at, frame_.plot.bottom()}, kWall);
    }
    for (const FrontScene::Mark& each : scene_.marks) {
      std::vector<LabelPlacer::Spot> spots;
      for (std::size_t row = 0; row < scene_.marks.size(); ++row) {
        const double baseline =
            frame_.plot.top + static_cast<double>(row) * line + canvas_.ruler().ascent();
        spots.push_back({{x(each.bytes) + kLegendAir, baseline}, Anchor::start});
        spots.push_back({{x(each.bytes) - kLegendAir, baseline}, Anchor::end});
      }
      labels_.writeAtOne(spots, each.name, Ink::muted);
    }
    for (const FrontScene::Mark& each : scene_.marks) {
      labels_.take(Box{x(each.bytes), frame_.plot.top, 1, frame_.plot.height});
    }
  }

  /// Of all dots what `value` tells, and that of a wall, if there is one.
  template <class Of, class Wall>
  ValueSpan spanOf(const Of& value, Wall wall) const {
    ValueSpan span;
    if (wall > Wall()) span.include(wall.real());
    for (const auto* dots : {&scene_.found, &scene_.bounds, &scene_.others}) {
      for (const FrontDot& dot : *dots) span.include(value(dot).real());
    }
    return span;
  }

  /// Each doubling is as wide: most happens near the least capacity, and some plans need a hundred
  /// times that.
  ValueAxis bytesAxis() const {
    ValueSpan bytes = spanOf([](const FrontDot& dot) { return dot.bytes; }, scene_.leastBytes);
    for (const FrontScene::Mark& each : scene_.marks) bytes.include(each.bytes.real());
    return ValueAxis::around(ColumnKind::bytes, bytes, true, frame_.plot.left, frame_.plot.width);
  }

  ValueAxis timeAxis() const {
    const ValueSpan time =
        spanOf([](const FrontDot& dot) { return dot.latency; }, scene_.leastLatency);
    return ValueAxis::around(ColumnKind::time, time, false, frame_.plot.bottom(),
                             -frame_.plot.height);
  }

  void drawTicks() {
    const double line = canvas_.ruler().height();
    double written = 0;  // Where the last label ends.
    for (const AxisTick& tick : x_.ticks(line)) {
      const double at = x_.toPixel(tick.value);
      canvas_.line({at, frame_.plot.top}, {at, frame_.plot.bottom()}, {Ink::grid});
      const double half = canvas_.ruler().width(tick.label) / 2;
      if (at - half < written || at + half > frame_.whole.right()) continue;
      written = at + half + kLegendAir;
      canvas_.text({at, frame_.plot.bottom() + line}, tick.label,
                   {.ink = Ink::muted, .anchor = Anchor::middle});
    }
    for (const AxisTick& tick : y_.ticks(y_.isDoubling() ? line : 3 * line)) {
      if (tick.value < y_.low() || tick.value > y_.high()) continue;
      const double at = y_.toPixel(tick.value);
      canvas_.line({frame_.plot.left, at}, {frame_.plot.right(), at}, {Ink::grid});
      canvas_.text({frame_.plot.left - 4, at + canvas_.ruler().ascent() / 2}, tick.label,
                   {.ink = Ink::muted, .anchor = Anchor::end});
    }
  }

  /// From each dot to the right, then down to the next; the last one on to the edge.
  std::vector<Point> stairs(const std::vector<FrontDot>& dots) const {
    std::vector<Point> points;
    for (const FrontDot& dot : dots) {
      if (!points.empty()) points.push_back({x(dot.bytes), points.back().y});
      points.push_back({x(dot.bytes), y(dot.latency)});
    }
    if (!points.empty()) points.push_back({frame_.plot.right(), points.back().y});
    return points;
  }

  Box boxOf(const FrontDot& dot) const {
    return {x(dot.bytes) - kHalfDot, y(dot.latency) - kHalfDot, 2 * kHalfDot, 2 * kHalfDot};
  }

  void mark(const std::vector<FrontDot>& dots, Ink ink, std::string_view prefix) {
    for (std::size_t i = 0; i < dots.size(); ++i) {
      const FrontDot& dot = dots[i];
      canvas_.rectangle(
          boxOf(dot), dot.ownStays ? hollow() : Look{.fill = Fill{ink}},
          {.id = std::string(prefix) + "-" + std::to_string(i),
           .tooltip = dot.name + ": " + formatBytes(dot.bytes) + ", " + formatTime(dot.latency)});
    }
  }

  /// The names of the others, those of one place together.
  void label() {
    std::map<std::pair<Bytes, SimTime>, std::string> names;
    for (const FrontDot& dot : scene_.others) {
      std::string& name = names[{dot.bytes, dot.latency}];
      name += (name.empty() ? "" : ", ") + dot.name;
    }
    for (const auto* dots : {&scene_.found, &scene_.others}) {
      for (const FrontDot& dot : *dots) labels_.take(boxOf(dot));
    }
    for (const auto& [place, name] : names) {
      labels_.name(boxOf({.bytes = place.first, .latency = place.second}), name);
    }
  }

  /// Edges lie inside the dot, so that hollow ones are no larger.
  static Look hollow() { return {.fill = Fill{Ink::plot}, .edge = kHollow}; }

  struct LegendEntry {
    std::string_view name{};
    Stroke stroke{};
    Point at{};  ///< Its upper left corner.
    bool dot = false;
  };

  /// Legend of the lines, above `plot`, which it takes room from: there it hides nothing. In few
  /// words, or in none, where the plot would lose much of its height.
  std::vector<LegendEntry> legendAbove(Box& plot) const {
    const double line = canvas_.ruler().height();
    for (const auto& names : scene_.legend) {
      std::vector<LegendEntry> legend;
      Point at{plot.left, plot.top};
      double widest = 0;
      for (std::size_t i = 0; i < std::size(kStrokes); ++i) {
        if (names[i].empty() || (i == kDots && !hasHollow())) continue;
        const double width = kSample + kLegendAir + canvas_.ruler().width(names[i]);
        widest = std::max(widest, width);
        if (at.x > plot.left && at.x + width > plot.right()) at = {plot.left, at.y + line};
        legend.push_back({names[i], kStrokes[i], at, i == kDots});
        at.x += width + 3 * kLegendAir;
      }
      const double used = at.y + line + kLegendAir - plot.top;
      if (used > plot.height / 4 || widest > plot.width) continue;
      plot = Box::between(plot.left, plot.top + used, plot.right(), plot.bottom());
      return legend;
    }
    return {};
  }

  bool hasHollow() const { return std::ranges::any_of(scene_.others, &FrontDot::ownStays); }

  void drawLegend() {
    const Ruler& ruler = canvas_.ruler();
    for (const LegendEntry& entry : legend_) {
      const double middle = entry.at.y + ruler.height() / 2;
      if (entry.dot) {
        canvas_.rectangle(
            {entry.at.x + kSample - 2 * kHalfDot, middle - kHalfDot, 2 * kHalfDot, 2 * kHalfDot},
            hollow());
      } else {
        canvas_.line({entry.at.x, middle}, {entry.at.x + kSample, middle}, entry.stroke);
      }
      canvas_.text({entry.at.x + kSample + kLegendAir, entry.at.y + ruler.ascent()}, entry.name,
                   {.ink = Ink::muted});
    }
  }

  Canvas& canvas_;
  const FrontScene& scene_;
  PlotFrame frame_;
  std::vector<LegendEntry> legend_;
  LabelPlacer labels_;
  ValueAxis x_;
  ValueAxis y_;
};

}  // namespace

void drawFront(Canvas& canvas, const FrontScene& scene, const Box& where) {
  FrontDrawing(canvas, scene, where).draw();
}

namespace {

constexpr double kDot = 4;      ///< Radius.
constexpr double kAir = 0.06;   ///< Of each axis, beyond what it shows.
constexpr double kFarWall = 1;  ///< In what the points span: a wall further away is told only.
constexpr const char* kNeedsLess = "no plan needs less";
constexpr double kTimeSpacing = 90;  ///< Units between marks of time, at least.

struct Span : ValueSpan {
  /// Near enough to be shown beside the rest without squeezing it.
  bool reaches(double value) const {
    return !any || low == high || low - value <= kFarWall * (high - low);
  }
  Span widened() const {
    const double air = std::max((high - low) * kAir, std::max(std::abs(high) * 0.01, 1.0));
    return {{std::max(0.0, low - air), high + air, any}};
  }
};

class ParetoDrawing {
 public:
  ParetoDrawing(Canvas& canvas, const ParetoScene& scene, const Box& where)
      : canvas_(canvas),
        scene_(scene),
        frame_(PlotFrame::inside(where, canvas.ruler())),
        labels_(canvas, frame_.plot) {
    Span time;
    Span bytes;
    for (const ParetoPoint& point : scene.points) {
      time.include(point.latency.real());
      bytes.include(point.peak.real());
    }
    if (scene.latencyBound) latencyWall_ = time.reaches(scene.latencyBound->real());
    if (scene.lowerBound) bytesWall_ = bytes.reaches(scene.lowerBound->real());
    if (latencyWall_) time.include(scene.latencyBound->real());
    if (bytesWall_) bytes.include(scene.lowerBound->real());
    time = time.widened();
    bytes = bytes.widened();
    time_ = {time.low, time.high, frame_.plot.left, frame_.plot.width};
    bytes_ = {bytes.low, bytes.high, frame_.plot.bottom(), -frame_.plot.height};
  }

  void draw() {
    // The text around the picture says whose plans they are where there is little room.
    const bool roomy = canvas_.ruler().width(scene_.heading(), true) <= frame_.title.width;
    drawTitle(canvas_, frame_, roomy ? scene_.heading() : std::string(ParetoScene::kWhat), "");
    drawPaper();
    drawWalls();
    drawFront();
    for (const ParetoPoint& point : scene_.points) labels_.take(boxOf(point));
    nameWalls();
    drawPoints();
  }

 private:
  Point at(const ParetoPoint& point) const {
    return {time_.toX(point.latency.real()), bytes_.toPixel(point.peak.real())};
  }

  Box boxOf(const ParetoPoint& point) const {
    const Point center = at(point);
    return {center.x - kDot, center.y - kDot, 2 * kDot, 2 * kDot};
  }

  void drawPaper() {
    const Box& area = frame_.plot;
    const Ruler& ruler = canvas_.ruler();
    canvas_.rectangle(area, {.fill = Fill{Ink::plot}, .edge = Stroke{Ink::grid}});
    for (const AxisTick& tick : bytes_.ticks(byteTickSpacing(ruler))) {
      const double y = std::round(bytes_.toPixel(tick.value));
      canvas_.line({area.left, y}, {area.right(), y}, {Ink::grid});
      canvas_.text({area.left - 6, y - ruler.height() / 2 + ruler.ascent()}, tick.label,
                   {.ink = Ink::axis, .anchor = Anchor::end});
    }
    const double baseline = frame_.ticks.top + ruler.ascent();
    for (const AxisTick& tick : time_.ticks(kTimeSpacing)) {
      const double x = std::round(time_.toX(tick.value));
      const std::string label = formatTime(SimTime(std::llround(tick.value)));
      const double half = ruler.width(label) / 2;
      canvas_.line({x, area.top}, {x, area.bottom() + 3}, {Ink::grid});
      canvas_.text({std::min(x, frame_.whole.right() - half - 1), baseline}, label,
                   {.ink = Ink::axis, .anchor = Anchor::middle});
    }
    canvas_.text({frame_.ticks.left - 14, baseline}, "latency",
                 {.ink = Ink::muted, .anchor = Anchor::end});
  }

  void drawWalls() {
    const Box& area = frame_.plot;
    if (bytesWall_) {
      const double y = std::round(bytes_.toPixel(scene_.lowerBound->real()));
      canvas_.line({area.left, y}, {area.right(), y}, {Ink::lowerBound, 1, kDashed});
      labels_.take(Box{area.left, y, area.width, 1});
    }
    if (latencyWall_) {
      const double x = std::round(time_.toX(scene_.latencyBound->real()));
      canvas_.line({x, area.top}, {x, area.bottom()}, {Ink::lowerBound, 1, kDashed});
      labels_.take(Box{x, area.top, 1, area.height});
    }
  }

  /// Beside the walls, in many words or in few, where they hide nothing.
  void nameWalls() {
    const Box& area = frame_.plot;
    const Ruler& ruler = canvas_.ruler();
    const double left = area.left + 4;
    const double right = area.right() - 4;
    const double top = area.top + ruler.ascent() + 1;
    const double bottom = area.bottom() - ruler.height() + ruler.ascent() - 1;
    const auto name = [&](std::span<const LabelPlacer::Spot> spots, const std::string& words,
                          const std::string& fewWords) {
      if (!labels_.writeAtOne(spots, words, Ink::lowerBound))
        labels_.writeAtOne(spots, fewWords, Ink::lowerBound);
    };
    if (bytesWall_) {
      const double y = std::round(bytes_.toPixel(scene_.lowerBound->real()));
      // Clear of dots that lie on the wall.
      const double below = y + kDot + 1 + ruler.ascent();
      const double above = y - kDot - 1 - ruler.height() + ruler.ascent();
      const double middle = (left + right - ruler.width(kNeedsLess)) / 2;
      const LabelPlacer::Spot spots[] = {
          {{right, below}, Anchor::end},    {{left, below}, Anchor::start},
          {{middle, below}, Anchor::start}, {{right, above}, Anchor::end},
          {{left, above}, Anchor::start},   {{middle, above}, Anchor::start}};
      name(spots, kNeedsLess, "least");
    }
    if (latencyWall_) {
      const double x = std::round(time_.toX(scene_.latencyBound->real())) + 4;
      const LabelPlacer::Spot spots[] = {{{x, top}, Anchor::start}, {{x, bottom}, Anchor::start}};
      name(spots, "no plan is faster", "least");
    } else if (scene_.latencyBound) {
      const LabelPlacer::Spot spots[] = {{{left, top}, Anchor::start},
                                         {{right, top}, Anchor::end},
                                         {{left, bottom}, Anchor::start},
                                         {{right, bottom}, Anchor::end}};
      const std::string time = formatTime(*scene_.latencyBound);
      name(spots, "no plan is faster than " + time, "at least " + time);
    }
  }

  /// Draws the stairs below which no plan of the front is: less memory takes more time.
  void drawFront() {
    const std::vector<ParetoPoint> front = paretoFront(scene_.points);
    std::vector<Point> stairs;
    for (const ParetoPoint& point : front) {
      const Point next = at(point);
      if (!stairs.empty()) stairs.push_back({next.x, stairs.back().y});
      stairs.push_back(next);
    }
    if (stairs.size() > 1) canvas_.path(stairs, {.edge = Stroke{Ink::highWater, 1.5}});
    labels_.take(stairs);
  }

  void drawPoints() {
    struct Dot {
      std::string names{};
      std::size_t row = 0;
    };
    std::map<std::tuple<SimTime, Bytes, std::size_t>, Dot> places;
    for (const ParetoPoint& point : scene_.points) {
      Dot& dot = places[{point.latency, point.peak, point.series}];
      if (dot.names.empty()) dot.row = point.row;
      dot.names += (dot.names.empty() ? "" : ", ") + printable(point.name, 40);
    }
    for (const auto& [place, dot] : places) {
      const auto& [latency, peak, series] = place;
      const Box box = boxOf({.peak = peak, .latency = latency});
      // The rectangle is invisible: it has the hint for the pointer. What is seen is the circle.
      canvas_.rectangle(
          box, {.fill = Fill{Ink::plot, 0}},
          {.id = "plan-" + std::to_string(dot.row),
           .tooltip = dot.names + "\n" + formatBytes(peak) + ", " + formatTime(latency)});
      drawDot(canvas_, {box.left + kDot, box.top + kDot}, kDot, {seriesInk(series)});
      labels_.name(box, dot.names);
    }
  }

  Canvas& canvas_;
  const ParetoScene& scene_;
  PlotFrame frame_;
  RunAxis time_{};
  ByteAxis bytes_{};
  bool latencyWall_ = false;  ///< It is in the picture.
  bool bytesWall_ = false;
  LabelPlacer labels_;
};

}  // namespace

std::vector<ParetoPoint> paretoFront(std::vector<ParetoPoint> points) {
  std::ranges::stable_sort(
      points, {}, [](const ParetoPoint& point) { return std::pair(point.latency, point.peak); });
  std::vector<ParetoPoint> front;
  for (ParetoPoint& point : points) {
    if (front.empty() || point.peak < front.back().peak) front.push_back(std::move(point));
  }
  return front;
}

void drawPareto(Canvas& canvas, const ParetoScene& scene, const Box& where) {
  ParetoDrawing(canvas, scene, where).draw();
}

}  // namespace hw
