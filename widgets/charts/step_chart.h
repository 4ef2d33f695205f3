#pragma once

#include <QChartView>
#include <QLineSeries>

#include "widgets/canvas/plot_frame.h"
#include "widgets/view_state.h"

class QValueAxis;

namespace hw {

/// What charts over the steps of a run have in common: the steps that a ViewState shows, a plot
/// that lies exactly above those of the maps, and the mouse. A click or a drag moves the moment;
/// the wheel zooms around the pointer; Shift or the middle button pans; Ctrl marks steps.
class StepChart : public QChartView {
  Q_OBJECT

 public:
  /// The rectangle of the viewport that curves are drawn in.
  QRect plotRect() const { return frame().plot; }
  /// The most points a curve is ever drawn with.
  static constexpr std::size_t kMostPoints = 4'000;

 protected:
  /// `state` outlives this.
  explicit StepChart(ViewState* state, QWidget* parent = nullptr);

  PlotFrame frame() const;
  StepAxis stepAxis() const;
  /// A curve on the chart's axes.
  QLineSeries* addLine();
  void removeLine(QLineSeries* line);
  /// To the steps that are visible.
  void showSteps();
  /// Lines at the marks of the step axis.
  void drawStepGrid(QPainter& painter) const;
  /// The marks, the marked steps and the playhead.
  void drawMoment(QPainter& painter) const;
  /// The colours of the theme in force, now and whenever it changes.
  virtual void applyTheme() = 0;

  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;

  ViewState* state_;
  QValueAxis* x_;
  QValueAxis* y_;
};

}  // namespace hw
