#include "app/gui/features/desk/perspectives.h"

#include <QDockWidget>
#include <QInputDialog>
#include <QUrl>

#include "app/gui/window/main_window.h"

namespace hw {

namespace {

QString keyOf(const QString& name, const char* part) {
  // A slash would begin a group in the settings file.
  const QByteArray safe = QUrl::toPercentEncoding(name);
  return QStringLiteral("perspectives/v%1/%2/%3")
      .arg(Settings::kLayoutVersion)
      .arg(QString::fromLatin1(safe), QLatin1String(part));
}

}  // namespace

QList<Perspectives::BuiltIn> Perspectives::builtIn() {
  const auto names = [](std::initializer_list<const char*> list) {
    QStringList texts;
    for (const char* name : list) texts.append(QString::fromLatin1(name));
    return texts;
  };
  return {{.name = "perspectivePlan",
           .title = tr("&Plan"),
           .toolTip = tr("Settings, figures and what would shrink it around the map"),
           .docks = names({"inspector", "run", "metrics", "moment", "shrink", "problems", "history",
                           "schedule"}),
           .raised = names({"moment", "schedule", "run"})},
          {.name = "perspectiveCompare",
           .title = tr("&Compare"),
           .toolTip = tr("The comparison below two maps in lock-step"),
           .docks = names({"compare", "metrics", "inspector", "run"}),
           .raised = names({"compare"})},
          {.name = "perspectiveStep",
           .title = tr("&Step through"),
           .toolTip = tr("Operators, events and the inspector around the map"),
           .docks = names({"schedule", "events", "inspector", "moment", "method"}),
           .raised = names({"schedule", "events", "inspector"})},
          {.name = "perspectiveReport",
           .title = tr("&Report"),
           .toolTip = tr("Chart and map alone, with the figures"),
           .docks = names({"metrics"}),
           .raised = names({"metrics"})}};
}

Perspectives::Perspectives(MainWindow* window) : QObject(window), window_(window) {
  setObjectName(QStringLiteral("perspectives"));
  QMenu* view = window->menu(MenuKind::view);
  menu_ = new QMenu(tr("P&erspectives"), view);
  menu_->setObjectName(QStringLiteral("perspectivesMenu"));
  menu_->setToolTipsVisible(true);
  QAction* reset = window->command(QStringLiteral("resetLayout"));
  view->insertMenu(reset, menu_);
  int number = 0;
  for (const BuiltIn& each : builtIn()) {
    const QKeySequence key(QKeyCombination(Qt::CTRL, static_cast<Qt::Key>(Qt::Key_1 + number++)));
    window->addCommand(menu_, each.name, each.title, {key}, [this, each] { show(each); })
        ->setToolTip(each.toolTip);
  }
  menu_->addSeparator();
  window->addCommand(menu_, "savePerspective", tr("Save &as\u2026"), {}, [this] { askAndSave(); })
      ->setToolTip(tr("Keeps the panels as they are now under a name"));
  window->addCommand(menu_, "deletePerspective", tr("&Delete\u2026"), {},
                     [this] { askAndRemove(); });
  fillMenu();
}

QStringList Perspectives::own() const {
  QStringList names;
  const QString group = QStringLiteral("perspectives/v%1").arg(Settings::kLayoutVersion);
  for (const QString& key : window_->settings()->keysOf(group)) {
    names.append(QUrl::fromPercentEncoding(key.toLatin1()));
  }
  return names;
}

void Perspectives::fillMenu() {
  qDeleteAll(ownEntries_);
  ownEntries_.clear();
  const QStringList names = own();
  QAction* before = window_->command(QStringLiteral("savePerspective"));
  for (const QString& name : names) {
    QString text = name;
    auto* action = new QAction(text.replace(QLatin1Char('&'), QLatin1String("&&")), menu_);
    connect(action, &QAction::triggered, this, [this, name] { show(name); });
    menu_->insertAction(before, action);
    ownEntries_.append(action);
  }
  if (!names.isEmpty()) ownEntries_.append(menu_->insertSeparator(before));
  QAction* remove = window_->command(QStringLiteral("deletePerspective"));
  remove->setEnabled(!names.isEmpty());
  remove->setToolTip(names.isEmpty() ? tr("There is none of your own yet") : QString());
}

void Perspectives::show(const BuiltIn& perspective) {
  window_->resetLayout();
  for (const QString& name : window_->dockNames()) {
    window_->dock(name)->setVisible(perspective.docks.contains(name));
  }
  for (const QString& name : perspective.raised) {
    if (auto* dock = window_->dock(name)) dock->raise();
  }
}

void Perspectives::save(const QString& name) {
  window_->settings()->setValue(keyOf(name, "docks"), window_->saveState(Settings::kLayoutVersion));
  window_->settings()->setValue(keyOf(name, "views"), window_->views()->saveState());
  fillMenu();
}

bool Perspectives::show(const QString& name) {
  const QByteArray docks = window_->settings()->value(keyOf(name, "docks"), {}).toByteArray();
  if (docks.isEmpty() || !window_->restoreState(docks, Settings::kLayoutVersion)) return false;
  window_->views()->restoreState(
      window_->settings()->value(keyOf(name, "views"), {}).toByteArray());
  return true;
}

void Perspectives::remove(const QString& name) {
  for (const char* part : {"docks", "views"}) window_->settings()->setValue(keyOf(name, part), {});
  fillMenu();
}

void Perspectives::askAndSave() {
  bool accepted = false;
  const QString name = QInputDialog::getText(window_, tr("Save the perspective"),
                                             tr("Name (an old one of that name is replaced):"),
                                             QLineEdit::Normal, {}, &accepted)
                           .trimmed();
  if (accepted && !name.isEmpty()) save(name);
}

void Perspectives::askAndRemove() {
  bool accepted = false;
  const QString name = QInputDialog::getItem(window_, tr("Delete a perspective"), tr("Which:"),
                                             own(), 0, false, &accepted);
  if (accepted) remove(name);
}

}  // namespace hw
