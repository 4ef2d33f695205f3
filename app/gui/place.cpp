#include "app/gui/place.h"

#include "app/gui/main_window.h"
#include "core/report/explain_report.h"

namespace hw {

namespace {

Result<void> checkStep(const char* option, Step step, Step steps) {
  if (step < steps) return {};
  return fail(ErrorCode::invalidArgument, std::string(option) + ": the model has steps 0 to " +
                                              std::to_string(steps.count() - 1));
}

}  // namespace

Result<void> goToPlace(const StudioArguments& arguments, MainWindow& window) {
  ViewState& state = *window.state();
  if (!state.run()) return {};
  if (arguments.step) {
    if (auto good = checkStep("--step", *arguments.step, state.steps()); !good) return good;
    state.setStep(*arguments.step);
  }
  if (arguments.range) {
    const auto [first, last] = *arguments.range;
    if (auto good = checkStep("--range", last, state.steps()); !good) return good;
    state.setVisible(static_cast<double>(first.count()), static_cast<double>(last.count() + 1));
  }
  if (arguments.select.empty()) return {};
  const auto tensor = plannedTensor(*state.run(), arguments.select);
  if (!tensor) return tl::unexpected(tensor.error());
  const auto stays = staysOf(*state.run(), *tensor);
  if (!stays.empty()) state.select(stays.front());
  return {};
}

}  // namespace hw
