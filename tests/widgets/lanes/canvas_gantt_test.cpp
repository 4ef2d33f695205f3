// Lanes while the axis is time: activities that can be pointed at, selected and walked.
#include <QTest>
#include <catch2/catch.hpp>

#include "tests/gui/native_support.h"
#include "tests/widgets/support.h"
#include "widgets/explain/activity_page.h"
#include "widgets/lanes/activity_text.h"
#include "widgets/text/run_text.h"

using namespace hw;
using namespace hw::test;

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
