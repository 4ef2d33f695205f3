// Lanes while the axis is time: activities that can be pointed at, selected and walked.

#include <QAction>
#include <QTest>
#include <catch2/catch.hpp>

#include "core/import/samples.h"
#include "core/insight/latency_words.h"
#include "core/machine/platforms.h"
#include "tests/gui/native_support.h"
#include "tests/widgets/support.h"
#include "widgets/base/theme.h"
#include "widgets/explain/inspector_text.h"
#include "widgets/lanes/lane_store.h"
#include "widgets/text/run_text.h"

using namespace hw::test;
using namespace hw;

namespace {

std::shared_ptr<const Run> plannedOn(const char* sample, const char* allocator,
                                     const char* platform) {
  return sampleRun(sample, requestBy(allocator, platform));
}

SimTime sumOfLane(const LaneStore& lanes, std::size_t lane) {
  SimTime sum;
  for (Step step; step < lanes.steps(); step += Step(1)) sum += lanes.busyTime(lane, step);
  return sum;
}

std::vector<std::string> laneNames(const LaneStore& lanes) {
  std::vector<std::string> names;
  for (const Lane& lane : lanes.lanes()) names.push_back(lane.name);
  return names;
}

}  // namespace

TEST_CASE("lanes hold the times of the simulation, and each step waits for the slowest",
          "[canvas]") {
  const auto run = plannedOn("resnet50", "best", "a100");  // One unit.
  const LaneStore lanes = LaneStore::of(*run);
  REQUIRE(lanes.steps() == run->schedule.steps());
  REQUIRE(laneNames(lanes).size() == 3);
  SimTime whole;
  for (Step step; step < lanes.steps(); step += Step(1)) {
    CAPTURE(step.count());
    const OpTiming& op = run->timing.ops[static_cast<std::size_t>(step.count())];
    CHECK(lanes.timeOf(step) == op.time.length());
    CHECK(lanes.busyTime(0, step) == op.compute);
    CHECK(lanes.busyTime(1, step) == op.memory[PoolId(0)]);
    CHECK(lanes.busyTime(2, step) == op.memory[PoolId(1)]);
    whole += lanes.timeOf(step);
    // Told by the simulation itself, in another way: what limits the op.
    const std::size_t expected =
        op.bottleneck.kind == Bottleneck::Kind::memory ? 1 + op.bottleneck.pool.index() : 0;
    for (std::size_t lane = 0; lane < 3; ++lane) {
      const LaneStore::Part part = lanes.part(lane, step);
      CHECK(part.decides == (op.bottleneck != Bottleneck() && lane == expected));
      CHECK(part.begin == 0);
      CHECK(part.end <= 1);
    }
  }
  CHECK(whole == run->timing.makespan);
  const LaneStore::Share all = lanes.share(0, Step(0), lanes.steps());
  CHECK(all.busy == Approx(double(sumOfLane(lanes, 0).count()) / double(whole.count())));
  CHECK(all.deciding <= all.busy);
}

TEST_CASE("several devices have lanes of their own, and copies between them one more", "[canvas]") {
  const auto run = plannedOn("resnet8", "partition", "two-devices");
  const LaneStore lanes = LaneStore::of(*run);
  const auto names = laneNames(lanes);
  CHECK(std::ranges::find(names, "A/mac") != names.end());
  CHECK(std::ranges::find(names, "B/cpu") != names.end());
  REQUIRE(names.back() == "copies");
  SimTime copied;
  for (const TransferTiming& copy : run->timing.transfers) copied += copy.time.length();
  CHECK(copied > SimTime());
  CHECK(sumOfLane(lanes, lanes.lanes().size() - 1) == copied);
  // Copies come first in a step, the op after them.
  const Step step = run->timing.transfers.front().step;
  const LaneStore::Part copy = lanes.part(lanes.lanes().size() - 1, step);
  CHECK(copy.begin == 0);
  CHECK(copy.end > 0);
  for (std::size_t lane = 0; lane + 1 < lanes.lanes().size(); ++lane) {
    const LaneStore::Part part = lanes.part(lane, step);
    if (part.end > part.begin) CHECK(part.begin == Approx(copy.end));
  }
  SimTime whole;
  for (Step at; at < lanes.steps(); at += Step(1)) whole += lanes.timeOf(at);
  CHECK(whole == run->timing.makespan);
}

