// The graph of a run whose operators run in parts: folded it is the graph of whole operators,
// judged by the picture of the plan without parts.
#include <QSignalSpy>
#include <QTest>
#include <catch2/catch.hpp>

#include "app/gui/request/arguments.h"
#include "core/graph/counterparts.h"
#include "core/graph/tiling.h"
#include "core/import/samples.h"
#include "tests/widgets/patience.h"
#include "widgets/graph/graph_panel.h"

using namespace hw;

namespace {

struct InParts {
  std::shared_ptr<const Model> model;
  std::shared_ptr<const Run> whole;
  std::shared_ptr<const Run> parts;
};

std::shared_ptr<const Run> cutRun(const std::shared_ptr<const Model>& model, TileRule rule,
                                  bool rows = false) {
  RunRequest request = defaultRequest();
  request.tile = rule;
  request.inputRows = rows;
  return execute(model, request, {}).value();
}

const InParts& sampleInParts() {
  static const InParts sample = [] {
    const auto model =
        std::make_shared<const Model>(openModel("samples:mobilenet_v2_int8", {}).value());
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

}  // namespace

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
    REQUIRE(QTest::qWaitFor([&] { return !panel.isLayingOut(); }, test::kPatience));
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
