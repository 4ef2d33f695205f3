#include "core/insight/late_free.h"

#include <algorithm>

namespace hw {

IdMap<StayId, std::optional<Step>> lastUses(const Problem& problem) {
  IdMap<StayId, std::optional<Step>> last(problem.stays.size());
  if (problem.uses.empty()) {
    // Without ops every stay counts as read at its last step.
    for (const StayId id : problem.stays.keys()) {
      const Interval<Step> steps = problem.stays[id].steps;
      if (!steps.empty()) last[id] = steps.end - Step(1);
    }
    return last;
  }
  const auto touch = [&](StayId stay, Step step) {
    if (!stay || !problem.stays[stay].steps.contains(step)) return;
    last[stay] = std::max(last[stay].value_or(step), step);
  };
  for (const StepUses& uses : problem.uses) {
    for (const StayId stay : uses.reads) touch(stay, uses.step);
    for (const StayId stay : uses.writes) touch(stay, uses.step);
  }
  for (const Move& move : problem.moves) {
    touch(move.from, move.step);
    touch(move.to, move.step);
  }
  return last;
}

}  // namespace hw
