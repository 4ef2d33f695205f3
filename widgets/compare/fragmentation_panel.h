#pragma once

#include <QComboBox>

#include "widgets/charts/fragmentation_chart.h"
#include "widgets/compare/compare_model.h"

namespace hw {

/// Fragmentation over the steps of the plan on show and of those it is compared with: the ones
/// whose maps are below it, or every row of the comparison.
class FragmentationPanel : public QWidget {
  Q_OBJECT

 public:
  /// Both outlive this.
  FragmentationPanel(ViewState* state, CompareModel* model, QWidget* parent = nullptr);

  FragmentationChart* chart() const { return chart_; }
  /// Entry 0: those on show; entry 1: all that fit.
  QComboBox* whichBox() const { return which_; }
  QComboBox* poolBox() const { return pool_; }
  /// Of the plans below the one on show, in order.
  void setBelow(std::vector<std::shared_ptr<const Run>> runs);

 private:
  void showPools();
  void showRuns();

  ViewState* state_;
  CompareModel* model_;
  std::vector<std::shared_ptr<const Run>> below_;
  QComboBox* which_;
  QComboBox* pool_;
  FragmentationChart* chart_;
};

}  // namespace hw
