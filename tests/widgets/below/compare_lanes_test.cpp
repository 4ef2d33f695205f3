// Plans below have their lanes too: engines of both over one axis of time.
#include <QTest>
#include <catch2/catch.hpp>

#include "core/import/samples.h"
#include "core/machine/platforms.h"
#include "tests/gui/native_support.h"

using namespace hw;
using namespace hw::test;

namespace {

std::shared_ptr<const Run> enginesOf(const std::shared_ptr<const Model>& model,
                                     const char* allocator) {
  RunRequest request = defaultRequest();
  request.model = "samples:squeezenet";
  request.allocator = AllocatorChoice::parse(allocator).value();
  request.platform = openPlatform("ethos-u85-512").value();
  request.weights = {.rule = WeightRule::prefetch};
  return execute(model, request, {}).value();
}

}  // namespace

TEST_CASE("while lanes are on show, plans below show theirs", "[shell][compare][time]") {
  const auto model = std::make_shared<const Model>(openModel("samples:squeezenet", {}).value());
  const auto a = enginesOf(model, "best");
  const auto b = enginesOf(model, "none");
  Settings none;
  Studio window(&none);
  window.resize(1400, 1000);
  window.show();
  window.show(a->request, {.run = a, .violations = {}});
  CompareMaps& maps = *window.compareMaps();
  CHECK(maps.shownLanes().empty());
  window.showBelow(b);
  QTest::qWait(20);
  CHECK(maps.shownLanes().empty());  // Over steps they are not asked for.
  window.state()->setAxis(AxisUnit::time);
  QTest::qWait(20);
  REQUIRE(maps.shownLanes() == std::vector<LanesView*>{window.lanes(), maps.lanes(0)});
  const LanesView& first = *window.lanes();
  const LanesView& second = *maps.lanes(0);
  CHECK(second.isVisible());
  REQUIRE(first.gantt().rows().size() == second.gantt().rows().size());
  // One axis for both, below each other: it ends with the longer run.
  CHECK(window.state()->visibleEnd() == maps.state(0)->visibleEnd());
  CHECK(first.laneRect(0).left() == second.laneRect(0).left());
  CHECK(first.laneRect(0).width() == second.laneRect(0).width());
  CHECK(second.mapTo(&window, QPoint()).y() > first.mapTo(&window, QPoint()).y());
  CHECK(second.laneRect(0).height() >= 12);  // Names can be read.
  // The bars are those of its own run.
  for (std::size_t row = 0; row < second.gantt().rows().size(); ++row) {
    for (const GanttBar& bar : second.gantt().bars(row)) {
      REQUIRE(bar.end == b->timing.times[bar.activity].end);
    }
  }
  action(window, "showLanes")->trigger();
  CHECK(maps.shownLanes().empty());
  CHECK_FALSE(second.isVisible());
  action(window, "showLanes")->trigger();
  CHECK(second.isVisible());
  maps.clear();
  QTest::qWait(20);
  CHECK(maps.shownLanes() == std::vector<LanesView*>{window.lanes()});
  CHECK_FALSE(second.isVisible());
}
