#pragma once

#include <QAbstractTableModel>
#include <QString>
#include <memory>
#include <vector>

#include "core/base/result.h"
#include "core/picture/block_store.h"
#include "widgets/jobs/background.h"
#include "widgets/tables/table_source.h"

namespace hw {

/// Conditions on the rows of a table: every one has to hold.
///
/// `size > 64KiB`, `first <= 10`, `pool = L2`, `name ~ conv` (contains), `address >= 0x1000`;
/// `!=` too. What is no condition is a word that some text of the row contains; quotes hold words
/// together: `"my conv"`.
class TableFilter {
 public:
  TableFilter() = default;

  /// Fails on columns that `source` does not have and on values that do not fit them.
  static Result<TableFilter> parse(const QString& text, const TableSource& source);

  bool isEmpty() const { return conditions_.empty(); }
  bool keeps(const TableSource& source, std::size_t row) const;

 private:
  enum class Sign { less, atMost, equal, unequal, atLeast, more, contains };
  struct Condition {
    std::size_t column = kAnyText;
    Sign sign = Sign::contains;
    std::int64_t number = 0;
    QString text{};
  };
  static constexpr std::size_t kAnyText = static_cast<std::size_t>(-1);

  static Result<Condition> condition(const QString& key, const QString& sign, const QString& value,
                                     const TableSource& source);
  static bool holds(const Condition& condition, const TableSource& source, std::size_t row);

  std::vector<Condition> conditions_;
};

/// Which rows of a table are shown, and in what order.
struct Arrangement {
  TableFilter filter{};
  std::shared_ptr<const StayFilter> picked{};  ///< Rows about other stays are left out; null: none.
  std::optional<Interval<Step>> range{};       ///< Rows that matter at none of its steps are, too.
  std::function<bool(std::size_t)> keep{};     ///< Other rows are left out; null: none.
  int sortColumn = -1;                         ///< None: in the order of the table.
  bool descending = false;
};

/// The rows of `source` that `wanted` keeps, in its order; equal ones in the order of the table.
/// Empty when `stop` says so. O(n log n).
std::vector<std::uint32_t> arrangeRows(const TableSource& source, const Arrangement& wanted,
                                       const std::function<bool()>& stop);

/// A table as rows and columns of a view: 4 bytes a row. A million rows are arranged by a worker
/// while the old ones stay on show.
class TableModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  explicit TableModel(QObject* parent = nullptr);

  /// Null shows nothing.
  void setSource(std::shared_ptr<const TableSource> source);
  const std::shared_ptr<const TableSource>& source() const { return source_; }
  void arrange(Arrangement wanted);
  const Arrangement& arrangement() const { return wanted_; }
  bool isArranging() const { return arranging_.isRunning(); }

  /// The row of the table that row `row` of the view shows.
  std::size_t sourceRow(int row) const { return rows_[static_cast<std::size_t>(row)]; }
  /// The first row on show about `stay`, else about `op`; -1 when there is none. O(rows).
  int rowOf(StayId stay, OpId op) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  /// By a header click.
  void sort(int column, Qt::SortOrder order) override;

 Q_SIGNALS:
  /// Other rows are on show.
  void arranged();

 protected:
  const std::vector<std::uint32_t>& rows() const { return rows_; }

 private:
  QString toolTip(std::size_t row, std::size_t column) const;
  void start();
  void show(std::vector<std::uint32_t> rows);

  std::shared_ptr<const TableSource> source_;
  Arrangement wanted_;
  std::vector<std::uint32_t> rows_;
  Background<std::vector<std::uint32_t>> arranging_;
};

}  // namespace hw
