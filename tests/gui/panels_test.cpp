// The Method panel and the guide to the methods, inside the studio.

#include <QHeaderView>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <catch2/catch.hpp>

#include "core/import/samples.h"
#include "core/insight/moment.h"
#include "core/machine/platforms.h"
#include "tests/gui/native_support.h"
#include "tests/widgets/patience.h"
#include "tests/widgets/support.h"
#include "widgets/explain/inspector.h"
#include "widgets/explain/inspector_text.h"
#include "widgets/explain/problems_panel.h"
#include "widgets/explain/shrink_panel.h"
#include "widgets/form/tick_lists.h"
#include "widgets/method/method_guide.h"
#include "widgets/method/method_panel.h"
#include "widgets/panels/event_panel.h"
#include "widgets/panels/schedule_panel.h"
#include "widgets/text/run_text.h"

using namespace hw::test;
using namespace hw;

namespace {

struct MethodDesk {
  explicit MethodDesk(const QString& allocator) {
    window.resize(1366, 900);
    window.show();
    window.activateWindow();
    REQUIRE(QTest::qWaitForWindowActive(&window));
    openAndWait(window, QStringLiteral("samples:inception"));
    planBy(allocator);
  }

  void planBy(const QString& allocator) { replan(window, allocator.toStdString()); }
  MethodPanel& panel() {
    auto* found = window.findChild<MethodPanel*>();
    REQUIRE(found);
    return *found;
  }
  void show() {
    action(window, "showMethod")->trigger();
    REQUIRE(test::comes([&] { return panel().recorder()->state() == RunRecorder::State::done; }));
    panel().showStage();
    QTest::qWait(1);
  }
  void press(const char* command) {
    QTest::keySequence(panel().player()->stage(), action(window, command)->shortcut());
  }

  QTemporaryDir folder{};
  Settings settings{storeIn(folder)};
  Studio window{&settings};
};

}  // namespace

TEST_CASE("a click in the schedule goes to that step and its op", "[shell]") {
  ViewState state;
  SchedulePanel panel(&state);
  panel.resize(260, 300);
  panel.show();
  state.setRun(test::randomRun(9, 30, 12));
  const QModelIndex row = panel.model()->index(4, ScheduleModel::kOp);
  QTest::mouseClick(panel.viewport(), Qt::LeftButton, {}, panel.visualRect(row).center());
  CHECK(state.step() == Step(4));
  CHECK(state.selectedOp() == state.run()->schedule.opAt(Step(4)));

  state.setStep(Step(7));
  CHECK(panel.currentIndex().row() == 7);
  CHECK(state.selectedOp() == state.run()->schedule.opAt(Step(4)));  // Following selects nothing.
}

TEST_CASE("the event log has a row for each event and for both ends of each op", "[shell]") {
  const auto run = test::timed(*test::randomRun(9, 30, 12));
  EventModel model;
  model.setRun(run, false);
  const auto ops = static_cast<int>(run->schedule.order.size());
  CHECK(model.rowCount() == static_cast<int>(run->timeline.size()) + 2 * ops);
  for (int row = 1; row < model.rowCount(); ++row) {
    CHECK(model.momentOf(row) >= model.momentOf(row - 1));
  }
  model.setShown(EventClass::free);
  for (int row = 0; row < model.rowCount(); ++row) {
    CHECK(model.index(row, EventModel::kEvent).data() == QStringLiteral("release"));
  }
}

TEST_CASE("what happens to whom stands first in the event log, however narrow", "[shell]") {
  ViewState state;
  EventPanel panel(&state);
  auto* table = panel.findChild<QTableView*>();
  for (const char* sample : {"mobilenet_v2", "resnet8"}) {
    state.setRun(sampleRun(sample, requestBy("free-list")));
    const QHeaderView* header = table->horizontalHeader();
    const auto titleAt = [&](int place) {
      return table->model()
          ->headerData(header->logicalIndex(place), Qt::Horizontal, Qt::DisplayRole)
          .toString();
    };
    CHECK(titleAt(1) == QStringLiteral("Event"));
    CHECK(titleAt(2) == QStringLiteral("Tensor or op"));
    state.setRun(nullptr);
  }
}

