#include <QSize>
#include <QXmlStreamReader>
#include <catch2/catch.hpp>
#include <set>

#include "core/picture/map_scene.h"
#include "core/picture/svg_canvas.h"
#include "tests/widgets/support.h"

using namespace hw;

namespace {

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
    return Palette::light()[blockInk(TensorClass::intermediate, time, BlockPart::fill)];
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
