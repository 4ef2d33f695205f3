#include <QLabel>
#include <QMenu>
#include <QSignalSpy>
#include <QTest>
#include <catch2/catch.hpp>

#include "app/gui/studio.h"
#include "tests/gui/native_support.h"
#include "tests/widgets/patience.h"
#include "tests/widgets/support.h"
#include "widgets/find/command_palette.h"
#include "widgets/find/search_box.h"
#include "widgets/find/search_index.h"
#include "widgets/graph/graph_panel.h"

using namespace hw::test;
using namespace hw;

namespace {

std::vector<std::string> namesFound(const SearchIndex& index, const SearchResult& result) {
  std::vector<std::string> names;
  for (const SearchHit& hit : result.hits) {
    if (hit.kind == SearchHit::Kind::step) {
      names.push_back("step " + std::to_string(hit.step.count()));
    } else if (hit.op) {
      names.push_back(displayName(index.run().graph(), hit.op));
    } else {
      names.push_back(index.run().stayName(hit.stay));
    }
  }
  return names;
}

std::vector<std::string> found(const std::shared_ptr<const Run>& run, std::string_view query) {
  const SearchIndex index(run);
  return namesFound(index, index.find(query));
}

/// Selects by typing, waiting for the index. Only the active window has a cursor.
void type(SearchBox& box, const QString& text) {
  box.activateWindow();
  REQUIRE(QTest::qWaitForWindowActive(&box));
  box.begin();
  QTest::keyClicks(&box, text);
  REQUIRE(test::comes([&] { return box.result().found > 0 || !box.result().error.empty(); }));
}

CommandPalette* openPalette(Studio& window) {
  test::part<QAction>(window, "commandPalette")->trigger();
  auto* palette = window.findChild<CommandPalette*>();
  REQUIRE(palette);
  REQUIRE(palette->isVisible());
  return palette;
}

/// Names keep the menu they are from: "Simulate: Plan again".
int rowCalled(const PaletteModel& model, const QString& text) {
  for (int row = 0; row < model.rowCount(); ++row) {
    const QString& name = model.entry(row).text;
    if (name == text || name.endsWith(QStringLiteral(": ") + text)) return row;
  }
  return -1;
}

}  // namespace

TEST_CASE("whole matches come before prefixes, word starts, insides and loose ones", "[find]") {
  const std::vector<std::string> texts = {"conv", "conv_1", "a/conv", "deconv", "c_o_n_v"};
  int before = 1'000'000;
  for (const std::string& text : texts) {
    const auto score = fuzzyScore("conv", text, true);
    CAPTURE(text);
    REQUIRE(score);
    CHECK(*score < before);
    before = *score;
  }
  CHECK_FALSE(fuzzyScore("conv", "c_o_n_v", false));
  CHECK_FALSE(fuzzyScore("conv", "vnoc", true));
  CHECK(fuzzyScore("nlr7", "net/layer7/relu", true));  // Not the r of relu: no 7 follows it.
  CHECK(*fuzzyScore("conv", "conv_1", false) > *fuzzyScore("conv", "conv_11", false));
}

TEST_CASE("what a fuzzy match points at spells the pattern", "[find]") {
  const std::string text = "go to first divergence";
  for (const std::string pattern : {"gfd", "div", "divergence", "to", "gotofirst", "tfd"}) {
    const auto match = fuzzyMatch(pattern, text);
    CAPTURE(pattern);
    REQUIRE(match);
    std::string spelled;
    for (const std::size_t at : match->at) spelled += text[at];
    CHECK(spelled == pattern);
    CHECK(std::ranges::is_sorted(match->at));
  }
  CHECK_FALSE(fuzzyMatch("xyz", text));
}

