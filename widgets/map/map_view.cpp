#include "widgets/map/map_view.h"

#include <QElapsedTimer>
#include <QPainter>

#include "core/graph/counterparts.h"
#include "widgets/base/theme.h"
#include "widgets/map/map_painter.h"
#include "widgets/plot/painter_canvas.h"
#include "widgets/plot/step_marker.h"
#include "widgets/plot/zoom.h"

namespace hw {

namespace {

/// Blocks that fit in a frame are drawn at once, more by a worker while the old picture is
/// stretched. How many that is depends on the machine: between these, it is found out by drawing.
constexpr std::size_t kLeastAtOnce = 10'000;
constexpr std::size_t kMostAtOnce = 150'000;
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
  const auto blocksOf = [run, known, pool = pool_, unit = state_->axis()] {
    return known ? std::make_shared<const BlockStore>(BlockStore::ofPool(*run, pool, unit))
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

void MapView::setTitle(const QString& title) {
  title_ = title;
  if (!title.isEmpty()) setAccessibleName(tr("Memory map, %1").arg(title));
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
  corner_->setGeometry(width() - kPlotRightMargin - size.width(), 1, size.width(), size.height());
}

QRect MapView::plotArea() const {
  return toRect(PlotFrame::inside(toBox(rect()), FontRuler(font())).plot);
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
  paintMap(painter, shown, rect(), raster_);
  if (!hasFocus()) return;
  painter.setPen(QPen(Theme::current().selection, 1));
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(plotArea().adjusted(-2, -2, 1, 1));
}

void MapView::refreshRaster() {
  if (isLoading()) return;
  const MapRequest wanted = mapRequest(scene(), rect(), FontRuler(font()), deviceRatio());
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
    atOnce_ = std::min(kMostAtOnce, atOnce_ * 5 / 4);
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
  shown.blocks =
      std::make_shared<const BlockStore>(BlockStore::ofPool(*shown.run, pool_, shown.unit()));
  shown.loading = false;
  return shown;
}

}  // namespace hw
