// The playhead of planning time, and the stage that it plays on.
// The Method panel: recorded when somebody looks, linked to what the rest of the studio shows.

#include <QPainter>
#include <QPixmap>
#include <QTest>

#include "core/import/formats.h"
#include "tests/widgets/method/method_support.h"
#include "tests/widgets/patience.h"
#include "widgets/method/method_deck.h"
#include "widgets/method/method_panel.h"
#include "widgets/method/stage_player.h"

using namespace hw::test;
using namespace hw;

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

struct Looked {
  explicit Looked(const std::shared_ptr<const Run>& run) {
    state.setRun(run);
    panel.resize(900, 320);
  }
  void look() {
    panel.show();
    REQUIRE(test::comes([&] { return panel.recorder()->state() == RunRecorder::State::done; }));
  }

  ViewState state{};
  MethodPanel panel{&state};
};

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
  REQUIRE(test::comes([&] { return !deck.isPlaying(); }));
  CHECK(deck.at() == deck.count());
  deck.playBackwards();
  CHECK(deck.isBackwards());
  REQUIRE(test::comes([&] { return !deck.isPlaying(); }));
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

TEST_CASE("nothing is recorded while nobody looks", "[method]") {
  Looked looked(figure("inception", "block-id", false));
  test::finishBackground();
  CHECK(looked.panel.recorder()->state() == RunRecorder::State::none);
  CHECK(looked.panel.deck()->record() == nullptr);
  looked.look();
  CHECK(looked.panel.deck()->record() != nullptr);
  CHECK(looked.panel.emptyText().isEmpty());
  CHECK(looked.panel.recorder()->isSamePlan());
  CHECK(looked.state.run()->plan.records.empty());
  // Another run: what was recorded is not its.
  looked.panel.hide();
  looked.state.setRun(figure("inception", "free-list", false));
  test::finishBackground();
  CHECK(looked.panel.recorder()->state() == RunRecorder::State::none);
  CHECK(looked.panel.deck()->record() == nullptr);
}

TEST_CASE("without a stage the panel says why", "[method]") {
  Looked looked(nullptr);
  looked.panel.show();
  CHECK(looked.panel.emptyText().contains(QStringLiteral("Open a model")));
  auto run = std::make_shared<Run>(*figure("inception", "block-id", false));
  run->planSeconds = 60;
  looked.state.setRun(run);
  test::finishBackground();
  CHECK(looked.panel.recorder()->state() == RunRecorder::State::none);
  CHECK(looked.panel.emptyText().contains(QStringLiteral("planning took 60.0 s")));
  REQUIRE(looked.panel.recordButton()->isVisible());
  looked.panel.recordButton()->click();
  CHECK(looked.panel.stopButton()->isVisible());
  looked.panel.stopButton()->click();
  CHECK(looked.panel.recorder()->state() == RunRecorder::State::stopped);
  CHECK(looked.panel.emptyText().contains(QStringLiteral("stopped")));
  looked.panel.recordButton()->click();
  looked.look();
  CHECK(looked.panel.emptyText().isEmpty());
  // A run in which nothing takes bytes is not the method's fault.
  const auto bare = readProblemCsv("id,lower,upper,size\na,0,1,0\n", {});
  REQUIRE(bare);
  const auto model = std::make_shared<const Model>(*bare);
  looked.state.setRun(execute(model, figureRequest("free-list"), {}).value());
  looked.look();
  CHECK(looked.panel.emptyText().contains(QStringLiteral("Nothing takes any bytes")));
}

TEST_CASE("a decision selects its tensor and goes to its step", "[method]") {
  Looked looked(figure("inception", "block-id", false));
  looked.look();
  MethodDeck& deck = *looked.panel.deck();
  deck.goToStart();
  for (const MethodTick& tick : deck.record()->ticks) {
    deck.stepTicks(1);
    REQUIRE(deck.tick() == &tick);
    CHECK(looked.state.selected() == tick.stay);
    CHECK(looked.state.step() == tick.step);
  }
}

