#include "app/gui/features/order_feature.h"

#include "app/gui/features/scenario_history.h"
#include "app/gui/main_window.h"
#include "core/base/text.h"

namespace hw {

OrderFeature::OrderFeature(MainWindow* window, ScenarioHistory* history)
    : QObject(window), window_(window), history_(history) {
  QMenu* menu = window->menu(MenuKind::simulate)->addMenu(tr("&Order of the operators"));
  const auto add = [&](const char* name, const QString& text, const QKeySequence& key,
                       const std::function<void()>& act) {
    window->needsRun(window->addCommand(menu, QString::fromLatin1(name), text, {key}, act));
  };
  add("runEarlier", tr("Run the chosen operator one step &earlier"),
      QKeySequence(Qt::ALT | Qt::Key_Up), [this] { moveByOne(OpMove::Side::before); });
  add("runLater", tr("Run the chosen operator one step &later"),
      QKeySequence(Qt::ALT | Qt::Key_Down), [this] { moveByOne(OpMove::Side::after); });
  menu->addSeparator();
  add("modelOrder", tr("&As in the model"), {}, [this] { restoreOrder(); });
  connect(window->schedule(), &SchedulePanel::moveWanted, this, &OrderFeature::carryOut);
  connect(window, &MainWindow::shown, this, &OrderFeature::followMoved);
  connect(window->job(), &PlanJob::cancelled, this, [this] { moved_ = {}; });
}

void OrderFeature::carryOut(const OpMove& move) {
  const auto run = window_->state()->run();
  if (!run || window_->job()->isRunning()) return;
  RunConfig config = window_->request().config;
  config.moves.push_back(move);
  const auto name = [&](OpId op) {
    return QString::fromStdString(printable(displayName(run->graph(), op), 40));
  };
  history_->nameNext(move.side == OpMove::Side::before
                         ? tr("%1 before %2").arg(name(move.op), name(move.anchor))
                         : tr("%1 after %2").arg(name(move.op), name(move.anchor)));
  moved_ = move.op;
  window_->planWith(config);
}

/// To where the operator runs now, so that the next key moves it on and not its neighbour.
void OrderFeature::followMoved() {
  const OpId op = std::exchange(moved_, OpId());
  const auto run = window_->state()->run();
  if (!op || !run || !run->schedule.stepOf.contains(op)) return;
  window_->state()->setStep(run->schedule.stepOf[op]);
  window_->state()->selectOp(op);
}

void OrderFeature::moveByOne(OpMove::Side side) {
  if (const auto move = window_->schedule()->moveByOne(side)) return carryOut(*move);
  window_->messages()->showNote(
      side == OpMove::Side::before
          ? tr("It cannot run earlier: it needs what runs just before it, or is the first.")
          : tr("It cannot run later: what runs next needs it, or it is the last."));
}

void OrderFeature::restoreOrder() {
  RunConfig config = window_->request().config;
  if (config.moves.empty()) {
    return window_->messages()->showNote(tr("The operators run in the order of the model."));
  }
  config.moves.clear();
  history_->nameNext(tr("the order of the model"));
  window_->planWith(config);
}

}  // namespace hw
