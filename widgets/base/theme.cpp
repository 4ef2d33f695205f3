#include "widgets/base/theme.h"

#include <QApplication>
#include <QFontDatabase>
#include <algorithm>

#include "widgets/base/style.h"

namespace hw {

namespace {

const Theme* currentTheme = nullptr;
thread_local const Theme* scopedTheme = nullptr;

Theme makeTheme(bool dark) {
  /// As in `Ink`, from the first on.
  static constexpr QColor Theme::*kColors[] = {
      &Theme::window,     &Theme::plot,      &Theme::grid,      &Theme::axis,
      &Theme::text,       &Theme::mutedText, &Theme::selection, &Theme::hover,
      &Theme::accent,     &Theme::live,      &Theme::highWater, &Theme::capacity,
      &Theme::lowerBound, &Theme::playhead,  &Theme::mark,      &Theme::hole,
      &Theme::hatch,      &Theme::raised,    &Theme::line,      &Theme::onSelection,
      &Theme::warmTint};
  Theme theme;
  theme.dark = dark;
  const auto color = [&](Ink ink) { return QColor(QRgb(theme.inks()[ink])); };
  std::size_t ink = 0;
  for (QColor Theme::*each : kColors) theme.*each = color(static_cast<Ink>(ink++));
  for (std::size_t kind = 0; kind < kAllClasses; ++kind) {
    theme.classes[kind] =
        color(blockInk(static_cast<BlockClass>(kind), BlockTime::live, BlockPart::fill));
  }
  return theme;
}

}  // namespace
}  // namespace hw

/// Of a static library resources are only there once somebody asks; a macro that takes no
/// namespace.
static void initFonts() { Q_INIT_RESOURCE(fonts); }

namespace hw {
namespace {

/// The font of the studio, which is the same on every machine; as large as the desktop's text, from
/// 13 pixels at 96 a inch to half as much again. The desktop's own where it cannot be loaded.
void useOwnFont() {
  static const bool loaded = [] {
    initFonts();
    bool all = true;
    for (const char* file : {"HighwaterSans-Regular.otf", "HighwaterSans-Medium.otf",
                             "HighwaterSans-SemiBold.otf", "HighwaterMono-Regular.ttf"}) {
      const QString path = QStringLiteral(":/fonts/") + QLatin1String(file);
      all = QFontDatabase::addApplicationFont(path) >= 0 && all;
    }
    return all;
  }();
  if (!loaded) return;
  constexpr double kLeast = 9.75;
  QFont font(QStringLiteral("Highwater Sans"));
  font.setPointSizeF(std::clamp(QFontDatabase::systemFont(QFontDatabase::GeneralFont).pointSizeF(),
                                kLeast, 1.5 * kLeast));
  QApplication::setFont(font);
}

QColor mix(const QColor& a, const QColor& b, double shareOfB) {
  const auto channel = [&](int x, int y) { return x + static_cast<int>((y - x) * shareOfB); };
  return QColor::fromRgb(channel(a.red(), b.red()), channel(a.green(), b.green()),
                         channel(a.blue(), b.blue()));
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
  palette.setColor(QPalette::Button, plot);
  palette.setColor(QPalette::ButtonText, text);
  palette.setColor(QPalette::BrightText, accent);
  palette.setColor(QPalette::ToolTipBase, plot);
  palette.setColor(QPalette::ToolTipText, text);
  // Rows that are chosen keep the colour of their words: the background is a tint.
  palette.setColor(QPalette::Highlight, hover);
  palette.setColor(QPalette::HighlightedText, text);
  palette.setColor(QPalette::Link, selection);
  palette.setColor(QPalette::LinkVisited, classColor(BlockClass::movement));
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
  QApplication::setStyle(new Style);
  useOwnFont();  // Before the palette: who hears of that looks at the font, too.
  QApplication::setPalette(currentTheme->palette());
}

}  // namespace hw
