#include <QXmlStreamReader>
#include <catch2/catch.hpp>
#include <set>

#include "tests/widgets/support.h"
#include "widgets/canvas/map_svg.h"
#include "widgets/canvas/reference_lines.h"

using namespace hw;

namespace {

MapScene sceneOf(std::shared_ptr<const Run> run) {
  MapScene scene;
  scene.blocks = std::make_shared<const BlockStore>(BlockStore::ofPool(*run, PoolId(0)));
  scene.window = {0, static_cast<double>(run->problem.steps.count()), 0,
                  fullByteRange(*run, PoolId(0))};
  scene.run = std::move(run);
  return scene;
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
  const std::string once = mapSvg(sceneOf(run), Theme::light(), {1600, 900});
  const std::string again =
      mapSvg(sceneOf(test::randomRun(11, 300, 120)), Theme::light(), {1600, 900});
  CHECK(once == again);
  CHECK(once != mapSvg(sceneOf(run), Theme::darkTheme(), {1600, 900}));
}

TEST_CASE("an SVG map has one named rectangle with a tooltip a block, and text", "[svg]") {
  const auto run = test::randomRun(12, 300, 120);
  const Parsed parsed = parse(mapSvg(sceneOf(run), Theme::light(), {1600, 900}));
  CHECK(parsed.wellFormed);
  CHECK(parsed.rectangles == 300);
  CHECK(parsed.ids.size() == 300);
  CHECK(parsed.tooltips == 301);  // And the document's own.
  CHECK(parsed.texts > 10);
}

TEST_CASE("names that look like markup stay names in SVG", "[svg]") {
  const auto run = test::makeRun({{"<b>&\"x\"", 100, 0, 40}, {"y\x01z", 50, 0, 40}});
  const std::string svg = mapSvg(sceneOf(run), Theme::light(), {900, 400});
  CHECK(parse(svg).wellFormed);
  CHECK(svg.find("&lt;b&gt;&amp;&quot;x&quot;") != std::string::npos);
  CHECK(svg.find('\x01') == std::string::npos);
}

TEST_CASE("an SVG map tells past, present and future apart", "[svg]") {
  MapScene scene = sceneOf(test::smallRun());
  scene.started = true;
  scene.step = Step(1);
  scene.playhead = 1.5;
  const std::string svg = mapSvg(scene, Theme::light(), {900, 400});
  CHECK(svg.find(R"(id="stay-0" class="p2")") != std::string::npos);
  CHECK(svg.find(R"(id="stay-2" class="l2")") != std::string::npos);
  CHECK(svg.find(R"(id="stay-3" class="f2")") != std::string::npos);
}

TEST_CASE("markers on show are in the SVG", "[svg]") {
  MapScene scene = sceneOf(test::randomRun(11, 300, 120));
  const auto lines = [&] {
    const std::string mark =
        "stroke=\"" + Theme::light().mark.name().toStdString() + "\" stroke-width=\"1\"";
    const std::string svg = mapSvg(scene, Theme::light(), {900, 500});
    int count = 0;
    for (auto at = svg.find(mark); at != std::string::npos; at = svg.find(mark, at + 1)) ++count;
    return count;
  };
  CHECK(lines() == 0);
  scene.marks = {3, 5.5, scene.window.beginStep - 1};
  CHECK(lines() == 2);
}
