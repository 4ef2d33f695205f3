#pragma once

#include <QCategoryAxis>
#include <QChartView>
#include <QLineSeries>
#include <QScatterSeries>

#include "core/study/capacity_sweep.h"

namespace hw {

/// What is drawn over L2's capacity.
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

}  // namespace hw
