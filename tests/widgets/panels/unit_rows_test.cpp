// Where a graph is dealt out to devices, the schedule says what is dispatched and managed together.
#include "widgets/panels/unit_rows.h"

#include "tests/widgets/method/method_support.h"
#include "widgets/panels/schedule_panel.h"

using namespace hw;
using namespace hw::test;

TEST_CASE("the schedule names units, and where they and sub-functions begin", "[schedule]") {
  const auto run = figure("two_devices", "partition", false);
  const UnitRows rows(*run);
  // conv1 | relu | conv2 on A, then add and softmax on B.
  QStringList names;
  std::vector<UnitRows::Begin> begins;
  for (int row = 0; row < 5; ++row) {
    names.append(rows.name(row));
    begins.push_back(rows.begin(row));
  }
  CHECK(names.join(QLatin1Char(' ')) == QStringLiteral("A/mac A/vec A/mac B/cpu B/cpu"));
  using enum UnitRows::Begin;
  CHECK(begins == std::vector{subFunction, unit, unit, subFunction, none});
  CHECK(rows.device(0) != rows.device(3));
  CHECK(rows.device(3) == rows.device(4));
  CHECK(rows.toolTip(4).contains(QStringLiteral("sub-function 1, dispatched to B: steps 3 to 4")));
  CHECK(rows.toolTip(1).contains(QStringLiteral("execution unit 1, on vec: steps 1 to 1")));
  CHECK(rows.name(5).isEmpty());
  CHECK(rows.name(-1).isEmpty());
}

TEST_CASE("the column of units is there where there are any", "[schedule]") {
  ViewState state;
  SchedulePanel panel(&state);
  panel.resize(400, 300);
  CHECK(panel.isColumnHidden(ScheduleModel::kUnit));
  state.setRun(figure("two_devices", "partition", false));
  CHECK_FALSE(panel.isColumnHidden(ScheduleModel::kUnit));
  CHECK(panel.model()->index(3, ScheduleModel::kUnit).data().toString() == QStringLiteral("B/cpu"));
  state.setRun(figure("two_devices", "free-list", false));
  CHECK(panel.isColumnHidden(ScheduleModel::kUnit));
}
