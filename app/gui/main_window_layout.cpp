#include <QDockWidget>
#include <QMenu>
#include <QVBoxLayout>

#include "app/gui/main_window.h"
#include "core/run/samples.h"
#include "widgets/canvas/reference_lines.h"

namespace hw {

namespace {

/// Below this height the inspector and the run form share one place as tabs.
constexpr int kRoomyHeight = 860;

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
  lanes_ = new LanesView(&state_, views_);
  connect(lanes_, &LanesView::pointedAt, status_, &StatusLine::setPointer);
  lanes_->hide();
  views_->addWidget(lanes_);
  now_ = new MemoryNow(&state_, views_);
  now_->setReducedMotion(settings_->reducedMotion());
  views_->addWidget(now_);
  compareMaps_ = new CompareMaps(&state_, views_, this);
  connect(compareMaps_, &CompareMaps::pointedAt, status_, &StatusLine::setPointer);
  while (maps_.size() < kFirstMaps) addMap();
  column_ = new QScrollArea(this);
  column_->setWidget(views_);
  column_->setWidgetResizable(true);
  column_->setFrameShape(QFrame::NoFrame);
  column_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);

  welcome_ = new WelcomePage(this);
  std::vector<WelcomePage::Sample> samples;
  for (const SampleInfo& sample : sampleCatalog()) {
    samples.push_back(
        {QString::fromStdString(sample.name), QString::fromStdString(sample.summary)});
  }
  welcome_->setSamples(std::move(samples));
  connect(welcome_, &WelcomePage::openWanted, this, &MainWindow::chooseFile);
  connect(welcome_, &WelcomePage::modelChosen, this, &MainWindow::openModel);

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

QDockWidget* MainWindow::addDock(const QString& name, const QString& title, QWidget* content,
                                 Qt::DockWidgetArea area, const QString& tabOf) {
  auto* dock = new QDockWidget(title, this);
  dock->setObjectName(name);
  dock->setWidget(content);
  QDockWidget* neighbour = nullptr;
  for (auto* other : findChildren<QDockWidget*>()) {
    if (other != dock && dockWidgetArea(other) == area) neighbour = other;
  }
  addDockWidget(area, dock);
  // Side by side they would ask for more room than a screen has before the layout is made.
  if (neighbour) tabifyDockWidget(neighbour, dock);
  if (panels_) {  // The menus exist: a feature adds this.
    panels_->insertAction(transport_->toggleViewAction(), dock->toggleViewAction());
    featureDocks_.emplace_back(dock, tabOf);
    // Side by side, all panels together would be wider than the window.
    if (auto* first = findChild<QDockWidget*>(tabOf)) tabifyDockWidget(first, dock);
  }
  return dock;
}

void MainWindow::buildDocks() {
  schedule_ = new SchedulePanel(&state_, this);
  inspector_ = new Inspector(&state_, this);
  runForm_ = new RunForm(this);
  metrics_ = new MetricsPanel(&state_, this);
  events_ = new EventPanel(&state_, this);
  problems_ = new ProblemsPanel(&state_, this);
  moment_ = new MomentPanel(&state_, this);
  method_ = new MethodPanel(&state_, this);
  addDock(QStringLiteral("schedule"), tr("Schedule"), schedule_, Qt::LeftDockWidgetArea);
  addDock(QStringLiteral("inspector"), tr("Inspector"), inspector_, Qt::RightDockWidgetArea);
  addDock(QStringLiteral("run"), tr("Run"), runForm_, Qt::RightDockWidgetArea);
  addDock(QStringLiteral("metrics"), tr("Metrics"), metrics_, Qt::RightDockWidgetArea);
  addDock(QStringLiteral("events"), tr("Event log"), events_, Qt::BottomDockWidgetArea);
  addDock(QStringLiteral("moment"), tr("Peak"), moment_, Qt::BottomDockWidgetArea);
  addDock(QStringLiteral("method"), tr("Method"), method_, Qt::BottomDockWidgetArea);
  compare_ = new ComparePanel(&state_, this);
  addDock(QStringLiteral("compare"), tr("Compare"), compare_, Qt::BottomDockWidgetArea);
  connectCompare();
  auto* problems =
      addDock(QStringLiteral("problems"), tr("Problems"), problems_, Qt::BottomDockWidgetArea);
  connect(problems_, &ProblemsPanel::countChanged, this, [this, problems] {
    const int count = problems_->seriousCount();
    problems->setWindowTitle(count == 0 ? tr("Problems") : tr("Problems (%1)").arg(count));
  });
  connect(&state_, &ViewState::selectionChanged, this, &MainWindow::raiseInspector);
  // Side by side, before the default layout is made, they would ask for a very wide window.
  for (const char* name : {"moment", "method", "compare", "problems"}) {
    tabifyDockWidget(findChild<QDockWidget*>(QStringLiteral("events")),
                     findChild<QDockWidget*>(QString::fromLatin1(name)));
  }
}

/// The right column takes the whole height: it holds most of the words.
void MainWindow::defaultLayout() {
  const auto dock = [this](const char* name) {
    auto* found = findChild<QDockWidget*>(QString::fromLatin1(name));
    found->setFloating(false);
    found->show();
    return found;
  };
  setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
  setCorner(Qt::BottomLeftCorner, Qt::BottomDockWidgetArea);
  addDockWidget(Qt::LeftDockWidgetArea, dock("schedule"));
  addDockWidget(Qt::RightDockWidgetArea, dock("inspector"));
  addDockWidget(Qt::RightDockWidgetArea, dock("run"));
  addDockWidget(Qt::RightDockWidgetArea, dock("metrics"));
  addDockWidget(Qt::BottomDockWidgetArea, dock("events"));
  // One at a time: side by side they would ask for a very wide window, if only for a moment.
  const char* before = "events";
  for (const char* name : {"moment", "method", "compare", "problems"}) {
    addDockWidget(Qt::BottomDockWidgetArea, dock(name));
    tabifyDockWidget(dock(before), dock(name));
    before = name;
  }
  const bool roomy = height() >= kRoomyHeight;
  if (roomy) {
    splitDockWidget(dock("inspector"), dock("run"), Qt::Vertical);
    splitDockWidget(dock("run"), dock("metrics"), Qt::Vertical);
  } else {
    splitDockWidget(dock("inspector"), dock("metrics"), Qt::Vertical);
    tabifyDockWidget(dock("inspector"), dock("run"));
  }
  // Last: splitting takes a panel out of its tabs.
  for (const auto& [added, tabOf] : featureDocks_) {
    added->setFloating(false);
    added->show();
    addDockWidget(dockWidgetArea(added), added);
    if (auto* first = findChild<QDockWidget*>(tabOf)) tabifyDockWidget(first, added);
  }
  for (const char* name : {"events", "schedule", "metrics"}) dock(name)->raise();
  if (!roomy) dock("run")->raise();
  const bool narrow = width() < 1400;
  resizeDocks({dock("schedule"), dock("inspector")}, {narrow ? 220 : 275, narrow ? 280 : 315},
              Qt::Horizontal);
  resizeDocks({dock("events")}, {height() * (roomy ? 22 : 18) / 100}, Qt::Vertical);
  if (roomy) {
    resizeDocks({dock("inspector"), dock("run"), dock("metrics")},
                {height() * 30 / 100, height() * 33 / 100, height() * 33 / 100}, Qt::Vertical);
  } else {
    resizeDocks({dock("inspector"), dock("metrics")}, {height() * 54 / 100, height() * 36 / 100},
                Qt::Vertical);
  }
  showMaps();
}

void MainWindow::resetLayout() {
  settings_->forgetLayout();
  defaultLayout();
}

void MainWindow::restoreLayout() {
  const QByteArray docks = settings_->layout(QStringLiteral("docks"));
  defaultLayout();
  if (docks.isEmpty()) return;
  restoreGeometry(settings_->layout(QStringLiteral("geometry")));
  restoreState(docks, Settings::kLayoutVersion);
  views_->restoreState(settings_->layout(QStringLiteral("views")));
}

void MainWindow::saveLayout() {
  settings_->setLayout(QStringLiteral("geometry"), saveGeometry());
  settings_->setLayout(QStringLiteral("docks"), saveState(Settings::kLayoutVersion));
  settings_->setLayout(QStringLiteral("views"), views_->saveState());
}

void MainWindow::showEvent(QShowEvent* event) {
  QMainWindow::showEvent(event);
  if (laidOut_) return;
  laidOut_ = true;
  restoreLayout();
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

void MainWindow::raiseInspector() {
  if (!state_.selected()) return;
  auto* dock = findChild<QDockWidget*>(QStringLiteral("inspector"));
  if (!tabifiedDockWidgets(dock).isEmpty()) dock->raise();
}

}  // namespace hw
