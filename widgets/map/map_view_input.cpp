#include <QApplication>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <cmath>

#include "core/base/text.h"
#include "core/picture/block_store.h"
#include "widgets/map/map_view.h"
#include "widgets/plot/zoom.h"
#include "widgets/text/text.h"

namespace hw {

namespace {

constexpr double kKeyZoom = 1.4;
constexpr double kKeyPan = 60;

RunAxis acrossOf(const MapWindow& window, const QRect& plot) {
  return {window.begin, window.end, static_cast<double>(plot.left()),
          static_cast<double>(plot.width())};
}

ByteAxis bytesOf(const MapWindow& window, const QRect& plot) {
  return {window.lowByte, window.highByte, static_cast<double>(plot.top() + plot.height()),
          -static_cast<double>(plot.height())};
}

/// Name, size, address, steps or times and class of a block, one a line.
QString describe(const Run& run, const Block& block, AxisUnit unit) {
  const QString name = QString::fromStdString(blockName(run, block.stay)).toHtmlEscaped();
  return MapView::tr("<b>%1</b><br>%2<br>address %3, first and last byte<br>%4<br>%5")
      .arg(name, fullSizeText(block.bytes.length()), addressesText(block.bytes),
           viewText(spanText(block.span, unit)), viewText(className(block.kind)));
}

}  // namespace

std::optional<std::size_t> MapView::blockAt(const QPoint& position) const {
  const QRect plot = plotArea();
  if (!plot.contains(position)) return {};
  if (raster_.request.window != window() || raster_.ids.empty()) {
    // The picture is about to be replaced; asking the blocks is slower but never out of date.
    const double step = acrossOf(window(), plot).toPlace(position.x() + 0.5);
    const double byte = bytesOf(window(), plot).toBytes(position.y() + 0.5);
    const MapWindow point{std::floor(step), std::floor(step) + 1, std::floor(byte),
                          std::floor(byte) + 1};
    std::optional<std::size_t> found;
    blocks_->visit(point, [&](std::size_t index) { found = index; });
    return found;
  }
  const double ratio = raster_.request.ratio;
  const QPointF inside = QPointF(position - plot.topLeft()) + QPointF(0.5, 0.5);
  return raster_.blockAt(static_cast<int>(inside.x() * ratio),
                         static_cast<int>(inside.y() * ratio));
}

StayId MapView::stayAt(const QPoint& position) const {
  const auto block = blockAt(position);
  return block ? blocks_->stay(*block) : StayId();
}

TensorId MapView::tensorAt(const QPoint& position) const {
  const auto block = blockAt(position);
  if (!block || !state_->run()) return {};
  const QRect plot = plotArea();
  const double place = acrossOf(window(), plot).toPlace(position.x() + 0.5);
  const double byte = bytesOf(window(), plot).toBytes(position.y() + 0.5);
  return partAt(*state_->run(), *state_->scale(), blocks_->block(*block), place,
                Bytes(static_cast<std::int64_t>(byte)));
}

void MapView::pan(const QPointF& pixels) {
  const QRect plot = plotArea();
  panSteps(*state_, acrossOf(window(), plot), pixels.x());
  const ByteAxis moved = bytesOf(window(), plot).panned(pixels.y());
  const double length = moved.high - moved.low;
  const double low = std::clamp(moved.low, 0.0, std::max(0.0, fullHeight_ - length));
  setVisibleBytes(low, low + length);
}

void MapView::zoomBytes(double factor, double y) {
  const ByteAxis axis = bytesOf(window(), plotArea());
  const double length = std::min((axis.high - axis.low) / factor, fullHeight_);
  const ByteAxis zoomed = axis.zoomed((axis.high - axis.low) / std::max(16.0, length), y);
  const double low = std::clamp(zoomed.low, 0.0, std::max(0.0, fullHeight_ - length));
  setVisibleBytes(low, low + length);
}

void MapView::wheelEvent(QWheelEvent* event) {
  const double factor = wheelFactor(*event);
  const QPointF at = event->position();
  const auto keys = event->modifiers();
  if (keys & Qt::ShiftModifier) {
    pan({std::log(factor) * kKeyPan * 4, 0});
  } else {
    if (!(keys & Qt::AltModifier))
      zoomSteps(*state_, acrossOf(window(), plotArea()), factor, at.x());
    if (keys & (Qt::AltModifier | Qt::ControlModifier)) zoomBytes(factor, at.y());
  }
  event->accept();
}

void MapView::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton && event->button() != Qt::MiddleButton) return;
  pressedAt_ = event->position();
  dragging_ = false;
}

