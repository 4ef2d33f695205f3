// Commands that go places: moments, selections, markers, what is visible.
#include "tests/gui/action_desk.h"
#include "tests/widgets/patience.h"
#include "widgets/find/search_box.h"
#include "widgets/markers/markers.h"
#include "widgets/transport/until_form.h"

namespace hw::test {

namespace {

MarkerSet& markers(Desk& desk) { return desk.part<MarkerSet>(); }

/// A stay that begins after the start and ends before the end.
StayId middleStay(Desk& desk) {
  const Problem& problem = desk.state().run()->problem;
  for (const StayId stay : problem.stays.keys()) {
    const auto steps = problem.stays[stay].steps;
    if (steps.begin > Step(20) && steps.end < Step(60)) return stay;
  }
  FAIL("a sample without a stay in its middle");
  return {};
}

void selectMiddle(Desk& desk) { desk.state().select(middleStay(desk)); }

bool hasSelection(Desk& desk) { return desk.state().selected() || desk.state().selectedOp(); }

void search(Desk& desk) {
  auto& box = desk.part<SearchBox>();
  box.begin();
  QTest::keyClicks(&box, QStringLiteral("conv3"));
  REQUIRE(test::comes([&] { return !box.result().hits.empty(); }));
  desk.window.maps().front()->setFocus();
}

/// The cause of the last activity of the run.
ActivityId lastCause(Desk& desk) {
  const Timing& timing = desk.state().run()->timing;
  return timing.times[timing.account.criticalPath.back()].cause->activity;
}

bool isAt(Desk& desk, std::int64_t step) { return desk.state().step() == Step(step); }

bool isWide(Desk& desk) {
  return desk.state().visibleEnd() - desk.state().visibleBegin() ==
         Approx(static_cast<double>(desk.state().steps().count()));
}

void narrow(Desk& desk) { desk.state().setVisible(30, 50); }

bool plays(Desk& desk, PlayMode mode, bool backwards) {
  Player& player = *desk.window.player();
  return player.isPlaying() && player.mode() == mode && player.isBackwards() == backwards;
}

/// At moments that express playing has left already it is over.
bool isAtEnd(Desk& desk) { return desk.state().moment() == desk.state().run()->trace.size(); }

std::vector<CommandCase> momentCases() {
  const auto event = [](Desk& desk) { return desk.window.player()->eventIndex(); };
  static std::size_t before = 0;
  const auto remember = [event](Desk& desk) { before = event(desk); };
  const auto moved = [event](int by) {
    return [event, by](Desk& desk) {
      return static_cast<int>(event(desk)) == static_cast<int>(before) + by;
    };
  };
  return {
      {"start", [](Desk& desk) { return desk.state().moment() == 0; }},
      {"end", isAtEnd},
      {"opBack", [](Desk& desk) { return isAt(desk, 39); }},
      {"opForward", [](Desk& desk) { return isAt(desk, 41); }},
      {"opsBack", [](Desk& desk) { return isAt(desk, 30); }},
      {"opsForward", [](Desk& desk) { return isAt(desk, 50); }},
      {"eventBack", moved(-1), remember},
      {"eventForward", moved(1), remember},
      {"step", moved(1), remember},
      {"stepBack", moved(-1), remember},
      {"peak", [](Desk& desk) { return isAt(desk, 37); }},
      {"nextPeak", [](Desk& desk) { return !isAt(desk, 40); }},
      {"play", [](Desk& desk) { return plays(desk, PlayMode::animate, false); }},
      {"playBack", [](Desk& desk) { return plays(desk, PlayMode::animate, true); }},
      {"run", [](Desk& desk) { return plays(desk, PlayMode::animate, false); }},
      {"runBack", [](Desk& desk) { return plays(desk, PlayMode::animate, true); }},
      {"runFast", [](Desk& desk) { return plays(desk, PlayMode::fast, false); }},
      {"runFastBack", [](Desk& desk) { return plays(desk, PlayMode::fast, true); }},
      {"runExpress", isAtEnd},
      {"runExpressBack", [](Desk& desk) { return desk.state().moment() == 0; }},
      {"stop", [](Desk& desk) { return !desk.window.player()->isPlaying(); },
       [](Desk& desk) { desk.window.player()->play(true); }},
      {"runUntil",
       [](Desk& desk) {
         auto* dialog = desk.window.findChild<QDialog*>(QStringLiteral("untilDialog"));
         return dialog && dialog->isVisible();
       }},
  };
}

std::vector<CommandCase> selectionCases() {
  return {
      {"selectionBack", [](Desk& desk) { return desk.state().selected() == StayId(1); },
       [](Desk& desk) {
         desk.state().select(StayId(1));
         desk.state().select(StayId(2));
       }},
      {"selectionForward", [](Desk& desk) { return desk.state().selected() == StayId(2); },
       [](Desk& desk) {
         desk.state().select(StayId(1));
         desk.state().select(StayId(2));
         action(desk.window, "selectionBack")->trigger();
       }},
      {"clearSelection", [](Desk& desk) { return !desk.state().selected(); }, selectMiddle},
      {"toAllocation",
       [](Desk& desk) {
         const auto steps = desk.state().run()->problem.stays[middleStay(desk)].steps;
         return desk.state().step() == steps.begin;
       },
       [](Desk& desk) {
         selectMiddle(desk);
         desk.state().setStep(Step(5));
       }},
      {"toRelease",
       [](Desk& desk) {
         const auto steps = desk.state().run()->problem.stays[middleStay(desk)].steps;
         return desk.state().step() == steps.end - Step(1);
       },
       [](Desk& desk) {
         selectMiddle(desk);
         desk.state().setStep(Step(5));
       }},
      {"findNext", hasSelection, search},
      {"findPrevious", hasSelection, search},
      {"findDims", [](Desk& desk) { return desk.state().filter() != nullptr; }, search},
      {"find", [](Desk& desk) { return desk.part<SearchBox>().hasFocus(); }},
  };
}

std::vector<CommandCase> markerCases() {
  const auto two = [](Desk& desk) {
    markers(desk).clear();
    desk.state().setStep(Step(20));
    markers(desk).add();
    desk.state().setStep(Step(60));
    markers(desk).add();
    desk.state().setStep(Step(40));
  };
  const auto none = [](Desk& desk) { markers(desk).clear(); };
  return {
      {"addMarker", [](Desk& desk) { return markers(desk).all().size() == 1; }, none},
      {"addDeltaMarker",
       [](Desk& desk) {
         return markers(desk).all().size() == 3 && markers(desk).all().back().since != 0;
       },
       two},
      {"nextMarker", [](Desk& desk) { return isAt(desk, 60); }, two},
      {"previousMarker", [](Desk& desk) { return isAt(desk, 20); }, two},
      {"markSlowest", [](Desk& desk) { return markers(desk).all().size() == 8; }, none},
      {"clearMarkers", [](Desk& desk) { return markers(desk).all().empty(); }, two},
  };
}

std::vector<CommandCase> visibleCases() {
  const auto mark = [](Desk& desk) { desk.state().markSteps(Interval<Step>{Step(10), Step(20)}); };
  return {
      {"focus", [](Desk& desk) { return !isWide(desk); }, selectMiddle},
      {"zoomToSelection", [](Desk& desk) { return !isWide(desk); }, selectMiddle},
      {"fit", isWide, narrow},
      {"zoomIn", [](Desk& desk) { return !isWide(desk); }},
      {"zoomOut",
       [](Desk& desk) { return desk.state().visibleEnd() - desk.state().visibleBegin() > 21; },
       narrow},
      {"panLeft", [](Desk& desk) { return desk.state().visibleBegin() < 29; }, narrow},
      {"panRight", [](Desk& desk) { return desk.state().visibleBegin() > 31; }, narrow},
      {"timeAxis", [](Desk& desk) { return desk.state().axis() == AxisUnit::time; }},
      {"toCause", [](Desk& desk) { return desk.state().selectedActivity() == lastCause(desk); },
       [](Desk& desk) {
         desk.state().selectActivity(desk.state().run()->timing.account.criticalPath.back());
       }},
      {"nextOnPath",
       [](Desk& desk) {
         const auto& path = desk.state().run()->timing.account.criticalPath;
         return desk.state().selectedActivity() == path.front();
       }},
      {"followPlayhead", [](Desk& desk) { return !desk.state().follows(); }},
      {"zoomToRange",
       [](Desk& desk) {
         return desk.state().visibleBegin() == 10 && desk.state().visibleEnd() == 20;
       },
       mark},
      {"restrictStatistics", [](Desk& desk) { return desk.state().statisticsRange().has_value(); },
       mark},
      {"wholeStatistics", [](Desk& desk) { return !desk.state().statisticsRange(); },
       [](Desk& desk) {
         desk.state().restrictStatistics(Interval<Step>{Step(10), Step(20)});
       }},
  };
}

}  // namespace

std::vector<CommandCase> movingCases() {
  std::vector<CommandCase> all;
  for (const auto& part : {momentCases(), selectionCases(), markerCases(), visibleCases()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

}  // namespace hw::test
