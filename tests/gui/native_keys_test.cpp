// Keys that belong to a window as a whole: letters with Alt, and the way through the maps.
#include <QGroupBox>
#include <QLabel>
#include <QMenuBar>
#include <QTabWidget>

#include "app/gui/features/desk/key_bindings.h"
#include "app/gui/features/desk/preferences.h"
#include "app/gui/features/desk/settings_dialog.h"
#include "app/gui/features/moving/transport_feature.h"
#include "app/gui/features/scenario/file_watch.h"
#include "tests/gui/native_support.h"

using namespace hw;
using namespace hw::test;

namespace {

/// The letter with Alt of each text is nobody else's.
class Letters {
 public:
  void take(const QString& text) {
    const QKeySequence key = QKeySequence::mnemonic(text);
    if (key.isEmpty()) return;
    INFO(key.toString().toStdString()
         << ": " << owners_.value(key).toStdString() << " and " << text.toStdString());
    CHECK_FALSE(owners_.contains(key));
    owners_[key] = text;
  }
  void takeAll(const QList<QAction*>& actions) {
    for (const QAction* action : actions) take(action->text());
  }
  /// Of every widget in `owner` that can be seen together with the others, if need be in a panel
  /// that is behind another now.
  void takeAll(const QWidget& owner, bool panels) {
    for (const QWidget* widget : owner.findChildren<QWidget*>()) {
      if (widget->window() != &owner || (!panels && !widget->isVisibleTo(&owner))) continue;
      const auto* label = qobject_cast<const QLabel*>(widget);
      if (label && label->buddy()) take(label->text());
      if (const auto* button = qobject_cast<const QAbstractButton*>(widget)) take(button->text());
      if (const auto* group = qobject_cast<const QGroupBox*>(widget)) take(group->title());
      if (const auto* tabs = qobject_cast<const QTabBar*>(widget)) {
        for (int i = 0; i < tabs->count(); ++i) take(tabs->tabText(i));
      }
    }
  }

 private:
  QHash<QKeySequence, QString> owners_;
};

struct Opened {
  Opened() {
    window.resize(1500, 1000);
    window.show();
    window.activateWindow();
    REQUIRE(QTest::qWaitForWindowActive(&window));
    openAndWait(window, QStringLiteral("samples:resnet8"));
  }
  Settings settings{};
  Studio window{&settings};
};

}  // namespace

TEST_CASE("no letter with Alt is two things', in the window and in every menu", "[native]") {
  Opened studio;
  Letters inWindow;
  inWindow.takeAll(studio.window.menuBar()->actions());
  inWindow.takeAll(studio.window, true);
  for (QMenu* menu : studio.window.findChildren<QMenu*>()) {
    Q_EMIT menu->aboutToShow();
    INFO("menu " << menu->title().toStdString() << ' ' << menu->objectName().toStdString());
    Letters inMenu;
    inMenu.takeAll(menu->actions());
  }
}

TEST_CASE("no letter with Alt is two things' in a dialog", "[native]") {
  Opened studio;
  SettingsDialog settings(studio.window.findChild<Preferences*>(),
                          studio.window.findChild<KeyBindings*>(),
                          studio.window.findChild<FileWatch*>(), &studio.window);
  auto* tabs = settings.findChild<QTabWidget*>();
  REQUIRE(tabs);
  for (int page = 0; page < tabs->count(); ++page) {
    tabs->setCurrentIndex(page);
    INFO("page " << tabs->tabText(page).toStdString());
    Letters().takeAll(settings, false);
  }
  action(studio.window, "runUntil")->trigger();
  auto* until = studio.window.findChild<QDialog*>(QStringLiteral("untilDialog"));
  REQUIRE(until);
  auto* kinds = until->findChild<QComboBox*>();
  for (int kind = 0; kind < kinds->count(); ++kind) {
    kinds->setCurrentIndex(kind);
    INFO("kind " << kind);
    Letters().takeAll(*until, false);
  }
}

TEST_CASE("Alt with a letter opens its menu, F10 the first one", "[native]") {
  Opened studio;
  const std::tuple<int, Qt::KeyboardModifiers, MenuKind> ways[] = {
      {Qt::Key_F, Qt::AltModifier, MenuKind::file},
      {Qt::Key_C, Qt::AltModifier, MenuKind::compare},
      {Qt::Key_F10, Qt::NoModifier, MenuKind::file}};
  for (const auto& [key, modifiers, kind] : ways) {
    CAPTURE(key);
    QTest::keyClick(studio.window.maps().front(), static_cast<Qt::Key>(key), modifiers);
    QTest::qWait(10);
    CHECK(QApplication::activePopupWidget() == studio.window.menu(kind));
    if (QWidget* popup = QApplication::activePopupWidget()) popup->close();
  }
}

TEST_CASE("a map lets Tab through, and its arrows walk blocks instead of operators", "[native]") {
  Opened studio;
  MapView* map = studio.window.maps().front();
  map->setFocus();
  const Step before = studio.window.state()->step();
  QTest::keyClick(map, Qt::Key_Right);
  const StayId first = studio.window.state()->selected();
  QTest::keyClick(map, Qt::Key_Right);
  CHECK(first);
  CHECK(studio.window.state()->selected() != first);
  CHECK(studio.window.state()->step() == before);
  QTest::keyClick(map, Qt::Key_Left);
  CHECK(studio.window.state()->selected() == first);
  QTest::keyClick(map, Qt::Key_Tab);
  CHECK(QApplication::focusWidget() != map);
  CHECK(studio.window.state()->selected() == first);
}
