#include "app/gui/features/panels/run_panels.h"

#include <QDockWidget>

#include "app/gui/window/main_window.h"
#include "widgets/explain/inspector.h"
#include "widgets/explain/moment_panel.h"
#include "widgets/explain/problems_panel.h"
#include "widgets/panels/event_panel.h"
#include "widgets/panels/metrics_panel.h"
#include "widgets/panels/schedule_panel.h"

namespace hw {

RunPanels::RunPanels(MainWindow* window)
    : QObject(window),
      schedule_(new SchedulePanel(window->state(), window)),
      moment_(new MomentPanel(window->state(), window)) {
  ViewState* state = window->state();
  const auto add = [window](const char* name, const QString& title, QWidget* panel,
                            Qt::DockWidgetArea area) {
    return window->addDock(name, title, panel, area);
  };
  add("schedule", tr("Schedule"), schedule_, Qt::LeftDockWidgetArea);
  QDockWidget* inspector =
      add("inspector", tr("Inspector"), new Inspector(state, window), Qt::RightDockWidgetArea);
  add("run", tr("Run"), window->runForm(), Qt::RightDockWidgetArea);
  add("metrics", tr("Metrics"), new MetricsPanel(state, window), Qt::RightDockWidgetArea);
  add("events", tr("Event log"), new EventPanel(state, window), Qt::BottomDockWidgetArea);
  add("moment", tr("Peak"), moment_, Qt::BottomDockWidgetArea);
  addProblems(window);
  connect(state, &ViewState::selectionChanged, inspector, [window, state, inspector] {
    const bool hidden = !window->tabifiedDockWidgets(inspector).isEmpty();
    if (state->selected() && hidden) inspector->raise();
  });
}

void RunPanels::addProblems(MainWindow* window) {
  auto* panel = new ProblemsPanel(window->state(), window);
  QDockWidget* dock = window->addDock("problems", tr("Problems"), panel, Qt::BottomDockWidgetArea);
  connect(window, &MainWindow::checked, panel, &ProblemsPanel::setViolations);
  connect(panel, &ProblemsPanel::countChanged, dock, [panel, dock] {
    const int count = panel->seriousCount();
    dock->setWindowTitle(count == 0 ? tr("Problems") : tr("Problems (%1)").arg(count));
  });
}

}  // namespace hw
