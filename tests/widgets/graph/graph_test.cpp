// The graph of a run whose operators run in parts: folded it is the graph of whole operators,
// judged by the picture of the plan without parts.

#include "core/graph/graph.h"

#include <QSignalSpy>
#include <QTest>
#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <set>
#include <string>

#include "app/gui/request/arguments.h"
#include "core/graph/counterparts.h"
#include "core/graph/tiling.h"
#include "core/import/samples.h"
#include "core/insight/explain.h"
#include "core/machine/platforms.h"
#include "core/shrink/tflm/row_file.h"
#include "tests/support/tflite_networks.h"
#include "tests/widgets/patience.h"
#include "tests/widgets/support.h"
#include "widgets/base/theme.h"
#include "widgets/graph/graph_layout.h"
#include "widgets/graph/graph_panel.h"
#include "widgets/graph/model_graph.h"

using namespace hw;

namespace {

Graph named(const std::vector<std::string>& names) {
  Graph graph;
  for (const std::string& name : names) {
    const OpId op = graph.ops.add({.name = name, .type = "Relu"});
    const TensorId out = graph.tensors.add({.name = name + ":0", .producer = op});
    graph.ops[op].outputs.push_back(out);
    if (op.index() == 0) continue;
    const TensorId before = graph.ops[OpId(op.index() - 1)].outputs.front();
    graph.ops[op].inputs.push_back(before);
    graph.tensors[before].consumers.push_back(op);
  }
  return graph;
}

/// `blockGraph` blockGraph of `each` ops: "block3/op7".
Graph blockGraph(std::size_t count, std::size_t each) {
  std::vector<std::string> names;
  for (std::size_t block = 0; block < count; ++block) {
    for (std::size_t op = 0; op < each; ++op) {
      names.push_back("block" + std::to_string(block) + "/op" + std::to_string(op));
    }
  }
  return named(names);
}

/// Ranges that follow each other from the first op to the last, none empty.
void checkPartition(const std::vector<OpRange>& ranges, OpRange whole) {
  REQUIRE_FALSE(ranges.empty());
  CHECK(ranges.front().first == whole.first);
  CHECK(ranges.back().last == whole.last);
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    CHECK(ranges[i].size() > 0);
    if (i > 0) CHECK(ranges[i].first == ranges[i - 1].last);
  }
}

bool never() { return false; }

/// A random graph whose edges lead to higher indices; boxes of different sizes.
LayoutInput randomInput(std::uint32_t seed, std::size_t boxes) {
  std::mt19937 random(seed);
  LayoutInput input;
  for (std::size_t i = 0; i < boxes; ++i) {
    input.boxes.emplace_back(40 + random() % 120, 20 + random() % 30);
  }
  for (std::uint32_t to = 1; to < boxes; ++to) {
    const std::uint32_t from = to - 1 - static_cast<std::uint32_t>(random() % std::min(to, 4U));
    input.edges.emplace_back(from, to);
    if (random() % 4 == 0) input.edges.emplace_back(static_cast<std::uint32_t>(random() % to), to);
  }
  std::ranges::sort(input.edges);
  const auto [first, last] = std::ranges::unique(input.edges);
  input.edges.erase(first, last);
  return input;
}

QRectF boxOf(const LayoutInput& input, const GraphLayout& layout, std::size_t i) {
  const QSizeF size = input.boxes[i];
  return {layout.centres[i] - QPointF(size.width() / 2, size.height() / 2), size};
}

