#pragma once

#include <QWidget>
#include <optional>

#include "core/picture/plot.h"
#include "widgets/markers/marker_set.h"

namespace hw {

/// The markers as flags above the views of a column, on their x axis. Dragging a flag moves it to
/// another step, a click goes there, a double click on its name renames it; a double click beside
/// all flags sets one.
class MarkerRuler : public QWidget {
  Q_OBJECT

 public:
  /// Both outlive this.
  MarkerRuler(ViewState* state, MarkerSet* markers, QWidget* parent = nullptr);

  /// Where a marker's flag is drawn; empty when it is not on screen.
  QRect flagOf(int id) const;
  /// The marker whose flag is there; 0: none.
  int markerAt(const QPoint& position) const;

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 Q_SIGNALS:
  void renameWanted(int id);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  bool event(QEvent* event) override;

 private:
  int leftMargin() const;
  RunAxis axis() const;
  QRect flagOf(const Marker& marker) const;
  Step stepAt(const QPointF& position) const;
  void paintFlag(QPainter& painter, const Marker& marker) const;

  ViewState* state_;
  MarkerSet* markers_;
  int pressed_ = 0;
  bool dragged_ = false;
  QPoint pressedAt_;
};

/// What a marker is about, in a sentence: where it lies, and what lies between it and the one it is
/// measured from.
QString markerText(const MarkerSet& markers, const Marker& marker);

}  // namespace hw
