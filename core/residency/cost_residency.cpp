#include "core/residency/cost_residency.h"

#include <algorithm>
#include <tuple>

#include "core/residency/live_sum.h"
#include "core/residency/use_options.h"

namespace hw {
namespace {

class CostChoice {
 public:
  CostChoice(const LevelProgram& program, Bytes budget)
      : program_(program),
        budget_(budget),
        ahead_(usesAhead(program)),
        live_(program.steps.size()),
        usesOf_(program.buffers.size()) {
    for (std::size_t at = 0; at < program.steps.size(); ++at) {
      const auto& operands = program.steps[at].operands;
      choices_.emplace_back(operands.size(), UseChoice::place);
      for (std::size_t i = 0; i < operands.size(); ++i) {
        usesOf_[operands[i].buffer].push_back({at, i});
      }
    }
  }

  NearStays choose() {
    for (const BufferId id : program_.buffers.keys()) {
      if (!usesOf_[id].empty()) addCandidates(id);
    }
    std::ranges::sort(candidates_, [](const Candidate& a, const Candidate& b) {
      return std::tuple(-a.worth, a.buffer, a.first) < std::tuple(-b.worth, b.buffer, b.first);
    });
    for (const Candidate& candidate : candidates_) tryToHold(candidate);
    return staysOf(program_, choices_);
  }

 private:
  struct Use {
    std::size_t at = 0;
    std::size_t i = 0;  ///< Among the operands of that step.
  };
  /// To hold a buffer from one of its uses to another.
  struct Candidate {
    long double worth = 0;  ///< Bytes saved for each byte and step.
    BufferId buffer{};
    std::size_t first = 0;
    std::size_t last = 0;
  };

  UseOption option(BufferId id, const Use& use, Arrival arrival, UseChoice choice) const {
    return optionOf(program_.buffers[id], program_.steps[use.at].operands[use.i],
                    ahead_[use.at][use.i], arrival, choice);
  }

  /// What is moved less if the buffer is held from `first` to `last` instead of used in place.
  /// Nothing where that cannot be done.
  Bytes saved(BufferId id, std::size_t first, std::size_t last) const {
    Bytes sum;
    Arrival arrival = Arrival::far;
    for (std::size_t k = first; k <= last; ++k) {
      const Use& use = usesOf_[id][k];
      const auto held = option(id, use, arrival, k < last ? UseChoice::hold : UseChoice::near);
      if (!held.allowed) return {};
      sum += option(id, use, Arrival::far, UseChoice::place).moved - held.moved;
      arrival = held.next;
    }
    return sum;
  }

  void addCandidates(BufferId id) {
    const std::size_t count = usesOf_[id].size();
    add(id, 0, count - 1);
    for (std::size_t k = 0; count > 2 && k + 1 < count; ++k) add(id, k, k + 1);
  }

  void add(BufferId id, std::size_t first, std::size_t last) {
    const Bytes less = saved(id, first, last);
    if (less <= Bytes()) return;
    const std::size_t steps = usesOf_[id][last].at - usesOf_[id][first].at + 1;
    const auto held = static_cast<long double>(program_.buffers[id].size.count());
    candidates_.push_back(
        {static_cast<long double>(less.count()) / held / static_cast<long double>(steps), id, first,
         last});
  }

  UseChoice& choiceOf(const Use& use) { return choices_[use.at][use.i]; }

  void tryToHold(const Candidate& candidate) {
    const auto& uses = usesOf_[candidate.buffer];
    const Bytes size = program_.buffers[candidate.buffer].size;
    // Neighbours that are held already count at the steps that they share with this one.
    std::size_t begin = uses[candidate.first].at;
    std::size_t end = uses[candidate.last].at + 1;
    for (std::size_t k = candidate.first; k < candidate.last; ++k) {
      if (choiceOf(uses[k]) == UseChoice::hold) return;
    }
    if (choiceOf(uses[candidate.first]) != UseChoice::place) ++begin;
    if (choiceOf(uses[candidate.last]) != UseChoice::place) --end;
    if (begin < end && live_.add(begin, end, {}) + size > budget_) return;
    live_.add(begin, end, size);
    for (std::size_t k = candidate.first; k < candidate.last; ++k) {
      choiceOf(uses[k]) = UseChoice::hold;
    }
    UseChoice& last = choiceOf(uses[candidate.last]);
    if (last == UseChoice::place) last = UseChoice::near;
  }

  const LevelProgram& program_;
  Bytes budget_;
  std::vector<std::vector<UseAhead>> ahead_;
  LiveSum live_;
  IdMap<BufferId, std::vector<Use>> usesOf_;
  std::vector<std::vector<UseChoice>> choices_;
  std::vector<Candidate> candidates_;
};

}  // namespace

NearStays costResidency(const LevelProgram& program, Bytes budget) {
  return CostChoice(program, budget).choose();
}

}  // namespace hw
