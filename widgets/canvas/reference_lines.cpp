#include "widgets/canvas/reference_lines.h"

#include <QCoreApplication>
#include <algorithm>

#include "core/base/text.h"

namespace hw {

namespace {

/// A capacity more than this many times the footprint would flatten the map.
constexpr double kFarCapacity = 2.0;

QString tr(const char* text) { return QCoreApplication::translate("ReferenceLines", text); }

QString sizeText(Bytes bytes) { return QString::fromStdString(formatBytes(bytes)); }

Bytes footprintOf(const Run& run, PoolId pool) {
  return run.plan.regions.contains(pool) ? run.plan.footprint(pool) : Bytes();
}

}  // namespace

LineStyle lineStyle(ReferenceLine::Kind kind, const Theme& theme) {
  switch (kind) {
    case ReferenceLine::Kind::capacity:
      return {theme.capacity, 1.5, Qt::DashLine};
    case ReferenceLine::Kind::peak:
      return {theme.text, 1, Qt::DotLine};
    case ReferenceLine::Kind::lowerBound:
      return {theme.lowerBound, 1, Qt::DashDotLine};
  }
  return {};
}

std::vector<ReferenceLine> referenceLines(const Run& run, PoolId pool) {
  using Kind = ReferenceLine::Kind;
  std::vector<ReferenceLine> lines;
  if (const auto capacity = run.problem.pools[pool].capacity) {
    const QString name = QString::fromStdString(run.problem.pools[pool].name);
    lines.push_back(
        {Kind::capacity, *capacity, tr("%1 capacity %2").arg(name, sizeText(*capacity))});
  }
  const Bytes peak = footprintOf(run, pool);
  if (peak == Bytes()) return lines;
  const Bytes bound =
      run.metrics.pools.contains(pool) ? run.metrics.pools[pool].lowerBound : Bytes();
  if (bound == peak) {
    lines.push_back({Kind::peak, peak, tr("peak %1 = lower bound").arg(sizeText(peak))});
    return lines;
  }
  lines.push_back({Kind::peak, peak, tr("peak %1").arg(sizeText(peak))});
  if (bound > Bytes()) {
    lines.push_back({Kind::lowerBound, bound, tr("lower bound %1").arg(sizeText(bound))});
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

QString mapTitle(const Run& run, PoolId pool) {
  const QString name = QString::fromStdString(run.problem.pools[pool].name);
  const auto* info = run.config.allocator.info;
  const QString allocator =
      info ? QString::fromUtf8(info->name.data(), static_cast<int>(info->name.size())) : QString();
  return tr("%1   %2   address / execution step").arg(name, allocator);
}

}  // namespace hw
