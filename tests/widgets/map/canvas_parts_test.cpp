// Parts of one operator in the map: one colour, the halo hatched, all of them chosen with one.
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "app/gui/request/arguments.h"
#include "core/graph/tiling.h"
#include "core/import/samples.h"
#include "core/picture/map_scene.h"

using namespace hw;

namespace {

class FixedRuler : public Ruler {
 public:
  double width(std::string_view text, bool) const override {
    return 6 * static_cast<double>(text.size());
  }
  double height() const override { return 12; }
  double ascent() const override { return 9; }
};

/// What is drawn, as lists.
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
  const auto model =
      std::make_shared<const Model>(openModel("samples:mobilenet_v2_int8", {}).value());
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

TEST_CASE("parts of one operator have one colour, neighbours another", "[map][parts]") {
  const auto run = mapRun(TileRule::lines);
  const Graph& graph = run->graph();
  MapScene scene = MapScene::whole(run, PoolId(0));
  scene.window.end = 80;  // Wide enough for parts to be told apart.
  RecordingCanvas canvas;
  drawMap(canvas, scene, {0, 0, 4000, 3000});
  std::map<std::string, std::set<Ink>> colors;  // By operator.
  for (const auto& drawn : canvas.rectangles) {
    if (!drawn.id.starts_with("part-") || !drawn.look.fill) continue;
    const OpId producer = graph.tensors[tensorOf(drawn.id)].producer;
    if (!producer || partOf(graph, producer) == nullptr) continue;
    const std::string name = displayName(graph, producer);
    colors[name.substr(0, name.find('['))].insert(drawn.look.fill->ink);
  }
  REQUIRE(colors.size() >= 4);
  for (const auto& [name, inks] : colors) {
    CAPTURE(name);
    CHECK(inks.size() <= 2);  // With an edge, and where there is no room for one.
  }
  const Graph& whole = *graph.tiling->original;
  std::set<Ink> before;
  for (const OpId op : whole.ops.keys()) {
    const auto found = colors.find(displayName(whole, op));
    if (found == colors.end()) continue;
    for (const Ink ink : found->second) CHECK_FALSE(before.contains(ink));
    before = found->second;
  }
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
    const std::size_t maker = graph.tiling->opOf[op].index();
    RecordingCanvas canvas;
    drawMap(canvas, shown, {0, 0, 4000, 3000});
    return std::ranges::count_if(canvas.rectangles, [&](const auto& drawn) {
      return drawn.look.fill &&
             (drawn.look.fill->ink == partInk(maker, BlockTime::live, BlockPart::fill) ||
              drawn.look.fill->ink == partInk(maker, BlockTime::live, BlockPart::thin));
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