TEST_CASE("unticking a kind of event hides it", "[shell]") {
  ViewState state;
  EventPanel panel(&state);
  panel.resize(900, 300);
  panel.show();
  state.setRun(test::timed(*test::randomRun(9, 30, 12)));
  const int all = panel.model()->rowCount();
  QTest::mouseClick(panel.filter(EventClass::op), Qt::LeftButton, {}, QPoint(8, 8));
  CHECK(panel.model()->rowCount() ==
        all - 2 * static_cast<int>(state.run()->schedule.order.size()));
}

TEST_CASE("a click in the event log goes there and selects its stay", "[shell]") {
  ViewState state;
  EventPanel panel(&state);
  panel.resize(900, 400);
  panel.show();
  state.setRun(test::smallRun());
  int row = 0;
  while (panel.model()->isOp(row)) ++row;
  const QModelIndex index = panel.model()->index(row, EventModel::kTensor);
  QTest::mouseClick(panel.table()->viewport(), Qt::LeftButton, {},
                    panel.table()->visualRect(index).center());
  CHECK(state.moment() == panel.model()->momentOf(row));
  CHECK(state.selected() == panel.model()->stayOf(row));
}

TEST_CASE("the log follows the moment", "[shell]") {
  ViewState state;
  EventPanel panel(&state);
  state.setRun(test::randomRun(9, 30, 12));
  for (const TimelineEntry& entry : state.run()->timeline) {
    state.setMoment(entry.lastEvent);
    const int row = panel.table()->currentIndex().row();
    REQUIRE(row >= 0);
    CHECK(panel.model()->momentOf(row) == entry.lastEvent);
  }
}

TEST_CASE("former tenants are those whose bytes a stay takes over", "[shell]") {
  // d covers [0, 10) in step 2; b had [4, 10) until then, c [0, 3) and a [0, 4) before it.
  const auto run = test::smallRun();
  std::vector<std::string> names;
  for (const StayId id : formerTenants(*run, StayId(3))) names.push_back(run->stayName(id));
  std::ranges::sort(names);
  CHECK(names == std::vector<std::string>{"a", "b", "c"});
  CHECK(formerTenants(*run, StayId(0)).empty());
}

TEST_CASE("the inspector shows the selection, its address and why it is there", "[shell]") {
  ViewState state;
  Inspector inspector(&state);
  RunRequest roomy = requestBy("free-list");
  roomy.l2 = {.kind = PoolSize::Kind::unbounded};
  state.setRun(sampleRun("free_list_split", roomy));
  state.select(StayId(0));
  const QString text = inspector.toPlainText();
  CHECK(text.contains(stayText(*state.run(), StayId(0))));
  CHECK(text.contains(addressText(*state.run()->plan.flatOffset(StayId(0)))));
  CHECK(text.contains(QStringLiteral("Why here")));
  state.select({});
  CHECK_FALSE(inspector.toPlainText().contains(QStringLiteral("Why here")));
}

TEST_CASE("the inspector says what fills a memory, all bytes of it", "[shell]") {
  ViewState state;
  Inspector inspector(&state);
  const auto run = test::sampleRun("inception_v3");
  state.setRun(run);
  const PoolId pool(0);
  for (const Step step : {run->metrics.pools[pool].peakStep, Step(3), Step(40), Step(100)}) {
    CAPTURE(step.count());
    const Moment moment = momentAt(run->problem, run->plan, pool, step);
    const QString html = fillingPart(*run, pool, step, {});
    CHECK(html.isEmpty() == (moment.top == Bytes()));
    if (html.isEmpty()) continue;
    double sum = 0;
    const QRegularExpression width(QStringLiteral("width='(\\d+)%' bgcolor"));
    for (auto found = width.globalMatch(html); found.hasNext();) {
      sum += found.next().captured(1).toDouble();
    }
    CHECK(sum == Approx(100).margin(8));
    for (const Moment::Tenant& tenant : moment.tenants) {
      const bool large = tenant.bytes.length() * 4 > moment.top;
      if (large) CHECK(html.contains(stayText(*run, tenant.stay).toHtmlEscaped()));
    }
    state.setStep(step);
    CHECK(inspector.toPlainText().contains(QStringLiteral("step %1").arg(grouped(step.count()))));
  }
  state.setStep(run->metrics.pools[pool].peakStep);
  CHECK(inspector.toPlainText().contains(QStringLiteral("What fills L2 at its peak")));
}

