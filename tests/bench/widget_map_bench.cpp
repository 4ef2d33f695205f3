// How long a memory map takes to draw at 1920x1080, in milliseconds by the clock, for drawing uses
// all cores: one line a figure.

#include <QApplication>
#include <QImage>
#include <algorithm>
#include <chrono>
#include <cstdio>

#include "tests/bench/lane_run.h"
#include "widgets/map/map_view.h"

namespace {

using namespace hw;

constexpr QSize kScreen{1920, 1080};

double milliseconds(const auto& work) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  work();
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// The median of `rounds` times.
double median(int rounds, const auto& work) {
  std::vector<double> times;
  for (int i = 0; i < rounds; ++i) times.push_back(milliseconds([&] { work(i); }));
  std::ranges::nth_element(times, times.begin() + rounds / 2);
  return times[static_cast<std::size_t>(rounds / 2)];
}

void measure(std::size_t count) {
  ViewState state;
  const auto run = bench::laneRun(count);
  const double build = median(3, [&](int) { return BlockStore::ofPool(*run, PoolId(0)).size(); });
  MapView map(&state, PoolId(0));
  map.resize(kScreen);
  state.setRun(run);
  QImage frame(kScreen, QImage::Format_RGB32);
  const double first = milliseconds([&] {
    map.render(&frame);
    while (map.isRefining()) {
      QApplication::processEvents(QEventLoop::AllEvents, 1);
      if (!map.isRefining()) map.render(&frame);
    }
  });
  const auto all = static_cast<double>(state.steps().count());
  // Ever so slightly less than everything, a little different each time: all blocks, new picture.
  const double redraw = median(15, [&](int i) {
    state.setVisible(0.001 * (i + 1), all);
    map.render(&frame);
  });
  map.fit();
  map.render(&frame);
  const double playhead = median(31, [&](int i) {
    state.setStep(Step(i * state.steps().count() / 31));
    map.render(&frame);
  });
  const double tenth = median(15, [&](int i) {
    state.setVisible(0.001 * (i + 1), all / 10);
    map.render(&frame);
  });
  const MapRequest request{.window = {0, all, 0, map.window().highByte},
                           .size = map.plotArea().size()};
  MapRaster again;
  const double raster = median(5, [&](int) { rasterize(map.blocks(), request, again); });
  const auto line = [&](const char* what, double time) {
    std::printf("map %9zu blocks  %-44s %8.2f ms\n", count, what, time);
  };
  line("sorting the blocks into columns", build);
  line("first picture", first);
  line("repaint with every block drawn anew", redraw);
  line("repaint when only the playhead moves", playhead);
  line("repaint zoomed to a tenth of the steps", tenth);
  line("raster alone", raster);
}

}  // namespace

int main(int argc, char** argv) {
  if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication application(argc, argv);
  Theme::apply(Theme::light());
  for (const std::size_t count :
       {std::size_t{10'000}, std::size_t{100'000}, std::size_t{1'000'000}}) {
    measure(count);
  }
  return 0;
}
