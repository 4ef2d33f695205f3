// Pictures: what they leave out, that nothing in them depends on a font, and that all in them can
// be read.

#include "core/base/text.h"
#include "core/import/importer.h"
#include "core/machine/platforms.h"
#include "core/picture/chart_scene.h"
#include "core/picture/map_scene.h"
#include "core/picture/svg_canvas.h"
#include "core/plan/frames.h"
#include "tests/support/findings.h"
#include "tests/support/graphs.h"
#include "tests/support/methods.h"
#include "tests/support/must.h"

using namespace hw;
using namespace hw::test;

namespace {

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
  auto model = test::must(importModel(csv, "many.csv", {}));
  return mustRun(std::make_shared<const Model>(std::move(model)), workedRequest("none"));
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

/// Keeps what is drawn on it.
class Recorder final : public Canvas {
 public:
  struct Words {
    std::string text;
    Box box;
    Lettering lettering;
  };

  const Ruler& ruler() const override { return measure_.ruler(); }
  void setLetters(double) override {}
  void rectangle(const Box& box, const Look& look, const Hint& hint) override {
    if (hint.id.starts_with("stay-")) blocks.push_back(box);
    if (!look.fill && look.edge && look.edge->ink == Ink::muted) frames.push_back(box);
    if (look.edge && look.edge->ink == Ink::selection) circles.push_back(box);
    if (look.fill && look.fill->ink == Ink::plot && look.fill->opacity < 1) {
      veil = look.fill->opacity;
      veils.push_back(box);
    }
  }
  void line(Point, Point, const Stroke&) override {}
  void text(Point at, std::string_view text, const Lettering& lettering) override {
    const double width = ruler().width(text, lettering.bold);
    const double left = lettering.anchor == Anchor::start ? at.x
                        : lettering.anchor == Anchor::end ? at.x - width
                                                          : at.x - width / 2;
    words.push_back(
        {std::string(text), {left, at.y - ruler().ascent(), width, ruler().height()}, lettering});
  }
  void path(std::span<const Point> points, const Look& look) override {
    if (look.edge && look.edge->ink == Ink::highWater) {
      highWater.assign(points.begin(), points.end());
    }
  }
  void stairs(std::span<const Point>, double, Fill) override {}
  void hatch(const Box& box, Fill) override { hatches.push_back(box); }

  std::vector<Words> words{};
  std::vector<Box> blocks{};
  std::vector<Box> hatches{};
  std::vector<Box> frames{};  ///< Outlines with nothing in them.
  std::vector<Box> circles{};
  std::vector<Box> veils{};  ///< Over what is to be paler.
  std::vector<Point> highWater{};
  double veil = 0;

 private:
  SvgCanvas measure_{10, 10, "", 12, nullptr};
};

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
  scene.at = AxisPlace(4);
  scene.now = {.playhead = 4.5, .marks = {1, 2.75}, .marked = Interval<double>{2, 5}};
  scene.selected = StayId(1);
  const std::string svg = svgOf(scene, drawMap, GENERATE(10, 14));
  for (const char* name : {"x", "x1", "x2", "width"}) {
    for (const double x : numbersOf(svg, name)) CHECK((x >= 0 && x <= 900));
  }
  for (const char* name : {"y", "y1", "y2", "height"}) {
    for (const double y : numbersOf(svg, name)) CHECK((y >= 0 && y <= 500));
  }
}

