#pragma once

#include <QChartView>
#include <QLineSeries>

#include "widgets/byte_axis.h"
#include "widgets/canvas/plot_frame.h"
#include "widgets/charts/step_curve.h"
#include "widgets/view_state.h"

class QAreaSeries;
class QValueAxis;

namespace hw {

/// Bytes in use and high water of one pool over the steps, with its capacity, lower bound and peak:
/// stairs, because memory never changes gradually. Its plot lies exactly above those of the maps,
/// and shows the same steps. A click moves the moment; the wheel zooms around the pointer.
class PeakChart : public QChartView {
  Q_OBJECT

 public:
  PeakChart(ViewState* state, PoolId pool, QWidget* parent = nullptr);

  PoolId pool() const { return pool_; }
  void setPool(PoolId pool);

  /// The rectangle of the widget that curves are drawn in.
  QRect plotRect() const;
  /// What is drawn, in steps and bytes.
  QList<QPointF> livePoints() const { return live_->points(); }
  QList<QPointF> highWaterPoints() const { return highWater_->points(); }
  /// The most points a curve is ever drawn with.
  static constexpr std::size_t kMostPoints = 4'000;

  QSize sizeHint() const override { return {720, 130}; }
  QSize minimumSizeHint() const override { return {240, 90}; }

 protected:
  void drawBackground(QPainter* painter, const QRectF& rect) override;
  void drawForeground(QPainter* painter, const QRectF& rect) override;
  void resizeEvent(QResizeEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void buildSeries();
  void applyTheme();
  void showRun();
  void showVisible();
  void showLines();
  void moveTo(const QPointF& position);
  StepAxis stepAxis() const;
  ByteAxis byteAxis() const;
  void drawPeak(QPainter& painter) const;
  void drawHeading(QPainter& painter, const PlotFrame& frame) const;

  ViewState* state_;
  PoolId pool_;
  StepFunction liveCurve_;
  StepFunction highWaterCurve_;
  QValueAxis* x_;
  QValueAxis* y_;
  QLineSeries* live_;
  QLineSeries* floor_;
  QAreaSeries* area_;
  QLineSeries* highWater_;
  QLineSeries* capacity_;
  QLineSeries* bound_;
};

}  // namespace hw
