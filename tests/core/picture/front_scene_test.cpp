#include "core/picture/charts/front_scene.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "core/picture/svg_canvas.h"
#include "tests/support/golden_picture.h"
#include "tests/support/problems.h"
#include "tests/support/rounds.h"

// Peak against latency: who is on the front, and that a picture says it.

using namespace hw;

namespace {

ParetoPoint point(const char* name, std::int64_t peak, std::int64_t latency) {
  return {.name = name, .peak = Bytes(peak), .latency = SimTime(latency)};
}

std::string svgOf(const ParetoScene& scene, double width = 800) {
  SvgCanvas canvas(width, 400, "a picture", 12, &Palette::light());
  drawPareto(canvas, scene, {0, 0, width, 400});
  return canvas.finish();
}

}  // namespace

TEST_CASE("the front is what no other plan undercuts in both", "[picture][property]") {
  for (const std::uint64_t seed : test::Seeds(200)) {
    test::Dice dice(seed);
    std::vector<ParetoPoint> points;
    for (std::int64_t i = dice.roll(1, 30); i > 0; --i) {
      points.push_back(point("p", dice.roll(1, 12), dice.roll(1, 12)));
    }
    const auto front = paretoFront(points);
    const auto undercuts = [](const ParetoPoint& a, const ParetoPoint& b) {
      return a.peak <= b.peak && a.latency <= b.latency &&
             (a.peak < b.peak || a.latency < b.latency);
    };
    for (const ParetoPoint& each : points) {
      const bool worse = std::ranges::any_of(
          points, [&](const ParetoPoint& other) { return undercuts(other, each); });
      CHECK((std::ranges::find(front, each) != front.end()) == !worse);
    }
    for (std::size_t i = 1; i < front.size(); ++i) {
      CHECK(front[i].latency > front[i - 1].latency);
      CHECK(front[i].peak < front[i - 1].peak);
    }
  }
}

TEST_CASE("a picture of the front names every plan and both walls", "[picture]") {
  const ParetoScene scene{
      .title = "chain",
      .points = {point("tight", 1'000, 9'000'000), point("quick", 4'000, 5'000'000),
                 point("lost", 4'500, 9'500'000), point("same", 1'000, 9'000'000)},
      .lowerBound = Bytes(900),
      .latencyBound = SimTime(4'000'000)};
  const std::string svg = svgOf(scene);
  for (const char* words : {"tight, same", "quick", "lost", "no plan needs less",
                            "no plan is faster", "latency", "chain"}) {
    CAPTURE(words);
    CHECK(svg.find(words) != std::string::npos);
  }
  CHECK(svgOf(scene) == svg);
  // One plan, and no walls: still a picture.
  CHECK(svgOf({.title = "one", .points = {point("alone", 0, 0)}}).find("alone") !=
        std::string::npos);
  CHECK(svgOf({.title = "none"}).find("none") != std::string::npos);
}

TEST_CASE("with little room a picture of the front says what it shows", "[picture]") {
  const ParetoScene scene{.title = "squeezenet", .points = {point("alone", 1, 1)}};
  CHECK(svgOf(scene).find(">squeezenet   peak against latency<") != std::string::npos);
  CHECK(svgOf(scene, 260).find(">peak against latency<") != std::string::npos);
}

// Charts of plans as dots: every plan has its dot, and no name hides one.

namespace {

/// Keeps the marks that have a tip, and all words, with the room that they take.
class DotNames final : public Canvas {
 public:
  struct Word {
    Box box{};
    std::string text{};
  };

  const Ruler& ruler() const override { return letters_.ruler(); }
  void setLetters(double units) override { letters_.setLetters(units); }
  void rectangle(const Box& box, const Look&, const Hint& hint) override {
    if (!hint.tooltip.empty()) marks.push_back({box, hint.tooltip});
  }
  void text(Point at, std::string_view words, const Lettering& lettering) override {
    if (lettering.anchor == Anchor::middle) {
      const double width = ruler().width(words);
      sizes.push_back({{at.x - width / 2, at.y, width, 1}, std::string(words)});
    }
    if (lettering.anchor == Anchor::middle) return;
    const double width = ruler().width(words);
    const double left = lettering.anchor == Anchor::end ? at.x - width : at.x;
    const Box box{left, at.y - ruler().ascent(), width, ruler().height()};
    (lettering.anchor == Anchor::end ? ends : names).push_back({box, std::string(words)});
  }
  void line(Point, Point, const Stroke&) override {}
  void path(std::span<const Point>, const Look&) override {}
  void stairs(std::span<const Point>, double, Fill) override {}
  void hatch(const Box&, Fill) override {}

  std::vector<Word> marks;
  std::vector<Word> names;
  std::vector<Word> ends;   ///< Words that end where they were put.
  std::vector<Word> sizes;  ///< Below the ticks.

