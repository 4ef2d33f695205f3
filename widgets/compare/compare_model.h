#pragma once

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>
#include <memory>

#include "widgets/compare/compare_columns.h"

namespace hw {

/// A comparison as rows and columns of a view: a plan a row, a `CompareColumn` a column.
class CompareModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  /// The columns, as numbers that views understand.
  enum Column {
    allocator = static_cast<int>(CompareColumn::allocator),
    platform = static_cast<int>(CompareColumn::platform),
    shown = static_cast<int>(CompareColumn::shown),
    peak = static_cast<int>(CompareColumn::peak),
    gap = static_cast<int>(CompareColumn::gap),
    capacity = static_cast<int>(CompareColumn::capacity),
    latency = static_cast<int>(CompareColumn::latency),
    planning = static_cast<int>(CompareColumn::planning),
    verdict = static_cast<int>(CompareColumn::verdict),
    kColumns
  };

  /// By what to sort: figures by value. Invalid: the row has none, and comes last.
  static constexpr int kSortRole = Qt::UserRole;
  /// A fraction in [0, 1] of the largest of the column: the length of the cell's bar.
  static constexpr int kBarRole = Qt::UserRole + 1;
  /// A fraction on the same scale that the bar is held against: the lower bound.
  static constexpr int kMarkRole = Qt::UserRole + 2;
  /// True in the rows with the smallest peak.
  static constexpr int kBestRole = Qt::UserRole + 3;

  using QAbstractTableModel::QAbstractTableModel;

  /// Null shows nothing.
  void setComparison(std::shared_ptr<const Comparison> comparison);
  /// Which rows are marked A, and B, C, ….
  void setShown(std::shared_ptr<const Run> a, std::vector<std::shared_ptr<const Run>> below);

  const ComparisonRow* row(int index) const;
  /// The row of what is marked A; -1 when it is in none.
  int rowOfA() const { return rowOfA_; }
  /// The run of this row that is shown below A; null when none is.
  std::shared_ptr<const Run> below(int index) const;
  /// Has the lowest latency of the plans that fit and hold all that was asked for, when they do not
  /// all have the same.
  bool isFastest(int index) const;
  /// True for columns that say nothing of any row: all zero, all the same, or no figure at all.
  bool isIdle(int column) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  QString text(int index, CompareColumn column) const;
  QString nameText(int index) const;
  QString shownText(int index) const;
  QStringList badges(int index) const;
  int rowOf(const std::shared_ptr<const Run>& run) const;
  QString toolTip(int index, CompareColumn column) const;
  QVariant sortKey(int index, CompareColumn column) const;
  QVariant bar(const ComparisonRow& row, CompareColumn column) const;
  QVariant mark(const ComparisonRow& row) const;
  void findLargest();
  void findFastest();

  std::shared_ptr<const Comparison> comparison_;
  std::shared_ptr<const Run> a_;
  std::vector<std::shared_ptr<const Run>> below_;
  int rowOfA_ = -1;
  std::vector<int> rowsBelow_;  ///< Of `below_`.
  double largestPeak_ = 0;      ///< Of the rows that fit, bytes.
  double largestGap_ = 0;
  double largestLatency_ = 0;
  std::optional<SimTime> fastest_;  ///< Nothing: all are equally fast.
};

/// What was asked for is the same but for the allocator, and for how much may be spent on it.
bool sameSettings(const RunConfig& a, const RunConfig& b);

/// Sorts a comparison; rows without the figure come last, whichever way it is sorted.
class CompareOrder : public QSortFilterProxyModel {
  Q_OBJECT

 public:
  explicit CompareOrder(QObject* parent = nullptr);

 protected:
  bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;
};

}  // namespace hw
