#include "app/gui/features/lanes_feature.h"

#include "app/gui/main_window.h"

namespace hw {

LanesFeature::LanesFeature(MainWindow* window) : QObject(window) {
  const QString key = QStringLiteral("view/lanes");
  QAction* shown =
      window->addCommand(window->menu(MenuKind::view), QStringLiteral("showLanes"),
                         tr("&Lanes of the machine"), {QKeySequence(Qt::SHIFT | Qt::Key_L)}, {});
  shown->setCheckable(true);
  shown->setStatusTip(tr("What compute units, memories and copies do in every step"));
  connect(shown, &QAction::toggled, this, [window, key](bool on) {
    window->lanes()->setVisible(on);
    window->settings()->remember(key, on ? QStringLiteral("yes") : QStringLiteral("no"));
  });
  shown->setChecked(window->settings()->remembered(key) == QLatin1String("yes"));
}

}  // namespace hw
