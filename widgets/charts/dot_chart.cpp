#include "widgets/charts/dot_chart.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "widgets/base/theme.h"
#include "widgets/plot/painter_canvas.h"

namespace hw {

namespace {

/// A dot is hit so far beside it, too.
constexpr double kBesideDot = 5;

}  // namespace

DotChart::DotChart(QWidget* parent) : QWidget(parent) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setAttribute(Qt::WA_OpaquePaintEvent);
}

void DotChart::setDrawing(Drawing drawing) {
  drawing_ = std::move(drawing);
  current_.clear();
  redraw();
}

void DotChart::setEmptyText(const QString& text) {
  empty_ = text;
  if (!drawing_) redraw();
}

void DotChart::setMarked(const std::string& id) {
  marked_ = id;
  update();
}

void DotChart::redraw() {
  picture_ = {};
  update();
}

void DotChart::renderTo(QPainter& painter, const QRect& target) const {
  painter.fillRect(target, Theme::current().plot);
  if (drawing_) {
    PainterCanvas canvas(painter);
    drawing_(canvas, toBox(target));
    return;
  }
  painter.setPen(Theme::current().mutedText);
  painter.drawText(target.adjusted(12, 0, -12, 0), Qt::AlignCenter | Qt::TextWordWrap, empty_);
}

void DotChart::makePicture() {
  const QSize size = this->size() * devicePixelRatioF();
  if (picture_.size() == size) return;
  picture_ = QPixmap(size);
  picture_.setDevicePixelRatio(devicePixelRatioF());
  shapes_.clear();
  QPainter painter(&picture_);
  painter.setFont(font());
  if (!drawing_) return renderTo(painter, rect());
  painter.fillRect(rect(), Theme::current().plot);
  PainterCanvas canvas(painter);
  HintCanvas hints(canvas);
  drawing_(hints, toBox(rect()));
  shapes_ = hints.takeShapes();
}

const HintCanvas::Shape* DotChart::shapeOf(const std::string& id) const {
  const auto found =
      std::ranges::find_if(shapes_, [&](const auto& each) { return each.hint.id == id; });
  return found == shapes_.end() ? nullptr : &*found;
}

/// Of those in reach the nearest, of equals the one on top.
const HintCanvas::Shape* DotChart::shapeAt(const QPointF& at) const {
  const HintCanvas::Shape* best = nullptr;
  double least = 0;
  for (const HintCanvas::Shape& each : shapes_) {
    const QRectF box = toRectF(each.box);
    if (!box.adjusted(-kBesideDot, -kBesideDot, kBesideDot, kBesideDot).contains(at)) continue;
    const double away = std::hypot(box.center().x() - at.x(), box.center().y() - at.y());
    if (best != nullptr && away > least) continue;
    best = &each;
    least = away;
  }
  return best;
}

std::vector<std::string> DotChart::ids() {
  makePicture();
  std::vector<const HintCanvas::Shape*> order;
  for (const HintCanvas::Shape& each : shapes_) order.push_back(&each);
  std::ranges::stable_sort(order, {}, [](const auto* each) { return each->box.left; });
  std::vector<std::string> ids;
  for (const auto* each : order) ids.push_back(each->hint.id);
  return ids;
}

QRectF DotChart::dotRect(const std::string& id) {
  makePicture();
  const auto* shape = shapeOf(id);
  return shape != nullptr ? toRectF(shape->box) : QRectF();
}

void DotChart::setCurrent(const std::string& id) {
  if (id == current_) return;
  current_ = id;
  const auto* shape = shapeOf(id);
  setAccessibleDescription(shape != nullptr ? QString::fromStdString(shape->hint.tooltip)
                                            : QString());
  setCursor(shape != nullptr ? Qt::PointingHandCursor : Qt::ArrowCursor);
  update();
}

void DotChart::paintEvent(QPaintEvent*) {
  makePicture();
  QPainter painter(this);
  painter.drawPixmap(0, 0, picture_);
  const Theme& theme = Theme::current();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setBrush(Qt::NoBrush);
  const auto encircle = [&](const std::string& id, const QColor& color, double around) {
    const auto* shape = shapeOf(id);
    if (shape == nullptr) return;
    painter.setPen(QPen(color, 2));
    painter.drawEllipse(toRectF(shape->box).adjusted(-around, -around, around, around));
  };
  encircle(marked_, theme.text, 3);
  encircle(current_, theme.selection, 5);
}

void DotChart::resizeEvent(QResizeEvent*) { redraw(); }

void DotChart::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) redraw();
}

void DotChart::mouseMoveEvent(QMouseEvent* event) {
  makePicture();
  const auto* shape = shapeAt(event->position());
  setCurrent(shape != nullptr ? shape->hint.id : std::string());
}

void DotChart::leaveEvent(QEvent*) {
  if (!hasFocus()) setCurrent({});
}

void DotChart::mousePressEvent(QMouseEvent* event) {
  makePicture();
  const auto* shape = shapeAt(event->position());
  if (event->button() != Qt::LeftButton || shape == nullptr) return;
  setCurrent(shape->hint.id);
  Q_EMIT picked(QString::fromStdString(shape->hint.id));
}

void DotChart::keyPressEvent(QKeyEvent* event) {
  const bool back = event->key() == Qt::Key_Left;
  const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
  const auto all = ids();
  if ((back || event->key() == Qt::Key_Right) && !all.empty()) {
    const auto at = std::ranges::find(all, current_);
    const auto last = all.end() - 1;
    if (at == all.end()) return setCurrent(back ? all.back() : all.front());
    if (back ? at != all.begin() : at != last) setCurrent(back ? *(at - 1) : *(at + 1));
  } else if (enter && shapeOf(current_) != nullptr) {
    Q_EMIT picked(QString::fromStdString(current_));
  } else {
    QWidget::keyPressEvent(event);
  }
}

bool DotChart::event(QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride) {
    // The window has other uses for these: they go to whoever has the focus.
    const auto* key = static_cast<QKeyEvent*>(event);
    const QList<int> own{Qt::Key_Left, Qt::Key_Right, Qt::Key_Return, Qt::Key_Enter};
    if (key->modifiers() == Qt::NoModifier && own.contains(key->key())) event->accept();
    return event->isAccepted();
  }
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  makePicture();
  const auto* shape = shapeAt(help->pos());
  if (shape == nullptr) {
    QToolTip::hideText();
  } else {
    QToolTip::showText(help->globalPos(), QString::fromStdString(shape->hint.tooltip), this);
  }
  return true;
}

}  // namespace hw
