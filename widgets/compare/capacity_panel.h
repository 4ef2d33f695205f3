#pragma once

#include <QCategoryAxis>
#include <QChartView>
#include <QComboBox>
#include <QLabel>
#include <QLineSeries>
#include <QProgressBar>
#include <QPushButton>
#include <QScatterSeries>
#include <QSlider>
#include <QTableWidget>
#include <list>

#include "core/study/capacity_sweep.h"
#include "widgets/jobs/work_panel.h"
#include "widgets/state/view_state.h"

namespace hw {

/// The figure that is drawn over L2's capacity.
enum class CapacityFigure { farTraffic, latency, spilled, peak };

/// The figure of a point, in bytes or picoseconds; nothing when it has none.
std::optional<double> capacityFigure(const CapacityPoint& point, CapacityFigure figure);
QString capacityFigureText(const CapacityPoint& point, CapacityFigure figure);

/// A figure over L2's capacity, as stairs: what fits a smaller L2 fits a larger one, so each value
/// holds until the next capacity that was tried. Marks the knee, from where on everything fits, the
/// capacity of the plan on show, and the one that is looked at. A click or a drag looks at another.
class CapacityChart : public QChartView {
  Q_OBJECT

 public:
  explicit CapacityChart(QWidget* parent = nullptr);

  /// Ascending.
  void setPoints(std::vector<CapacityPoint> points);
  const std::vector<CapacityPoint>& points() const { return points_; }
  void setFigure(CapacityFigure figure);
  /// Of the plan on show; nothing: without a limit.
  void setPlanned(std::optional<Bytes> capacity);
  void setPosition(Bytes capacity);

  /// The largest capacity on the axis.
  Bytes most() const;
  /// The rectangle of the viewport that the curve is drawn in.
  QRect plotRect() const { return chart()->plotArea().toRect(); }
  QList<QPointF> curve() const { return line_->points(); }

  QSize sizeHint() const override { return {480, 120}; }
  QSize minimumSizeHint() const override { return {200, 60}; }

 Q_SIGNALS:
  void positionPicked(hw::Bytes capacity);

 protected:
  void drawForeground(QPainter* painter, const QRectF& rect) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void rebuild();
  void applyTheme();
  void pick(const QPointF& at);

  std::vector<CapacityPoint> points_;
  CapacityFigure figure_ = CapacityFigure::farTraffic;
  std::optional<Bytes> planned_;
  Bytes position_{};
  QCategoryAxis* x_;
  QCategoryAxis* y_;
  QLineSeries* line_;
  QScatterSeries* dots_;
};

/// The cost of more or less L2: the plan on show, planned again at many capacities in the
/// background, as a curve of traffic, latency, spills or peak; and a slider that picks a capacity
/// to plan with. What was swept is kept, so that going back to a method or platform shows it at
/// once.
class CapacityPanel : public WorkPanel {
  Q_OBJECT

 public:
  explicit CapacityPanel(ViewState* state, QWidget* parent = nullptr);

  /// The chart of the answer, which the window shows beside this list.
  CapacityChart* chart() const { return chart_; }
  /// A row for each point of the chart.
  QTableWidget* table() const { return table_; }
  QSlider* slider() const { return slider_; }
  /// The capacity that the slider stands at.
  Bytes capacity() const;
  void setCapacity(Bytes capacity);
  /// The knee of the curve, or else from where on everything fits.
  Figure answer() const override;

 public Q_SLOTS:
  /// Sweeps under the settings of the plan on show, unless that is known already.
  void start() override;

 Q_SIGNALS:
  /// The plan on show should be made again with this much L2.
  void capacityWanted(hw::Bytes capacity);

 private:
  /// A sweep that was made or is under way.
  struct Entry {
    std::shared_ptr<const Model> model{};
    RunRequest request{};
    std::vector<CapacityPoint> points{};
    bool whole = false;  ///< Ran to its end.
  };
  static constexpr std::size_t kMostEntries = 12;

  void buildHead();
  void buildSlider();
  void showPoints();
  Entry* entryOf(const Run& run);
  std::vector<CapacityPoint> pointsOf(const Entry& entry) const;
  void showRun();
  void addPoint(const CapacityPoint& point);
  JobEnd finish(const Result<std::vector<CapacityPoint>>& swept);
  void refresh() override;
  void showDoing(const QString& doing) override { progress_->setToolTip(doing); }
  void showPosition();
  bool eventFilter(QObject* watched, QEvent* event) override;

  ViewState* state_;
  CapacityChart* chart_;
  QSlider* slider_;
  QComboBox* figure_;
  QTableWidget* table_;
  QPushButton* plan_;
  QString failure_;
  Bytes exact_{};              ///< The value that the slider was last set to, not by hand,
  int exactAt_ = -1;           ///< and where that put it.
  std::list<Entry> entries_;   ///< Newest first.
  Entry* sweeping_ = nullptr;  ///< In `entries_`.
};

}  // namespace hw
