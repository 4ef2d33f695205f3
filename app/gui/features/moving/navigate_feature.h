#pragma once

#include <QMenu>
#include <QObject>

#include "widgets/transport/landmarks.h"
#include "widgets/transport/selection_history.h"

namespace hw {

class MainWindow;
class MomentPanel;

/// Going to places: peaks, where the selection begins and ends, what was selected before; and
/// moving about the map by keyboard.
class NavigateFeature : public QObject {
  Q_OBJECT

 public:
  NavigateFeature(MainWindow* window, MomentPanel* moment);

  SelectionHistory* history() { return &history_; }

 protected:
  /// W A S D by where they are on the keyboard, whatever is printed on them.
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void addPeaks(MomentPanel* moment);
  void addSelection();
  void addHistory();
  void addView();
  void fillPeaks();
  void note(const QString& text);
  void pan(double part);
  void zoom(double factor);

  MainWindow* window_;
  Landmarks landmarks_;
  SelectionHistory history_;
  QMenu* peaks_ = nullptr;
};

}  // namespace hw