TEST_CASE("beside a selected block the inspector says what fills its memory now", "[shell]") {
  ViewState state;
  Inspector inspector(&state);
  const auto run = sampleRun("mobilenet_v2", requestBy("free-list"));
  state.setRun(run);
  state.select(StayId(3));
  const PoolId placed = run->plan.addresses[StayId(3)]->pool;
  const QString pool = poolText(*run, placed);
  bool any = false;
  for (std::int64_t step = 0; step < state.steps().count(); step += 7) {
    state.setStep(Step(step));
    const bool fills = state.run()->trace.stateAfter(state.moment())[placed].inUse() > Bytes();
    const QString title = QStringLiteral("What fills %1 at").arg(pool);
    const auto told = [&] {
      const QString text = inspector.toPlainText();
      const auto at = text.indexOf(title);
      if (at < 0) return !fills;
      const QString line = text.mid(at, text.indexOf(QLatin1Char('\n'), at) - at);
      return line.endsWith(QStringLiteral("step %1").arg(step));
    };
    CAPTURE(step);
    CHECK(test::comes(told));
    CHECK(inspector.toPlainText().contains(QStringLiteral("Why here")));
    any = any || fills;
  }
  CHECK(any);
}

TEST_CASE("the inspector offers what would help, and tells what was found", "[shell]") {
  test::Opened window(QStringLiteral("samples:resnet8"), {1500, 900});
  auto* inspector = window.findChild<Inspector*>();
  CHECK(inspector->toPlainText().contains(QStringLiteral("How small can the memory be?")));
  Q_EMIT inspector->anchorClicked(QUrl(QStringLiteral("command:shrink")));
  CHECK(window.places()->isShown(QStringLiteral("shrink")));
  REQUIRE(test::comes([&] { return !window.shrink()->job()->isRunning(); }));
  const auto* card = test::part<FigureCard>(window, "question:shrink");
  CHECK(inspector->toPlainText().contains(card->figure().value));
}

TEST_CASE("names from files cannot become markup", "[shell]") {
  ViewState state;
  Inspector inspector(&state);
  state.setRun(test::makeRun({{"<img src=x>&<b>", 4, 0, 2}}));
  state.select(StayId(0));
  CHECK(inspector.toPlainText().contains(QStringLiteral("<img src=x>&<b>")));
}

TEST_CASE("a platform from a file is beside the presets to compare", "[shell]") {
  Platform own = platformCatalog().front();  // A file that is named like a preset.
  own.file = "boards/mine.toml";
  own.devices.front().pools.front().capacity = Bytes(1 << 20);
  PlatformList list;
  list.add(own);
  const std::vector<Platform> all = list.choices();
  REQUIRE(all.size() == platformCatalog().size() + 1);
  CHECK(all.back().devices.front().pools.front().capacity == Bytes(1 << 20));
}

TEST_CASE("running out of memory is taken apart", "[shell]") {
  RunRequest tight = requestBy("free-list");
  tight.l2 = {.kind = PoolSize::Kind::bytes, .bytes = Bytes(64)};
  tight.l3 = {.kind = PoolSize::Kind::bytes, .bytes = Bytes(64)};
  const auto run = sampleRun("mobilenet_v2", tight);
  REQUIRE(run->plan.outOfMemory);
  const auto findings = findingsOf(*run, {});
  REQUIRE_FALSE(findings.empty());
  CHECK(findings.front().severity == Glyph::error);
  CHECK(findings.front().stay == run->plan.outOfMemory->stay);
  ViewState state;
  ProblemsPanel panel(&state);
  state.setRun(run);
  CHECK(panel.seriousCount() > 0);
}

TEST_CASE("addresses are grouped hexadecimal", "[shell]") {
  CHECK(addressText(Bytes(0)) == QStringLiteral("0x0000_0000"));
  CHECK(addressText(Bytes(0xd800)) == QStringLiteral("0x0000_d800"));
  CHECK(addressText(Bytes(0x123456789)) == QStringLiteral("0x0001_2345_6789"));
}

