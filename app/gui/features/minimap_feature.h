#pragma once

#include <QObject>

#include "app/gui/main_window.h"
#include "widgets/canvas/minimap.h"

namespace hw {

/// The minimap below the views, and View > Minimap to have it or not.
class MinimapFeature : public QObject {
  Q_OBJECT

 public:
  explicit MinimapFeature(MainWindow* window);

  Minimap* minimap() const { return minimap_; }

 private:
  Minimap* minimap_;
};

}  // namespace hw
