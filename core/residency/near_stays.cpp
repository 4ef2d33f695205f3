#include "core/residency/near_stays.h"

#include <algorithm>

namespace hw {

std::vector<std::vector<UseAhead>> usesAhead(const LevelProgram& program) {
  IdMap<BufferId, UseAhead> ahead(program.buffers.size());
  for (const BufferId id : program.buffers.keys()) ahead[id].kept = program.buffers[id].endsFar;
  std::vector<std::vector<UseAhead>> all(program.steps.size());
  for (std::size_t at = program.steps.size(); at-- > 0;) {
    for (const OperandUse& use : program.steps[at].operands) {
      all[at].push_back(ahead[use.buffer]);
      ahead[use.buffer] = {at, use.needs ? at : UseAhead::kNever, use.needs};
    }
  }
  return all;
}

Bytes farTraffic(const LevelProgram& program, const std::vector<NearStay>& stays) {
  Bytes moved;
  IdMap<BufferId, std::vector<Interval<Step>>> near(program.buffers.size());
  for (const NearStay& stay : stays) {
    const Bytes whole = program.buffers[stay.buffer].moved;
    moved += whole * ((stay.loaded ? 1 : 0) + (stay.stored ? 1 : 0));
    near[stay.buffer].push_back(stay.steps);
  }
  for (auto& steps : near) std::ranges::sort(steps);
  for (const UseStep& step : program.steps) {
    for (const OperandUse& use : step.operands) {
      const auto& there = near[use.buffer];
      const auto after = std::ranges::upper_bound(there, step.step, {}, &Interval<Step>::begin);
      const bool inPlace = after == there.begin() || !std::prev(after)->contains(step.step);
      if (inPlace) moved += use.read + use.written;
    }
  }
  return moved;
}

NearStays staysOf(const LevelProgram& program, const std::vector<std::vector<UseChoice>>& choices) {
  const auto ahead = usesAhead(program);
  NearStays found;
  IdMap<BufferId, std::optional<NearStay>> open(program.buffers.size());
  IdMap<BufferId, bool> dirty(program.buffers.size());
  for (std::size_t at = 0; at < program.steps.size(); ++at) {
    const Step step = program.steps[at].step;
    for (std::size_t i = 0; i < program.steps[at].operands.size(); ++i) {
      const OperandUse& use = program.steps[at].operands[i];
      auto& stay = open[use.buffer];
      if (choices[at][i] == UseChoice::place) continue;
      if (!stay) {
        stay = NearStay{.buffer = use.buffer, .steps = {step, {}}, .loaded = use.needs};
        dirty[use.buffer] = false;
      }
      dirty[use.buffer] = dirty[use.buffer] || use.writes;
      if (choices[at][i] == UseChoice::hold) continue;
      stay->steps.end = step + Step(1);
      if (dirty[use.buffer] && ahead[at][i].kept) stay->stored = step;
      found.stays.push_back(*stay);
      stay.reset();
    }
  }
  std::ranges::sort(found.stays);
  found.farTraffic = farTraffic(program, found.stays);
  return found;
}

}  // namespace hw
