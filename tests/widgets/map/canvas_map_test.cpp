#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>
#include <catch2/catch.hpp>

#include "core/import/samples.h"
#include "core/run/model_options.h"
#include "tests/widgets/patience.h"
#include "tests/widgets/support.h"
#include "widgets/map/map_painter.h"
#include "widgets/map/map_view.h"

using namespace hw;
using namespace hw::literals;

namespace {

/// A map of `run` on a screen that nobody sees.
struct Shown {
  explicit Shown(std::shared_ptr<const Run> run) : map(&state, PoolId(0)) {
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

}  // namespace

TEST_CASE("hovering finds the block under the pointer", "[map]") {
  Shown shown(test::smallRun());
  for (const StayId stay : IdRange<StayId>(4)) {
    QTest::mouseMove(&shown.map, shown.pointIn(stay));
    CHECK(shown.map.stayAt(shown.pointIn(stay)) == stay);
    CHECK(shown.state.hovered() == stay);
  }
  QTest::mouseMove(&shown.map, QPoint(2, 2));
  CHECK_FALSE(shown.state.hovered());
}

TEST_CASE("a click selects for everyone, and a click beside lets go", "[map]") {
  Shown shown(test::smallRun());
  QSignalSpy changed(&shown.state, &ViewState::selectionChanged);
  QTest::mouseClick(&shown.map, Qt::LeftButton, {}, shown.pointIn(StayId(2)));
  CHECK(shown.state.selected() == StayId(2));
  QTest::mouseClick(&shown.map, Qt::LeftButton, {}, shown.map.plotArea().topLeft() + QPoint(3, 3));
  CHECK_FALSE(shown.state.selected());
  CHECK(changed.size() == 2);
}

TEST_CASE("the wheel zooms and keeps the step under the pointer", "[map]") {
  Shown shown(test::randomRun(3, 80, 200));
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
  Shown shown(test::randomRun(3, 80, 200));
  const QPoint at(400, 150);
  const double before = shown.steps().toPlace(at.x());
  for (int i = 0; i < 100; ++i) shown.wheel(at, 240);
  CHECK(shown.state.visibleEnd() - shown.state.visibleBegin() == Approx(0.25));
  CHECK(shown.steps().toPlace(at.x()) == Approx(before));
}

TEST_CASE("Alt and Ctrl zoom addresses, and never below address zero", "[map]") {
  Shown shown(test::randomRun(3, 80, 200));
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
  Shown shown(test::randomRun(3, 80, 200));
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
  Shown shown(test::smallRun());
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
  Shown shown(run);
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
  Shown shown(test::smallRun());
  shown.state.setVisible(2, 3);
  QTest::keyClick(&shown.map, Qt::Key_Right);
  CHECK(shown.state.selected() == StayId(3));
  CHECK(shown.state.visibleBegin() == 2);
}

TEST_CASE("Up and Down go to the neighbour in address", "[map]") {
  Shown shown(test::smallRun());
  shown.state.select(StayId(0));
  QTest::keyClick(&shown.map, Qt::Key_Up);
  CHECK(shown.state.selected() == StayId(1));
  QTest::keyClick(&shown.map, Qt::Key_Up);
  CHECK(shown.state.selected() == StayId(1));
  QTest::keyClick(&shown.map, Qt::Key_Down);
  CHECK(shown.state.selected() == StayId(0));
}

TEST_CASE("what lives now is drawn differently from before and after", "[map]") {
  Shown shown(test::smallRun());
  const QPoint inA = shown.pointIn(StayId(0)) + QPoint(20, 12);
  const QPoint inD = shown.pointIn(StayId(3)) + QPoint(20, 30);
  const auto colorAt = [&](QPoint at) { return shown.map.grab().toImage().pixelColor(at); };
  shown.state.setStep(0_st);
  const QColor aliveA = colorAt(inA);
  const QColor futureD = colorAt(inD);
  shown.state.setStep(2_st);
  CHECK(colorAt(inA) != aliveA);
  CHECK(colorAt(inD) != futureD);
  CHECK(colorAt(inD) == Theme::current().classColor(TensorClass::intermediate));
}

TEST_CASE("selecting dims what is not selected", "[map]") {
  Shown shown(test::smallRun());
  shown.state.setStep(0_st);
  const QPoint inB = shown.pointIn(StayId(1)) + QPoint(30, 20);
  const QColor before = shown.map.grab().toImage().pixelColor(inB);
  shown.state.select(StayId(0));
  CHECK(shown.map.grab().toImage().pixelColor(inB) != before);
  shown.state.select(StayId(1));
  CHECK(shown.map.grab().toImage().pixelColor(inB) == before);
}

TEST_CASE("a picture at twice the density is twice as large and as exact", "[map]") {
  Shown shown(test::randomRun(4, 50, 40));
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
  Shown shown(run);
  // The blocks are sorted elsewhere too; until then there is nothing to point at.
  CHECK(shown.map.blocks().size() == 0);
  CHECK_FALSE(shown.map.stayAt({300, 150}));
  CHECK_FALSE(shown.map.grab().isNull());
  const auto isDone = [&] { return shown.map.grab(), !shown.map.isRefining(); };
  CHECK(QTest::qWaitFor(isDone, test::kPatience));
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
  CHECK(QTest::qWaitFor(isDone, test::kPatience));
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
  Shown shown(run);
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
