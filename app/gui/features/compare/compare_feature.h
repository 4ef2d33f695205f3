#pragma once

#include <QObject>
#include <optional>
#include <vector>

#include "widgets/below/divergence.h"
#include "widgets/compare/compare_panel.h"
#include "widgets/jobs/background.h"

class QAction;

namespace hw {

class MainWindow;

/// The comparison panel, what its rows ask of the window, and the Compare menu: plans below the one
/// on show, and where they first differ from it.
class CompareFeature : public QObject {
  Q_OBJECT

 public:
  explicit CompareFeature(MainWindow* window);

  ComparePanel* panel() const { return panel_; }

 private:
  using Runs = std::vector<std::shared_ptr<const Run>>;

  void connectPanel();
  void addCommands();
  void addStop();
  void addExport();
  void raise();
  void open(const std::shared_ptr<const Run>& run);
  void chooseBelow();
  void followBelow();
  void findDivergence(std::optional<std::size_t> place);
  void goToDivergence(const Runs& asked, const std::vector<std::optional<Divergence>>& found);
  void exportTable();
  void say(const QString& text);

  MainWindow* window_;
  ComparePanel* panel_;
  QList<QAction*> needBelow_;
  QString said_{};  ///< About plans below; goes with the last of them.
  Background<std::vector<std::optional<Divergence>>> diverging_;
};

}  // namespace hw
