// Seeks in a trace of four million events, from few live chunks to many.

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "core/trace/trace.h"
#include "tests/bench/cpu_timer.h"

using namespace hw;

namespace {

/// An arena of `chunks` chunks in which blocks are cut in two, owned, released and joined again.
Trace churn(std::size_t chunks, std::size_t events) {
  std::mt19937_64 random(3);
  Trace::Builder builder(1);
  builder.reserve(events + chunks);
  constexpr std::int64_t kSize = 128;
  const auto add = [&](std::size_t i, std::size_t chunk, EventKind kind, std::int64_t part) {
    builder.add(SimTime(static_cast<std::int64_t>(i)),
                {.offset = Bytes(static_cast<std::int64_t>(chunk) * kSize + part),
                 .size = Bytes(kSize - part),
                 .stay = StayId(chunk),
                 .region = RegionId(0),
                 .kind = kind});
  };
  for (std::size_t chunk = 0; chunk < chunks; ++chunk) add(0, chunk, EventKind::extend, 0);
  for (std::size_t i = chunks; i < events; i += 4) {
    const std::size_t chunk = random() % chunks;
    add(i, chunk, EventKind::split, kSize / 2);
    add(i, chunk, EventKind::alloc, kSize / 2);
    add(i, chunk, EventKind::free, kSize / 2);
    add(i, chunk, EventKind::merge, kSize / 2);
  }
  return std::move(builder).finish();
}

void seek(std::size_t chunks) {
  constexpr std::size_t kEvents = 4'000'000;
  constexpr int kSeeks = 200;
  const bench::CpuTimer building;
  const Trace trace = churn(chunks, kEvents);
  const double built = building.milliseconds();
  std::mt19937_64 random(4);
  double worst = 0;
  std::size_t seen = 0;
  const bench::CpuTimer timer;
  for (int i = 0; i < kSeeks; ++i) {
    const bench::CpuTimer one;
    seen += trace.stateAfter(random() % (trace.size() + 1))[PoolId(0)].chunkCount();
    worst = std::max(worst, one.milliseconds());
  }
  fmt::print(
      "random seek, {} M events, {} live chunks: {:.3f} ms (worst {:.3f}), built in {:.0f} ms "
      "(check {})\n",
      trace.size() / 1'000'000, chunks, timer.milliseconds() / kSeeks, worst, built, seen % 1000);
}

void strip() {
  const Trace trace = churn(200, 4'000'000);
  constexpr std::size_t kPixels = 1920;
  const bench::CpuTimer timer;
  Bytes sum;
  for (std::size_t x = 0; x < kPixels; ++x) {
    sum +=
        trace.usage(PoolId(0), trace.size() * x / kPixels, trace.size() * (x + 1) / kPixels).high;
  }
  fmt::print("min/max strip of {} pixels over {} M events: {:.3f} ms (check {})\n", kPixels,
             trace.size() / 1'000'000, timer.milliseconds(), sum.count() % 1000);
}

}  // namespace

int main() {
  seek(200);
  seek(20'000);
  strip();
}
