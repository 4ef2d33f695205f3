#pragma once

#include <QChartView>
#include <QComboBox>
#include <QLabel>
#include <QScrollArea>
#include <optional>
#include <vector>

#include "widgets/charts/dot_chart.h"
#include "widgets/compare/compare_model.h"

class QBarCategoryAxis;
class QHorizontalStackedBarSeries;
class QValueAxis;

namespace hw {

/// One bar, with all that is written at it.
struct Bar {
  enum class Kind { plain, best, failed };
  QString name{};
  std::optional<double> value{};  ///< At least 0; nothing: no bar, only the text.
  std::optional<double> mark{};   ///< A line across the bar, on the same scale.
  QString text{};                 ///< The figure, at the bar's end.
  QString toolTip{};
  Kind kind = Kind::plain;
};

/// Bars one below the other, each with its name on the axis and its figure at its end; the first is
/// on top. A legend says what colours mean once there are several. A click or the Up and Down keys
/// choose one. As high as it has to be, so that a scroll area can hold it.
class BarChart : public QChartView {
  Q_OBJECT

 public:
  explicit BarChart(QWidget* parent = nullptr);

  void setBars(std::vector<Bar> bars);
  const std::vector<Bar>& bars() const { return bars_; }
  /// -1: none.
  void setCurrent(int index);
  int current() const { return current_; }
  /// The place of a bar, in pixels of the viewport; empty when it has no value.
  QRectF barRect(int index) const;

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return {240, 60}; }

 Q_SIGNALS:
  void chosen(int index);

 protected:
  void drawBackground(QPainter* painter, const QRectF& rect) override;
  void drawForeground(QPainter* painter, const QRectF& rect) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void changeEvent(QEvent* event) override;
  bool viewportEvent(QEvent* event) override;

 private:
  void applyTheme();
  void choose(int index);
  int indexAt(double y) const;
  /// The row of a bar, from left to right of the plot.
  QRectF bandOf(int index) const;
  double toX(double value) const;

  std::vector<Bar> bars_;
  int current_ = -1;
  QHorizontalStackedBarSeries* series_;
  QBarCategoryAxis* names_;
  QValueAxis* values_;
};

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
  std::vector<int> rowsOfDots_;
  QScrollArea* area_;
  QLabel* empty_;
};

}  // namespace hw