TEST_CASE("of a loop the first turn is drawn as it is, and the others paler", "[picture]") {
  Graph graph = inceptionGraph();
  graph.ops[OpId(0)].attributes = {{"turns", std::int64_t{2}},
                                   {"operators_of_turns", std::int64_t{4}}};
  const auto run = mustRun(modelOf(std::move(graph)), workedRequest("free-list"));
  Recorder picture;
  drawMap(picture, MapScene::whole(run, PoolId(0)), {0, 0, 900, 500});
  // The second turn: steps 3 and 4 of all.
  REQUIRE(picture.veils.size() == 1);
  const double step = picture.veils[0].width / 2;
  const double left = picture.veils[0].left - 3 * step;
  CHECK(left == Approx(plotLeftMargin(picture.ruler())));
  CHECK(left + step * static_cast<double>(run->schedule.steps().count()) ==
        Approx(900 - kPlotRightMargin));
  CHECK(std::ranges::count(picture.words, "loop of 2 turns", &Recorder::Words::text) == 1);
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

TEST_CASE("a chart's words lie in the plot and hide no high water, however narrow", "[picture]") {
  const auto [model, method] = GENERATE(table<std::string, std::string>(
      {{"inception", "free-list"}, {"inception_v3", "best"}, {"densenet121", "best"}}));
  const ChartScene scene =
      ChartScene::whole(mustRun(sample(model), workedRequest(method)), PoolId(0));
  std::size_t longest = 0;
  for (double width = 120; width <= 1500; width += 20) {
    CAPTURE(model, width);
    Recorder recorder;
    drawChart(recorder, scene, {0, 0, width, 90});
    const Box plot = PlotFrame::inside({0, 0, width, 90}, recorder.ruler()).plot;
    for (const auto& words : recorder.words) {
      if (!words.lettering.halo) continue;
      longest = std::max(longest, words.text.size());
      CHECK(words.box.left >= plot.left);
      CHECK(words.box.right() <= plot.right());
      CHECK(words.box.top >= plot.top);
      CHECK(words.box.bottom() <= plot.bottom());
      for (std::size_t i = 1; i < recorder.highWater.size(); ++i) {
        const Point a = recorder.highWater[i - 1];
        const Point b = recorder.highWater[i];
        const bool beside =
            std::max(a.x, b.x) <= words.box.left || std::min(a.x, b.x) >= words.box.right() ||
            std::max(a.y, b.y) <= words.box.top || std::min(a.y, b.y) >= words.box.bottom();
        CHECK(beside);
      }
    }
  }
  CHECK(longest > 20);
}

TEST_CASE("a high water that climbs slowly to a late peak leaves room for its words", "[picture]") {
  std::string csv = "id,lower,upper,size\n0,0,12,1000\n1,2,12,60\n2,5,12,60\n3,10,12,60\n";
  const auto run = mustRun(std::make_shared<const Model>(importModel(csv, "slow.csv", {}).value()),
                           workedRequest("greedy-by-size"));
  Recorder recorder;
  drawChart(recorder, ChartScene::whole(run, PoolId(0)), {0, 0, 700, 90});
  CHECK(std::ranges::any_of(recorder.words, [](const auto& words) {
    return words.text == "live peak = highest address 1.15 KiB at step 10";
  }));
}

TEST_CASE("chart and map tell the live peak from the highest address", "[picture]") {
  const auto run = mustRun(sample("inception"), workedRequest("free-list"));
  const std::string chart = svgOf(ChartScene::whole(run, PoolId(0)), drawChart);
  CHECK(chart.find("live peak 128 B at step 6") != std::string::npos);
  CHECK(chart.find("highest address 192 B at step 6") != std::string::npos);
  const std::string map = svgOf(MapScene::whole(run, PoolId(0)), drawMap);
  CHECK(map.find("live peak 128 B, step 6") != std::string::npos);
  CHECK(map.find("highest address 192 B, step 6") != std::string::npos);
  const auto tight = mustRun(sample("residual"), workedRequest("greedy-by-size"));
  CHECK(svgOf(ChartScene::whole(tight, PoolId(0)), drawChart)
            .find("live peak = highest address 96 B at step") != std::string::npos);
}

TEST_CASE("inks of blocks, activities and stalls are each their own", "[picture]") {
  std::vector<int> seen(kInks, 0);
  for (std::size_t kind = 0; kind < kAllClasses; ++kind) {
    for (const auto time : {BlockTime::past, BlockTime::future, BlockTime::live, BlockTime::pale}) {
      for (const auto part : {BlockPart::fill, BlockPart::edge, BlockPart::thin, BlockPart::word}) {
        ++seen[static_cast<std::size_t>(blockInk(static_cast<BlockClass>(kind), time, part))];
      }
    }
  }
  for (std::size_t kind = 0; kind < kActivityKindNames.size(); ++kind) {
    for (const bool critical : {true, false}) {
      for (const bool word : {true, false}) {
        ++seen[static_cast<std::size_t>(activityInk(kind, critical, word))];
      }
    }
  }
  for (std::size_t rule = 0; rule < kWaitRuleNames.size(); ++rule) {
    ++seen[static_cast<std::size_t>(stallInk(rule))];
  }
  const auto first = seen.begin() + static_cast<std::ptrdiff_t>(Ink::block);
  CHECK(std::all_of(first, seen.end(), [](int times) { return times == 1; }));
  CHECK(std::all_of(seen.begin(), first, [](int times) { return times == 0; }));
}

TEST_CASE("a name that is too long keeps its end, from a dot on where it can", "[picture]") {
  const SvgCanvas canvas(10, 10, "", 10, nullptr);  // Letters are 6.2 wide.
  const auto end = [&](const char* name, int letters) {
    return nameEnd(canvas.ruler(), name, 6.2 * letters + 0.1);
  };
  CHECK(end("a.b.relu", 8) == "a.b.relu");
  CHECK(end("mixed.b1.relu", 9) == "…b1.relu");
  CHECK(end("mixed.b1.relu", 7) == "…relu");
  // Cut at a dot, these three would all be "…relu".
  CHECK(end("fire3.expand1x1.relu", 12) == "…and1x1.relu");
  CHECK(end("fire3.expand3x3.relu", 12) == "…and3x3.relu");
  CHECK(end("fire3.squeeze.relu", 12) == "…queeze.relu");
  CHECK(end("/layer1/Conv", 6) == "…Conv");
  CHECK(end("concatenate", 5) == "…nate");
  CHECK(end("concatenate", 4) == "…ate");
  CHECK(end("concatenate", 3).empty());  // Two letters tell nothing.
  CHECK(end("x.ab", 3).empty());
  CHECK(end("größenänderung", 6) == "…erung");
  CHECK(end("größe.änderung.öä", 7) == "…ung.öä");  // Letters count, not bytes.
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

TEST_CASE("labels of lines lie where no block is, or else above the map", "[picture]") {
  const auto run =
      mustRun(sample("inception"), workedRequest(GENERATE("free-list", "greedy-by-size", "none")));
  MapScene scene = MapScene::whole(run, PoolId(0));
  const double height = GENERATE(120.0, 200.0, 500.0);
  const double zoom = GENERATE(1.0, 0.5, 0.1);
  scene.window.end *= zoom;
  scene.window.lowByte = scene.window.highByte * (1 - zoom);
  CAPTURE(height, zoom);
  Recorder picture;
  drawMap(picture, scene, {0, 0, 1100, height});
  std::string said;
  for (const Recorder::Words& word : picture.words) {
    said += word.text + "\n";
    if (!word.lettering.halo) continue;
    CAPTURE(word.text);
    for (const Box& block : picture.blocks) CHECK(word.box.cut(block).isEmpty());
  }
  const Plot plot({0, 0, 1100, height}, picture.ruler(), scene.window, scene.unit());
  for (const ReferenceLine& line : referenceLines(*run, PoolId(0))) {
    const double y = plot.bytes.toPixel(line.bytes.real());
    const bool seen = y >= plot.frame.plot.top + 1 && y < plot.frame.plot.bottom() - 1;
    CAPTURE(line.label);
    if (seen) CHECK(said.find(line.label.substr(0, 6)) != std::string::npos);
  }
}

TEST_CASE("the heading of a chart and its legend never meet", "[picture]") {
  const auto run = mustRun(sample("inception"), workedRequest("free-list"));
  ChartScene scene = ChartScene::whole(run, PoolId(0));
  const auto others = GENERATE(as<std::size_t>(), 0, 1, 9);
  scene.others.assign(others, std::make_shared<const StairCurve>(scene.curves->highWater));
  scene.button = GENERATE(0.0, 21.0);
  for (double width = 160; width < 1500; width += 37) {
    CAPTURE(width, others, scene.button);
    Recorder picture;
    const Box where{0, 0, width, 130};
    drawCurves(picture, scene, where);
    const Box title = PlotFrame::inside(where, picture.ruler()).title;
    std::vector<Box> row;
    for (const Recorder::Words& word : picture.words) {
      if (word.box.top >= title.bottom() || word.lettering.halo || word.box.left < title.left) {
        continue;
      }
      row.push_back(word.box);
      if (word.lettering.bold) row.back().width += scene.button;
    }
    REQUIRE_FALSE(row.empty());
    for (std::size_t i = 0; i < row.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) CHECK(row[i].cut(row[j]).isEmpty());
    }
  }
}

TEST_CASE("lines of different meaning share neither colour and dash, nor the colour of a plan",
          "[picture]") {
  using Kind = ReferenceLine::Kind;
  std::vector<Stroke> meanings{{Ink::live},
                               {Ink::playhead},
                               {Ink::selection},
                               {Ink::mark, 1, kDashDotted},
                               strokeOf(Kind::capacity),
                               strokeOf(Kind::peak),
                               strokeOf(Kind::lowerBound)};
  const std::size_t others = meanings.size();
  for (std::size_t place = 0; place < 7 * kSeriesInks; ++place) {
    meanings.push_back(seriesStroke(place));
  }
  for (const Palette* palette : {&Palette::light(), &Palette::dark()}) {
    for (std::size_t i = 0; i < meanings.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        CAPTURE(i, j);
        const bool colour = (*palette)[meanings[i].ink] == (*palette)[meanings[j].ink];
        CHECK_FALSE((colour && meanings[i].dashes == meanings[j].dashes));
        CHECK_FALSE((colour && i >= others && j < others));
      }
    }
  }
}

