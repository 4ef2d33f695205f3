// Before and after in lock-step where operators run in parts in one of the two plans only.
#include <catch2/catch.hpp>

#include "app/gui/request/arguments.h"
#include "app/gui/studio.h"
#include "core/graph/tiling.h"
#include "core/import/samples.h"
#include "widgets/below/lock_step.h"

using namespace hw;

namespace {

struct BeforeAfter {
  BeforeAfter() {
    model = std::make_shared<const Model>(openModel("samples:mobilenet_v2_int8", {}).value());
    RunRequest request = defaultRequest();
    before = execute(model, request, {}).value();
    request.tile = TileRule::lines;
    after = execute(model, request, {}).value();
    again = execute(model, request, {}).value();
  }
  std::shared_ptr<const Model> model;
  std::shared_ptr<const Run> before, after, again;
};

const BeforeAfter& beforeAfter() {
  static const BeforeAfter both;
  return both;
}

std::string nameAt(const Run& run, Step step) {
  const std::string name = displayName(run.graph(), run.schedule.opAt(step));
  return name.substr(0, name.find('['));
}

}  // namespace

TEST_CASE("B goes to the operator under A's playhead, whichever of them has parts",
          "[compare][parts]") {
  const auto before = beforeAfter().before;
  const auto after = beforeAfter().after;
  for (const auto& [first, second] : {std::pair(after, before), std::pair(before, after)}) {
    ViewState a;
    ViewState b;
    LockStep both(&a, &b);
    a.setRun(first);
    both.setB(second);
    for (Step step; step < a.steps(); step += Step(1)) {
      a.setStep(step);
      const OpId op = first->graph().tiling ? first->schedule.opAt(step) : OpId();
      if (op && first->graph().ops[op].domain == kTileDomain) continue;
      CAPTURE(step.count());
      CHECK(nameAt(*second, b.step()) == nameAt(*first, step));
    }
    // All of the one is all of the other; a few steps are their operators.
    CHECK(b.visibleBegin() == 0);
    CHECK(b.visibleEnd() == b.length());
    a.setVisible(0, 4);
    CHECK(b.visibleEnd() < b.length());
    a.showAll();
    CHECK(b.visibleEnd() == b.length());
  }
}

TEST_CASE("selections go over by tensor between whole operators and parts", "[compare][parts]") {
  const auto before = beforeAfter().before;
  const auto after = beforeAfter().after;
  const auto again = beforeAfter().again;
  ViewState a;
  ViewState b;
  LockStep both(&a, &b);
  a.setRun(after);
  both.setB(before);
  std::size_t found = 0;
  for (const StayId stay : after->problem.stays.keys()) {
    a.select(stay);
    if (!b.selected()) continue;
    ++found;
    const std::string name = after->stayName(stay);
    const auto& held = before->storage.tensorsOf(before->problem.stays[b.selected()].buffer);
    const bool holds = std::ranges::any_of(held, [&](TensorId tensor) {
      return displayName(before->graph(), tensor) == name.substr(0, name.find('['));
    });
    CAPTURE(name, before->stayName(b.selected()));
    CHECK(holds);
  }
  CHECK(found > 10);
  // The window, too: another plan of the model, with something selected.
  for (const auto& run : {before, after, again, before}) {
    for (const OpId op : a.run()->graph().ops.keys()) {
      if (op.index() % 97 == 5) a.selectOp(op);
    }
    a.setRun(run);
    if (a.selectedOp()) CHECK(run->graph().ops.contains(a.selectedOp()));
    if (a.selected()) CHECK(run->problem.stays.contains(a.selected()));
  }
}

TEST_CASE("two plans in the same parts share their steps and are held against each other",
          "[compare][parts]") {
  const auto before = beforeAfter().before;
  const auto after = beforeAfter().after;
  const auto again = beforeAfter().again;
  CHECK(SameThings(*after, *again).same());
  CHECK_FALSE(SameThings(*after, *before).same());
  const BlockStore blocks = BlockStore::ofPool(*after, PoolId(0));
  CHECK(movedBlocks(*after, PoolId(0), blocks, *again).count == 0);
  CHECK(movedBlocks(*after, PoolId(0), blocks, *before).count == 0);
  Settings none;
  Studio window(&none);
  window.resize(1200, 900);
  window.show();
  window.show(after->request, {.run = after, .violations = {}});
  window.showBelow(before);
  CHECK(window.belowState()->length() == double(before->schedule.steps().count()));
  CHECK_FALSE(window.compareMaps()->map(0, PoolId(0))->isLed());
  window.state()->setAxis(AxisUnit::time);
  CHECK(window.belowState()->length() == window.state()->length());
  window.showBelow(nullptr);
  window.state()->setAxis(AxisUnit::step);
  window.showBelow(again);
  CHECK(window.compareMaps()->map(0, PoolId(0))->isLed());
}
