#pragma once

#include <QObject>

namespace hw {

class MainWindow;

/// View > Lanes of the machine: what units, memories and copies do, below the maps.
class LanesFeature : public QObject {
  Q_OBJECT

 public:
  explicit LanesFeature(MainWindow* window);
};

}  // namespace hw
