#pragma once

#include <QComboBox>
#include <QLabel>
#include <QScrollArea>

#include "widgets/charts/bar_chart.h"
#include "widgets/compare/compare_model.h"

namespace hw {

/// A figure of every row of a comparison as bars: peaks held against the lower bound, gaps,
/// planning times, latencies, bytes moved. A bar chooses its row.
class CompareCharts : public QWidget {
  Q_OBJECT

 public:
  /// `model` outlives this.
  explicit CompareCharts(CompareModel* model, QWidget* parent = nullptr);

  BarChart* chart() const { return chart_; }
  QComboBox* figureBox() const { return figure_; }
  QString emptyText() const;

 public Q_SLOTS:
  /// Of the model; -1 for none.
  void setCurrentRow(int row) { chart_->setCurrent(row); }
  /// A `CompareModel::Column`; others than it can draw change nothing.
  void setFigure(int column);

 Q_SIGNALS:
  void rowChosen(int row);

 private:
  int column() const;  ///< A `CompareModel::Column`.
  void showComparison();
  Bar barOf(int row) const;

  CompareModel* model_;
  QComboBox* figure_;
  BarChart* chart_;
  QScrollArea* area_;
  QLabel* empty_;
};

}  // namespace hw