/// The duties of any layout to its reader.
void checkLayout(const LayoutInput& input, const GraphLayout& layout) {
  REQUIRE(layout.centres.size() == input.boxes.size());
  REQUIRE(layout.routes.size() == input.edges.size());
  std::size_t overlaps = 0;
  for (std::size_t i = 0; i < input.boxes.size(); ++i) {
    const QRectF box = boxOf(input, layout, i);
    CHECK(layout.bounds.adjusted(-1, -1, 1, 1).contains(box));
    for (std::size_t j = 0; j < i; ++j) overlaps += box.intersects(boxOf(input, layout, j));
  }
  CHECK(overlaps == 0);
  for (std::size_t i = 0; i < input.edges.size(); ++i) {
    const auto [from, to] = input.edges[i];
    CHECK(layout.centres[from].y() < layout.centres[to].y());
    REQUIRE_FALSE(layout.routes[i].isEmpty());
    const QRectF begin = boxOf(input, layout, from).adjusted(-2, -2, 2, 2);
    const QRectF end = boxOf(input, layout, to).adjusted(-2, -2, 2, 2);
    CHECK(begin.contains(layout.routes[i].pointAtPercent(0)));
    CHECK(end.contains(layout.routes[i].pointAtPercent(1)));
  }
}

struct InParts {
  std::shared_ptr<const Model> model;
  std::shared_ptr<const Run> whole;
  std::shared_ptr<const Run> parts;
};

std::shared_ptr<const Run> cutRun(const std::shared_ptr<const Model>& model, TileRule rule,
                                  bool rows = false) {
  RunRequest request = defaultRequest();
  request.tile = rule;
  if (rows) request.inputs = InputPlace::rows;
  return execute(model, request, {}).value();
}

const InParts& sampleInParts() {
  static const InParts sample = [] {
    const auto model = test::sampleModel("mobilenet_v2_int8");
    return InParts{model, cutRun(model, TileRule::off), cutRun(model, TileRule::lines)};
  }();
  return sample;
}

std::vector<OpRange> oneByOne(const Run& run) {
  std::vector<OpRange> ranges;
  for (std::size_t i = 0; i < wholeGraph(run.graph()).ops.size(); ++i) ranges.push_back({i, i + 1});
  return ranges;
}

using Ends = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

Ends endsOf(const ModelGraph& graph) {
  Ends ends;
  for (const GraphEdge& edge : graph.edges) ends.emplace_back(edge.from, edge.to);
  return ends;
}

/// A panel that shows the graph of a run.
struct ShownGraph {
  ViewState state;
  GraphPanel panel{&state};

  explicit ShownGraph(std::shared_ptr<const Run> run) {
    state.setRun(std::move(run));
    panel.resize(500, 600);
    panel.show();
    wait();
  }
  void wait() {
    REQUIRE(test::comes([&] { return !panel.isLayingOut(); }));
    QCoreApplication::processEvents();
  }
  GraphView* view() { return panel.view(); }
  QPoint onScreen(std::size_t node) {
    return view()->mapFromScene(view()->nodeItem(node)->scenePos());
  }
  std::size_t nodeOf(OpId op) { return *view()->graph().nodeOf(op); }
};

}  // namespace

TEST_CASE("ops are cut where their scopes change", "[graph]") {
  const Graph graph = named({"a/x/1", "a/x/2", "a/y/1", "b/z/1", "b/z/2", "b/z/3"});
  const auto deep = divideOps(graph, {0, 6}, 3);
  CHECK(deep == std::vector<OpRange>{{0, 2}, {2, 3}, {3, 6}});
  const auto shallow = divideOps(graph, {0, 6}, 2);
  CHECK(shallow == std::vector<OpRange>{{0, 3}, {3, 6}});
  CHECK(divideOps(graph, {3, 6}, 3) == std::vector<OpRange>{{3, 4}, {4, 5}, {5, 6}});
}

TEST_CASE("without scopes chains, else equal pieces: always at least two", "[graph]") {
  const auto count = GENERATE(3U, 10U, 1'000U, 6'001U);
  std::vector<std::string> names(count, "op");
  const Graph graph = named(names);
  const auto most = GENERATE(2U, 7U, 240U);
  CAPTURE(count, most);
  const auto pieces = divideOps(graph, {0, count}, most);
  checkPartition(pieces, {0, count});
  CHECK(pieces.size() >= 2);
  CHECK(pieces.size() <= std::max<std::size_t>(most, 2));
}

