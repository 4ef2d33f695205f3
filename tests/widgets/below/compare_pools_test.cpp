#include <QMenu>
#include <QTest>
#include <QToolButton>
#include <catch2/catch.hpp>

#include "core/import/samples.h"
#include "core/machine/platforms.h"
#include "tests/gui/native_support.h"
#include "widgets/map/minimap.h"

using namespace hw;
using namespace hw::test;

namespace {

std::shared_ptr<const Model> twoDevices() {
  return std::make_shared<const Model>(openModel("samples:two_devices", {}).value());
}

std::shared_ptr<const Run> planned(const std::shared_ptr<const Model>& model, const char* name) {
  RunRequest request;
  request.allocator = AllocatorChoice::parse(name).value();
  request.platform = openPlatform("two-devices").value();
  return execute(model, request, {}).value();
}

void show(Studio& window, const std::shared_ptr<const Run>& run) {
  RunRequest request;
  request.model = "samples:two_devices";
  request = run->request;
  window.resize(1400, 1000);
  window.show();
  window.show(request, {.run = run, .violations = {}});
}

/// Names of the pools whose maps are on show, from top to bottom.
std::vector<std::string> shownPools(const Studio& window, const Run& run) {
  std::vector<std::string> names;
  for (const MapView* map : window.compareMaps()->shownMaps()) {
    names.push_back(run.problem.pools[map->pool()].name);
  }
  return names;
}

}  // namespace

TEST_CASE("every memory that something lives in has a map, however many there are", "[compare]") {
  Settings none;
  Studio window(&none);
  const auto model = twoDevices();
  const auto split = planned(model, "partition");
  REQUIRE(split->problem.pools.size() == 4);
  show(window, split);
  CHECK(shownPools(window, *split) == std::vector<std::string>{"A/L2", "B/L2"});
  const StayId inB = [&] {
    for (const StayId stay : split->problem.stays.keys()) {
      if (split->plan.addresses[stay]->pool == PoolId(2)) return stay;
    }
    return StayId();
  }();
  REQUIRE(inB);
  // It can be pointed at, like those of the first device.
  MapView* map = window.maps()[2];
  const auto steps = split->problem.stays[inB].steps;
  window.state()->setVisible(static_cast<double>(steps.begin.count()),
                             static_cast<double>(steps.end.count()));
  QTest::qWait(20);
  map->grab();
  const Bytes middle = split->plan.addresses[inB]->offset + Bytes(1);
  const MapWindow seen = map->window();
  const QRect plot = map->plotArea();
  const double y = plot.bottom() - (static_cast<double>(middle.count()) - seen.lowByte) /
                                       (seen.highByte - seen.lowByte) * plot.height();
  CHECK(map->stayAt({plot.center().x(), qRound(y)}));
  // One device below: its maps stand below A's, pool by pool.
  const auto whole = planned(model, "best");
  window.showBelow(whole);
  CHECK(shownPools(window, *split) == std::vector<std::string>{"A/L2", "A/L2", "B/L2"});
  window.showBelow(nullptr);
  CHECK(shownPools(window, *split) == std::vector<std::string>{"A/L2", "B/L2"});
}

TEST_CASE("a plan below may use memories that the one above does not", "[compare]") {
  Settings none;
  Studio window(&none);
  const auto model = twoDevices();
  const auto whole = planned(model, "best");
  const auto split = planned(model, "partition");
  show(window, whole);
  CHECK(window.compareMaps()->shownMaps().size() == 1);
  window.showBelow(split);
  CHECK(shownPools(window, *split) == std::vector<std::string>{"A/L2", "A/L2", "B/L2"});
  CHECK(window.compareMaps()->map(0, PoolId(2))->isVisible());
  CHECK_FALSE(window.maps()[2]->isVisible());
}

TEST_CASE("a map that joins keeps the addresses that were zoomed to", "[compare]") {
  Settings none;
  Studio window(&none);
  const auto model = twoDevices();
  const auto a = planned(model, "best");
  show(window, a);
  window.maps()[0]->setVisibleBytes(16, 80);
  window.showBelow(planned(model, "in-order"));
  for (const MapView* map : window.compareMaps()->shownMaps()) {
    if (map->pool() != PoolId(0)) continue;
    CHECK(map->window().lowByte == 16);
    CHECK(map->window().highByte == 80);
  }
}

TEST_CASE("chart and minimap show the memory that was chosen", "[compare]") {
  QTemporaryDir folder;
  Settings none;
  Studio window(&none);
  const auto model = twoDevices();
  show(window, planned(model, "partition"));
  window.activateWindow();
  REQUIRE(QTest::qWaitForWindowActive(&window));
  auto* minimap = window.findChild<Minimap*>();
  QToolButton* button = window.chart()->poolButton();
  CHECK(window.chart()->pool() == PoolId(0));
  CHECK(button->isVisible());
  QTest::keyClick(window.maps().front(), Qt::Key_L);
  CHECK(window.chart()->pool() == PoolId(2));
  CHECK(minimap->pool() == PoolId(2));
  // Its button offers those in use, and ticks the one on show.
  Q_EMIT button->menu()->aboutToShow();
  const auto entries = button->menu()->actions();
  REQUIRE(entries.size() == 2);
  CHECK(entries[1]->text() == QStringLiteral("B/L2"));
  CHECK(entries[1]->isChecked());
  // Another plan of the same machine: the choice stays.
  window.state()->setRun(planned(model, "partition:allocator=in-order"));
  CHECK(window.chart()->pool() == PoolId(2));
  entries[0]->trigger();
  CHECK(window.chart()->pool() == PoolId(0));
  CHECK(minimap->pool() == PoolId(0));
  // With one memory in use there is nothing to choose.
  window.state()->setRun(planned(model, "best"));
  CHECK(window.chart()->pool() == PoolId(0));
  CHECK_FALSE(button->isVisible());
  QTest::keyClick(window.maps().front(), Qt::Key_L);
  CHECK(window.messages()->isVisible());
}
