#include <QSignalSpy>
#include <QTest>
#include <catch2/catch.hpp>

#include "tests/widgets/patience.h"
#include "tests/widgets/support.h"
#include "widgets/transport/transport_bar.h"

using namespace hw;

namespace {

struct Deck {
  ViewState state;
  Player player{&state};
  TransportBar bar{&state, &player};

  QAction* move(const char* name) { return bar.findChild<QAction*>(QString::fromLatin1(name)); }
};

}  // namespace

TEST_CASE("stepping by event forwards and backwards visits the same moments", "[shell]") {
  Deck deck;
  const auto run = test::randomRun(3, 40, 20);
  deck.state.setRun(run);
  std::vector<std::size_t> forwards = {deck.state.moment()};
  while (deck.player.eventIndex() < deck.player.eventCount()) {
    deck.move("eventForward")->trigger();
    forwards.push_back(deck.state.moment());
  }
  REQUIRE(forwards.size() == run->timeline.size() + 1);
  CHECK(forwards.back() == run->timeline.back().lastEvent);
  for (auto moment = forwards.rbegin(); moment != forwards.rend(); ++moment) {
    CHECK(deck.state.moment() == *moment);
    deck.move("eventBack")->trigger();
  }
  CHECK(deck.state.moment() == 0);
}

TEST_CASE("in the middle of an event, back goes to its beginning", "[shell]") {
  Deck deck;
  const auto run = test::randomRun(3, 40, 20);
  deck.state.setRun(run);
  const auto wide = std::ranges::find_if(run->timeline, [](const TimelineEntry& entry) {
    return entry.lastEvent - entry.firstEvent > 1;
  });
  REQUIRE(wide != run->timeline.end());
  deck.state.setMoment(wide->firstEvent + 1);
  deck.move("eventBack")->trigger();
  CHECK(deck.state.moment() == wide->firstEvent);
}

TEST_CASE("ops, ends and the peak are one click away", "[shell]") {
  Deck deck;
  auto run = std::make_shared<Run>(*test::randomRun(8, 40, 20));
  run->metrics = measure(run->problem, run->plan);
  deck.state.setRun(run);
  deck.move("opForward")->trigger();
  deck.move("opForward")->trigger();
  CHECK(deck.state.step() == Step(2));
  deck.move("opBack")->trigger();
  CHECK(deck.state.step() == Step(1));
  deck.move("peak")->trigger();
  CHECK(deck.state.step() == run->metrics.pools[PoolId(0)].peakStep);
  deck.move("end")->trigger();
  CHECK(deck.player.eventIndex() == deck.player.eventCount());
  deck.move("start")->trigger();
  CHECK(deck.state.moment() == 0);
}

TEST_CASE("the peak is the live peak, then the highest address, then the live peak", "[shell]") {
  // 20 bytes live at step 0, below address 20; 13 at step 3, below 21: d does not fit below c.
  Deck deck;
  auto run = std::make_shared<Run>(
      *test::makeRun({{"a", 8, 0, 3}, {"b", 12, 0, 1}, {"c", 4, 1, 4}, {"d", 9, 3, 4}}));
  run->metrics = measure(run->problem, run->plan);
  deck.state.setRun(run);
  for (const std::int64_t step : {0, 3, 0}) {
    deck.move("peak")->trigger();
    CHECK(deck.state.moment() > 0);
    CHECK(deck.state.step() == Step(step));
  }
}

TEST_CASE("slider, number and moment are one thing", "[shell]") {
  Deck deck;
  deck.state.setRun(test::randomRun(8, 40, 20));
  CHECK(deck.bar.stepSlider()->maximum() == deck.state.steps().count() - 1);
  deck.bar.stepSlider()->setValue(7);
  CHECK(deck.state.step() == Step(7));
  CHECK(deck.bar.stepBox()->value() == 7);
  deck.bar.stepBox()->setValue(3);
  CHECK(deck.state.step() == Step(3));
  CHECK(deck.bar.stepSlider()->value() == 3);
  deck.state.setStep(Step(5));
  CHECK(deck.bar.stepSlider()->value() == 5);
}

TEST_CASE("playing arrives at the end, stops there, and starts over", "[shell]") {
  Deck deck;
  deck.state.setRun(test::randomRun(4, 12, 8));
  deck.bar.speedBox()->setCurrentIndex(deck.bar.speedBox()->count() - 1);
  CHECK(deck.player.speed() == Player::kMaxSpeed);
  QSignalSpy changed(&deck.player, &Player::playingChanged);
  deck.move("play")->trigger();
  CHECK(deck.player.isPlaying());
  CHECK(QTest::qWaitFor([&] { return !deck.player.isPlaying(); }, test::kPatience));
  CHECK(changed.size() == 2);
  CHECK(deck.player.eventIndex() == deck.player.eventCount());

  deck.move("play")->trigger();
  CHECK(deck.player.eventIndex() < deck.player.eventCount());
  deck.move("play")->trigger();
  CHECK_FALSE(deck.player.isPlaying());
}

TEST_CASE("without a run the deck is off and says why", "[shell]") {
  Deck deck;
  for (const QAction* action : deck.bar.moves()) {
    if (action->isSeparator()) continue;
    CHECK_FALSE(action->isEnabled());
    CHECK(action->toolTip().contains(QStringLiteral("open a model")));
  }
  CHECK_FALSE(deck.bar.stepSlider()->isEnabled());
  deck.player.toggle();
  CHECK_FALSE(deck.player.isPlaying());
}
