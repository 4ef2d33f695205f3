#include "widgets/compare/compare_model.h"

#include <QFont>
#include <algorithm>

#include "core/base/text.h"
#include "core/report/compare_report.h"
#include "core/report/plan_text.h"
#include "widgets/panels/run_text.h"

namespace hw {
namespace {

const QString kNone = QStringLiteral("\u2013");

QString percent(double ratio) { return QStringLiteral("%1 %").arg(ratio * 100, 0, 'f', 1); }

std::optional<double> asNumber(const std::optional<Bytes>& bytes) {
  if (!bytes) return {};
  return static_cast<double>(bytes->count());
}

/// The figure of a cell, for comparing; nothing for columns of words and rows without it.
std::optional<double> figure(const ComparisonRow& row, int column) {
  if (!row.run) return {};
  const RunFigures& figures = row.figures;
  switch (column) {
    case CompareModel::peak:
      return static_cast<double>(row.peak().count());
    case CompareModel::gap:
      return figures.gap;
    case CompareModel::inL3:
      return static_cast<double>(figures.peakL3.count());
    case CompareModel::fragmentation:
      return figures.fragmentation;
    case CompareModel::fragmentationAtPeak:
      return figures.fragmentationAtPeak;
    case CompareModel::reuse:
      return figures.reuse;
    case CompareModel::spilled:
      return asNumber(figures.spilled);
    case CompareModel::moved:
      return asNumber(figures.moved);
    case CompareModel::latency:
      if (!figures.latency) return {};
      return static_cast<double>(figures.latency->count());
    case CompareModel::planning:
      return figures.planSeconds;
    default:
      return {};
  }
}

QString secondsText(double seconds) {
  if (seconds <= 0) return kNone;
  return seconds < 1 ? CompareModel::tr("%1 ms").arg(seconds * 1000, 0, 'f', 1)
                     : CompareModel::tr("%1 s").arg(seconds, 0, 'f', 2);
}

/// Why the row has no plan, or none that fits; else how good it is.
QString verdictText(const ComparisonRow& row) {
  if (row.error) return QString::fromStdString(printable(row.error->text(), 400));
  if (const auto reason = planFailure(*row.run)) {
    return QString::fromStdString(printable(*reason, 400));
  }
  const QString status = QString::fromStdString(comparisonStatus(row));
  if (row.figures.inputsOutside > Bytes()) {
    return CompareModel::tr("%1, without %2 of inputs")
        .arg(status, sizeText(row.figures.inputsOutside));
  }
  return row.best ? CompareModel::tr("best; %1").arg(status) : status;
}

/// Title and meaning of every column.
std::pair<QString, QString> heading(int column) {
  using M = CompareModel;
  switch (column) {
    case M::allocator:
      return {M::tr("Allocator"), M::tr("A click opens its plan")};
    case M::shown:
      return {M::tr("Map"), M::tr("A: on show. B: below it, in lock-step. Click + to show a plan "
                                  "below, B to close it")};
    case M::peak:
      return {M::tr("Peak"),
              M::tr("Bytes to reserve in all pools; the line marks the lower bound")};
    case M::gap:
      return {M::tr("Gap"), M::tr("Peak / lower bound - 1: 0 is the best there can be")};
    case M::inL3:
      return {M::tr("In L3"), M::tr("How much of the peak is outside the first pool")};
    case M::fragmentation:
      return {M::tr("Fragm."), M::tr("1 - largest hole / all holes, its mean over all steps")};
    case M::fragmentationAtPeak:
      return {M::tr("At peak"), M::tr("Fragmentation of the step with most bytes live")};
    case M::reuse:
      return {M::tr("Reuse"), M::tr("Share of the bytes that lie where others were before")};
    case M::spilled:
      return {M::tr("Spilled"), M::tr("Bytes of what lives outside the first pool")};
    case M::moved:
      return {M::tr("Moved"), M::tr("Bytes read and written by all pools in one run")};
    case M::latency:
      return {M::tr("Latency"), M::tr("Simulated time of one run")};
    case M::planning:
      return {M::tr("Planning"), M::tr("Wall time of the planner")};
    case M::verdict:
      return {M::tr("Verdict"), M::tr("How good the plan is, or why there is none")};
    default:
      return {};
  }
}

bool isWords(int column) {
  return column == CompareModel::allocator || column == CompareModel::verdict;
}

/// The same run, or one that was made in the same way and came to the same plan.
bool samePlan(const Run& a, const Run& b) {
  if (&a == &b) return true;
  return a.model == b.model && a.config.allocator.text() == b.config.allocator.text() &&
         sameSettings(a.config, b.config) && std::ranges::equal(a.plan.addresses, b.plan.addresses);
}

}  // namespace

bool sameSettings(const RunConfig& a, const RunConfig& b) {
  const auto size = [](const PoolSize& pool) { return std::pair(pool.kind, pool.bytes); };
  const auto key = [&](const RunConfig& config) {
    return std::tuple(config.platform.name, size(config.l2), size(config.l3), config.alignment,
                      config.planInputs, config.planOutputs, config.streamWeights, config.seed);
  };
  return key(a) == key(b) && a.alias == b.alias;
}

void CompareModel::setComparison(std::shared_ptr<const Comparison> comparison) {
  beginResetModel();
  comparison_ = std::move(comparison);
  largestPeak_ = 0;
  largestGap_ = 0;
  for (int index = 0; index < rowCount(); ++index) {
    const ComparisonRow& one = *row(index);
    if (!one.fits()) continue;
    largestPeak_ = std::max(largestPeak_, *figure(one, peak));
    largestGap_ = std::max(largestGap_, one.figures.gap.value_or(0));
  }
  endResetModel();
  setShown(a_, b_);
}

void CompareModel::setShown(std::shared_ptr<const Run> a, std::shared_ptr<const Run> b) {
  a_ = std::move(a);
  b_ = std::move(b);
  rowOfA_ = rowOf(a_);
  rowOfB_ = rowOf(b_);
  if (rowCount() > 0) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, kColumns - 1));
}

