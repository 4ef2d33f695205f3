#include "core/picture/chart_scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "core/base/text.h"
#include "core/picture/run_scale.h"

namespace hw {

namespace {

constexpr Stroke kHighWater{Ink::highWater, 1.5};
constexpr double kLegendLine = 22;  ///< Of a line in the legend, before its name.
constexpr double kLegendGap = 14;

/// Capacity and live peak, as far as they are on screen; dots tell at which step the peaks are.
std::vector<ReferenceLine> references(const ChartScene& scene) {
  std::vector<ReferenceLine> lines = referenceLines(*scene.run, scene.pool);
  std::erase_if(lines, [&](const ReferenceLine& line) {
    return line.kind == ReferenceLine::Kind::peak ||
           static_cast<double>(line.bytes.count()) > scene.window.highByte;
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
      : canvas_(canvas), scene_(scene), plot_(where, canvas.ruler(), scene.window, scene.unit) {}

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
      const double y = std::round(plot_.bytes.toPixel(static_cast<double>(line.bytes.count())));
      canvas_.line({plot_.frame.plot.left, y}, {plot_.frame.plot.right(), y}, strokeOf(line.kind));
    }
    drawAxes(canvas_, plot_);
    drawPeaks();
    drawHeading();
  }

 private:
  std::vector<Point> pointsOf(const StairCurve& curve) const {
    std::vector<Point> points = curve.stairs(plot_.x.begin, plot_.x.end, kMostPoints);
    for (Point& point : points) {
      point = {plot_.x.toX(point.x), plot_.bytes.toPixel(point.y)};
    }
    return points;
  }

  /// Where most bytes are live and where the highest address is reached: a dot each, and beside it
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

  /// What its line covers.
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
    const Point at{plot_.x.toX(static_cast<double>(peak.from.count()) + (inTime ? 0 : 0.5)),
                   plot_.bytes.toPixel(static_cast<double>(peak.value.count()))};
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
    std::vector<Point> dot;
    for (int i = 0; i < 16; ++i) {
      const double angle = i * std::numbers::pi / 8;
      dot.push_back({at.x + 3 * std::cos(angle), at.y + 3 * std::sin(angle)});
    }
    canvas_.path(dot, {.fill = Fill{}});
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
        const auto hides = [&](const Box& other) { return !box.cut(other).isEmpty(); };
        if (top < area.top || box.bottom() > area.bottom()) continue;
        if (std::ranges::none_of(taken, hides)) return box;
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
  const double length = unit == AxisUnit::time
                            ? RunScale(*run, unit).length()
                            : std::max(1.0, static_cast<double>(run->problem.steps.count()));
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

std::string placeLetter(std::size_t place) {
  std::string letters;
  for (std::size_t rest = place + 1; rest > 0; rest = (rest - 1) / 26) {
    letters.insert(letters.begin(), static_cast<char>('A' + (rest - 1) % 26));
  }
  return letters;
}

Stroke seriesStroke(std::size_t place) {
  static constexpr std::array<std::string_view, 7> kDashes = {"9 3", "3 3",  "12 3 3 3", "6 6",
                                                              "2 3", "15 5", "5 2"};
  const auto ink = static_cast<Ink>(static_cast<std::size_t>(Ink::series) + place % kSeriesInks);
  if (place == 0) return {ink, 1.5};
  return {ink, 1.5, kDashes[(place - 1 + place / kSeriesInks) % kDashes.size()]};
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
