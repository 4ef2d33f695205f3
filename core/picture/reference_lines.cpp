#include "core/picture/reference_lines.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"

namespace hw {

namespace {

/// A capacity more than this many times the footprint would flatten the map.
constexpr double kFarCapacity = 2.0;

Bytes footprintOf(const Run& run, PoolId pool) {
  return run.plan.regions.contains(pool) ? run.plan.footprint(pool) : Bytes();
}

}  // namespace

Stroke strokeOf(ReferenceLine::Kind kind) {
  switch (kind) {
    case ReferenceLine::Kind::capacity:
      return {Ink::capacity, 1.5, kDashed};
    case ReferenceLine::Kind::peak:
      return {Ink::text, 1, kDotted};
    case ReferenceLine::Kind::lowerBound:
      return {Ink::lowerBound, 1, kDashDotted};
  }
  return {};
}

std::vector<ReferenceLine> referenceLines(const Run& run, PoolId pool) {
  using Kind = ReferenceLine::Kind;
  std::vector<ReferenceLine> lines;
  if (const auto capacity = run.problem.pools[pool].capacity) {
    lines.push_back(
        {Kind::capacity, *capacity,
         printable(run.problem.pools[pool].name, 40) + " capacity " + formatBytes(*capacity)});
  }
  const Bytes peak = footprintOf(run, pool);
  if (peak == Bytes()) return lines;
  const PoolMetrics metrics =
      run.metrics.pools.contains(pool) ? run.metrics.pools[pool] : PoolMetrics();
  const auto label = [&](const char* what, Bytes bytes, Step step) {
    const std::string text = fmt::format("{} {}", what, formatBytes(bytes));
    return metrics.stays == 0 ? text : text + fmt::format(", step {}", groupDigits(step.count()));
  };
  const bool met = metrics.peakLive == peak;
  lines.push_back(
      {Kind::peak, peak,
       label(met ? "highest address = live peak" : "highest address", peak, metrics.atTop.step)});
  if (metrics.peakLive > Bytes() && !met) {
    lines.push_back({Kind::lowerBound, metrics.peakLive,
                     label("live peak", metrics.peakLive, metrics.peakStep)});
  }
  return lines;
}

double fullByteRange(const Run& run, PoolId pool) {
  const auto peak = static_cast<double>(footprintOf(run, pool).count());
  double top = peak;
  for (const ReferenceLine& line : referenceLines(run, pool)) {
    const auto bytes = static_cast<double>(line.bytes.count());
    if (line.kind != ReferenceLine::Kind::capacity || bytes <= kFarCapacity * peak) {
      top = std::max(top, bytes);
    }
  }
  return std::max(16.0, top * 1.08);
}

std::vector<PoolId> usedPools(const Run& run) {
  std::vector<PoolId> pools;
  for (const PoolId pool : run.metrics.pools.keys()) {
    if (run.metrics.pools[pool].stays > 0) pools.push_back(pool);
  }
  return pools;
}

}  // namespace hw
