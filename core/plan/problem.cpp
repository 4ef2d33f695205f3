#include "core/plan/problem.h"

#include <algorithm>

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

}  // namespace hw
