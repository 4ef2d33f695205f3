#pragma once

#include <QCategoryAxis>
#include <QChartView>
#include <QComboBox>
#include <QLabel>
#include <QLineSeries>
#include <QScatterSeries>
#include <QStackedWidget>
#include <array>
#include <map>
#include <vector>

#include "core/allocators/search_report.h"
#include "widgets/jobs/job.h"
#include "widgets/state/view_state.h"

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
  double seconds = 0;    ///< The end of time.
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
  /// The points of a curve: seconds and values.
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

/// Nodes a second between the samples of a search, over stretches of at least a sixtieth of it.
std::vector<QPointF> searchSpeed(const std::vector<ExactProgress>& samples);

/// The course of the search for a plan: the best plan so far and the proved bound over time,
/// which order found what, and nodes a second. Live while a job plans; otherwise of the run on
/// show. Says why when there is nothing to show.
class SearchPanel : public QWidget {
  Q_OBJECT

 public:
  SearchPanel(ViewState* state, PlanJob* job, QWidget* parent = nullptr);

  QComboBox* poolChooser() const { return pool_; }
  TimeChart* peaks() const { return peaks_; }
  TimeChart* speed() const { return speed_; }
  QString summary() const { return facts_->text(); }
  /// The words instead of charts; empty while there are some.
  QString emptyText() const;
  /// True while what is shown comes from a job under way.
  bool isLive() const { return live_; }

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void build();
  void forgetLive();
  void follow(const QString& pool, const ExactProgress& now);
  void showRun();
  void showPools();
  void showPool();
  QString whyEmpty() const;
  QString factsOf(const std::vector<ExactProgress>& samples) const;

  ViewState* state_;
  std::vector<SearchHistory> histories_;  ///< Of the job under way once it tells, else of the run.
  bool live_ = false;
  QStackedWidget* stack_;
  QLabel* empty_;
  QComboBox* pool_;
  QLabel* facts_;
  TimeChart* peaks_;
  TimeChart* speed_;
};

}  // namespace hw
