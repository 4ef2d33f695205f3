#pragma once

#include <QSortFilterProxyModel>
#include <memory>

#include "core/study/compare.h"
#include "widgets/tables/table_model.h"

namespace hw {

/// A comparison as rows and columns of a view: a plan a row. Its columns are those of
/// `comparisonColumns` that people look at, which runs are shown, and a verdict.
class CompareModel : public TableModel {
  Q_OBJECT

 public:
  enum Column {
    allocator,
    platform,  ///< The machine it runs on.
    shown,     ///< "A": the run on show; "B", "C", …: those below it.
    peak,
    gap,
    capacity,  ///< Of L2, as planned with.
    inL3,
    fragmentation,
    fragmentationAtPeak,
    reuse,
    spilled,
    moved,
    latency,
    planning,
    options,  ///< Its settings besides the allocator; a file always has them.
    verdict,  ///< The status, or why there is no plan that fits.
    kColumns
  };

  /// By what to sort: figures by value. Invalid: the row has none, and comes last.
  static constexpr int kSortRole = Qt::UserRole;

  explicit CompareModel(QObject* parent = nullptr);

  std::shared_ptr<const Comparison> comparison() const { return comparison_; }
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
  /// Has the smallest peak of the plans that fit and hold all that was asked for.
  bool isSmallest(int index) const;
  /// The column of the figure that rows are ranked by.
  int ranked() const;
  /// True for columns that say nothing of any row: all zero, all the same, or no figure at all.
  bool isIdle(int column) const;

  const auto& columnOf(int column) const {
    return source()->columns[static_cast<std::size_t>(column)];
  }
  QString title(int column) const;
  QString meaning(int column) const { return QString::fromStdString(columnOf(column).meaning); }
  /// The figure of a cell, in the unit of its column; nothing for words and rows without it.
  std::optional<double> figure(int index, int column) const;

  QVariant data(const QModelIndex& index, int role) const override;

 private:
  void makeSource();
  QString nameText(int index) const;
  QString shownText(int index) const;
  QStringList badges(int index) const;
  int rowOf(const std::shared_ptr<const Run>& run) const;
  QString verdictText(int index) const;
  QVariant sortKey(int index, int column) const;
  QVariant bar(int index, int column) const;
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
  std::optional<Bytes> smallest_;
  std::optional<SimTime> fastest_;  ///< Nothing: all are equally fast.
};

/// Sorts a comparison; rows without the figure come last, whichever way it is sorted.
class CompareOrder : public QSortFilterProxyModel {
  Q_OBJECT

 public:
  explicit CompareOrder(QObject* parent = nullptr);

 protected:
  bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;
};

}  // namespace hw
