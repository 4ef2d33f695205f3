#include "widgets/compare/compare_model.h"

#include <QFont>
#include <algorithm>

#include "core/base/text.h"
#include "core/check/stated_run.h"
#include "core/report/compare/compare_report.h"
#include "core/report/plan/plan_text.h"
#include "core/run/options.h"
#include "widgets/base/bar_delegate.h"
#include "widgets/text/run_text.h"
#include "widgets/text/text.h"

namespace hw {
namespace {

/// The same run, or one that was made in the same way and came to the same plan.
bool samePlan(const Run& a, const Run& b) {
  if (&a == &b) return true;
  return a.model == b.model && sameBut(a.request, b.request, {"time-limit"}) &&
         std::ranges::equal(a.plan.addresses, b.plan.addresses);
}

/// True if a row can be the smallest or the fastest. A plan that does not fit, or leaves inputs to
/// the caller, is one of a part of the model, which is no merit.
bool competes(const ComparisonRow& row) {
  return row.fits() && row.figures.inputsOutside == Bytes();
}

}  // namespace

CompareModel::CompareModel(QObject* parent) : TableModel(parent) { makeSource(); }

void CompareModel::makeSource() {
  auto table = std::make_shared<TableSource>();
  table->rows = comparison_ ? comparison_->rows.size() : 0;
  table->none = QStringLiteral("\u2013");
  table->exactBytes = false;
  table->columns = columnsVia<std::size_t>(
      pick(comparisonColumns(), {"allocator", "platform", "peak", "gap", "capacity_l2", "peak_l3",
                                 "fragmentation", "fragmentation_at_peak", "reuse", "spilled_bytes",
                                 "moved_bytes", "latency_ps", "plan_seconds", "options"}),
      [rows = comparison_](std::size_t row) { return &rows->rows[row]; });
  const auto words = [this](QString (CompareModel::*text)(int) const) {
    return [this, text](std::size_t row) {
      return (this->*text)(static_cast<int>(row)).toStdString();
    };
  };
  table->columns.insert(
      table->columns.begin() + shown,
      {"map", "below", ColumnKind::text, words(&CompareModel::shownText),
       "A is the plan on show. A tick, or Space, shows a row's plan below it, in lock-step"});
  table->columns.push_back({"verdict", "verdict", ColumnKind::text,
                            words(&CompareModel::verdictText),
                            "How good the plan is, or why there is none that fits: a click then "
                            "shows what was in the way"});
  setSource(std::move(table));
}

void CompareModel::setComparison(std::shared_ptr<const Comparison> comparison) {
  comparison_ = std::move(comparison);
  findLargest();
  findFastest();
  makeSource();
  setShown(a_, below_);
}

void CompareModel::findLargest() {
  largestPeak_ = largestGap_ = largestLatency_ = 0;
  smallest_.reset();
  for (int index = 0; const ComparisonRow* found = row(index); ++index) {
    const ComparisonRow& one = *found;
    if (!one.fits()) continue;
    if (competes(one)) smallest_ = std::min(smallest_.value_or(one.peak()), one.peak());
    largestPeak_ = std::max(largestPeak_, static_cast<double>(one.peak().count()));
    largestGap_ = std::max(largestGap_, one.figures.gap.value_or(0));
    const SimTime time = one.figures.latency.value_or(SimTime());
    largestLatency_ = std::max(largestLatency_, static_cast<double>(time.count()));
  }
}

void CompareModel::findFastest() {
  fastest_.reset();
  bool differ = false;
  for (int index = 0; const ComparisonRow* found = row(index); ++index) {
    const ComparisonRow& one = *found;
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
  if (!comparison_ || index < 0 || index >= std::ssize(comparison_->rows)) return nullptr;
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

QString CompareModel::title(int column) const { return titleText(columnOf(column).title); }

std::optional<double> CompareModel::figure(int index, int column) const {
  return columnOf(column).value(static_cast<std::size_t>(index)).number();
}

bool CompareModel::isSmallest(int index) const {
  const ComparisonRow& one = *row(index);
  if (comparison_->by == Ranking::peak) return one.best;
  return competes(one) && one.peak() == smallest_;
}

int CompareModel::ranked() const {
  if (!comparison_) return peak;
  switch (comparison_->by) {
    case Ranking::latency:
      return latency;
    case Ranking::traffic:
      return moved;
    case Ranking::peak:
    case Ranking::energy:  // Has no column of its own.
      return peak;
  }
  return peak;
}

bool CompareModel::isIdle(int column) const {
  if (column == options) return true;
  if (column == platform) return !comparison_ || !comparison_->severalPlatforms();
  if (column == capacity) return isIdle(platform);
  const bool words = !isNumber(columnOf(column).kind);
  if (words || column == peak || column == gap) return false;
  for (int index = 0; index < rowCount(); ++index) {
    if (figure(index, column).value_or(0) > 0) return false;
  }
  return true;
}

QString CompareModel::shownText(int index) const {
  if (index == rowOfA_) return runLetter(0);
  const auto found = std::ranges::find(rowsBelow_, index);
  if (found == rowsBelow_.end()) return {};
  return runLetter(static_cast<std::size_t>(found - rowsBelow_.begin()) + 1);
}

QStringList CompareModel::badges(int index) const {
  QStringList badges;
  const bool other = comparison_->by != Ranking::peak;
  if (row(index)->best && other) badges.append(tr("best"));
  if (isSmallest(index)) badges.append(tr("smallest"));
  if (isFastest(index)) badges.append(tr("fastest"));
  return badges;
}

QString CompareModel::nameText(int index) const {
  const auto& run = row(index)->run;
  const auto file = run ? planFileOf(*run) : std::nullopt;
  const QString name =
      QString::fromStdString(printable(file.value_or(row(index)->allocator.text()), 200));
  QString marks;
  if (row(index)->best) marks += QChar(0x2605);
  if (isFastest(index)) marks += QChar(0xbb);
  return marks.isEmpty() ? name : QStringLiteral("%1 %2").arg(marks, name);
}

/// Why the row has no plan, or none that fits; otherwise how good it is, badges first: "smallest,
/// fastest; optimal".
QString CompareModel::verdictText(int index) const {
  const ComparisonRow& one = *row(index);
  const auto reason = one.run ? planFailure(*one.run) : one.error->text();
  if (reason) return QString::fromStdString(printable(*reason, 400));
  const QString status = QString::fromStdString(comparisonStatus(one));
  if (one.figures.inputsOutside > Bytes()) {
    return tr("%1, without %2 of inputs").arg(status, sizeText(one.figures.inputsOutside));
  }
  const QStringList has = badges(index);
  return has.isEmpty() ? status : tr("%1; %2").arg(has.join(QStringLiteral(", ")), status);
}

QVariant CompareModel::sortKey(int index, int column) const {
  // The peak of a part of the plan says nothing beside the peak of a whole one.
  if (column == peak && !row(index)->fits()) return {};
  if (const auto value = figure(index, column)) return *value;
  if (isNumber(columnOf(column).kind)) return {};
  return source()->exact(static_cast<std::size_t>(index), static_cast<std::size_t>(column));
}

QVariant CompareModel::bar(int index, int column) const {
  const double largest = column == peak      ? largestPeak_
                         : column == gap     ? largestGap_
                         : column == latency ? largestLatency_
                                             : 0;
  const auto value = figure(index, column);
  if (!value || !row(index)->fits() || largest <= 0) return {};
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
  const int column = index.column();
  switch (role) {
    case Qt::DisplayRole:
      if (column == shown) return shownText(index.row());
      return column == allocator ? nameText(index.row()) : TableModel::data(index, role);
    case Qt::ToolTipRole:
      if (column == shown) return one->run ? meaning(shown) : tr("There is no plan to show");
      if (column != allocator) return TableModel::data(index, role);
      return QString::fromStdString(std::string(one->allocator.info->summary));
    case Qt::CheckStateRole:
      if (column != shown || !one->run || index.row() == rowOfA_) return {};
      return below(index.row()) ? Qt::Checked : Qt::Unchecked;
    case Qt::FontRole: {
      QFont font;
      font.setBold(one->best);
      return one->best ? QVariant(font) : QVariant();
    }
    case kSortRole:
      return sortKey(index.row(), column);
    case BarDelegate::kShareRole:
      return bar(index.row(), column);
    case BarDelegate::kMarkRole:
      return column == peak ? mark(*one) : QVariant();
    case BarDelegate::kBestRole:
      if (column == latency) return isFastest(index.row());
      return column == peak || column == gap ? isSmallest(index.row()) : one->best;
    default:
      return TableModel::data(index, role);
  }
}

CompareOrder::CompareOrder(QObject* parent) : QSortFilterProxyModel(parent) {
  setSortRole(CompareModel::kSortRole);
  setSortCaseSensitivity(Qt::CaseInsensitive);
}

bool CompareOrder::lessThan(const QModelIndex& left, const QModelIndex& right) const {
  const bool leftHas = left.data(CompareModel::kSortRole).isValid();
  const bool rightHas = right.data(CompareModel::kSortRole).isValid();
  // Rows without a figure come last in both orders: for a descending one Qt swaps the two sides.
  if (leftHas != rightHas) return sortOrder() == Qt::AscendingOrder ? leftHas : rightHas;
  return leftHas && QSortFilterProxyModel::lessThan(left, right);
}

}  // namespace hw
