#include "widgets/map/minimap.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>

#include "core/picture/chart_scene.h"
#include "widgets/base/theme.h"
#include "widgets/plot/axis_mouse.h"
#include "widgets/plot/painter_canvas.h"

namespace hw {

namespace {

constexpr int kGripWidth = 6;      ///< Pixels around an end that take it.
constexpr double kKnob = 4.5;      ///< Radius of what the playhead is taken by.
constexpr int kLeastBrush = 4;     ///< A brush over a few of many steps is still seen.
constexpr double kKeyMove = 0.25;  ///< Of what is on show.
constexpr double kMinimapKeyZoom = 1.4;

bool isOwnKey(int key) {
  switch (key) {
    case Qt::Key_Left:
    case Qt::Key_Right:
    case Qt::Key_Home:
    case Qt::Key_End:
    case Qt::Key_Plus:
    case Qt::Key_Equal:
    case Qt::Key_Minus:
      return true;
    default:
      return false;
  }
}

}  // namespace

Minimap::Minimap(ViewState* state, PoolId pool, QWidget* parent)
    : QWidget(parent), state_(state), pool_(pool) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setAttribute(Qt::WA_OpaquePaintEvent);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  setAccessibleName(tr("Minimap of the whole run"));
  setToolTip(
      tr("The whole run. Drag the frame to move, its ends to show more or less; a "
         "double click shows everything"));
  const auto repaint = [this] { update(); };
  connect(state, &ViewState::runChanged, this, &Minimap::showRun);
  connect(state, &ViewState::axisChanged, this, &Minimap::showRun);
  connect(state, &ViewState::visibleChanged, this, repaint);
  connect(state, &ViewState::momentChanged, this, repaint);
  connect(state, &ViewState::decorationChanged, this, repaint);
  showRun();
}

void Minimap::setPool(PoolId pool) {
  if (pool == pool_) return;
  pool_ = pool;
  showRun();
}

void Minimap::showRun() {
  const auto run = state_->run();
  const bool known = run && run->problem.pools.contains(pool_);
  curve_ = {};
  silhouette_ = {};
  const auto add = [run, known, pool = pool_, unit = state_->axis()] {
    return known ? StairCurve::live(*run, pool, unit) : StairCurve();
  };
  adding_.start(!known || isSmallRun(*run), add, [this](StairCurve curve) {
    curve_ = std::move(curve);
    silhouette_ = {};
    update();
  });
  update();
}

QRect Minimap::trackRect() const {
  constexpr int kAround = 8;
  return {kAround, 5, std::max(1, width() - 2 * kAround), std::max(1, height() - 10)};
}

RunAxis Minimap::axis() const {
  const QRect track = trackRect();
  return {0, state_->length(), static_cast<double>(track.left()),
          static_cast<double>(track.width()), state_->axis()};
}

QRect Minimap::brushRect() const {
  const QRect track = trackRect();
  const int left = qRound(axis().toX(state_->visibleBegin()));
  const int right = qRound(axis().toX(state_->visibleEnd()));
  return {left, track.top(), std::max(kLeastBrush, right - left), track.height()};
}

/// Into a pixmap, once for a run and a size: playing and zooming only move the brush above it.
void Minimap::drawSilhouette() {
  const Theme& theme = Theme::current();
  const QRect track = trackRect();
  silhouette_ = QPixmap(size() * devicePixelRatioF());
  silhouette_.setDevicePixelRatio(devicePixelRatioF());
  silhouette_.fill(theme.plot);
  const auto run = state_->run();
  if (!run || !run->problem.pools.contains(pool_)) return;
  QPainter painter(&silhouette_);
  const Stair* peak = curve_.peak();
  const double top = peak ? std::max(1.0, static_cast<double>(peak->value.count())) : 1;
  const ByteAxis y{0, top, static_cast<double>(track.bottom() + 1),
                   -static_cast<double>(track.height() - 2)};
  const RunAxis x = axis();
  const QColor color = theme.classColor(BlockClass::convolution);
  const auto points = curve_.stairs(x.begin, x.end, kMostPoints);
  for (std::size_t i = 1; i < points.size(); ++i) {
    const QPointF from(x.toX(points[i - 1].x), y.toPixel(points[i].y));
    if (points[i].y != points[i - 1].y) {
      // A riser of the stairs. Where many pieces share a column of pixels it is all that is seen of
      // them, and spans from the least to the most.
      painter.fillRect(QRectF(from.x(), from.y(), 1, y.start - from.y()), color);
      continue;
    }
    painter.fillRect(QRectF(from, QPointF(x.toX(points[i].x), y.start)), color);
  }
}

void Minimap::paintEvent(QPaintEvent*) {
  if (silhouette_.size() != size() * devicePixelRatioF()) drawSilhouette();
  QPainter painter(this);
  painter.drawPixmap(0, 0, silhouette_);
  if (state_->run()) drawBrush(painter);
}

void Minimap::drawBrush(QPainter& painter) const {
  const Theme& theme = Theme::current();
  const QRect track = trackRect();
  const QRect brush = brushRect();
  const int x = qRound(axis().toX(playheadOf(*state_)));
  QColor veil = theme.plot;
  veil.setAlpha(150);
  // What is still to come is pale, and what is not on show is paler.
  painter.fillRect(QRect(QPoint(x + 1, track.top()), track.bottomRight()), veil);
  painter.fillRect(QRect(track.topLeft(), QPoint(brush.left() - 1, track.bottom())), veil);
  painter.fillRect(QRect(QPoint(brush.right() + 1, track.top()), track.bottomRight()), veil);
  painter.setPen(theme.mark);
  for (const double place : state_->marks()) {
    const int mark = qRound(axis().toX(place));
    painter.drawLine(mark, track.top(), mark, track.bottom());
  }
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  painter.setBrush(theme.playhead);
  painter.drawEllipse(QPointF(x + 0.5, track.top()), kKnob, kKnob);
  painter.drawRect(QRectF(x, track.top(), 1, track.height()));
  painter.setRenderHint(QPainter::Antialiasing, false);
  if (showsAll() && !hasFocus()) return;
  painter.setBrush(Qt::NoBrush);
  painter.setPen(QPen(theme.selection, hasFocus() ? 2 : 1));
  painter.drawRect(brush.adjusted(0, 0, -1, -1));
  for (const int end : {brush.left(), brush.right()}) {
    painter.fillRect(QRect(end - 1, track.center().y() - 6, 3, 12), theme.selection);
  }
}

