#include <QSignalSpy>
#include <catch2/catch.hpp>

#include "tests/widgets/support.h"
#include "widgets/state/view_state.h"

using namespace hw;
using namespace hw::literals;

TEST_CASE("a step is visited with its allocations made and its releases to come", "[shell]") {
  const auto run = test::smallRun();
  ViewState state;
  state.setRun(run);
  for (Step step(0); step < state.steps(); step += Step(1)) {
    CAPTURE(step.count());
    state.setStep(step);
    CHECK(state.step() == step);
    const MemoryState memory = run->trace.stateAfter(state.moment());
    Bytes live;
    for (const Stay& stay : run->problem.stays) {
      if (stay.steps.contains(step)) live += stay.size;
    }
    CHECK(memory[PoolId(0)].inUse() == live);
  }
}

TEST_CASE("every step can be visited, also one without events", "[shell]") {
  const auto run = test::makeRun({{"a", 4, 0, 5}, {"b", 2, 4, 5}});
  ViewState state;
  state.setRun(run);
  for (int step = 0; step < 5; ++step) {
    state.setStep(Step(step));
    CHECK(state.step() == Step(step));
  }
  state.setStep(Step(100));
  CHECK(state.step() == Step(4));
  state.setStep(Step(-3));
  CHECK(state.step() == Step(0));
}

TEST_CASE("moments never leave the trace", "[shell]") {
  ViewState state;
  state.setMoment(3);
  CHECK(state.moment() == 0);
  const auto run = test::randomRun(11, 30, 12);
  state.setRun(run);
  QSignalSpy moved(&state, &ViewState::momentChanged);
  state.setMoment(run->trace.size() + 100);
  CHECK(state.moment() == run->trace.size());
  state.setMoment(run->trace.size());
  CHECK(moved.size() == 1);
}

TEST_CASE("what is selected stays selected when the same model is planned anew", "[shell]") {
  const auto run = test::smallRun();
  auto again = std::make_shared<Run>(*run);
  ViewState state;
  state.setRun(run);
  state.select(StayId(2));
  state.setRun(again);
  CHECK(state.selected() == StayId(2));

  state.setRun(test::smallRun());  // Another model, though it looks alike.
  CHECK_FALSE(state.selected());
}

TEST_CASE("the visible steps stay inside the run and never become a point", "[shell]") {
  ViewState state;
  state.setRun(test::randomRun(5, 20, 40));
  const auto all = static_cast<double>(state.steps().count());
  state.setVisible(-10, 1e9);
  CHECK(state.visibleBegin() == 0);
  CHECK(state.visibleEnd() == all);
  state.setVisible(7, 7);
  CHECK(state.visibleEnd() - state.visibleBegin() == Approx(0.25));
  state.setVisible(all - 1, all + 4);
  CHECK(state.visibleEnd() == all);
  CHECK(state.visibleEnd() - state.visibleBegin() == Approx(5));
}
