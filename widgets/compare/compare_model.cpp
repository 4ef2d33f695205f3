#include "widgets/compare/compare_model.h"

#include <QFont>
#include <algorithm>

#include "core/base/text.h"
#include "widgets/compare/run_label.h"
#include "widgets/panels/run_text.h"

namespace hw {
namespace {

using C = CompareColumn;

/// The same run, or one that was made in the same way and came to the same plan.
bool samePlan(const Run& a, const Run& b) {
  if (&a == &b) return true;
  return a.model == b.model && a.config.allocator.text() == b.config.allocator.text() &&
         sameSettings(a.config, b.config) && std::ranges::equal(a.plan.addresses, b.plan.addresses);
}

/// May be called smallest or fastest: a plan of a part is neither.
bool competes(const ComparisonRow& row) {
  return row.fits() && row.figures.inputsOutside == Bytes();
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
  findLargest();
  findFastest();
  endResetModel();
  setShown(a_, below_);
}

void CompareModel::findLargest() {
  largestPeak_ = largestGap_ = largestLatency_ = 0;
  for (int index = 0; index < rowCount(); ++index) {
    const ComparisonRow& one = *row(index);
    if (!one.fits()) continue;
    largestPeak_ = std::max(largestPeak_, *columnFigure(one, C::peak));
    largestGap_ = std::max(largestGap_, one.figures.gap.value_or(0));
    largestLatency_ = std::max(largestLatency_, columnFigure(one, C::latency).value_or(0));
  }
}

void CompareModel::findFastest() {
  fastest_.reset();
  bool differ = false;
  for (int index = 0; index < rowCount(); ++index) {
    const ComparisonRow& one = *row(index);
    if (!competes(one) || !one.figures.latency) continue;
    differ = differ || (fastest_ && *fastest_ != *one.figures.latency);
    fastest_ = std::min(fastest_.value_or(*one.figures.latency), *one.figures.latency);
  }
  if (!differ) fastest_.reset();
}

void CompareModel::setShown(std::shared_ptr<const Run> a,
                            std::vector<std::shared_ptr<const Run>> below) {
  a_ = std::move(a);
  below_ = std::move(below);
  rowOfA_ = rowOf(a_);
  rowsBelow_.clear();
  for (const auto& run : below_) rowsBelow_.push_back(rowOf(run));
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

std::shared_ptr<const Run> CompareModel::below(int index) const {
  const auto found = std::ranges::find(rowsBelow_, index);
  if (found == rowsBelow_.end()) return nullptr;
  return below_[static_cast<std::size_t>(found - rowsBelow_.begin())];
}

bool CompareModel::isFastest(int index) const {
  const ComparisonRow& one = *row(index);
  return fastest_ && competes(one) && one.figures.latency == fastest_;
}

bool CompareModel::isIdle(int column) const {
  const auto kind = static_cast<C>(column);
  if (kind == C::platform) return !comparison_ || !comparison_->severalPlatforms();
  if (kind == C::capacity) return isIdle(platform);
  if (isWords(kind) || column == shown || column == peak || column == gap) return false;
  for (int index = 0; index < rowCount(); ++index) {
    if (columnFigure(*row(index), kind).value_or(0) > 0) return false;
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
  if (index == rowOfA_) return runLetter(0);
  const auto found = std::ranges::find(rowsBelow_, index);
  if (found == rowsBelow_.end()) return {};
  return runLetter(static_cast<std::size_t>(found - rowsBelow_.begin()) + 1);
}

QStringList CompareModel::badges(int index) const {
  QStringList badges;
  if (row(index)->best) badges.append(tr("smallest"));
  if (isFastest(index)) badges.append(tr("fastest"));
  return badges;
}

QString CompareModel::nameText(int index) const {
  const QString name = QString::fromStdString(printable(row(index)->allocator.text(), 200));
  QString marks;
  if (row(index)->best) marks += QChar(0x2605);
  if (isFastest(index)) marks += QChar(0xbb);
  return marks.isEmpty() ? name : QStringLiteral("%1 %2").arg(marks, name);
}

QString CompareModel::text(int index, CompareColumn column) const {
  const ComparisonRow& row = *this->row(index);
  switch (column) {
    case C::allocator:
      return nameText(index);
    case C::platform:
      return QString::fromStdString(printable(row.platform, 80));
    case C::shown:
      return shownText(index);
    case C::verdict:
      return verdictText(row, badges(index));
    default:
      return figureText(row, column);
  }
}

QString CompareModel::toolTip(int index, CompareColumn column) const {
  const ComparisonRow& row = *this->row(index);
  const QString meaning = columnInfo(column).meaning;
  switch (column) {
    case C::allocator: {
      const auto& summary = row.allocator.info->summary;
      return QString::fromUtf8(summary.data(), static_cast<qsizetype>(summary.size()));
    }
    case C::shown:
      return row.run ? meaning : tr("There is no plan to show");
    case C::verdict:
      return verdictText(row, badges(index));
    case C::peak:
    case C::capacity:
    case C::inL3:
    case C::spilled:
    case C::moved:
      if (const auto value = columnFigure(row, column)) {
        return QStringLiteral("%1\n%2").arg(fullSizeText(Bytes(static_cast<std::int64_t>(*value))),
                                            meaning);
      }
      return meaning;
    default:
      return meaning;
  }
}

QVariant CompareModel::sortKey(int index, CompareColumn column) const {
  const ComparisonRow& row = *this->row(index);
  if (column == C::allocator) return QString::fromStdString(row.allocator.text());
  if (isWords(column) || column == C::shown) return text(index, column);
  // The peak of a part of the plan says nothing beside the peak of a whole one.
  if (column == C::peak && !row.fits()) return {};
  const auto value = columnFigure(row, column);
  return value ? QVariant(*value) : QVariant();
}

QVariant CompareModel::bar(const ComparisonRow& row, CompareColumn column) const {
  const double largest = column == C::peak      ? largestPeak_
                         : column == C::gap     ? largestGap_
                         : column == C::latency ? largestLatency_
                                                : 0;
  const auto value = columnFigure(row, column);
  if (!value || !row.fits() || largest <= 0) return {};
  return std::clamp(*value / largest, 0.0, 1.0);
}

/// On several platforms bounds differ, so each row has its own there.
QVariant CompareModel::mark(const ComparisonRow& row) const {
  if (largestPeak_ <= 0) return {};
  const bool own = row.run && comparison_->severalPlatforms();
  const Bytes bound = own ? row.figures.lowerBound : comparison_->lowerBound;
  return std::clamp(static_cast<double>(bound.count()) / largestPeak_, 0.0, 1.0);
}

QVariant CompareModel::data(const QModelIndex& index, int role) const {
  const ComparisonRow* one = row(index.row());
  if (one == nullptr) return {};
  const auto column = static_cast<C>(index.column());
  switch (role) {
    case Qt::DisplayRole:
      return text(index.row(), column);
    case Qt::ToolTipRole:
      return toolTip(index.row(), column);
    case Qt::CheckStateRole:
      if (column != C::shown || !one->run || index.row() == rowOfA_) return {};
      return below(index.row()) ? Qt::Checked : Qt::Unchecked;
    case Qt::TextAlignmentRole:
      return QVariant(Qt::AlignVCenter |
                      (isWords(column) || column == C::shown ? Qt::AlignLeft : Qt::AlignRight));
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
      return column == C::peak ? mark(*one) : QVariant();
    case kBestRole:
      return column == C::latency ? isFastest(index.row()) : one->best;
    default:
      return {};
  }
}

QVariant CompareModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  const auto column = static_cast<C>(section);
  if (role == Qt::DisplayRole) return columnInfo(column).title;
  if (role == Qt::ToolTipRole) return columnInfo(column).meaning;
  if (role == Qt::TextAlignmentRole) {
    return QVariant(Qt::AlignVCenter |
                    (isWords(column) || column == C::shown ? Qt::AlignLeft : Qt::AlignRight));
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
