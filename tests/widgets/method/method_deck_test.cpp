// The playhead of planning time, and the stage that it plays on.
#include "widgets/method/method_deck.h"

#include <QPainter>
#include <QPixmap>
#include <QTest>

#include "tests/widgets/method/method_support.h"
#include "tests/widgets/patience.h"
#include "widgets/method/stage_player.h"

using namespace hw;
using namespace hw::test;

namespace {

/// The shapes that a stage would draw, as text: what one sees of a state.
std::string seen(StageView& stage) {
  QPixmap picture(800, 360);
  QPainter painter(&picture);
  stage.renderTo(painter, picture.rect());
  std::string all;
  for (const StageItem& item : stage.items()) {
    all += std::to_string(static_cast<int>(item.part)) + item.text + "@" +
           std::to_string(item.box.left) + "," + std::to_string(item.box.top) + ";";
  }
  return all;
}

}  // namespace

TEST_CASE("each method plays to the end and back, and looks the same both ways", "[method]") {
  const std::string allocator =
      GENERATE("block-id", "two-sided", "partition", "free-list", "placement-search:sequences=12");
  for (const char* sample : {"chain", "inception", "two_devices"}) {
    CAPTURE(allocator, sample);
    const auto run = figure(sample, allocator, true);
    REQUIRE_FALSE(run->plan.records.empty());
    for (std::size_t record = 0; record < run->plan.records.size(); ++record) {
      StagePlayer player;
      MethodDeck& deck = *player.deck();
      deck.setRecord(run, record);
      REQUIRE(deck.count() > 0);
      CHECK(deck.at() == deck.count());
      deck.goToStart();
      CHECK(deck.tick() == nullptr);
      std::vector<MethodState> states{deck.player()->state()};
      std::vector<std::string> pictures{seen(*player.stage())};
      while (deck.at() < deck.count()) {
        deck.stepTicks(1);
        states.push_back(deck.player()->state());
        pictures.push_back(seen(*player.stage()));
        // Everybody is told what has just been decided.
        CHECK_FALSE(player.stage()->sentence().isEmpty());
        CHECK(player.stage()->accessibleDescription() == player.stage()->sentence());
      }
      REQUIRE(states.size() == deck.count() + 1);
      while (deck.at() > 0) {
        deck.stepTicks(-1);
        REQUIRE(deck.player()->state() == states[deck.at()]);
        REQUIRE(seen(*player.stage()) == pictures[deck.at()]);
      }
    }
  }
}

TEST_CASE("the deck steps over decisions, over steps of the program, and to both ends",
          "[method]") {
  StagePlayer player;
  MethodDeck& deck = *player.deck();
  deck.setRecord(figure("inception", "block-id", true), 0);
  const auto& ticks = deck.record()->ticks;
  CHECK(player.act(QStringLiteral("start")));
  CHECK(deck.at() == 0);
  CHECK(player.act(QStringLiteral("eventForward")));
  CHECK(deck.at() == 1);
  CHECK(player.place().contains(QStringLiteral("1 of")));
  CHECK(player.slider()->value() == 1);
  // Forwards to where the next step begins, and back to where this one did.
  player.act(QStringLiteral("start"));
  std::size_t stops = 0;
  while (deck.at() < deck.count()) {
    const std::size_t before = deck.at();
    player.act(QStringLiteral("opForward"));
    REQUIRE(deck.at() > before);
    CHECK(ticks[before].step == ticks[deck.at() - 1].step);
    if (deck.at() < deck.count()) CHECK(ticks[deck.at()].step != ticks[deck.at() - 1].step);
    const std::size_t after = deck.at();
    player.act(QStringLiteral("opBack"));
    CHECK(deck.at() == before);
    deck.goTo(after);
    ++stops;
  }
  CHECK(stops > 4);
  player.act(QStringLiteral("end"));
  CHECK(deck.at() == deck.count());
  player.slider()->setValue(3);
  CHECK(deck.at() == 3);
  CHECK_FALSE(player.act(QStringLiteral("peak")));
  for (const char* name :
       {"start", "opBack", "eventBack", "playBack", "play", "eventForward", "opForward", "end"}) {
    CHECK(player.knows(QLatin1String(name)));
    CHECK(player.button(QLatin1String(name))->isEnabled());
  }
}

TEST_CASE("planning time plays by itself, forwards and backwards, to its ends", "[method]") {
  StagePlayer player;
  MethodDeck& deck = *player.deck();
  deck.setRecord(figure("chain", "free-list", true), 0);
  deck.setSpeed(MethodDeck::kMaxSpeed);
  deck.playForwards();  // From the other end, for it is there already.
  CHECK(deck.isPlaying());
  CHECK_FALSE(deck.isBackwards());
  CHECK(deck.at() == 0);
  REQUIRE(QTest::qWaitFor([&] { return !deck.isPlaying(); }, test::kPatience));
  CHECK(deck.at() == deck.count());
  deck.playBackwards();
  CHECK(deck.isBackwards());
  REQUIRE(QTest::qWaitFor([&] { return !deck.isPlaying(); }, test::kPatience));
  CHECK(deck.at() == 0);
  deck.playForwards();
  deck.playForwards();
  CHECK_FALSE(deck.isPlaying());
}

TEST_CASE("a stay's decisions are found and marked", "[method]") {
  StagePlayer player;
  MethodDeck& deck = *player.deck();
  const auto run = figure("inception", "block-id", true);
  deck.setRecord(run, 0);
  for (const StayId stay : run->problem.stays.keys()) {
    const auto ticks = deck.ticksOf(stay);
    deck.goToStart();
    CHECK(deck.goToStay(stay) == !ticks.empty());
    if (ticks.empty()) continue;
    CHECK(deck.at() == ticks.front());
    CHECK(deck.tick()->stay == stay);
    player.setSelected(stay);
    CHECK(player.slider()->marks() == ticks);
    // One that is on show already stays.
    deck.goTo(ticks.back());
    CHECK(deck.goToStay(stay));
    CHECK(deck.at() == ticks.back());
  }
}
