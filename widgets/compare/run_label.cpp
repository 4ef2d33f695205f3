#include "widgets/compare/run_label.h"

#include <QCoreApplication>

#include "core/base/text.h"
#include "widgets/panels/run_text.h"

namespace hw {
namespace {

QString tr(const char* text) { return QCoreApplication::translate("RunLabel", text); }

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

QString runLetter(std::size_t index) {
  QString letters;
  for (std::size_t rest = index + 1; rest > 0; rest = (rest - 1) / 26) {
    letters.prepend(QChar(static_cast<char16_t>(u'A' + (rest - 1) % 26)));
  }
  return letters;
}

QString runLabel(const Run& run) {
  QString label = run.config.allocator.info
                      ? QString::fromStdString(printable(run.config.allocator.text(), 80))
                      : tr("plan");
  if (run.model->problem || run.config.platform.name.empty()) return label;
  label = tr("%1 on %2").arg(label, QString::fromStdString(printable(run.config.platform.name)));
  const QString capacity = capacityText(run.config.l2);
  return capacity.isEmpty() ? label : QStringLiteral("%1, %2").arg(label, capacity);
}

QString comparedTitle(const QString& letter, const Run& run, PoolId pool) {
  if (!run.problem.pools.contains(pool)) return letter;
  const Bytes peak = run.plan.regions.contains(pool) ? run.plan.footprint(pool) : Bytes();
  const QString place =
      QStringLiteral("%1   %2   %3").arg(letter, poolText(run, pool), runLabel(run));
  if (!run.metrics.pools.contains(pool) || peak == Bytes()) {
    return tr("%1   peak %2").arg(place, sizeText(peak));
  }
  return tr("%1   peak %2   gap %3")
      .arg(place, sizeText(peak),
           QString::fromStdString(formatPercent(run.metrics.pools[pool].gap())));
}

}  // namespace hw
