#include <QApplication>
#include <QIcon>
#include <QTemporaryDir>
#include <cstdio>

#include "tests/tour/tour.h"

namespace {

/// Plays every chapter in a window of `size`; the number of problems.
int play(const QSize& size, hw::ThemeChoice theme, const QDir& folder, const QStringList& models) {
  QTemporaryDir home;
  hw::Settings settings(std::make_unique<QSettings>(home.filePath(QStringLiteral("studio.ini")),
                                                    QSettings::IniFormat));
  settings.setTheme(theme);
  settings.setReducedMotion(true);  // Pictures show what is, not what is on its way.
  hw::Studio window(&settings);
  window.resize(size);
  window.show();
  if (!QTest::qWaitForWindowExposed(&window)) return 1;
  hw::tour::Tour tour(&window, folder, models);
  for (const hw::tour::Chapter& chapter : hw::tour::chapters()) {
    std::printf("# %s\n", chapter.title);
    chapter.play(tour);
  }
  return tour.problems();
}

}  // namespace

// studio_tour FOLDER light|dark WIDTH HEIGHT [MODEL…]
int main(int argc, char** argv) {
  if (argc < 5) {
    std::fputs("usage: studio_tour FOLDER light|dark WIDTH HEIGHT [MODEL...]\n", stderr);
    return 2;
  }
  if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM") && !qEnvironmentVariableIsSet("DISPLAY")) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
  }
  QApplication app(argc, argv);
  const QStringList words = QApplication::arguments();
  const QSize size(words[3].toInt(), words[4].toInt());
  const QDir folder(words[1]);
  if (size.isEmpty() || !folder.mkpath(QStringLiteral("."))) {
    std::fprintf(stderr, "studio_tour: no folder %s, or a window of no size\n", argv[1]);
    return 2;
  }
  const bool dark = words[2] == QStringLiteral("dark");
  const int problems =
      play(size, dark ? hw::ThemeChoice::dark : hw::ThemeChoice::light, folder, words.mid(5));
  if (problems > 0) std::fprintf(stderr, "studio_tour: %d problems\n", problems);
  return problems == 0 ? 0 : 1;
}
