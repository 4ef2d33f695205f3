#include <QApplication>
#include <QDockWidget>
#include <QMenu>
#include <QMenuBar>

#include "app/gui/main_window.h"
#include "core/run/samples.h"

namespace hw {

QAction* MainWindow::addCommand(QMenu* menu, const QString& name, const QString& text,
                                const QList<QKeySequence>& keys, const std::function<void()>& act) {
  QAction* action = menu->addAction(text);
  action->setObjectName(name);
  action->setShortcuts(keys);
  if (act) connect(action, &QAction::triggered, this, act);
  addAction(action);
  return action;
}

QAction* MainWindow::needsRun(QAction* action) {
  needRun_.append(action);
  return action;
}

void MainWindow::buildMenuBar() {
  const QString titles[] = {tr("&File"),    tr("&Edit"),   tr("&View"), tr("&Simulate"),
                            tr("&Compare"), tr("&Report"), tr("&Help")};
  for (std::size_t i = 0; i < menus_.size(); ++i) {
    menus_[i] = menuBar()->addMenu(titles[i]);
    menus_[i]->setToolTipsVisible(true);
  }
}

void MainWindow::buildMenus() {
  buildFileMenu();
  buildViewMenu();
  buildRunMenu();
  buildCompareMenu();
  buildHelpMenu();
}

void MainWindow::buildFileMenu() {
  QMenu* menu = this->menu(MenuKind::file);
  addCommand(menu, QStringLiteral("open"), tr("&Open\u2026"), {QKeySequence::Open}, [this] {
    chooseFile();
  })->setIcon(glyphIcon(Glyph::open));
  QMenu* samples = menu->addMenu(tr("Open &sample"));
  samples->setToolTipsVisible(true);
  for (const SampleInfo& sample : sampleCatalog()) {
    const QString name = QString::fromStdString(sample.name);
    QAction* action = samples->addAction(name);
    action->setToolTip(QString::fromStdString(sample.summary));
    connect(action, &QAction::triggered, this,
            [this, name] { openModel(QStringLiteral("samples:") + name); });
  }
  samples->setEnabled(!samples->isEmpty());
  recent_ = menu->addMenu(tr("Open &recent"));
  fillRecentMenu();
  menu->addSeparator();
  needsRun(addCommand(menu, QStringLiteral("dimensions"), tr("Free &dimensions\u2026"), {},
                      [this] { chooseDimensions(); }));
  menu->addSeparator();
  addCommand(menu, QStringLiteral("quit"), tr("&Quit"), {QKeySequence(Qt::CTRL | Qt::Key_Q)},
             [this] { close(); });
}

void MainWindow::fillRecentMenu() {
  const QStringList names = settings_->recentModels();
  welcome_->setRecent(names);
  if (!recent_) return;
  recent_->clear();
  for (const QString& name : names) {
    connect(recent_->addAction(name), &QAction::triggered, this, [this, name] { openModel(name); });
  }
  recent_->setEnabled(!names.isEmpty());
  if (names.isEmpty()) return;
  recent_->addSeparator();
  connect(recent_->addAction(tr("Forget these")), &QAction::triggered, this, [this] {
    settings_->clearRecentModels();
    fillRecentMenu();
  });
}

void MainWindow::buildViewMenu() {
  QMenu* menu = this->menu(MenuKind::view);
  needsRun(addCommand(menu, QStringLiteral("focus"), tr("&Focus selection, then fit"), {Qt::Key_F},
                      [this] { focusThenFit(); }))
      ->setIcon(glyphIcon(Glyph::zoomIn));
  needsRun(addCommand(menu, QStringLiteral("zoomToSelection"), tr("&Zoom to selection"),
                      {Qt::Key_Z}, [this] {
                        for (MapView* map : maps_) map->zoomToSelection();
                      }));
  needsRun(addCommand(menu, QStringLiteral("fit"), tr("Fit &all"), {Qt::Key_0}, [this] {
    for (MapView* map : maps_) map->fit();
  }))->setIcon(glyphIcon(Glyph::fit));
  needsRun(addCommand(menu, QStringLiteral("clearSelection"), tr("&Clear selection"),
                      {Qt::Key_Escape}, [this] { clearSelection(); }));
  menu->addSeparator();
  buildThemeMenu(menu);
  QAction* still = addCommand(menu, QStringLiteral("reducedMotion"), tr("&Reduced motion"), {}, {});
  still->setCheckable(true);
  still->setChecked(settings_->reducedMotion());
  still->setToolTip(tr("Changes of memory are shown at once, without movement"));
  connect(still, &QAction::toggled, this, [this](bool on) {
    settings_->setReducedMotion(on);
    setReducedMotion(on);
  });
  menu->addSeparator();
  panels_ = menu->addMenu(tr("&Panels"));
  for (auto* dock : findChildren<QDockWidget*>()) panels_->addAction(dock->toggleViewAction());
  panels_->addAction(transport_->toggleViewAction());
  addCommand(menu, QStringLiteral("resetLayout"), tr("Reset &layout"), {},
             [this] { resetLayout(); });
}

void MainWindow::buildThemeMenu(QMenu* view) {
  QMenu* menu = view->addMenu(tr("&Theme"));
  themes_ = new QActionGroup(this);
  const std::pair<const char*, std::pair<QString, ThemeChoice>> choices[] = {
      {"themeSystem", {tr("Like the &desktop"), ThemeChoice::system}},
      {"themeLight", {tr("&Light"), ThemeChoice::light}},
      {"themeDark", {tr("&Dark"), ThemeChoice::dark}}};
  for (const auto& [name, what] : choices) {
    QAction* action =
        addCommand(menu, QString::fromLatin1(name), what.first, {}, [this, choice = what.second] {
          settings_->setTheme(choice);
          applyTheme(choice);
        });
    action->setCheckable(true);
    action->setChecked(settings_->theme() == what.second);
    themes_->addAction(action);
  }
}

void MainWindow::buildRunMenu() {
  QMenu* menu = this->menu(MenuKind::simulate);
  for (QAction* move : transport_->moves()) menu->addAction(move);
  const auto jump = [this, menu](const char* name, const QString& text, int key, int ops) {
    needsRun(addCommand(menu, QString::fromLatin1(name), text, {QKeySequence(Qt::CTRL | key)},
                        [this, ops] { player_.stepOps(ops); }));
  };
  jump("opsBack", tr("Back 10 ops"), Qt::Key_Left, -10);
  jump("opsForward", tr("Forward 10 ops"), Qt::Key_Right, 10);
  menu->addSeparator();
  needsRun(addCommand(menu, QStringLiteral("planAgain"), tr("Plan &again"),
                      {QKeySequence(Qt::CTRL | Qt::Key_R)}, [this] { planAgain(); }))
      ->setIcon(glyphIcon(Glyph::refresh));
  QAction* cancel =
      addCommand(menu, QStringLiteral("cancelPlanning"), tr("&Cancel planning"),
                 {QKeySequence(Qt::SHIFT | Qt::Key_Escape)}, [this] { job_.cancel(); });
  cancel->setIcon(glyphIcon(Glyph::cancel));
  const auto enable = [this, cancel] {
    cancel->setEnabled(job_.isRunning());
    cancel->setToolTip(job_.isRunning() ? tr("Keeps what is on show") : tr("Nothing is running"));
  };
  enable();
  connect(&job_, &PlanJob::started, cancel, enable);
  connect(&job_, &PlanJob::finished, cancel, enable);
  connect(&job_, &PlanJob::cancelled, cancel, enable);
}

void MainWindow::buildHelpMenu() {
  QMenu* menu = this->menu(MenuKind::help);
  addCommand(menu, QStringLiteral("shortcuts"), tr("&Shortcuts"),
             {QKeySequence(Qt::Key_Question), QKeySequence(Qt::Key_F1)},
             [this] { showShortcuts(); });
  addCommand(menu, QStringLiteral("about"), tr("&About Highwater"), {}, [this] { showAbout(); });
}

void MainWindow::updateActions() {
  const bool any = state_.run() != nullptr;
  for (QAction* action : std::as_const(needRun_)) {
    action->setEnabled(any);
    action->setToolTip(any ? QString() : tr("Open a model first"));
  }
}

}  // namespace hw
