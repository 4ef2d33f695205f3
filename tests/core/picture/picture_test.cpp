// Pictures as files: what they leave out, and that nothing in them depends on a font.
#include <catch2/catch.hpp>

#include "core/base/text.h"
#include "core/import/importer.h"
#include "core/picture/chart_scene.h"
#include "core/picture/map_scene.h"
#include "core/picture/svg_canvas.h"
#include "tests/support/methods.h"

using namespace hw;
using namespace hw::test;

namespace {

std::size_t countOf(const std::string& text, std::string_view word) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += word.size()) {
    ++count;
  }
  return count;
}

template <class Scene>
std::string svgOf(const Scene& scene, void (*draw)(Canvas&, const Scene&, const Box&),
                  double letters = 12) {
  SvgCanvas canvas(900, 500, "a picture", letters, &Palette::light());
  draw(canvas, scene, {0, 0, 900, 500});
  return canvas.finish();
}

/// A problem of `count` buffers, one a step.
std::shared_ptr<const Run> longRun(std::size_t count) {
  std::string csv = "id,lower,upper,size\n";
  for (std::size_t i = 0; i < count; ++i) {
    csv += std::to_string(i) + "," + std::to_string(i) + "," + std::to_string(i + 1) + "," +
           std::to_string(1 + i % 50) + "\n";
  }
  auto model = importModel(csv, "many.csv", {});
  REQUIRE(model);
  return mustRun(std::make_shared<const Model>(std::move(*model)), workedRequest("none"));
}

/// The numbers of every attribute `name` in `svg`.
std::vector<double> numbersOf(const std::string& svg, const std::string& name) {
  std::vector<double> numbers;
  const std::string key = ' ' + name + "=\"";
  for (std::size_t at = 0; (at = svg.find(key, at)) != std::string::npos;) {
    at += key.size();
    if (const auto number = parseNumber(svg.substr(at, svg.find('"', at) - at))) {
      numbers.push_back(*number);
    }
  }
  return numbers;
}

}  // namespace

TEST_CASE("a map of very many blocks keeps the largest and says what it leaves out", "[picture]") {
  const std::string svg = svgOf(MapScene::whole(longRun(kMostShapes + 7), PoolId(0)), drawMap);
  CHECK(countOf(svg, "<rect id=\"stay-") == kMostShapes);
  CHECK(svg.find("the 7 smallest blocks are left out") != std::string::npos);
}

TEST_CASE("what is drawn of a map lies inside its picture, whatever part is on show", "[picture]") {
  const auto run = mustRun(sample("inception"), workedRequest("free-list"));
  MapScene scene = MapScene::whole(run, PoolId(0));
  const auto [begin, end, low, high] = GENERATE(table<double, double, double, double>(
      {{0, 12, 0, 200}, {2.5, 3.25, 0, 200}, {0, 12, 50, 66}, {4, 4.25, 100, 116}}));
  scene.window = {begin, end, low, high};
  scene.started = true;
  scene.step = Step(4);
  scene.now = {.playhead = 4.5, .marks = {1, 2.75}, .marked = Interval<Step>{Step(2), Step(5)}};
  scene.selected = StayId(1);
  const std::string svg = svgOf(scene, drawMap, GENERATE(10, 14));
  for (const char* name : {"x", "x1", "x2", "width"}) {
    for (const double x : numbersOf(svg, name)) CHECK((x >= 0 && x <= 900));
  }
  for (const char* name : {"y", "y1", "y2", "height"}) {
    for (const double y : numbersOf(svg, name)) CHECK((y >= 0 && y <= 500));
  }
}

TEST_CASE("a chart has a line for each plan and says which is which", "[picture]") {
  const auto run = mustRun(sample("inception"), workedRequest("free-list"));
  ChartScene scene = ChartScene::whole(run, PoolId(0));
  const std::size_t lines = countOf(svgOf(scene, drawChart), "<path");
  scene.others.push_back(std::make_shared<const StairCurve>(scene.curves->highWater));
  const std::string svg = svgOf(scene, drawChart);
  CHECK(countOf(svg, "<path") == lines + 1);
  for (const char* name : {">A<", ">B<", ">in use<"}) CHECK(countOf(svg, name) == 1);
}

TEST_CASE("inks of blocks are each their own, and words on live ones can be read", "[picture]") {
  std::vector<int> seen(kInks, 0);
  for (std::size_t kind = 0; kind < kTensorClasses; ++kind) {
    for (const auto time : {BlockTime::past, BlockTime::future, BlockTime::live, BlockTime::pale}) {
      for (const auto part : {BlockPart::fill, BlockPart::edge, BlockPart::thin, BlockPart::word}) {
        ++seen[static_cast<std::size_t>(blockInk(static_cast<TensorClass>(kind), time, part))];
      }
    }
  }
  const auto first = seen.begin() + static_cast<std::ptrdiff_t>(Ink::block);
  CHECK(std::all_of(first, seen.end(), [](int times) { return times == 1; }));
  CHECK(std::all_of(seen.begin(), first, [](int times) { return times == 0; }));
}

TEST_CASE("what is too long gets an ellipsis, and lines break between words", "[picture]") {
  const SvgCanvas canvas(10, 10, "", 10, nullptr);  // Letters are 6.2 wide.
  const Ruler& ruler = canvas.ruler();
  CHECK(elided(ruler, "abc", 18.6) == "abc");
  CHECK(elided(ruler, "abcdefgh", 31) == "abcd…");
  CHECK(elided(ruler, "abcdefgh", 31, true) == "ab…gh");
  CHECK(elided(ruler, "äöüß", 18.6) == "äö…");
  CHECK(brokenLines(ruler, "one two three", 50) == std::vector<std::string>{"one two", "three"});
  CHECK(brokenLines(ruler, "a bcdefghij", 31) == std::vector<std::string>{"a", "bcdef", "ghij"});
  CHECK(brokenLines(ruler, "ab", 1) == std::vector<std::string>{"a", "b"});
}
