#include "widgets/graph/graph_panel.h"

#include <QTest>
#include <catch2/catch.hpp>

#include "app/gui/request/arguments.h"
#include "core/import/samples.h"
#include "core/insight/explain.h"
#include "tests/widgets/patience.h"
#include "tests/widgets/support.h"
#include "widgets/base/theme.h"

using namespace hw;

namespace {

std::shared_ptr<const Run> sampleRun(const std::string& name) {
  auto model = openModel("samples:" + name, {});
  REQUIRE(model);
  auto run = execute(std::make_shared<const Model>(*std::move(model)), defaultRequest(), {});
  REQUIRE(run);
  return *run;
}

/// A panel that shows the graph of a run.
struct Shown {
  ViewState state;
  GraphPanel panel{&state};

  explicit Shown(std::shared_ptr<const Run> run) {
    state.setRun(std::move(run));
    panel.resize(500, 600);
    panel.show();
    wait();
  }
  void wait() {
    REQUIRE(QTest::qWaitFor([&] { return !panel.isLayingOut(); }, test::kPatience));
    QCoreApplication::processEvents();
  }
  GraphView* view() { return panel.view(); }
  QPoint onScreen(std::size_t node) {
    return view()->mapFromScene(view()->nodeItem(node)->scenePos());
  }
  std::size_t nodeOf(OpId op) { return *view()->graph().nodeOf(op); }
};

}  // namespace

TEST_CASE("every op of a small model is a box and its tensors are edges", "[graph]") {
  Shown shown(sampleRun("mobilenet_v2"));
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
  Shown shown(sampleRun("mobilenet_v2"));
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
  Shown shown(sampleRun("mobilenet_v2"));
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
  Shown shown(sampleRun("mobilenet_v2"));
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
  Shown shown(sampleRun("mobilenet_v2"));
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
  Shown shown(sampleRun("mobilenet_v2"));
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
  Shown shown(sampleRun("mobilenet_v2"));
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

TEST_CASE("hostile names are drawn, elided and escaped", "[graph]") {
  auto run = std::make_shared<Run>(*test::smallRun());
  auto model = std::make_shared<Model>(*run->model);
  auto graph = std::make_shared<Graph>(*model->graph);
  graph->ops[OpId(0)].name = std::string(5'000, 'x') + "\x01\x1b<img src=x onerror=y>";
  graph->ops[OpId(1)].type = "<b>\xff\xfe</b>";
  model->graph = graph;
  run->model = model;
  Shown shown(run);
  for (const GraphNode& node : shown.view()->graph().nodes) {
    CHECK(node.detail.size() < 1'000);
    for (const QChar letter : node.title + node.detail) CHECK(letter.unicode() >= 32);
  }
  CHECK_FALSE(shown.view()->grab().isNull());
}

TEST_CASE("nothing is laid out before somebody looks, and it can be cancelled", "[graph]") {
  ViewState state;
  GraphPanel panel(&state);
  state.setRun(sampleRun("densenet121"));
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
  REQUIRE(QTest::qWaitFor([&] { return !panel.view()->graph().nodes.empty(); }, test::kPatience));
  CHECK(panel.emptyText().isEmpty());
}
