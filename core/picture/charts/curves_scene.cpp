#include "core/picture/charts/curves_scene.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/picture/plot.h"
#include "core/picture/value_axis.h"

namespace hw {
namespace {

constexpr double kHalfPoint = 3;
constexpr double kTickAir = 4;
constexpr double kTopAir = 1.05;  ///< Of the greatest value.
constexpr Stroke kLeftStroke{Ink::selection, 2};
constexpr Stroke kRightStroke{Ink::highWater, 2, kDashed};

class ValueCurvesDrawing {
 public:
  ValueCurvesDrawing(Canvas& canvas, const CurvesScene& scene, const Box& where)
      : canvas_(canvas),
        scene_(scene),
        frame_(frameIn(where, canvas.ruler())),
        x_(ColumnKind::count, lowest(), highest(), false, frame_.plot.left, frame_.plot.width),
        left_(upwards(scene.left)),
        right_(upwards(scene.right)) {}

  void draw() {
    drawTitle(canvas_, frame_, scene_.title, scene_.note);
    const Box& plot = frame_.plot;
    canvas_.rectangle(plot, {.fill = Fill{Ink::plot}});
    drawPlaces();
    drawTicks(left_, plot.left - kTickAir, Anchor::end, kLeftStroke.ink);
    drawTicks(right_, plot.right() + kTickAir, Anchor::start, kRightStroke.ink);
    drawCurve(scene_.right, right_, kRightStroke, "right");
    drawCurve(scene_.left, left_, kLeftStroke, "left");
    canvas_.rectangle(plot, {.edge = Stroke{Ink::axis}});
    drawNames();
  }

 private:
  /// Room for the second axis, and a line for the names of the curves below the places.
  static PlotFrame frameIn(const Box& where, const Ruler& ruler) {
    PlotFrame frame = PlotFrame::inside(where, ruler);
    const double right = where.right() - plotLeftMargin(ruler);
    frame.plot = Box::between(frame.plot.left, frame.plot.top, right,
                              frame.plot.bottom() - 1.5 * ruler.height());
    return frame;
  }

  double lowest() const { return scene_.places.empty() ? 0 : scene_.places.front(); }
  double highest() const {
    return scene_.places.empty() ? 1 : std::max(scene_.places.back(), lowest() + 1);
  }

  ValueAxis upwards(const CurvesScene::Curve& curve) const {
    double most = 1;
    for (const auto& value : curve.values) most = std::max(most, value.value_or(0));
    return {curve.kind, 0, most * kTopAir, false, frame_.plot.bottom(), -frame_.plot.height};
  }

  void drawPlaces() {
    const Box& plot = frame_.plot;
    const double line = canvas_.ruler().height();
    for (const AxisTick& tick : x_.ticks(4 * line)) {
      const double x = x_.toPixel(tick.value);
      canvas_.line({x, plot.top}, {x, plot.bottom()}, {Ink::grid});
      canvas_.text({x, plot.bottom() + line}, tick.label,
                   {.ink = Ink::muted, .anchor = Anchor::middle});
    }
  }

  void drawTicks(const ValueAxis& axis, double at, Anchor anchor, Ink ink) {
    const Box& plot = frame_.plot;
    for (const AxisTick& tick : axis.ticks(2 * canvas_.ruler().height())) {
      const double y = axis.toPixel(tick.value);
      if (anchor == Anchor::end) canvas_.line({plot.left, y}, {plot.right(), y}, {Ink::grid});
      canvas_.text({at, y + canvas_.ruler().ascent() / 2}, tick.label,
                   {.ink = ink, .anchor = anchor});
    }
  }

  /// Straight from point to point; what has no value parts it.
  void drawCurve(const CurvesScene::Curve& curve, const ValueAxis& axis, const Stroke& stroke,
                 std::string_view side) {
    std::vector<Point> line;
    const auto flush = [&] {
      if (line.size() > 1) canvas_.path(line, {.edge = stroke});
      line.clear();
    };
    for (std::size_t i = 0; i < scene_.places.size(); ++i) {
      const auto& value = curve.values[i];
      if (!value) {
        flush();
        continue;
      }
      line.push_back({x_.toPixel(scene_.places[i]), axis.toPixel(*value)});
      const Point& at = line.back();
      canvas_.rectangle({at.x - kHalfPoint, at.y - kHalfPoint, 2 * kHalfPoint, 2 * kHalfPoint},
                        {.fill = Fill{stroke.ink}},
                        {fmt::format("{}-{}", side, i),
                         fmt::format("{} {:.0f}: {} {}", scene_.across, scene_.places[i],
                                     curve.name, valueText(*value, curve.kind))});
    }
    flush();
  }

  /// The curves at the ends below, each on the side of its axis, and between them the setting.
  void drawNames() {
    const double y = frame_.plot.bottom() + 2.25 * canvas_.ruler().height();
    canvas_.text({frame_.plot.left, y}, scene_.left.name, {.ink = kLeftStroke.ink, .bold = true});
    canvas_.text({frame_.plot.left + frame_.plot.width / 2, y}, scene_.across,
                 {.ink = Ink::muted, .anchor = Anchor::middle});
    canvas_.text({frame_.plot.right(), y}, scene_.right.name,
                 {.ink = kRightStroke.ink, .anchor = Anchor::end, .bold = true});
  }

  Canvas& canvas_;
  const CurvesScene& scene_;
  PlotFrame frame_;
  ValueAxis x_;
  ValueAxis left_;
  ValueAxis right_;
};

}  // namespace

void drawValueCurves(Canvas& canvas, const CurvesScene& scene, const Box& where) {
  ValueCurvesDrawing(canvas, scene, where).draw();
}

}  // namespace hw
