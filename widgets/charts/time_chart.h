#pragma once

#include <QCategoryAxis>
#include <QChartView>
#include <QLineSeries>
#include <QScatterSeries>
#include <array>
#include <vector>

namespace hw {

/// A quantity over wall time that stays what it is until its next sample.
struct TimeCurve {
  QString name{};
  QColor color{};
  Qt::PenStyle style = Qt::SolidLine;
  std::vector<QPointF> samples{};  ///< Seconds and value; seconds never fall.
};

/// A dot on a curve with a word beside it, where there is room for one, and in its tool tip.
struct TimeMark {
  QPointF at{};
  QString text{};
};

/// Everything a TimeChart shows.
struct TimePlot {
  QString title{};
  std::vector<TimeCurve> curves{};  ///< At most two; named in a legend when there are two.
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

/// Stairs over seconds of wall time.
class TimeChart : public QChartView {
  Q_OBJECT

 public:
  explicit TimeChart(QWidget* parent = nullptr);

  void setPlot(TimePlot plot);
  const TimePlot& plot() const { return plot_; }
  /// What is drawn of a curve: seconds and values.
  QList<QPointF> points(std::size_t curve) const { return series_[curve]->points(); }

  QSize sizeHint() const override { return {320, 120}; }
  QSize minimumSizeHint() const override { return {140, 70}; }

 protected:
  void drawForeground(QPainter* painter, const QRectF& rect) override;
  void changeEvent(QEvent* event) override;

 private:
  void applyTheme();
  void showToolTip(const QPointF& at, bool over);

  TimePlot plot_;
  QCategoryAxis* x_;
  QCategoryAxis* y_;
  std::array<QLineSeries*, 2> series_;
  QScatterSeries* marks_;
};

}  // namespace hw
