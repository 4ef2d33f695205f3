// Settings, keys, the sheet of shortcuts, the about box.
#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QPlainTextEdit>
#include <QSpinBox>
#include <QTableWidget>

#include "app/gui/features/desk/about_dialog.h"
#include "app/gui/features/desk/key_bindings.h"
#include "app/gui/features/desk/keys_page.h"
#include "app/gui/features/desk/preferences.h"
#include "app/gui/features/desk/settings_dialog.h"
#include "app/gui/features/desk/shortcut_sheet.h"
#include "app/gui/features/scenario/file_watch.h"
#include "app/gui/features/scenario/session.h"
#include "tests/gui/native_support.h"
#include "tests/widgets/patience.h"
#include "widgets/base/theme.h"
#include "widgets/explain/inspector.h"
#include "widgets/text/run_text.h"
#include "widgets/text/text_units.h"

using namespace hw;
using test::action;
using test::openAndWait;
using test::settle;
using test::storeIn;

namespace {

template <class Widget>
Widget* part(QWidget& owner, const char* name) {
  auto* found = owner.findChild<Widget*>(QString::fromLatin1(name));
  INFO(name);
  REQUIRE(found);
  return found;
}

/// What a command is called in lists: without mnemonics.
QString nameOf(const QAction* action) {
  return action->text().remove(QLatin1Char('&')).remove(QChar(0x2026));
}

/// Everything that is static in the program, as it was.
struct Restored {
  ~Restored() {
    QApplication::setFont(font);
    TextUnits::apply({});
    Theme::apply(Theme::light());
  }
  QFont font = QApplication::font();
};

}  // namespace

TEST_CASE("settings act at once and are there the next time", "[native]") {
  const Restored restored;
  QTemporaryDir folder;
  {
    Settings settings(storeIn(folder));
    Studio window(&settings);
    window.show();
    openAndWait(window, QStringLiteral("samples:inception"));
    auto* preferences = window.findChild<Preferences*>();
    SettingsDialog dialog(preferences, window.findChild<KeyBindings*>(),
                          window.findChild<FileWatch*>(), &window);
    part<QComboBox>(dialog, "settingTheme")->setCurrentIndex(2);
    CHECK(Theme::current().dark);
    CHECK(action(window, "themeDark")->isChecked());
    const double size = QApplication::font().pointSizeF();
    part<QSpinBox>(dialog, "settingText")->setValue(150);
    CHECK(QApplication::font().pointSizeF() == Approx(size * 1.5));
    part<QCheckBox>(dialog, "settingMotion")->setChecked(true);
    CHECK(action(window, "reducedMotion")->isChecked());
    part<QComboBox>(dialog, "settingSizes")->setCurrentIndex(1);
    part<QComboBox>(dialog, "settingAddresses")->setCurrentIndex(2);
    CHECK(action(window, "addressesDecimal")->isChecked());
    CHECK(sizeText(Bytes(9216)) == QStringLiteral("9,216 B"));
    CHECK(addressText(Bytes(9216)) == QStringLiteral("9,216"));
    part<QComboBox>(dialog, "settingAllocator")->setCurrentText(QStringLiteral("two-sided"));
    part<QComboBox>(dialog, "settingPlatform")->setCurrentText(QStringLiteral("ethos-u55-256"));
    // What is open keeps its own.
    CHECK(window.runForm()->allocatorBox()->currentText() == QStringLiteral("best"));
    part<QCheckBox>(dialog, "settingSession")->setChecked(false);
    part<QComboBox>(dialog, "settingWatch")->setCurrentIndex(1);
    QApplication::setFont(restored.font);
  }
  TextUnits::apply({});
  Settings settings(storeIn(folder));
  Studio window(&settings);
  CHECK(Theme::current().dark);
  CHECK(TextUnits::current() == TextUnits{true, AddressStyle::decimal});
  CHECK(QApplication::font().pointSizeF() == Approx(restored.font.pointSizeF() * 1.5));
  CHECK(window.runForm()->allocatorBox()->currentText() == QStringLiteral("two-sided"));
  CHECK(window.runForm()->platformBox()->currentText() == QStringLiteral("ethos-u55-256"));
  CHECK_FALSE(restoresSession(settings));
  CHECK(window.findChild<FileWatch*>()->mode() == FileWatch::Mode::always);
  openAndWait(window, QStringLiteral("samples:chain"));
  CHECK(window.state()->run()->request.allocator.info->name == "two-sided");
}

TEST_CASE("switches in the menus can be clicked", "[native]") {
  const Restored restored;
  Settings none;
  Studio window(&none);
  for (const char* name : {"reducedMotion", "showMinimap"}) {
    CAPTURE(name);
    const bool before = action(window, name)->isChecked();
    action(window, name)->trigger();
    CHECK(action(window, name)->isChecked() != before);
  }
}

