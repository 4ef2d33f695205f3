#pragma once

#include <QPixmap>
#include <QWidget>
#include <memory>

#include "core/picture/gantt_scene.h"
#include "core/picture/plot.h"
#include "widgets/jobs/background.h"
#include "widgets/lanes/lane_store.h"
#include "widgets/plot/spoken_plot.h"
#include "widgets/state/view_state.h"

namespace hw {

/// The work of compute units, memories and copies, a lane each, over the steps that the maps show.
/// If a step is wide enough, its own time goes from its left end to its right; where several
/// share a pixel, a bar's height is how much of their time the lane is busy. Full colour: the step
/// waits for this lane; pale: it works beside one that takes longer.
///
/// While the axis is time it shows the engines of the machine instead, with every activity where it
/// ran (GanttScene), and below them what its ports move; a click selects an activity.
class LanesView : public QWidget, public SpokenPlot {
  Q_OBJECT

 public:
  explicit LanesView(ViewState* state, QWidget* parent = nullptr);

  /// The name of the plan, if lanes of several are on show; empty: of the only one.
  void setTitle(const QString& title);

  const LaneStore& lanes() const { return *lanes_; }
  /// The bars on show while the axis is time; without rows otherwise.
  const GanttStore& gantt() const { return *gantt_; }
  /// The activity drawn at `position`; none beside all, or over steps.
  ActivityId activityAt(const QPoint& position) const;
  /// The rectangle of the widget in which lane `index` is drawn; over time those of ports follow
  /// those of engines.
  QRect laneRect(std::size_t index) const;
  /// The step under `position`, its op and what each lane does in it; empty beside the plot.
  QString textAt(const QPoint& position) const;

  /// Draws the lanes as they are on screen into `target`; waits for those of a large run.
  void renderTo(QPainter& painter, const QRect& target);

  PlotRows spokenRows() const override;

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 Q_SIGNALS:
  /// The thing under the pointer, for a status bar.
  void pointedAt(const QString& text);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;
  void leaveEvent(QEvent* event) override;
  bool event(QEvent* event) override;

 private:
  void showRun();
  void redraw();
  PlotFrame frame() const;
  RunAxis stepAxis(const PlotFrame& frame) const;
  bool inTime() const { return state_->axis() == AxisUnit::time; }
  GanttScene ganttScene() const;
  int heightFor(int laneHeight) const;
  void drawStill(QPainter& painter, const PlotFrame& frame) const;
  void drawMoment(QPainter& painter, const PlotFrame& frame) const;
  QString emptyText() const;

  ViewState* state_;
  std::string title_;
  std::shared_ptr<const LaneStore> lanes_;
  Background<std::shared_ptr<const LaneStore>> adding_;
  std::shared_ptr<const GanttStore> gantt_;
  Background<std::shared_ptr<const GanttStore>> ordering_;
  QPixmap picture_;  ///< Everything but the playhead; null when it has to be drawn anew.
};

}  // namespace hw
