#pragma once

#include <QObject>

namespace hw {

class MainWindow;
class TablePanel;

/// The pictures as tables, in a panel of their own.
class TablesFeature : public QObject {
  Q_OBJECT

 public:
  explicit TablesFeature(MainWindow* window);

 private:
  void exportTable();

  MainWindow* window_;
  TablePanel* panel_;
};

}  // namespace hw
