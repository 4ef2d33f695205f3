#pragma once

#include <QObject>

#include "widgets/markers/marker_set.h"

namespace hw {

class MainWindow;

/// Markers: set by key, shown as flags above the views and as a dock "Markers".
class MarkerFeature : public QObject {
  Q_OBJECT

 public:
  explicit MarkerFeature(MainWindow* window);

  MarkerSet* markers() { return &markers_; }

 private:
  void addViews();
  void addCommands();
  void goToNext(bool forwards);

  MainWindow* window_;
  MarkerSet markers_;
};

}  // namespace hw
