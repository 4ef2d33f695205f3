#pragma once

#include <QAction>
#include <QObject>

namespace hw {

class HistogramView;
class MainWindow;

/// Marked steps and what can be done with them: zooming there and restricting statistics to them
/// are two commands. And the histogram that picks out sizes.
class RangeFeature : public QObject {
  Q_OBJECT

 public:
  explicit RangeFeature(MainWindow* window);

 private:
  void addHistogram();
  void addRangeCommands();
  void zoomToMarked();
  void restrictToMarked();
  void updateActions();

  MainWindow* window_;
  HistogramView* histogram_ = nullptr;
  QAction* zoom_ = nullptr;
  QAction* restrict_ = nullptr;
  QAction* whole_ = nullptr;
};

}  // namespace hw
