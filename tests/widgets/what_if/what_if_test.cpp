// The machine dragged: what it would make of the plan, and taking it over.
#include <QTest>
#include <catch2/catch.hpp>
#include <set>

#include "core/machine/platforms.h"
#include "tests/gui/native_support.h"
#include "tests/widgets/patience.h"
#include "tests/widgets/support.h"
#include "widgets/what_if/what_if_panel.h"

using namespace hw;

namespace {

bool waitForOutcome(const WhatIfPanel& panel) {
  return test::comes([&] { return panel.outcome() != nullptr; });
}

/// A panel that has worked out what its machine makes of a run.
struct Tried {
  explicit Tried(QSize size) {
    panel.resize(size);
    panel.show();
    state.setRun(run);
    REQUIRE(waitForOutcome(panel));
  }

  /// On an array that may have any number of multipliers.
  std::shared_ptr<const Run> run = test::movedRun("squeezenet", "greedy-by-size", "ethos-u85-512");
  ViewState state;
  WhatIfPanel panel{&state};
};

}  // namespace

TEST_CASE("a slider changes latency without planning, L2 plans again", "[what-if]") {
  Tried tried({360, 500});
  const auto& run = tried.run;
  WhatIfPanel& panel = tried.panel;
  CHECK(panel.outcome() == run);
  CHECK(panel.change().empty());
  panel.slider(QStringLiteral("macs"))->setValue(16);
  CHECK_FALSE(panel.outcome());
  REQUIRE(waitForOutcome(panel));
  const auto faster = panel.outcome();
  CHECK(panel.change().tuning.macs.value() > 3.9 * tuningOf(run->request.platform).macs.value());
  CHECK(faster->timing.makespan < run->timing.makespan);
  CHECK(faster->plan.addresses == run->plan.addresses);
  // The same as opening that machine and planning for it.
  const auto request = whatIfRequest(*run, panel.change());
  REQUIRE(request);
  CHECK(execute(run->model, *request, {}).value()->timing.digest == faster->timing.digest);
  panel.reset();
  REQUIRE(waitForOutcome(panel));
  CHECK(panel.outcome() == run);
  panel.slider(QStringLiteral("l2"))->setValue(8);
  REQUIRE(waitForOutcome(panel));
  CHECK(panel.outcome()->problem.pools[PoolId(0)].capacity.value() ==
        *run->problem.pools[PoolId(0)].capacity * 2);
}

TEST_CASE("a slider stops at the sizes in which an array is built", "[what-if]") {
  ViewState state;
  WhatIfPanel panel(&state);
  panel.resize(360, 500);
  panel.show();
  state.setRun(test::sampleRun("resnet8", test::requestBy("greedy-by-size", "ethos-u55-256")));
  REQUIRE(waitForOutcome(panel));
  std::set<double> sizes;
  for (int at = -24; at <= 24; at += 3) {
    panel.slider(QStringLiteral("macs"))->setValue(at);
    sizes.insert(panel.change().tuning.macs.value_or(256));
    REQUIRE(waitForOutcome(panel));
  }
  CHECK(sizes == std::set<double>{32, 64, 128, 256, 512});
}

TEST_CASE("what was tried is taken over as a request that can be written down", "[what-if]") {
  Tried tried({360, 500});
  WhatIfPanel& panel = tried.panel;
  auto* take = test::part<QPushButton>(panel, "whatIfTake");
  CHECK_FALSE(take->isEnabled());
  panel.slider(QStringLiteral("channels"))->setValue(4);
  panel.slider(QStringLiteral("dma"))->setValue(8);
  REQUIRE(waitForOutcome(panel));
  REQUIRE(take->isEnabled());
  RunRequest wanted;
  QObject::connect(&panel, &WhatIfPanel::machineWanted,
                   [&](const RunRequest& request) { wanted = request; });
  take->click();
  REQUIRE(wanted.platform.devices.size() == 1);
  const auto again = openPlatform(platformText(wanted.platform));
  REQUIRE(again);
  CHECK(tuningOf(*again) == tuningOf(wanted.platform));
  CHECK(tuningOf(*again).channels == 4U);
}

TEST_CASE("without times there is nothing to drag, and the panel says why", "[what-if]") {
  ViewState state;
  WhatIfPanel panel(&state);
  panel.show();
  auto* note = test::part<QLabel>(panel, "whatIfNote");
  CHECK(note->text().contains(QStringLiteral("Open a model")));
  state.setRun(test::smallRun());
  CHECK(note->text().contains(QStringLiteral("Nothing of this run is timed")));
  for (const char* name : {"l2", "dma", "channels", "macs"}) {
    CHECK_FALSE(panel.slider(QLatin1String(name))->isEnabled());
  }
}

TEST_CASE("what another machine would make of it is worked out when the panel comes into sight",
          "[what-if]") {
  const auto run = test::movedRun();
  ViewState state;
  QWidget window;
  window.resize(500, 500);
  // Docks put panels behind another tab there.
  WhatIfPanel panel(&state, &window);
  panel.setGeometry(-2000, 0, 300, 480);
  window.show();
  REQUIRE(QTest::qWaitForWindowExposed(&window));
  state.setRun(run);
  test::finishBackground();
  CHECK_FALSE(panel.outcome());
  panel.move(0, 0);
  REQUIRE(waitForOutcome(panel));
  const auto* note = test::part<QLabel>(panel, "whatIfNote");
  CHECK(note->text().startsWith(QStringLiteral("Critical path")));
}

TEST_CASE("a narrow panel keeps what it would be and how much that changes", "[what-if]") {
  Tried tried({230, 480});
  WhatIfPanel& panel = tried.panel;
  for (const char* name : {"whatIfNow0", "whatIfNow1", "whatIfNow2", "whatIfTake", "whatIfReset"}) {
    CAPTURE(name);
    const auto* part = panel.findChild<QWidget*>(QLatin1String(name));
    CHECK(part->mapTo(&panel, part->rect().topRight()).x() < panel.width());
  }
  CHECK(panel.slider(QStringLiteral("l2"))->width() >= 40);
}
