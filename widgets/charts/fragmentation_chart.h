#pragma once

#include <QFutureWatcher>
#include <map>

#include "core/plan/metrics.h"
#include "widgets/charts/step_chart.h"

namespace hw {

/// Fragmentation of one pool of a run over its steps, in millionths: 1 - largest hole / all holes
/// below the highest live byte. Its mean over the steps with something live is the table's figure.
StepFunction fragmentationSteps(const Run& run, PoolId pool);

/// Fragmentation over the steps for any number of runs of one model, a curve each. Curves are made
/// in the background, when somebody looks.
class FragmentationChart : public StepChart {
  Q_OBJECT

 public:
  struct Entry {
    QString name{};
    std::shared_ptr<const Run> run{};
  };

  explicit FragmentationChart(ViewState* state, QWidget* parent = nullptr);
  ~FragmentationChart() override;

  void setEntries(std::vector<Entry> entries);
  const std::vector<Entry>& entries() const { return entries_; }
  void setPool(PoolId pool);
  bool isBusy() const { return worker_.isRunning(); }
  /// What is drawn of an entry, in steps and fractions.
  QList<QPointF> points(std::size_t entry) const;

  QSize sizeHint() const override { return {480, 140}; }
  QSize minimumSizeHint() const override { return {200, 70}; }

 protected:
  void drawBackground(QPainter* painter, const QRectF& rect) override;
  void drawForeground(QPainter* painter, const QRectF& rect) override;
  void applyTheme() override;

 private:
  using Curves = std::map<std::shared_ptr<const Run>, StepFunction>;

  void makeCurves();
  void makeMissing();
  void acceptCurves();
  void showVisible();
  double toY(double ratio) const;
  void drawHeading(QPainter& painter, const PlotFrame& frame) const;

  PoolId pool_{0};
  std::vector<Entry> entries_;
  Curves curves_;  ///< Of `pool_`; those that are made already.
  QFutureWatcher<Curves> worker_;
  std::vector<QLineSeries*> lines_;  ///< Of the entries.
};

}  // namespace hw
