#include "core/insight/late_free.h"

#include <algorithm>

namespace hw {

IdMap<StayId, std::optional<Step>> lastUses(const Problem& problem) {
  IdMap<StayId, std::optional<Step>> last(problem.stays.size());
  if (problem.uses.empty()) {
    // Known by their lives alone, written where they begin and read where they end.
    for (const StayId id : problem.stays.keys()) {
      const Interval<Step> steps = problem.stays[id].steps;
      if (!steps.empty()) last[id] = steps.end - Step(1);
    }
    return last;
  }
  for (const StepUses& uses : problem.uses) {
    const auto touch = [&](StayId stay) {
      if (problem.stays[stay].steps.contains(uses.step)) last[stay] = uses.step;
    };
    std::ranges::for_each(uses.reads, touch);
    std::ranges::for_each(uses.writes, touch);
  }
  return last;
}

}  // namespace hw
