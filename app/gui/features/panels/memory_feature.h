#pragma once

#include <QMenu>
#include <QObject>

#include "app/gui/window/main_window.h"
#include "widgets/map/minimap.h"

namespace hw {

/// Which memory the chart and the minimap are about: the first that something lives in, until
/// another is chosen, by its name and so for later plans too.
class MemoryFeature : public QObject {
  Q_OBJECT

 public:
  MemoryFeature(MainWindow* window, Minimap* minimap);

 private:
  void choose(PoolId pool);
  void chooseNext();
  void showRun();
  void fillMenu();

  MainWindow* window_;
  Minimap* minimap_;
  QMenu* menu_ = nullptr;
  QString chosen_;  ///< The memory's name; empty: none was chosen.
};

}  // namespace hw
