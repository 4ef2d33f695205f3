#pragma once

#include <QChartView>
#include <QLineSeries>
#include <array>
#include <vector>

#include "widgets/canvas/plot_frame.h"

class QValueAxis;

namespace hw {

/// A quantity over wall time that stays what it is until its next sample.
struct TimeCurve {
  QString name{};
  QColor color{};
  Qt::PenStyle style = Qt::SolidLine;
  std::vector<QPointF> samples{};  ///< Seconds and value; seconds never fall.
};

/// A dot on a curve with a word beside it, where there is room for one.
struct TimeMark {
  QPointF at{};
  QString text{};
};

/// Everything a TimeChart shows.
struct TimePlot {
  QString title{};
  std::vector<TimeCurve> curves{};  ///< At most two; named in the heading when there are two.
  std::vector<TimeMark> marks{};
  double seconds = 0;    ///< Where time ends.
  bool isBytes = true;   ///< Otherwise values are plain numbers.
  bool fromZero = true;  ///< Otherwise values begin a little below the least of them.
};

/// `samples` as stairs from the first to `seconds`: consecutive points differ in x or in y, never
/// in both. More samples than `limit` allows are gathered in columns of time that keep the least,
/// the greatest and the last value of each. `limit` is at least 8.
std::vector<QPointF> timeStairs(const std::vector<QPointF>& samples, double seconds,
                                std::size_t limit);

/// Stairs over seconds of wall time, drawn like the charts over steps.
class TimeChart : public QChartView {
  Q_OBJECT

 public:
  explicit TimeChart(QWidget* parent = nullptr);

  void setPlot(TimePlot plot);
  const TimePlot& plot() const { return plot_; }
  /// What is drawn of a curve: seconds and values.
  QList<QPointF> points(std::size_t curve) const { return series_[curve]->points(); }
  /// The most points a curve is ever drawn with.
  static constexpr std::size_t kMostPoints = 4'000;

  QSize sizeHint() const override { return {320, 120}; }
  QSize minimumSizeHint() const override { return {140, 70}; }

 protected:
  void drawBackground(QPainter* painter, const QRectF& rect) override;
  void drawForeground(QPainter* painter, const QRectF& rect) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void showPlot();
  void applyTheme();
  PlotFrame frame() const;
  ByteAxis valueAxis() const;
  std::vector<AxisTick> valueTicks() const;
  std::vector<AxisTick> timeTicks() const;
  double toX(double seconds) const;
  void drawTicks(QPainter& painter, const PlotFrame& frame) const;
  void drawMarks(QPainter& painter, const PlotFrame& frame) const;
  void drawHeading(QPainter& painter, const PlotFrame& frame) const;

  TimePlot plot_;
  QValueAxis* x_;
  QValueAxis* y_;
  std::array<QLineSeries*, 2> series_;
};

}  // namespace hw
