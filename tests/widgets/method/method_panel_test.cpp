// The Method panel: recorded when somebody looks, linked to what the rest of the studio shows.
#include "widgets/method/method_panel.h"

#include <QTest>

#include "core/import/formats.h"
#include "tests/widgets/method/method_support.h"
#include "tests/widgets/patience.h"

using namespace hw;
using namespace hw::test;

namespace {

struct Looked {
  explicit Looked(const std::shared_ptr<const Run>& run) {
    state.setRun(run);
    panel.resize(900, 320);
  }
  void look() {
    panel.show();
    REQUIRE(QTest::qWaitFor([&] { return panel.recorder()->state() == RunRecorder::State::done; },
                            test::kPatience));
  }

  ViewState state{};
  MethodPanel panel{&state};
};

}  // namespace

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
  // Where nothing takes bytes the method is not to blame.
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
  CHECK(QTest::qWaitFor([&] { return state.filter() != nullptr; }, test::kPatience));
  deck.goToEnd();
  CHECK(state.filter() == nullptr);
  // What a person picked out goes before.
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
  REQUIRE(QTest::qWaitFor([&] { return panel.recorder()->state() == RunRecorder::State::done; },
                          test::kPatience));
  panel.deck()->goTo(2);
  REQUIRE(state->filter() != nullptr);
  state = nullptr;
  panel.hide();
  CHECK_FALSE(panel.deck()->isPlaying());
}
