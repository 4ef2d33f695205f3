#include <QMenu>
#include <QObject>
#include <memory>
#include <utility>

#include "app/gui/features/panels/panels.h"
#include "app/gui/features/scenario/scenario_history.h"
#include "app/gui/window/main_window.h"
#include "core/report/explain/advice_report.h"
#include "core/run/options.h"
#include "core/run/run.h"
#include "widgets/explain/shrink_panel.h"
#include "widgets/text/run_text.h"

namespace hw {

/// The Shrink panel: what would make memory smaller, proved. A step that is opened is an edit of
/// the scenario that can be undone, and the plan of before stands below it in lock-step.
class ShrinkFeature : public QObject {
 public:
  ShrinkFeature(MainWindow* window, ScenarioHistory* history)
      : QObject(window),
        window_(window),
        history_(history),
        panel_(new ShrinkPanel(window->state(), window)) {
    panel_->setObjectName(QStringLiteral("shrinkPanel"));
    window->jobs()->watch(panel_->job());
    window->addPanel("shrink", tr("Shrink"), panel_, panel_->chart());
    QAction* look = window->addRunCommand(window->menu(MenuKind::simulate), "shrink", tr("S&hrink"),
                                          {QKeySequence(Qt::CTRL | Qt::Key_E)}, [this] {
                                            window_->showPanel(QStringLiteral("shrink"));
                                            panel_->start();
                                            panel_->chart()->setFocus();
                                          });
    look->setToolTip(
        tr("What would make the memory smaller: bytes against latency, and what each step saves"));
    connect(panel_, &ShrinkPanel::openWanted, this, &ShrinkFeature::open);
    connect(panel_, &ShrinkPanel::belowWanted, window, &MainWindow::showBelow);
    connect(window, &MainWindow::shown, this, &ShrinkFeature::shown);
  }

  ShrinkPanel* panel() const { return panel_; }

 private:
  /// On the near memory that there is: the search had one without a limit.
  void open(const std::shared_ptr<const Run>& run, const QString& text) {
    RunRequest request = run->request;
    request.threads = window_->request().threads;
    request.l2 = window_->request().l2;
    opened_ = request;
    before_ = window_->state()->run();
    history_->nameNext(text);
    window_->keepToModel(window_->request(), request);
    if (sameBut(request, run->request, {})) {
      window_->openPlanned(request, run);
    } else {
      window_->planWith(request);
    }
  }

  void shown() {
    const auto before = std::exchange(before_, nullptr);
    const auto now = window_->state()->run();
    if (!before || before->model != now->model || !sameBut(opened_, now->request, {})) return;
    window_->showBelow(panel_->before());
    offerToUndo(*before);
  }

  /// The result, and the way back.
  void offerToUndo(const Run& before) {
    const Run& now = *window_->state()->run();
    QString text = QStringLiteral("%1 \u2192 %2")
                       .arg(sizeText(footprintOf(before)), sizeText(footprintOf(now)));
    if (figuresOf(now).latency) {
      text += tr(", latency %1, traffic %2")
                  .arg(QString::fromStdString(latencyChange(before, now)),
                       QString::fromStdString(trafficChange(before, now)));
    }
    window_->messages()->showNote(
        text, {{.button = tr("Undo"), .act = [this](const QPoint&) { history_->stack()->undo(); }},
               {.button = tr("Close below"),
                .act = [this](const QPoint&) { window_->showBelow(nullptr); }}});
  }

  MainWindow* window_;
  ScenarioHistory* history_;
  ShrinkPanel* panel_;
  RunRequest opened_;                  ///< Until it is on show.
  std::shared_ptr<const Run> before_;  ///< The run on show when that was asked for; or null.
};

ShrinkPanel* addShrink(MainWindow* window, ScenarioHistory* history) {
  ShrinkPanel* panel = (new ShrinkFeature(window, history))->panel();
  addRunnable(window, panel);
  return panel;
}

}  // namespace hw
