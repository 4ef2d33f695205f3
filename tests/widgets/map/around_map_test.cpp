// The strip that says what the colours of the maps mean.

#include <QPainter>
#include <QSize>
#include <QTest>
#include <QXmlStreamReader>
#include <catch2/catch.hpp>
#include <set>

#include "core/import/samples.h"
#include "core/machine/platforms.h"
#include "core/picture/map_scene.h"
#include "core/picture/svg_canvas.h"
#include "tests/widgets/support.h"
#include "widgets/map/map_legend.h"
#include "widgets/map/map_painter.h"
#include "widgets/map/minimap.h"

using namespace hw;

namespace {

/// The kinds whose buttons are on show.
std::vector<BlockClass> shown(const MapLegend& legend) {
  std::vector<BlockClass> kinds;
  for (std::size_t kind = 0; kind < kAllClasses; ++kind) {
    const auto one = static_cast<BlockClass>(kind);
    if (!legend.button(one)->isHidden()) kinds.push_back(one);
  }
  return kinds;
}

struct ShownMinimap {
  ShownMinimap() : minimap(&state, PoolId(0)) {
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

MapScene sceneOf(std::shared_ptr<const Run> run) { return MapScene::whole(run, PoolId(0)); }

std::string mapSvg(const MapScene& scene, const Palette& palette, QSize size) {
  SvgCanvas canvas(size.width(), size.height(), "a map", 12, &palette);
  drawMap(canvas, scene, {0, 0, double(size.width()), double(size.height())});
  return canvas.finish();
}

struct Parsed {
  std::set<QString> ids;
  int rectangles = 0;
  int texts = 0;
  int tooltips = 0;
  bool wellFormed = false;
};

Parsed parse(const std::string& svg) {
  Parsed parsed;
  QXmlStreamReader reader(QString::fromStdString(svg));
  while (!reader.atEnd()) {
    if (reader.readNext() != QXmlStreamReader::StartElement) continue;
    const QString id = reader.attributes().value(QLatin1String("id")).toString();
    if (id.startsWith(QLatin1String("stay-"))) {
      ++parsed.rectangles;
      parsed.ids.insert(id);
    }
    if (reader.name() == QLatin1String("text")) ++parsed.texts;
    if (reader.name() == QLatin1String("title")) ++parsed.tooltips;
  }
  parsed.wellFormed = !reader.hasError();
  return parsed;
}

}  // namespace

TEST_CASE("the legend has the classes of the run, and a click picks them out", "[map][legend]") {
  ViewState state;
  MapLegend legend(&state);
  CHECK(shown(legend).empty());
  const auto run = test::randomRun(5, 40, 20);
  state.setRun(run);
  std::vector<BlockClass> expected;
  for (std::size_t kind = 0; kind < kAllClasses; ++kind) {
    const auto one = static_cast<BlockClass>(kind);
    const bool any = std::ranges::any_of(run->problem.stays.keys(),
                                         [&](StayId stay) { return stayClass(*run, stay) == one; });
    if (any) expected.push_back(one);
  }
  REQUIRE_FALSE(expected.empty());
  CHECK(shown(legend) == expected);
  QToolButton* first = legend.button(expected.front());
  first->click();
  REQUIRE(state.filter());
  for (const StayId stay : run->problem.stays.keys()) {
    CHECK(state.filter()->keeps(stay) == (stayClass(*run, stay) == expected.front()));
  }
  first->click();
  CHECK_FALSE(state.filter());
}

TEST_CASE("picking out something else lets go of the classes", "[map][legend]") {
  ViewState state;
  MapLegend legend(&state);
  const auto run = test::smallRun();
  state.setRun(run);
  QToolButton* button = legend.button(shown(legend).front());
  button->click();
  const auto other = makeFilter("something else", std::vector<bool>(4, true));
  state.setFilter(other);
  CHECK_FALSE(button->isChecked());
  CHECK(state.filter() == other);
  button->click();
  state.setRun(test::randomRun(3, 9, 4));
  CHECK_FALSE(legend.button(shown(legend).front())->isChecked());
}

TEST_CASE("the legend names what colours tell, and picks out by it", "[map][legend]") {
  ViewState state;
  MapLegend legend(&state);
  state.setRun(test::sampleRun("mobilenet_v2"));
  const auto run = state.run();
  for (const ColorBy by : {ColorBy::scope, ColorBy::size, ColorBy::use, ColorBy::type}) {
    state.setColorBy(by);
    CAPTURE(static_cast<int>(by));
    const std::vector<BlockClass> classes = shown(legend);
    CHECK(classes.size() > 1);
    QToolButton* first = legend.button(classes.front());
    CHECK(first->text().toStdString() == state.coloring()->name(classes.front()));
    first->click();
    REQUIRE(state.filter());
    for (const StayId stay : run->problem.stays.keys()) {
      const bool own = state.coloring()->of(*run, stay) == classes.front();
      CHECK(state.filter()->keeps(stay) == own);
    }
  }
  // What was picked out by another meaning is no longer.
  state.setColorBy(ColorBy::size);
  CHECK_FALSE(state.filter());
}

TEST_CASE("a map of a memory that the run has not keeps its buttons in their place", "[map]") {
  ViewState state;
  MapView map(&state, PoolId(7));
  auto* corner = new QToolButton;
  corner->setText(QStringLiteral("x"));
  map.resize(600, 200);
  map.setCorner(corner);
  state.setRun(test::smallRun());
  CHECK(corner->geometry().right() < map.width());
  CHECK(corner->width() == corner->sizeHint().width());
}

TEST_CASE("the legend asks for no more width than a map", "[map][legend]") {
  ViewState state;
  MapLegend legend(&state);
  state.setRun(test::randomRun(5, 40, 20));
  CHECK(legend.minimumSizeHint().width() <= 240);
}

TEST_CASE("buffers of which nobody knows when they live are hatched and explained",
          "[map][legend]") {
  const std::string values =
      "BufferAssignment:\nallocation 0: size 192, preallocated-temp:\n"
      " value: <3 a @0> (size=64,offset=0): f32[16]{0}\n"
      " value: <4 b @0> (size=128,offset=64): f32[32]{0}\n";
  const std::string lives = "  BufferLiveRange:\n    a{}:0-3\n";
  const auto follow = [](const std::string& text) {
    RunRequest request = planningRequest();
    request.allocator = AllocatorChoice::parse("embedded").value();
    return test::fileRun(text, request);
  };
  const auto run = follow(values + lives);
  const auto guessed = [](const Run& of) {
    std::vector<std::string> names;
    for (const StayId stay : of.problem.stays.keys()) {
      if (isGuessed(of, stay)) names.push_back(of.stayName(stay));
    }
    return names;
  };
  CHECK(guessed(*run) == std::vector<std::string>{"b{}"});
  CHECK(guessed(*follow(values)).size() == 2);
  const auto known = follow(values + lives + "    b{}:0-3\n");
  CHECK_FALSE(hasGuessed(*known));
  const auto legendOf = [](const std::shared_ptr<const Run>& of) {
    ViewState state;
    MapLegend legend(&state);
    legend.resize(900, legend.height());
    state.setRun(of);
    return legend.grab().toImage();
  };
  CHECK(legendOf(run) != legendOf(known));
  const auto mapOf = [](const std::shared_ptr<const Run>& of) {
    QImage image(600, 300, QImage::Format_RGB32);
    QPainter painter(&image);
    paintMap(painter, MapScene::whole(of, PoolId(0)), image.rect());
    painter.end();
    return image;
  };
  CHECK(mapOf(run) != mapOf(known));
}

TEST_CASE("the brush of the minimap moves and changes what is on show", "[minimap]") {
  ShownMinimap shown;
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
  ShownMinimap shown;
  shown.state.setVisible(0, 10);
  QTest::mouseClick(&shown.minimap, Qt::LeftButton, {}, shown.at(70));
  CHECK(shown.shows(65, 75));
  QTest::mouseDClick(&shown.minimap, Qt::LeftButton, {}, shown.at(70));
  CHECK(shown.shows(0, static_cast<double>(shown.state.steps().count())));
}

TEST_CASE("while the minimap shows everything, it is the slider of the playhead", "[minimap]") {
  ShownMinimap shown;
  const auto all = static_cast<double>(shown.state.steps().count());
  QTest::mouseClick(&shown.minimap, Qt::LeftButton, {}, shown.at(30.5));
  CHECK(shown.state.step() == Step(30));
  CHECK(shown.shows(0, all));
  shown.drag(30.5, 70.5);
  CHECK(shown.state.step() == Step(70));
  CHECK(shown.shows(0, all));
  shown.drag(70.5, all + 20);  // No further than the end.
  CHECK(shown.state.step() == shown.state.steps() - Step(1));
}

TEST_CASE("the minimap is used from the keyboard", "[minimap]") {
  ShownMinimap shown;
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
  ShownMinimap shown;
  const QImage all = shown.minimap.grab().toImage();
  shown.state.setVisible(20, 40);
  const QImage part = shown.minimap.grab().toImage();
  CHECK(all != part);
  CHECK(shown.minimap.brushRect().left() == shown.at(20).x());
  shown.state.setRun(nullptr);
  CHECK(shown.minimap.grab().toImage() != all);
}

TEST_CASE("the minimap shows where the markers are", "[minimap]") {
  ShownMinimap shown;
  const QImage before = shown.minimap.grab().toImage();
  shown.state.setMarks({25});
  const QImage after = shown.minimap.grab().toImage();
  const QPoint mark = shown.at(25);
  CHECK(after.pixelColor(mark) == Theme::current().mark);
  CHECK(before.pixelColor(mark) != Theme::current().mark);
  CHECK(after.pixelColor(shown.at(40)) == before.pixelColor(shown.at(40)));
}

TEST_CASE("equal maps are equal SVG bytes", "[svg]") {
  const auto run = test::randomRun(11, 300, 120);
  const std::string once = mapSvg(sceneOf(run), Palette::light(), {1600, 900});
  const std::string again =
      mapSvg(sceneOf(test::randomRun(11, 300, 120)), Palette::light(), {1600, 900});
  CHECK(once == again);
  CHECK(once != mapSvg(sceneOf(run), Palette::dark(), {1600, 900}));
}

TEST_CASE("an SVG map has one named rectangle with a tooltip a block, and text", "[svg]") {
  const auto run = test::randomRun(12, 300, 120);
  const Parsed parsed = parse(mapSvg(sceneOf(run), Palette::light(), {1600, 900}));
  CHECK(parsed.wellFormed);
  CHECK(parsed.rectangles == 300);
  CHECK(parsed.ids.size() == 300);
  CHECK(parsed.tooltips == 301);  // And the document's own.
  CHECK(parsed.texts > 10);
}

TEST_CASE("names that look like markup stay names in SVG", "[svg]") {
  const auto run = test::makeRun({{"<b>&\"x\"", 100, 0, 40}, {"y\x01z", 50, 0, 40}});
  const std::string svg = mapSvg(sceneOf(run), Palette::light(), {900, 400});
  CHECK(parse(svg).wellFormed);
  CHECK(svg.find("&lt;b&gt;&amp;&quot;x&quot;") != std::string::npos);
  CHECK(svg.find('\x01') == std::string::npos);
}

TEST_CASE("an SVG map tells past, present and future apart", "[svg]") {
  MapScene scene = sceneOf(test::smallRun());
  scene.started = true;
  scene.at = AxisPlace(1);
  scene.now.playhead = 1.5;
  const std::string svg = mapSvg(scene, Palette::light(), {900, 400});
  const auto fillOf = [&](const std::string& id) {
    const auto at = svg.find("fill=\"#", svg.find("<rect id=\"" + id + "\""));
    return static_cast<Rgb>(std::stoul(svg.substr(at + 7, 6), nullptr, 16));
  };
  const auto ink = [](BlockTime time) {
    return Palette::light()[blockInk(BlockClass::elements, time, BlockPart::fill)];
  };
  CHECK(fillOf("stay-0") == ink(BlockTime::past));
  CHECK(fillOf("stay-2") == ink(BlockTime::live));
  CHECK(fillOf("stay-3") == ink(BlockTime::future));
}

TEST_CASE("markers on show are in the SVG", "[svg]") {
  MapScene scene = sceneOf(test::randomRun(11, 300, 120));
  const auto lines = [&] {
    const std::string mark = "stroke=\"#7a4bb5\"";
    REQUIRE(Palette::light()[Ink::mark] == 0x7a4bb5);
    const std::string svg = mapSvg(scene, Palette::light(), {900, 500});
    int count = 0;
    for (auto at = svg.find(mark); at != std::string::npos; at = svg.find(mark, at + 1)) ++count;
    return count;
  };
  CHECK(lines() == 0);
  scene.now.marks = {3, 5.5, scene.window.begin - 1};
  CHECK(lines() == 2);
}
