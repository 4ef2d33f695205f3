#include "widgets/map/map_view.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <cmath>

#include "core/base/text.h"
#include "core/graph/counterparts.h"
#include "core/picture/block_store.h"
#include "widgets/base/theme.h"
#include "widgets/map/map_painter.h"
#include "widgets/plot/axis_mouse.h"
#include "widgets/plot/painter_canvas.h"
#include "widgets/text/text.h"

namespace hw {

namespace {

/// Blocks that fit in a frame are drawn at once, more by a worker while the old picture is
/// stretched. How many that is depends on the machine: between these, it is found out by drawing.
constexpr std::size_t kLeastAtOnce = 10'000;
constexpr std::size_t kMostBlocksAtOnce = 150'000;
constexpr double kFrame = 10;  ///< Milliseconds, of the 16 that a frame has.
constexpr double kLeastBytes = 16;

std::shared_ptr<const BlockStore> noBlocks() {
  static const auto kNone = std::make_shared<const BlockStore>();
  return kNone;
}

}  // namespace

MapView::MapView(ViewState* state, PoolId pool, QWidget* parent)
    : QWidget(parent), state_(state), pool_(pool), blocks_(noBlocks()) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setAttribute(Qt::WA_OpaquePaintEvent);
  const auto repaint = [this] { update(); };
  connect(state, &ViewState::runChanged, this, &MapView::showRun);
  connect(state, &ViewState::axisChanged, this, &MapView::layOut);
  connect(state, &ViewState::coloringChanged, this, &MapView::layOut);
  connect(state, &ViewState::momentChanged, this, repaint);
  connect(state, &ViewState::selectionChanged, this, repaint);
  connect(state, &ViewState::decorationChanged, this, repaint);
  connect(state, &ViewState::hoverChanged, this, repaint);
  connect(state, &ViewState::visibleChanged, this, [this] {
    update();
    describeAgain();
  });
  connect(state, &ViewState::filterChanged, this, repaint);
  connect(state, &ViewState::markedStepsChanged, this, repaint);
  new StepMarker(state, this, [this] { return runAxis(*state_, toBox(plotArea())); });
  showRun();
}

MapView::~MapView() = default;

void MapView::setPool(PoolId pool) {
  pool_ = pool;
  showRun();
}

void MapView::showRun() {
  const auto run = state_->run();
  const bool known = run && run->problem.pools.contains(pool_);
  fullHeight_ = std::max(leastHeight_, known ? fullByteRange(*run, pool_) : 1);
  layOut();
  setVisibleBytes(0, fullHeight_);
  placeCorner();
  update();
}

/// Over the steps or in time, as the axis is.
void MapView::layOut() {
  const auto run = state_->run();
  const bool known = run && run->problem.pools.contains(pool_);
  walkedTo_.reset();
  blocks_ = noBlocks();
  moved_ = nullptr;
  raster_ = {};
  drawing_.drop();
  comparing_.drop();
  const auto blocksOf = [run, known, pool = pool_, unit = state_->axis(),
                         coloring = state_->coloring()] {
    return known
               ? std::make_shared<const BlockStore>(BlockStore::ofPool(*run, pool, unit, coloring))
               : noBlocks();
  };
  sorting_.start(!known || isSmallRun(*run), blocksOf,
                 [this](auto blocks) { acceptBlocks(std::move(blocks)); });
  update();
}

void MapView::acceptBlocks(std::shared_ptr<const BlockStore> blocks) {
  const auto run = state_->run();
  blocks_ = std::move(blocks);
  findMoved();
  const bool known = run && run->problem.pools.contains(pool_);
  const QString held =
      isLed() ? tr("Memory map of %1, a plan held against A") : tr("Memory map of %1");
  setAccessibleName(known ? held.arg(QString::fromStdString(run->problem.pools[pool_].name))
                          : tr("Memory map"));
}

MapWindow MapView::window() const {
  return {state_->visibleBegin(), state_->visibleEnd(), lowByte_, highByte_};
}

void MapView::setVisibleBytes(double low, double high) {
  const double least = std::max(0.0, low);
  const double most = least + std::max(kLeastBytes, high - low);
  update();
  if (least == lowByte_ && most == highByte_) return;
  lowByte_ = least;
  highByte_ = most;
  describeAgain();
  Q_EMIT visibleBytesChanged(lowByte_, highByte_);
}