TEST_CASE("what is selected or picked out is seen however small it is, and the rest stays",
          "[picture]") {
  // One buffer of 8 KiB beside one of 64 MiB.
  auto run = std::make_shared<Run>(*mustRun(sample("chain"), workedRequest("none")));
  MapScene scene = MapScene::whole(run, PoolId(0));
  scene.blocks = std::make_shared<const BlockStore>(
      std::vector<Block>{{.span = {AxisPlace(0), AxisPlace(400)},
                          .bytes = {Bytes(0), Bytes(64 << 20)},
                          .stay = StayId(0)},
                         {.span = {AxisPlace(200), AxisPlace(201)},
                          .bytes = {Bytes(64 << 20), Bytes((64 << 20) + 8192)},
                          .stay = StayId(1)}});
  scene.window = {0, 400, 0, 70 << 20};
  if (GENERATE(true, false)) {
    scene.selected = StayId(1);
  } else {
    std::vector<bool> kept(run->problem.stays.size(), false);
    kept[1] = true;
    scene.filter = makeFilter("small", kept);
  }
  Recorder picture;
  drawMap(picture, scene, {0, 0, 700, 300});
  REQUIRE(picture.circles.size() == 1);
  CHECK(picture.circles.front().width >= 8);
  CHECK(picture.circles.front().height >= 8);
  CHECK(picture.veil <= 0.35);
  for (const Palette* palette : {&Palette::light(), &Palette::dark()}) {
    const auto distance = [&](BlockTime time) {
      const Rgb ink = (*palette)[blockInk(BlockClass::activation, time, BlockPart::fill)];
      const Rgb plot = (*palette)[Ink::plot];
      int sum = 0;
      for (const int shift : {0, 8, 16}) {
        sum += std::abs(static_cast<int>((ink >> shift) & 255U) -
                        static_cast<int>((plot >> shift) & 255U));
      }
      return sum;
    };
    CHECK(3 * distance(BlockTime::pale) >= distance(BlockTime::past));
  }
}

