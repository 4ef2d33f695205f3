#include "core/report/run/operator_columns.h"

#include <memory>

#include "core/plan/overlap_use.h"

namespace hw {
namespace {

Step stepOf(std::size_t row) { return Step(static_cast<std::int64_t>(row)); }

/// What the simulator says of an operator.
Columns<OpTiming> timingColumns(const Run& run) {
  using enum ColumnKind;
  using T = OpTiming;
  Columns<T> columns = {
      {"start_ps", "start", time, [](const T& op) { return op.time.begin; }},
      {"end_ps", "end", time, [](const T& op) { return op.time.end; }},
      {"time_ps", "time", time, [](const T& op) { return op.time.length(); },
       "From its start to its end, simulated"},
      {"share", "share", ratio,
       [whole = run.timing.makespan](const T& op) -> Value {
         if (whole == SimTime()) return {};
         return static_cast<double>(op.time.length().count()) / static_cast<double>(whole.count());
       },
       "Of the time of all operators"},
      {"macs", "MACs", count, &T::macs, "Multiply-accumulates"},
      {"elements", "elements", count, &T::elements, "Of what it writes; its work without MACs"},
      {"compute_ps", "compute", time, &T::compute, "If memory cost no time"}};
  for (const PoolId pool : run.problem.pools.keys()) {
    const std::string& name = run.problem.pools[pool].name;
    columns.push_back({name + "_ps", name + " time", time, [pool](const T& op) {
                         return op.memory.contains(pool) ? op.memory[pool] : SimTime();
                       }});
    columns.push_back({name + "_bytes", name + " bytes", bytes, [pool](const T& op) {
                         return op.traffic.contains(pool) ? op.traffic[pool].total() : Bytes();
                       }});
  }
  columns.push_back({"latency_ps", "latency", time, &T::latency, "Of the first access"});
  columns.push_back({"limited_by", "limited by", text, [&pools = run.problem.pools](const T& op) {
                       return bottleneckName(op.bottleneck, pools);
                     }});
  return columns;
}

}  // namespace

Columns<std::size_t> operatorColumns(const Run& run) {
  using enum ColumnKind;
  const auto id = [&run](std::size_t row) { return run.schedule.opAt(stepOf(row)); };
  const auto op = [&run, id](std::size_t row) -> const Op& { return run.graph().ops[id(row)]; };
  Columns<std::size_t> columns = {
      {"step", "step", step, [](std::size_t row) { return row; }},
      {"op", "operator", text,
       [&run, id](std::size_t row) { return displayName(run.graph(), id(row)); }},
      {"type", "type", text, [op](std::size_t row) { return op(row).type; }},
      {"reads", "reads", count,
       [&run, id](std::size_t row) { return run.graph().reads(id(row)).size(); }, "Tensors"},
      {"writes", "writes", count, [op](std::size_t row) { return op(row).outputs.size(); },
       "Tensors"},
      {"folded", "ahead of time", flag, [op](std::size_t row) { return op(row).folded; },
       "Computed before the model runs: does nothing here"}};
  const auto timing = columnsVia<std::size_t>(timingColumns(run), [&run](std::size_t row) {
    return row < run.timing.ops.size() ? &run.timing.ops[row] : nullptr;
  });
  columns.insert(columns.end(), timing.begin(), timing.end());
  return columns;
}

Column<std::size_t> liveColumn(const Run& run) {
  const auto live = std::make_shared<const StepFunction>(liveBytes(run.problem, run.plan));
  return {"live", "live", ColumnKind::bytes,
          [live](std::size_t row) { return live->at(stepOf(row)); }, "Bytes live at the step"};
}

std::vector<std::string> poolKeys(const Run& run, std::string_view ending) {
  std::vector<std::string> keys;
  for (const ProblemPool& pool : run.problem.pools) keys.push_back(pool.name + std::string(ending));
  return keys;
}

}  // namespace hw
