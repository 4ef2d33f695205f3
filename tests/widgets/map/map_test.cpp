// Parts of one operator in the map: one colour, the halo hatched, all of them chosen with one.

#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>
#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <set>

#include "app/gui/request/arguments.h"
#include "core/graph/tiling.h"
#include "core/import/samples.h"
#include "core/picture/block_store.h"
#include "core/picture/map_scene.h"
#include "core/run/options.h"
#include "tests/widgets/patience.h"
#include "tests/widgets/support.h"
#include "widgets/map/map_painter.h"
#include "widgets/map/map_raster.h"
#include "widgets/map/map_view.h"

using namespace hw::literals;
using namespace hw;

namespace {

/// Rectangles in lanes: never overlapping, of all sizes from a crumb to a wall.
std::vector<Block> laneBlocks(std::uint64_t seed, std::size_t lanes, std::int64_t steps) {
  std::mt19937_64 random(seed);
  std::vector<Block> blocks;
  Bytes low;
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const Bytes high = low + Bytes(static_cast<std::int64_t>(1 + random() % 97));
    for (std::int64_t step = 0; step < steps;) {
      const auto end = step + 1 + static_cast<std::int64_t>(random() % 40);
      const auto kind = static_cast<BlockClass>(random() % 4);
      if (random() % 4) {
        blocks.push_back(
            {{AxisPlace(step), AxisPlace(end)}, {low, high}, StayId(blocks.size()), kind});
      }
      step = end;
    }
    low = high;
  }
  std::ranges::shuffle(blocks, random);
  return blocks;
}

MapRequest requestFor(MapWindow window, QSize size) {
  MapRequest request;
  request.window = window;
  request.size = size;
  request.colors = MapColors::of(Palette::light());
  return request;
}

/// A map of `run` on a screen that nobody sees.
struct ShownMap {
  explicit ShownMap(std::shared_ptr<const Run> run) : map(&state, PoolId(0)) {
    state.setRun(std::move(run));
    map.resize(640, 320);
    map.show();
    map.grab();  // Draws, so that pixels know their blocks.
  }

  RunAxis steps() const {
    const QRect plot = map.plotArea();
    return {state.visibleBegin(), state.visibleEnd(), double(plot.left()), double(plot.width())};
  }

  /// A point of the widget inside the block of `stay`.
  QPoint pointIn(StayId stay) const {
    const Block block = map.blocks().block(map.blocks().blocksOf(stay).front());
    const MapWindow window = map.window();
    const QRect plot = map.plotArea();
    const double step = (double(block.span.begin.count()) + double(block.span.end.count())) / 2;
    const double byte = (double(block.bytes.begin.count()) + double(block.bytes.end.count())) / 2;
    const ByteAxis y{window.lowByte, window.highByte, double(plot.top() + plot.height()),
                     -double(plot.height())};
    return {static_cast<int>(steps().toX(step)), static_cast<int>(y.toPixel(byte))};
  }

  void wheel(QPoint at, int units, Qt::KeyboardModifiers keys = {}) {
    QWheelEvent event(at, map.mapToGlobal(at), {}, {0, units}, {}, keys, Qt::NoScrollPhase, false);
    QApplication::sendEvent(&map, &event);
  }

  ViewState state;
  MapView map;
};

class FixedRuler : public Ruler {
 public:
  double width(std::string_view text, bool) const override {
    return 6 * static_cast<double>(text.size());
  }
  double height() const override { return 12; }
  double ascent() const override { return 9; }
};

/// The drawing, as lists.
class RecordingCanvas : public Canvas {
 public:
  struct Drawn {
    Box box{};
    Look look{};
    std::string id{};
  };
  std::vector<Drawn> rectangles;
  std::vector<std::pair<Box, Fill>> hatches;

  const Ruler& ruler() const override { return ruler_; }
  bool keepsHints() const override { return true; }
  void setLetters(double) override {}
  void rectangle(const Box& box, const Look& look, const Hint& hint) override {
    rectangles.push_back({box, look, hint.id});
  }
  void hatch(const Box& box, Fill fill) override { hatches.emplace_back(box, fill); }
  void line(Point, Point, const Stroke&) override {}
  void text(Point, std::string_view, const Lettering&) override {}
  void path(std::span<const Point>, const Look&) override {}
  void stairs(std::span<const Point>, double, Fill) override {}