TEST_CASE("while the stage has the keys, those of the transport move its playhead", "[method]") {
  MethodDesk desk(QStringLiteral("block-id"));
  desk.show();
  REQUIRE(desk.panel().player()->stage()->hasFocus());
  MethodDeck& deck = *desk.panel().deck();
  desk.press("start");
  CHECK(deck.at() == 0);
  const std::size_t moment = desk.window.state()->moment();
  desk.press("eventForward");
  CHECK(deck.at() == 1);
  desk.press("opForward");
  CHECK(deck.at() > 1);
  desk.press("opBack");
  desk.press("eventBack");
  CHECK(deck.at() == 0);
  desk.press("end");
  CHECK(deck.at() == deck.count());
  desk.press("play");
  CHECK(deck.isPlaying());
  CHECK_FALSE(desk.window.player()->isPlaying());
  desk.press("play");
  CHECK_FALSE(deck.isPlaying());
  // The run's own playhead goes by its own keys again as soon as the map has them.
  desk.press("start");
  desk.window.state()->setMoment(moment);
  desk.window.maps().front()->setFocus();
  QTest::keySequence(desk.window.maps().front(), action(desk.window, "end")->shortcut());
  CHECK(deck.at() == 0);
  CHECK(desk.window.state()->moment() == desk.window.state()->run()->trace.size());
}

TEST_CASE("a panel behind another tab records nothing and leaves maps alone", "[method]") {
  MethodDesk desk(QStringLiteral("free-list"));
  CHECK(desk.panel().recorder()->state() == RunRecorder::State::none);
  desk.show();
  desk.panel().deck()->goTo(2);
  CHECK(desk.window.state()->filter() != nullptr);
  desk.window.showPanel(QStringLiteral("search"));
  REQUIRE(test::comes([&] { return desk.window.state()->filter() == nullptr; }));
  desk.planBy(QStringLiteral("two-sided"));
  test::finishBackground();
  CHECK(desk.panel().recorder()->state() == RunRecorder::State::none);
}

TEST_CASE("every method of the guide plays its example, and tries the model on show", "[method]") {
  MethodDesk desk(QStringLiteral("greedy-by-size"));
  action(desk.window, "methodGuide")->trigger();
  auto* guide = desk.window.findChild<MethodGuide*>();
  REQUIRE(guide);
  REQUIRE(guide->isVisible());
  REQUIRE(guide->list()->count() >= 5);
  LessonView& page = *guide->page();
  for (int row = 0; row < guide->list()->count(); ++row) {
    guide->list()->setCurrentRow(row);
    CAPTURE(guide->list()->currentItem()->text().toStdString());
    REQUIRE(test::comes([&] { return !page.isLoading(); }));
    REQUIRE(page.player()->deck()->count() > 0);
    REQUIRE(page.stopCount() == page.lesson()->stops.size());
    CHECK(page.stop() == 0);
    QStringList texts;
    for (std::size_t stop = 0; stop < page.stopCount(); ++stop) {
      page.goToStop(stop);
      CHECK(page.stop() == stop);
      CHECK_FALSE(page.text().isEmpty());
      texts.append(page.text());
    }
    CHECK(texts.removeDuplicates() == 0);
    while (page.backButton()->isEnabled()) page.backButton()->click();
    CHECK(page.player()->deck()->at() == 0);
    while (page.nextButton()->isEnabled()) page.nextButton()->click();
    CHECK(page.stop() + 1 == page.stopCount());
  }
  QTest::keyClick(page.player()->stage(), Qt::Key_Home);
  CHECK(page.player()->deck()->at() == 0);
  QTest::keyClick(page.player()->stage(), Qt::Key_Period);
  CHECK(page.player()->deck()->at() == 1);
  guide->showLesson(QStringLiteral("two-sided"));
  REQUIRE(page.tryButton()->isEnabled());
  page.tryButton()->click();
  settle(desk.window);
  CHECK(desk.window.state()->run()->request.allocator.info->name == "two-sided");
  REQUIRE(test::comes([&] { return desk.panel().deck()->record() != nullptr; }));
  CHECK(desk.panel().deck()->run()->request.allocator.info->name == "two-sided");
}