TEST_CASE("a large graph is drawn in groups that open and close", "[graph]") {
  const Graph graph = blockGraph(100, 60);
  OpGroups groups(&graph);
  CHECK(groups.isGrouped());
  const auto closed = groups.ranges();
  checkPartition(closed, {0, graph.ops.size()});
  CHECK(closed.size() == 100);
  REQUIRE(groups.expand(closed[3]));
  CHECK_FALSE(groups.expand(closed[3]));
  const auto open = groups.ranges();
  checkPartition(open, {0, graph.ops.size()});
  CHECK(open.size() == 159);
  CHECK_FALSE(groups.expand(open[3]));  // A single op.
  CHECK(groups.collapse(open[10]));
  CHECK(groups.ranges() == closed);
  CHECK_FALSE(groups.collapse(closed[3]));
}

TEST_CASE("there are never more boxes than can be drawn", "[graph]") {
  const Graph graph = blockGraph(200, 60);
  OpGroups groups(&graph);
  int refused = 0;
  for (const OpRange& range : groups.ranges()) refused += !groups.expand(range);
  CHECK(refused > 0);
  CHECK(groups.ranges().size() <= OpGroups::kMostNodes);
}

TEST_CASE("revealing an op opens the groups around it", "[graph]") {
  const Graph graph = blockGraph(20, 400);
  OpGroups groups(&graph);
  groups.reveal(OpId(1'234));
  const auto ranges = groups.ranges();
  checkPartition(ranges, {0, graph.ops.size()});
  CHECK(std::ranges::find(ranges, OpRange{1'234, 1'235}) != ranges.end());
}

TEST_CASE("a small graph is drawn op by op unless groups are wanted", "[graph]") {
  const Graph graph = blockGraph(5, 8);
  CHECK(OpGroups(&graph).ranges().size() == 40);
  CHECK_FALSE(OpGroups(&graph).isGrouped());
  CHECK(OpGroups(&graph, true).ranges().size() == 5);
}

TEST_CASE("boxes never overlap and edges lead down from box to box", "[graph]") {
  const auto seed = GENERATE(1U, 2U, 3U, 4U, 5U, 6U);
  const LayoutInput input = randomInput(seed, 2 + seed * 11);
  CAPTURE(seed, input.boxes.size(), input.edges.size());
  SECTION("in layers") {
    const auto layout = layOutInLayers(input, never);
    REQUIRE(layout);
    checkLayout(input, *layout);
  }
  SECTION("with dot") {
    const auto layout = layOutWithDot(input);
    REQUIRE(layout);
    checkLayout(input, *layout);
  }
}

TEST_CASE("a graph without boxes, and one box alone, have layouts", "[graph]") {
  const auto none = layOut({}, never);
  REQUIRE(none);
  CHECK(none->centres.empty());
  const auto one = layOut({.boxes = {QSizeF(10, 10)}}, never);
  REQUIRE(one);
  CHECK(one->centres.size() == 1);
}

TEST_CASE("laying out gives up when it is told to", "[graph]") {
  const LayoutInput input = randomInput(7, 4'000);
  REQUIRE_FALSE(isSmallEnoughForDot(input));
  int asked = 0;
  CHECK_FALSE(layOut(input, [&] { return ++asked > 3; }));
  CHECK(asked == 4);
}

TEST_CASE("five thousand boxes are laid out, too", "[graph]") {
  const LayoutInput input = randomInput(8, 5'000);
  const auto layout = layOut(input, never);
  REQUIRE(layout);
  checkLayout(input, *layout);
}

TEST_CASE("long skips are not left to dot when there are too many", "[graph]") {
  // A chain of boxes, the first of which is read by all others.
  const auto chain = [](std::uint32_t count, bool skips) {
    LayoutInput input{.boxes = std::vector<QSizeF>(count, QSizeF(40, 20))};
    for (std::uint32_t i = 1; i < count; ++i) input.edges.emplace_back(i - 1, i);
    for (std::uint32_t i = 2; skips && i < count; ++i) input.edges.emplace_back(0, i);
    return input;
  };
  CHECK(isSmallEnoughForDot(chain(400, false)));
  CHECK(isSmallEnoughForDot(chain(100, true)));
  CHECK_FALSE(isSmallEnoughForDot(chain(400, true)));  // 79,002 layers crossed.
  CHECK(layOut(chain(400, true), never));
}

TEST_CASE("samples with many skips are laid out", "[graph]") {
  const std::string sample = GENERATE("gpt2_kv_cache", "densenet121");
  const auto model = test::sampleModel(sample);
  RunRequest request;
  request.allocator = AllocatorChoice::parse("in-order").value();
  request.platform = platformCatalog().front();
  const auto run = execute(model, request, {}).value();
  std::vector<OpRange> ranges;
  for (std::size_t i = 0; i < run->graph().ops.size(); ++i) ranges.push_back({i, i + 1});
  const ModelGraph graph = modelGraph(*run, ranges);
  LayoutInput input{.boxes = std::vector<QSizeF>(graph.nodes.size(), QSizeF(90, 28))};
  for (const GraphEdge& edge : graph.edges) input.edges.emplace_back(edge.from, edge.to);
  const auto layout = layOut(input, never);
  REQUIRE(layout);
  checkLayout(input, *layout);
}

TEST_CASE("places apart are as close to what was wanted as they can be", "[graph]") {
  const auto seed = GENERATE(1U, 2U, 3U, 4U, 5U, 6U, 7U, 8U);
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> anywhere(-50, 50);
  std::vector<double> wanted, weights, gaps;
  for (int i = 0; i < 12; ++i) {
    wanted.push_back(anywhere(random));
    weights.push_back(1 + static_cast<double>(random() % 5));
    if (i > 0) gaps.push_back(static_cast<double>(random() % 20));
  }
  const auto placed = placeApart(wanted, weights, gaps);
  const auto cost = [&](const std::vector<double>& places) {
    double sum = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
      sum += weights[i] * (places[i] - wanted[i]) * (places[i] - wanted[i]);
    }
    return sum;
  };
  for (std::size_t i = 1; i < placed.size(); ++i) {
    CHECK(placed[i] - placed[i - 1] >= gaps[i - 1] - 1e-9);
  }
  CAPTURE(seed);
  // No stretch of neighbours can be moved together to lower the cost.
  for (std::size_t first = 0; first < placed.size(); ++first) {
    for (std::size_t last = first; last < placed.size(); ++last) {
      for (const double by : {-0.01, 0.01}) {
        auto moved = placed;
        for (std::size_t i = first; i <= last; ++i) moved[i] += by;
        bool allowed = true;
        for (std::size_t i = 1; i < moved.size(); ++i) {
          allowed = allowed && moved[i] - moved[i - 1] >= gaps[i - 1] - 1e-12;
        }
        if (allowed) CHECK(cost(moved) >= cost(placed) - 1e-9);
      }
    }
  }
}

TEST_CASE("parts are folded into their op, and what flows is as without parts", "[graph][parts]") {
  const InParts& sample = sampleInParts();
  REQUIRE(sample.parts->graph().tiling);
  const ModelGraph whole = modelGraph(*sample.whole, oneByOne(*sample.whole));
  for (const auto& run : {sample.parts, cutRun(sample.model, TileRule::any),
                          cutRun(sample.model, TileRule::lines, true)}) {
    const ModelGraph folded = modelGraph(*run, oneByOne(*run));
    REQUIRE(folded.nodes.size() == whole.nodes.size());
    CHECK(endsOf(folded) == endsOf(whole));
    std::size_t parts = 0;
    for (std::size_t i = 0; i < folded.nodes.size(); ++i) {
      CHECK(folded.nodes[i].kind == whole.nodes[i].kind);
      CHECK(folded.nodes[i].detail == whole.nodes[i].detail);
      parts += folded.nodes[i].runs.size();
      if (!opens(folded.nodes[i])) continue;
      CHECK(folded.nodes[i].title == QStringLiteral("%1 in %2 parts")
                                         .arg(whole.nodes[i].title)
                                         .arg(folded.nodes[i].runs.size()));
    }
    std::size_t placed = 0;
    for (const OpId op : run->graph().ops.keys()) {
      const bool added = run->graph().ops[op].domain == kTileDomain;
      CHECK(folded.nodeOf(op).has_value() == !added);
      placed += added ? 0 : 1;
    }
    CHECK(parts == placed);
  }
}

TEST_CASE("parts that a file comes with are folded as those that are made here", "[graph][parts]") {
  const std::string file = test::publishedFile("mcunet_v2_large", 64);
  const auto shrunk = shrinkForTflm(file, 4, {});
  REQUIRE(shrunk);
  REQUIRE(shrunk->best().loops);
  RunRequest request = defaultRequest();
  request.import.fuse = {};
  const auto before = test::fileRun(file, request);
  const auto after = test::fileRun(shrunk->file, request);
  const ModelGraph whole = modelGraph(*before, oneByOne(*before));
  const ModelGraph folded = modelGraph(*after, oneByOne(*after));
  const auto edgesOf = [](const ModelGraph& graph, const Run& of) {
    std::set<std::string> edges;
    const Graph& drawn = wholeGraph(of.graph());
    const auto nameOf = [&](std::uint32_t at) {
      const GraphNode& node = graph.nodes[at];
      if (node.kind != GraphNode::Kind::op) return node.detail.toStdString();
      return drawn.tensors[drawn.ops[OpId(node.ops.first)].outputs[0]].name;
    };
    for (const GraphEdge& edge : graph.edges) {
      edges.insert(nameOf(edge.from) + " -> " + nameOf(edge.to));
    }
    return edges;
  };
  CHECK(folded.nodes.size() == whole.nodes.size());
  CHECK(edgesOf(folded, *after) == edgesOf(whole, *before));
  std::size_t opened = 0;
  for (const GraphNode& node : folded.nodes) {
    if (!opens(node)) continue;
    CHECK(node.title.endsWith(QStringLiteral(" in %1 parts").arg(node.inside)));
    const ModelGraph open = modelGraph(*after, oneByOne(*after), {OpId(node.ops.first)});
    CHECK(open.nodes.size() == folded.nodes.size() + node.inside - 1);
    ++opened;
  }
  CHECK(opened > 2);
}

TEST_CASE("an op that is unfolded has a box for each part, and its neighbours stay",
          "[graph][parts]") {
  const Run& run = *sampleInParts().parts;
  const ModelGraph folded = modelGraph(run, oneByOne(run));
  const Counterparts down(wholeGraph(run.graph()), run.graph());
  for (const GraphNode& node : folded.nodes) {
    if (!opens(node)) continue;
    const OpId op(node.ops.first);
    const ModelGraph open = modelGraph(run, oneByOne(run), {op});
    CHECK(open.nodes.size() == folded.nodes.size() + node.runs.size() - 1);
    std::set<std::pair<QString, QString>> before;
    std::set<std::pair<QString, QString>> after;
    const auto named = [&](const ModelGraph& graph, auto& flows) {
      for (const GraphEdge& edge : graph.edges) {
        CHECK(edge.from < edge.to);
        const auto nameOf = [&](std::uint32_t at) {
          const GraphNode& end = graph.nodes[at];
          return end.kind == GraphNode::Kind::part ? node.detail : end.detail;
        };
        flows.emplace(nameOf(edge.from), nameOf(edge.to));
      }
    };
    named(folded, before);
    named(open, after);
    CHECK(before == after);
    for (const OpId part : down.ops(op)) {
      const auto at = open.nodeOf(part);
      REQUIRE(at);
      CHECK(open.nodes[*at].kind == GraphNode::Kind::part);
      CHECK(open.nodes[*at].runs == std::vector{part});
      CHECK(open.nodes[*at].detail.startsWith(node.detail + QLatin1Char('[')));
    }
  }
}

TEST_CASE("Enter shows the parts of an op, Backspace folds them again", "[graph][parts]") {
  const InParts& sample = sampleInParts();
  ViewState state;
  GraphPanel panel(&state);
  const auto settled = [&] {
    REQUIRE(test::comes([&] { return !panel.isLayingOut(); }));
    QCoreApplication::processEvents();
  };
  state.setRun(sample.whole);
  panel.resize(700, 600);
  panel.show();
  settled();
  GraphView& view = *panel.view();
  const std::size_t ops = view.graph().nodes.size();
  // The same model in parts: as many boxes, that hold others.
  state.setRun(sample.parts);
  settled();
  REQUIRE(view.graph().nodes.size() == ops);
  const auto box = std::ranges::find_if(view.graph().nodes, opens);
  REQUIRE(box != view.graph().nodes.end());
  const std::size_t parts = box->runs.size();
  const OpId middle = box->runs[parts / 2];
  // Any part selects the box, and the playhead is in it while any part runs.
  state.selectOp(middle);
  const auto at = view.graph().nodeOf(middle);
  REQUIRE(at);
  CHECK(view.nodeItem(*at)->mark() == GraphMark::selected);
  state.setStep(sample.parts->schedule.stepOf[middle]);
  QTest::keyClick(&view, Qt::Key_Return);
  settled();
  REQUIRE(view.graph().nodes.size() == ops + parts - 1);
  const auto part = view.graph().nodeOf(middle);
  REQUIRE(part);
  CHECK(view.nodeItem(*part)->mark() == GraphMark::selected);
  state.setStep(Step(0));
  QTest::keyClick(&view, Qt::Key_Return);  // A part has nothing inside: it is gone to.
  CHECK(state.step() == sample.parts->schedule.stepOf[middle]);
  QTest::keyClick(&view, Qt::Key_Backspace);
  settled();
  CHECK(view.graph().nodes.size() == ops);
  // Back to whole operators: the selection is carried over by op.
  state.setRun(sample.whole);
  settled();
  const Counterparts up(sample.parts->graph(), sample.whole->graph());
  CHECK(state.selectedOp() == up.op(middle));
}

TEST_CASE("every op of a small model is a box and its tensors are edges", "[graph]") {
  ShownGraph shown(test::sampleRun("mobilenet_v2"));
  const auto run = shown.state.run();
  const ModelGraph& graph = shown.view()->graph();
  std::size_t ops = 0;
  for (const GraphNode& node : graph.nodes) ops += node.ops.size();
  CHECK(ops == run->graph().ops.size());
  for (const OpId op : run->graph().ops.keys()) {
    const auto node = graph.nodeOf(op);
    REQUIRE(node);
    CHECK(graph.nodes[*node].ops == OpRange{op.index(), op.index() + 1});
  }
  for (const OpId op : run->graph().ops.keys()) {
    for (const TensorId tensor : run->graph().reads(op)) {
      const OpId producer = run->graph().tensors[tensor].producer;
      if (!producer || run->graph().tensors[tensor].constant) continue;
      const bool drawn = std::ranges::any_of(graph.edges, [&](const GraphEdge& edge) {
        return edge.from == *graph.nodeOf(producer) && edge.to == *graph.nodeOf(op) &&
               std::ranges::find(edge.tensors, tensor) != edge.tensors.end();
      });
      CHECK(drawn);
    }
  }
}

TEST_CASE("a click on a box selects its op, on nothing drops it", "[graph]") {
  ShownGraph shown(test::sampleRun("mobilenet_v2"));
  shown.state.selectOp(OpId(3));
  const std::size_t node = shown.nodeOf(OpId(3));
  CHECK(shown.view()->nodeItem(node)->mark() == GraphMark::selected);
  QTest::mouseClick(shown.view()->viewport(), Qt::LeftButton, {},
                    shown.onScreen(shown.nodeOf(OpId(4))));
  CHECK(shown.state.selectedOp() == OpId(4));
  CHECK(shown.view()->nodeItem(node)->mark() == GraphMark::none);
  QTest::mouseClick(shown.view()->viewport(), Qt::LeftButton, {}, {3, 3});
  CHECK_FALSE(shown.state.selectedOp());
}

TEST_CASE("a tensor selected or hovered elsewhere marks its edges", "[graph]") {
  ShownGraph shown(test::sampleRun("mobilenet_v2"));
  const auto run = shown.state.run();
  const GraphEdge* edge = nullptr;
  for (const GraphEdge& each : shown.view()->graph().edges) {
    if (!staysOf(*run, each.tensors.front()).empty()) edge = &each;
  }
  REQUIRE(edge);
  const auto index = static_cast<std::size_t>(edge - shown.view()->graph().edges.data());
  const StayId stay = staysOf(*run, edge->tensors.front()).front();
  shown.state.select(stay);
  CHECK(shown.view()->edgeItem(index)->mark() == GraphMark::selected);
  shown.state.hover(stay);
  CHECK(shown.view()->edgeItem(index)->mark() == GraphMark::hovered);
  shown.state.hover({});
  CHECK(shown.view()->edgeItem(index)->mark() == GraphMark::selected);
  shown.state.select({});
  CHECK(shown.view()->edgeItem(index)->mark() == GraphMark::none);
}

TEST_CASE("the op under the playhead is marked and kept in sight", "[graph]") {
  ShownGraph shown(test::sampleRun("mobilenet_v2"));
  for (const int step : {0, 20, 60, 5}) {
    shown.state.setStep(Step(step));
    const auto run = shown.state.run();
    const std::size_t node = shown.nodeOf(run->schedule.opAt(Step(step)));
    CAPTURE(step);
    CHECK(shown.view()->nodeItem(node)->isCurrent());
    CHECK(shown.view()->viewport()->rect().contains(shown.onScreen(node)));
  }
  shown.panel.follow()->click();
  const QPoint before = shown.onScreen(0);
  shown.state.setStep(Step(60));
  CHECK(shown.onScreen(0) == before);
}

TEST_CASE("arrows walk along edges; the keys stay in the graph", "[graph]") {
  ShownGraph shown(test::sampleRun("mobilenet_v2"));
  shown.panel.activateWindow();
  shown.view()->setFocus();
  shown.state.selectOp(OpId(5));
  QTest::keyClick(shown.view(), Qt::Key_Down);
  const OpId below = shown.state.selectedOp();
  const auto run = shown.state.run();
  const auto reads = run->graph().reads(below);
  CHECK(std::ranges::any_of(
      reads, [&](TensorId tensor) { return run->graph().tensors[tensor].producer == OpId(5); }));
  QTest::keyClick(shown.view(), Qt::Key_Up);
  CHECK(shown.state.selectedOp() == OpId(5));
  const double zoom = shown.view()->zoom();
  QTest::keyClick(shown.view(), Qt::Key_Plus);
  CHECK(shown.view()->zoom() > zoom);
  QTest::keyClick(shown.view(), Qt::Key_0);
  CHECK(shown.view()->zoom() < zoom);
  QTest::keyClick(shown.view(), Qt::Key_Return);
  CHECK(shown.state.step() == run->schedule.stepOf[OpId(5)]);
}

TEST_CASE("groups open on a double click and close with Backspace", "[graph]") {
  ShownGraph shown(test::sampleRun("mobilenet_v2"));
  shown.panel.groups()->click();
  shown.wait();
  const std::size_t closed = shown.view()->graph().nodes.size();
  REQUIRE(closed < shown.state.run()->graph().ops.size());
  std::size_t group = 0;
  while (shown.view()->graph().nodes[group].kind != GraphNode::Kind::group) ++group;
  shown.view()->centerOn(shown.view()->nodeItem(group));
  const OpRange opened = shown.view()->graph().nodes[group].ops;
  QTest::mouseDClick(shown.view()->viewport(), Qt::LeftButton, {}, shown.onScreen(group));
  shown.wait();
  CHECK(shown.view()->graph().nodes.size() > closed);
  shown.state.selectOp(OpId(opened.first));
  shown.view()->setFocus();
  QTest::keyClick(shown.view(), Qt::Key_Backspace);
  shown.wait();
  CHECK(shown.view()->graph().nodes.size() == closed);
}

TEST_CASE("colours say what was asked for, with a legend", "[graph]") {
  ShownGraph shown(test::sampleRun("mobilenet_v2"));
  CHECK(shown.view()->legend().size() >= 2);
  shown.panel.coloring()->setCurrentIndex(2);
  CHECK(shown.view()->legend().size() == 3);
  const auto run = shown.state.run();
  const Step peak = run->metrics.pools[PoolId(0)].peakStep;
  const std::size_t most = shown.nodeOf(run->schedule.opAt(peak));
  const std::size_t last = shown.nodeOf(run->schedule.order.back());
  CHECK(shown.view()->nodeItem(most)->fill() != shown.view()->nodeItem(last)->fill());
}

TEST_CASE("a problem without ops says why there is no graph", "[graph]") {
  ViewState state;
  GraphPanel panel(&state);
  CHECK(panel.emptyText().contains(QStringLiteral("Open a model")));
  auto run = std::make_shared<Run>(*test::smallRun());
  auto model = std::make_shared<Model>(*run->model);
  auto graph = std::make_shared<Graph>(*model->graph);
  graph->ops = {};
  model->graph = graph;
  run->model = model;
  state.setRun(run);
  panel.show();
  CHECK(panel.emptyText().contains(QStringLiteral("no ops")));
  CHECK_FALSE(panel.isLayingOut());
}

TEST_CASE("picking out buffers of a problem leaves the graph, which has none, alone", "[graph]") {
  ViewState state;
  GraphView view(&state);
  const auto model = test::sampleModel("three_sizes");
  const auto run = execute(model, defaultRequest(), {}).value();
  REQUIRE_FALSE(run->storage.buffers.contains(run->problem.stays[StayId(0)].buffer));
  state.setRun(run);
  state.setFilter(makeFilter("all", std::vector<bool>(run->problem.stays.size(), true)));
  CHECK(view.graph().nodes.empty());
}

TEST_CASE("hostile names are drawn, elided and escaped", "[graph]") {
  auto run = std::make_shared<Run>(*test::smallRun());
  auto model = std::make_shared<Model>(*run->model);
  auto graph = std::make_shared<Graph>(*model->graph);
  graph->ops[OpId(0)].name = std::string(5'000, 'x') + "\x01\x1b<img src=x onerror=y>";
  graph->ops[OpId(1)].type = "<b>\xff\xfe</b>";
  model->graph = graph;
  run->model = model;
  ShownGraph shown(run);
  for (const GraphNode& node : shown.view()->graph().nodes) {
    CHECK(node.detail.size() < 1'000);
    for (const QChar letter : node.title + node.detail) CHECK(letter.unicode() >= 32);
  }
  CHECK_FALSE(shown.view()->grab().isNull());
}

TEST_CASE("nothing is laid out before somebody looks, and it can be cancelled", "[graph]") {
  ViewState state;
  GraphPanel panel(&state);
  state.setRun(test::sampleRun("densenet121"));
  CHECK_FALSE(panel.isLayingOut());
  CHECK(panel.view()->graph().nodes.empty());
  panel.resize(400, 400);
  test::HeldPool held;
  panel.show();
  CHECK(panel.isLayingOut());
  CHECK(panel.cancelButton()->isVisible());
  QTest::mouseClick(panel.cancelButton(), Qt::LeftButton);
  CHECK_FALSE(panel.cancelButton()->isVisible());
  held.release();
  test::finishBackground();
  CHECK(panel.view()->graph().nodes.empty());
  CHECK(panel.emptyText().contains(QStringLiteral("cancelled")));
  panel.groups()->click();
  REQUIRE(test::comes([&] { return !panel.view()->graph().nodes.empty(); }));
  CHECK(panel.emptyText().isEmpty());
}