TEST_CASE("a planning problem has no lanes, and the view says why", "[canvas]") {
  const auto run = plannedOn("three_sizes", "best", "generic-npu");
  CHECK(LaneStore::of(*run).lanes().empty());
  ViewState state;
  LanesView view(&state);
  view.resize(600, 100);
  state.setRun(run);
  CHECK(view.lanes().lanes().empty());
  view.grab();
}

TEST_CASE("lanes are shown, pointed at, clicked and zoomed like all views of the column",
          "[canvas]") {
  QTemporaryDir folder;
  {
    Settings settings(storeIn(folder));
    Studio window(&settings);
    window.resize(1400, 1000);
    window.show();
    openAndWait(window, QStringLiteral("samples:resnet50"));
    LanesView* lanes = window.lanes();
    CHECK_FALSE(lanes->isVisible());
    window.activateWindow();
    REQUIRE(QTest::qWaitForWindowActive(&window));
    QTest::keyClick(&window, Qt::Key_L, Qt::ShiftModifier);
    REQUIRE(lanes->isVisible());
    QTest::qWait(20);
    REQUIRE(lanes->lanes().lanes().size() == 4);  // Two units, two memories.
    const QPoint middle = lanes->laneRect(2).center();
    CHECK(lanes->textAt(middle).contains(QStringLiteral("the step waits for it")));
    CHECK(lanes->textAt({2, middle.y()}).isEmpty());
    QTest::mouseClick(lanes, Qt::LeftButton, {}, middle);
    const Step there = window.state()->step();
    CHECK(lanes->textAt(middle).contains(QStringLiteral("step %1").arg(there.count())));
    // Marking with Ctrl does not move the moment.
    QTest::mousePress(lanes, Qt::LeftButton, Qt::ControlModifier, middle);
    QTest::mouseMove(lanes, middle + QPoint(120, 0));
    QTest::mouseRelease(lanes, Qt::LeftButton, Qt::ControlModifier, middle + QPoint(120, 0));
    CHECK(window.state()->markedSteps());
    CHECK(window.state()->step() == there);
    const Picture picture = window.picture({.kind = PictureKind::lanes}, {800, 120});
    CHECK(picture.paint);
  }
  Settings settings(storeIn(folder));
  Studio window(&settings);
  CHECK(action(window, "showLanes")->isChecked());
  CHECK_FALSE(window.lanes()->isHidden());
}

TEST_CASE("zoomed out, a bar is as high as its share; zoomed in, as wide as its time", "[canvas]") {
  const auto run = plannedOn("resnet50", "best", "generic-npu");
  ViewState state;
  LanesView view(&state);
  view.resize(700, 120);
  state.setRun(run);
  state.setVisible(0, static_cast<double>(state.steps().count()));
  const auto colored = [&](std::size_t lane, const QColor& color) {
    const QImage image = view.grab().toImage();
    const QRect row = view.laneRect(lane);
    int count = 0;
    for (int y = row.top(); y <= row.bottom(); ++y) {
      for (int x = row.left(); x <= row.right(); ++x) count += image.pixelColor(x, y) == color;
    }
    return double(count) / (row.width() * row.height());
  };
  // A single step over the whole width: the strong part is its share of time to a pixel.
  Step step(0);
  while (!view.lanes().part(0, step).decides) step += Step(1);
  const auto at = static_cast<double>(step.count());
  state.setVisible(at, at + 1);
  const LaneStore::Part part = view.lanes().part(0, step);
  CHECK(colored(0, Theme::current().highWater) == Approx(part.end - part.begin).margin(0.06));
}

TEST_CASE("a click on an activity selects it, one beside all moves the moment", "[canvas][time]") {
  const auto run = test::movedRun();
  ViewState state;
  LanesView view(&state);
  view.resize(1100, 160);
  view.show();
  state.setRun(run);
  CHECK(view.gantt().rows().empty());
  state.setAxis(AxisUnit::time);
  REQUIRE(view.gantt().rows().size() >= 2);
  CHECK(view.lanes().lanes().empty());
  for (std::size_t row = 0; row < view.gantt().rows().size(); ++row) {
    const auto bars = view.gantt().bars(row);
    const auto longest =
        std::ranges::max_element(bars, {}, [](const GanttBar& bar) { return bar.end - bar.begin; });
    const QRect lane = view.laneRect(row);
    const double middle = (onAxis(longest->begin) + onAxis(longest->end)) / 2;
    const QPoint at(lane.left() + static_cast<int>(middle * lane.width() / state.length()),
                    lane.center().y());
    REQUIRE(view.activityAt(at) == longest->activity);
    CHECK(view.textAt(at).contains(timeText(longest->begin)));
    const Step before = state.step();
    QTest::mouseClick(&view, Qt::LeftButton, {}, at);
    CHECK(state.selectedActivity() == longest->activity);
    CHECK(state.step() == before);
    const Activity& what = run->timing.activities.activities[longest->activity];
    CHECK(state.selectedOp() == what.op);
    CHECK(state.selected() == (what.to ? what.to : what.from));
    const QImage with = view.grab().toImage();
    state.select({});
    CHECK_FALSE(state.selectedActivity());
    CHECK(view.grab().toImage() != with);
  }
  state.setAxis(AxisUnit::step);
  CHECK(view.gantt().rows().empty());
  CHECK_FALSE(view.lanes().lanes().empty());
}

