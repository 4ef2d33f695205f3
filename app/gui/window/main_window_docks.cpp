#include <QDockWidget>
#include <QMenuBar>
#include <algorithm>

#include "app/gui/window/main_window.h"

namespace hw {

namespace {

/// Below this height the inspector and the run form share one place as tabs.
constexpr int kRoomyHeight = 860;

}  // namespace

QAction* MainWindow::addCommand(QMenu* menu, const char* name, const QString& text,
                                const QList<QKeySequence>& keys, const std::function<void()>& act) {
  QAction* action = menu->addAction(text);
  action->setObjectName(QString::fromLatin1(name));
  action->setShortcuts(keys);
  if (act) connect(action, &QAction::triggered, this, act);
  addAction(action);
  return action;
}

QAction* MainWindow::addRunCommand(QMenu* menu, const char* name, const QString& text,
                                   const QList<QKeySequence>& keys,
                                   const std::function<void()>& act) {
  needRun_.append(addCommand(menu, name, text, keys, act));
  return needRun_.back();
}

void MainWindow::updateActions() {
  const bool any = state_.run() != nullptr;
  for (QAction* action : std::as_const(needRun_)) {
    action->setEnabled(any);
    action->setToolTip(any ? QString() : tr("Open a model first"));
  }
}

void MainWindow::buildMenuBar() {
  const QString titles[] = {tr("&File"),    tr("&Edit"),   tr("&View"), tr("&Simulate"),
                            tr("&Compare"), tr("&Report"), tr("&Help")};
  for (std::size_t i = 0; i < menus_.size(); ++i) {
    menus_[i] = menuBar()->addMenu(titles[i]);
    menus_[i]->setToolTipsVisible(true);
  }
  panels_ = new QMenu(tr("&Panels"), this);
}

void MainWindow::finishMenus() {
  for (QMenu* menu : menus_) menu->menuAction()->setVisible(!menu->isEmpty());
  updateActions();
}

QDockWidget* MainWindow::addDock(const char* name, const QString& title, QWidget* content,
                                 Qt::DockWidgetArea area, const char* tabOf) {
  auto* dock = new QDockWidget(title, this);
  dock->setObjectName(QString::fromLatin1(name));
  dock->setWidget(content);
  addDockWidget(area, dock);
  // Side by side, all panels together would ask for more room than a screen has, if only until the
  // layout is made.
  for (const auto& [other, first] : docks_) {
    if (dockWidgetArea(other) != area) continue;
    tabifyDockWidget(other, dock);
    break;
  }
  docks_.emplace_back(dock, tabOf);
  panels_->insertAction(transport_->toggleViewAction(), dock->toggleViewAction());
  return dock;
}

QDockWidget* MainWindow::bringBack(const char* name) {
  auto* dock = findChild<QDockWidget*>(QString::fromLatin1(name));
  dock->setFloating(false);
  dock->show();
  return dock;
}

/// The right column takes the whole height: it holds most of the words.
void MainWindow::defaultLayout() {
  const auto dock = [this](const char* name) { return bringBack(name); };
  setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
  setCorner(Qt::BottomLeftCorner, Qt::BottomDockWidgetArea);
  addDockWidget(Qt::LeftDockWidgetArea, dock("schedule"));
  for (const char* name : {"inspector", "run", "metrics"}) {
    addDockWidget(Qt::RightDockWidgetArea, dock(name));
  }
  addDockWidget(Qt::BottomDockWidgetArea, dock("events"));
  // One at a time: side by side they would ask for a very wide window, if only for a moment.
  for (const char* name : {"moment", "method", "compare", "problems"}) {
    addDockWidget(Qt::BottomDockWidgetArea, dock(name));
    tabifyDockWidget(dock("events"), dock(name));
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
  for (const auto& [added, tabOf] : docks_) {
    if (!tabOf) continue;
    added->setFloating(false);
    added->show();
    addDockWidget(dockWidgetArea(added), added);
    tabifyDockWidget(dock(tabOf), added);
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
  setReducedMotion(now_->reducedMotion());  // Features have brought their charts.
}

}  // namespace hw
