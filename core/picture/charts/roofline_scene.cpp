#include "core/picture/charts/roofline_scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "core/base/text.h"
#include "core/picture/plot.h"
#include "core/picture/value_axis.h"
#include "core/sim/port_curve.h"

namespace hw {
namespace {

constexpr double kRoofDot = 3.5;  ///< Radius.
constexpr double kRoofAir = 1.6;  ///< Beyond the outermost, as a factor.
constexpr std::string_view kAcross = "MACs/B";

/// A line that no dot is above: of a unit, or of a port.
struct Roof {
  std::string name{};
  double perSecond = 0;  ///< MACs of a unit, bytes of a port.
};

class RooflineDrawing {
 public:
  RooflineDrawing(Canvas& canvas, const RooflineScene& scene, const Box& where)
      : canvas_(canvas), scene_(scene), frame_(PlotFrame::inside(where, canvas.ruler())) {
    findRoofs();
    x_ = ValueAxis(ColumnKind::count, across_.low / kRoofAir, across_.high * kRoofAir, true,
                   frame_.plot.left, frame_.plot.width);
    y_ = ValueAxis(ColumnKind::count, upwards_.low / kRoofAir, upwards_.high * kRoofAir, true,
                   frame_.plot.bottom(), -frame_.plot.height);
  }

  void draw() {
    drawTitle(canvas_, frame_, roomy() ? scene_.heading() : "Roofline", "");
    drawPaper();
    for (const auto& [unit, roof] : units_) drawUnit(roof);
    for (const auto& [port, roof] : ports_) drawSlope(roof);
    for (const RoofDot& dot : scene_.dots) drawOne(dot);
    if (scene_.selected) drawSelected(*scene_.selected);
  }

 private:
  bool roomy() const { return canvas_.ruler().width(scene_.heading(), true) <= frame_.title.width; }

  const Activity& activityOf(const RoofDot& dot) const {
    return scene_.run->timing.activities.activities[dot.activity];
  }

  /// All roofs, and how far the axes reach: over all dots, and to where a slope meets a peak.
  void findRoofs() {
    for (const RoofDot& dot : scene_.dots) include(dot);
    if (scene_.selected) include(*scene_.selected);
  }

  void include(const RoofDot& dot) {
    const ActivityList& list = scene_.run->timing.activities;
    across_.include(dot.intensity());
    upwards_.include(dot.attained);
    upwards_.include(dot.peak);
    const std::uint32_t unit = activityOf(dot).engine;
    Roof& most = units_[unit];
    most = {printable(list.engines[unit].name, 24), std::max(most.perSecond, dot.peak)};
    if (dot.bandwidth == 0) return;
    Roof& roof = ports_[*dot.port];
    roof.name = printable(portName(list, *dot.port), 24);
    roof.perSecond = std::max(roof.perSecond, dot.bandwidth);
    across_.include(dot.peak / dot.bandwidth);
  }

  void drawPaper() {
    const Box& area = frame_.plot;
    const Ruler& ruler = canvas_.ruler();
    canvas_.rectangle(area, {.fill = Fill{Ink::plot}, .edge = Stroke{Ink::grid}});
    for (const AxisTick& tick : y_.ticks(byteTickSpacing(ruler))) {
      const double y = std::round(y_.toPixel(tick.value));
      canvas_.line({area.left, y}, {area.right(), y}, {Ink::grid});
      canvas_.text({area.left - 6, y - ruler.height() / 2 + ruler.ascent()}, tick.label + "/s",
                   {.ink = Ink::axis, .anchor = Anchor::end});
    }
    const double baseline = frame_.ticks.top + ruler.ascent();
    for (const AxisTick& tick : x_.ticks(ruler.width("0,000") + 16)) {
      const double x = std::round(x_.toPixel(tick.value));
      const double half = ruler.width(tick.label) / 2;
      canvas_.line({x, area.top}, {x, area.bottom() + 3}, {Ink::grid});
      canvas_.text({std::min(x, frame_.whole.right() - half - 1), baseline}, tick.label,
                   {.ink = Ink::axis, .anchor = Anchor::middle});
    }
    canvas_.text({frame_.ticks.left - 14, baseline}, kAcross,
                 {.ink = Ink::muted, .anchor = Anchor::end});
  }

  /// At the right end, above the line: there dots are rarely near the roof.
  void drawUnit(const Roof& roof) {
    const double y = std::round(y_.toPixel(roof.perSecond));
    canvas_.line({frame_.plot.left, y}, {frame_.plot.right(), y}, {Ink::capacity, 1.5});
    canvas_.text({frame_.plot.right() - 4, y - 4},
                 fmt::format("{} {}", roof.name, formatRate(roof.perSecond, "MAC")),
                 {.ink = Ink::capacity, .anchor = Anchor::end, .halo = true});
  }

