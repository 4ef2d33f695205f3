#include <QApplication>
#include <QHashSeed>
#include <QIcon>
#include <cstdio>
#include <memory>

#include "app/gui/export.h"
#include "app/gui/features/scenario/session.h"
#include "app/gui/place.h"
#include "app/gui/request/arguments.h"
#include "app/gui/studio.h"

namespace {

bool hasDisplay() {
  return !qEnvironmentVariableIsEmpty("DISPLAY") ||
         !qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY") ||
         !qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM");
}

/// The offscreen platform remarks on what it cannot do: nothing that a picture needs.
void dropRemarks(QtMsgType type, const QMessageLogContext&, const QString& message) {
  if (type != QtCriticalMsg && type != QtFatalMsg) return;
  std::fprintf(stderr, "highwater-studio: %s\n", qPrintable(message));
}

/// What Qt may read of the command line: nothing but the name. It would take `--platform` and
/// others of ours for options of its own.
struct QtWords {
  int count = 1;
  char name[sizeof "highwater-studio"] = "highwater-studio";
  char* words[2] = {name, nullptr};
};

/// Opens the model of the command line; what that leaves open is as the settings have it. Then goes
/// to the steps and the tensor it names.
void openAsTold(const hw::StudioArguments& arguments, hw::Studio& window) {
  hw::StudioArguments told = arguments;
  const hw::RunRequest standard = window.request();
  if (!arguments.allocatorGiven) told.request.allocator = standard.allocator;
  if (!arguments.platformGiven) told.request.platform = standard.platform;
  QObject::connect(
      window.job(), &hw::PlanJob::finished, &window,
      [&window, arguments] {
        if (auto gone = hw::goToPlace(arguments, *window.state()); !gone) {
          window.messages()->showNote(QString::fromStdString(gone.error().text()));
        }
      },
      Qt::SingleShotConnection);
  window.openAsTold(told.request, hw::saidBy(told, standard));
}

int runWindow(const hw::StudioArguments& arguments) {
  QtWords words;
  QApplication app(words.count, words.words);
  QApplication::setOrganizationName(QStringLiteral("highwater"));
  QApplication::setApplicationName(QStringLiteral("highwater-studio"));
  QApplication::setApplicationVersion(QStringLiteral(HIGHWATER_VERSION));
  QApplication::setDesktopFileName(QStringLiteral("highwater-studio"));
  QApplication::setWindowIcon(QIcon::fromTheme(QStringLiteral("highwater-studio")));
  hw::Settings settings(std::make_unique<QSettings>());
  hw::Studio window(&settings);
  if (arguments.theme) window.applyTheme(*arguments.theme);
  window.resizeOnScreen(arguments.size);
  window.show();
  if (arguments.request.model.empty()) {
    window.session()->restore();
  } else {
    openAsTold(arguments, window);
  }
  return QApplication::exec();
}

}  // namespace

int main(int argc, char** argv) {
  // Qt lists the fonts of a PDF in the order of a hash: equal files need an equal seed.
  QHashSeed::setDeterministicGlobalSeed();
  const hw::ArgumentsOutcome outcome = hw::parseArguments(argc, argv);
  if (!outcome.arguments) {
    const bool asked = outcome.exitCode == 0;
    std::FILE* const stream = asked ? stdout : stderr;
    const bool written = std::fputs(outcome.text.c_str(), stream) >= 0 && std::fflush(stream) == 0;
    return asked && !written ? 3 : outcome.exitCode;
  }
  const hw::StudioArguments& arguments = *outcome.arguments;
  if (!arguments.exportFile.isEmpty()) {
    // Never the user's screen: pictures are the same with and without one.
    qputenv("QT_QPA_PLATFORM", "offscreen");
    qputenv("QT_SCALE_FACTOR", "1");
    qInstallMessageHandler(dropRemarks);
    QtWords words;
    QApplication app(words.count, words.words);
    return hw::exportFromCommandLine(arguments);
  }
  if (!hasDisplay()) {
    std::fputs(
        "highwater-studio: there is no display (neither DISPLAY nor WAYLAND_DISPLAY is set); "
        "--export FILE.png MODEL draws without one\n",
        stderr);
    return 2;
  }
  return runWindow(arguments);
}
