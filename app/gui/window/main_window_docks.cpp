#include <QDockWidget>
#include <QMenuBar>
#include <QScreen>
#include <QSplitter>
#include <algorithm>

#include "app/gui/window/main_window.h"
#include "core/base/check.h"

namespace hw {

namespace {

/// In windows smaller than this the panels at the right share one place as tabs.
constexpr QSize kRoomy(1200, 840);
/// What a desktop may put around a window; nobody knows before it is shown.
constexpr QSize kFrame(8, 36);

}  // namespace

QAction* MainWindow::addCommand(QMenu* menu, const char* name, const QString& text,
                                const QList<QKeySequence>& keys, const std::function<void()>& act) {
  QAction* action = menu->addAction(text);
  action->setObjectName(QString::fromLatin1(name));
  action->setShortcuts(keys);
  if (act) connect(action, &QAction::triggered, this, act);
  addAction(action);
  commands_[action->objectName()] = action;
  return action;
}

QAction* MainWindow::command(const QString& name) const {
  const auto found = commands_.find(name);
  check(found != commands_.end(), "a command is asked for that nobody added");
  return found->second;
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

void MainWindow::complete(PanelLayout layout) {
  layout_ = std::move(layout);
  QMenu* file = menu(MenuKind::file);
  file->addSeparator();
  addCommand(file, "quit", tr("&Quit"), {QKeySequence(Qt::CTRL | Qt::Key_Q)}, [this] { close(); });
  for (QMenu* menu : menus_) menu->menuAction()->setVisible(!menu->isEmpty());
  updateActions();
  // As they were added, panels ask for more width than where they belong.
  defaultLayout();
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
  // One that floats would come back behind the window; raised once it is there.
  connect(
      dock, &QDockWidget::visibilityChanged, dock,
      [dock](bool visible) {
        if (visible && dock->isFloating()) dock->raise();
      },
      Qt::QueuedConnection);
  docks_.emplace_back(dock, tabOf);
  panels_->insertAction(transport_->toggleViewAction(), dock->toggleViewAction());
  return dock;
}

QDockWidget* MainWindow::dock(const QString& name) const {
  for (const auto& [dock, tabOf] : docks_) {
    if (dock->objectName() == name) return dock;
  }
  return nullptr;
}

QStringList MainWindow::dockNames() const {
  QStringList names;
  for (const auto& [dock, tabOf] : docks_) names.append(dock->objectName());
  return names;
}

QDockWidget* MainWindow::known(const char* name) const {
  auto* found = dock(QString::fromLatin1(name));
  check(found != nullptr, "the layout names a panel that nobody added");
  return found;
}

QDockWidget* MainWindow::bringBack(const char* name) {
  auto* dock = known(name);
  dock->setFloating(false);
  dock->show();
  return dock;
}

/// The right column takes the whole height: it holds most of the words. In a small window its
/// panels are tabs, and both columns leave the views half the width and more.
void MainWindow::defaultLayout() {
  const auto dock = [this](const char* name) { return bringBack(name); };
  const QSize wanted = size();
  setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
  setCorner(Qt::BottomLeftCorner, Qt::BottomDockWidgetArea);
  addDockWidget(Qt::LeftDockWidgetArea, dock(layout_.left));
  for (const char* name : layout_.right) addDockWidget(Qt::RightDockWidgetArea, dock(name));
  // One at a time: side by side they would ask for a very wide window, if only for a moment.
  for (const char* name : layout_.bottom) {
    addDockWidget(Qt::BottomDockWidgetArea, dock(name));
    if (name != layout_.bottom.front()) tabifyDockWidget(dock(layout_.bottom.front()), dock(name));
  }
  const bool roomy = wanted.width() >= kRoomy.width() && wanted.height() >= kRoomy.height();
  for (std::size_t i = 1; i < layout_.right.size(); ++i) {
    QDockWidget* const next = dock(layout_.right[i]);
    if (roomy) {
      splitDockWidget(dock(layout_.right[i - 1]), next, Qt::Vertical);
    } else {
      tabifyDockWidget(dock(layout_.right.front()), next);
    }
  }
  // Last: splitting takes a panel out of its tabs.
  for (const auto& [added, tabOf] : docks_) {
    if (!tabOf) continue;
    added->setFloating(false);
    added->show();
    addDockWidget(dockWidgetArea(added), added);
    tabifyDockWidget(dock(tabOf), added);
  }
  for (const char* name : layout_.raised) dock(name)->raise();
  if (!roomy) dock(layout_.raisedIfSmall)->raise();
  // On their way to their places panels may have asked for more room than they need there.
  layout()->activate();
  if (!isMaximized() && !isFullScreen()) resize(wanted);
  shareRoom(roomy);
  showMaps();
}

/// Among the panels as they stand by default.
void MainWindow::shareRoom(bool roomy) {
  const int left = std::clamp(width() * 16 / 100, 130, 275);
  const int right = std::clamp(width() * 23 / 100, 180, 315);
  resizeDocks({known(layout_.left), known(layout_.right.front())}, {left, right}, Qt::Horizontal);
  resizeDocks({known(layout_.bottom.front())}, {height() * (roomy ? 22 : 18) / 100}, Qt::Vertical);
  if (!roomy) return;
  QList<QDockWidget*> column;
  for (const char* name : layout_.right) column.append(known(name));
  QList<int> heights = layout_.heights;
  for (int& each : heights) each = height() * each / 100;
  resizeDocks(column, heights, Qt::Vertical);
}

void MainWindow::resetLayout() {
  settings_->forgetLayout();
  transport_->show();
  defaultLayout();
  compareMaps_->resetHeights();
  // What a panel holds side by side shares it as at first.
  for (const auto& [dock, tabOf] : docks_) {
    for (QSplitter* split : dock->findChildren<QSplitter*>()) {
      QList<int> sizes;
      for (int part = 0; part < split->count(); ++part) {
        sizes.append(1000 * std::max(1, split->widget(part)->sizePolicy().horizontalStretch()));
      }
      split->setSizes(sizes);
    }
  }
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

void MainWindow::resizeOnScreen(const QSize& size) {
  resize(size.boundedTo(screen()->availableSize() - kFrame));
}

void MainWindow::showEvent(QShowEvent* event) {
  QMainWindow::showEvent(event);
  if (laidOut_) return;
  laidOut_ = true;
  restoreLayout();
  setReducedMotion(now_->reducedMotion());  // Features have brought their charts.
}

}  // namespace hw
