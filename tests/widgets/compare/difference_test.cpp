// What the first plan below has that the plan on show has not, by figures, places and classes.

#include <QBarSet>
#include <QChartView>
#include <QHorizontalBarSeries>
#include <QSignalSpy>
#include <catch2/catch.hpp>

#include "core/machine/platforms.h"
#include "core/picture/chart_scene.h"
#include "core/run/options.h"
#include "core/shrink/tflm/row_file.h"
#include "tests/gui/native_support.h"
#include "tests/support/tflite_networks.h"
#include "tests/widgets/patience.h"
#include "tests/widgets/support.h"
#include "widgets/below/compare_maps.h"
#include "widgets/below/lock_step.h"
#include "widgets/charts/chart_style.h"
#include "widgets/compare/difference_panel.h"
#include "widgets/plot/painter_canvas.h"

using namespace hw;

namespace {

std::shared_ptr<const Run> planned(const char* sample, const char* allocator) {
  RunRequest request = test::requestBy(allocator);
  request.l2 = {.kind = PoolSize::Kind::bytes, .bytes = Bytes(256 * 1024)};
  return test::sampleRun(sample, request);
}

/// The sums of the bars of A and of B.
std::pair<double, double> sums(const DifferencePanel& panel) {
  const auto* series = qobject_cast<QHorizontalBarSeries*>(
      panel.findChild<QChartView*>()->chart()->series().front());
  return {series->barSets().at(0)->sum(), series->barSets().at(1)->sum()};
}

}  // namespace

TEST_CASE("the plan below is held against the one on show", "[compare][difference]") {
  ViewState state;
  DifferencePanel panel(&state);
  panel.resize(300, 700);
  panel.show();
  const auto a = planned("mobilenet_v2", "best");
  const auto b = planned("mobilenet_v2", "in-order");
  state.setRun(a);
  CHECK_FALSE(panel.difference());
  CHECK(panel.text().contains(QStringLiteral("second plan")));
  panel.setBelow(b);
  REQUIRE(test::comes([&] { return panel.difference() != nullptr; }));
  CHECK(panel.text().contains(QStringLiteral("in-order")));
  // What both put into the first memory, summed up here from the plans.
  const auto inFirst = [](const Run& run) {
    double bytes = 0;
    for (const StayId stay : run.problem.stays.keys()) {
      const auto& address = run.plan.addresses[stay];
      const BufferId buffer = run.problem.stays[stay].buffer;
      if (address && address->pool == PoolId(0)) {
        bytes += static_cast<double>(run.storage.buffers[buffer].size.count());
      }
    }
    return bytes;
  };
  CHECK(sums(panel) == std::pair(inFirst(*a), inFirst(*b)));
  QSignalSpy wanted(&panel, &DifferencePanel::divergenceWanted);
  panel.findChild<QPushButton*>()->click();
  CHECK(wanted.size() == 1);
  panel.setBelow(nullptr);
  CHECK_FALSE(panel.difference());
}

TEST_CASE("bars that grow into place are there in the end", "[compare][difference]") {
  ViewState state;
  DifferencePanel panel(&state);
  setChartMotion(panel, true);
  panel.resize(320, 700);
  panel.show();
  state.setRun(planned("mobilenet_v2", "best"));
  panel.setBelow(planned("mobilenet_v2", "in-order"));
  REQUIRE(test::comes([&] { return panel.difference() != nullptr; }));
  auto* chart = panel.findChild<QChartView*>();
  const auto pixelsOf = [&](std::size_t place) {
    const QRgb color = penOf(seriesStroke(place)).color().rgb();
    const QImage image = chart->grab().toImage();
    int count = 0;
    for (int y = 0; y < image.height(); ++y) {
      for (int x = 0; x < image.width(); ++x) count += image.pixel(x, y) == color ? 1 : 0;
    }
    return count;
  };
  CHECK(test::comes([&] { return pixelsOf(0) > 500 && pixelsOf(1) > 500; }));
  for (auto* choice : panel.findChildren<QComboBox*>()) {
    choice->setCurrentIndex(1);
    CHECK(test::comes([&] { return pixelsOf(0) > 500 && pixelsOf(1) > 500; }));
  }
}

TEST_CASE("a file in parts goes along with the model that it was made from, by its operators",
          "[compare][difference]") {
  const std::string file = test::publishedFile("resnet8", 32);
  const auto shrunk = shrinkForTflm(file, 4, {});
  REQUIRE(shrunk);
  REQUIRE(shrunk->best().operators > shrunk->ways.front().operators);
  RunRequest request = defaultRequest();
  request.allocator = AllocatorChoice::parse("embedded").value();
  ViewState a;
  ViewState b;
  LockStep both(&a, &b);
  a.setRun(test::fileRun(file, request));
  both.setB(test::fileRun(shrunk->file, request));
  const Graph& whole = a.run()->graph();
  const Graph& parts = b.run()->graph();
  REQUIRE(parts.wholes);
  std::size_t inParts = 0;
  for (Step step(0); step < a.steps(); step += Step(1)) {
    a.setStep(step);
    const OpId op = b.run()->schedule.opAt(b.step());
    const std::string& made =
        whole.tensors[whole.ops[a.run()->schedule.opAt(step)].outputs[0]].name;
    CHECK(parts.wholes->graph.ops[wholeOp(parts, op)].name == made);
    a.selectOp(a.run()->schedule.opAt(step));
    CHECK(wholeOp(parts, b.selectedOp()) == wholeOp(parts, op));
    const SameThings down(*a.run(), *b.run());
    const auto all = down.steps({step, step + Step(1)});
    REQUIRE(all);
    inParts += all->end - all->begin > Step(2) ? 1 : 0;
  }
  CHECK(inParts > 3);
  // And back: what is selected below is selected above.
  for (const StayId stay : b.run()->problem.stays.keys()) {
    b.select(stay);
    const TensorId of = wholeTensor(parts, b.run()->stayTensor(stay));
    REQUIRE(a.selected());
    CHECK(a.run()->stayName(a.selected()) == parts.wholes->graph.tensors[of].name);
  }
}

TEST_CASE("plans of two models stand side by side, matched by name", "[compare][difference]") {
  ViewState a;
  ViewState b;
  LockStep both(&a, &b);
  a.setRun(planned("resnet8", "best"));
  const auto other = planned("resnet50", "best");
  both.setB(other);
  REQUIRE(b.run() == other);
  // The first operator of both, its last and one in the middle.
  const auto share = [](const ViewState& state) {
    return static_cast<double>(state.step().count()) / static_cast<double>(state.steps().count());
  };
  for (const std::int64_t step : {std::int64_t{0}, a.steps().count() / 2, a.steps().count() - 1}) {
    a.setStep(Step(step));
    CHECK(std::abs(share(a) - share(b)) <= 1.0 / static_cast<double>(a.steps().count()));
  }
  a.setVisible(0, a.length() / 2);
  CHECK(b.visibleEnd() == Approx(b.length() / 2).margin(2));
  // A tensor that both call the same.
  bool any = false;
  for (const StayId stay : a.run()->problem.stays.keys()) {
    a.select(stay);
    if (!b.selected()) continue;
    any = true;
    CHECK(b.run()->stayName(b.selected()) == a.run()->stayName(stay));
  }
  CHECK(any);
  // Another model on show has nothing to do with what was held against the first.
  a.setRun(planned("squeezenet", "best"));
  CHECK_FALSE(b.run());
}
