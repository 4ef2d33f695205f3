#include "widgets/text/run_label.h"

#include "core/base/text.h"
#include "core/check/stated_run.h"
#include "core/machine/platforms.h"
#include "core/picture/chart_scene.h"
#include "widgets/text/run_text.h"
#include "widgets/text/text.h"

namespace hw {
namespace {

QString capacityText(const PoolSize& size) {
  switch (size.kind) {
    case PoolSize::Kind::unbounded:
      return tr("L2 unlimited");
    case PoolSize::Kind::bytes:
      return tr("L2 %1").arg(sizeText(size.bytes));
    case PoolSize::Kind::platform:
      break;
  }
  return {};
}

}  // namespace

QString runLetter(std::size_t index) { return viewText(placeLetter(index)); }

QString runLabel(const Run& run) {
  if (const auto file = planFileOf(run)) return QString::fromStdString(printable(*file, 80));
  QString label = run.request.allocator.info
                      ? QString::fromStdString(printable(run.request.allocator.text(), 80))
                      : tr("plan");
  if (run.model->problem || run.request.platform.name.empty()) return label;
  label = tr("%1 on %2")
              .arg(label, QString::fromStdString(printable(platformLabel(run.request.platform))));
  const QString capacity = capacityText(run.request.l2);
  return capacity.isEmpty() ? label : QStringLiteral("%1, %2").arg(label, capacity);
}

QString comparedTitle(const QString& letter, const Run& run, PoolId pool) {
  if (!run.problem.pools.contains(pool)) return letter;
  const Bytes peak = run.plan.regions.contains(pool) ? run.plan.footprint(pool) : Bytes();
  const QString place =
      QStringLiteral("%1   %2   %3").arg(letter, poolText(run, pool), runLabel(run));
  if (!run.metrics.pools.contains(pool) || peak == Bytes()) {
    return tr("%1   highest address %2").arg(place, sizeText(peak));
  }
  const PoolMetrics& metrics = run.metrics.pools[pool];
  if (metrics.gap() <= 0) return tr("%1   %2, the live peak").arg(place, sizeText(peak));
  return tr("%1   %2, %3 over the live peak")
      .arg(place, sizeText(peak), QString::fromStdString(formatPercent(metrics.gap())));
}

}  // namespace hw
