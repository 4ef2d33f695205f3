// The views go where the playhead goes.
#include <functional>

#include "tests/gui/native_support.h"

using namespace hw;
using namespace hw::test;

TEST_CASE("a moment that is not on screen brings the views along, unless told not to", "[shell]") {
  const bool follow = GENERATE(true, false);
  Settings none;
  Studio window(&none);
  window.resize(1280, 800);
  window.show();
  openAndWait(window, QStringLiteral("samples:mobilenet_v2"));
  ViewState& state = *window.state();
  CHECK(action(window, "followPlayhead")->isChecked());
  action(window, "followPlayhead")->setChecked(follow);
  window.player()->setMode(PlayMode::express);
  const auto isSeen = [&] {
    const double at = playheadOf(state);
    return at >= state.visibleBegin() && at < state.visibleEnd();
  };
  const auto middle = [&] {
    for (const StayId stay : state.run()->problem.stays.keys()) {
      const auto steps = state.run()->problem.stays[stay].steps;
      if (steps.begin > Step(20) && steps.end < state.steps() - Step(5)) return stay;
    }
    return StayId();
  }();
  REQUIRE(middle);
  state.select(middle);
  const auto trigger = [&](const char* name) {
    return [&, name] { action(window, name)->trigger(); };
  };
  const Step last = state.steps() - Step(1);
  const bool late = state.run()->metrics.pools[PoolId(0)].peakStep > Step(last.count() / 2);
  struct Way {
    const char* name;
    std::function<void()> go;
    bool fromEnd = false;
  };
  const Way ways[] = {
      {"peak", trigger("peak"), !late},
      {"play", trigger("runExpress")},
      {"run until", [&] { window.player()->playTo(pointOfStep(*state.run(), Step(30))); }},
      {"[", trigger("toAllocation")},
      {"]", trigger("toRelease")}};
  for (const auto& [name, go, fromEnd] : ways) {
    CAPTURE(name, follow);
    state.setStep(fromEnd ? last : Step(0));
    const auto begin = fromEnd ? static_cast<double>(last.count()) - 2 : 0;
    state.setVisible(begin, begin + 3);
    go();
    CHECK(state.visibleEnd() - state.visibleBegin() == Approx(3));
    CHECK(isSeen() == follow);
  }
}
