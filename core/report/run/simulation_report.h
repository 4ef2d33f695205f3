#pragma once

#include <string>

#include "core/base/columns.h"
#include "core/base/json.h"
#include "core/report/plan/plan_text.h"
#include "core/run/run.h"
#include "core/sim/port_curve.h"

namespace hw {

/// The run on its machine for people: latency, traffic by pool and class, what limits it, the
/// slowest operators. `one`: of a run of several inferences, the same of one alone, to be held
/// against; null: it is not known.
std::string simulationText(const Run& run, const TextOptions& options, const Run* one = nullptr);

/// The same, complete, for programs. Keys in a fixed order; equal runs give equal bytes.
Json simulationJson(const Run& run, const Run* one = nullptr);

/// One row an operator, in step order.
std::string simulationCsv(const Run& run);

/// Columns of operators as they ran: by step. Bytes and times of every pool are columns of their
/// own, `L2_bytes` and `L2_ps`. `run` outlives them.
Columns<std::size_t> operatorColumns(const Run& run);

/// The bytes live at each step. O(n log n) to make.
Column<std::size_t> liveColumn(const Run& run);

/// "12.346 µJ".
std::string energyText(double picojoules);

/// Columns of ports: what goes through them, its mean and peak, and the roof. `run` outlives them.
Columns<PortCurve> portColumns(const Run& run);

/// The keys of columns that every pool has: "L2_bytes", "L3_bytes".
std::vector<std::string> poolKeys(const Run& run, std::string_view ending);

}  // namespace hw
