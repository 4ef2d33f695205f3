// The Method panel and the guide to the methods, inside the studio.
#include <QDockWidget>

#include "tests/gui/native_support.h"
#include "tests/widgets/patience.h"
#include "widgets/method/method_guide.h"
#include "widgets/method/method_panel.h"

using namespace hw;
using namespace hw::test;

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

  void planBy(const QString& allocator) {
    RunRequest request = window.request();
    request.allocator = AllocatorChoice::parse(allocator.toStdString()).value();
    window.planWith(request);
    settle(window);
  }
  MethodPanel& panel() {
    auto* found = window.findChild<MethodPanel*>();
    REQUIRE(found);
    return *found;
  }
  void show() {
    action(window, "showMethod")->trigger();
    REQUIRE(QTest::qWaitFor([&] { return panel().recorder()->state() == RunRecorder::State::done; },
                            test::kPatience));
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
  desk.window.dock(QStringLiteral("events"))->raise();
  REQUIRE(
      QTest::qWaitFor([&] { return desk.window.state()->filter() == nullptr; }, test::kPatience));
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
    REQUIRE(QTest::qWaitFor([&] { return !page.isLoading(); }, test::kPatience));
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
  REQUIRE(
      QTest::qWaitFor([&] { return desk.panel().deck()->record() != nullptr; }, test::kPatience));
  CHECK(desk.panel().deck()->run()->request.allocator.info->name == "two-sided");
}
