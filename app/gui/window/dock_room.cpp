#include "app/gui/window/dock_room.h"

#include <algorithm>

namespace hw {

void raiseWithRoom(QMainWindow* window, QDockWidget* dock) {
  constexpr int kEnough = 260;
  dock->show();
  dock->raise();
  const int wanted = std::min(kEnough, window->height() / 3);
  if (dock->isFloating() || window->dockWidgetArea(dock) != Qt::BottomDockWidgetArea) return;
  if (dock->height() < wanted) window->resizeDocks({dock}, {wanted}, Qt::Vertical);
}

}  // namespace hw
