#include "core/plan/problem.h"

#include <algorithm>
#include <map>

namespace hw {

std::vector<Interval<Step>> Problem::gapsOf(StayId stay) const {
  std::vector<Interval<Step>> found;
  for (auto gap = std::ranges::lower_bound(gaps, stay, {}, &Gap::stay);
       gap != gaps.end() && gap->stay == stay; ++gap) {
    found.push_back(gap->steps);
  }
  return found;
}

std::vector<Interval<Step>> Problem::liveSteps(StayId stay) const {
  std::vector<Interval<Step>> live;
  Step begin = stays[stay].steps.begin;
  for (const Interval<Step>& gap : gapsOf(stay)) {
    if (begin < gap.begin) live.push_back({begin, gap.begin});
    begin = gap.end;
  }
  if (begin < stays[stay].steps.end) live.push_back({begin, stays[stay].steps.end});
  return live;
}

std::vector<StepUses> usesOf(const Problem& problem) {
  if (!problem.uses.empty()) return problem.uses;
  std::map<Step, StepUses> uses;
  for (const StayId id : problem.stays.keys()) {
    const Interval<Step> steps = problem.stays[id].steps;
    uses[steps.begin].writes.push_back(id);
    if (steps.length() > Step(1)) uses[steps.end - Step(1)].reads.push_back(id);
  }
  std::vector<StepUses> list;
  list.reserve(uses.size());
  for (auto& [step, use] : uses) {
    use.step = step;
    list.push_back(std::move(use));
  }
  return list;
}

}  // namespace hw
