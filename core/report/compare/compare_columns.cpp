#include "core/report/compare/compare_columns.h"

#include <cmath>

#include "core/base/text.h"
#include "core/report/plan/plan_text.h"
#include "core/run/options.h"

namespace hw {
namespace {

/// What a run's account says of reuse, where there was time.
Value priceOf(const ComparisonRow& row, SimTime ReusePrice::*what) {
  if (!row.figures.reuseWaits) return {};
  return row.run->timing.account.reuse.*what;
}

/// Why a row has no plan, or none that fits.
std::optional<std::string> reasonOf(const ComparisonRow& row) {
  if (row.error) return row.error->text();
  return planFailure(*row.run);
}

}  // namespace

const Columns<RunFigures>& figureColumns() {
  using enum ColumnKind;
  using F = RunFigures;
  static const Columns<F> kColumns = {
      {"peak", "peak", bytes, &F::peak,
       "Bytes to reserve in all pools together: the sum of their footprints. The line marks the "
       "lower bound, the most bytes live at one step"},
      {"peak_l2", "L2 peak", bytes, &F::peakL2, "Footprints of the first pool of every device"},
      {"peak_l3", "L3 peak", bytes, &F::peakL3, "How much of the peak is outside the first pool"},
      {"lower_bound", "lower bound", bytes, &F::lowerBound,
       "Most bytes live at one step, of what this plan holds"},
      {"inputs_outside", "inputs outside", bytes, &F::inputsOutside,
       "Graph inputs that the method leaves to the caller: its peak is without them"},
      {"gap", "total gap", excess, &F::gap,
       "Peak / lower bound \u2212 1, of all memories together: 0 is the best there can be, and "
       "only "
       "plans that spill alike can be held against each other by it"},
      {"fragmentation_at_peak", "frag. peak", ratio, &F::fragmentationAtPeak,
       "Fragmentation at the step with most bytes live"},
      {"fragmentation", "frag. mean", ratio, &F::fragmentation,
       "1 \u2212 largest hole / all holes, its mean over the steps at which something is live. "
       "Holes are free bytes below the highest live one"},
      {"reuse", "reuse", ratio, &F::reuse,
       "Bytes placed on addresses that had a tenant before / all bytes placed"},
      {"spilled_bytes", "spilled", amount, &F::spilled,
       "Sum of the sizes of the buffers that live outside the first pool"},
      {"latency_ps", "latency", time, &F::latency,
       "Simulated time of one run on the platform, from the start of the first activity to the end "
       "of the last"},
      {"latency_bound_ps", "latency bound", time, &F::latencyBound,
       "What no plan of the same order of operators can undercut"},
      {"reuse_waits_ps", "reuse waits", time, &F::reuseWaits,
       "What reused bytes make the critical path wait beyond all else"},
      {"energy_pj", "energy, pJ", count,
       [](const F& figures) -> Value {
         if (!figures.energy) return {};
         return std::llround(*figures.energy);
       },
       "Of all that memories move"},
      {"moved_bytes", "moved", amount, &F::moved,
       "Bytes read and written by all pools while the model runs once, weights included"},
      {"plan_seconds", "planned", seconds, &F::planSeconds, "Wall time of the planner alone"}};
  return kColumns;
}

const Columns<ComparisonRow>& comparisonColumns() {
  using enum ColumnKind;
  using Row = ComparisonRow;
  static const Columns<Row> kColumns = [] {
    Columns<Row> columns = columnsVia<Row>(
        figureColumns(), [](const Row& row) { return row.run ? &row.figures : nullptr; });
    columns.insert(
        columns.begin(),
        {{"allocator", "allocator", text, [](const Row& row) { return row.allocator.text(); },
          "\u2605: ranks first, \u00bb: lowest latency, of the plans that fit and hold all that "
          "was asked for. Enter or a click opens the plan"},
         {"platform", "platform", text, &Row::platform,
          "The machine that it is planned and simulated for"},
         {"status", "status", text, comparisonStatus, "How good the plan is"},
         {"best", "best", flag, &Row::best,
          "Ranks first of the rows that fit and plan all that was asked for"},
         {"capacity_l2", "L2 size", bytes,
          [](const Row& row) {
            return row.run ? Value(row.run->problem.pools[PoolId(0)].capacity) : Value();
          },
          "What may be planned of L2; nothing: no limit"}});
    columns.push_back(
        {"reuse_bound_ps", "reuse bound", time,
         [](const Row& row) { return priceOf(row, &ReusePrice::bound); },
         "What the orders that reused bytes make add to the latency without contention"});
    columns.push_back(
        {"reuse_simulated_ps", "reuse price", time,
         [](const Row& row) { return priceOf(row, &ReusePrice::simulated); },
         "What they add to the latency as simulated; below 0 where an order holds back what would "
         "slow others down"});
    columns.push_back({"options", "options", text,
                       [](const Row& row) { return optionsText(row.request); },
                       "What it was planned with besides the allocator, as options of the command "
                       "line"});
    columns.push_back(
        {"reason", "reason", text, reasonOf, "Why there is no plan, or none that fits"});
    return columns;
  }();
  return kColumns;
}

std::string optionsText(const RunRequest& request) {
  RunRequest standard = defaultRequest();
  standard.allocator = request.allocator;
  return shellWords(optionWords(standard, request));
}

std::string comparisonStatus(const ComparisonRow& row) {
  if (row.run) return std::string(statusName(row.run->plan.status));
  return row.stopped() ? "stopped" : "failed";
}

}  // namespace hw