void MapView::mouseMoveEvent(QMouseEvent* event) {
  if (pressedAt_) {
    const QPointF moved = event->position() - *pressedAt_;
    if (!dragging_ && moved.manhattanLength() < QApplication::startDragDistance()) return;
    dragging_ = true;
    setCursor(Qt::ClosedHandCursor);
    pan(moved);
    pressedAt_ = event->position();
    return;
  }
  state_->hover(stayAt(event->position().toPoint()));
  describePointer(event->position().toPoint());
}

void MapView::mouseReleaseEvent(QMouseEvent* event) {
  if (!pressedAt_) return;
  if (!dragging_ && event->button() == Qt::LeftButton) {
    const QPoint at = event->position().toPoint();
    state_->selectPart(stayAt(at), tensorAt(at));
  }
  pressedAt_.reset();
  dragging_ = false;
  unsetCursor();
}

void MapView::mouseDoubleClickEvent(QMouseEvent*) { fit(); }

void MapView::leaveEvent(QEvent*) {
  state_->hover({});
  emit pointedAt({});
}

void MapView::hideEvent(QHideEvent* event) {
  QWidget::hideEvent(event);
  Q_EMIT pointedAt({});
}

/// What was described has moved away from under the pointer, which rests.
void MapView::describeAgain() {
  if (underMouse() && !dragging_) describePointer(mapFromGlobal(QCursor::pos()));
}

void MapView::resizeEvent(QResizeEvent*) {
  placeCorner();
  update();
}

void MapView::describePointer(const QPoint& position) {
  const QRect plot = plotArea();
  if (!plot.contains(position) || !state_->run()) {
    emit pointedAt({});
    return;
  }
  const double place = acrossOf(window(), plot).toPlace(position.x() + 0.5);
  const auto byte = static_cast<std::int64_t>(bytesOf(window(), plot).toBytes(position.y() + 0.5));
  QString text = QStringLiteral("%1   %2").arg(placeText(*state_, place),
                                               tr("address %1").arg(addressText(Bytes(byte))));
  if (const StayId stay = stayAt(position)) {
    text += QStringLiteral("   ") + viewText(blockLabel(*state_->run(), stay));
    if (const TensorId part = tensorAt(position)) {
      text += QStringLiteral("   ") + viewText(partLabel(*state_->run(), part));
    }
  }
  emit pointedAt(text);
}

void MapView::showToolTip(QHelpEvent* help) {
  const auto block = blockAt(help->pos());
  if (!block || !state_->run()) {
    QToolTip::hideText();
    return;
  }
  QString text = describe(*state_->run(), blocks_->block(*block), blocks_->unit());
  if (const TensorId part = tensorAt(help->pos())) {
    text += QStringLiteral("<br>") + viewText(partLabel(*state_->run(), part)).toHtmlEscaped();
  }
  QToolTip::showText(help->globalPos(), text, this);
}

bool MapView::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    showToolTip(static_cast<QHelpEvent*>(event));
    return true;
  }
  if (event->type() == QEvent::ShortcutOverride && blocks_->size() > 0) {
    // Elsewhere these two go from one operator to the next.
    const auto* key = static_cast<QKeyEvent*>(event);
    const bool walks = key->key() == Qt::Key_Left || key->key() == Qt::Key_Right;
    if (walks && key->modifiers() == Qt::NoModifier) event->accept();
  }
  return QWidget::event(event);
}

