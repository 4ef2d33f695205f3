#include <QDockWidget>
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
  const RunPanels panels{new SchedulePanel(state, window), new MomentPanel(state, window)};
  const auto add = [window](const char* name, const QString& title, QWidget* panel,
                            Qt::DockWidgetArea area) {
    return window->addDock(name, title, panel, area);
  };
  add("schedule", tr("Schedule"), panels.schedule, Qt::LeftDockWidgetArea);
  QDockWidget* inspector =
      add("inspector", tr("Inspector"), new Inspector(state, window), Qt::RightDockWidgetArea);
  add("run", tr("Run"), window->runForm(), Qt::RightDockWidgetArea);
  add("metrics", tr("Metrics"), new MetricsPanel(state, window), Qt::RightDockWidgetArea);
  add("events", tr("Event log"), new EventPanel(state, window), Qt::BottomDockWidgetArea);
  add("moment", tr("Peak"), panels.moment, Qt::BottomDockWidgetArea);
  auto* problems = new ProblemsPanel(state, window);
  QDockWidget* dock = add("problems", tr("Problems"), problems, Qt::BottomDockWidgetArea);
  QObject::connect(window, &MainWindow::checked, problems, &ProblemsPanel::setViolations);
  QObject::connect(problems, &ProblemsPanel::countChanged, dock, [problems, dock] {
    const int count = problems->seriousCount();
    dock->setWindowTitle(count == 0 ? tr("Problems") : tr("Problems (%1)").arg(count));
  });
  QObject::connect(state, &ViewState::selectionChanged, inspector, [window, state, inspector] {
    const bool hidden = !window->tabifiedDockWidgets(inspector).isEmpty();
    if (state->selected() && hidden) inspector->raise();
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
  QDockWidget* dock =
      window->addDock("whatIf", tr("What if"), panel, Qt::RightDockWidgetArea, "metrics");
  QAction* show = window->addRunCommand(window->menu(MenuKind::simulate), "whatIf",
                                        tr("What &if the machine were another"),
                                        {QKeySequence(Qt::CTRL | Qt::Key_I)}, [dock, panel] {
                                          dock->show();
                                          dock->raise();
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
  QDockWidget* dock = window->addDock("jobs", tr("Jobs"), new JobsPanel(board, window),
                                      Qt::BottomDockWidgetArea, "events");
  QAction* stop = window->addCommand(window->menu(MenuKind::simulate), "stopJobs",
                                     tr("Stop all &jobs"), {}, [board] { board->stopAll(); });
  const auto count = [board, dock, stop] {
    const int running = board->runningCount();
    dock->setWindowTitle(running == 0 ? tr("Jobs") : tr("Jobs (%1)").arg(running));
    stop->setEnabled(running > 0);
    stop->setToolTip(running > 0 ? QString() : tr("Nothing is running"));
  };
  count();
  QObject::connect(board, &JobBoard::changed, dock, count);
}

void addSearch(MainWindow* window) {
  auto* panel = new SearchPanel(window->state(), window->job(), window);
  panel->setObjectName(QStringLiteral("searchPanel"));
  window->addDock("search", tr("Solver\u2019s progress"), panel, Qt::BottomDockWidgetArea,
                  "method");
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
  auto* minimap = new Minimap(window->state(), PoolId(0), window->views());
  minimap->setObjectName(QStringLiteral("minimap"));
  window->views()->addWidget(minimap);
  QAction* shown =
      window->addCommand(window->menu(MenuKind::view), "showMinimap", tr("&Minimap"), {}, {});
  shown->setStatusTip(tr("The whole run in a strip, with a frame around what is on show"));
  showWith(shown, minimap, window->settings(), QStringLiteral("view/minimap"), true);
  return minimap;
}

}  // namespace hw