Minimap::Grip Minimap::gripAt(const QPointF& position) const {
  const QRect brush = brushRect();
  const double fromBegin = std::abs(position.x() - brush.left());
  const double fromEnd = std::abs(position.x() - brush.right());
  if (std::min(fromBegin, fromEnd) <= kGripWidth) {
    // A brush narrower than its ends is taken at the nearer one.
    return fromBegin < fromEnd ? Grip::begin : Grip::end;
  }
  if (showsAll()) return Grip::playhead;
  return position.x() > brush.left() && position.x() < brush.right() ? Grip::whole : Grip::none;
}

void Minimap::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || !state_->run()) return;
  const double step = axis().toPlace(event->position().x());
  grip_ = gripAt(event->position());
  if (grip_ == Grip::none) {
    const double half = (state_->visibleEnd() - state_->visibleBegin()) / 2;
    state_->setVisible(step - half, step + half);
    grip_ = Grip::whole;
  }
  grabbed_ = step - state_->visibleBegin();
  if (grip_ == Grip::playhead) movePlayhead(step);
}

bool Minimap::showsAll() const {
  return state_->visibleEnd() - state_->visibleBegin() >= state_->length();
}

void Minimap::movePlayhead(double place) {
  const double inside = std::clamp(place, 0.0, state_->length());
  if (state_->axis() == AxisUnit::time) {
    state_->setTime(SimTime(static_cast<std::int64_t>(inside)));
  } else {
    state_->setStep(std::min(state_->scale()->stepAt(inside), state_->steps() - Step(1)));
  }
}

void Minimap::mouseMoveEvent(QMouseEvent* event) {
  const double step = axis().toPlace(event->position().x());
  const double length = state_->visibleEnd() - state_->visibleBegin();
  const double least = state_->scale()->leastVisible();
  switch (grip_) {
    case Grip::none: {
      const Grip under = state_->run() ? gripAt(event->position()) : Grip::none;
      const bool end = under == Grip::begin || under == Grip::end;
      setCursor(end                    ? Qt::SizeHorCursor
                : under == Grip::whole ? Qt::OpenHandCursor
                                       : Qt::ArrowCursor);
      return;
    }
    case Grip::begin:
      // Dragged past the other end it stops there, instead of moving the whole brush.
      return state_->setVisible(std::min(step, state_->visibleEnd() - least), state_->visibleEnd());
    case Grip::end:
      return state_->setVisible(state_->visibleBegin(),
                                std::max(step, state_->visibleBegin() + least));
    case Grip::playhead:
      return movePlayhead(step);
    case Grip::whole:
      setCursor(Qt::ClosedHandCursor);
      return state_->setVisible(step - grabbed_, step - grabbed_ + length);
  }
}

void Minimap::mouseReleaseEvent(QMouseEvent*) {
  grip_ = Grip::none;
  unsetCursor();
}

void Minimap::mouseDoubleClickEvent(QMouseEvent*) { state_->showAll(); }

void Minimap::zoom(double factor, double place) {
  const double begin = state_->visibleBegin();
  const double end = state_->visibleEnd();
  state_->setVisible(place - (place - begin) / factor, place + (end - place) / factor);
}

void Minimap::move(double by) {
  state_->setVisible(state_->visibleBegin() + by, state_->visibleEnd() + by);
}

void Minimap::wheelEvent(QWheelEvent* event) {
  const double pointed = axis().toPlace(event->position().x());
  zoom(wheelFactor(*event), std::clamp(pointed, state_->visibleBegin(), state_->visibleEnd()));
  event->accept();
}

void Minimap::keyPressEvent(QKeyEvent* event) {
  const double begin = state_->visibleBegin();
  const double length = state_->visibleEnd() - begin;
  const double all = state_->length();
  switch (event->key()) {
    case Qt::Key_Left:
      return move(-length * kKeyMove);
    case Qt::Key_Right:
      return move(length * kKeyMove);
    case Qt::Key_Home:
      return move(-begin);
    case Qt::Key_End:
      return move(all - length - begin);
    case Qt::Key_Plus:
    case Qt::Key_Equal:
      return zoom(kMinimapKeyZoom, begin + length / 2);
    case Qt::Key_Minus:
      return zoom(1 / kMinimapKeyZoom, begin + length / 2);
    default:
      QWidget::keyPressEvent(event);
  }
}

bool Minimap::event(QEvent* event) {
  // The window has uses of its own for these keys; with the focus here they are ours.
  if (event->type() == QEvent::ShortcutOverride) {
    const auto* key = static_cast<QKeyEvent*>(event);
    if (key->modifiers() == Qt::NoModifier && isOwnKey(key->key())) {
      event->accept();
      return true;
    }
  }
  return QWidget::event(event);
}

void Minimap::resizeEvent(QResizeEvent*) { silhouette_ = {}; }

void Minimap::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
    silhouette_ = {};
  }
}

}  // namespace hw
