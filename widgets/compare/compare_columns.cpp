#include "widgets/compare/compare_columns.h"

#include <QCoreApplication>
#include <QStringList>

#include "core/base/text.h"
#include "core/report/compare_report.h"
#include "core/report/plan_text.h"
#include "widgets/panels/run_text.h"

namespace hw {
namespace {

using C = CompareColumn;

QString tr(const char* text) { return QCoreApplication::translate("CompareModel", text); }

QString none() { return QStringLiteral("\u2013"); }

QString percent(double ratio) { return QStringLiteral("%1 %").arg(ratio * 100, 0, 'f', 1); }

std::optional<double> number(const std::optional<Bytes>& bytes) {
  if (!bytes) return {};
  return static_cast<double>(bytes->count());
}

QString secondsText(double seconds) {
  if (seconds <= 0) return none();
  return seconds < 1 ? tr("%1 ms").arg(seconds * 1000, 0, 'f', 1)
                     : tr("%1 s").arg(seconds, 0, 'f', 2);
}

ColumnInfo sizeColumn(C column) {
  switch (column) {
    case C::peak:
      return {tr("Peak"),
              tr("Bytes to reserve in all pools together: the sum of their footprints. The line "
                 "marks the lower bound, the most bytes live at one step"),
              QStringLiteral("peak_bytes")};
    case C::gap:
      return {tr("Gap"), tr("Peak / lower bound \u2212 1: 0 is the best there can be"),
              QStringLiteral("gap_ratio")};
    case C::capacity:
      return {tr("L2 size"), tr("What may be planned of L2; nothing: no limit"),
              QStringLiteral("l2_capacity_bytes")};
    case C::inL3:
      return {tr("In L3"), tr("How much of the peak is outside the first pool"),
              QStringLiteral("peak_l3_bytes")};
    case C::spilled:
      return {tr("Spilled"), tr("Sum of the sizes of the buffers that live outside the first pool"),
              QStringLiteral("spilled_bytes")};
    default:
      return {tr("Moved"),
              tr("Bytes read and written by all pools while the model runs once, weights included"),
              QStringLiteral("moved_bytes")};
  }
}

ColumnInfo ratioColumn(C column) {
  switch (column) {
    case C::fragmentation:
      return {tr("Fragm."),
              tr("1 \u2212 largest hole / all holes, its mean over the steps at which something is "
                 "live. Holes are free bytes below the highest live one"),
              QStringLiteral("fragmentation_ratio")};
    case C::fragmentationAtPeak:
      return {tr("At peak"), tr("Fragmentation at the step with most bytes live"),
              QStringLiteral("fragmentation_at_peak_ratio")};
    case C::reuse:
      return {tr("Reuse"),
              tr("Bytes placed on addresses that had a tenant before / all bytes placed"),
              QStringLiteral("reuse_ratio")};
    case C::latency:
      return {tr("Latency"),
              tr("Simulated time of one run on the platform, from the start of the first operator "
                 "to the end of the last"),
              QStringLiteral("latency_ps")};
    default:
      return {tr("Planning"), tr("Wall time of the planner alone"),
              QStringLiteral("planning_seconds")};
  }
}

}  // namespace

ColumnInfo columnInfo(CompareColumn column) {
  switch (column) {
    case C::allocator:
      return {
          tr("Allocator"),
          tr("\u2605: smallest peak, \u00bb: lowest latency, of the plans that fit and hold all "
             "that was asked for. Enter or a click opens the plan"),
          QStringLiteral("allocator")};
    case C::platform:
      return {tr("Platform"), tr("The machine that it is planned and simulated for"),
              QStringLiteral("platform")};
    case C::shown:
      return {tr("Below"),
              tr("A is the plan on show. A tick, or Space, shows a row's plan below it, in "
                 "lock-step"),
              QStringLiteral("map")};
    case C::verdict:
      return {tr("Verdict"),
              tr("How good the plan is, or why there is none that fits: a click then shows what "
                 "was in the way"),
              QStringLiteral("verdict")};
    case C::fragmentation:
    case C::fragmentationAtPeak:
    case C::reuse:
    case C::latency:
    case C::planning:
      return ratioColumn(column);
    default:
      return sizeColumn(column);
  }
}

bool isWords(CompareColumn column) {
  return column == C::allocator || column == C::platform || column == C::verdict;
}

std::optional<double> columnFigure(const ComparisonRow& row, CompareColumn column) {
  if (!row.run) return {};
  const RunFigures& figures = row.figures;
  switch (column) {
    case C::peak:
      return number(row.peak());
    case C::gap:
      return figures.gap;
    case C::capacity:
      return number(row.run->problem.pools[PoolId(0)].capacity);
    case C::inL3:
      return number(figures.peakL3);
    case C::fragmentation:
      return figures.fragmentation;
    case C::fragmentationAtPeak:
      return figures.fragmentationAtPeak;
    case C::reuse:
      return figures.reuse;
    case C::spilled:
      return number(figures.spilled);
    case C::moved:
      return number(figures.moved);
    case C::latency:
      if (!figures.latency) return {};
      return static_cast<double>(figures.latency->count());
    case C::planning:
      return figures.planSeconds;
    default:
      return {};
  }
}

QString figureText(const ComparisonRow& row, CompareColumn column) {
  const auto value = columnFigure(row, column);
  if (!value) return none();
  switch (column) {
    case C::gap:
      return QString::fromStdString(formatPercent(*value));
    case C::fragmentation:
    case C::fragmentationAtPeak:
    case C::reuse:
      return percent(*value);
    case C::latency:
      return timeText(*row.figures.latency);
    case C::planning:
      return secondsText(*value);
    default:
      return sizeText(Bytes(static_cast<std::int64_t>(*value)));
  }
}

QString verdictText(const ComparisonRow& row, const QStringList& badges) {
  if (row.error) return QString::fromStdString(printable(row.error->text(), 400));
  if (const auto reason = planFailure(*row.run)) {
    return QString::fromStdString(printable(*reason, 400));
  }
  const QString status = QString::fromStdString(comparisonStatus(row));
  if (row.figures.inputsOutside > Bytes()) {
    return tr("%1, without %2 of inputs").arg(status, sizeText(row.figures.inputsOutside));
  }
  return badges.isEmpty() ? status : tr("%1; %2").arg(badges.join(QStringLiteral(", ")), status);
}

}  // namespace hw