void MapView::keyPressEvent(QKeyEvent* event) {
  const QPointF centre = plotArea().center();
  switch (event->key()) {
    case Qt::Key_Right:
      return walk(1);
    case Qt::Key_Left:
      return walk(-1);
    case Qt::Key_Up:
      return stepInAddress(1);
    case Qt::Key_Down:
      return stepInAddress(-1);
    case Qt::Key_Plus:
    case Qt::Key_Equal:
    case Qt::Key_W:
      return zoomSteps(*state_, acrossOf(window(), plotArea()), kKeyZoom, centre.x());
    case Qt::Key_Minus:
    case Qt::Key_S:
      return zoomSteps(*state_, acrossOf(window(), plotArea()), 1 / kKeyZoom, centre.x());
    case Qt::Key_A:
      return pan({kKeyPan, 0});
    case Qt::Key_D:
      return pan({-kKeyPan, 0});
    case Qt::Key_0:
      return fit();
    case Qt::Key_Z:
      return zoomToSelection();
    case Qt::Key_Escape:
      return state_->select({});
    default:
      QWidget::keyPressEvent(event);
  }
}

std::optional<std::size_t> MapView::selectedBlock() const {
  const auto blocks = blocks_->blocksOf(state_->selected());
  if (blocks.empty()) return {};
  if (walkedTo_ && blocks_->stay(*walkedTo_) == state_->selected()) return walkedTo_;
  return blocks.front();
}

/// From the selected block to the next in step order; from none to the first one on screen.
void MapView::walk(int direction) {
  if (const auto selected = selectedBlock()) {
    const auto next = static_cast<std::ptrdiff_t>(*selected) + direction;
    if (next < 0 || next >= static_cast<std::ptrdiff_t>(blocks_->size())) return;
    return reveal(static_cast<std::size_t>(next));
  }
  std::optional<std::size_t> first;
  blocks_->visit(window(), [&](std::size_t index) { first = first.value_or(index); });
  if (first) reveal(*first);
}

void MapView::stepInAddress(int direction) {
  const auto selected = selectedBlock();
  if (!selected) {
    walk(1);
    return;
  }
  const auto step = static_cast<double>(blocks_->beginAt(*selected));
  const std::int64_t low = blocks_->lowByte(*selected);
  std::optional<std::size_t> best;
  blocks_->visit({step, step + 1, 0, fullHeight_}, [&](std::size_t index) {
    const std::int64_t distance = (blocks_->lowByte(index) - low) * direction;
    if (distance <= 0) return;
    if (!best || distance < (blocks_->lowByte(*best) - low) * direction) best = index;
  });
  if (best) reveal(*best);
}

/// Selects a block and brings it on screen if it is not.
void MapView::reveal(std::size_t index) {
  walkedTo_ = index;
  state_->select(blocks_->stay(index));
  const Block block = blocks_->block(index);
  if (state_->run()) {
    setAccessibleDescription(viewText(blockLabel(*state_->run(), block.stay)));
  }
  const MapWindow seen = window();
  const auto begin = static_cast<double>(block.span.begin.count());
  const auto end = static_cast<double>(block.span.end.count());
  if (end <= seen.begin || begin >= seen.end) {
    const double half = (seen.end - seen.begin) / 2;
    state_->setVisible(begin - half, begin + half);
  }
  const auto low = static_cast<double>(block.bytes.begin.count());
  const auto high = static_cast<double>(block.bytes.end.count());
  if (high <= seen.lowByte || low >= seen.highByte) {
    const double length = seen.highByte - seen.lowByte;
    setVisibleBytes(low - length / 2, low + length / 2);
  }
}

void MapView::revealSelection() {
  if (const auto selected = selectedBlock()) reveal(*selected);
}

void MapView::zoomToSelection() {
  const auto selected = blocks_->blocksOf(state_->selected());
  if (selected.empty()) return;
  Block all = blocks_->block(selected.front());
  for (const std::uint32_t index : selected) {
    all.span.end = std::max(all.span.end, blocks_->block(index).span.end);
  }
  const auto begin = static_cast<double>(all.span.begin.count());
  const auto end = static_cast<double>(all.span.end.count());
  const double air = std::max(4 * state_->scale()->leastVisible(), (end - begin) * 0.25);
  state_->setVisible(begin - air, end + air);
  const auto low = static_cast<double>(all.bytes.begin.count());
  const auto high = static_cast<double>(all.bytes.end.count());
  setVisibleBytes(std::max(0.0, low - (high - low) / 2), high + (high - low) / 2);
}

}  // namespace hw
