#include <QVBoxLayout>

#include "app/gui/window/main_window.h"
#include "core/picture/plot.h"
#include "widgets/charts/chart_style.h"
#include "widgets/map/map_legend.h"

namespace hw {

namespace {

/// Of the first device's L2 and L3; other pools get a map when something lives in them.
constexpr std::size_t kFirstMaps = 2;
constexpr int kMapStretch = 4;

/// One more than the last pool that something lives in.
std::size_t poolsInUse(const Run* run) {
  if (!run) return 0;
  const std::vector<PoolId> used = usedPools(*run);
  return used.empty() ? 0 : used.back().index() + 1;
}

}  // namespace

void MainWindow::buildViews() {
  views_ = new QSplitter(Qt::Vertical, this);
  views_->setObjectName(QStringLiteral("views"));
  views_->setChildrenCollapsible(false);
  views_->setHandleWidth(5);
  chart_ = new PeakChart(&state_, PoolId(0), views_);
  views_->addWidget(chart_);
  views_->addWidget(new MapLegend(&state_, views_));
  lanes_ = new LanesView(&state_, views_);
  connect(lanes_, &LanesView::pointedAt, status_, &StatusLine::setPointer);
  lanes_->hide();
  views_->addWidget(lanes_);
  now_ = new MemoryNow(&state_, views_);
  now_->setReducedMotion(settings_->reducedMotion());
  views_->addWidget(now_);
  compareMaps_ = new CompareMaps(&state_, views_, this);
  connect(compareMaps_, &CompareMaps::pointedAt, status_, &StatusLine::setPointer);
  connect(compareMaps_, &CompareMaps::changed, this, &MainWindow::showMaps);
  compareMaps_->followLanes(lanes_);
  while (maps_.size() < kFirstMaps) addMap();
  buildCentre();
}

void MainWindow::buildCentre() {
  column_ = new QScrollArea(this);
  column_->setWidget(views_);
  column_->setWidgetResizable(true);
  column_->setFrameShape(QFrame::NoFrame);
  column_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  welcome_ = new WelcomePage(this);
  stack_ = new QStackedWidget(this);
  stack_->addWidget(welcome_);
  stack_->addWidget(column_);
  message_ = new MessageBar(this);
  auto* centre = new QWidget(this);
  auto* layout = new QVBoxLayout(centre);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(message_);
  layout->addWidget(stack_, 1);
  setCentralWidget(centre);
}

void MainWindow::setReducedMotion(bool reduced) {
  now_->setReducedMotion(reduced);
  setChartMotion(*this, !reduced);
}

/// Of the pool after those that have one, below theirs.
void MainWindow::addMap() {
  const std::size_t pool = maps_.size();
  auto* map = new MapView(&state_, PoolId(pool), views_);
  map->setObjectName(QStringLiteral("map%1").arg(pool));
  connect(map, &MapView::pointedAt, status_, &StatusLine::setPointer);
  const int place = views_->indexOf(lanes_);
  views_->insertWidget(place, map);
  maps_.push_back(map);
  compareMaps_->addMap(map);
  for (int index = place; index < views_->indexOf(lanes_); ++index) {
    views_->setStretchFactor(index, kMapStretch);
  }
  Q_EMIT mapAdded(map);
}

/// A map for every pool that something lives in, here or below; the first pool's always.
void MainWindow::showMaps() {
  const auto run = state_.run();
  std::size_t wanted = poolsInUse(run.get());
  for (const auto& below : compareMaps_->runs()) {
    wanted = std::max(wanted, poolsInUse(below.get()));
  }
  while (maps_.size() < wanted) addMap();
  for (std::size_t pool = 1; pool < maps_.size(); ++pool) {
    const bool known = run && run->metrics.pools.contains(PoolId(pool));
    maps_[pool]->setVisible(known && run->metrics.pools[PoolId(pool)].stays > 0);
  }
}

void MainWindow::showBelow(const std::shared_ptr<const Run>& run) {
  if (run) {
    compareMaps_->add(run);
  } else {
    compareMaps_->clear();
  }
}

}  // namespace hw