  /// From where it enters the plot to where it meets the highest unit.
  void drawSlope(const Roof& roof) {
    double top = 0;
    for (const auto& [unit, peak] : units_) top = std::max(top, peak.perSecond);
    const double from = std::max(x_.low(), y_.low() / roof.perSecond);
    const double to = std::min(x_.high(), top / roof.perSecond);
    if (from >= to) return;
    const Point begin{x_.toPixel(from), y_.toPixel(from * roof.perSecond)};
    const Point end{x_.toPixel(to), y_.toPixel(to * roof.perSecond)};
    canvas_.line(begin, end, {Ink::lowerBound, 1.5, kDashed});
    const std::string words = fmt::format("{} {}", roof.name, formatRate(roof.perSecond, "B"));
    constexpr std::size_t kShares = 3;
    for (std::size_t tried = 0; tried < kShares; ++tried) {
      const double share = 0.2 + 0.25 * static_cast<double>((names_.size() + tried) % kShares);
      const Point at{begin.x + share * (end.x - begin.x), begin.y + share * (end.y - begin.y)};
      if (nameSlope(words, at, tried + 1 == kShares)) return;
    }
  }

  /// Writes the name of a slope beside a point of it; false where another name stands, unless
  /// `anyway`.
  bool nameSlope(const std::string& words, const Point& at, bool anyway) {
    const Ruler& ruler = canvas_.ruler();
    const double width = ruler.width(words);
    const bool left = at.x - width - 6 >= frame_.plot.left;
    const Point start{left ? at.x - 6 : at.x + 8, left ? at.y - 2 : at.y + ruler.ascent()};
    const Box box{left ? start.x - width : start.x, start.y - ruler.ascent(), width,
                  ruler.height()};
    if (!anyway && box.meetsAny(names_)) return false;
    names_.push_back(box);
    canvas_.text(
        start, words,
        {.ink = Ink::lowerBound, .anchor = left ? Anchor::end : Anchor::start, .halo = true});
    return true;
  }

  Point placeOf(const RoofDot& dot) const {
    return {x_.toPixel(dot.intensity()), y_.toPixel(dot.attained)};
  }

  void drawOne(const RoofDot& dot) {
    const Point at = placeOf(dot);
    const OpId op = activityOf(dot).op;
    if (canvas_.keepsHints()) {
      // The rectangle is invisible: it has the hint for the pointer. What is seen is the circle.
      canvas_.rectangle({at.x - kRoofDot, at.y - kRoofDot, 2 * kRoofDot, 2 * kRoofDot},
                        {.fill = Fill{Ink::plot, 0}},
                        {.id = fmt::format("op-{}", dot.step.count()),
                         .tooltip = printable(displayName(scene_.run->graph(), op), 60) + "\n" +
                                    roofWords(*scene_.run, dot)});
    }
    const BlockClass kind = scene_.coloring->of(*scene_.run, op);
    drawDot(canvas_, at, kRoofDot, {blockInk(kind, BlockTime::live, BlockPart::fill), 0.8});
  }

  void drawSelected(const RoofDot& dot) {
    const Point at = placeOf(dot);
    canvas_.line(at, {at.x, y_.toPixel(dot.roof)}, {Ink::selection, 1.5, kDotted});
    drawDot(canvas_, at, kRoofDot + 4, {Ink::selection});
    drawDot(canvas_, at, kRoofDot + 2, {Ink::plot});
    drawOne(dot);
    const bool left = at.x > frame_.plot.left + frame_.plot.width / 2;
    const double room = (left ? at.x - frame_.plot.left : frame_.plot.right() - at.x) - 16;
    const std::string name = displayName(scene_.run->graph(), activityOf(dot).op);
    // Below it, for on its right is often a roof with its name.
    canvas_.text({left ? at.x - 6 : at.x + 6, at.y + kRoofDot + 5 + canvas_.ruler().ascent()},
                 elided(canvas_.ruler(), printable(name, 60), room, true, true),
                 {.anchor = left ? Anchor::end : Anchor::start, .bold = true, .halo = true});
  }

  Canvas& canvas_;
  const RooflineScene& scene_;
  PlotFrame frame_;
  std::map<std::uint32_t, Roof> units_;  ///< By engine.
  std::map<std::uint32_t, Roof> ports_;
  ValueSpan across_;
  ValueSpan upwards_;
  ValueAxis x_{ColumnKind::count, 1, 2, true, 0, 1};
  ValueAxis y_{ColumnKind::count, 1, 2, true, 0, 1};
  std::vector<Box> names_;  ///< Of slopes.
};

}  // namespace

RooflineScene RooflineScene::whole(std::shared_ptr<const Run> run) {
  RooflineScene scene{.dots = roofline(*run), .coloring = Coloring::byType()};
  std::vector<RoofDot>& dots = scene.dots;
  std::erase_if(dots, [](const RoofDot& dot) { return dot.bytes == Bytes(); });
  scene.all = dots.size();
  scene.bound = static_cast<std::size_t>(std::ranges::count(dots, false, &RoofDot::byCompute));
  if (dots.size() > kMostRoofDots) {
    std::ranges::stable_sort(dots, std::greater(), [&](const RoofDot& dot) {
      return run->timing.times[dot.activity].end - run->timing.times[dot.activity].start;
    });
    dots.resize(kMostRoofDots);
    std::ranges::sort(dots, {}, &RoofDot::step);
  }
  scene.run = std::move(run);
  return scene;
}

std::string RooflineScene::heading() const {
  return fmt::format(
      "Roofline   {} operators with MACs, {} of them bound by a port{}", all, bound,
      all > dots.size() ? fmt::format("; the {} longest", dots.size()) : std::string());
}

void drawRoofline(Canvas& canvas, const RooflineScene& scene, const Box& where) {
  if (!scene.isEmpty()) RooflineDrawing(canvas, scene, where).draw();
}

}  // namespace hw
