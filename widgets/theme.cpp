#include "widgets/theme.h"

#include <QApplication>
#include <QStyleFactory>

#include "widgets/theme_scope.h"

namespace hw {

namespace {

const Theme* currentTheme = nullptr;
thread_local const Theme* scopedTheme = nullptr;

// The tensor classes keep the Okabe-Ito hues in both themes; views mix them with `plot` for blocks
// that are not live.
Theme makeLight() {
  Theme theme;
  theme.window = QColor(0xf2f3f5);
  theme.plot = QColor(0xffffff);
  theme.grid = QColor(0xe1e4e8);
  theme.axis = QColor(0x6a737d);
  theme.text = QColor(0x1b1f24);
  theme.mutedText = QColor(0x5f6873);
  theme.selection = QColor(0x2277b8);
  theme.hover = QColor(0x9cc4e4);
  theme.accent = QColor(0xba4600);
  theme.live = QColor(0xa6cfe8);
  theme.highWater = QColor(0x0072b2);
  theme.capacity = QColor(0xd55e00);
  theme.lowerBound = QColor(0x00815d);
  theme.playhead = QColor(0x1b1f24);
  theme.mark = QColor(0x7a4bb5);
  theme.hole = QColor(0xeceef1);
  theme.hatch = QColor(0xb4bbc4);
  theme.classes[static_cast<int>(TensorClass::input)] = QColor(0xe69f00);
  theme.classes[static_cast<int>(TensorClass::output)] = QColor(0x009e73);
  theme.classes[static_cast<int>(TensorClass::intermediate)] = QColor(0x56b4e9);
  theme.classes[static_cast<int>(TensorClass::view)] = QColor(0xcc79a7);
  theme.classes[static_cast<int>(TensorClass::problem)] = QColor(0xd55e00);
  return theme;
}

Theme makeDark() {
  Theme theme = makeLight();
  theme.dark = true;
  theme.window = QColor(0x25282d);
  theme.plot = QColor(0x1a1c20);
  theme.grid = QColor(0x32363d);
  theme.axis = QColor(0x8b949e);
  theme.text = QColor(0xe4e7eb);
  theme.mutedText = QColor(0x9da5af);
  theme.selection = QColor(0x3b8fd0);
  theme.hover = QColor(0x39607f);
  theme.accent = QColor(0xff8f4a);
  theme.live = QColor(0x1d4a68);
  theme.highWater = QColor(0x6cbcf0);
  theme.capacity = QColor(0xf0813a);
  theme.lowerBound = QColor(0x2fc79a);
  theme.playhead = QColor(0xf4f6f8);
  theme.mark = QColor(0xb892f0);
  theme.hole = QColor(0x2a2d33);
  theme.hatch = QColor(0x565d67);
  return theme;
}

QColor mix(const QColor& a, const QColor& b, double shareOfB) {
  const auto channel = [&](int x, int y) { return x + static_cast<int>((y - x) * shareOfB); };
  return QColor::fromRgb(channel(a.red(), b.red()), channel(a.green(), b.green()),
                         channel(a.blue(), b.blue()));
}

QString styleSheet(const Theme& theme) {
  const QString border = mix(theme.window, theme.text, 0.14).name();
  const QString raised = mix(theme.window, theme.plot, theme.dark ? 0.35 : 0.6).name();
  return QStringLiteral(
             "QToolTip { color: %1; background: %2; border: 1px solid %3; padding: 3px 5px; }"
             "QMainWindow::separator { background: %4; width: 5px; height: 5px; }"
             "QMainWindow::separator:hover { background: %5; }"
             "QSplitter::handle { background: %4; }"
             "QSplitter::handle:hover { background: %5; }"
             "QToolBar { border: 0; border-bottom: 1px solid %3; spacing: 4px; padding: 3px 6px; }"
             "QStatusBar { border-top: 1px solid %3; }"
             "QStatusBar::item { border: 0; }"
             "QHeaderView::section { background: %6; color: %7; border: 0;"
             " border-bottom: 1px solid %3; padding: 3px 6px; }"
             "QDockWidget { color: %1; }"
             "QDockWidget::title { background: %6; padding: 5px 8px;"
             " border-bottom: 1px solid %3; }")
      .arg(theme.text.name(), theme.plot.name(), border, theme.window.name(), theme.hover.name(),
           raised, theme.mutedText.name());
}

}  // namespace

QPalette Theme::palette() const {
  QPalette palette;
  palette.setColor(QPalette::Window, window);
  palette.setColor(QPalette::WindowText, text);
  palette.setColor(QPalette::Base, plot);
  palette.setColor(QPalette::AlternateBase, mix(plot, window, dark ? 0.45 : 0.6));
  palette.setColor(QPalette::Text, text);
  palette.setColor(QPalette::PlaceholderText, mutedText);
  palette.setColor(QPalette::Button, dark ? mix(window, text, 0.08) : QColor(0xf7f8f9));
  palette.setColor(QPalette::ButtonText, text);
  palette.setColor(QPalette::BrightText, accent);
  palette.setColor(QPalette::ToolTipBase, plot);
  palette.setColor(QPalette::ToolTipText, text);
  // White text on it: the dark theme's own is too pale for that.
  palette.setColor(QPalette::Highlight, dark ? QColor(0x2d78b3) : selection);
  palette.setColor(QPalette::HighlightedText, QColor(0xffffff));
  palette.setColor(QPalette::Link, highWater);
  palette.setColor(QPalette::LinkVisited, classColor(TensorClass::view));
  palette.setColor(QPalette::Light, mix(window, text, dark ? 0.2 : 0.0));
  palette.setColor(QPalette::Midlight, mix(window, text, dark ? 0.14 : 0.06));
  palette.setColor(QPalette::Mid, mix(window, text, dark ? 0.25 : 0.28));
  palette.setColor(QPalette::Dark, mix(window, dark ? QColor(Qt::black) : text, 0.4));
  palette.setColor(QPalette::Shadow, dark ? QColor(Qt::black) : mix(window, text, 0.7));
  const QColor faded = mix(window, text, 0.42);
  for (const QPalette::ColorRole role :
       {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::PlaceholderText}) {
    palette.setColor(QPalette::Disabled, role, faded);
  }
  palette.setColor(QPalette::Disabled, QPalette::Highlight, mix(window, text, 0.2));
  // Paler where the keys do not go; dark on light or light on dark, like all other text.
  palette.setColor(QPalette::Inactive, QPalette::Highlight, mix(selection, plot, dark ? 0.6 : 0.7));
  palette.setColor(QPalette::Inactive, QPalette::HighlightedText, text);
  return palette;
}

const Theme& Theme::light() {
  static const Theme theme = makeLight();
  return theme;
}

const Theme& Theme::darkTheme() {
  static const Theme theme = makeDark();
  return theme;
}

const Theme& Theme::current() {
  if (scopedTheme) return *scopedTheme;
  return currentTheme ? *currentTheme : light();
}

ThemeScope::ThemeScope(const Theme& theme) : before_(scopedTheme) {
  scopedTheme = theme.dark ? &Theme::darkTheme() : &Theme::light();
}

ThemeScope::~ThemeScope() { scopedTheme = before_; }

void Theme::apply(const Theme& theme) {
  currentTheme = theme.dark ? &darkTheme() : &light();
  QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
  QApplication::setPalette(currentTheme->palette());
  qApp->setStyleSheet(styleSheet(*currentTheme));
}

}  // namespace hw
