#include "widgets/base/theme.h"

#include <QApplication>
#include <QPainter>
#include <QProxyStyle>
#include <QStyleOption>

namespace hw {

namespace {

const Theme* currentTheme = nullptr;
thread_local const Theme* scopedTheme = nullptr;

Theme makeTheme(bool dark) {
  /// As in `Ink`, from the first on.
  static constexpr QColor Theme::*kColors[] = {
      &Theme::window,    &Theme::plot,      &Theme::grid,       &Theme::axis,     &Theme::text,
      &Theme::mutedText, &Theme::selection, &Theme::hover,      &Theme::accent,   &Theme::live,
      &Theme::highWater, &Theme::capacity,  &Theme::lowerBound, &Theme::playhead, &Theme::mark,
      &Theme::hole,      &Theme::hatch};
  Theme theme;
  theme.dark = dark;
  const auto color = [&](Ink ink) { return QColor(QRgb(theme.inks()[ink])); };
  std::size_t ink = 0;
  for (QColor Theme::*each : kColors) theme.*each = color(static_cast<Ink>(ink++));
  for (std::size_t kind = 0; kind < kTensorClasses; ++kind) {
    theme.classes[kind] =
        color(blockInk(static_cast<TensorClass>(kind), BlockTime::live, BlockPart::fill));
  }
  return theme;
}

QColor mix(const QColor& a, const QColor& b, double shareOfB) {
  const auto channel = [&](int x, int y) { return x + static_cast<int>((y - x) * shareOfB); };
  return QColor::fromRgb(channel(a.red(), b.red()), channel(a.green(), b.green()),
                         channel(a.blue(), b.blue()));
}

/// Fusion, which outlines boxes darker than the window: in the dark nobody sees one without a tick.
class OutlinedBoxes final : public QProxyStyle {
 public:
  OutlinedBoxes() : QProxyStyle(QStringLiteral("Fusion")) {}

  void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                     const QWidget* widget) const override {
    QProxyStyle::drawPrimitive(element, option, painter, widget);
    const bool round = element == PE_IndicatorRadioButton;
    if (!Theme::current().dark || (!round && element != PE_IndicatorCheckBox)) return;
    const QRectF box = QRectF(option->rect).adjusted(0.5, 0.5, -0.5, -0.5);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing, round);
    painter->setPen(
        mix(option->palette.color(QPalette::Base), option->palette.color(QPalette::Text), 0.55));
    painter->setBrush(Qt::NoBrush);
    round ? painter->drawEllipse(box) : painter->drawRect(box);
    painter->restore();
  }
};

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
  static const Theme theme = makeTheme(false);
  return theme;
}

const Theme& Theme::darkTheme() {
  static const Theme theme = makeTheme(true);
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
  QApplication::setStyle(new OutlinedBoxes);
  QApplication::setPalette(currentTheme->palette());
  qApp->setStyleSheet(styleSheet(*currentTheme));
}

}  // namespace hw
