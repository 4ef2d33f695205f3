#pragma once

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>
#include <memory>

#include "core/run/compare.h"

namespace hw {

/// A comparison as rows and columns of a view: an allocator a row, a figure of
/// core/run/figures.h a column.
class CompareModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column {
    allocator,
    shown,  ///< "A": the run on show, "B": the one below it.
    peak,
    gap,
    inL3,
    fragmentation,
    fragmentationAtPeak,
    reuse,
    spilled,
    moved,
    latency,
    planning,
    verdict,  ///< The status, or why there is no plan that fits.
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
  /// Which rows are marked A and B.
  void setShown(std::shared_ptr<const Run> a, std::shared_ptr<const Run> b);

  const ComparisonRow* row(int index) const;
  /// The row of what is marked A; -1 when it is in none.
  int rowOfA() const { return rowOfA_; }
  /// True for columns that say nothing of any row: all zero, or no figure at all.
  bool isIdle(int column) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  QString text(int index, int column) const;
  QString shownText(int index) const;
  int rowOf(const std::shared_ptr<const Run>& run) const;
  QString toolTip(const ComparisonRow& row, int column) const;
  QVariant sortKey(int index, int column) const;
  QVariant bar(const ComparisonRow& row, int column) const;

  std::shared_ptr<const Comparison> comparison_;
  std::shared_ptr<const Run> a_;
  std::shared_ptr<const Run> b_;
  int rowOfA_ = -1;
  int rowOfB_ = -1;
  double largestPeak_ = 0;  ///< Of the rows that fit, bytes.
  double largestGap_ = 0;
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
