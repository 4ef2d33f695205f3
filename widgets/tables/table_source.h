#pragma once

#include <QString>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "core/run/run.h"

namespace hw {

/// How the values of a column are written, sorted and compared.
enum class ColumnKind { number, bytes, address, step, picoseconds, text };

/// One column: exactly one of `number` and `text` is set, by its kind.
struct TableColumn {
  static constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::min();

  QString title{};  ///< For people.
  QString key{};    ///< For filters and files: a lower-case word, "size".
  ColumnKind kind = ColumnKind::number;
  std::function<std::int64_t(std::size_t)> number{};  ///< `kNone` where there is no value.
  std::function<QString(std::size_t)> text{};         ///< Safe to show.
};

/// A table that is read off a run: nothing is stored by row, values are made when asked for.
/// Immutable, so that a worker may sort and filter it.
struct TableSource {
  std::shared_ptr<const Run> run{};  ///< Never null.
  std::size_t rows = 0;
  std::vector<TableColumn> columns{};
  // What a row is about; null where rows are not about such a thing.
  std::function<StayId(std::size_t)> stay{};
  std::function<OpId(std::size_t)> op{};
  std::function<Interval<Step>(std::size_t)> steps{};  ///< When it matters.

  StayId stayOf(std::size_t row) const { return stay ? stay(row) : StayId(); }
  OpId opOf(std::size_t row) const { return op ? op(row) : OpId(); }
  /// As people read it: grouped digits, binary units, hexadecimal addresses.
  QString shown(std::size_t row, std::size_t column) const;
  /// As programs read it: plain digits; empty for no value.
  QString exact(std::size_t row, std::size_t column) const;
};

/// The tables there are. `moment` counts for the free list only.
enum class TableKind { tensors, blocks, events, freeList, ops };

std::shared_ptr<const TableSource> makeTable(std::shared_ptr<const Run> run, TableKind kind,
                                             std::size_t moment);

/// A method's own table, by its index in the plan.
std::shared_ptr<const TableSource> methodTable(std::shared_ptr<const Run> run, std::size_t index);

}  // namespace hw
