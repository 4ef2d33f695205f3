#include "widgets/text/run_text.h"

#include "core/base/text.h"
#include "core/check/stated_run.h"
#include "core/machine/platforms.h"
#include "core/picture/chart_scene.h"
#include "core/report/plan/plan_text.h"

namespace hw {

namespace {

TextUnits currentUnits;

}  // namespace

const TextUnits& TextUnits::current() { return currentUnits; }

void TextUnits::apply(const TextUnits& units) { currentUnits = units; }

QString percentText(double ratio) { return QStringLiteral("%1 %").arg(ratio * 100, 0, 'f', 1); }

QString timeText(SimTime time) { return QString::fromStdString(formatTime(time)); }

QString exactText(Bytes bytes) {
  return QString::fromStdString(groupDigits(bytes.count())) + QStringLiteral(" B");
}

QString sizeText(Bytes bytes) {
  return currentUnits.exactBytes ? exactText(bytes) : QString::fromStdString(formatBytes(bytes));
}

QString fullSizeText(Bytes bytes) {
  return bytes < Bytes(1024) || currentUnits.exactBytes
             ? sizeText(bytes)
             : QStringLiteral("%1 (%2)").arg(sizeText(bytes), exactText(bytes));
}

QString addressText(Bytes address) {
  if (currentUnits.addresses == AddressStyle::decimal) {
    return QString::fromStdString(groupDigits(address.count()));
  }
  QString digits = QString::number(address.count(), 16);
  while (digits.size() < 5 || digits.size() % 4 != 0) digits.prepend(QLatin1Char('0'));
  for (qsizetype at = digits.size() - 4; at > 0; at -= 4) digits.insert(at, QLatin1Char('_'));
  return QStringLiteral("0x") + digits;
}

QString addressesText(const Interval<Bytes>& bytes) {
  if (bytes.length() <= Bytes(1)) return addressText(bytes.begin);
  return tr("%1 to %2").arg(addressText(bytes.begin), addressText(bytes.end - Bytes(1)));
}

QString stayText(const Run& run, StayId stay) {
  return QString::fromStdString(printable(run.stayName(stay)));
}

QString tensorText(const Run& run, TensorId tensor) {
  return QString::fromStdString(printable(displayName(run.graph(), tensor)));
}

QString opNameText(const Run& run, OpId op) {
  return QString::fromStdString(printable(displayName(run.graph(), op)));
}

QString poolText(const Run& run, PoolId pool) {
  return QString::fromStdString(printable(run.problem.pools[pool].name));
}

QString limitsText(const Run& run) { return QString::fromStdString(capacitiesText(run)); }

QString reasonText(const Run& run, const TimelineEntry& entry) {
  const ProblemPool& first = run.problem.pools[PoolId(0)];
  DetailNames names{.firstPool = first.name,
                    .firstCapacity = first.capacity,
                    .sizeText = [](Bytes bytes) { return sizeText(bytes).toStdString(); }};
  if (run.problem.stays[entry.stay].pool) names.firstPool.clear();  // Its pool was given.
  if (entry.formerTenant) names.formerTenant = printable(run.stayName(entry.formerTenant));
  return QString::fromStdString(detailText(entry, names));
}

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

QString besideLabel(const Run& run, const Run& a) {
  if (run.model == a.model) return runLabel(run);
  return tr("%1, %2").arg(QString::fromStdString(printable(run.model->name, 40)), runLabel(run));
}

QString comparedTitle(const Run& run, PoolId pool, const Run& a) {
  const Bytes peak = run.plan.regions.contains(pool) ? run.plan.footprint(pool) : Bytes();
  const QString place = QStringLiteral("%1   %2").arg(poolText(run, pool), besideLabel(run, a));
  if (!run.metrics.pools.contains(pool) || peak == Bytes()) {
    return tr("%1   highest address %2").arg(place, sizeText(peak));
  }
  const PoolMetrics& metrics = run.metrics.pools[pool];
  if (metrics.gap() <= 0) return tr("%1   %2, the live peak").arg(place, sizeText(peak));
  return tr("%1   %2, %3 over the live peak")
      .arg(place, sizeText(peak), QString::fromStdString(formatPercent(metrics.gap())));
}

}  // namespace hw