 private:
  FixedRuler ruler_;
};

std::shared_ptr<const Run> mapRun(TileRule rule) {
  RunRequest request = defaultRequest();
  request.tile = rule;
  const auto model = test::sampleModel("mobilenet_v2_int8");
  return execute(model, request, {}).value();
}

/// The tensor in "part-3-170".
TensorId tensorOf(const std::string& id) {
  return TensorId(static_cast<std::size_t>(std::stoul(id.substr(id.rfind('-') + 1))));
}

std::size_t hatchedWith(const RecordingCanvas& canvas, const Fill& fill) {
  return static_cast<std::size_t>(std::ranges::count_if(canvas.hatches, [&](const auto& each) {
    return each.second.ink == fill.ink && each.second.opacity == fill.opacity;
  }));
}

}  // namespace

TEST_CASE("blocks are the live parts of placed stays, gaps left open", "[blocks]") {
  auto run = std::make_shared<Run>(*test::smallRun());
  run->problem.stays[StayId(1)].steps = {0_st, 3_st};
  run->problem.gaps = {{StayId(1), {1_st, 2_st}}};
  const BlockStore store = BlockStore::ofPool(*run, PoolId(0));
  REQUIRE(store.size() == 5);
  const auto ofB = store.blocksOf(StayId(1));
  REQUIRE(ofB.size() == 2);
  CHECK(store.block(ofB[0]).span == Interval{AxisPlace(0), AxisPlace(1)});
  CHECK(store.block(ofB[1]).span == Interval{AxisPlace(2), AxisPlace(3)});
  CHECK(store.block(ofB[0]).bytes == Interval{4_B, 10_B});
}

TEST_CASE("regions lie one after the other", "[blocks]") {
  auto run = std::make_shared<Run>(*test::smallRun());
  run->plan.regions[PoolId(0)] = {};
  run->plan.regions[PoolId(0)].add(10_B);
  run->plan.regions[PoolId(0)].add(10_B);
  run->plan.addresses[StayId(3)] = Address{PoolId(0), RegionId(1), 0_B};
  const BlockStore store = BlockStore::ofPool(*run, PoolId(0));
  CHECK(store.block(store.blocksOf(StayId(3))[0]).bytes == Interval{10_B, 20_B});
}

TEST_CASE("a stay that was never placed, or elsewhere, has no block", "[blocks]") {
  auto run = std::make_shared<Run>(*test::smallRun());
  run->plan.addresses[StayId(0)].reset();
  run->plan.addresses[StayId(1)]->pool = PoolId(1);
  const BlockStore store = BlockStore::ofPool(*run, PoolId(0));
  CHECK(store.size() == 2);
  CHECK(store.blocksOf(StayId(0)).empty());
  CHECK(store.blocksOf(StayId(1)).empty());
  CHECK(store.blocksOf(StayId()).empty());
  CHECK(store.blocksOf(StayId(77)).empty());
}

