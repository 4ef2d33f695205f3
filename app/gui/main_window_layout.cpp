#include <QDockWidget>
#include <QMenu>
#include <QVBoxLayout>

#include "app/gui/main_window.h"
#include "core/run/samples.h"

namespace hw {

namespace {

/// Below this height the inspector and the run form share one place as tabs.
constexpr int kRoomyHeight = 860;

}  // namespace

void MainWindow::buildViews() {
  views_ = new QSplitter(Qt::Vertical, this);
  views_->setObjectName(QStringLiteral("views"));
  views_->setChildrenCollapsible(false);
  views_->setHandleWidth(5);
  chart_ = new PeakChart(&state_, PoolId(0), views_);
  views_->addWidget(chart_);
  for (std::size_t pool = 0; pool < 2; ++pool) {
    auto* map = new MapView(&state_, PoolId(pool), views_);
    map->setObjectName(QStringLiteral("map%1").arg(pool));
    connect(map, &MapView::pointedAt, status_, &StatusLine::setPointer);
    views_->addWidget(map);
    maps_.push_back(map);
  }
  belowMap_ = new MapView(&belowState_, PoolId(0), views_);
  belowMap_->setObjectName(QStringLiteral("mapBelow"));
  belowMap_->setLeader(&state_);
  belowMap_->hide();
  connect(belowMap_, &MapView::pointedAt, status_, &StatusLine::setPointer);
  views_->insertWidget(2, belowMap_);
  now_ = new MemoryNow(&state_, views_);
  now_->setReducedMotion(settings_->reducedMotion());
  views_->addWidget(now_);
  views_->setStretchFactor(1, 4);
  views_->setStretchFactor(2, 4);
  views_->setStretchFactor(3, 2);

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
  stack_->addWidget(views_);
  message_ = new MessageBar(this);
  auto* centre = new QWidget(this);
  auto* layout = new QVBoxLayout(centre);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(message_);
  layout->addWidget(stack_, 1);
  setCentralWidget(centre);
}

QDockWidget* MainWindow::addDock(const QString& name, const QString& title, QWidget* content,
                                 Qt::DockWidgetArea area) {
  auto* dock = new QDockWidget(title, this);
  dock->setObjectName(name);
  dock->setWidget(content);
  addDockWidget(area, dock);
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
  addDockWidget(Qt::BottomDockWidgetArea, dock("moment"));
  addDockWidget(Qt::BottomDockWidgetArea, dock("method"));
  addDockWidget(Qt::BottomDockWidgetArea, dock("compare"));
  addDockWidget(Qt::BottomDockWidgetArea, dock("problems"));
  tabifyDockWidget(dock("events"), dock("moment"));
  tabifyDockWidget(dock("moment"), dock("method"));
  tabifyDockWidget(dock("method"), dock("compare"));
  tabifyDockWidget(dock("compare"), dock("problems"));
  dock("events")->raise();
  const bool roomy = height() >= kRoomyHeight;
  if (roomy) {
    splitDockWidget(dock("inspector"), dock("run"), Qt::Vertical);
    splitDockWidget(dock("run"), dock("metrics"), Qt::Vertical);
  } else {
    splitDockWidget(dock("inspector"), dock("metrics"), Qt::Vertical);
    tabifyDockWidget(dock("inspector"), dock("run"));
    dock("run")->raise();
  }
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

/// A map for every pool that something lives in; the first pool's always.
void MainWindow::showMaps() {
  const auto run = state_.run();
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
