#include <QObject>

#include "app/gui/features/scenario/scenario.h"
#include "app/gui/features/scenario/scenario_history.h"
#include "app/gui/window/main_window.h"
#include "core/base/text.h"
#include "core/graph/counterparts.h"
#include "core/schedule/moves.h"
#include "widgets/panels/schedule_panel.h"

namespace hw {

/// Ops that run elsewhere: dragged in the schedule, or moved step by step by keys; the plan is
/// made again, and that can be undone.
class OrderFeature : public QObject {
 public:
  OrderFeature(MainWindow* window, ScenarioHistory* history, SchedulePanel* schedule)
      : QObject(window), window_(window), history_(history), schedule_(schedule) {
    QMenu* menu = window->menu(MenuKind::simulate)->addMenu(tr("&Order of the operators"));
    const auto add = [&](const char* name, const QString& text, const QKeySequence& key,
                         const std::function<void()>& act) {
      window->addRunCommand(menu, name, text, {key}, act);
    };
    add("runEarlier", tr("Run the chosen operator one step &earlier"),
        QKeySequence(Qt::ALT | Qt::Key_Up), [this] { moveByOne(OpMove::Side::before); });
    add("runLater", tr("Run the chosen operator one step &later"),
        QKeySequence(Qt::ALT | Qt::Key_Down), [this] { moveByOne(OpMove::Side::after); });
    menu->addSeparator();
    add("modelOrder", tr("&As in the model"), {}, [this] { restoreOrder(); });
    connect(schedule, &SchedulePanel::moveWanted, this, &OrderFeature::carryOut);
    connect(window, &MainWindow::shown, this, &OrderFeature::followMoved);
    connect(window->job(), &Job::ended, this, [this] { moved_ = {}; });
  }

 private:
  void carryOut(const OpMove& move) {
    const auto run = window_->state()->run();
    if (!run || window_->job()->isRunning()) return;
    const OpId op = wholeOp(run->graph(), move.op);
    const OpId anchor = wholeOp(run->graph(), move.anchor);
    if (!op || !anchor || op == anchor) {
      window_->messages()->showNote(
          tr("The order is that of the model's own operators: these two "
             "are not two of them."));
      return;
    }
    RunRequest request = window_->request();
    request.moves.push_back({.op = op, .anchor = anchor, .side = move.side});
    const auto name = [&](OpId of) {
      return QString::fromStdString(printable(displayName(run->graph(), of), 40));
    };
    history_->nameNext(move.side == OpMove::Side::before
                           ? tr("%1 before %2").arg(name(move.op), name(move.anchor))
                           : tr("%1 after %2").arg(name(move.op), name(move.anchor)));
    moved_ = move.op;
    window_->planWith(request);
  }

  void moveByOne(OpMove::Side side) {
    if (const auto move = schedule_->moveByOne(side)) return carryOut(*move);
    window_->messages()->showNote(
        side == OpMove::Side::before
            ? tr("It cannot run earlier: it needs what runs just before it, or is the first.")
            : tr("It cannot run later: what runs next needs it, or it is the last."));
  }

  void restoreOrder() {
    RunRequest request = window_->request();
    if (request.moves.empty()) {
      return window_->messages()->showNote(tr("The operators run in the order of the model."));
    }
    request.moves.clear();
    history_->nameNext(tr("the order of the model"));
    window_->planWith(request);
  }

  /// To where the operator runs now, so that the next key moves it on and not its neighbour.
  void followMoved() {
    const OpId op = std::exchange(moved_, OpId());
    const auto run = window_->state()->run();
    if (!op || !run || !run->schedule.stepOf.contains(op)) return;
    window_->state()->setStep(run->schedule.stepOf[op]);
    window_->state()->selectOp(op);
  }

  MainWindow* window_;
  ScenarioHistory* history_;
  SchedulePanel* schedule_;
  OpId moved_;  ///< By the planning under way.
};

void addOrder(MainWindow* window, ScenarioHistory* history, SchedulePanel* schedule) {
  new OrderFeature(window, history, schedule);
}

}  // namespace hw
