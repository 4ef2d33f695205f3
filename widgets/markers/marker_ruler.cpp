#include "widgets/markers/marker_ruler.h"

#include <QApplication>
#include <QHelpEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QToolTip>
#include <cmath>

#include "core/base/text.h"
#include "widgets/base/theme.h"
#include "widgets/plot/painter_canvas.h"
#include "widgets/plot/zoom.h"
#include "widgets/text/run_text.h"

namespace hw {

QString markerText(const MarkerSet& markers, const Marker& marker) {
  const QString text =
      MarkerRuler::tr("%1: step %2").arg(marker.name, grouped(marker.point.step.count()));
  const Marker* from = markers.find(marker.since);
  const auto delta = markers.deltaOf(marker);
  if (!from || !delta) return text;
  return MarkerRuler::tr("%1; since %2: %3 steps, %4%5 live, %6 allocated, %7 released")
      .arg(text, from->name, grouped((marker.point.step - from->point.step).count()),
           delta->live > Bytes() ? QStringLiteral("+") : QString(), sizeText(delta->live),
           sizeText(delta->allocated), sizeText(delta->released));
}

MarkerRuler::MarkerRuler(ViewState* state, MarkerSet* markers, QWidget* parent)
    : QWidget(parent), state_(state), markers_(markers) {
  setMouseTracking(true);
  setAccessibleName(tr("Markers"));
  setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
  const auto repaint = [this] { update(); };
  connect(markers, &MarkerSet::changed, this, repaint);
  connect(state, &ViewState::visibleChanged, this, repaint);
}

QSize MarkerRuler::sizeHint() const { return {720, fontMetrics().height() + 9}; }

QSize MarkerRuler::minimumSizeHint() const { return {240, fontMetrics().height() + 9}; }

int MarkerRuler::leftMargin() const {
  return static_cast<int>(plotLeftMargin(FontRuler(fontMetrics())));
}

RunAxis MarkerRuler::axis() const {
  const int left = leftMargin();
  const int length = std::max(1, width() - left - kPlotRightMargin);
  return runAxis(*state_, toBox(QRectF(left, 0, length, height())));
}

QRect MarkerRuler::flagOf(const Marker& marker) const {
  const RunAxis steps = axis();
  const double x = std::round(steps.toX(markers_->positionOf(marker)));
  if (x < steps.left || x > steps.left + steps.width) return {};
  const int size = fontMetrics().horizontalAdvance(marker.name) + 12;
  // Near the right end a flag flies to the left.
  const bool fits = static_cast<int>(x) + size < width();
  return {fits ? static_cast<int>(x) : static_cast<int>(x) - size, 3, size,
          fontMetrics().height() + 2};
}

QRect MarkerRuler::flagOf(int id) const {
  const Marker* marker = std::as_const(*markers_).find(id);
  return marker ? flagOf(*marker) : QRect();
}

int MarkerRuler::markerAt(const QPoint& position) const {
  int found = 0;
  for (const Marker& marker : markers_->all()) {
    if (flagOf(marker).contains(position)) found = marker.id;
  }
  return found;
}

Step MarkerRuler::stepAt(const QPointF& position) const {
  return state_->scale()->stepAt(axis().toPlace(position.x()));
}

void MarkerRuler::paintFlag(QPainter& painter, const Marker& marker) const {
  const QRect flag = flagOf(marker);
  if (flag.isEmpty()) return;
  const QColor color = Theme::current().mark;
  const int x = qRound(axis().toX(markers_->positionOf(marker)));
  painter.setPen(QPen(color, 1));
  painter.drawLine(x, flag.top(), x, height());
  painter.fillRect(flag, marker.since != 0 ? Theme::current().plot : color);
  painter.drawRect(flag.adjusted(0, 0, -1, -1));
  const bool light = color.lightness() > 140;
  painter.setPen(marker.since != 0 ? color : light ? QColor(Qt::black) : QColor(Qt::white));
  painter.drawText(flag, Qt::AlignCenter, marker.name);
}

void MarkerRuler::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Theme& theme = Theme::current();
  painter.fillRect(rect(), theme.plot);
  painter.setPen(theme.mutedText);
  painter.drawText(QRect(0, 0, leftMargin() - 8, height()), Qt::AlignRight | Qt::AlignVCenter,
                   tr("markers"));
  painter.setPen(theme.grid);
  painter.drawLine(leftMargin(), height() - 1, width() - kPlotRightMargin, height() - 1);
  for (const Marker& marker : markers_->all()) paintFlag(painter, marker);
}

void MarkerRuler::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  pressedAt_ = event->position().toPoint();
  pressed_ = markerAt(pressedAt_);
  dragged_ = false;
}

void MarkerRuler::mouseMoveEvent(QMouseEvent* event) {
  const QPoint position = event->position().toPoint();
  setCursor(pressed_ || markerAt(position) ? Qt::SizeHorCursor : Qt::ArrowCursor);
  if (!pressed_ || !(event->buttons() & Qt::LeftButton)) return;
  const int way = (position - pressedAt_).manhattanLength();
  dragged_ = dragged_ || way >= QApplication::startDragDistance();
  if (dragged_) markers_->moveTo(pressed_, stepAt(event->position()));
}

void MarkerRuler::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton && pressed_ && !dragged_) markers_->goTo(pressed_);
  pressed_ = 0;
}

void MarkerRuler::mouseDoubleClickEvent(QMouseEvent* event) {
  if (!state_->run() || event->button() != Qt::LeftButton) return;
  if (const int id = markerAt(event->position().toPoint())) {
    Q_EMIT renameWanted(id);
    return;
  }
  state_->setStep(stepAt(event->position()));
  markers_->add();
}

void MarkerRuler::contextMenuEvent(QContextMenuEvent* event) {
  const int id = markerAt(event->pos());
  QMenu menu(this);
  if (id) {
    connect(menu.addAction(tr("&Go there")), &QAction::triggered, this,
            [this, id] { markers_->goTo(id); });
    connect(menu.addAction(tr("Re&name\u2026")), &QAction::triggered, this,
            [this, id] { Q_EMIT renameWanted(id); });
    connect(menu.addAction(tr("&Remove")), &QAction::triggered, this,
            [this, id] { markers_->remove(id); });
    menu.addSeparator();
  }
  connect(menu.addAction(tr("Remove &all")), &QAction::triggered, markers_, &MarkerSet::clear);
  menu.exec(event->globalPos());
}

bool MarkerRuler::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const Marker* marker = std::as_const(*markers_).find(markerAt(help->pos()));
  QToolTip::showText(help->globalPos(),
                     marker ? markerText(*markers_, *marker)
                            : tr("Drag a flag to move it; double click to set one"),
                     this);
  return true;
}

}  // namespace hw