TEST_CASE("X switches how addresses are written, in every panel and on axes", "[native]") {
  const Restored restored;
  Settings none;
  Studio window(&none);
  window.show();
  window.activateWindow();
  openAndWait(window, QStringLiteral("samples:inception"));
  window.state()->select(StayId(3));
  const auto text = [&] { return window.findChild<Inspector*>()->toPlainText(); };
  REQUIRE(QTest::qWaitFor([&] { return text().contains(QStringLiteral("0x0")); }, test::kPatience));
  CHECK_FALSE(window.state()->hexAddresses());
  QTest::keyClick(&window, Qt::Key_X);
  CHECK(TextUnits::current().addresses == AddressStyle::hex);
  CHECK(window.state()->hexAddresses());
  CHECK(action(window, "addressesHex")->isChecked());
  QTest::keyClick(&window, Qt::Key_X);
  CHECK(TextUnits::current().addresses == AddressStyle::decimal);
  CHECK_FALSE(window.state()->hexAddresses());
  CHECK(QTest::qWaitFor([&] { return !text().contains(QStringLiteral("0x0")); }, test::kPatience));
  QTest::keyClick(&window, Qt::Key_X);
  CHECK(TextUnits::current() == TextUnits{});
  action(window, "addressesHex")->trigger();
  CHECK(window.state()->hexAddresses());
}

TEST_CASE("keys are changed, kept, and one key is never two commands'", "[native]") {
  QTemporaryDir folder;
  const QKeySequence key(Qt::CTRL | Qt::ALT | Qt::Key_J);
  {
    Settings settings(storeIn(folder));
    Studio window(&settings);
    auto* keys = window.findChild<KeyBindings*>();
    KeysPage page(keys);
    const auto rowOf = [&](const char* name) {
      const auto& all = keys->commands();
      for (int row = 0; row < all.size(); ++row) {
        if (all[row].action->objectName() == QLatin1String(name)) return row;
      }
      return -1;
    };
    const int compare = rowOf("compare");
    REQUIRE(compare >= 0);
    page.assign(compare, key);
    CHECK(action(window, "compare")->shortcut() == key);

    // A taken one is not given away without a word.
    const int shrink = rowOf("shrink");
    page.table()->selectRow(shrink);
    page.assign(shrink, key);
    CHECK(action(window, "shrink")->shortcut() != key);
    CHECK(page.note().contains(nameOf(action(window, "compare"))));
    CHECK_FALSE(page.takeButton()->isHidden());
    page.takeButton()->click();
    CHECK(action(window, "shrink")->shortcut() == key);
    CHECK(action(window, "compare")->shortcuts().isEmpty());
    CHECK(page.takeButton()->isHidden());

    page.filter()->setText(QStringLiteral("shrink"));
    CHECK(page.table()->isRowHidden(compare));
    CHECK_FALSE(page.table()->isRowHidden(shrink));
  }
  Settings settings(storeIn(folder));
  Studio window(&settings);
  CHECK(action(window, "shrink")->shortcut() == key);
  CHECK(action(window, "compare")->shortcuts().isEmpty());
  auto* keys = window.findChild<KeyBindings*>();
  keys->resetAll();
  CHECK(action(window, "compare")->shortcut() == QKeySequence(Qt::CTRL | Qt::Key_D));
  CHECK(settings.keysOf(QStringLiteral("keys")).isEmpty());
}

TEST_CASE("no key belongs to two commands from the start", "[native]") {
  Settings none;
  Studio window(&none);
  auto* keys = window.findChild<KeyBindings*>();
  for (const KeyBindings::Command& command : keys->commands()) {
    for (const QKeySequence& key : command.action->shortcuts()) {
      const auto* other = keys->holder(key, command.action);
      INFO(command.text.toStdString() << " and " << (other ? other->text.toStdString() : "") << ": "
                                      << key.toString().toStdString());
      CHECK(other == nullptr);
    }
  }
}

TEST_CASE("the sheet shows the keys as they are bound now, and can be searched", "[native]") {
  Settings none;
  Studio window(&none);
  auto* keys = window.findChild<KeyBindings*>();
  keys->bind(action(window, "compare"), {QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_J)});
  ShortcutSheet sheet(keys);
  const auto shown = [&](const QString& text) {
    int count = 0;
    for (int i = 0; i < sheet.list()->topLevelItemCount(); ++i) {
      const QTreeWidgetItem* top = sheet.list()->topLevelItem(i);
      for (int row = 0; row < top->childCount(); ++row) {
        const bool hit = (top->child(row)->text(0) + top->child(row)->text(1)).contains(text);
        if (hit && !top->isHidden() && !top->child(row)->isHidden()) ++count;
      }
    }
    return count;
  };
  CHECK(shown(QStringLiteral("Ctrl+Alt+J")) == 1);
  CHECK(shown(QStringLiteral("Wheel")) > 0);
  const QString compare = nameOf(action(window, "compare"));
  sheet.filter()->setText(compare.toLower());
  CHECK(shown(compare) >= 1);
  CHECK(shown(QStringLiteral("Wheel")) == 0);
}

TEST_CASE("the about box names every library and has the licence", "[native]") {
  AboutDialog dialog;
  auto* table = part<QTableWidget>(dialog, "libraries");
  CHECK(table->rowCount() >= 10);
  for (int row = 0; row < table->rowCount(); ++row)
    CHECK_FALSE(table->item(row, 1)->text().isEmpty());
  CHECK(part<QPlainTextEdit>(dialog, "licenceText")
            ->toPlainText()
            .contains(QStringLiteral("GNU GENERAL PUBLIC LICENSE")));
}