TEST_CASE("the lane of a port says its rate under the pointer, and who has it", "[canvas][time]") {
  const auto run = test::movedRun();
  ViewState state;
  LanesView view(&state);
  view.resize(1100, 260);
  view.show();
  state.setRun(run);
  state.setAxis(AxisUnit::time);
  const std::vector<PortLane>& ports = view.gantt().ports();
  REQUIRE(ports.size() >= 2);
  for (std::size_t port = 0; port < ports.size(); ++port) {
    const PortLane& lane = ports[port];
    const auto& steps = lane.curve().steps;
    const auto longest = std::ranges::max_element(
        steps, {}, [](const PortStep& step) { return step.end - step.begin; });
    const QRect row = view.laneRect(view.gantt().rows().size() + port);
    CHECK(row.height() > 0);
    const double middle = (onAxis(longest->begin) + onAxis(longest->end)) / 2;
    const QPoint at(row.left() + static_cast<int>(middle * row.width() / state.length()),
                    row.center().y());
    CHECK_FALSE(view.activityAt(at));
    const QString text = view.textAt(at);
    CAPTURE(text.toStdString(), lane.name());
    CHECK(text.startsWith(viewText(lane.name())));
    CHECK(text.contains(viewText(lane.rateWords(longest->bytesPerSecond()))));
    const auto flows = flowsAt(run->timing.activities, run->timing.times, lane.curve().port,
                               SimTime(std::llround(middle)));
    REQUIRE_FALSE(flows.empty());
    CHECK(text.contains(viewText(activityWords(*run, flows.front()))));
  }
  // Read aloud as well, behind the engines.
  const PlotRows rows = view.spokenRows();
  CHECK(std::ranges::any_of(rows.cells, [&](const QStringList& row) {
    return row[0] == viewText(ports.front().name()) && row[1].contains(QStringLiteral("B/s"));
  }));
}

TEST_CASE("the critical path is walked from its first activity to its last", "[canvas][time]") {
  const auto run = test::movedRun();
  const auto& path = run->timing.account.criticalPath;
  std::vector<ActivityId> walked;
  for (ActivityId at = nextOnPath(*run, {}); at; at = nextOnPath(*run, at)) {
    walked.push_back(at);
    REQUIRE(walked.size() <= path.size());
  }
  CHECK(walked == path);
  // From beside it, on where it goes on.
  for (const ActivityId id : run->timing.times.keys()) {
    const ActivityId next = nextOnPath(*run, id);
    if (std::ranges::find(path, id) != path.end()) continue;
    REQUIRE(next);
    const bool later = run->timing.times[next].start >= run->timing.times[id].end;
    CHECK((later || next == path.back()));
  }
}

TEST_CASE("the inspector tells of an activity when it ran and why not earlier", "[canvas][time]") {
  const auto run = test::movedRun();
  for (const ActivityId id : run->timing.times.keys()) {
    const QString page = activityPage(*run, id);
    const ActivityTime& time = run->timing.times[id];
    CAPTURE(id.index());
    CHECK(page.contains(timeText(time.start)));
    CHECK(page.contains(timeText(time.end)));
    CHECK(page.contains(timeText(time.flow)));
    if (!time.cause) continue;
    const auto rule = static_cast<std::size_t>(time.cause->rule);
    CHECK(page.contains(QString::fromUtf8(kWaitRuleNames[rule].data(),
                                          static_cast<qsizetype>(kWaitRuleNames[rule].size()))));
    CHECK(page.contains(QStringLiteral("activity:%1'").arg(time.cause->activity.index())));
  }
}
