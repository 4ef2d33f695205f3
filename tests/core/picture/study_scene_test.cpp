#include "core/picture/charts/study_scene.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "core/picture/svg_canvas.h"
#include "core/picture/value_axis.h"
#include "tests/support/golden_picture.h"
#include "tests/support/problems.h"
#include "tests/support/rounds.h"

// Pictures of many runs: what is in them, and where.

using namespace hw;

namespace {

/// Remembers shapes that have an id, and whether anything lies outside.
class Watch final : public Canvas {
 public:
  explicit Watch(const Box& where)
      : where_(where), inner_(where.width, where.height, "", 12, nullptr) {}
  const Ruler& ruler() const override { return inner_.ruler(); }
  bool keepsHints() const override { return true; }
  void setLetters(double units) override { inner_.setLetters(units); }
  void rectangle(const Box& box, const Look&, const Hint& hint) override {
    see({box.left, box.top});
    see({box.right(), box.bottom()});
    if (!hint.id.empty()) shapes.emplace_back(hint.id, box);
  }
  void line(Point from, Point to, const Stroke&) override {
    see(from);
    see(to);
  }
  void text(Point at, std::string_view text, const Lettering& look) override {
    const double width = ruler().width(text, look.bold);
    const double left = look.anchor == Anchor::start ? at.x
                        : look.anchor == Anchor::end ? at.x - width
                                                     : at.x - width / 2;
    see({left, at.y});
    see({left + width, at.y});
  }
  void path(std::span<const Point> points, const Look&) override {
    for (const Point& each : points) see(each);
  }
  void stairs(std::span<const Point>, double, Fill) override {}
  void hatch(const Box&, Fill) override {}

  std::vector<std::pair<std::string, Box>> shapes{};
  int outside = 0;

 private:
  void see(Point at) {
    const bool inside = at.x >= where_.left - 6 && at.x <= where_.right() + 6 &&
                        at.y >= where_.top - 6 && at.y <= where_.bottom() + 6;
    if (inside && !std::isnan(at.x) && !std::isnan(at.y)) return;
    ++outside;
    UNSCOPED_INFO(at.x << ", " << at.y << " is outside of " << where_.width << " x "
                       << where_.height);
  }
  Box where_;
  SvgCanvas inner_;
};

DotsScene randomDots(test::Dice& dice) {
  DotsScene scene{.title = "latency over peak", .note = "a note"};
  for (std::int64_t i = dice.roll(0, 30); i > 0; --i) {
    scene.dots.push_back({double(dice.roll(0, 1 << 20)), double(dice.roll(0, 1 << 30))});
  }
  for (std::int64_t i = dice.roll(0, 5); i > 0; --i) {
    scene.front.push_back({{double(dice.roll(1, 1 << 20)), double(dice.roll(1, 1 << 30))}, "run"});
  }
  return scene;
}

HeatScene heatFigure() {
  HeatScene scene{.title = "allocator over l2",
                  .note = "least latency; darker is more",
                  .lines = {"best", "free-list", "a-very-long-name-of-an-allocator"},
                  .columns = {"256KiB", "512KiB", "1MiB", "unlimited"}};
  for (int i = 0; i < 12; ++i) {
    auto& cell = scene.cells.emplace_back();
    if (i == 7) continue;  // Nothing fits there.
    cell = HeatScene::Cell{40.0 - i, fmt::format("{} ms", 40 - i), "a run"};
  }
  return scene;
}

}  // namespace

TEST_CASE("pictures of studies stay inside their box, whatever is in them", "[picture][property]") {
  for (const std::uint64_t seed : test::Seeds(200)) {
    test::Dice dice(seed);
    const Box where{0, 0, double(dice.roll(120, 900)), double(dice.roll(80, 500))};
    Watch dots(where);
    const DotsScene scene = randomDots(dice);
    drawDots(dots, scene, where);
    CHECK(dots.outside == 0);
    CHECK(dots.shapes.size() == scene.front.size());
    Watch heat(where);
    drawHeat(heat, heatFigure(), where);
    CHECK(heat.outside == 0);
    CHECK(heat.shapes.size() == 11);
  }
}

