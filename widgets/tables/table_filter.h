#pragma once

#include <QString>
#include <vector>

#include "core/base/result.h"
#include "widgets/tables/table_source.h"

namespace hw {

/// What rows of a table have to be like: every condition has to hold.
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

}  // namespace hw
