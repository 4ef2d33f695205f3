#pragma once

#include <QDockWidget>
#include <QMainWindow>

namespace hw {

/// Shows `dock` in front of its neighbours, and gives a docked one that is lower than it takes to
/// be of use more of the window: a third of it, at most 260 pixels.
void raiseWithRoom(QMainWindow* window, QDockWidget* dock);

}  // namespace hw
