#include "core/plan_file/pool_columns.h"

namespace hw {

const Columns<PoolMetrics>& poolColumns() {
  using enum ColumnKind;
  using P = PoolMetrics;
  static const Columns<P> kColumns = {
      {"peak", "peak", bytes, &P::peak,
       "What must be reserved; in a range, one past the highest byte in use"},
      {"lower_bound", "lower bound of what is there", bytes, &P::lowerBound,
       "No plan of these buffers can be smaller"},
      {"gap", "peak above it", excess, &P::gap, "Peak / lower bound \u2212 1"},
      {"sum_of_sizes", "without any reuse", bytes, &P::sum, "The sum of all sizes"},
      {"peak_live", "most bytes live", bytes, &P::peakLive},
      {"peak_step", "fullest at step", step, &P::peakStep, "The first step with most bytes live"},
      {"holes_at_peak", "holes then", bytes, [](const P& pool) { return pool.atPeak.holes; },
       "Free bytes below the highest live one"},
      {"largest_hole", "largest hole of any step", bytes, &P::largestHole, "At any step"},
      {"fragmentation_at_peak", "fragmentation then", ratio,
       [](const P& pool) { return pool.atPeak.ratio(); },
       "At the fullest step: 1 \u2212 largest hole / all holes"},
      {"fragmentation_average", "fragmentation, average", ratio, &P::averageFragmentation,
       "The same, averaged over all steps"},
      {"buffers", "buffers", count, &P::stays, "How many live there"}};
  return kColumns;
}

}  // namespace hw
