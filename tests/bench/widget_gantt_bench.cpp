// How much of a processor's time the engines of a machine take to be drawn, with five million
// activities: what else is at work on the machine does not count.
#include <QApplication>
#include <QPainter>
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <random>

#include "core/import/samples.h"
#include "core/machine/platforms.h"
#include "core/picture/gantt_scene.h"
#include "widgets/base/theme.h"
#include "widgets/plot/painter_canvas.h"

using namespace hw;

namespace {

constexpr std::size_t kRows = 4;
constexpr QSize kScreen(1920, 200);

template <class Work>
double milliseconds(Work&& work) {
  const std::clock_t start = std::clock();
  work();
  return 1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

template <class Work>
double median(int rounds, Work&& work) {
  std::vector<double> times;
  for (int i = 0; i < rounds; ++i) times.push_back(milliseconds([&] { work(i); }));
  std::ranges::nth_element(times, times.begin() + rounds / 2);
  return times[static_cast<std::size_t>(rounds / 2)];
}

/// Bars of all lengths, with stalls before some of them; their kinds and names are those of the
/// activities of `run`, in turn.
std::vector<std::vector<GanttBar>> randomBars(std::size_t count, const Run& run) {
  std::mt19937_64 random(1);
  std::vector<std::vector<GanttBar>> rows(kRows);
  for (std::size_t i = 0; i < count; ++i) {
    auto& row = rows[i % kRows];
    GanttBar bar{.activity = ActivityId(i % run.timing.times.size())};
    bar.idle = row.empty() ? SimTime() : row.back().end;
    bar.begin = bar.idle + SimTime(static_cast<std::int64_t>(random() % 3 ? 0 : random() % 9'000));
    bar.end = bar.begin + SimTime(1 + static_cast<std::int64_t>(random() % 30'000));
    bar.kind = run.timing.activities.activities[bar.activity].kind;
    bar.rule = static_cast<WaitRule>(random() % kWaitRuleNames.size());
    bar.critical = random() % 4 == 0;
    row.push_back(bar);
  }
  return rows;
}

void measure(std::size_t count) {
  RunRequest request = defaultRequest();
  request.platform = openPlatform("ethos-u65-512").value();
  request.residency = ResidencyRule::belady;
  const auto model = std::make_shared<const Model>(openModel("samples:squeezenet", {}).value());
  GanttScene scene = GanttScene::whole(execute(model, request, {}).value());
  auto bars = randomBars(count, *scene.run);
  const double build = milliseconds([&] {
    scene.store = std::make_shared<const GanttStore>(
        std::vector<GanttRow>{{"mac"}, {"vector"}, {"dma 1", true}, {"dma 2", true}},
        std::move(bars));
  });
  const auto all = static_cast<double>(scene.store->bars(0).back().end.count());
  QImage frame(kScreen, QImage::Format_RGB32);
  const auto draw = [&](double begin, double end) {
    scene.begin = begin;
    scene.end = end;
    QPainter painter(&frame);
    PainterCanvas canvas(painter);
    drawGantt(canvas, scene, {0, 0, double(kScreen.width()), double(kScreen.height())});
  };
  const auto line = [&](const char* what, double time) {
    std::printf("gantt %9zu activities  %-40s %8.2f ms\n", count, what, time);
  };
  line("adding up zones", build);
  line("picture of all", median(15, [&](int i) { draw(i * 1e5, all); }));
  line("zoomed to a tenth", median(15, [&](int i) { draw(i * 1e5, all / 10); }));
  line("zoomed to what has bars of its own",
       median(15, [&](int i) { draw(i * 1e5, 2e7 + i * 1e5); }));
}

}  // namespace

int main(int argc, char** argv) {
  if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication application(argc, argv);
  Theme::apply(Theme::light());
  for (const std::size_t count : {std::size_t{50'000}, std::size_t{5'000'000}}) measure(count);
  return 0;
}
