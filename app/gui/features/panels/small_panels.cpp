#include <QHBoxLayout>
#include <QObject>
#include <QSignalBlocker>

#include "app/gui/features/panels/panels.h"
#include "app/gui/features/scenario/scenario_history.h"
#include "app/gui/window/main_window.h"
#include "widgets/charts/search_panel.h"
#include "widgets/explain/inspector.h"
#include "widgets/explain/moment_panel.h"
#include "widgets/explain/problems_panel.h"
#include "widgets/map/minimap.h"
#include "widgets/panels/event_panel.h"
#include "widgets/panels/jobs_panel.h"
#include "widgets/panels/metrics_panel.h"
#include "widgets/panels/schedule_panel.h"
#include "widgets/text/run_text.h"
#include "widgets/text/text.h"
#include "widgets/what_if/what_if_panel.h"

namespace hw {

RunPanels addRunPanels(MainWindow* window) {
  ViewState* state = window->state();
  const RunPanels panels{new Inspector(state, window), new SchedulePanel(state, window),
                         new MomentPanel(state, window)};
  window->addPanel("schedule", tr("Operators"), panels.schedule);
  window->addPanel("inspector", tr("Inspector"), panels.inspector);
  window->addPanel("run", tr("Settings"), window->settingSheet());
  window->addPanel("metrics", tr("Figures"), new MetricsPanel(state, window));
  window->addPanel("events", tr("Events"), new EventPanel(state, window));
  window->addPanel("moment", tr("Peak"), panels.moment);
  auto* problems = new ProblemsPanel(state, window);
  window->addPanel("problems", tr("Problems"), problems);
  QObject::connect(window, &MainWindow::checked, problems, &ProblemsPanel::setViolations);
  QObject::connect(problems, &ProblemsPanel::countChanged, window, [problems, window] {
    const int count = problems->seriousCount();
    window->places()->rename(QStringLiteral("problems"),
                             count == 0 ? tr("Problems") : tr("Problems (%1)").arg(count));
  });
  // What is selected is told about, but where somebody looks at settings that stays.
  QObject::connect(state, &ViewState::selectionChanged, window, [window, state] {
    const QString inspector = QStringLiteral("inspector");
    const bool elsewhere = !window->places()->place().has(inspector);
    if (!state->selected() || elsewhere || window->places()->isShown(inspector)) return;
    if (window->places()->isShown(QStringLiteral("moment"))) {
      window->places()->show(inspector);
    }
  });
  return panels;
}

namespace {

/// Makes `action` show `view` or not, and keeps in the settings which.
void showWith(QAction* action, QWidget* view, Settings* settings, const QString& key,
              bool standard) {
  action->setCheckable(true);
  QObject::connect(action, &QAction::toggled, view, [view, settings, key](bool on) {
    view->setVisible(on);
    settings->remember(key, on ? QStringLiteral("yes") : QStringLiteral("no"));
  });
  const QString last = settings->remembered(key);
  const bool shown = last.isEmpty() ? standard : last == QLatin1String("yes");
  view->setVisible(shown);
  action->setChecked(shown);
}

}  // namespace

void addWhatIf(MainWindow* window, ScenarioHistory* history) {
  auto* panel = new WhatIfPanel(window->state(), window);
  panel->setObjectName(QStringLiteral("whatIfPanel"));
  window->addPanel("whatIf", tr("What if"), panel, panel->strip());
  QAction* show = window->addRunCommand(window->menu(MenuKind::simulate), "whatIf",
                                        tr("What &if the machine were another"),
                                        {QKeySequence(Qt::CTRL | Qt::Key_I)}, [window, panel] {
                                          window->showPanel(QStringLiteral("whatIf"));
                                          panel->slider(QStringLiteral("l2"))->setFocus();
                                        });
  show->setStatusTip(
      tr("Drag L2, DMA and MACs, and see latency, peak and critical path change at once"));
  QObject::connect(panel, &WhatIfPanel::machineWanted, window,
                   [window, history](const RunRequest& request) {
                     history->nameNext(tr("Another machine"));
                     window->planWith(request);
                   });
}

void addJobs(MainWindow* window) {
  JobBoard* board = window->jobs();
  window->addPanel("jobs", tr("Jobs"), new JobsPanel(board, window));
  QAction* stop = window->addCommand(window->menu(MenuKind::simulate), "stopJobs",
                                     tr("Stop all &jobs"), {}, [board] { board->stopAll(); });
  const auto count = [board, window, stop] {
    const int running = board->runningCount();
    window->places()->rename(QStringLiteral("jobs"),
                             running == 0 ? tr("Jobs") : tr("Jobs (%1)").arg(running));
    stop->setEnabled(running > 0);
    stop->setToolTip(running > 0 ? QString() : tr("Nothing is running"));
  };
  count();
  QObject::connect(board, &JobBoard::changed, window, count);
}

void addSearch(MainWindow* window) {
  auto* panel = new SearchPanel(window->state(), window->job(), window);
  panel->setObjectName(QStringLiteral("searchPanel"));
  window->addPanel("search", tr("Solver\u2019s progress"), panel);
}

void addLanes(MainWindow* window) {
  QAction* shown =
      window->addCommand(window->menu(MenuKind::view), "showLanes", tr("&Lanes of the machine"),
                         {QKeySequence(Qt::SHIFT | Qt::Key_L)}, {});
  shown->setStatusTip(
      tr("What compute units, memories and copies do in every step; in time, every engine"));
  shown->setCheckable(true);
  // Over steps most users do without lanes, in time lanes are the main view: both are remembered.
  const auto key = [window] {
    const bool inTime = window->state()->axis() == AxisUnit::time;
    return inTime ? QStringLiteral("view/engines") : QStringLiteral("view/lanes");
  };
  const auto showAsRemembered = [window, shown, key] {
    const QString last = window->settings()->remembered(key());
    const bool standard = window->state()->axis() == AxisUnit::time;
    const bool on = last.isEmpty() ? standard : last == QLatin1String("yes");
    const QSignalBlocker quiet(shown);
    shown->setChecked(on);
    window->lanes()->setVisible(on);
  };
  QObject::connect(shown, &QAction::toggled, window->lanes(), [window, key](bool on) {
    window->lanes()->setVisible(on);
    window->settings()->remember(key(), on ? QStringLiteral("yes") : QStringLiteral("no"));
  });
  QObject::connect(window->state(), &ViewState::axisChanged, shown, showAsRemembered);
  QObject::connect(window->state(), &ViewState::runChanged, shown, showAsRemembered);
  showAsRemembered();
}

Minimap* addMinimap(MainWindow* window) {
  auto* minimap = new Minimap(window->state(), PoolId(0), window->playerRow());
  minimap->setObjectName(QStringLiteral("minimap"));
  static_cast<QHBoxLayout*>(window->playerRow()->layout())->insertWidget(1, minimap, 1);
  QAction* shown =
      window->addCommand(window->menu(MenuKind::view), "showMinimap", tr("&Minimap"), {}, {});
  shown->setStatusTip(tr("The whole run in a strip, with a frame around what is on show"));
  showWith(shown, minimap, window->settings(), QStringLiteral("view/minimap"), true);
  return minimap;
}

}  // namespace hw
