#include <QSignalSpy>
#include <QTest>
#include <catch2/catch.hpp>

#include "core/import/samples.h"
#include "core/machine/platforms.h"
#include "tests/widgets/patience.h"
#include "tests/widgets/support.h"
#include "widgets/transport/transport_bar.h"
#include "widgets/transport/until_form.h"

using namespace hw;

namespace {

struct Deck {
  ViewState state;
  ViewState below;
  Player player{&state};
  TransportBar bar{&state, &player};
  RunUntil until{&state, &below, &player};
  UntilForm form{&state, &below, &until};

  QAction* move(const char* name) { return bar.findChild<QAction*>(QString::fromLatin1(name)); }
  void setKind(UntilForm::Kind kind) { form.kindBox()->setCurrentIndex(static_cast<int>(kind)); }
  bool settled() {
    return QTest::qWaitFor([&] { return !until.isSearching() && !player.isPlaying(); },
                           test::kPatience);
  }
};

std::size_t endOf(const Run& run, std::size_t entries) {
  return entries == 0 ? 0 : run.timeline[entries - 1].lastEvent;
}

}  // namespace

TEST_CASE("playing backwards visits the moments of playing forwards, to the start", "[transport]") {
  Deck deck;
  const auto run = test::randomRun(4, 30, 20);
  deck.state.setRun(run);
  deck.bar.speedBox()->setCurrentIndex(deck.bar.speedBox()->count() - 1);
  deck.player.goToEnd();
  std::vector<std::size_t> seen;
  QObject::connect(&deck.state, &ViewState::momentChanged, &deck.state,
                   [&] { seen.push_back(deck.state.moment()); });
  deck.move("playBack")->trigger();
  CHECK(deck.player.isBackwards());
  REQUIRE(deck.settled());
  CHECK(deck.state.moment() == 0);
  REQUIRE_FALSE(seen.empty());
  for (std::size_t i = 0; i < seen.size(); ++i) {
    if (i > 0) CHECK(seen[i] < seen[i - 1]);
    const bool exact = seen[i] == 0 || std::ranges::any_of(run->timeline, [&](const auto& entry) {
                         return entry.lastEvent == seen[i];
                       });
    CHECK(exact);
  }
  // From the start there is nothing behind: it begins again at the end.
  deck.move("playBack")->trigger();
  CHECK(deck.state.moment() == run->trace.size());
  CHECK(deck.player.isBackwards());
  deck.move("play")->trigger();
  CHECK(deck.player.isPlaying());
  CHECK_FALSE(deck.player.isBackwards());
  deck.player.pause();
}

TEST_CASE("fast shows at most ten pictures a second and ends exactly", "[transport]") {
  Deck deck;
  const auto run = test::randomRun(11, 200, 80);
  deck.state.setRun(run);
  deck.bar.modeBox()->setCurrentIndex(1);
  CHECK(deck.player.mode() == PlayMode::fast);
  deck.bar.speedBox()->setCurrentIndex(deck.bar.speedBox()->findData(8.0));
  QElapsedTimer clock;
  clock.start();
  QSignalSpy pictures(&deck.state, &ViewState::momentChanged);
  deck.player.play(true);
  REQUIRE(deck.settled());
  CHECK(pictures.size() <= clock.elapsed() / 90 + 2);
  CHECK(deck.state.moment() == endOf(*run, run->timeline.size()));
}

TEST_CASE("express shows the end only, in one picture, both ways", "[transport]") {
  Deck deck;
  const auto run = test::randomRun(12, 200, 80);
  deck.state.setRun(run);
  deck.bar.modeBox()->setCurrentIndex(2);
  QSignalSpy pictures(&deck.state, &ViewState::momentChanged);
  deck.player.play(true);
  CHECK_FALSE(deck.player.isPlaying());
  CHECK(pictures.size() == 1);
  CHECK(deck.player.eventIndex() == run->timeline.size());
  deck.player.play(false);
  CHECK(pictures.size() == 2);
  CHECK(deck.state.moment() == 0);
}

TEST_CASE("paused anywhere, the state is that of whole events", "[transport]") {
  Deck deck;
  const auto run = test::randomRun(13, 300, 60);
  deck.state.setRun(run);
  for (const PlayMode mode : {PlayMode::animate, PlayMode::fast}) {
    deck.player.setMode(mode);
    deck.player.setSpeed(16);
    deck.player.goToEvent(10);
    deck.player.play(true);
    REQUIRE(QTest::qWaitFor([&] { return deck.player.eventIndex() > 12; }, test::kPatience));
    deck.player.pause();
    const std::size_t moment = deck.state.moment();
    CHECK(moment == endOf(*run, deck.player.eventIndex()));
    CHECK_FALSE(deck.player.isPlaying());
    CHECK_FALSE(test::isWaiting(deck.player));
    QCoreApplication::processEvents();
    CHECK(deck.state.moment() == moment);
  }
}

