#pragma once

#include <QPixmap>
#include <QToolButton>
#include <QWidget>

#include "core/picture/chart_scene.h"
#include "widgets/jobs/background.h"
#include "widgets/plot/spoken_plot.h"
#include "widgets/state/view_state.h"

namespace hw {

/// The memory chart of one pool, above the maps, whose steps it shows: see ChartScene. A click or a
/// drag moves the moment; the wheel zooms around the pointer; Shift or the middle button pans; Ctrl
/// marks steps.
class PeakChart : public QWidget, public SpokenPlot {
  Q_OBJECT

 public:
  PeakChart(ViewState* state, PoolId pool, QWidget* parent = nullptr);

  PoolId pool() const { return pool_; }
  void setPool(PoolId pool);
  /// Other plans of the model (B, C, …), whose high water is drawn too.
  void setCompared(std::vector<std::shared_ptr<const Run>> runs);

  /// The scene on show; nothing without a run that knows the pool.
  std::optional<ChartScene> scene() const;
  /// The same with curves that may still have to be added up, for a picture.
  std::optional<ChartScene> pictureScene() const;
  /// False: the steps are told below another view of the same axis.
  void setTicksShown(bool shown);
  /// The rectangle of the widget that curves are drawn in.
  QRect plotRect() const;

  /// True while the curves of a large run are added up elsewhere.
  bool isLoading() const { return adding_.isRunning(); }

  PlotRows spokenRows() const override;

  QSize sizeHint() const override { return {720, 130}; }
  QSize minimumSizeHint() const override { return {240, ticksShown_ ? 90 : 66}; }

 Q_SIGNALS:
  void poolWanted(PoolId pool);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void buildPoolButton();
  void fillPools();
  void placePoolButton();
  void showRun();
  void redraw();
  QRect whole() const;

  ViewState* state_;
  bool ticksShown_ = true;
  PoolId pool_;
  std::shared_ptr<const ChartCurves> curves_;
  Background<std::shared_ptr<const ChartCurves>> adding_;  ///< Adds up `curves_`.
  std::vector<std::shared_ptr<const Run>> compared_;
  std::vector<std::shared_ptr<const StairCurve>>
      others_;      ///< Of `compared_`; null: no such pool, or steps.
  double top_ = 1;  ///< All that is drawn has one scale.
  QToolButton* poolButton_;
  QPixmap picture_;  ///< Everything but the playhead; null when it has to be drawn anew.
};

}  // namespace hw
