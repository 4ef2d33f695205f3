#pragma once

#include <QObject>

class QContextMenuEvent;

namespace hw {

class GenealogyPanel;
class MainWindow;
class MapView;

/// The dock "Tenants": everything that became of one byte, asked for by number or on a map.
class GenealogyFeature : public QObject {
  Q_OBJECT

 public:
  explicit GenealogyFeature(MainWindow* window);

 protected:
  /// The maps' context menu.
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void showPanel();
  void openMenu(MapView* map, const QContextMenuEvent& event);

  MainWindow* window_;
  GenealogyPanel* panel_;
};

}  // namespace hw
