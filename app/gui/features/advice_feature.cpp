#include "app/gui/features/advice_feature.h"

#include <QDockWidget>

#include "app/gui/features/scenario_history.h"
#include "app/gui/main_window.h"
#include "widgets/panels/advice_panel.h"

namespace hw {

AdviceFeature::AdviceFeature(MainWindow* window, ScenarioHistory* history) : QObject(window) {
  auto* panel = new AdvicePanel(window->state(), window);
  QDockWidget* dock = window->addDock(QStringLiteral("advice"), tr("Advice"), panel,
                                      Qt::BottomDockWidgetArea, QStringLiteral("moment"));
  QAction* look = window->needsRun(window->addCommand(
      window->menu(MenuKind::simulate), QStringLiteral("lookForAdvice"), tr("Look for &advice"),
      {QKeySequence(Qt::CTRL | Qt::Key_E)}, [dock, panel] {
        dock->show();
        dock->raise();
        panel->look();
      }));
  look->setToolTip(tr("What would make the memory smaller, each change proved by planning it"));
  connect(panel, &AdvicePanel::applyWanted, this,
          [window, history](const RunConfig& config, const QString& text) {
            history->nameNext(text);
            window->planWith(config);
          });
  connect(panel, &AdvicePanel::belowWanted, this,
          [window](const std::shared_ptr<const Run>& run) { window->showBelow(run); });
}

}  // namespace hw
