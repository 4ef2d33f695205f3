// What a run can be told: its settings, the sheet of all, and the popup with the values of one.

#include <QSignalSpy>
#include <QTest>
#include <catch2/catch.hpp>

#include "core/run/options.h"
#include "tests/widgets/patience.h"
#include "tests/widgets/support.h"
#include "widgets/form/setting_sheet.h"
#include "widgets/text/run_text.h"

using namespace hw;

namespace {

const Setting& named(const std::vector<Setting>& settings, const std::string& name) {
  const auto found = std::ranges::find(settings, name, &Setting::name);
  INFO(name);
  REQUIRE(found != settings.end());
  return *found;
}

}  // namespace

TEST_CASE("every setting takes the values that it offers, and gives them back", "[setting]") {
  const std::string allocator = GENERATE("best:nodes=7", "free-list:pick=best", "none");
  RunRequest request = defaultRequest();
  request.allocator = AllocatorChoice::parse(allocator).value();
  request.alignment = Bytes(512);
  request.l2 = {.kind = PoolSize::Kind::bytes, .bytes = Bytes(999'936)};
  const auto run = test::sampleRun("resnet8", request);
  const auto settings = settingsOf(run);
  for (const Setting& setting : settings) {
    INFO(setting.name);
    CHECK_FALSE(setting.label.empty());
    CHECK_FALSE(setting.help.empty());
    const bool offers = !setting.values.empty();
    if (offers) CHECK(std::ranges::find(setting.values, setting.now) != setting.values.end());
    for (const std::string& value : offers ? setting.values : std::vector{setting.now}) {
      INFO(value);
      const auto changed = setting.with(value);
      REQUIRE(changed);
      const auto again = std::make_shared<Run>(*run);
      again->request = *changed;
      CHECK(named(settingsOf(again), setting.name).now == value);
    }
  }
  CHECK(named(settings, "align").now == "512");
  CHECK_FALSE(named(settings, "align").isStandard());
  CHECK(named(settings, "seed").isStandard());
}

TEST_CASE("parameters follow their allocator, and bad values are named", "[setting]") {
  RunRequest request = defaultRequest();
  request.allocator = AllocatorChoice::parse("free-list:threshold=4KiB").value();
  const auto settings = settingsOf(test::sampleRun("resnet8", request));
  const Setting& threshold = named(settings, "allocator:threshold");
  CHECK_FALSE(threshold.isStandard());
  CHECK(threshold.with("8KiB")->allocator.text() == "free-list:threshold=8KiB");
  const auto bad = threshold.with("lots");
  REQUIRE_FALSE(bad);
  CHECK(bad.error().text().find("threshold") != std::string::npos);
}

TEST_CASE("a planning problem has no settings about operators", "[setting]") {
  const auto problem = test::makeRun({{"a", 40, 0, 2}, {"b", 30, 1, 3}});
  auto model = std::make_shared<Model>();
  model->graph = problem->model->graph;
  model->problem = problem->problem;
  auto run = std::make_shared<Run>(*problem);
  run->model = model;
  run->request = planningRequest();
  const auto settings = settingsOf(run);
  CHECK_FALSE(named(settings, "alias").whyNot.empty());
  CHECK_FALSE(named(settings, "order").whyNot.empty());
  CHECK(named(settings, "align").whyNot.empty());
  CHECK(named(settings, "allocator").whyNot.empty());
}

TEST_CASE("one sees what fits before a setting is chosen", "[setting]") {
  SettingChoice choice;
  SettingSheet sheet(&choice);
  sheet.resize(280, 500);
  sheet.show();
  const auto run = test::sampleRun("resnet8");
  sheet.setRun(run);
  const auto isL2 = [](const auto& row) { return row && row->name == "l2"; };
  const auto l2 = std::ranges::find_if(sheet.rows(), isL2) - sheet.rows().begin();
  Q_EMIT sheet.cellActivated(static_cast<int>(l2), 0);
  REQUIRE(choice.isVisible());
  const QTableWidget& table = *choice.table();
  const auto at = [&](int row, int column) { return table.item(row, column)->text(); };
  const QString dots = QStringLiteral("\u2026");
  REQUIRE(test::comes([&] { return at(table.rowCount() - 1, 1) != dots; }));
  bool some = false;
  for (int row = 0; row < table.rowCount(); ++row) {
    INFO(at(row, 0).toStdString());
    const auto request =
        readRequest({{"l2", {at(row, 0).toStdString()}}}, run->request, "").value();
    const auto planned = execute(run->model, request, {}).value();
    CHECK(at(row, 1) ==
          (fits(*planned) ? sizeText(figuresOf(*planned).peakL2) : QStringLiteral("does not fit")));
    some = some || fits(*planned);
    CHECK(table.item(row, 0)->font().bold() == (at(row, 0) == QStringLiteral("platform")));
  }
  CHECK(some);
  QSignalSpy chosen(&choice, &SettingChoice::chosen);
  auto* text = choice.findChild<QLineEdit*>(QStringLiteral("settingText"));
  text->setText(QStringLiteral("12 parsecs"));
  QTest::keyClick(text, Qt::Key_Return);
  CHECK(choice.error().contains(QStringLiteral("12 parsecs")));
  CHECK(chosen.isEmpty());
  text->setText(QStringLiteral("48KiB"));
  QTest::keyClick(text, Qt::Key_Return);
  REQUIRE(chosen.count() == 1);
  CHECK(chosen.at(0).at(0).value<RunRequest>().l2.bytes == Bytes(48 * 1024));
  CHECK_FALSE(choice.isVisible());
}

TEST_CASE("the sheet of settings cuts nothing off, and headings do nothing", "[setting]") {
  SettingChoice choice;
  SettingSheet sheet(&choice);
  sheet.resize(240, 400);
  sheet.show();
  sheet.setRun(test::sampleRun("resnet8"));
  REQUIRE_FALSE(sheet.rows().front());
  Q_EMIT sheet.cellClicked(0, 0);
  CHECK_FALSE(choice.isVisible());
  const int right = sheet.visualItemRect(sheet.item(1, 1)).right();
  CHECK(right <= sheet.viewport()->width());
  CHECK(sheet.columnWidth(0) < sheet.viewport()->width() * 3 / 4);
}
