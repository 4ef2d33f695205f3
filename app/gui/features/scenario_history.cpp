#include "app/gui/features/scenario_history.h"

#include <QDockWidget>
#include <QMenu>
#include <QUndoView>

#include "app/gui/main_window.h"
#include "app/gui/scenario.h"

namespace hw {

/// One change of the scenario. It has happened when it is made.
class ScenarioEdit : public QUndoCommand {
 public:
  ScenarioEdit(ScenarioHistory* history, RunRequest before, RunRequest after, const QString& text)
      : QUndoCommand(text),
        history_(history),
        before_(std::move(before)),
        after_(std::move(after)) {}

  void undo() override { history_->go(before_); }
  void redo() override {
    if (done_) history_->go(after_);
    done_ = true;
  }

 private:
  ScenarioHistory* history_;
  RunRequest before_;
  RunRequest after_;
  bool done_ = false;
};

ScenarioHistory::ScenarioHistory(MainWindow* window) : QObject(window), window_(window) {
  setObjectName(QStringLiteral("scenarioHistory"));
  addCommands();
  auto* view = new QUndoView(&stack_, window);
  view->setObjectName(QStringLiteral("historyList"));
  view->setAccessibleName(tr("Edits of the scenario"));
  view->setEmptyLabel(tr("As opened"));
  view->setFrameShape(QFrame::NoFrame);
  view->setToolTip(
      tr("Every change of method, machine, alignment, sharing or order; choose a row "
         "to go back to it"));
  QDockWidget* dock = window->addDock(QStringLiteral("history"), tr("History"), view,
                                      Qt::LeftDockWidgetArea, QStringLiteral("schedule"));
  window
      ->addCommand(window->menu(MenuKind::edit), QStringLiteral("showHistory"), tr("&History"), {},
                   [dock, view] {
                     dock->show();
                     dock->raise();
                     view->setFocus();
                   })
      ->setToolTip(tr("The list of edits, to go back to any of them"));
  connect(window->state(), &ViewState::runChanged, this, &ScenarioHistory::runShown);
  connect(window->job(), &PlanJob::finished, this, [this](const PlanOutcome& outcome) {
    if (!outcome.run) returnToShown();
  });
  connect(window->job(), &PlanJob::cancelled, this, &ScenarioHistory::returnToShown);
}

void ScenarioHistory::addCommands() {
  QMenu* menu = window_->menu(MenuKind::edit);
  QAction* undo = stack_.createUndoAction(window_, tr("&Undo"));
  undo->setObjectName(QStringLiteral("undo"));
  undo->setShortcuts({QKeySequence(Qt::CTRL | Qt::Key_Z)});
  QAction* redo = stack_.createRedoAction(window_, tr("&Redo"));
  redo->setObjectName(QStringLiteral("redo"));
  redo->setShortcuts(
      {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Z), QKeySequence(Qt::CTRL | Qt::Key_Y)});
  for (QAction* action : {undo, redo}) {
    menu->addAction(action);
    window_->addAction(action);
  }
  const auto explain = [this, undo, redo] {
    undo->setToolTip(stack_.canUndo() ? stack_.undoText() : tr("No edit of the scenario so far"));
    redo->setToolTip(stack_.canRedo() ? stack_.redoText() : tr("Nothing has been taken back"));
  };
  explain();
  connect(&stack_, &QUndoStack::indexChanged, this, explain);
}

void ScenarioHistory::runShown() {
  if (!window_->state()->run()) return;
  const RunRequest now = window_->request();
  const bool sameModel = now.model == shown_.model && !shown_.model.empty();
  if (!sameModel) {
    stack_.clear();
  } else if (target_ && factsOf(*target_) == factsOf(now)) {
    // The edit that was taken back or made again is on show.
  } else if (const QString change = changeText(shown_, now); !change.isEmpty()) {
    const QString name = nextName_.isEmpty() ? change : nextName_;
    returnToShown();
    stack_.push(new ScenarioEdit(this, shown_, now, name));
  }
  nextName_.clear();
  target_.reset();
  shown_ = now;
  shownIndex_ = stack_.index();
}

void ScenarioHistory::go(const RunRequest& request) {
  if (quiet_) return;
  target_ = request;
  const auto import = [](const RunRequest& each) {
    const ScenarioFacts facts = factsOf(each);
    return QStringList{facts.value(QStringLiteral("dimensions")),
                       facts.value(QStringLiteral("subgraph")),
                       facts.value(QStringLiteral("bodies"))};
  };
  if (import(request) == import(shown_)) {
    window_->planWith(request.config);
  } else {
    window_->open(request);
  }
}

void ScenarioHistory::returnToShown() {
  quiet_ = true;
  stack_.setIndex(shownIndex_);
  quiet_ = false;
  target_.reset();
  nextName_.clear();
}

}  // namespace hw
