#include "app/gui/features/search_feature.h"

#include "app/gui/main_window.h"
#include "widgets/charts/search_panel.h"

namespace hw {

SearchFeature::SearchFeature(MainWindow* window) : QObject(window) {
  auto* panel = new SearchPanel(window->state(), window->job(), window);
  panel->setObjectName(QStringLiteral("searchPanel"));
  window->addDock(QStringLiteral("search"), tr("Search"), panel, Qt::BottomDockWidgetArea,
                  QStringLiteral("method"));
}

}  // namespace hw
