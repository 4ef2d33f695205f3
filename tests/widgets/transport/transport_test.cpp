#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "core/import/samples.h"
#include "core/machine/platforms.h"
#include "tests/gui/native_support.h"
#include "tests/widgets/patience.h"
#include "tests/widgets/support.h"
#include "widgets/panels/event_panel.h"
#include "widgets/text/text.h"
#include "widgets/transport/player.h"
#include "widgets/transport/transport_bar.h"
#include "widgets/transport/until_form.h"

using namespace hw;

namespace {

/// Runs on which steps follow one another, and such on which engines overlap.
std::shared_ptr<const Run> runNumber(int number) {
  switch (number) {
    case 0:
      return test::movedRun();
    case 1:
      return test::movedRun("inception", "two-sided");
    case 2:  // Memory events of later steps come before those of earlier ones.
      return test::sampleRun("squeezenet", test::requestBy("partition", "two-clusters"));
    case 3:
      return test::sampleRun("side_by_side", test::requestBy("partition", "two-clusters"));
    default:
      return test::randomRun(static_cast<std::uint64_t>(number), 60, 30);
  }
}

using Place = std::pair<std::size_t, Step>;

struct Tape {
  ViewState state;
  ViewState below;
  Player player{&state};
  TransportBar bar{&state, &player};
  MomentBox box{&state, &player};
  RunUntil until{&state, &below, &player};
  UntilForm form{&state, &below, &until};

  QAction* move(const char* name) { return bar.findChild<QAction*>(QString::fromLatin1(name)); }
  void setKind(UntilForm::Kind kind) { form.kindBox()->setCurrentIndex(static_cast<int>(kind)); }
  bool settled() {
    return test::comes([&] { return !until.isSearching() && !player.isPlaying(); });
  }
};

std::size_t endOf(const Run& run, std::size_t entries) {
  return entries == 0 ? 0 : run.timeline[entries - 1].lastEvent;
}

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
  const auto run = test::sampleRun("squeezenet", test::requestBy("partition", "two-clusters"));
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

TEST_CASE("playing backwards visits the moments of playing forwards, to the start", "[transport]") {
  Tape deck;
  const auto run = test::randomRun(4, 30, 20);
  deck.state.setRun(run);
  deck.bar.speeds().last()->trigger();
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
  Tape deck;
  const auto run = test::randomRun(11, 200, 80);
  deck.state.setRun(run);
  deck.bar.modes().at(1)->trigger();
  CHECK(deck.player.mode() == PlayMode::fast);
  deck.player.setSpeed(8);
  QElapsedTimer clock;
  clock.start();
  QSignalSpy pictures(&deck.state, &ViewState::momentChanged);
  deck.player.play(true);
  REQUIRE(deck.settled());
  CHECK(pictures.size() <= clock.elapsed() / 90 + 2);
  CHECK(deck.state.moment() == endOf(*run, run->timeline.size()));
}

TEST_CASE("express shows the end only, in one picture, both ways", "[transport]") {
  Tape deck;
  const auto run = test::randomRun(12, 200, 80);
  deck.state.setRun(run);
  deck.bar.modes().at(2)->trigger();
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
  Tape deck;
  const auto run = test::randomRun(13, 300, 60);
  deck.state.setRun(run);
  for (const PlayMode mode : {PlayMode::animate, PlayMode::fast}) {
    deck.player.setMode(mode);
    deck.player.setSpeed(16);
    deck.player.goToEvent(10);
    deck.player.play(true);
    REQUIRE(test::comes([&] { return deck.player.eventIndex() > 12; }));
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
  Tape deck;
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
  Tape deck;
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
  Tape deck;
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
  Tape deck;
  const auto model = test::sampleModel("inception");
  const auto planned = [&](const char* allocator) {
    return test::sampleRun("inception", test::requestBy(allocator));
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
  Tape deck;
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

TEST_CASE("stepping by event forwards and backwards visits the same moments", "[shell]") {
  Tape deck;
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
  Tape deck;
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
  Tape deck;
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
  Tape deck;
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

TEST_CASE("number and moment are one thing", "[shell]") {
  Tape deck;
  deck.state.setRun(test::randomRun(8, 40, 20));
  auto* box = test::part<QSpinBox>(deck.box, "stepBox");
  CHECK(box->maximum() == deck.state.steps().count() - 1);
  box->setValue(3);
  CHECK(deck.state.step() == Step(3));
  deck.state.setStep(Step(5));
  CHECK(box->value() == 5);
}

TEST_CASE("playing arrives at the end, stops there, and starts over", "[shell]") {
  Tape deck;
  deck.state.setRun(test::randomRun(4, 12, 8));
  deck.bar.speeds().last()->trigger();
  CHECK(deck.player.speed() == Player::kMaxSpeed);
  QSignalSpy changed(&deck.player, &Player::playingChanged);
  deck.move("play")->trigger();
  CHECK(deck.player.isPlaying());
  CHECK(test::comes([&] { return !deck.player.isPlaying(); }));
  CHECK(changed.size() == 2);
  CHECK(deck.player.eventIndex() == deck.player.eventCount());

  deck.move("play")->trigger();
  CHECK(deck.player.eventIndex() < deck.player.eventCount());
  deck.move("play")->trigger();
  CHECK_FALSE(deck.player.isPlaying());
}

TEST_CASE("without a run the deck is off and says why", "[shell]") {
  Tape deck;
  for (const QAction* action : deck.bar.moves()) {
    if (action->isSeparator()) continue;
    CHECK_FALSE(action->isEnabled());
    CHECK(action->toolTip().contains(QStringLiteral("open a model")));
  }
  CHECK_FALSE(test::part<QSpinBox>(deck.box, "stepBox")->isEnabled());
  deck.player.toggle();
  CHECK_FALSE(deck.player.isPlaying());
}
