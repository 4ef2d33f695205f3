#include "core/picture/pareto_scene.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <tuple>

#include "core/base/text.h"
#include "core/picture/label_placer.h"
#include "core/picture/plot.h"

namespace hw {
namespace {

constexpr double kDot = 4;      ///< Radius.
constexpr double kAir = 0.06;   ///< Of each axis, beyond what it shows.
constexpr double kFarWall = 1;  ///< In what the points span: a wall further away is told only.
constexpr const char* kNeedsLess = "no plan needs less";
constexpr double kTimeSpacing = 90;  ///< Units between marks of time, at least.

double number(Bytes bytes) { return static_cast<double>(bytes.count()); }
double number(SimTime time) { return static_cast<double>(time.count()); }

Ink inkOf(std::size_t series) {
  return static_cast<Ink>(static_cast<std::size_t>(Ink::series) + series % kSeriesInks);
}

/// From the least to the most of what there is, and a little more on both sides.
struct Span {
  double low = 0;
  double high = 0;
  bool any = false;

  void include(double value) {
    low = any ? std::min(low, value) : value;
    high = any ? std::max(high, value) : value;
    any = true;
  }
  /// Near enough to be shown beside the rest without squeezing it.
  bool reaches(double value) const {
    return !any || low == high || low - value <= kFarWall * (high - low);
  }
  Span widened() const {
    const double air = std::max((high - low) * kAir, std::max(std::abs(high) * 0.01, 1.0));
    return {std::max(0.0, low - air), high + air, any};
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
      time.include(number(point.latency));
      bytes.include(number(point.peak));
    }
    if (scene.latencyBound) latencyWall_ = time.reaches(number(*scene.latencyBound));
    if (scene.lowerBound) bytesWall_ = bytes.reaches(number(*scene.lowerBound));
    if (latencyWall_) time.include(number(*scene.latencyBound));
    if (bytesWall_) bytes.include(number(*scene.lowerBound));
    time = time.widened();
    bytes = bytes.widened();
    time_ = {time.low, time.high, frame_.plot.left, frame_.plot.width};
    bytes_ = {bytes.low, bytes.high, frame_.plot.bottom(), -frame_.plot.height};
  }

  void draw() {
    // Where there is little room, whose plans they are is said around the picture.
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
    return {time_.toX(number(point.latency)), bytes_.toPixel(number(point.peak))};
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
      const double y = std::round(bytes_.toPixel(number(*scene_.lowerBound)));
      canvas_.line({area.left, y}, {area.right(), y}, {Ink::lowerBound, 1, kDashed});
      labels_.take(Box{area.left, y, area.width, 1});
    }
    if (latencyWall_) {
      const double x = std::round(time_.toX(number(*scene_.latencyBound)));
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
      const double y = std::round(bytes_.toPixel(number(*scene_.lowerBound)));
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
      const double x = std::round(time_.toX(number(*scene_.latencyBound))) + 4;
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

  /// What a plan of the front cannot have: less memory without more time.
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
      drawDot(box, {inkOf(series)},
              {.id = "plan-" + std::to_string(dot.row),
               .tooltip = dot.names + "\n" + formatBytes(peak) + ", " + formatTime(latency)});
      labels_.name(box, dot.names);
    }
  }

  void drawDot(const Box& box, Fill fill, const Hint& hint) {
    // The rectangle is invisible: it has the hint for the pointer. What is seen is the circle.
    canvas_.rectangle(box, {.fill = Fill{Ink::plot, 0}}, hint);
    std::vector<Point> circle;
    for (int i = 0; i < 16; ++i) {
      const double angle = i * std::numbers::pi / 8;
      circle.push_back(
          {box.left + kDot + kDot * std::cos(angle), box.top + kDot + kDot * std::sin(angle)});
    }
    canvas_.path(circle, {.fill = fill});
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
