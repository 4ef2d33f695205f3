#pragma once

#include <QPixmap>
#include <QWidget>

#include "core/picture/chart_scene.h"
#include "core/picture/plot.h"
#include "widgets/jobs/background.h"
#include "widgets/state/view_state.h"

namespace hw {

/// The whole run in a strip, bytes in use as a silhouette, and on it a brush over what the views
/// above show. While that is everything, a press or a drag moves the playhead. Else the brush is
/// dragged to move, and a press beside it brings it there. By its ends it shows more or less; a
/// double click shows everything, the wheel zooms around the pointer.
/// With the keyboard: Left and Right move it, + and - zoom, Home and End go to the ends.
class Minimap : public QWidget {
  Q_OBJECT

 public:
  Minimap(ViewState* state, PoolId pool, QWidget* parent = nullptr);

  PoolId pool() const { return pool_; }
  void setPool(PoolId pool);

  /// The rectangle of the widget that stands for the whole run, and the part of it on show.
  QRect trackRect() const;
  QRect brushRect() const;

  QSize sizeHint() const override { return {720, 46}; }
  QSize minimumSizeHint() const override { return {240, 38}; }

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool event(QEvent* event) override;

 private:
  enum class Grip { none, begin, end, whole, playhead };

  void showRun();
  void drawSilhouette();
  void drawBrush(QPainter& painter) const;
  Grip gripAt(const QPointF& position) const;
  RunAxis axis() const;
  void zoom(double factor, double place);
  void move(double by);
  bool showsAll() const;
  void movePlayhead(double place);

  ViewState* state_;
  PoolId pool_;
  StairCurve curve_;
  Background<StairCurve> adding_;
  QPixmap silhouette_;  ///< Null when it has to be drawn anew.
  Grip grip_ = Grip::none;
  double grabbed_ = 0;  ///< From the brush's begin to where it was taken.
};

}  // namespace hw