TEST_CASE("names, sizes, addresses and steps are found", "[find]") {
  //   10 | b b .      a 4 bytes in step 0, b 6 in 0 and 1, c 3 in 1, d 10 in 2
  //    4 | a c .
  const auto run = test::smallRun();
  CHECK(found(run, "b") == std::vector<std::string>{"b"});
  CHECK(found(run, "op1") == std::vector<std::string>{"op1"});
  CHECK(found(run, ">5") == std::vector<std::string>{"d", "b"});
  CHECK(found(run, ">= 4") == std::vector<std::string>{"d", "b", "a"});
  CHECK(found(run, "<4") == std::vector<std::string>{"c"});
  CHECK(found(run, "=6 B") == std::vector<std::string>{"b"});
  CHECK(found(run, "3..4") == std::vector<std::string>{"a", "c"});
  CHECK(found(run, "0x3") == std::vector<std::string>{"a", "d"});
  CHECK(found(run, "0x9") == std::vector<std::string>{"b", "d"});
  CHECK(found(run, "#2") == std::vector<std::string>{"step 2"});
  CHECK(found(run, "step 1") == std::vector<std::string>{"step 1"});
  CHECK(found(run, "#3").empty());
  // A bare number may be a step, an address or part of a name.
  CHECK(found(run, "2") == std::vector<std::string>{"step 2", "a", "c", "d", "op2"});
  CHECK(found(run, "nothing like it").empty());
  CHECK(found(run, "   ").empty());
}

TEST_CASE("a size that is none is named, and finds nothing", "[find]") {
  const SearchIndex index(test::smallRun());
  for (const char* query : {">", "> many", "<64Foo", "4..x", "=-3"}) {
    CAPTURE(query);
    const SearchResult result = index.find(query);
    CHECK_FALSE(result.error.empty());
    CHECK(result.hits.empty());
  }
}

