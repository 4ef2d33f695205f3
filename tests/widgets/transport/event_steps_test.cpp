#include <QTableView>
#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "core/import/samples.h"
#include "core/machine/platforms.h"
#include "tests/widgets/support.h"
#include "widgets/panels/event_panel.h"
#include "widgets/text/text.h"
#include "widgets/transport/player.h"

using namespace hw;

namespace {

/// Memory events of later steps come before those of earlier ones.
std::shared_ptr<const Run> onTwoClusters(const std::string& sample) {
  RunRequest request;
  request.allocator = AllocatorChoice::parse("partition").value();
  request.platform = openPlatform("two-clusters").value();
  const auto model = std::make_shared<const Model>(openModel("samples:" + sample, {}).value());
  return execute(model, request, {}).value();
}

/// Runs on which steps follow one another, and such on which engines overlap.
std::shared_ptr<const Run> runNumber(int number) {
  switch (number) {
    case 0:
      return test::movedRun();
    case 1:
      return test::movedRun("inception", "two-sided");
    case 2:
      return onTwoClusters("squeezenet");
    case 3:
      return onTwoClusters("side_by_side");
    default:
      return test::randomRun(static_cast<std::uint64_t>(number), 60, 30);
  }
}

using Place = std::pair<std::size_t, Step>;

}  // namespace

TEST_CASE("stepping by event goes by what the axis counts, once through each, and back",
          "[transport]") {
  const int number = GENERATE(range(0, 8));
  const AxisUnit axis = GENERATE(AxisUnit::step, AxisUnit::time);
  CAPTURE(number, axis);
  const auto run = runNumber(number);
  ViewState state;
  Player player(&state);
  EventPanel log(&state);
  state.setRun(run);
  state.setAxis(axis);
  const auto here = [&] { return Place(state.moment(), state.step()); };
  const auto numberInLog = [&] {
    const QModelIndex row = log.table()->currentIndex();
    return row.siblingAtColumn(EventModel::kNumber).data().toString();
  };
  REQUIRE(player.eventCount() == run->timeline.size());
  std::vector<Place> places{here()};
  std::multiset<Place> visited;
  int backwards = 0;
  int othersNumbers = 0;
  for (std::size_t i = 1; i <= run->timeline.size(); ++i) {
    const double before = playheadOf(state);
    player.stepEvents(1);
    REQUIRE(player.eventIndex() == i);
    backwards += playheadOf(state) < before ? 1 : 0;
    othersNumbers += numberInLog() == grouped(i) ? 0 : 1;
    places.push_back(here());
    visited.insert(here());
  }
  CHECK(backwards == 0);
  CHECK(othersNumbers == 0);
  std::multiset<Place> all;
  for (const TimelineEntry& entry : run->timeline) all.insert({entry.lastEvent, entry.step});
  CHECK(visited == all);
  places.pop_back();
  std::size_t elsewhere = 0;
  for (auto place = places.rbegin(); place != places.rend(); ++place) {
    player.stepEvents(-1);
    elsewhere += here() == *place ? 0 : 1;
  }
  CHECK(elsewhere == 0);
}

TEST_CASE("the log has its rows in the order of the axis", "[transport]") {
  const auto run = onTwoClusters("squeezenet");
  REQUIRE_FALSE(std::ranges::is_sorted(run->timeline, {}, &TimelineEntry::step));
  ViewState state;
  EventPanel log(&state);
  state.setRun(run);
  for (const AxisUnit axis : {AxisUnit::step, AxisUnit::time, AxisUnit::step}) {
    state.setAxis(axis);
    const EventModel& model = *log.model();
    REQUIRE(model.rowCount() > 0);
    int backwards = 0;
    for (int row = 1; row < model.rowCount(); ++row) {
      const bool falls = axis == AxisUnit::step ? model.stepOf(row) < model.stepOf(row - 1)
                                                : model.momentOf(row) < model.momentOf(row - 1);
      backwards += falls ? 1 : 0;
    }
    CHECK(backwards == 0);
  }
}
