#pragma once

#include <QActionGroup>
#include <QMenu>

namespace hw {

class MainWindow;

/// File > Part of the file: the signatures, subgraphs and models among which a file with several
/// has a choice. Disabled for a file that holds one model only.
class PartFeature : public QObject {
  Q_OBJECT

 public:
  explicit PartFeature(MainWindow* window);

  QMenu* menu() const { return menu_; }

 private:
  void fill();
  void choose(const QString& key);

  MainWindow* window_;
  QMenu* menu_;
  QActionGroup* group_;
};

}  // namespace hw
