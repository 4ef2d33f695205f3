#include "widgets/canvas/map_view.h"

#include <QPainter>
#include <QPromise>
#include <QThreadPool>

#include "widgets/canvas/map_svg.h"
#include "widgets/canvas/reference_lines.h"

namespace hw {

namespace {

/// Up to this many blocks are drawn at once, within a frame; more are drawn by a worker while the
/// old picture is stretched.
constexpr std::size_t kAtOnce = 150'000;
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
  connect(state, &ViewState::momentChanged, this, repaint);
  connect(state, &ViewState::selectionChanged, this, repaint);
  connect(state, &ViewState::hoverChanged, this, repaint);
  connect(state, &ViewState::visibleChanged, this, repaint);
  connect(&worker_, &QFutureWatcher<MapRaster>::finished, this, &MapView::acceptRaster);
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
  blocks_ =
      known ? std::make_shared<const BlockStore>(BlockStore::ofPool(*run, pool_)) : noBlocks();
  fullHeight_ = std::max(leastHeight_, known ? fullByteRange(*run, pool_) : 1);
  raster_ = {};
  walkedTo_.reset();
  findMoved();
  const QString held =
      moved_ ? tr("Memory map of %1, the lower of two plans") : tr("Memory map of %1");
  setAccessibleName(known ? held.arg(QString::fromStdString(run->problem.pools[pool_].name))
                          : tr("Memory map"));
  setVisibleBytes(0, fullHeight_);
  update();
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
  Q_EMIT visibleBytesChanged(lowByte_, highByte_);
}

void MapView::setLeastHeight(double bytes) {
  const auto run = state_->run();
  const bool known = run && run->problem.pools.contains(pool_);
  leastHeight_ = bytes;
  fullHeight_ = std::max(bytes, known ? fullByteRange(*run, pool_) : 1);
  setVisibleBytes(0, fullHeight_);
}

void MapView::setLeader(ViewState* leader) {
  if (leader_) leader_->disconnect(this);
  leader_ = leader;
  if (leader_) {
    connect(leader_, &ViewState::momentChanged, this, [this] { update(); });
    connect(leader_, &ViewState::runChanged, this, &MapView::findMoved);
  }
  findMoved();
}

/// Two models have nothing in common to hold against each other.
void MapView::findMoved() {
  const auto run = state_->run();
  const auto other = leader_ ? leader_->run() : nullptr;
  const bool comparable =
      run && other && run->model == other->model && run->problem.pools.contains(pool_);
  moved_ = comparable
               ? std::make_shared<const MovedBlocks>(movedBlocks(*run, pool_, *blocks_, *other))
               : nullptr;
  raster_ = {};
  update();
}

QRect MapView::plotArea() const { return PlotFrame::inside(rect(), fontMetrics()).plot; }

void MapView::fit() {
  setVisibleBytes(0, fullHeight_);
  state_->showAll();
}

MapScene MapView::scene() const {
  return {.run = state_->run(),
          .blocks = blocks_,
          .pool = pool_,
          .window = window(),
          .playhead = playheadStep(moved_ ? *leader_ : *state_),
          .step = state_->step(),
          .started = state_->moment() > 0 || state_->step() > Step(0),
          .selected = state_->selected(),
          .selectedOp = state_->selectedOp(),
          .hovered = state_->hovered(),
          .moved = moved_};
}

double MapView::deviceRatio() const { return devicePixelRatioF(); }

void MapView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const MapScene shown = scene();
  if (!shown.run || !shown.run->problem.pools.contains(pool_)) {
    painter.fillRect(rect(), Theme::current().plot);
    painter.setPen(Theme::current().mutedText);
    painter.drawText(rect(), Qt::AlignCenter, tr("Open a model to see its memory here"));
    return;
  }
  refreshRaster();
  MapPainter(shown, PlotFrame::inside(rect(), fontMetrics())).paint(painter, raster_);
  if (!hasFocus()) return;
  painter.setPen(QPen(Theme::current().selection, 1));
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(plotArea().adjusted(-2, -2, 1, 1));
}

void MapView::refreshRaster() {
  const MapScene shown = scene();
  const MapPainter painter(shown, PlotFrame::inside(rect(), fontMetrics()));
  const MapRequest wanted = painter.request(deviceRatio(), fontMetrics());
  if (wanted == raster_.request && !raster_.past.isNull()) return;
  if (blocks_->countNear(wanted.window) > kAtOnce && !raster_.past.isNull()) {
    startWorker(wanted);
    return;
  }
  rasterize(*blocks_, wanted, raster_);
  painter.writeLabels(raster_, font());
}

/// One job at a time: when it is done, `acceptRaster` repaints, and that asks again if by then
/// something else is wanted.
void MapView::startWorker(const MapRequest& request) {
  if (worker_.isRunning()) return;
  auto promise = std::make_shared<QPromise<MapRaster>>();
  worker_.setFuture(promise->future());
  promise->start();
  QThreadPool::globalInstance()->start([promise, request, blocks = blocks_] {
    promise->addResult(rasterize(*blocks, request));
    promise->finish();
  });
}

void MapView::acceptRaster() {
  const MapScene shown = scene();
  if (!shown.run || worker_.future().resultCount() == 0) return;
  raster_ = worker_.result();
  MapPainter(shown, PlotFrame::inside(rect(), fontMetrics())).writeLabels(raster_, font());
  update();
}

void MapView::renderTo(QPainter& painter, const QRect& target, double ratio) const {
  const MapScene shown = scene();
  if (!shown.run || !shown.run->problem.pools.contains(pool_)) return;
  const QFontMetrics metrics(painter.font(), painter.device());
  const MapPainter map(shown, PlotFrame::inside(target, metrics));
  MapRaster raster = rasterize(*blocks_, map.request(ratio, metrics));
  map.writeLabels(raster, painter.font());
  map.paint(painter, raster);
}

std::string MapView::toSvg(const QSize& size) const {
  const MapScene shown = scene();
  if (!shown.run || !shown.run->problem.pools.contains(pool_)) return {};
  return mapSvg(shown, Theme::current(), size);
}

}  // namespace hw