/// The buffers on screen: name, bytes, place and life.
PlotRows MapView::spokenRows() const {
  PlotRows rows{.columns = {tr("Buffer"), tr("Size"), tr("Address"), tr("Life")}};
  const auto run = state_->run();
  if (!run || !run->problem.pools.contains(pool_)) return rows;
  const QRect plot = plotArea();
  MapRequest request{.window = window(), .size = plot.size()};
  blocks_->visit(window(), [&](std::size_t index) {
    if (rows.isFull()) return;
    const Block block = blocks_->block(index);
    rows.add({QString::fromStdString(blockName(*run, block.stay)), sizeText(block.bytes.length()),
              addressesText(block.bytes), viewText(spanText(block.span, blocks_->unit()))},
             request.boxOf(block).translated(plot.topLeft()));
  });
  return rows;
}

void MapView::setLeastHeight(double bytes) {
  const auto run = state_->run();
  const bool known = run && run->problem.pools.contains(pool_);
  const bool whole = lowByte_ == 0 && highByte_ >= fullHeight_;
  leastHeight_ = bytes;
  fullHeight_ = std::max(bytes, known ? fullByteRange(*run, pool_) : 1);
  if (whole) setVisibleBytes(0, fullHeight_);
}

void MapView::setLeader(ViewState* leader) {
  if (leader_) leader_->disconnect(this);
  leader_ = leader;
  if (leader_) {
    connect(leader_, &ViewState::momentChanged, this, [this] { update(); });
    connect(leader_, &ViewState::decorationChanged, this, [this] { update(); });
    connect(leader_, &ViewState::markedStepsChanged, this, [this] { update(); });
    connect(leader_, &ViewState::runChanged, this, &MapView::findMoved);
  }
  findMoved();
}

/// Two models have nothing in common to hold against each other; nor have the steps of two programs
/// whose operators run in other parts.
void MapView::findMoved() {
  const auto run = state_->run();
  const auto other = leader_ ? leader_->run() : nullptr;
  const bool comparable = run && other && run->model == other->model &&
                          run->problem.pools.contains(pool_) &&
                          Counterparts(run->graph(), other->graph()).same();
  const auto compare = [run, other, comparable, pool = pool_, blocks = blocks_] {
    return comparable
               ? std::make_shared<const MovedBlocks>(movedBlocks(*run, pool, *blocks, *other))
               : nullptr;
  };
  comparing_.start(!comparable || isSmallRun(*run), compare, [this](auto moved) {
    moved_ = std::move(moved);
    raster_ = {};
    drawing_.drop();
    update();
  });
}

void MapView::setTitle(const QString& title, std::optional<std::size_t> place) {
  title_ = title;
  place_ = title.isEmpty() ? std::nullopt : place;
  const QString letter = place ? runLetter(*place) + QStringLiteral(": ") : QString();
  if (!title.isEmpty()) setAccessibleName(tr("Memory map, %1").arg(letter + title));
  placeCorner();
  update();
}

void MapView::setCorner(QWidget* corner) {
  corner_ = corner;
  corner_->setParent(this);
  corner_->show();
  placeCorner();
}

void MapView::placeCorner() {
  if (!corner_) return;
  const QSize size = corner_->sizeHint();
  const FontRuler ruler(font());
  const PlotFrame frame = PlotFrame::inside(toBox(whole()), ruler);
  const auto run = state_->run();
  const bool titled = run && run->problem.pools.contains(pool_);
  const double title = titled ? ruler.width(scene().heading(), true) + 12 : 0;
  const int room = width() - kPlotRightMargin - qRound(frame.title.left + title);
  const int wide =
      std::clamp(room, std::min(corner_->minimumSizeHint().width(), size.width()), size.width());
  corner_->setGeometry(width() - kPlotRightMargin - wide, 1, wide, size.height());
}

void MapView::setTicksShown(bool shown) {
  if (shown == ticksShown_) return;
  ticksShown_ = shown;
  updateGeometry();
  update();
}

/// The rectangle that the map is drawn in: ticks that are not shown lie below the widget.
QRect MapView::whole() const { return wholePlot(*this, ticksShown_); }

QRect MapView::plotArea() const {
  return toRect(PlotFrame::inside(toBox(whole()), FontRuler(font())).plot);
}

void MapView::fit() {
  setVisibleBytes(0, fullHeight_);
  state_->showAll();
}

