#include "widgets/charts/dot_chart.h"

#include <fmt/format.h>

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "widgets/base/theme.h"
#include "widgets/plot/painter_canvas.h"
#include "widgets/text/text.h"

namespace hw {

namespace {

/// A dot is hit so far beside it, too.
constexpr double kBesideDot = 5;
/// The largest dot; larger shapes are cells or panels, which get a frame.
constexpr double kLargestDot = 24;

/// "front-0", "front-1", …
std::vector<std::string> numbered(std::string_view name, std::size_t count) {
  std::vector<std::string> names;
  names.reserve(count);
  for (std::size_t i = 0; i < count; ++i) names.push_back(fmt::format("{}-{}", name, i));
  return names;
}

}  // namespace

DotChart::DotChart(QWidget* parent) : QWidget(parent) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setAttribute(Qt::WA_OpaquePaintEvent);
}

template <class Scene>
void DotChart::setDrawing(Scene scene, void (*draw)(Canvas&, const Scene&, const Box&),
                          const std::vector<std::string>& names) {
  drawing_ = [scene = std::move(scene), draw](Canvas& canvas, const Box& where) {
    draw(canvas, scene, where);
  };
  ids_.clear();
  for (const std::string& name : names) ids_.emplace(name, static_cast<int>(ids_.size()));
  current_ = kNone;
  redraw();
}

void DotChart::setScene(FrontScene scene) {
  std::vector<std::string> names = numbered("found", scene.found.size());
  for (std::string& name : numbered("other", scene.others.size())) names.push_back(std::move(name));
  setDrawing(std::move(scene), drawFront, names);
}

void DotChart::setScene(ParetoScene scene) {
  std::vector<std::string> names;
  names.reserve(scene.points.size());
  for (const ParetoPoint& point : scene.points) names.push_back(fmt::format("plan-{}", point.row));
  setDrawing(std::move(scene), drawPareto, names);
}

void DotChart::setScene(DotsScene scene) {
  const auto names = numbered("front", scene.front.size());
  setDrawing(std::move(scene), drawDots, names);
}

void DotChart::setScene(HeatScene scene) {
  const auto names = numbered("cell", scene.cells.size());
  setDrawing(std::move(scene), drawHeat, names);
}

void DotChart::setScene(MultiplesScene scene) {
  const auto names = numbered("panel", scene.panels.size());
  setDrawing(std::move(scene), drawMultiples, names);
}

void DotChart::clear() {
  drawing_ = nullptr;
  ids_.clear();
  current_ = kNone;
  redraw();
}

void DotChart::setEmptyText(const QString& text) {
  empty_ = text;
  if (!drawing_) redraw();
}

void DotChart::setMarked(int dot) {
  marked_ = dot;
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
  dots_.clear();
  QPainter painter(&picture_);
  painter.setFont(font());
  if (!drawing_) return renderTo(painter, rect());
  painter.fillRect(rect(), Theme::current().plot);
  PainterCanvas canvas(painter);
  HintCanvas hints(canvas);
  drawing_(hints, toBox(rect()));
  for (const HintCanvas::Shape& shape : hints.takeShapes()) {
    const auto known = ids_.find(shape.hint.id);
    if (known == ids_.end()) continue;
    dots_.push_back(
        {toRectF(shape.box), QString::fromStdString(shape.hint.tooltip), known->second});
  }
}

const DotChart::Dot* DotChart::dotOf(int id) const {
  const auto found = std::ranges::find(dots_, id, &Dot::id);
  return found == dots_.end() ? nullptr : &*found;
}

/// Of those in reach the nearest, of equals the one on top.
const DotChart::Dot* DotChart::dotAt(const QPointF& at) const {
  const Dot* best = nullptr;
  double least = 0;
  for (const Dot& each : dots_) {
    if (!each.box.adjusted(-kBesideDot, -kBesideDot, kBesideDot, kBesideDot).contains(at)) continue;
    const double away = std::hypot(each.box.center().x() - at.x(), each.box.center().y() - at.y());
    if (best != nullptr && away > least) continue;
    best = &each;
    least = away;
  }
  return best;
}

std::vector<int> DotChart::ids() {
  makePicture();
  std::vector<Dot> order = dots_;
  std::ranges::stable_sort(order, {}, [](const Dot& each) { return each.box.left(); });
  std::vector<int> ids;
  ids.reserve(order.size());
  for (const Dot& each : order) ids.push_back(each.id);
  return ids;
}

QRectF DotChart::dotRect(int id) {
  makePicture();
  const Dot* dot = dotOf(id);
  return dot != nullptr ? dot->box : QRectF();
}

void DotChart::setCurrent(const Dot* dot) {
  const int id = dot != nullptr ? dot->id : kNone;
  if (id == current_) return;
  current_ = id;
  setAccessibleDescription(dot != nullptr ? dot->toolTip : QString());
  setCursor(dot != nullptr ? Qt::PointingHandCursor : Qt::ArrowCursor);
  update();
}

void DotChart::paintEvent(QPaintEvent*) {
  makePicture();
  QPainter painter(this);
  painter.drawPixmap(0, 0, picture_);
  const Theme& theme = Theme::current();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setBrush(Qt::NoBrush);
  const auto encircle = [&](int id, const QColor& color, double around) {
    const Dot* dot = dotOf(id);
    if (dot == nullptr) return;
    painter.setPen(QPen(color, 2));
    if (std::max(dot->box.width(), dot->box.height()) > kLargestDot) {
      painter.drawRoundedRect(dot->box, 4, 4);
    } else {
      painter.drawEllipse(dot->box.adjusted(-around, -around, around, around));
    }
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
  setCurrent(dotAt(event->position()));
}

void DotChart::leaveEvent(QEvent*) {
  if (!hasFocus()) setCurrent(nullptr);
}

void DotChart::mousePressEvent(QMouseEvent* event) {
  makePicture();
  const Dot* dot = dotAt(event->position());
  if (event->button() != Qt::LeftButton || dot == nullptr) return;
  setCurrent(dot);
  Q_EMIT picked(current_);
}

void DotChart::keyPressEvent(QKeyEvent* event) {
  const bool back = event->key() == Qt::Key_Left;
  const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
  const auto all = ids();
  if ((back || event->key() == Qt::Key_Right) && !all.empty()) {
    const auto at = std::ranges::find(all, current_);
    const auto last = all.end() - 1;
    if (at == all.end()) return setCurrent(dotOf(back ? all.back() : all.front()));
    if (back ? at != all.begin() : at != last) setCurrent(dotOf(back ? *(at - 1) : *(at + 1)));
  } else if (enter && dotOf(current_) != nullptr) {
    Q_EMIT picked(current_);
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
  const Dot* dot = dotAt(help->pos());
  QToolTip::showText(help->globalPos(), dot != nullptr ? plainTip(dot->toolTip) : QString(), this);
  return true;
}

}  // namespace hw