TEST_CASE("choosing a tensor elsewhere goes to the first decision about it", "[method]") {
  Looked looked(figure("inception", "free-list", false));
  looked.look();
  MethodDeck& deck = *looked.panel.deck();
  for (const StayId stay : looked.state.run()->problem.stays.keys()) {
    deck.goToStart();
    const Step before = looked.state.step();
    looked.state.select(stay);
    REQUIRE(deck.tick() != nullptr);
    CHECK(deck.tick()->stay == stay);
    CHECK(deck.at() == deck.ticksOf(stay).front());
    CHECK(looked.state.step() == before);  // The moment of the run is the user's.
    looked.state.select({});
  }
}

TEST_CASE("what is not decided yet is pale elsewhere as long as the stage is seen", "[method]") {
  Looked looked(figure("inception", "two-sided", false));
  looked.look();
  ViewState& state = looked.state;
  MethodDeck& deck = *looked.panel.deck();
  CHECK(state.filter() == nullptr);  // It is through.
  deck.goTo(3);
  REQUIRE(state.filter() != nullptr);
  std::vector<bool> decided(state.run()->problem.stays.size());
  for (std::size_t i = 0; i < 3; ++i) decided[deck.record()->ticks[i].stay.index()] = true;
  CHECK(state.filter()->kept == decided);
  looked.panel.paleBox()->setChecked(false);
  CHECK(state.filter() == nullptr);
  looked.panel.paleBox()->setChecked(true);
  CHECK(state.filter() != nullptr);
  looked.panel.hide();
  CHECK(state.filter() == nullptr);
  looked.panel.show();
  CHECK(test::comes([&] { return state.filter() != nullptr; }));
  deck.goToEnd();
  CHECK(state.filter() == nullptr);
  // The pick of a person goes before.
  const auto own = makeFilter("mine", std::vector<bool>(decided.size(), true));
  state.setFilter(own);
  deck.goTo(2);
  CHECK(state.filter() == own);
}

TEST_CASE("a click on the stage selects, and the tables are still there", "[method]") {
  Looked looked(figure("inception", "block-id", false));
  looked.look();
  looked.panel.player()->stage()->grab();
  bool found = false;
  for (const StageItem& item : looked.panel.player()->stage()->items()) {
    if (!item.stay || item.box.width < 4 || item.box.height < 4) continue;
    const QPoint middle(static_cast<int>(item.box.left + item.box.width / 2),
                        static_cast<int>(item.box.top + item.box.height / 2));
    const StayId there = looked.panel.player()->stage()->stayAt(middle);
    if (!there) continue;
    looked.state.select({});
    QTest::mouseClick(looked.panel.player()->stage(), Qt::LeftButton, {}, middle);
    CHECK(looked.state.selected() == there);
    found = true;
    break;
  }
  CHECK(found);
  const int table = looked.panel.chooser()->findText(QStringLiteral("Table: mapping"));
  REQUIRE(table > 0);
  looked.panel.chooser()->setCurrentIndex(table);
  CHECK(looked.panel.view()->table()->rowCount() == 8);
  CHECK(looked.panel.view()->isVisible());
  looked.panel.showStage();
  CHECK(looked.panel.player()->isVisible());
}

TEST_CASE("a panel that outlives what it looked at does not ask for it", "[method]") {
  auto state = std::make_unique<ViewState>();
  MethodPanel panel(state.get());
  state->setRun(figure("inception", "block-id", false));
  panel.show();
  REQUIRE(test::comes([&] { return panel.recorder()->state() == RunRecorder::State::done; }));
  panel.deck()->goTo(2);
  REQUIRE(state->filter() != nullptr);
  state = nullptr;
  panel.hide();
  CHECK_FALSE(panel.deck()->isPlaying());
}
