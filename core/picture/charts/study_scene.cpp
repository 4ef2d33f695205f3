#include "core/picture/charts/study_scene.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/picture/plot.h"
#include "core/picture/value_axis.h"

namespace hw {
namespace {

constexpr double kSmallDot = 1.5;  ///< Half the width.
constexpr double kFrontDot = 4;
constexpr double kBetweenCells = 2;
constexpr double kSmallLetters = 10;
constexpr double kFaintest = 0.04;  ///< Opacity of a cell,
constexpr double kDarkest = 0.48;   ///< so that words on it can be read in both themes.
constexpr double kLeastPanel = 140;
constexpr double kPanelAir = 14;

/// Of a picture whose left edge has no marks of bytes.
PlotFrame wideFrame(const Box& where, const Ruler& ruler) {
  PlotFrame frame = PlotFrame::inside(where, ruler);
  const double left = where.left + kPlotRightMargin;
  frame.title = Box::between(left, frame.title.top, frame.title.right(), frame.title.bottom());
  frame.plot = Box::between(left, frame.plot.top, frame.plot.right(), frame.plot.bottom());
  return frame;
}

Box around(Point at, double half) { return {at.x - half, at.y - half, 2 * half, 2 * half}; }

class DotsDrawing {
 public:
  DotsDrawing(Canvas& canvas, const DotsScene& scene, const Box& where)
      : canvas_(canvas),
        scene_(scene),
        frame_(PlotFrame::inside(where, canvas.ruler())),
        x_(axis(scene.across, &Point::x, true, frame_.plot.left, frame_.plot.width)),
        y_(axis(scene.up, &Point::y, false, frame_.plot.bottom(), -frame_.plot.height)) {}

  void draw() {
    drawTitle(canvas_, frame_, scene_.title, scene_.note);
    if (scene_.faint.empty() && scene_.dots.empty() && scene_.front.empty()) return;
    drawPaper();
    for (const Point& each : scene_.faint) {
      canvas_.rectangle(around(at(each), kSmallDot), {.fill = Fill{Ink::muted, 0.35}});
    }
    for (const Point& each : scene_.dots) {
      canvas_.rectangle(around(at(each), kSmallDot + 0.5), {.fill = Fill{Ink::highWater, 0.8}});
    }
    drawStairs(scene_.otherFront, {Ink::muted, 1.5, kDashed});
    std::vector<Point> front;
    front.reserve(scene_.front.size());
    for (const DotsScene::Best& each : scene_.front) front.push_back(each.at);
    drawStairs(front, {Ink::selection, 2});
    for (std::size_t i = 0; i < front.size(); ++i) {
      drawDot(canvas_, at(front[i]), kFrontDot + 1, {Ink::selection});
      drawDot(canvas_, at(front[i]), kFrontDot - 1, {Ink::plot});
      canvas_.rectangle(around(at(front[i]), kFrontDot), {},
                        {fmt::format("front-{}", i), scene_.front[i].name});
    }
    canvas_.rectangle(frame_.plot, {.edge = Stroke{Ink::grid}});
  }

 private:
  ValueAxis axis(ColumnKind kind, double Point::*of, bool doubles, double start,
                 double length) const {
    ValueSpan span;
    for (const auto* points : {&scene_.faint, &scene_.dots, &scene_.otherFront}) {
      for (const Point& each : *points) span.include(each.*of);
    }
    for (const DotsScene::Best& each : scene_.front) span.include(each.at.*of);
    return ValueAxis::around(kind, span, doubles && span.low >= 1, start, length);
  }

  Point at(const Point& value) const { return {x_.toPixel(value.x), y_.toPixel(value.y)}; }

  void drawPaper() {
    const Box& plot = frame_.plot;
    const double line = canvas_.ruler().height();
    canvas_.rectangle(plot, {.fill = Fill{Ink::plot}});
    double written = 0;  // Where the last label ends.
    for (const AxisTick& tick : x_.ticks(6 * line)) {
      const double x = x_.toPixel(tick.value);
      canvas_.line({x, plot.top}, {x, plot.bottom()}, {Ink::grid});
      const double half = canvas_.ruler().width(tick.label) / 2;
      if (x - half < written || x + half > frame_.whole.right()) continue;
      written = x + half + line / 2;
      canvas_.text({x, plot.bottom() + line}, tick.label,
                   {.ink = Ink::muted, .anchor = Anchor::middle});
    }
    for (const AxisTick& tick : y_.ticks(2 * line)) {
      const double y = y_.toPixel(tick.value);
      canvas_.line({plot.left, y}, {plot.right(), y}, {Ink::grid});
      canvas_.text({plot.left - 4, y + canvas_.ruler().ascent() / 2}, tick.label,
                   {.ink = Ink::muted, .anchor = Anchor::end});
    }
  }