TEST_CASE("visiting a window finds what looking at every block finds", "[blocks]") {
  const auto seed = GENERATE(range(std::uint64_t{1}, std::uint64_t{9}));
  CAPTURE(seed);
  const BlockStore store(laneBlocks(seed, 60, 900));
  std::mt19937_64 random(seed);
  const auto fraction = [&] { return static_cast<double>(random() % 10'000) / 10'000; };
  for (int round = 0; round < 30; ++round) {
    MapWindow window;
    window.begin = fraction() * 900;
    window.end = window.begin + 0.1 + fraction() * 300;
    window.lowByte = fraction() * 2'500;
    window.highByte = window.lowByte + 0.1 + fraction() * 600;
    std::set<std::size_t> expected;
    for (std::size_t i = 0; i < store.size(); ++i) {
      const Block block = store.block(i);
      if (static_cast<double>(block.span.begin.count()) < std::ceil(window.end) &&
          static_cast<double>(block.span.end.count()) > std::floor(window.begin) &&
          static_cast<double>(block.bytes.begin.count()) < std::ceil(window.highByte) &&
          static_cast<double>(block.bytes.end.count()) > std::floor(window.lowByte)) {
        expected.insert(i);
      }
    }
    std::set<std::size_t> found;
    store.visit(window, [&](std::size_t index) { found.insert(index); });
    CHECK(found == expected);
    CHECK(store.countNear(window) >= found.size());
  }
}

TEST_CASE("every pixel knows its block", "[raster]") {
  // Wide, so that many blocks share a pixel; narrow, so that few do; and a corner.
  const MapWindow window = GENERATE(MapWindow{0, 900, 0, 3'000}, MapWindow{100.3, 171.9, 200, 900},
                                    MapWindow{850.5, 1'000, 2'000.7, 4'000});
  const auto seed = GENERATE(range(std::uint64_t{1}, std::uint64_t{3}));
  CAPTURE(seed, window.begin);
  const BlockStore store(laneBlocks(seed, 60, 900));
  const MapRequest request = requestFor(window, {64, 36});
  const MapRaster raster = rasterize(store, request);
  struct Box {
    double left, right, top, bottom;
  };
  std::vector<Box> boxes;
  for (std::size_t i = 0; i < store.size(); ++i) {
    const Block b = store.block(i);
    boxes.push_back({request.toX(static_cast<double>(b.span.begin.count())),
                     request.toX(static_cast<double>(b.span.end.count())),
                     request.toY(static_cast<double>(b.bytes.end.count())),
                     request.toY(static_cast<double>(b.bytes.begin.count()))});
  }
  std::size_t wrong = 0;
  for (int y = 0; y < 36; ++y) {
    for (int x = 0; x < 64; ++x) {
      // The block under the pixel's centre; without one, of those that touch the pixel but are too
      // small to own a centre for sure, the one that begins in the highest row.
      std::optional<std::size_t> centre;
      std::optional<std::pair<int, std::size_t>> touching;
      for (std::size_t i = 0; i < store.size(); ++i) {
        const Box b = boxes[i];
        const bool inside =
            b.left <= x + 0.5 && x + 0.5 < b.right && b.top <= y + 0.5 && y + 0.5 < b.bottom;
        if (inside) centre = i;
        const bool tiny = b.right - b.left < 1 || b.bottom - b.top < 1;
        const bool touches = b.left < x + 1 && b.right > x && b.top < y + 1 && b.bottom > y;
        const std::pair candidate(std::max(0, static_cast<int>(std::floor(b.top))), i);
        if (tiny && touches && (!touching || candidate < *touching)) touching = candidate;
      }
      if (!centre && touching) centre = touching->second;
      if (raster.blockAt(x, y) != centre) ++wrong;
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("outside the picture there is no block", "[raster]") {
  const BlockStore store({{{AxisPlace(0), AxisPlace(9)}, {0_B, 9_B}, StayId(0)}});
  const MapRaster raster = rasterize(store, requestFor({0, 9, 0, 9}, {20, 10}));
  CHECK(raster.blockAt(0, 0) == 0);
  for (const QPoint at : {QPoint(-1, 0), QPoint(0, -1), QPoint(20, 0), QPoint(0, 10)}) {
    CHECK_FALSE(raster.blockAt(at.x(), at.y()).has_value());
  }
}

TEST_CASE("neighbours meet without a gap and without overlap", "[raster]") {
  // Four blocks tile the window; every pixel is one of theirs and each has its share.
  const BlockStore store({{{AxisPlace(0), AxisPlace(3)}, {0_B, 5_B}, StayId(0)},
                          {{AxisPlace(3), AxisPlace(7)}, {0_B, 5_B}, StayId(1)},
                          {{AxisPlace(0), AxisPlace(3)}, {5_B, 7_B}, StayId(2)},
                          {{AxisPlace(3), AxisPlace(7)}, {5_B, 7_B}, StayId(3)}});
  const QSize size = GENERATE(QSize(7, 7), QSize(100, 61), QSize(33, 200));
  const MapRaster raster = rasterize(store, requestFor({0, 7, 0, 7}, size));
  CHECK(std::ranges::count(raster.ids, 0U) == 0);
  CHECK(raster.shared == 0);
  CHECK(raster.drawn == 4);
}

TEST_CASE("a lone block thinner than a pixel can still be seen and hovered", "[raster]") {
  const BlockStore store({{{AxisPlace(10), AxisPlace(500)}, {400_B, 401_B}, StayId(0)}});
  const MapRequest request = requestFor({0, 1000, 0, 1000}, {100, 50});
  const MapRaster raster = rasterize(store, request);
  const int row = static_cast<int>(request.toY(400.5));
  CHECK(raster.blockAt(20, row) == 0);
  const QColor seen = raster.past.pixelColor(20, row);
  const QColor plot(request.colors.plot);
  const int difference = std::abs(seen.red() - plot.red()) + std::abs(seen.green() - plot.green()) +
                         std::abs(seen.blue() - plot.blue());
  CHECK(difference > 40);
}

TEST_CASE("the more of a pixel is occupied, the stronger its colour", "[raster]") {
  const auto strengthOf = [](int blocks) {
    std::vector<Block> crumbs;
    for (int i = 0; i < blocks; ++i) {
      crumbs.push_back({{AxisPlace(0), AxisPlace(10)},
                        {Bytes(i * 10), Bytes(i * 10 + 10)},
                        StayId(static_cast<std::size_t>(i))});
    }
    const MapRaster raster = rasterize(BlockStore(crumbs), requestFor({0, 10, 0, 100}, {1, 1}));
    return 255 - raster.past.pixelColor(0, 0).red();
  };
  CHECK(strengthOf(1) > 0);
  CHECK(strengthOf(4) > strengthOf(1));
  CHECK(strengthOf(9) > strengthOf(4));
}

TEST_CASE("blocks too small for a pixel have the colour of their class", "[raster]") {
  const auto index = GENERATE(range(0, static_cast<int>(kAllClasses)));
  const auto kind = static_cast<BlockClass>(index);
  CAPTURE(index);
  // A thousand blocks that leave no byte of the picture free.
  std::vector<Block> blocks;
  for (int i = 0; i < 1000; ++i) {
    blocks.push_back({{AxisPlace(0), AxisPlace(1000)},
                      {Bytes(i), Bytes(i + 1)},
                      StayId(static_cast<std::size_t>(i)),
                      kind});
  }
  const MapRequest request = requestFor({0, 1000, 0, 1000}, {10, 10});
  const MapRaster raster = rasterize(BlockStore(blocks), request);
  const QColor wanted(request.colors.past[static_cast<std::size_t>(index)].thin);
  const QColor drawn = raster.past.pixelColor(5, 5);
  for (const auto part : {&QColor::red, &QColor::green, &QColor::blue}) {
    CHECK(std::abs((drawn.*part)() - (wanted.*part)()) <= 3);
  }
}

TEST_CASE("the same request gives the same picture", "[raster]") {
  const BlockStore store(laneBlocks(7, 40, 300));
  const MapRequest request = requestFor({0, 300, 0, 2'000}, {300, 200});
  const MapRaster once = rasterize(store, request);
  const MapRaster again = rasterize(store, request);
  CHECK(once.past == again.past);
  CHECK(once.future == again.future);
  CHECK(once.ids == again.ids);
}

TEST_CASE("hovering finds the block under the pointer", "[map]") {
  ShownMap shown(test::smallRun());
  for (const StayId stay : IdRange<StayId>(4)) {
    QTest::mouseMove(&shown.map, shown.pointIn(stay));
    CHECK(shown.map.stayAt(shown.pointIn(stay)) == stay);
    CHECK(shown.state.hovered() == stay);
  }
  QTest::mouseMove(&shown.map, QPoint(2, 2));
  CHECK_FALSE(shown.state.hovered());
}

TEST_CASE("a click selects for everyone, and a click beside lets go", "[map]") {
  ShownMap shown(test::smallRun());
  QSignalSpy changed(&shown.state, &ViewState::selectionChanged);
  QTest::mouseClick(&shown.map, Qt::LeftButton, {}, shown.pointIn(StayId(2)));
  CHECK(shown.state.selected() == StayId(2));
  QTest::mouseClick(&shown.map, Qt::LeftButton, {}, shown.map.plotArea().topLeft() + QPoint(3, 3));
  CHECK_FALSE(shown.state.selected());
  CHECK(changed.size() == 2);
}

TEST_CASE("the wheel zooms and keeps the step under the pointer", "[map]") {
  ShownMap shown(test::randomRun(3, 80, 200));
  const QPoint at(333, 150);
  shown.wheel(at, 360);  // Away from both ends, where the run would stop it.
  const double before = shown.steps().toPlace(at.x());
  const double length = shown.state.visibleEnd() - shown.state.visibleBegin();
  const double bytes = shown.map.window().highByte;
  shown.wheel(at, 120);
  CHECK(shown.steps().toPlace(at.x()) == Approx(before));
  CHECK(shown.state.visibleEnd() - shown.state.visibleBegin() == Approx(length / 1.2));
  CHECK(shown.map.window().highByte == bytes);
}

TEST_CASE("zooming in for ever ends at a quarter of a step, under the pointer", "[map]") {
  ShownMap shown(test::randomRun(3, 80, 200));
  const QPoint at(400, 150);
  const double before = shown.steps().toPlace(at.x());
  for (int i = 0; i < 100; ++i) shown.wheel(at, 240);
  CHECK(shown.state.visibleEnd() - shown.state.visibleBegin() == Approx(0.25));
  CHECK(shown.steps().toPlace(at.x()) == Approx(before));
}

TEST_CASE("Alt and Ctrl zoom addresses, and never below address zero", "[map]") {
  ShownMap shown(test::randomRun(3, 80, 200));
  const double full = shown.map.window().highByte;
  const double steps = shown.state.visibleEnd();
  shown.wheel({333, 150}, 240, Qt::AltModifier);
  CHECK(shown.map.window().highByte - shown.map.window().lowByte == Approx(full / 1.44));
  CHECK(shown.state.visibleEnd() == steps);
  shown.wheel({333, 150}, 120, Qt::ControlModifier);
  CHECK(shown.state.visibleEnd() - shown.state.visibleBegin() < steps);
  shown.wheel({333, 300}, -2400, Qt::AltModifier);
  CHECK(shown.map.window().lowByte == 0);
  CHECK(shown.map.window().highByte == Approx(full));
}

TEST_CASE("dragging pans and does not select; a double click shows everything", "[map]") {
  ShownMap shown(test::randomRun(3, 80, 200));
  shown.wheel({333, 150}, 480);
  const double step = shown.steps().toPlace(300);
  QTest::mousePress(&shown.map, Qt::LeftButton, {}, {300, 150});
  QTest::mouseMove(&shown.map, QPoint(340, 150));
  QTest::mouseMove(&shown.map, QPoint(360, 150));
  QTest::mouseRelease(&shown.map, Qt::LeftButton, {}, {360, 150});
  CHECK(shown.steps().toPlace(360) == Approx(step));
  CHECK_FALSE(shown.state.selected());
  QTest::mouseDClick(&shown.map, Qt::LeftButton, {}, {300, 150});
  CHECK(shown.state.visibleBegin() == 0);
  CHECK(shown.state.visibleEnd() == 200);
}

TEST_CASE("Right and Left walk all blocks in step order and stop at the ends", "[map]") {
  ShownMap shown(test::smallRun());
  shown.map.setFocus();
  std::vector<StayId> walked;
  for (int i = 0; i < 5; ++i) {
    QTest::keyClick(&shown.map, Qt::Key_Right);
    walked.push_back(shown.state.selected());
  }
  const std::vector<StayId> expected = {StayId(0), StayId(1), StayId(2), StayId(3), StayId(3)};
  CHECK(walked == expected);
  QTest::keyClick(&shown.map, Qt::Key_Left);
  CHECK(shown.state.selected() == StayId(2));
}

TEST_CASE("Right reaches every part of a stay with gaps, and ends", "[map]") {
  auto run = std::make_shared<Run>(*test::smallRun());
  run->problem.stays[StayId(1)].steps = {0_st, 3_st};
  run->problem.gaps = {{StayId(1), {1_st, 2_st}}};
  ShownMap shown(run);
  int walked = 0;
  while (walked < 20) {
    const QString before = shown.map.accessibleDescription();
    const StayId selected = shown.state.selected();
    QTest::keyClick(&shown.map, Qt::Key_Right);
    if (shown.state.selected() == selected && shown.map.accessibleDescription() == before) break;
    ++walked;
  }
  CHECK(walked == 5);
}

TEST_CASE("the walk begins at what is on screen", "[map]") {
  ShownMap shown(test::smallRun());
  shown.state.setVisible(2, 3);
  QTest::keyClick(&shown.map, Qt::Key_Right);
  CHECK(shown.state.selected() == StayId(3));
  CHECK(shown.state.visibleBegin() == 2);
}

TEST_CASE("Up and Down go to the neighbour in address", "[map]") {
  ShownMap shown(test::smallRun());
  shown.state.select(StayId(0));
  QTest::keyClick(&shown.map, Qt::Key_Up);
  CHECK(shown.state.selected() == StayId(1));
  QTest::keyClick(&shown.map, Qt::Key_Up);
  CHECK(shown.state.selected() == StayId(1));
  QTest::keyClick(&shown.map, Qt::Key_Down);
  CHECK(shown.state.selected() == StayId(0));
}

TEST_CASE("what lives now is drawn differently from before and after", "[map]") {
  ShownMap shown(test::smallRun());
  const QPoint inA = shown.pointIn(StayId(0)) + QPoint(20, 12);
  const QPoint inD = shown.pointIn(StayId(3)) + QPoint(20, 30);
  const auto colorAt = [&](QPoint at) { return shown.map.grab().toImage().pixelColor(at); };
  shown.state.setStep(0_st);
  const QColor aliveA = colorAt(inA);
  const QColor futureD = colorAt(inD);
  shown.state.setStep(2_st);
  CHECK(colorAt(inA) != aliveA);
  CHECK(colorAt(inD) != futureD);
  CHECK(colorAt(inD) == Theme::current().classColor(BlockClass::elements));
}

TEST_CASE("selecting dims what is not selected", "[map]") {
  ShownMap shown(test::smallRun());
  shown.state.setStep(0_st);
  const QPoint inB = shown.pointIn(StayId(1)) + QPoint(30, 20);
  const QColor before = shown.map.grab().toImage().pixelColor(inB);
  shown.state.select(StayId(0));
  CHECK(shown.map.grab().toImage().pixelColor(inB) != before);
  shown.state.select(StayId(1));
  CHECK(shown.map.grab().toImage().pixelColor(inB) == before);
}

TEST_CASE("a picture at twice the density is twice as large and as exact", "[map]") {
  ShownMap shown(test::randomRun(4, 50, 40));
  QImage picture(1280, 640, QImage::Format_RGB32);
  picture.setDevicePixelRatio(2);
  QPainter painter(&picture);
  paintMap(painter, shown.map.pictureScene(), QRect(0, 0, 640, 320));
  painter.end();
  const QColor plot = Theme::current().plot;
  const QImage screen = shown.map.grab().toImage();
  // Large areas agree; edges and letters may not.
  int different = 0;
  for (int y = 60; y < 280; y += 7) {
    for (int x = 100; x < 600; x += 7) {
      const bool emptyThere = picture.pixelColor(2 * x, 2 * y) == plot;
      if (emptyThere != (screen.pixelColor(x, y) == plot)) ++different;
    }
  }
  CHECK(different < 32 * 72 / 20);
}

TEST_CASE("more blocks than a frame has time for are drawn by a worker", "[map]") {
  auto run = std::make_shared<Run>(*test::smallRun());
  run->problem.stays = {};
  run->plan.addresses = {};
  for (std::size_t i = 0; i < 200'000; ++i) {
    const auto step = static_cast<std::int64_t>(i / 100);
    run->problem.stays.add({.steps = {Step(step), Step(step + 1)}, .size = 8_B});
    run->plan.addresses.add(
        Address{PoolId(0), RegionId(0), Bytes(static_cast<std::int64_t>(i % 100) * 8)});
  }
  run->problem.steps = Step(2000);
  run->plan.regions[PoolId(0)][RegionId(0)] = 800_B;
  ShownMap shown(run);
  // The blocks are sorted elsewhere too; until then there is nothing to point at.
  CHECK(shown.map.blocks().size() == 0);
  CHECK_FALSE(shown.map.stayAt({300, 150}));
  CHECK_FALSE(shown.map.grab().isNull());
  const auto isDone = [&] { return shown.map.grab(), !shown.map.isRefining(); };
  CHECK(test::comes(isDone));
  CHECK(shown.map.blocks().size() == 200'000);
  const QImage before = shown.map.grab().toImage();
  shown.state.setVisible(100, 1900);
  const auto isExact = [&] {
    const StayId stay = shown.map.stayAt({300, 150});
    const auto step = static_cast<std::int64_t>(shown.steps().toPlace(300.5));
    return shown.map.grab(), stay && run->problem.stays[stay].steps.contains(Step(step));
  };
  // Hovering is right at once; the picture follows.
  CHECK(isExact());
  CHECK(test::comes(isDone));
  CHECK(isExact());
  CHECK(shown.map.grab().toImage() != before);
}

TEST_CASE("without a run the map says what to do", "[map]") {
  ViewState state;
  MapView map(&state, PoolId(0));
  map.resize(300, 200);
  CHECK_FALSE(map.grab().isNull());
  CHECK_FALSE(map.stayAt({150, 100}));
  QTest::keyClick(&map, Qt::Key_Up);
  QTest::keyClick(&map, Qt::Key_Z);
  CHECK_FALSE(state.selected());
}

TEST_CASE("a click on one of the tensors that share a block selects that one", "[map][parts]") {
  auto model = openModel("samples:share_concat", {});
  REQUIRE(model);
  const auto request = asDrawn(*model, {}, defaultRequest(), "--");
  REQUIRE(request);
  const auto done = execute(std::make_shared<const Model>(*std::move(model)), *request, {});
  REQUIRE(done);
  const std::shared_ptr<const Run>& run = *done;
  const auto named = [&](const std::string& name) {
    TensorId found;
    for (const TensorId id : run->graph().tensors.keys()) {
      if (displayName(run->graph(), id) == name) found = id;
    }
    return found;
  };
  ShownMap shown(run);
  const StayId stay(run->storage.bufferOf(named("c")).index());
  const Block block = shown.map.blocks().block(shown.map.blocks().blocksOf(stay).front());
  const MapWindow window = shown.map.window();
  const QRect plot = shown.map.plotArea();
  const ByteAxis y{window.lowByte, window.highByte, double(plot.top() + plot.height()),
                   -double(plot.height())};
  const auto pointAt = [&](double step, Bytes inside) {
    const auto byte = static_cast<double>((block.bytes.begin + inside).count());
    return QPoint(static_cast<int>(shown.steps().toX(step)), static_cast<int>(y.toPixel(byte)));
  };
  for (const auto& [name, point] : {std::pair("p", pointAt(1.5, 20_B)),
                                    {"q", pointAt(2.5, 100_B)},
                                    {"c", pointAt(4.5, 100_B)}}) {
    QTest::mouseClick(&shown.map, Qt::LeftButton, {}, point);
    CHECK(shown.state.selected() == stay);
    CHECK(shown.state.selectedPart() == named(name));
  }
  // Before q begins nobody has these bytes: the click means the block.
  QTest::mouseClick(&shown.map, Qt::LeftButton, {}, pointAt(1.5, 100_B));
  CHECK(shown.state.selected() == stay);
  CHECK_FALSE(shown.state.selectedPart());
  shown.state.select(stay);
  CHECK_FALSE(shown.state.selectedPart());
}

TEST_CASE("parts have the colour of their operator's type", "[map][parts]") {
  const auto run = mapRun(TileRule::lines);
  const Graph& graph = run->graph();
  MapScene scene = MapScene::whole(run, PoolId(0));
  scene.window.end = 80;  // Wide enough for parts to be told apart.
  RecordingCanvas canvas;
  drawMap(canvas, scene, {0, 0, 4000, 3000});
  std::set<OpId> seen;
  for (const auto& drawn : canvas.rectangles) {
    if (!drawn.id.starts_with("part-") || !drawn.look.fill) continue;
    const OpId producer = graph.tensors[tensorOf(drawn.id)].producer;
    if (!producer || partOf(graph, producer) == nullptr) continue;
    const OpId op = graph.tiling->opOf[producer];
    CAPTURE(displayName(graph, producer));
    const Tensor& whole =
        graph.tiling->original->tensors[graph.tiling->original->ops[op].outputs[0]];
    if (whole.graphOutput) continue;
    const BlockClass kind = blockClass(graph.tiling->original->ops[op]);
    const Ink ink = drawn.look.fill->ink;
    bool own = false;
    for (const auto time : {BlockTime::past, BlockTime::future, BlockTime::live, BlockTime::pale}) {
      own = own || ink == blockInk(kind, time, BlockPart::fill) ||
            ink == blockInk(kind, time, BlockPart::thin);
    }
    CHECK(own);
    seen.insert(op);
  }
  CHECK(seen.size() >= 4);
}

TEST_CASE("the halo is hatched: rows that are kept to be read again, columns made again",
          "[map][parts]") {
  for (const TileRule rule : {TileRule::off, TileRule::lines, TileRule::any}) {
    const auto run = mapRun(rule);
    MapScene scene = MapScene::whole(run, PoolId(0));
    scene.window.end = std::min(scene.window.end, 120.0);
    RecordingCanvas canvas;
    drawMap(canvas, scene, {0, 0, 4000, 3000});
    CHECK((hatchedWith(canvas, kReadAgainHatch) > 0) == (rule != TileRule::off));
    CHECK(scene.blocks->madeAgain().empty() == (rule != TileRule::any));
    if (rule == TileRule::off) continue;
    // Each lies in what it is the halo of.
    const RunScale scale(*run, AxisUnit::step);
    for (std::size_t i = 0; i < scene.blocks->size(); ++i) {
      const Block block = scene.blocks->block(i);
      for (const PartBlock& part : partBlocks(*run, scale, block)) {
        for (const HaloBlock& halo : haloOf(*run, scale, *scene.blocks, block, part)) {
          CHECK(halo.bytes.begin >= part.bytes.begin);
          CHECK(halo.bytes.end <= part.bytes.end);
          CHECK(halo.span.begin >= part.span.begin);
          CHECK(halo.span.end <= part.span.end);
        }
      }
    }
  }
}

TEST_CASE("with one part all parts of its operator are chosen", "[map][parts]") {
  const auto run = mapRun(TileRule::lines);
  const Graph& graph = run->graph();
  MapScene scene = MapScene::whole(run, PoolId(0));
  scene.window.end = 80;
  // Nothing is alive at the start: what stands out is what was chosen.
  const auto chosen = [&](const MapScene& shown, OpId op) {
    const BlockClass kind = blockClass(graph.tiling->original->ops[graph.tiling->opOf[op]]);
    RecordingCanvas canvas;
    drawMap(canvas, shown, {0, 0, 4000, 3000});
    return std::ranges::count_if(canvas.rectangles, [&](const auto& drawn) {
      return drawn.look.fill &&
             (drawn.look.fill->ink == blockInk(kind, BlockTime::live, BlockPart::fill) ||
              drawn.look.fill->ink == blockInk(kind, BlockTime::live, BlockPart::thin));
    });
  };
  std::size_t tried = 0;
  for (const OpId op : graph.ops.keys()) {
    if (partOf(graph, op) == nullptr || op.index() > 60 || op.index() % 7 != 0) continue;
    const TensorId output = graph.ops[op].outputs.front();
    const BufferId buffer = run->storage.bufferOf(output);
    const auto stays = run->problem.stays.keys();
    const auto stay = std::ranges::find_if(
        stays, [&](StayId each) { return run->problem.stays[each].buffer == buffer; });
    if (stay == stays.end()) continue;
    MapScene byPart = scene;
    byPart.selected = *stay;
    byPart.selectedPart = output;
    MapScene byOp = scene;
    byOp.selectedOp = op;
    // Several rows of it are on screen; the map need not show the one that was chosen.
    CHECK(chosen(scene, op) == 0);
    CHECK(chosen(byPart, op) > 1);
    CHECK(chosen(byOp, op) > 1);
    ++tried;
  }
  CHECK(tried > 2);
}
