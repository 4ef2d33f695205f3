#include <QTest>
#include <catch2/catch.hpp>

#include "tests/widgets/support.h"
#include "widgets/map/minimap.h"

using namespace hw;

namespace {

struct Shown {
  Shown() : minimap(&state, PoolId(0)) {
    state.setRun(test::randomRun(3, 80, 100));
    minimap.resize(640, 46);
    minimap.show();
  }
  QPoint at(double step) const {
    const QRect track = minimap.trackRect();
    const auto all = static_cast<double>(state.steps().count());
    return {qRound(track.left() + step / all * track.width()), track.center().y()};
  }
  void drag(double from, double to) {
    QTest::mousePress(&minimap, Qt::LeftButton, {}, at(from));
    QTest::mouseMove(&minimap, at((from + to) / 2));
    QTest::mouseMove(&minimap, at(to));
    QTest::mouseRelease(&minimap, Qt::LeftButton, {}, at(to));
  }
  bool shows(double begin, double end) const {
    // A pixel is a fifth of a step here.
    return std::abs(state.visibleBegin() - begin) < 0.5 && std::abs(state.visibleEnd() - end) < 0.5;
  }

  ViewState state;
  Minimap minimap;
};

}  // namespace

TEST_CASE("the brush of the minimap moves and changes what is on show", "[minimap]") {
  Shown shown;
  shown.state.setVisible(20, 40);
  shown.drag(30, 50);
  CHECK(shown.shows(40, 60));
  shown.drag(40, 10);  // Its begin.
  CHECK(shown.shows(10, 60));
  shown.drag(60, 90);  // Its end.
  CHECK(shown.shows(10, 90));
  shown.drag(10, 99);  // No further than the other end.
  CHECK(shown.state.visibleBegin() < shown.state.visibleEnd());
  CHECK(std::abs(shown.state.visibleEnd() - 90) < 0.5);
}

TEST_CASE("a press beside the brush brings it there; a double click shows everything",
          "[minimap]") {
  Shown shown;
  shown.state.setVisible(0, 10);
  QTest::mouseClick(&shown.minimap, Qt::LeftButton, {}, shown.at(70));
  CHECK(shown.shows(65, 75));
  QTest::mouseDClick(&shown.minimap, Qt::LeftButton, {}, shown.at(70));
  CHECK(shown.shows(0, static_cast<double>(shown.state.steps().count())));
}

TEST_CASE("the minimap is used from the keyboard", "[minimap]") {
  Shown shown;
  const auto all = static_cast<double>(shown.state.steps().count());
  shown.state.setVisible(40, 60);
  QTest::keyClick(&shown.minimap, Qt::Key_Left);
  CHECK(shown.shows(35, 55));
  QTest::keyClick(&shown.minimap, Qt::Key_Right);
  CHECK(shown.shows(40, 60));
  QTest::keyClick(&shown.minimap, Qt::Key_Plus);
  CHECK(shown.state.visibleEnd() - shown.state.visibleBegin() < 15);
  QTest::keyClick(&shown.minimap, Qt::Key_Minus);
  CHECK(shown.shows(40, 60));
  QTest::keyClick(&shown.minimap, Qt::Key_Home);
  CHECK(shown.shows(0, 20));
  QTest::keyClick(&shown.minimap, Qt::Key_End);
  CHECK(shown.shows(all - 20, all));
}

TEST_CASE("the minimap shows the run and where the brush is", "[minimap]") {
  Shown shown;
  const QImage all = shown.minimap.grab().toImage();
  shown.state.setVisible(20, 40);
  const QImage part = shown.minimap.grab().toImage();
  CHECK(all != part);
  CHECK(shown.minimap.brushRect().left() == shown.at(20).x());
  shown.state.setRun(nullptr);
  CHECK(shown.minimap.grab().toImage() != all);
}

TEST_CASE("the minimap shows where the markers are", "[minimap]") {
  Shown shown;
  const QImage before = shown.minimap.grab().toImage();
  shown.state.setMarks({25});
  const QImage after = shown.minimap.grab().toImage();
  const QPoint mark = shown.at(25);
  CHECK(after.pixelColor(mark) == Theme::current().mark);
  CHECK(before.pixelColor(mark) != Theme::current().mark);
  CHECK(after.pixelColor(shown.at(40)) == before.pixelColor(shown.at(40)));
}
