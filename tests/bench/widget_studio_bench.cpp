// What a person feels in the studio: how soon the window is there, what it takes while nobody does
// anything, how soon another place is there, and how long the screen ever stands still while a
// large model is opened and looked at. Milliseconds by the clock, but where the line says
// otherwise.

#include <unistd.h>

#include <QApplication>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QTemporaryDir>
#include <QTimer>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <random>

#include "app/gui/studio.h"

namespace {

using namespace hw;
using Wall = std::chrono::steady_clock;

double since(Wall::time_point start) {
  return std::chrono::duration<double, std::milli>(Wall::now() - start).count();
}

void line(const char* what, double target, double measured, const char* unit = "ms") {
  std::printf("studio  %-52s target %7.1f %s  measured %8.2f %s\n", what, target, unit, measured,
              unit);
  std::fflush(stdout);
}

/// Milliseconds of processor time since the program was started, libraries and all.
double processorTime() {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) * 1e3 + static_cast<double>(used.tv_nsec) / 1e6;
}

/// `count` buffers of random size and lifetime, in lanes so that steps are evenly used.
void writeProblem(const std::string& path, std::size_t count) {
  std::mt19937_64 random(7);
  std::ofstream out(path);
  out << "id,lower,upper,size\n";
  std::size_t written = 0;
  for (std::int64_t begin = 0; written < count; ++begin) {
    for (int i = 0; i < 4 && written < count; ++i, ++written) {
      const auto length = static_cast<std::int64_t>(1 + random() % 40);
      out << 'b' << written << ',' << begin << ',' << begin + length << ','
          << 64 * (1 + random() % 64) << '\n';
    }
  }
}

/// Sees each paint of a widget.
class PaintWatch final : public QObject {
 public:
  bool painted = false;
  bool eventFilter(QObject*, QEvent* event) override {
    painted |= event->type() == QEvent::Paint;
    return false;
  }
};

/// Runs the event loop until `done` and for `rest` milliseconds more, and returns the longest time
/// that it did not come round: a beat a millisecond is asked for.
double longestStall(const std::function<bool()>& done, int rest) {
  double worst = 0;
  QElapsedTimer quiet;
  Wall::time_point last = Wall::now();
  while (!quiet.isValid() || quiet.elapsed() < rest) {
    QCoreApplication::sendPostedEvents();
    QApplication::processEvents(QEventLoop::AllEvents);
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    const double gap = since(last);
    if (gap > 30 && qEnvironmentVariableIsSet("HW_STALLS")) std::printf("  stall %.1f ms\n", gap);
    worst = std::max(worst, gap);
    usleep(500);
    last = Wall::now();
    if (!quiet.isValid() && done()) quiet.start();
  }
  return worst;
}

void startUp(Studio& window, Wall::time_point begin) {
  PaintWatch watch;
  window.installEventFilter(&watch);
  window.resize(1920, 1080);
  window.show();
  while (!watch.painted) QApplication::processEvents();
  line("start to first paint, by the clock", 500, since(begin));
  line("start to first paint, processor time", 500, processorTime());
}

/// Of this process, in MB.
double residentMemory() {
  std::ifstream file("/proc/self/statm");
  double all = 0;
  double resident = 0;
  file >> all >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e6;
}

/// Longest of every place, the second time that somebody goes there: the first time reports and
/// comparisons begin to be made.
void switchPlaces(Studio& window) {
  RunRequest request = defaultRequest();
  request.model = "samples:resnet50";
  window.open(request);
  longestStall([&] { return window.state()->run() != nullptr; }, 500);
  double worst = 0;
  for (const bool counts : {false, true}) {
    for (const PlaceInfo& place : placeTable()) {
      const auto from = Wall::now();
      window.command(QStringLiteral("place:") + place.id)->trigger();
      QApplication::processEvents();
      if (counts) worst = std::max(worst, since(from));
      longestStall([] { return true; }, 1'000);
    }
  }
  line("ResNet-50: going to another place, worst", 50, worst);
  window.command(QStringLiteral("place:explore"))->trigger();
  longestStall([] { return true; }, 500);
  const double before = processorTime();
  QEventLoop loop;
  QTimer::singleShot(2'000, &loop, &QEventLoop::quit);
  loop.exec();
  line("ResNet-50: processor while nobody does anything", 0, (processorTime() - before) / 20, "%");
}

void openLarge(Studio& window, std::size_t count) {
  const QTemporaryDir folder;
  const std::string path = folder.filePath(QStringLiteral("large.csv")).toStdString();
  writeProblem(path, count);
  RunRequest request = defaultRequest();
  request.model = path;
  const auto other = window.state()->run();
  const auto begin = Wall::now();
  window.open(request);
  const double opening = longestStall([&] { return window.state()->run() != other; }, 3'000);
  line("1M-row CSV: longest stall while opening it", 100, opening);
  line("1M-row CSV: until everything is on the screen", 1e5, since(begin) - 3'000);
  const auto run = window.state()->run();
  if (!run) return;
  std::mt19937_64 random(9);
  double worst = 0;
  for (int i = 0; i < 40; ++i) {
    const auto moment = static_cast<std::size_t>(random() % run->trace.size());
    const auto from = Wall::now();
    window.state()->setMoment(moment);
    QApplication::processEvents();
    worst = std::max(worst, since(from));
  }
  line("1M-row CSV: jump to a random event, whole window, worst", 50, worst);
  window.state()->setVisible(0, static_cast<double>(window.state()->steps().count()) / 10);
  line("1M-row CSV: longest stall after zooming in", 50, longestStall([] { return true; }, 1'000));
  window.state()->showAll();
  line("1M-row CSV: longest stall after zooming out", 50, longestStall([] { return true; }, 1'000));
  RunRequest sample = defaultRequest();
  sample.model = "samples:chain";
  window.open(sample);
  line("1M-row CSV: longest stall when something else is opened", 50,
       longestStall([&] { return window.state()->run() != run; }, 1'000));
}

}  // namespace

int main(int argc, char** argv) {
  const auto begin = Wall::now();
  if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication application(argc, argv);
  Settings settings;
  Studio window(&settings);
  startUp(window, begin);
  line("memory with nothing open", 90, residentMemory(), "MB");
  switchPlaces(window);
  openLarge(window, argc > 1 ? static_cast<std::size_t>(std::stoul(argv[1])) : 1'000'000);
  return 0;
}