  /// From each point to the right, then down to the next; the last one on to the edge.
  void drawStairs(const std::vector<Point>& values, const Stroke& stroke) {
    std::vector<Point> line;
    for (const Point& value : values) {
      const Point next = at(value);
      if (!line.empty()) line.push_back({next.x, line.back().y});
      line.push_back(next);
    }
    if (line.empty()) return;
    line.push_back({frame_.plot.right(), line.back().y});
    canvas_.path(line, {.edge = stroke});
  }

  Canvas& canvas_;
  const DotsScene& scene_;
  PlotFrame frame_;
  ValueAxis x_;
  ValueAxis y_;
};

class HeatDrawing {
 public:
  HeatDrawing(Canvas& canvas, const HeatScene& scene, const Box& where)
      : canvas_(canvas), scene_(scene), frame_(wideFrame(where, canvas.ruler())) {
    for (const auto& cell : scene.cells) {
      if (cell) values_.include(cell->value);
    }
    for (const std::string& line : scene.lines) {
      names_ = std::max(names_, canvas.ruler().width(line));
    }
    names_ = std::min(names_ + kNameAir, where.width / 3);
    const Box& plot = frame_.plot;
    area_ = Box::between(frame_.title.left + names_, plot.top, plot.right(), plot.bottom());
    width_ = area_.width / static_cast<double>(scene.columns.size());
    height_ = area_.height / static_cast<double>(scene.lines.size());
  }

  void draw() {
    drawTitle(canvas_, frame_, scene_.title, scene_.note);
    for (std::size_t line = 0; line < scene_.lines.size(); ++line) nameLine(line);
    nameColumns();
    double widest = 0;
    for (std::size_t place = 0; place < scene_.cells.size(); ++place) {
      if (!scene_.cells[place]) continue;
      drawCell(place, *scene_.cells[place]);
      widest = std::max(widest, canvas_.ruler().width(scene_.cells[place]->text));
    }
    // Small letters are better than none. Nothing else is written after them.
    if (widest > width_ - kBetweenCells) canvas_.setLetters(kSmallLetters);
    for (std::size_t place = 0; place < scene_.cells.size(); ++place) {
      if (scene_.cells[place]) writeCell(boxOf(place), scene_.cells[place]->text);
    }
  }

 private:
  static constexpr double kNameAir = 8;

  double baseline(double top, double room) const {
    return top + (room - canvas_.ruler().height()) / 2 + canvas_.ruler().ascent();
  }
  Box boxOf(std::size_t place) const {
    const auto column = static_cast<double>(place % scene_.columns.size());
    return {area_.left + column * width_, topOf(place / scene_.columns.size()),
            std::max(1.0, width_ - kBetweenCells), std::max(1.0, height_ - kBetweenCells)};
  }
  double topOf(std::size_t line) const { return area_.top + static_cast<double>(line) * height_; }

  void nameLine(std::size_t line) {
    if (height_ < canvas_.ruler().height()) return;
    canvas_.text({area_.left - kNameAir + 2, baseline(topOf(line), height_)},
                 elided(canvas_.ruler(), scene_.lines[line], names_ - kNameAir, true),
                 {.ink = Ink::muted, .anchor = Anchor::end});
  }

  void nameColumns() {
    const Ruler& ruler = canvas_.ruler();
    double written = 0;  // Where the last name ends.
    for (std::size_t column = 0; column < scene_.columns.size(); ++column) {
      const double x = area_.left + (static_cast<double>(column) + 0.5) * width_;
      const std::string name = elided(ruler, scene_.columns[column], 2 * width_, true);
      const double half = ruler.width(name) / 2;
      if (x - half < written || x + half > frame_.whole.right()) continue;
      written = x + half + ruler.height() / 2;
      canvas_.text({x, area_.bottom() + ruler.height()}, name,
                   {.ink = Ink::muted, .anchor = Anchor::middle});
    }
  }

  void drawCell(std::size_t place, const HeatScene::Cell& cell) {
    const double part =
        values_.high > values_.low ? (cell.value - values_.low) / (values_.high - values_.low) : 0;
    canvas_.rectangle(boxOf(place),
                      {.fill = Fill{Ink::selection, kFaintest + (kDarkest - kFaintest) * part}},
                      {fmt::format("cell-{}", place), cell.toolTip});
  }

  void writeCell(const Box& box, const std::string& text) {
    const Ruler& ruler = canvas_.ruler();
    if (ruler.width(text) > box.width || ruler.height() > box.height) return;
    canvas_.text({box.left + box.width / 2, baseline(box.top, box.height)}, text,
                 {.anchor = Anchor::middle});
  }

