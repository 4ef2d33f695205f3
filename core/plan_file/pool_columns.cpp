#include "core/plan_file/pool_columns.h"

namespace hw {

const Columns<PoolMetrics>& poolColumns() {
  using enum ColumnKind;
  using P = PoolMetrics;
  static const Columns<P> kColumns = {
      {"peak", "highest address", bytes, &P::peak,
       "What must be reserved: one past the highest byte in use"},
      {"footprint_step", "highest at step", step, [](const P& pool) { return pool.atTop.step; },
       "Of the steps that reach the highest address the one with most bytes live"},
      {"lower_bound", "lower bound of what is there", bytes, &P::lowerBound,
       "No plan of these buffers can be smaller"},
      {"gap", "above live peak", excess, &P::gap,
       "Highest address / live peak \u2212 1, of this memory: 0 is the best there can be for what "
       "lives here"},
      {"sum_of_sizes", "without any reuse", bytes, &P::sum, "The sum of all sizes"},
      {"peak_live", "live peak", bytes, &P::peakLive,
       "Most bytes live at one step: no plan of what is there can be smaller"},
      {"peak_step", "live peak at step", step, &P::peakStep, "The first step with most bytes live"},
      {"holes_at_peak", "holes then", bytes, [](const P& pool) { return pool.atPeak.holes; },
       "Free bytes below the highest that is taken"},
      {"kept_at_peak", "kept in blocks then", bytes, [](const P& pool) { return pool.atPeak.kept; },
       "Bytes of no live buffer, but of a block that is taken as a whole: nobody else can have "
       "them"},
      {"largest_hole", "largest hole of any step", bytes, &P::largestHole, "At any step"},
      {"fragmentation_at_peak", "fragmentation then", ratio,
       [](const P& pool) { return pool.atPeak.ratio(); },
       "At the live peak: 1 \u2212 largest hole / all holes"},
      {"fragmentation_average", "fragmentation, average", ratio, &P::averageFragmentation,
       "The same, averaged over all steps"},
      {"buffers", "buffers", count, &P::stays, "How many live there"}};
  return kColumns;
}

}  // namespace hw
