#include "core/plan/late_free.h"

#include <algorithm>

namespace hw {

IdMap<StayId, std::optional<Step>> lastUses(const Problem& problem) {
  IdMap<StayId, std::optional<Step>> last(problem.stays.size());
  for (const StepUses& uses : usesOf(problem)) {
    const auto touch = [&](StayId stay) {
      if (problem.stays[stay].steps.contains(uses.step)) last[stay] = uses.step;
    };
    std::ranges::for_each(uses.reads, touch);
    std::ranges::for_each(uses.writes, touch);
  }
  return last;
}

}  // namespace hw
