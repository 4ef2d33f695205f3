#include "app/gui/features/minimap_feature.h"

namespace hw {

MinimapFeature::MinimapFeature(MainWindow* window)
    : QObject(window), minimap_(new Minimap(window->state(), PoolId(0), window->views())) {
  minimap_->setObjectName(QStringLiteral("minimap"));
  window->views()->addWidget(minimap_);
  const QString key = QStringLiteral("view/minimap");
  QAction* shown = window->addCommand(window->menu(MenuKind::view), QStringLiteral("showMinimap"),
                                      tr("&Minimap"), {}, {});
  shown->setCheckable(true);
  shown->setStatusTip(tr("The whole run in a strip, with a frame around what is on show"));
  connect(shown, &QAction::toggled, this, [this, window, key](bool on) {
    minimap_->setVisible(on);
    window->settings()->remember(key, on ? QStringLiteral("yes") : QStringLiteral("no"));
  });
  shown->setChecked(true);
  if (window->settings()->remembered(key) == QLatin1String("no")) shown->setChecked(false);
}

}  // namespace hw