TEST_CASE("run until stops where the condition is met, in every mode", "[transport]") {
  Deck deck;
  const auto run = test::randomRun(14, 60, 30);
  deck.state.setRun(run);
  deck.player.setSpeed(Player::kMaxSpeed);
  const auto mode = GENERATE(PlayMode::animate, PlayMode::fast, PlayMode::express);
  deck.player.setMode(mode);
  deck.setKind(UntilForm::Kind::allocated);
  const StayId wanted(40);
  deck.form.nameBox()->setText(QString::fromStdString(run->stayName(wanted)));
  const auto expected = findStop(*run, {.kind = StopKind::allocated, .stay = wanted}, {}, true);
  REQUIRE(expected);
  deck.form.forwardsButton()->click();
  REQUIRE(deck.settled());
  CHECK(deck.state.moment() == expected->moment);
  CHECK(deck.form.answer().contains(QStringLiteral("Met at step")));
  // And back to where it began from the end.
  deck.player.goToEnd();
  deck.form.backwardsButton()->click();
  REQUIRE(deck.settled());
  CHECK(deck.state.moment() == expected->moment);
}

TEST_CASE("occupancy can be given in parts of the capacity", "[transport]") {
  Deck deck;
  const auto run = test::makeRun({{"a", 40, 0, 4}, {"b", 30, 1, 3}, {"c", 25, 2, 4}}, Bytes(100));
  deck.state.setRun(run);
  deck.player.setMode(PlayMode::express);
  deck.setKind(UntilForm::Kind::occupancy);
  deck.form.amountBox()->setValue(80);
  deck.form.forwardsButton()->click();
  REQUIRE(deck.settled());
  CHECK(deck.state.step() == Step(2));
  CHECK(run->trace.event(deck.state.moment() - 1).stay == StayId(2));
  // 95 bytes are the most there ever are.
  deck.player.goToStart();
  deck.form.unitBox()->setCurrentIndex(0);
  deck.form.amountBox()->setValue(95);
  deck.form.forwardsButton()->click();
  REQUIRE(deck.settled());
  CHECK(deck.state.moment() == 0);
  CHECK(deck.form.answer().contains(QStringLiteral("Not met before the end")));
}

TEST_CASE("operators are found by number and by name, and others are refused", "[transport]") {
  Deck deck;
  deck.state.setRun(test::randomRun(15, 60, 30));
  deck.player.setMode(PlayMode::express);
  deck.setKind(UntilForm::Kind::op);
  deck.form.nameBox()->setText(QStringLiteral("17"));
  QTest::keyClick(deck.form.nameBox(), Qt::Key_Return);
  REQUIRE(deck.settled());
  CHECK(deck.state.step() == Step(17));
  deck.form.nameBox()->setText(QStringLiteral("op4"));
  deck.form.backwardsButton()->click();
  REQUIRE(deck.settled());
  CHECK(deck.state.step() == Step(4));
  for (const char* bad : {"op99", "30", "-1", ""}) {
    deck.form.nameBox()->setText(QString::fromLatin1(bad));
    deck.form.forwardsButton()->click();
    CHECK(deck.state.step() == Step(4));
    CHECK_FALSE(deck.form.answer().isEmpty());
    CHECK_FALSE(deck.form.answer().contains(QStringLiteral("Met at")));
  }
  deck.setKind(UntilForm::Kind::freed);
  deck.form.nameBox()->setText(QStringLiteral("nobody"));
  deck.form.forwardsButton()->click();
  CHECK(deck.form.answer().contains(QStringLiteral("nobody")));
}

TEST_CASE("the first difference from the run below can be run to", "[transport]") {
  Deck deck;
  const auto model = std::make_shared<const Model>(openModel("samples:inception", {}).value());
  const auto planned = [&](const char* allocator) {
    RunRequest request;
    request.allocator = AllocatorChoice::parse(allocator).value();
    request.platform = platformCatalog().front();
    return execute(model, request, {}).value();
  };
  const auto a = planned("greedy-by-size");
  deck.state.setRun(a);
  deck.player.setMode(PlayMode::express);
  deck.setKind(UntilForm::Kind::divergence);
  CHECK_FALSE(deck.form.forwardsButton()->isEnabled());
  CHECK(deck.form.forwardsButton()->toolTip().contains(QStringLiteral("second plan")));
  const auto b = planned("none");
  deck.below.setRun(b);
  REQUIRE(deck.form.forwardsButton()->isEnabled());
  deck.form.forwardsButton()->click();
  REQUIRE(deck.settled());
  const auto parted = firstDivergence(*a, *b);
  REQUIRE(parted);
  CHECK(deck.state.step() == parted->step);
  deck.form.forwardsButton()->click();
  REQUIRE(deck.settled());
  CHECK(deck.form.answer().contains(QStringLiteral("Not met before the end")));
}

TEST_CASE("a long search can be watched and stopped", "[transport]") {
  Deck deck;
  const auto run = test::randomRun(16, 20'000, 4'000);
  deck.state.setRun(run);
  RunUntil& until = deck.until;
  until.start(
      {.condition =
           StopCondition{.kind = StopKind::holeBelow, .pool = PoolId(0), .bytes = Bytes(-1)},
       .forwards = true});
  REQUIRE(until.isSearching());
  until.updateNow();
  const std::size_t shown = deck.state.moment();
  CHECK(shown > 0);
  CHECK(until.isSearching());
  CHECK(deck.form.stopButton()->isEnabled());
  deck.form.stopButton()->click();
  CHECK_FALSE(until.isSearching());
  CHECK(deck.state.moment() == shown);
  CHECK(deck.form.answer().contains(QStringLiteral("Stopped")));
}
