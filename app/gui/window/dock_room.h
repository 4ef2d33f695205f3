#pragma once

#include <QDockWidget>
#include <QMainWindow>

namespace hw {

/// Shows `dock` in front of its neighbours, and gives a docked one that is lower than it takes to
/// be of use more of the window: `percent` of its height, at most `enough` pixels.
void raiseWithRoom(QMainWindow* window, QDockWidget* dock, int percent = 33, int enough = 260);

}  // namespace hw
