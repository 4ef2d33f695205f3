// Settings, keys, the sheet of shortcuts, the about box.
// Keys that belong to a window as a whole: letters with Alt, and the way through the maps.
// For everybody: contrast, names for screen readers, keys alone, what empty panels say.

#include <QAbstractButton>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QDirIterator>
#include <QFile>
#include <QGroupBox>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QPlainTextEdit>
#include <QRegularExpression>
#include <QSet>
#include <QSlider>
#include <QSpinBox>
#include <QTabWidget>
#include <QTableWidget>
#include <QTextBrowser>
#include <QTreeView>
#include <cmath>

#include "app/gui/features/desk/help.h"
#include "app/gui/features/desk/keys.h"
#include "app/gui/features/desk/preferences.h"
#include "app/gui/features/scenario/file_watch.h"
#include "app/gui/features/scenario/session.h"
#include "tests/gui/native_support.h"
#include "tests/widgets/patience.h"
#include "widgets/base/theme.h"
#include "widgets/explain/inspector.h"
#include "widgets/text/run_text.h"
#include "widgets/transport/until_form.h"

using namespace hw::test;
using namespace hw;

namespace {

/// The name of a command in lists: without mnemonics.
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

struct Active {
  Active() {
    window.resize(1500, 1000);
    window.show();
    window.activateWindow();
    REQUIRE(QTest::qWaitForWindowActive(&window));
    openAndWait(window, QStringLiteral("samples:resnet8"));
  }
  Settings settings{};
  Studio window{&settings};
};

double channel(double value) {
  return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
}

/// WCAG 2.1, "relative luminance" and "contrast ratio".
double luminance(const QColor& color) {
  return 0.2126 * channel(color.redF()) + 0.7152 * channel(color.greenF()) +
         0.0722 * channel(color.blueF());
}

double contrast(const QColor& a, const QColor& b) {
  const auto [low, high] = std::minmax({luminance(a), luminance(b)});
  return (high + 0.05) / (low + 0.05);
}

/// Things that people work with: they can have the focus, or be pressed.
bool isInteractive(const QWidget* widget) {
  if (widget->objectName().startsWith(QLatin1String("qt_"))) return false;  // Qt's own parts.
  const QObject* parent = widget->parent();
  const bool part =
      qobject_cast<const QAbstractSpinBox*>(parent) || qobject_cast<const QComboBox*>(parent) ||
      (parent && parent->inherits("QTabBar")) || (parent && parent->inherits("QHeaderView")) ||
      (parent && parent->inherits("QLineEdit")) ||
      (parent && parent->inherits("QToolBar") && widget->inherits("QToolBarExtension")) ||
      (parent && parent->inherits("QKeySequenceEdit"));
  // Headers are read with their tables.
  const bool header = widget->inherits("QHeaderView") || widget->inherits("QTableCornerButton");
  if (part || header) return false;
  return qobject_cast<const QAbstractButton*>(widget) || qobject_cast<const QComboBox*>(widget) ||
         qobject_cast<const QAbstractSpinBox*>(widget) || qobject_cast<const QLineEdit*>(widget) ||
         qobject_cast<const QAbstractItemView*>(widget) ||
         qobject_cast<const QAbstractSlider*>(widget) || qobject_cast<const QTextBrowser*>(widget);
}

/// The words of a screen reader for a widget: its name, or the text on it.
QString spokenName(const QWidget* widget) {
  if (!widget->accessibleName().isEmpty()) return widget->accessibleName();
  if (const auto* button = qobject_cast<const QAbstractButton*>(widget)) {
    return button->text().isEmpty() ? button->toolTip() : button->text();
  }
  return {};
}

void checkNames(QWidget& owner) {
  for (const QWidget* widget : owner.findChildren<QWidget*>()) {
    const bool scrollBar = widget->inherits("QScrollBar");
    const bool inPopup = widget->window() != owner.window() && !widget->isWindow();
    if (!isInteractive(widget) || scrollBar || inPopup) continue;
    INFO(widget->metaObject()->className()
         << " '" << widget->objectName().toStdString() << "' in "
         << (widget->parent() ? widget->parent()->metaObject()->className() : "") << " '"
         << (widget->parent() ? widget->parent()->objectName().toStdString() : ""));
    CHECK_FALSE(spokenName(widget).isEmpty());
  }
}

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
    // The open model keeps its own.
    CHECK(window.request().allocator.text() == "best");
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
  CHECK(window.request().allocator.text() == "two-sided");
  CHECK(window.request().platform.name == "ethos-u55-256");
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
  test::Opened window;
  window.activateWindow();
  openAndWait(window, QStringLiteral("samples:inception"));
  window.state()->select(StayId(3));
  const auto text = [&] { return window.findChild<Inspector*>()->toPlainText(); };
  REQUIRE(test::comes([&] { return text().contains(QStringLiteral("0x0")); }));
  CHECK_FALSE(window.state()->hexAddresses());
  QTest::keyClick(&window, Qt::Key_X);
  CHECK(TextUnits::current().addresses == AddressStyle::hex);
  CHECK(window.state()->hexAddresses());
  CHECK(action(window, "addressesHex")->isChecked());
  QTest::keyClick(&window, Qt::Key_X);
  CHECK(TextUnits::current().addresses == AddressStyle::decimal);
  CHECK_FALSE(window.state()->hexAddresses());
  CHECK(test::comes([&] { return !text().contains(QStringLiteral("0x0")); }));
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
    auto* take = test::button(page, "takeKeys");
    CHECK_FALSE(take->isHidden());
    take->click();
    CHECK(action(window, "shrink")->shortcut() == key);
    CHECK(action(window, "compare")->shortcuts().isEmpty());
    CHECK(take->isHidden());

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

TEST_CASE("no letter with Alt is two things', in the window and in every menu", "[native]") {
  Active studio;
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
  Active studio;
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
  Active studio;
  const std::tuple<int, Qt::KeyboardModifiers, MenuKind> ways[] = {
      {Qt::Key_F, Qt::AltModifier, MenuKind::file},
      {Qt::Key_C, Qt::AltModifier, MenuKind::compare},
      {Qt::Key_F10, Qt::NoModifier, MenuKind::file}};
  for (const auto& [key, modifiers, kind] : ways) {
    CAPTURE(key);
    QTest::keyClick(studio.window.maps().front(), static_cast<Qt::Key>(key), modifiers);
    QTest::qWait(10);
    CHECK(QApplication::activePopupWidget() == studio.window.menu(kind));
    while (QWidget* popup = QApplication::activePopupWidget()) popup->close();
  }
}

TEST_CASE("a map lets Tab through, and its arrows walk blocks instead of operators", "[native]") {
  Active studio;
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

TEST_CASE("text can be read in both themes: WCAG contrast of 4.5 and more", "[native]") {
  const bool dark = GENERATE(false, true);
  const Theme& theme = dark ? Theme::darkTheme() : Theme::light();
  CAPTURE(dark);
  const std::pair<const char*, QColor> texts[] = {{"text", theme.text},
                                                  {"muted", theme.mutedText},
                                                  {"accent", theme.accent},
                                                  {"link", theme.highWater}};
  const std::pair<const char*, QColor> grounds[] = {{"window", theme.window}, {"plot", theme.plot}};
  for (const auto& [text, color] : texts) {
    for (const auto& [ground, behind] : grounds) {
      CAPTURE(text, ground, contrast(color, behind));
      CHECK(contrast(color, behind) >= 4.5);
    }
  }
  CHECK(contrast(theme.lowerBound, theme.plot) >= 4.5);  // Only there.
  const QPalette palette = theme.palette();
  const std::pair<QPalette::ColorRole, QPalette::ColorRole> pairs[] = {
      {QPalette::WindowText, QPalette::Window},
      {QPalette::Text, QPalette::Base},
      {QPalette::Text, QPalette::AlternateBase},
      {QPalette::ButtonText, QPalette::Button},
      {QPalette::ToolTipText, QPalette::ToolTipBase},
      {QPalette::PlaceholderText, QPalette::Base},
      {QPalette::Link, QPalette::Base},
      {QPalette::HighlightedText, QPalette::Highlight}};
  for (const QPalette::ColorGroup group : {QPalette::Active, QPalette::Inactive}) {
    for (const auto& [text, ground] : pairs) {
      const double found = contrast(palette.color(group, text), palette.color(group, ground));
      CAPTURE(static_cast<int>(group), static_cast<int>(text), static_cast<int>(ground), found);
      CHECK(found >= 4.5);
    }
  }
}

TEST_CASE("what delegates write on a chosen row can be read, with the keys there or not",
          "[native]") {
  const bool dark = GENERATE(false, true);
  QStyleOptionViewItem option;
  option.palette = (dark ? Theme::darkTheme() : Theme::light()).palette();
  for (const bool active : {false, true}) {
    CAPTURE(dark, active);
    option.state = QStyle::State_Selected | QStyle::State_Enabled;
    option.state.setFlag(QStyle::State_Active, active);
    const auto group = active ? QPalette::Active : QPalette::Inactive;
    for (const auto role : {QPalette::Text, QPalette::PlaceholderText}) {
      CHECK(contrast(itemColor(option, role), option.palette.color(group, QPalette::Highlight)) >=
            4.5);
    }
  }
}

TEST_CASE("every widget that one can work with has a name", "[native]") {
  test::Opened window(QStringLiteral("samples:inception"), {1600, 960});
  checkNames(window);
  SettingsDialog settings(window.findChild<Preferences*>(), window.findChild<KeyBindings*>(),
                          window.findChild<FileWatch*>(), &window);
  checkNames(settings);
  ShortcutSheet sheet(window.findChild<KeyBindings*>(), &window);
  checkNames(sheet);
  AboutDialog about(&window);
  checkNames(about);
}

TEST_CASE("Tab leads out of every widget, and round", "[native]") {
  test::Opened window({}, {1600, 960});
  window.activateWindow();
  REQUIRE(QTest::qWaitForWindowActive(&window));
  openAndWait(window, QStringLiteral("samples:chain"));
  window.maps().front()->setFocus();
  QSet<QWidget*> seen;
  constexpr int kMostLinks = 40;
  for (int i = 0; i < 200; ++i) {
    QWidget* focus = QApplication::focusWidget();
    REQUIRE(focus);
    seen.insert(focus);
    INFO(focus->metaObject()->className() << ' ' << focus->objectName().toStdString());
    // Links of a page are stops of their own.
    int stops = qobject_cast<QTextBrowser*>(focus) != nullptr ? kMostLinks : 1;
    while (stops-- > 0 && QApplication::focusWidget() == focus) {
      QTest::keyClick(focus, Qt::Key_Tab);
    }
    REQUIRE(QApplication::focusWidget() != focus);
  }
  CHECK(seen.size() > 8);
  CHECK(seen.contains(window.maps().front()));
}

TEST_CASE("every panel says something before a model is open", "[native]") {
  test::Opened window({}, {1600, 960});
  for (const QString& name : window.places()->panels()) {
    INFO(name.toStdString());
    CHECK_FALSE(window.places()->title(name).isEmpty());
    CHECK(window.places()->panel(name));
  }
  for (const QAction* each : window.findChildren<QAction*>()) {
    const bool command = !each->objectName().isEmpty() && !each->text().isEmpty();
    if (!command || each->isEnabled() || !each->isVisible() || each->menu()) continue;
    INFO(each->objectName().toStdString());
    // QAction::toolTip falls back to the text: a reason says more.
    QString text = each->text();
    CHECK(each->toolTip() != text.remove(QLatin1Char('&')).remove(QChar(0x2026)));
  }
}

TEST_CASE("the welcome page has the samples as cards with pictures", "[native]") {
  test::Opened window({}, {1400, 900});
  WelcomePage* page = window.welcome();
  CHECK(page->isVisible());
  const auto cards = page->findChildren<OpenCard*>();
  const auto card = std::ranges::find(cards, QStringLiteral("resnet50"), &OpenCard::text);
  REQUIRE(card != cards.end());
  REQUIRE(test::comes([&] { return (*card)->hasPicture(); }));
  CHECK((*card)->words().contains(QStringLiteral("122 operators")));
  openAndWait(window, QStringLiteral("samples:chain"));
  CHECK_FALSE(page->isVisible());
}

TEST_CASE("texts that people read go through tr()", "[native]") {
  // A literal with a blank and a capital at the start, given to something that shows it.
  QStringList found;
  for (const char* folder : {"app/gui", "widgets"}) {
    QDirIterator sources(QStringLiteral(HIGHWATER_SOURCE_DIR "/") + QString::fromLatin1(folder),
                         {QStringLiteral("*.cpp")}, QDir::Files, QDirIterator::Subdirectories);
    while (sources.hasNext()) {
      const QString name = sources.next();
      QFile file(name);
      REQUIRE(file.open(QIODevice::ReadOnly));
      const QString text = QString::fromUtf8(file.readAll());
      static const QRegularExpression shown(QStringLiteral(
          "(setText|setToolTip|setWindowTitle|setAccessibleName|setPlaceholderText|addItem|"
          "showNote|showError|setTitle)\\(\\s*QStringLiteral\\(\"[^\"%]*[A-Za-z]{2}[^\"]*\"\\)"));
      const auto match = shown.match(text);
      if (match.hasMatch()) found.append(name + QStringLiteral(": ") + match.captured());
    }
  }
  CAPTURE(found.join(QLatin1Char('\n')).toStdString());
  CHECK(found.isEmpty());
}