TEST_CASE("every stay found is there for the filter, though the list is cut", "[find]") {
  const auto run = test::randomRun(11, 2'000, 300);
  const SearchIndex index(run);
  const SearchResult result = index.find("t1");
  CHECK(result.hits.size() == SearchIndex::kMostHits);
  CHECK(result.found > result.hits.size());
  std::size_t kept = 0;
  for (const StayId stay : run->problem.stays.keys()) {
    const bool named = run->stayName(stay).find("t1") != std::string::npos;
    CHECK(result.stays[stay.index()] == named);
    kept += named;
  }
  CHECK(kept == result.found);
}

TEST_CASE("a hundred thousand names are all searched", "[find]") {
  auto run = std::make_shared<Run>(*test::smallRun());
  auto model = std::make_shared<Model>(*run->model);
  auto graph = std::make_shared<Graph>(*model->graph);
  for (int i = 0; i < 100'000; ++i) {
    graph->tensors.add({.name = "network/stage" + std::to_string(i % 7) + "/layer" +
                                std::to_string(i) + "/Relu:0"});
    run->storage.slots.add(std::nullopt);
  }
  model->graph = graph;
  run->model = model;
  const SearchIndex index(run);
  CHECK(index.find("layer9999").found == 11);  // Itself, and 99990 to 99999.
  CHECK(index.find("relu").found == 100'000);
  CHECK(index.find("stage3/layer").found == 14'286);  // 3, 10, 17, … below 100,000.
  CHECK(index.find("zzz").found == 0);
}

TEST_CASE("typing lists what is found; Down and Enter choose", "[find]") {
  ViewState state;
  state.setRun(test::randomRun(5, 60, 30));
  SearchBox box(&state);
  box.resize(200, 26);
  box.show();
  QSignalSpy chosen(&box, &SearchBox::chosen);
  type(box, QStringLiteral("t1"));
  CHECK(box.isListOpen());
  CHECK(box.list()->currentIndex().row() == 0);
  QTest::keyClick(&box, Qt::Key_Down);
  CHECK(box.list()->currentIndex().row() == 1);
  QTest::keyClick(&box, Qt::Key_Up);
  QTest::keyClick(&box, Qt::Key_Return);
  CHECK_FALSE(box.isListOpen());
  REQUIRE(chosen.size() == 1);
  const auto hit = chosen[0][0].value<SearchHit>();
  CHECK(state.run()->stayName(hit.stay) == "t1");
  SECTION("F3 goes on and around") {
    const auto rows = static_cast<int>(box.result().hits.size());
    for (int i = 1; i <= rows; ++i) box.goOn(1);
    REQUIRE(chosen.size() == 1 + rows);
    CHECK(chosen.back()[0].value<SearchHit>().stay == hit.stay);
    box.goOn(-1);
    CHECK(chosen.back()[0].value<SearchHit>().stay == box.result().hits.back().stay);
  }
  SECTION("Esc closes the list first, then empties the box") {
    QTest::keyClicks(&box, QStringLiteral("1"));
    CHECK(box.isListOpen());
    QTest::keyClick(&box, Qt::Key_Escape);
    CHECK_FALSE(box.isListOpen());
    CHECK_FALSE(box.text().isEmpty());
    QTest::keyClick(&box, Qt::Key_Escape);
    CHECK(box.text().isEmpty());
  }
}

TEST_CASE("what was not found is dimmed on request", "[find]") {
  ViewState state;
  state.setRun(test::smallRun());
  SearchBox box(&state);
  box.show();
  type(box, QStringLiteral("b"));
  CHECK_FALSE(state.filter());
  box.setDims(true);
  REQUIRE(state.filter());
  CHECK(state.filter()->count == 1);
  CHECK(state.filter()->keeps(StayId(1)));
  QTest::keyClicks(&box, QStringLiteral("zz"));
  CHECK_FALSE(state.filter());
  box.setText(QStringLiteral("d"));
  CHECK(state.filter());
  box.setDims(false);
  CHECK_FALSE(state.filter());
}

TEST_CASE("without a run there is nothing to find, and the box says so", "[find]") {
  ViewState state;
  SearchBox box(&state);
  CHECK_FALSE(box.isEnabled());
  CHECK(box.toolTip().contains(QStringLiteral("Open a model")));
  state.setRun(test::smallRun());
  CHECK(box.isEnabled());
}

TEST_CASE("the palette has every command of the window, and says why not", "[find]") {
  test::Opened window;
  CommandPalette* palette = openPalette(window);
  for (const QAction* action : window.findChildren<QAction*>()) {
    const QString name = action->objectName();
    const bool command = !name.isEmpty() && !name.startsWith(QLatin1String("qt_")) &&
                         !action->isSeparator() && !action->menu() && !action->text().isEmpty();
    if (!command || name == QLatin1String("commandPalette")) continue;
    QString text = action->text();
    text.remove(QLatin1Char('&')).remove(QChar(0x2026));
    if (name.startsWith(QLatin1String("panel:"))) text = QStringLiteral("Panel: show ") + text;
    CAPTURE(text.toStdString());
    CHECK(rowCalled(*palette->model(), text) >= 0);
  }
  CHECK(rowCalled(*palette->model(), QStringLiteral("Simulate: Plan again")) >= 0);
  CHECK(rowCalled(*palette->model(), QStringLiteral("View: Compare")) >= 0);
  const int focus = rowCalled(*palette->model(), QStringLiteral("Fit all"));
  REQUIRE(focus >= 0);
  CHECK(palette->model()->entry(focus).disabled == QStringLiteral("Open a model first"));
  CHECK(palette->model()->entry(focus).keys == QStringLiteral("0"));
  QTest::keyClick(palette->line(), Qt::Key_Escape);
  CHECK_FALSE(palette->isVisible());
}

TEST_CASE("typing narrows the palette; Enter does what is chosen", "[find]") {
  test::Opened window(QStringLiteral("samples:mobilenet_v2"), {1280, 800});
  CommandPalette* palette = openPalette(window);
  QTest::keyClicks(palette->line(), QStringLiteral("go peak"));
  REQUIRE(palette->model()->rowCount() > 0);
  CHECK(palette->model()->entry(0).text == QStringLiteral("Simulate: Go to the peak"));
  QTest::keyClick(palette->line(), Qt::Key_Return);
  CHECK_FALSE(palette->isVisible());
  CHECK(window.state()->step() == window.state()->run()->metrics.pools[PoolId(0)].peakStep);

  openPalette(window);
  QTest::keyClicks(palette->line(), QStringLiteral("xyzzy"));
  auto* none = palette->findChild<QLabel*>(QStringLiteral("paletteNone"));
  CHECK(none->isVisible());
  CHECK(none->text().contains(QStringLiteral("xyzzy")));
  palette->line()->clear();
  CHECK_FALSE(none->isVisible());
  QTest::keyClicks(palette->line(), QStringLiteral("plan again none"));
  REQUIRE(palette->model()->rowCount() > 0);
  CHECK(palette->model()->entry(0).text == QStringLiteral("Plan: again with none"));
  const auto before = window.state()->run();
  QTest::keyClick(palette->line(), Qt::Key_Return);
  REQUIRE(test::comes([&] { return window.state()->run() != before; }));
  CHECK(window.state()->run()->request.allocator.info->name == "none");

  openPalette(window);
  QTest::keyClicks(palette->line(), QStringLiteral("sample"));
  CHECK(palette->model()->entry(0).text.startsWith(QStringLiteral("Open")));
  QTest::keyClicks(palette->line(), QStringLiteral(" qqqq"));
  CHECK(palette->model()->rowCount() == 0);
  QTest::keyClick(palette->line(), Qt::Key_Return);
  CHECK(palette->isVisible());
}

TEST_CASE("what cannot be done now is not done", "[find]") {
  test::Opened window;
  CommandPalette* palette = openPalette(window);
  QTest::keyClicks(palette->line(), QStringLiteral("fit all"));
  REQUIRE(palette->model()->rowCount() > 0);
  CHECK_FALSE(palette->model()->entry(0).disabled.isEmpty());
  QTest::keyClick(palette->line(), Qt::Key_Return);
  CHECK(palette->isVisible());
}

TEST_CASE("found in the box, shown everywhere", "[find]") {
  test::Opened window({}, {1280, 800});
  window.activateWindow();
  REQUIRE(QTest::qWaitForWindowActive(&window));
  openAndWait(window, QStringLiteral("samples:mobilenet_v2"));
  const auto run = window.state()->run();
  auto* box = window.findChild<SearchBox*>();
  REQUIRE(box);
  QTest::keyClick(&window, Qt::Key_F, Qt::ControlModifier);
  CHECK(box->hasFocus());
  const OpId op = run->schedule.opAt(Step(30));
  box->setText(QString::fromStdString(displayName(run->graph(), op)));
  REQUIRE(test::comes([&] { return box->result().found > 0; }));
  int row = 0;
  while (box->result().hits[static_cast<std::size_t>(row)].op != op) ++row;
  window.state()->setVisible(0, 5);
  for (int i = 0; i < row; ++i) QTest::keyClick(box, Qt::Key_Down);
  QTest::keyClick(box, Qt::Key_Return);
  CHECK(window.state()->selectedOp() == op);
  CHECK(window.state()->step() == Step(30));
  CHECK(window.state()->visibleBegin() <= 30);
  CHECK(window.state()->visibleEnd() >= 31);
  QTest::keyClick(&window, Qt::Key_Escape);

  const StayId last(run->problem.stays.size() - 1);
  window.state()->setVisible(0, 5);
  box->setText(QString::fromStdString(run->stayName(last)));
  REQUIRE(test::comes([&] { return box->result().found > 0; }));
  QTest::keyClick(&window, Qt::Key_F3);
  REQUIRE(window.state()->selected());
  const Interval<Step> steps = run->problem.stays[window.state()->selected()].steps;
  CHECK(steps.contains(window.state()->step()));
  CHECK(window.state()->visibleEnd() > static_cast<double>(steps.begin.count()));
}
