#include "app/gui/window/dock_room.h"

#include <algorithm>

namespace hw {

void raiseWithRoom(QMainWindow* window, QDockWidget* dock, int percent, int enough) {
  dock->show();
  dock->raise();
  const int wanted = std::min(enough, window->height() * percent / 100);
  if (dock->isFloating() || window->dockWidgetArea(dock) != Qt::BottomDockWidgetArea) return;
  if (dock->height() < wanted) window->resizeDocks({dock}, {wanted}, Qt::Vertical);
}

}  // namespace hw
