#pragma once

#include <QCategoryAxis>
#include <QChartView>
#include <QComboBox>
#include <QLineSeries>
#include <map>

#include "core/plan/metrics.h"
#include "widgets/compare/compare_model.h"
#include "widgets/jobs/background.h"
#include "widgets/state/view_state.h"

namespace hw {

/// Fragmentation of one pool of a run over its steps, in millionths: 1 - largest hole / all holes
/// below the highest live byte. Its mean over the steps with something live is the table's figure.
StepFunction fragmentationSteps(const Run& run, PoolId pool);

/// Fragmentation over the steps for any number of runs of one model, a curve each. Curves are made
/// in the background, when somebody looks. A click or a drag moves the moment; the wheel zooms
/// around the pointer; Shift or the middle button pans; Ctrl marks steps.
class FragmentationChart : public QChartView {
  Q_OBJECT

 public:
  struct Entry {
    QString name{};
    std::shared_ptr<const Run> run{};
  };

  explicit FragmentationChart(ViewState* state, QWidget* parent = nullptr);

  void setEntries(std::vector<Entry> entries);
  const std::vector<Entry>& entries() const { return entries_; }
  void setPool(PoolId pool);
  bool isBusy() const { return making_.isRunning(); }
  /// The curve of an entry, in steps and fractions.
  QList<QPointF> points(std::size_t entry) const { return lines_[entry]->points(); }

  QSize sizeHint() const override { return {480, 140}; }
  QSize minimumSizeHint() const override { return {200, 70}; }

 protected:
  void drawForeground(QPainter* painter, const QRectF& rect) override;
  void changeEvent(QEvent* event) override;

 private:
  using Curves = std::map<std::shared_ptr<const Run>, StepFunction>;

  RunAxis stepAxis() const;
  void makeMissing();
  void showVisible();
  void applyTheme();

  ViewState* state_;
  PoolId pool_{0};
  std::vector<Entry> entries_;
  Curves curves_;  ///< Of `pool_`; those that are made already.
  Background<Curves> making_;
  QCategoryAxis* x_;
  QCategoryAxis* y_;
  std::vector<QLineSeries*> lines_;  ///< Of the entries.
};

/// Fragmentation over the steps of the plan on show and of those it is compared with: the ones
/// whose maps are below it, or every row of the comparison.
class FragmentationPanel : public QWidget {
  Q_OBJECT

 public:
  /// Both outlive this.
  FragmentationPanel(ViewState* state, CompareModel* model, QWidget* parent = nullptr);

  FragmentationChart* chart() const { return chart_; }
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
