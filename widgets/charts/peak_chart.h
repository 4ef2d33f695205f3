#pragma once

#include <QChartView>
#include <QLineSeries>
#include <QPixmap>
#include <optional>

#include "widgets/byte_axis.h"
#include "widgets/canvas/plot_frame.h"
#include "widgets/charts/step_curve.h"
#include "widgets/jobs/background.h"
#include "widgets/view_state.h"

class QValueAxis;

namespace hw {

/// Bytes in use and high water of one pool over the steps, with its capacity, lower bound and peak:
/// stairs, because memory never changes gradually. Its plot lies exactly above those of the maps,
/// and shows the same steps. A click moves the moment; the wheel zooms around the pointer, Shift or
/// the middle button pans, Ctrl marks steps.
class PeakChart : public QChartView {
  Q_OBJECT

 public:
  PeakChart(ViewState* state, PoolId pool, QWidget* parent = nullptr);

  PoolId pool() const { return pool_; }
  void setPool(PoolId pool);
  /// Other plans of the model (B, C, …), whose high water is drawn too.
  void setCompared(std::vector<std::shared_ptr<const Run>> runs);

  /// The rectangle of the widget that curves are drawn in.
  QRect plotRect() const;
  /// What is drawn, in steps and bytes.
  QList<QPointF> livePoints() const { return live_->points(); }
  QList<QPointF> highWaterPoints() const { return highWater_->points(); }
  QList<QPointF> comparedPoints(std::size_t index) const { return compared_[index].line->points(); }
  std::size_t comparedCount() const { return compared_.size(); }
  /// The most points a curve is ever drawn with.
  static constexpr std::size_t kMostPoints = 4'000;

  /// Draws the chart into a rectangle of the widget's own size, as sharp as the painter's paper.
  void renderTo(QPainter& painter, const QRect& target);

  /// True while the curves of a large run are added up elsewhere.
  bool isLoading() const { return adding_.isRunning(); }

  QSize sizeHint() const override { return {720, 130}; }
  QSize minimumSizeHint() const override { return {240, 90}; }

 protected:
  void paintEvent(QPaintEvent* event) override;
  void drawBackground(QPainter* painter, const QRectF& rect) override;
  void drawForeground(QPainter* painter, const QRectF& rect) override;
  void resizeEvent(QResizeEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  /// The high water of another plan.
  struct Compared {
    std::shared_ptr<const Run> run{};
    StairCurve curve{};
    QLineSeries* line = nullptr;
  };

  void buildSeries();
  void fitHeight();
  void applyTheme();
  void showRun();
  void showVisible();
  void showLines();
  void moveTo(const QPointF& position);
  StepAxis stepAxis() const;
  ByteAxis byteAxis() const;
  void drawArea(QPainter& painter) const;
  void drawNow(QPainter& painter) const;
  void pan(double x);
  void drawPeak(QPainter& painter) const;
  void drawHeading(QPainter& painter, const PlotFrame& frame) const;

  ViewState* state_;
  PoolId pool_;
  std::optional<double> pannedFrom_;  ///< While panning: the pixel it has come to.
  struct Curves {
    StairCurve live{};
    StairCurve highWater{};
  };
  Curves curves_;
  Background<Curves> adding_;  ///< Adds up `curves_`.
  std::vector<Compared> compared_;
  QValueAxis* x_;
  QValueAxis* y_;
  QLineSeries* live_;
  QLineSeries* highWater_;
  QLineSeries* capacity_;
  QLineSeries* bound_;
  QPixmap picture_;  ///< Everything but the playhead; null when it has to be drawn anew.
};

}  // namespace hw
