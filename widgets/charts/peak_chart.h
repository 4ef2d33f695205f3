#pragma once

#include <QPixmap>
#include <QToolButton>

#include "widgets/byte_axis.h"
#include "widgets/charts/step_chart.h"
#include "widgets/charts/step_curve.h"
#include "widgets/jobs/background.h"

namespace hw {

/// Bytes in use and high water of one pool over the steps, with its capacity, lower bound and peak:
/// stairs, because memory never changes gradually.
class PeakChart : public StepChart {
  Q_OBJECT

 public:
  PeakChart(ViewState* state, PoolId pool, QWidget* parent = nullptr);

  PoolId pool() const { return pool_; }
  void setPool(PoolId pool);
  /// The button beside the title that offers the other memories; hidden where there are none.
  QToolButton* poolButton() const { return poolButton_; }
  /// Other plans of the model (B, C, …), whose high water is drawn too.
  void setCompared(std::vector<std::shared_ptr<const Run>> runs);

  /// What is drawn, in steps and bytes.
  QList<QPointF> livePoints() const { return live_->points(); }
  QList<QPointF> highWaterPoints() const { return highWater_->points(); }
  QList<QPointF> comparedPoints(std::size_t index) const { return compared_[index].line->points(); }
  std::size_t comparedCount() const { return compared_.size(); }

  /// Draws the chart into a rectangle of the widget's own size, as sharp as the painter's paper.
  void renderTo(QPainter& painter, const QRect& target);

  /// True while the curves of a large run are added up elsewhere.
  bool isLoading() const { return adding_.isRunning(); }

  QSize sizeHint() const override { return {720, 130}; }
  QSize minimumSizeHint() const override { return {240, 90}; }

 Q_SIGNALS:
  void poolWanted(PoolId pool);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void drawBackground(QPainter* painter, const QRectF& rect) override;
  void drawForeground(QPainter* painter, const QRectF& rect) override;
  void resizeEvent(QResizeEvent* event) override;
  void applyTheme() override;

 private:
  /// The high water of another plan.
  struct Compared {
    std::shared_ptr<const Run> run{};
    StairCurve curve{};
    QLineSeries* line = nullptr;
  };

  void buildPoolButton();
  void fillPools();
  void placePoolButton();
  QString heading() const;
  void fitHeight();
  void showRun();
  void showVisible();
  void showLines();
  ByteAxis byteAxis() const;
  void drawArea(QPainter& painter) const;
  void drawNow(QPainter& painter) const;
  void drawPeak(QPainter& painter) const;
  void drawHeading(QPainter& painter, const PlotFrame& frame) const;

  PoolId pool_;
  struct Curves {
    StairCurve live{};
    StairCurve highWater{};
  };
  Curves curves_;
  Background<Curves> adding_;  ///< Adds up `curves_`.
  std::vector<Compared> compared_;
  QLineSeries* live_;
  QLineSeries* highWater_;
  QLineSeries* capacity_;
  QLineSeries* bound_;
  QToolButton* poolButton_;
  QPixmap picture_;  ///< Everything but the playhead; null when it has to be drawn anew.
};

}  // namespace hw
