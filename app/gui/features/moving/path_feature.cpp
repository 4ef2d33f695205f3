#include "app/gui/features/moving/path_feature.h"

#include <QMenu>

#include "app/gui/window/main_window.h"
#include "widgets/lanes/activity_text.h"

namespace hw {

PathFeature::PathFeature(MainWindow* window) : QObject(window), window_(window) {
  QMenu* menu = window->menu(MenuKind::simulate);
  const auto add = [&](const char* name, const QString& text, const QKeySequence& key,
                       const QString& what, void (PathFeature::*act)()) {
    window_->addRunCommand(menu, name, text, {key}, [this, act] { (this->*act)(); })
        ->setStatusTip(what);
  };
  add("toCause", tr("Go to the cause"), Qt::Key_C,
      tr("To the activity that the selected one waited for last"), &PathFeature::toCause);
  add("nextOnPath", tr("Ne&xt on the critical path"), QKeySequence(Qt::SHIFT | Qt::Key_C),
      tr("To the activity of the critical path that waits for the selected one, or to its first"),
      &PathFeature::nextOnPath);
}

void PathFeature::toCause() {
  const ViewState& state = *window_->state();
  const auto& times = state.run()->timing.times;
  const auto& path = state.run()->timing.account.criticalPath;
  // From nothing: back from the end of the run.
  const ActivityId from = state.selectedActivity();
  if (!from && !path.empty()) return goTo(path.back());
  if (from && times[from].cause) return goTo(times[from].cause->activity);
  window_->messages()->showNote(from ? tr("It waits for nothing: it starts with the run.")
                                     : tr("Nothing of this run is timed."));
}

void PathFeature::nextOnPath() {
  const ViewState& state = *window_->state();
  const ActivityId next = hw::nextOnPath(*state.run(), state.selectedActivity());
  if (next && next != state.selectedActivity()) return goTo(next);
  window_->messages()->showNote(state.selectedActivity()
                                    ? tr("This is the end of the critical path.")
                                    : tr("Nothing of this run is timed."));
}

void PathFeature::goTo(ActivityId activity) {
  ViewState& state = *window_->state();
  state.selectActivity(activity);
  const ActivityTime& time = state.run()->timing.times[activity];
  state.setTime(time.start);
  if (state.axis() != AxisUnit::time) {
    return state.reveal(state.run()->timing.activities.activities[activity].step);
  }
  const auto begin = static_cast<double>(time.start.count());
  const auto end = static_cast<double>(time.end.count());
  if (begin >= state.visibleBegin() && end <= state.visibleEnd()) return;
  const double half = (state.visibleEnd() - state.visibleBegin()) / 2;
  state.setVisible((begin + end) / 2 - half, (begin + end) / 2 + half);
}

}  // namespace hw