TEST_CASE("what a platform keeps of a memory is hatched above its capacity",
          "[picture][reserved]") {
  const auto drawn = [](const PoolSize& l2) {
    RunRequest request = requestOn(*findPlatform("esp32-s3"), "free-list");
    request.l2 = l2;
    return svgOf(MapScene::whole(mustRun(sample("mobilenet_v1_int8"), request), PoolId(0)),
                 drawMap);
  };
  const std::string svg = drawn({});
  CHECK(svg.find(">reserved 192 KiB<") != std::string::npos);
  CHECK(svg.find("<pattern") != std::string::npos);
  CHECK(drawn({.kind = PoolSize::Kind::bytes, .bytes = Bytes(310 << 10)}).find("reserved") ==
        std::string::npos);
}

TEST_CASE("a map outlines blocks that are taken as a whole, and hatches what they keep",
          "[picture][blocks]") {
  const std::string name = GENERATE("block-id", "shared-objects", "partition", "free-list");
  CAPTURE(name);
  RunRequest request = workedRequest(name);
  if (name == "partition") request.platform = *findPlatform("two-devices");
  const auto run = mustRun(sample("two_devices"), request);
  Recorder canvas;
  drawMap(canvas, MapScene::whole(run, PoolId(0)), {0, 0, 900, 500});
  const std::vector<Frame> frames = framesOf(run->problem, run->plan, PoolId(0));
  std::size_t kept = 0;
  for (const Frame& frame : frames) kept += keptOf(run->problem, run->plan, frame).size();
  CHECK(canvas.frames.size() == frames.size());
  CHECK(canvas.hatches.size() == kept);
  CHECK(frames.empty() == (name == "free-list"));
  CHECK((kept > 0 || name != "block-id"));
}
