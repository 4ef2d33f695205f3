#pragma once

#include <QComboBox>
#include <QLabel>
#include <QScrollArea>

#include "widgets/charts/bar_chart.h"
#include "widgets/charts/dot_chart.h"
#include "widgets/compare/compare_model.h"

namespace hw {

/// A figure of every row of a comparison as bars: peaks held against the lower bound, gaps,
/// planning times, latencies, bytes moved; or all of them by peak and latency, as dots. A bar
/// chooses its row, a dot opens it.
class CompareCharts : public QWidget {
  Q_OBJECT

 public:
  /// `model` outlives this.
  explicit CompareCharts(CompareModel* model, QWidget* parent = nullptr);

  BarChart* chart() const { return chart_; }
  /// Peak against latency, in place of the bars when the last figure is chosen.
  DotChart* dots() const { return dots_; }
  QComboBox* figureBox() const { return figure_; }
  QString emptyText() const;

 public Q_SLOTS:
  /// Of the model; -1 for none.
  void setCurrentRow(int row);
  /// A `CompareModel::Column`; others than it can draw change nothing.
  void setFigure(int column);

 Q_SIGNALS:
  void rowChosen(int row);
  void openWanted(int row);

 private:
  bool inDots() const;
  int column() const;  ///< A `CompareModel::Column`.
  void showDots();
  void showComparison();
  Bar barOf(int row) const;

  CompareModel* model_;
  QComboBox* figure_;
  BarChart* chart_;
  DotChart* dots_;
  QScrollArea* area_;
  QLabel* empty_;
};

}  // namespace hw
