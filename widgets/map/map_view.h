#pragma once

#include <QHelpEvent>
#include <QWidget>
#include <memory>
#include <optional>

#include "core/picture/map_scene.h"
#include "widgets/jobs/background.h"
#include "widgets/map/map_raster.h"
#include "widgets/plot/spoken_plot.h"
#include "widgets/state/view_state.h"

namespace hw {

/// The map of one pool of `own`, held against `leader`, whose playhead and marks it has;
/// both may be the same. Its blocks and the addresses on show are left to the caller.
MapScene sceneOf(const ViewState& own, const ViewState& leader, PoolId pool);

/// The memory map of one pool: addresses upwards, steps or time to the right, a rectangle for
/// every stay. Several of them stack, since they share the axis of a ViewState; the visible
/// addresses are each map's own.
///
/// Drag pans, the wheel zooms steps around the pointer, with Ctrl both axes, with Alt addresses,
/// with Shift it pans; dragging with Ctrl marks steps; a double click fits everything. Hovering and
/// clicking point at blocks; Right and Left walk them in step order, Up and Down go to the
/// neighbour in address.
class MapView : public QWidget, public SpokenPlot {
  Q_OBJECT

 public:
  MapView(ViewState* state, PoolId pool, QWidget* parent = nullptr);
  ~MapView() override;

  PoolId pool() const { return pool_; }
  void setPool(PoolId pool);

  /// The window that is on screen.
  MapWindow window() const;
  /// Addresses on screen; at least 16 bytes, from 0 up. Same scale for two maps: give both the
  /// same range.
  void setVisibleBytes(double low, double high);
  /// Everything goes up to `bytes` at least, so that maps of different heights can have one scale.
  void setLeastHeight(double bytes);

  /// Holds this map against the run of `leader`, whose model is the same: its playhead is drawn,
  /// and what lies elsewhere than there is hatched. `leader` outlives this; null ends it.
  void setLeader(ViewState* leader);
  bool isLed() const { return moved_ != nullptr || comparing_.isRunning(); }

  /// The title above the map; empty: its pool and allocator. `place`: of the plan among those
  /// compared, whose letter stands before the title.
  void setTitle(const QString& title, std::optional<std::size_t> place = {});
  const QString& title() const { return title_; }
  /// A row of buttons at the right end of the title; taken over by the map.
  void setCorner(QWidget* corner);

  /// False: the steps are told below another view of the same axis.
  void setTicksShown(bool shown);

  /// The rectangle of the widget that blocks are drawn in.
  QRect plotArea() const;
  /// The stay drawn at `position` of the widget; none outside the plot or beside all blocks.
  StayId stayAt(const QPoint& position) const;
  /// Of the tensors that share what lies there, the one that is seen; none where they are not told
  /// apart.
  TensorId tensorAt(const QPoint& position) const;
  /// True while workers lay out or draw what will replace the picture on screen.
  bool isRefining() const { return drawing_.isRunning() || isLoading(); }
  /// The rectangles on show; empty when there is no run, and while those of a large one are sorted.
  const BlockStore& blocks() const { return *blocks_; }

  /// The map as it is on screen, for a picture: with blocks that may still have to be sorted, and
  /// nothing under the pointer. Only with a run that knows the pool.
  MapScene pictureScene() const;

  PlotRows spokenRows() const override;

  QSize sizeHint() const override { return {720, pool_ == PoolId(0) ? 260 : 110}; }
  QSize minimumSizeHint() const override { return {240, ticksShown_ ? 110 : 90}; }

 public Q_SLOTS:
  /// Everything: the whole run, all addresses.
  void fit();
  /// Brings the selected block on screen if it is not.
  void revealSelection();
  /// Just the selected blocks, with some air.
  void zoomToSelection();

 Q_SIGNALS:
  /// The thing under the pointer, for a status bar; empty when there is none.
  void pointedAt(const QString& text);
  void visibleBytesChanged(double low, double high);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void hideEvent(QHideEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool event(QEvent* event) override;

 private:
  void showRun();
  void layOut();
  void acceptBlocks(std::shared_ptr<const BlockStore> blocks);
  void findMoved();
  void placeCorner();
  QRect whole() const;
  bool isLoading() const { return sorting_.isRunning(); }
  MapScene scene() const;
  void refreshRaster();
  void drawAtOnce(const MapRequest& request);
  void startWorker(const MapRequest& request);
  double deviceRatio() const;
  void acceptRaster(MapRaster& raster);
  void pan(const QPointF& pixels);
  void zoomBytes(double factor, double y);
  void walk(int direction);
  void stepInAddress(int direction);
  void describePointer(const QPoint& position);
  void describeAgain();
  void showToolTip(QHelpEvent* help);
  std::optional<std::size_t> blockAt(const QPoint& position) const;
  std::optional<std::size_t> selectedBlock() const;
  void reveal(std::size_t index);

  ViewState* state_;
  PoolId pool_;
  std::shared_ptr<const BlockStore> blocks_;
  double lowByte_ = 0;
  double highByte_ = 1;
  double fullHeight_ = 1;
  double leastHeight_ = 1;
  ViewState* leader_ = nullptr;
  QString title_{};
  std::optional<std::size_t> place_{};
  QWidget* corner_ = nullptr;
  bool ticksShown_ = true;
  std::shared_ptr<const MovedBlocks> moved_;  ///< Against the leader; null without one.
  MapRaster raster_;
  /// The number of blocks that are drawn within a frame here; found out by drawing.
  std::size_t atOnce_ = 60'000;
  std::optional<std::size_t> walkedTo_;  ///< The block that the keyboard went to last.
  std::optional<QPointF> pressedAt_;
  bool dragging_ = false;
  Background<std::shared_ptr<const BlockStore>> sorting_;
  Background<std::shared_ptr<const MovedBlocks>> comparing_;
  Background<std::shared_ptr<MapRaster>> drawing_;
};

}  // namespace hw
