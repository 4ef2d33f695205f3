#pragma once

#include <QObject>

class QMenu;

namespace hw {

class MainWindow;

/// The head of the View menu: what the maps show, the theme, motion and panels.
class ViewFeature : public QObject {
  Q_OBJECT

 public:
  explicit ViewFeature(MainWindow* window);

 private:
  void addMoves(QMenu* view);
  void addFollow(QMenu* view);
  void addAxis(QMenu* view);
  void addThemes(QMenu* view);
  void addMotion(QMenu* view);
  void zoomToSelection();
  void fit();
  void focusThenFit();
  void clearSelection();

  MainWindow* window_;
};

}  // namespace hw
