#include "core/picture/front_scene.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/base/text.h"
#include "core/picture/axis.h"
#include "core/picture/label_placer.h"
#include "core/picture/plot.h"

namespace hw {
namespace {

constexpr double kHalfDot = 4;      ///< Half the width.
constexpr double kFrontAir = 0.06;  ///< Around what is drawn, as a part of it.
constexpr Stroke kFound{Ink::accent, 2};
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
        labels_(canvas, frame_.plot) {
    chooseWindow();
  }

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
    mark(scene_.found, Ink::accent, "found");
    mark(scene_.others, Ink::muted, "other");
    canvas_.rectangle(frame_.plot, {.edge = Stroke{Ink::axis}});
    drawLegend();
    label();
  }

 private:
  /// Each doubling is as wide: most happens near the least capacity, and some plans need a hundred
  /// times that.
  double x(Bytes bytes) const {
    const double part =
        std::log2(static_cast<double>(std::max(bytes, Bytes(1)).count()) / lowByte_) /
        std::log2(highByte_ / lowByte_);
    return frame_.plot.left + part * frame_.plot.width;
  }
  double y(SimTime latency) const {
    const double part = (static_cast<double>(latency.count()) - lowTime_) / (highTime_ - lowTime_);
    return frame_.plot.bottom() - part * frame_.plot.height;
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

  void chooseWindow() {
    const auto least = [](auto scene, auto dots) {
      return static_cast<double>(scene > decltype(scene)() ? scene.count() : dots.count());
    };
    const FrontDot first = scene_.found.empty() ? FrontDot() : scene_.found.front();
    lowByte_ = highByte_ = least(scene_.leastBytes, first.bytes);
    lowTime_ = highTime_ = least(scene_.leastLatency, first.latency);
    for (const FrontScene::Mark& each : scene_.marks) {
      lowByte_ = std::min(lowByte_, static_cast<double>(each.bytes.count()));
      highByte_ = std::max(highByte_, static_cast<double>(each.bytes.count()));
    }
    for (const auto* dots : {&scene_.found, &scene_.bounds, &scene_.others}) {
      for (const FrontDot& dot : *dots) {
        lowByte_ = std::min(lowByte_, static_cast<double>(dot.bytes.count()));
        highByte_ = std::max(highByte_, static_cast<double>(dot.bytes.count()));
        lowTime_ = std::min(lowTime_, static_cast<double>(dot.latency.count()));
        highTime_ = std::max(highTime_, static_cast<double>(dot.latency.count()));
      }
    }
    const double time = std::max(1.0, kFrontAir * (highTime_ - lowTime_));
    lowByte_ = std::max(1.0, lowByte_);
    const double air = 1 + kFrontAir * std::log2(2 * highByte_ / lowByte_);
    lowByte_ /= air;
    highByte_ *= air;
    lowTime_ = std::max(0.0, lowTime_ - time);
    highTime_ += time;
  }

  /// Powers of two, and quarters of their distance where few of them are on screen.
  std::vector<Bytes> byteTicks() const {
    const std::int64_t parts = highByte_ / lowByte_ > 8 ? 1 : 4;
    std::vector<Bytes> ticks;
    for (std::int64_t power = 4; power < kMaxBytes.count(); power *= 2) {
      for (std::int64_t i = 0; i < parts; ++i) {
        const std::int64_t at = power + power / parts * i;
        const auto value = static_cast<double>(at);
        if (value >= lowByte_ && value <= highByte_) ticks.emplace_back(at);
      }
    }
    return ticks;
  }

  void drawTicks() {
    const double line = canvas_.ruler().height();
    double written = 0;  // Where the last label ends.
    for (const Bytes bytes : byteTicks()) {
      const double at = x(bytes);
      canvas_.line({at, frame_.plot.top}, {at, frame_.plot.bottom()}, {Ink::grid});
      const std::string size = formatBytes(bytes);
      const double half = canvas_.ruler().width(size) / 2;
      if (at - half < written) continue;
      written = at + half + kLegendAir;
      canvas_.text({at, frame_.plot.bottom() + line}, size,
                   {.ink = Ink::muted, .anchor = Anchor::middle});
    }
    const RunAxis time{lowTime_, highTime_, 0, frame_.plot.height, AxisUnit::time};
    for (const AxisTick& tick : time.ticks(3 * line)) {
      if (tick.value < time.begin || tick.value > time.end) continue;
      const double at = y(SimTime(static_cast<std::int64_t>(tick.value)));
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

  /// What the lines are, above `plot`, which it takes room from: there it hides nothing. In few
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
  double lowByte_ = 0;
  double highByte_ = 1;
  double lowTime_ = 0;
  double highTime_ = 1;
};

}  // namespace

void drawFront(Canvas& canvas, const FrontScene& scene, const Box& where) {
  FrontDrawing(canvas, scene, where).draw();
}

}  // namespace hw