 private:
  SvgCanvas letters_{800, 500, "letters", 12, &Palette::light()};
};

FrontScene randomScene(test::Dice& dice) {
  FrontScene scene{.title = "net", .leastBytes = Bytes(1'000), .leastLatency = SimTime(1'000)};
  scene.found.push_back({Bytes(1'000), SimTime(dice.roll(1'000, 3'000)), "search"});
  for (std::int64_t i = dice.roll(1, 20); i > 0; --i) {
    scene.others.push_back({Bytes(1'000 + 40 * dice.roll(0, 20)),
                            SimTime(1'000 + 50 * dice.roll(0, 40)), fmt::format("method-{}", i)});
  }
  return scene;
}

/// By more than baselines lose in rounding.
bool meet(const Box& a, const Box& b) {
  const Box both = a.cut(b);
  return both.width > 0.01 && both.height > 0.01;
}

/// Returns how many dots have their name beside them.
std::size_t checkNames(const DotNames& canvas) {
  std::vector<DotNames::Word> names;
  for (const DotNames::Word& word : canvas.names) {
    if (word.text.starts_with("method-")) names.push_back(word);
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    CAPTURE(names[i].text);
    for (const DotNames::Word& mark : canvas.marks) {
      CAPTURE(mark.text);
      CHECK_FALSE(meet(names[i].box, mark.box));
    }
    for (std::size_t k = 0; k < i; ++k) CHECK_FALSE(meet(names[i].box, names[k].box));
  }
  return names.size();
}

}  // namespace

TEST_CASE("no name in a front hides a dot or another name", "[picture][property]") {
  std::size_t named = 0;
  for (const std::uint64_t seed : test::Seeds(200)) {
    test::Dice dice(seed);
    const FrontScene scene = randomScene(dice);
    DotNames canvas;
    drawFront(canvas, scene, {0, 0, 800, 500});
    CHECK(canvas.marks.size() == scene.found.size() + scene.others.size());
    named += checkNames(canvas);
  }
  CHECK(named > test::atLeast(400));
}

TEST_CASE("the legend of a front hides no dot, however low it is", "[picture][property]") {
  std::size_t words = 0;
  for (const std::uint64_t seed : test::Seeds(100)) {
    test::Dice dice(seed);
    const FrontScene scene = randomScene(dice);
    const Box where{0, 0, static_cast<double>(dice.roll(320, 900)),
                    static_cast<double>(dice.roll(110, 400))};
    CAPTURE(where.width, where.height);
    DotNames canvas;
    drawFront(canvas, scene, where);
    for (const DotNames::Word& word : canvas.names) {
      if (word.text.starts_with("method-") || word.text == scene.title) continue;
      ++words;
      CHECK(word.box.right() <= where.width);
      for (const DotNames::Word& mark : canvas.marks) CHECK_FALSE(meet(word.box, mark.box));
    }
    for (std::size_t i = 1; i < canvas.sizes.size(); ++i) {
      CHECK_FALSE(meet(canvas.sizes[i - 1].box, canvas.sizes[i].box));
    }
  }
  CHECK(words > test::atLeast(150));
}

TEST_CASE("no name among peaks against latencies hides a dot or another", "[picture][property]") {
  std::size_t named = 0;
  for (const std::uint64_t seed : test::Seeds(200)) {
    test::Dice dice(seed);
    ParetoScene scene{.title = "net", .lowerBound = Bytes(1'000), .latencyBound = SimTime(1'000)};
    for (const FrontDot& dot : randomScene(dice).others) {
      scene.points.push_back({.name = dot.name, .peak = dot.bytes, .latency = dot.latency});
    }
    DotNames canvas;
    drawPareto(canvas, scene, {0, 0, 800, 500});
    CHECK(canvas.marks.size() <= scene.points.size());
    named += checkNames(canvas);
  }
  CHECK(named > test::atLeast(1'000));
}

TEST_CASE("what walls are called is in the picture and hides no dot, however small it is",
          "[picture][property]") {
  std::size_t words = 0;
  for (const std::uint64_t seed : test::Seeds(200)) {
    test::Dice dice(seed);
    const SimTime wall(dice.roll(0, 1) == 0 ? 1'000 : 1);  // In the picture, or far off it.
    ParetoScene scene{.title = "net", .lowerBound = Bytes(1'000), .latencyBound = wall};
    for (const FrontDot& dot : randomScene(dice).others) {
      scene.points.push_back({.name = dot.name, .peak = dot.bytes, .latency = dot.latency});
    }
    const Box where{0, 0, static_cast<double>(dice.roll(200, 900)),
                    static_cast<double>(dice.roll(110, 400))};
    CAPTURE(where.width, where.height);
    DotNames canvas;
    drawPareto(canvas, scene, where);
    std::vector<DotNames::Word> all = canvas.names;
    all.insert(all.end(), canvas.ends.begin(), canvas.ends.end());
    for (const DotNames::Word& word : all) {
      if (!word.text.starts_with("no plan") && !word.text.ends_with("least")) continue;
      CAPTURE(word.text);
      ++words;
      CHECK(word.box.left >= where.left);
      CHECK(word.box.right() <= where.right());
      CHECK(word.box.bottom() <= where.bottom());
      for (const DotNames::Word& mark : canvas.marks) CHECK_FALSE(meet(word.box, mark.box));
    }
  }
  CHECK(words > test::atLeast(300));
}

TEST_CASE("latencies more than three times apart have doublings as high as each other",
          "[picture]") {
  const auto heights = [](std::int64_t slowest) {
    FrontScene scene{.title = "net"};
    for (const std::int64_t us : {slowest, slowest / 2, slowest / 4, std::int64_t{100}}) {
      if (us >= 100) scene.found.push_back({Bytes(100'000 - us), SimTime(us * 1'000'000), "plan"});
    }
    DotNames canvas;
    drawFront(canvas, scene, {0, 0, 800, 500});
    std::vector<double> middles;
    for (const DotNames::Word& mark : canvas.marks) {
      middles.push_back(mark.box.top + mark.box.height / 2);
    }
    return middles;
  };
  const auto far = heights(800);  // 800, 400, 200, 100.
  REQUIRE(far.size() == 4);
  CHECK(far[1] - far[0] == Approx(far[3] - far[2]));
  const auto near = heights(240);  // 240, 120, 100.
  REQUIRE(near.size() == 3);
  CHECK((near[1] - near[0]) / (near[2] - near[1]) == Approx(6));
}

TEST_CASE("what a front saves is an arrow with both differences", "[picture]") {
  FrontScene scene{.title = "net",
                   .found = {{Bytes(1024), SimTime(5'000'000), "small"}},
                   .others = {{Bytes(4096), SimTime(4'000'000), "as it is"},
                              {Bytes(8192), SimTime(7'000'000), "slow"}}};
  scene.saving = {scene.others[0], scene.found[0]};
  DotNames canvas;
  drawFront(canvas, scene, {0, 0, 800, 500});
  const auto said = [&](const char* words) {
    return std::ranges::count(canvas.names, words, &DotNames::Word::text);
  };
  CHECK(said("\u22123.00 KiB, +1.00 us") + said("\u22123.00 KiB, +1.00 \u00b5s") == 1);
}

// Capacity against latency and peak against latency as they were when somebody looked at them, in
// both palettes: scenes of fixed figures, so that only drawing decides. HIGHWATER_UPDATE_GOLDEN=1
// writes them anew: look at what has changed.

namespace {

constexpr Box kWhole{0, 0, 960, 540};

/// What SqueezeNet comes to on a machine of one DMA channel.
FrontScene frontFigures() {
  const auto dot = [](std::int64_t kib, std::int64_t us, const char* name) {
    return FrontDot{Bytes(kib * 1024), SimTime(us * 1'000'000), name};
  };
  return {.title = "squeezenet: L2 against latency",
          .note = "board",
          .found = {dot(6'160, 2'371, "best:for=latency"), dot(6'468, 2'368, "best:for=latency"),
                    dot(6'791, 2'365, "best:for=latency")},
          .bounds = {dot(6'160, 2'366, "bound"), dot(6'468, 2'365, "bound"),
                     dot(6'791, 2'365, "bound")},
          .others = {dot(6'160, 2'992, "best"), dot(6'160, 3'017, "two-sided"),
                     dot(6'160, 3'017, "greedy-by-size"), dot(6'748, 2'590, "idle-longest"),
                     dot(6'750, 2'880, "in-order"), dot(6'755, 2'740, "free-list"),
                     dot(43'300, 2'365, "none"),
                     FrontDot{Bytes(6'755 * 1024), SimTime(2'200'000'000), "partition", true}},
          .leastBytes = Bytes(6'160 * 1024),
          .leastLatency = SimTime(2'365'000'000)};
}

ParetoScene paretoFigures() {
  ParetoScene scene{.title = "squeezenet"};
  for (const FrontDot& dot : frontFigures().others) {
    if (dot.name == "none" || dot.ownStays) continue;
    scene.points.push_back(
        {.name = dot.name, .peak = dot.bytes, .latency = dot.latency, .row = scene.points.size()});
  }
  scene.lowerBound = Bytes(6'160 * 1024);
  scene.latencyBound = SimTime(2'365'000'000);
  return scene;
}

template <class Scene>
std::string sceneSvg(const Scene& scene, void (*draw)(Canvas&, const Scene&, const Box&),
                     const Palette& palette) {
  SvgCanvas canvas(kWhole.width, kWhole.height, scene.title, 12, &palette);
  canvas.rectangle(kWhole, {.fill = Fill{Ink::window}});
  draw(canvas, scene, kWhole);
  return canvas.finish();
}

}  // namespace

TEST_CASE("front and Pareto pictures are as they were looked at", "[picture][golden]") {
  for (const bool dark : {false, true}) {
    const Palette& palette = dark ? Palette::dark() : Palette::light();
    const std::string ending = dark ? "_dark.svg" : "_light.svg";
    test::checkPicture("front" + ending, sceneSvg(frontFigures(), drawFront, palette));
    test::checkPicture("pareto" + ending, sceneSvg(paretoFigures(), drawPareto, palette));
  }
}
