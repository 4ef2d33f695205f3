#pragma once

#include <QString>
#include <functional>
#include <memory>
#include <vector>

#include "core/base/result.h"
#include "core/plan_file/events_writer.h"

namespace hw {

/// A table that is read off a run: nothing is stored by row, values are made when asked for.
/// Immutable, so that a worker may sort and filter it.
struct TableSource {
  std::shared_ptr<const Run> run{};  ///< Keeps alive what the columns look at.
  std::size_t rows = 0;
  Columns<std::size_t> columns{};
  // The subject of a row; null where rows have no such subject.
  std::function<StayId(std::size_t)> stay{};
  std::function<OpId(std::size_t)> op{};
  std::function<Interval<Step>(std::size_t)> steps{};  ///< When it matters.
  QString none{};                                      ///< Stands where there is no value.
  bool exactBytes = true;                              ///< "9,216 B" whatever the settings say.

  StayId stayOf(std::size_t row) const { return stay ? stay(row) : StayId(); }
  OpId opOf(std::size_t row) const { return op ? op(row) : OpId(); }
  /// As people read it: grouped digits, binary units, hexadecimal addresses. Safe to show.
  QString shown(std::size_t row, std::size_t column) const;
  /// As programs read it: plain digits; empty for no value. Safe to show, too.
  QString exact(std::size_t row, std::size_t column) const;
};

/// The tables there are. `moment` counts for the free list only, `bySteps` for events.
enum class TableKind { tensors, blocks, events, freeList, ops, lateFrees };

std::shared_ptr<const TableSource> makeTable(std::shared_ptr<const Run> run, TableKind kind,
                                             std::size_t moment, bool bySteps = false);

/// The events of a run, in the words of the studio, by step or by time. `run` outlives it.
std::shared_ptr<const EventList> eventsOf(const Run& run, bool bySteps);
/// A row an event.
std::shared_ptr<const TableSource> eventTable(std::shared_ptr<const Run> run,
                                              std::shared_ptr<const EventList> events);

/// A method's own table.
std::shared_ptr<const TableSource> methodTable(std::shared_ptr<const Run> run,
                                               std::shared_ptr<const MethodTable> cells);

/// `rows` of a table as CSV (RFC 4180): a line of keys, then exact values.
QByteArray tableCsv(const TableSource& source, const std::vector<std::uint32_t>& rows);

/// The same as JSON: a list of objects by key; numbers as numbers, no value as null.
QByteArray tableJson(const TableSource& source, const std::vector<std::uint32_t>& rows);

/// Writes `rows` to `file` as its ending says, .csv or .json. A file that cannot be finished is not
/// left behind, and one that was there before stays.
Result<void> writeTable(const TableSource& source, const std::vector<std::uint32_t>& rows,
                        const QString& file);

}  // namespace hw