  Canvas& canvas_;
  const HeatScene& scene_;
  PlotFrame frame_;
  ValueSpan values_;
  double names_ = 0;  ///< Room for the names of lines.
  Box area_;          ///< Of all cells.
  double width_ = 0;  ///< Of a cell, as the next.
  double height_ = 0;
};

/// Curves of one panel inside its box, all panels with their own least and most.
void drawCurves(Canvas& canvas, const MultiplesScene::Panel& panel, const Box& box) {
  ValueSpan span;
  std::size_t places = 1;
  for (const auto& curve : panel.curves) {
    places = std::max(places, curve.size());
    for (const auto& value : curve) {
      if (value) span.include(*value);
    }
  }
  const double high = span.high > span.low ? span.high : span.low + 1;
  const double step = box.width / static_cast<double>(places);
  for (std::size_t series = 0; series < panel.curves.size(); ++series) {
    std::vector<Point> line;
    const auto draw = [&] {
      if (!line.empty()) canvas.path(line, {.edge = Stroke{seriesInk(series), 1.5}});
      line.clear();
    };
    for (std::size_t i = 0; i < panel.curves[series].size(); ++i) {
      const auto& value = panel.curves[series][i];
      if (!value) {  // No line crosses what is not known.
        draw();
        continue;
      }
      const double y = box.bottom() - (*value - span.low) / (high - span.low) * box.height;
      const double x = box.left + static_cast<double>(i) * step;
      line.push_back({x, y});
      line.push_back({x + step, y});
    }
    draw();
  }
}

void drawPanel(Canvas& canvas, const MultiplesScene::Panel& panel, const Box& box,
               const Hint& hint) {
  const Ruler& ruler = canvas.ruler();
  canvas.rectangle(box, {.fill = Fill{Ink::plot}}, hint);
  const double baseline = box.top + ruler.ascent();
  const std::string name = elided(ruler, panel.name, box.width, true, panel.chosen);
  canvas.text({box.left, baseline}, name,
              {.ink = panel.chosen ? Ink::selection : Ink::text, .bold = panel.chosen});
  if (ruler.width(name, panel.chosen) + ruler.width(panel.range) + 8 <= box.width) {
    canvas.text({box.right(), baseline}, panel.range, {.ink = Ink::muted, .anchor = Anchor::end});
  }
  const Box plot =
      Box::between(box.left, box.top + 1.4 * ruler.height(), box.right(), box.bottom() - 3);
  if (plot.height < 4) return;
  canvas.line({plot.left, plot.bottom() + 2}, {plot.right(), plot.bottom() + 2}, {Ink::grid});
  drawCurves(canvas, panel, plot);
}

/// Names of the series with their colours, at the right end of the title; nothing where there is no
/// room.
void drawSeries(Canvas& canvas, const MultiplesScene& scene, const PlotFrame& frame) {
  if (scene.series.size() < 2) return;
  const Ruler& ruler = canvas.ruler();
  const double sample = ruler.height();
  double right = frame.title.right();
  const double least =
      frame.title.left + ruler.width(scene.title, true) + ruler.width(scene.note) + 3 * sample;
  double needed = 0;
  for (const std::string& name : scene.series) needed += ruler.width(name) + 2.5 * sample;
  if (right - needed < least) return;
  for (std::size_t i = scene.series.size(); i-- > 0;) {
    const double y = frame.title.top + (frame.title.height - ruler.height()) / 2;
    right -= ruler.width(scene.series[i]);
    canvas.text({right, y + ruler.ascent()}, scene.series[i], {.ink = Ink::muted});
    right -= 1.25 * sample;
    canvas.line({right, y + ruler.height() / 2}, {right + sample, y + ruler.height() / 2},
                {seriesInk(i), 3});
    right -= 1.25 * sample;
  }
}

}  // namespace

void drawDots(Canvas& canvas, const DotsScene& scene, const Box& where) {
  DotsDrawing(canvas, scene, where).draw();
}

void drawHeat(Canvas& canvas, const HeatScene& scene, const Box& where) {
  HeatDrawing(canvas, scene, where).draw();
}

void drawMultiples(Canvas& canvas, const MultiplesScene& scene, const Box& where) {
  const Ruler& ruler = canvas.ruler();
  const PlotFrame frame = wideFrame(where, ruler);
  drawTitle(canvas, frame, scene.title, "");
  const double note = frame.title.left + ruler.width(scene.title, true) + 8;
  canvas.text({note, baselineIn(frame.title, ruler)},
              elided(ruler, scene.note, frame.title.right() - note), {.ink = Ink::muted});
  drawSeries(canvas, scene, frame);
  if (scene.panels.empty()) return;
  const Box area =
      Box::between(frame.title.left, frame.plot.top, frame.plot.right(), where.bottom() - 4);
  const auto fits = static_cast<std::size_t>(std::max(1.0, area.width / kLeastPanel));
  const std::size_t rows = (scene.panels.size() + fits - 1) / fits;
  const std::size_t columns = (scene.panels.size() + rows - 1) / rows;
  const double width = (area.width + kPanelAir) / static_cast<double>(columns);
  const double height = area.height / static_cast<double>(rows);
  for (std::size_t i = 0; i < scene.panels.size(); ++i) {
    const MultiplesScene::Panel& panel = scene.panels[i];
    const std::size_t row = i / columns;
    const Box box{area.left + static_cast<double>(i % columns) * width,
                  area.top + static_cast<double>(row) * height, width - kPanelAir, height - 6};
    drawPanel(canvas, panel, box, {fmt::format("panel-{}", i), panel.toolTip});
  }
}

}  // namespace hw
