// For everybody: contrast, names for screen readers, keys alone, what empty panels say.
#include <QAbstractButton>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QDirIterator>
#include <QDockWidget>
#include <QFile>
#include <QLineEdit>
#include <QMenu>
#include <QRegularExpression>
#include <QSet>
#include <QSlider>
#include <QTextBrowser>
#include <QTreeView>
#include <cmath>

#include "app/gui/features/desk/about_dialog.h"
#include "app/gui/features/desk/key_bindings.h"
#include "app/gui/features/desk/preferences.h"
#include "app/gui/features/desk/settings_dialog.h"
#include "app/gui/features/desk/shortcut_sheet.h"
#include "app/gui/features/scenario/file_watch.h"
#include "tests/gui/native_support.h"
#include "tests/widgets/patience.h"
#include "widgets/base/item_colors.h"
#include "widgets/base/theme.h"

using namespace hw;
using test::openAndWait;

namespace {

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
      (parent && parent->inherits("QLineEdit")) || (parent && parent->inherits("QDockWidget")) ||
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

/// What a screen reader says of a widget: its name, or the text on it.
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
  Settings none;
  Studio window(&none);
  window.resize(1600, 960);
  window.show();
  openAndWait(window, QStringLiteral("samples:inception"));
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
  Settings none;
  Studio window(&none);
  window.resize(1600, 960);
  window.show();
  window.activateWindow();
  REQUIRE(QTest::qWaitForWindowActive(&window));
  openAndWait(window, QStringLiteral("samples:chain"));
  window.runForm()->allocatorBox()->setFocus();
  QSet<QWidget*> seen;
  for (int i = 0; i < 200; ++i) {
    QWidget* focus = QApplication::focusWidget();
    REQUIRE(focus);
    seen.insert(focus);
    QTest::keyClick(focus, Qt::Key_Tab);
    INFO(focus->metaObject()->className() << ' ' << focus->objectName().toStdString());
    REQUIRE(QApplication::focusWidget() != focus);
  }
  CHECK(seen.size() > 8);
  CHECK(seen.contains(window.maps().front()));
}

TEST_CASE("every panel says something before a model is open", "[native]") {
  Settings none;
  Studio window(&none);
  window.resize(1600, 960);
  window.show();
  for (const auto* dock : window.findChildren<QDockWidget*>()) {
    INFO(dock->objectName().toStdString());
    CHECK_FALSE(dock->windowTitle().isEmpty());
    CHECK(dock->widget());
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
  Settings none;
  Studio window(&none);
  window.resize(1400, 900);
  window.show();
  WelcomePage* page = window.welcome();
  CHECK(page->isVisible());
  CHECK(page->toPlainText().contains(QStringLiteral("resnet50")));
  REQUIRE(
      QTest::qWaitFor([&] { return page->toPlainText().contains(QStringLiteral("122 operators")); },
                      test::kPatience));
  const auto picture =
      page->document()
          ->resource(QTextDocument::ImageResource, QUrl(QStringLiteral("card:resnet50")))
          .value<QImage>();
  REQUIRE_FALSE(picture.isNull());
  CHECK(picture.pixelColor(picture.width() / 2, picture.height() - 4) != Theme::current().plot);
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
