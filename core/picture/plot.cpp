#include "core/picture/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/base/text.h"

namespace hw {
namespace {

/// A capacity more than this many times the footprint would flatten the map.
constexpr double kFarCapacity = 2.0;

Bytes footprintOf(const Run& run, PoolId pool) {
  return run.plan.regions.contains(pool) ? run.plan.footprint(pool) : Bytes();
}

}  // namespace

Stroke strokeOf(ReferenceLine::Kind kind) {
  switch (kind) {
    case ReferenceLine::Kind::capacity:
      return {Ink::capacity, 1.5, kDashed};
    case ReferenceLine::Kind::peak:
      return {Ink::text, 1, kDotted};
    case ReferenceLine::Kind::lowerBound:
      return {Ink::lowerBound, 1, kDashDotted};
  }
  return {};
}

std::vector<ReferenceLine> referenceLines(const Run& run, PoolId pool) {
  using Kind = ReferenceLine::Kind;
  std::vector<ReferenceLine> lines;
  if (const auto capacity = run.problem.pools[pool].capacity) {
    lines.push_back(
        {Kind::capacity, *capacity,
         printable(run.problem.pools[pool].name, 40) + " capacity " + formatBytes(*capacity)});
  }
  const Bytes peak = footprintOf(run, pool);
  if (peak == Bytes()) return lines;
  const PoolMetrics metrics =
      run.metrics.pools.contains(pool) ? run.metrics.pools[pool] : PoolMetrics();
  const auto label = [&](const char* what, Bytes bytes, Step step) {
    const std::string text = fmt::format("{} {}", what, formatBytes(bytes));
    return metrics.stays == 0 ? text : text + fmt::format(", step {}", groupDigits(step.count()));
  };
  const bool met = metrics.peakLive == peak;
  lines.push_back(
      {Kind::peak, peak,
       label(met ? "highest address = live peak" : "highest address", peak, metrics.atTop.step)});
  if (metrics.peakLive > Bytes() && !met) {
    lines.push_back({Kind::lowerBound, metrics.peakLive,
                     label("live peak", metrics.peakLive, metrics.peakStep)});
  }
  return lines;
}

double fullByteRange(const Run& run, PoolId pool) {
  const auto peak = footprintOf(run, pool).real();
  double top = peak;
  for (const ReferenceLine& line : referenceLines(run, pool)) {
    const auto bytes = line.bytes.real();
    if (line.kind != ReferenceLine::Kind::capacity || bytes <= kFarCapacity * peak) {
      top = std::max(top, bytes);
    }
  }
  return std::max(16.0, top * 1.08);
}

std::vector<PoolId> usedPools(const Run& run) {
  std::vector<PoolId> pools;
  for (const PoolId pool : run.metrics.pools.keys()) {
    if (run.metrics.pools[pool].stays > 0) pools.push_back(pool);
  }
  return pools;
}

namespace {

/// On either side of a label.
constexpr double kLabelAir = 4;

/// Box of the label of `line`, which lies at `y`: above the line or else below it.
std::optional<Box> labelPlace(const Ruler& ruler, const Box& area, const ReferenceLine& line,
                              double y, const std::function<bool(const Box&)>& isFree) {
  const double width = ruler.width(line.label) + 2 * kLabelAir;
  const double room = area.width - width - 4;
  const bool fromRight = line.kind == ReferenceLine::Kind::capacity;
  for (const double top : {y - 1 - ruler.height(), y + 2}) {
    if (top < area.top || top + ruler.height() > area.bottom()) continue;
    const int places = room < 2 ? 0 : 1 + static_cast<int>((room - 2) / ruler.height());
    for (int place = 0; place < places; ++place) {
      const double away = 2 + place * ruler.height();
      const double left = fromRight ? area.right() - width - away : area.left + away;
      const Box box{left, top, width, ruler.height()};
      if (isFree(box)) return box;
    }
  }
  return std::nullopt;
}

}  // namespace

double baselineIn(const Box& box, const Ruler& ruler) {
  return box.top + (box.height - ruler.height()) / 2 + ruler.ascent();
}

double plotLeftMargin(const Ruler& ruler) { return std::ceil(ruler.width("8,888 KiB")) + 10; }

double plotTicksRoom(const Ruler& ruler) { return std::ceil(ruler.height()) + 4; }

PlotFrame PlotFrame::inside(const Box& whole, const Ruler& ruler) {
  const double line = std::ceil(ruler.height());
  const double left = whole.left + plotLeftMargin(ruler);
  const double width = std::max(1.0, whole.right() - kPlotRightMargin - left);
  PlotFrame frame;
  frame.whole = whole;
  frame.title = {left, whole.top + 3, width, line + 2};
  frame.ticks = {left, whole.bottom() - plotTicksRoom(ruler), width, line};
  const double top = frame.title.bottom() + 4;
  frame.plot = {left, top, width, std::max(1.0, frame.ticks.top - 4 - top)};
  return frame;
}

Plot::Plot(const Box& whole, const Ruler& ruler, const MapWindow& window, AxisUnit unit, bool hex)
    : frame(PlotFrame::inside(whole, ruler)),
      x{window.begin, window.end, frame.plot.left, frame.plot.width, unit},
      bytes{window.lowByte, window.highByte, frame.plot.bottom(), -frame.plot.height, hex} {}

Box Plot::boxOf(Interval<double> during, Interval<Bytes> addresses) const {
  return Box::between(x.toX(during.begin), bytes.toPixel(addresses.end.real()), x.toX(during.end),
                      bytes.toPixel(addresses.begin.real()));
}

Ink seriesInk(std::size_t place) {
  return static_cast<Ink>(static_cast<std::size_t>(Ink::series) + place % kSeriesInks);
}

std::string placeLetter(std::size_t place) {
  std::string letters;
  for (std::size_t rest = place + 1; rest > 0; rest = (rest - 1) / 26) {
    letters.insert(letters.begin(), static_cast<char>('A' + (rest - 1) % 26));
  }
  return letters;
}

void drawTitle(Canvas& canvas, const PlotFrame& frame, std::string_view title,
               std::string_view note, std::optional<std::size_t> place) {
  const Ruler& ruler = canvas.ruler();
  const double y = baselineIn(frame.title, ruler);
  double left = frame.title.left;
  if (place) {
    const std::string letter = placeLetter(*place);
    const double width = std::max(ruler.height(), ruler.width(letter, true) + 8);
    canvas.rectangle({left, y - ruler.ascent(), width, ruler.height()},
                     {.edge = Stroke{seriesInk(*place), 2}});
    canvas.text({left + width / 2, y}, letter, {.anchor = Anchor::middle, .bold = true});
    left += width + 8;
  }
  const std::string shown = elided(ruler, title, frame.title.right() - left, false, true);
  canvas.text({left, y}, shown, {.bold = true});
  const double used = left - frame.title.left + ruler.width(shown, true) + 16;
  if (note.empty() || used > frame.title.width * 3 / 4) return;
  canvas.text({frame.title.right(), y}, elided(ruler, note, frame.title.width - used),
              {.ink = Ink::muted, .anchor = Anchor::end});
}

void drawDot(Canvas& canvas, Point center, double radius, Fill fill) {
  std::vector<Point> circle;
  const int corners = radius > 8 ? 48 : 16;
  for (int i = 0; i < corners; ++i) {
    const double angle = 2 * i * std::numbers::pi / corners;
    circle.push_back({center.x + radius * std::cos(angle), center.y + radius * std::sin(angle)});
  }
  canvas.path(circle, {.fill = fill});
}

double runTickSpacing(const Ruler& ruler, AxisUnit unit) {
  return ruler.width(unit == AxisUnit::time ? "88.8888 ms" : "88,888") + 14;
}

double byteTickSpacing(const Ruler& ruler) { return ruler.height() * 2.2; }

void drawRunTicks(Canvas& canvas, const PlotFrame& frame, const RunAxis& axis) {
  const Ruler& ruler = canvas.ruler();
  const double y = baselineIn(frame.ticks, ruler);
  for (const AxisTick& tick : axis.ticks(runTickSpacing(ruler, axis.unit))) {
    const double x = std::round(axis.toX(tick.value));
    const double half = ruler.width(tick.label) / 2;
    canvas.line({x, frame.plot.bottom() + 1}, {x, frame.plot.bottom() + 3}, {Ink::axis});
    canvas.text({std::min(x, frame.whole.right() - half - 1), y}, tick.label,
                {.ink = Ink::axis, .anchor = Anchor::middle});
  }
  std::string_view name = axis.unit == AxisUnit::time ? "time" : axis.stepName;
  const double right = frame.ticks.left - 14;
  if (ruler.width(name) > right - frame.whole.left) name = name.substr(0, name.find(' '));
  canvas.text({right, y}, name, {.ink = Ink::muted, .anchor = Anchor::end});
}

void drawGrid(Canvas& canvas, const Plot& plot) {
  const Box& area = plot.frame.plot;
  canvas.rectangle(plot.frame.whole, {.fill = Fill{Ink::plot}});
  for (const AxisTick& tick : plot.x.ticks(runTickSpacing(canvas.ruler(), plot.x.unit))) {
    const double x = std::floor(plot.x.toX(tick.value));
    if (x < area.right()) canvas.line({x, area.top}, {x, area.bottom() - 1}, {Ink::grid});
  }
  for (const AxisTick& tick : plot.bytes.ticks(byteTickSpacing(canvas.ruler()))) {
    const double y = std::floor(plot.bytes.toPixel(tick.value));
    if (y < area.bottom()) canvas.line({area.left, y}, {area.right() - 1, y}, {Ink::grid});
  }
}

void drawAxes(Canvas& canvas, const Plot& plot) {
  const PlotFrame& frame = plot.frame;
  const Box& area = frame.plot;
  const Ruler& ruler = canvas.ruler();
  canvas.rectangle({area.left - 1, area.top - 1, area.width + 2, area.height + 2},
                   {.edge = Stroke{Ink::grid}});
  for (const AxisTick& tick : plot.bytes.ticks(byteTickSpacing(ruler))) {
    const double y = std::round(plot.bytes.toPixel(tick.value));
    if (y - ruler.height() / 2 < frame.title.top) continue;
    canvas.line({area.left - 3, y}, {area.left - 1, y}, {Ink::axis});
    canvas.text({area.left - 6, y - ruler.height() / 2 + ruler.ascent()}, tick.label,
                {.ink = Ink::axis, .anchor = Anchor::end});
  }
  drawRunTicks(canvas, frame, plot.x);
}

std::string drawReferenceLines(Canvas& canvas, const Plot& plot,
                               const std::vector<ReferenceLine>& lines,
                               const std::function<bool(const Box&)>& isFree) {
  const Box& area = plot.frame.plot;
  std::vector<std::pair<const ReferenceLine*, double>> seen;
  for (const ReferenceLine& line : lines) {
    const double y = std::round(plot.bytes.toPixel(line.bytes.real()));
    if (y < area.top || y >= area.bottom()) continue;
    canvas.line({area.left, y}, {area.right(), y}, strokeOf(line.kind));
    seen.emplace_back(&line, y);
  }
  std::string homeless;
  std::vector<Box> taken;
  for (const auto& [line, y] : seen) {
    const auto free = [&](const Box& box) { return isFree(box) && !box.meetsAny(taken); };
    const auto box = labelPlace(canvas.ruler(), area, *line, y, free);
    if (!box) {
      homeless += (homeless.empty() ? "" : "   ") + line->label;
      continue;
    }
    taken.push_back(*box);
    canvas.text({box->left + kLabelAir, box->top + canvas.ruler().ascent()}, line->label,
                {.ink = strokeOf(line->kind).ink, .halo = true});
  }
  return homeless;
}

void drawNow(Canvas& canvas, const PlotFrame& frame, const RunAxis& axis, const PlotNow& now) {
  const Box& area = frame.plot;
  const auto upright = [&](double place, const Stroke& stroke) {
    const double x = std::round(axis.toX(place));
    if (x >= area.left && x <= area.right()) {
      canvas.line({x, area.top}, {x, area.bottom() - 1}, stroke);
    }
  };
  if (now.marked) {
    const double from = axis.toX(now.marked->begin);
    const Box band =
        Box::between(from, area.top, axis.toX(now.marked->end), area.bottom()).cut(area);
    if (!band.isEmpty()) canvas.rectangle(band, {.fill = Fill{Ink::selection, 0.16}});
    for (const double end : {now.marked->begin, now.marked->end}) upright(end, {Ink::selection});
  }
  for (const double mark : now.marks) upright(mark, {Ink::mark, 1, kDashDotted});
  const double x = std::round(axis.toX(now.playhead));
  if (x < area.left || x >= area.right()) return;
  canvas.line({x, area.top - 4}, {x, area.bottom() - 1}, {Ink::playhead});
  const Point flag[] = {{x - 4, area.top - 4}, {x + 4, area.top - 4}, {x, area.top + 1}};
  canvas.path(flag, {.fill = Fill{Ink::playhead}});
}

}  // namespace hw
