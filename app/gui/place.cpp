#include "app/gui/place.h"

#include "core/report/explain/explain_report.h"

namespace hw {

namespace {

Result<void> checkStep(const char* option, Step step, Step steps) {
  if (step < steps) return {};
  return fail(ErrorCode::invalidArgument, std::string(option) + ": the model has steps 0 to " +
                                              std::to_string(steps.count() - 1));
}

}  // namespace

Result<void> goToPlace(const StudioArguments& arguments, ViewState& state) {
  if (!state.run()) return {};
  if (arguments.axis) state.setAxis(*arguments.axis);
  if (arguments.axis == AxisUnit::time && state.axis() != AxisUnit::time) {
    return fail(ErrorCode::invalidArgument,
                "--axis: nothing of this run is timed, so it has steps only");
  }
  if (arguments.step) {
    HW_DO(checkStep("--step", *arguments.step, state.steps()));
    state.setStep(*arguments.step);
  }
  if (arguments.range) {
    const auto [first, last] = *arguments.range;
    HW_DO(checkStep("--range", last, state.steps()));
    const RunScale& scale = *state.scale();
    state.setVisible(scale.begin(first), scale.begin(last + Step(1)));
  }
  if (arguments.select.empty()) return {};
  HW_TRY(tensor, plannedTensor(*state.run(), arguments.select));
  const auto stays = staysOf(*state.run(), tensor);
  if (!stays.empty()) state.select(stays.front());
  return {};
}

}  // namespace hw