const ComparisonRow* CompareModel::row(int index) const {
  if (!comparison_ || index < 0 || index >= rowCount()) return nullptr;
  return &comparison_->rows[static_cast<std::size_t>(index)];
}

int CompareModel::rowOf(const std::shared_ptr<const Run>& run) const {
  for (int index = 0; run && index < rowCount(); ++index) {
    const auto& other = row(index)->run;
    if (other && samePlan(*other, *run)) return index;
  }
  return -1;
}

bool CompareModel::isIdle(int column) const {
  if (isWords(column) || column == shown || column == peak || column == gap) return false;
  for (int index = 0; index < rowCount(); ++index) {
    if (figure(*row(index), column).value_or(0) > 0) return false;
  }
  return true;
}

int CompareModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() || !comparison_ ? 0 : static_cast<int>(comparison_->rows.size());
}

int CompareModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : kColumns;
}

QString CompareModel::shownText(int index) const {
  if (!row(index)->run) return {};
  if (index == rowOfA_) return tr("A");
  return index == rowOfB_ ? tr("B") : QStringLiteral("+");
}

QString CompareModel::text(int index, int column) const {
  const ComparisonRow& row = *this->row(index);
  if (column == allocator) {
    return (row.best ? QStringLiteral("\u2605 ") : QString()) +
           QString::fromStdString(printable(row.allocator.text(), 200));
  }
  if (column == shown) return shownText(index);
  if (column == verdict) return verdictText(row);
  const auto value = figure(row, column);
  if (!value) return kNone;
  switch (column) {
    case gap:
      return QString::fromStdString(formatPercent(*value));
    case fragmentation:
    case fragmentationAtPeak:
    case reuse:
      return percent(*value);
    case latency:
      return timeText(*row.figures.latency);
    case planning:
      return secondsText(*value);
    default:
      return sizeText(Bytes(static_cast<std::int64_t>(*value)));
  }
}