MapScene sceneOf(const ViewState& own, const ViewState& leader, PoolId pool) {
  return {.run = own.run(),
          .pool = pool,
          .scale = own.scale(),
          .window = {own.visibleBegin(), own.visibleEnd()},
          .now = nowOf(leader),
          .at = own.axis() == AxisUnit::time ? AxisPlace(own.time().count())
                                             : AxisPlace(own.step().count()),
          .started = own.moment() > 0 || own.step() > Step(0),
          .ghosts = own.ghosts(),
          .hexAddresses = leader.hexAddresses(),
          .selected = own.selected(),
          .selectedPart = own.selectedPart(),
          .selectedOp = own.selectedOp(),
          .filter = own.filter()};
}

MapScene MapView::scene() const {
  MapScene scene = sceneOf(*state_, moved_ ? *leader_ : *state_, pool_);
  scene.blocks = blocks_;
  scene.window = window();
  scene.hovered = state_->hovered();
  scene.moved = moved_;
  scene.title = title_.toStdString();
  scene.place = place_;
  scene.loading = isLoading();
  return scene;
}

double MapView::deviceRatio() const { return devicePixelRatioF(); }

void MapView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  MapScene shown = scene();
  if (corner_) shown.corner = corner_->width() + 8;
  if (!shown.run || !shown.run->problem.pools.contains(pool_)) {
    painter.fillRect(rect(), Theme::current().plot);
    painter.setPen(Theme::current().mutedText);
    painter.drawText(rect(), Qt::AlignCenter, tr("Open a model to see its memory here"));
    return;
  }
  refreshRaster();
  paintMap(painter, shown, whole(), raster_);
  drawCardEdge(*this, painter);
  if (!hasFocus()) return;
  painter.setPen(QPen(Theme::current().selection, 1));
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(plotArea().adjusted(-2, -2, 1, 1));
}

void MapView::refreshRaster() {
  if (isLoading()) return;
  const MapRequest wanted = mapRequest(scene(), whole(), FontRuler(font()), deviceRatio());
  if (wanted == raster_.request && !raster_.past.isNull()) return;
  if (blocks_->countNear(wanted.window) > atOnce_) {
    startWorker(wanted);
  } else {
    drawAtOnce(wanted);
  }
}

void MapView::drawAtOnce(const MapRequest& request) {
  drawing_.drop();
  QElapsedTimer timer;
  timer.start();
  rasterize(*blocks_, request, raster_);
  writeLabels(raster_, scene(), font());
  // The first picture takes longer because its memory is new: it says nothing about blocks.
  const double taken = static_cast<double>(timer.nsecsElapsed()) / 1e6;
  if (taken > kFrame && raster_.drawn > kLeastAtOnce) {
    atOnce_ = std::max(kLeastAtOnce, raster_.drawn * 3 / 4);
  } else if (taken < kFrame / 2 && raster_.drawn > atOnce_ / 2) {
    atOnce_ = std::min(kMostBlocksAtOnce, atOnce_ * 5 / 4);
  }
}

/// One job at a time: when it is done, `acceptRaster` repaints, and that asks again if by then
/// something else is wanted.
void MapView::startWorker(const MapRequest& request) {
  if (drawing_.isRunning()) return;
  const auto draw = [request, blocks = blocks_] {
    auto raster = std::make_shared<MapRaster>();
    rasterize(*blocks, request, *raster);
    raster->cover = {};  // Nobody draws into it again.
    return raster;
  };
  drawing_.start(false, draw, [this](const auto& raster) { acceptRaster(*raster); });
}

void MapView::acceptRaster(MapRaster& raster) {
  raster_ = std::move(raster);
  writeLabels(raster_, scene(), font());
  update();
}

MapScene MapView::pictureScene() const {
  MapScene shown = scene();
  shown.hovered = {};
  if (!isLoading()) return shown;
  shown.blocks = std::make_shared<const BlockStore>(
      BlockStore::ofPool(*shown.run, pool_, shown.unit(), state_->coloring()));
  shown.loading = false;
  return shown;
}

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
QString describe(const Run& run, const Block& block, const BlockStore& store) {
  const QString name = QString::fromStdString(blockName(run, block.stay)).toHtmlEscaped();
  return MapView::tr("<b>%1</b><br>%2<br>address %3, first and last byte<br>%4<br>%5")
      .arg(name, fullSizeText(block.bytes.length()), addressesText(block.bytes),
           viewText(spanText(block.span, store.unit())),
           viewText(store.coloring().name(block.kind)));
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

/// The thing that was described has moved away from under the pointer, which rests.
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
  QString text = describe(*state_->run(), blocks_->block(*block), *blocks_);
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
  if (event->type() == QEvent::LayoutRequest) placeCorner();
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
