#include "app/gui/features/scenario/scenario_history.h"

#include <fmt/format.h>

#include <QMenu>
#include <QUndoView>
#include <algorithm>

#include "app/gui/window/main_window.h"
#include "core/base/text.h"

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

QString changeText(const RunRequest& before, const RunRequest& after) {
  const auto shown = [](const std::vector<std::string>& texts) {
    const std::string text = fmt::format("{}", fmt::join(texts, " "));
    return QString::fromStdString(text.empty() ? "default" : printable(text, 60));
  };
  QStringList parts;
  for (const auto& [option, was, is] : changesBetween(before, after)) {
    const auto label = QString::fromUtf8(option->label.data(), qsizetype(option->label.size()));
    parts.append(QStringLiteral("%1 %2 \u2192 %3").arg(label, shown(was), shown(is)));
  }
  return parts.join(QStringLiteral(", "));
}

ScenarioHistory::ScenarioHistory(MainWindow* window) : QObject(window), window_(window) {
  setObjectName(QStringLiteral("scenarioHistory"));
  addCommands();
  auto* view = new QUndoView(&stack_, window);
  view->setObjectName(QStringLiteral("historyList"));
  view->setAccessibleName(tr("Edits of the scenario"));
  view->setEmptyLabel(tr("As opened"));
  view->setFrameShape(QFrame::NoFrame);
  view->setToolTip(
      tr("Every change of allocator, platform, alignment, sharing or order; choose a row "
         "to go back to it"));
  window->addPanel("history", tr("History"), view);
  window
      ->addCommand(window->menu(MenuKind::edit), "showHistory", tr("&History"), {},
                   [window, view] {
                     window->showPanel(QStringLiteral("history"));
                     view->setFocus();
                   })
      ->setToolTip(tr("The list of edits, to go back to any of them"));
  connect(window->state(), &ViewState::runChanged, this, &ScenarioHistory::runShown);
  connect(window->job(), &Job::ended, this, [this](const JobEnd& end) {
    if (end.state != JobState::done) returnToShown();
  });
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
  } else if (target_ && changesBetween(*target_, now).empty()) {
    // Undo or redo is through: the edit is in the stack already.
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
  const bool opensAgain = std::ranges::any_of(
      changesBetween(shown_, request),
      [](const OptionChange& change) { return change.option->group == OptionGroup::import; });
  if (!opensAgain) {
    window_->planWith(request);
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
