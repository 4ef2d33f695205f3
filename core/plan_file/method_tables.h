#pragma once

#include "core/base/json.h"
#include "core/run/run.h"

namespace hw {

/// The tables that the method wrote while it planned, as the `tables` of docs/formats/plan.md: an
/// array of {name, summary, columns, rows}, `rows` an array of arrays as long as `columns`. Buffers
/// are called by the names that the plan's placements use; counts and bytes are numbers. A table
/// that stopped at kMaxMethodRows says `"truncated": true`. Columns of wall time are left out
/// unless `times` asks for them: they differ from run to run.
Json methodTablesJson(const Run& run, bool times);

/// The changes of the method's lists, as the `records` of docs/formats/plan.md: an array of
/// {name, lists, ticks}; empty unless the run was asked to record.
Json methodRecordsJson(const Run& run);

/// One tick of a record, for people.
struct MethodTickText {
  std::size_t number = 0;  ///< From 1.
  Step step{};
  std::string tensor{};  ///< Empty where it is about nobody alone.
  std::string what{};
  std::vector<std::string> changes{};  ///< "+ idle list L2: block 0, capacity 16"
};

/// `rows` ticks at most; only those about `stay`, if it is one.
std::vector<MethodTickText> methodTickTexts(const Run& run, const MethodRecord& record,
                                            std::size_t rows, StayId stay = {});

/// The ticks about `stay` of all records, as `record` of docs/formats/explain.md.
Json methodTicksJson(const Run& run, StayId stay);

/// The same for people: a line a tick, "tick 3, step 1, t1: takes idle block 0", and one for each
/// row that comes (+) or goes (-). `rows` ticks at most; only those about `stay`, if it is one.
std::vector<std::string> methodRecordLines(const Run& run, const MethodRecord& record,
                                           std::size_t rows, StayId stay = {});

}  // namespace hw