TEST_CASE("dots to the right have more of one figure, higher ones more of the other", "[picture]") {
  DotsScene scene{.front = {{{1000, 9e9}, "a"}, {{2000, 5e9}, "b"}, {{64000, 1e9}, "c"}}};
  const Box where{0, 0, 600, 300};
  Watch watch(where);
  drawDots(watch, scene, where);
  REQUIRE(watch.shapes.size() == 3);
  for (std::size_t i = 1; i < 3; ++i) {
    CHECK(watch.shapes[i].first == fmt::format("front-{}", i));
    CHECK(watch.shapes[i].second.left > watch.shapes[i - 1].second.left);
    CHECK(watch.shapes[i].second.top > watch.shapes[i - 1].second.top);
  }
}

TEST_CASE("cells lie in lines and columns, and those without a run are not there", "[picture]") {
  const HeatScene scene = heatFigure();
  const Box where{0, 0, 700, 300};
  Watch watch(where);
  drawHeat(watch, scene, where);
  REQUIRE(watch.shapes.size() == 11);
  const auto boxOf = [&](int cell) {
    const auto found = std::ranges::find(watch.shapes, fmt::format("cell-{}", cell),
                                         [](const auto& shape) { return shape.first; });
    REQUIRE(found != watch.shapes.end());
    return found->second;
  };
  CHECK(boxOf(0).top == Approx(boxOf(3).top));
  CHECK(boxOf(4).left == Approx(boxOf(0).left));
  CHECK(boxOf(1).left >= boxOf(0).right());
  CHECK(boxOf(4).top >= boxOf(0).bottom());
  CHECK(std::ranges::count(watch.shapes, "cell-7", [](const auto& shape) { return shape.first; }) ==
        0);
}

TEST_CASE("a panel for each model, beside or below each other", "[picture]") {
  MultiplesScene scene{.title = "All models", .note = "least latency", .series = {"1", "2"}};
  for (int i = 0; i < 5; ++i) {
    scene.panels.push_back({.name = fmt::format("model{}", i),
                            .range = "3\u20139 ms",
                            .curves = {{9.0, std::nullopt, 4.0}, {8.0, 5.0, 3.0}}});
  }
  for (const double width : {1000.0, 500.0, 160.0}) {
    CAPTURE(width);
    const Box where{0, 0, width, 320};
    Watch watch(where);
    drawMultiples(watch, scene, where);
    CHECK(watch.outside == 0);
    REQUIRE(watch.shapes.size() == 5);
    for (std::size_t i = 0; i < 5; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        CHECK(watch.shapes[i].second.cut(watch.shapes[j].second).isEmpty());
      }
    }
  }
  test::checkPicture("study_models.svg",
                     svgOf(scene, "models", {0, 0, 800, 200}, Palette::light(), drawMultiples));
  test::checkPicture("study_heat.svg",
                     svgOf(heatFigure(), "heat", {0, 0, 700, 300}, Palette::dark(), drawHeat));
}

TEST_CASE("marks of an axis lie on it in order, at least so far apart", "[picture][property]") {
  for (const std::uint64_t seed : test::Seeds(300)) {
    test::Dice dice(seed);
    constexpr ColumnKind kKinds[] = {ColumnKind::bytes, ColumnKind::time, ColumnKind::count,
                                     ColumnKind::ratio, ColumnKind::seconds};
    const ColumnKind kind = kKinds[dice.roll(0, 4)];
    const double unit = kind == ColumnKind::ratio || kind == ColumnKind::seconds ? 1e-3 : 1;
    ValueSpan span;
    for (int i = 0; i < 3; ++i) span.include(unit * std::pow(10, double(dice.roll(0, 90)) / 10));
    const ValueAxis axis = ValueAxis::around(kind, span, dice.chance(30), 10, 400);
    CHECK(axis.toPixel(span.low) >= 10);
    CHECK(axis.toPixel(span.high) <= 410);
    double before = -1e9;
    for (const AxisTick& tick : axis.ticks(40)) {
      const double at = axis.toPixel(tick.value);
      CHECK(at >= 9.999);
      CHECK(at <= 410.001);
      if (!axis.isDoubling() || kind != ColumnKind::bytes) CHECK(at - before >= 39.999);
      CHECK(!tick.label.empty());
      before = at;
    }
  }
}

TEST_CASE("marks of numbers that doubles cannot tell apart come to an end", "[picture]") {
  ValueSpan span;
  span.include(1e17);
  span.include(1e17 + 16);
  CHECK(ValueAxis::around(ColumnKind::count, span, false, 0, 400).ticks(40).size() <= 1'000);
  const ValueAxis bare(ColumnKind::count, 1e17, 1e17 + 16, false, 0, 400);
  CHECK(bare.ticks(40).size() <= 1'000);
}