QString CompareModel::toolTip(const ComparisonRow& row, int column) const {
  const QString meaning = heading(column).second;
  switch (column) {
    case allocator: {
      const auto& summary = row.allocator.info->summary;
      return QString::fromUtf8(summary.data(), static_cast<qsizetype>(summary.size()));
    }
    case shown:
      return row.run ? meaning : tr("There is no plan to show");
    case verdict:
      return verdictText(row);
    case peak:
    case inL3:
    case spilled:
    case moved:
      if (const auto value = figure(row, column)) {
        return QStringLiteral("%1\n%2").arg(fullSizeText(Bytes(static_cast<std::int64_t>(*value))),
                                            meaning);
      }
      return meaning;
    default:
      return meaning;
  }
}

QVariant CompareModel::sortKey(int index, int column) const {
  const ComparisonRow& row = *this->row(index);
  if (column == allocator) return QString::fromStdString(row.allocator.text());
  if (column == shown || column == verdict) return text(index, column);
  // The peak of a part of the plan says nothing beside the peak of a whole one.
  if (column == peak && !row.fits()) return {};
  const auto value = figure(row, column);
  return value ? QVariant(*value) : QVariant();
}

QVariant CompareModel::bar(const ComparisonRow& row, int column) const {
  const double largest = column == peak ? largestPeak_ : column == gap ? largestGap_ : 0;
  const auto value = figure(row, column);
  if (!value || !row.fits() || largest <= 0) return {};
  return std::clamp(*value / largest, 0.0, 1.0);
}

QVariant CompareModel::data(const QModelIndex& index, int role) const {
  const ComparisonRow* one = row(index.row());
  if (one == nullptr) return {};
  const int column = index.column();
  switch (role) {
    case Qt::DisplayRole:
      return text(index.row(), column);
    case Qt::ToolTipRole:
      return toolTip(*one, column);
    case Qt::TextAlignmentRole:
      if (column == shown) return QVariant(Qt::AlignCenter);
      return QVariant(Qt::AlignVCenter | (isWords(column) ? Qt::AlignLeft : Qt::AlignRight));
    case Qt::FontRole: {
      QFont font;
      font.setBold(one->best);
      return one->best ? QVariant(font) : QVariant();
    }
    case kSortRole:
      return sortKey(index.row(), column);
    case kBarRole:
      return bar(*one, column);
    case kMarkRole:
      if (column != peak || largestPeak_ <= 0) return {};
      return std::clamp(static_cast<double>(comparison_->lowerBound.count()) / largestPeak_, 0.0,
                        1.0);
    case kBestRole:
      return one->best;
    default:
      return {};
  }
}

QVariant CompareModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::DisplayRole) return heading(section).first;
  if (role == Qt::ToolTipRole) return heading(section).second;
  if (role == Qt::TextAlignmentRole) {
    if (section == shown) return QVariant(Qt::AlignCenter);
    return QVariant(Qt::AlignVCenter | (isWords(section) ? Qt::AlignLeft : Qt::AlignRight));
  }
  return {};
}

CompareOrder::CompareOrder(QObject* parent) : QSortFilterProxyModel(parent) {
  setSortRole(CompareModel::kSortRole);
  setSortCaseSensitivity(Qt::CaseInsensitive);
}

bool CompareOrder::lessThan(const QModelIndex& left, const QModelIndex& right) const {
  const bool leftHas = left.data(CompareModel::kSortRole).isValid();
  const bool rightHas = right.data(CompareModel::kSortRole).isValid();
  // Descending order asks the other way round.
  if (leftHas != rightHas) return sortOrder() == Qt::AscendingOrder ? leftHas : rightHas;
  return leftHas && QSortFilterProxyModel::lessThan(left, right);
}

}  // namespace hw
