#include "core/residency/residency_rules.h"

#include <algorithm>
#include <compare>
#include <set>
#include <tuple>

#include "core/base/check.h"
#include "core/base/live_sum.h"

namespace hw {
namespace {

template <LeavingRule rule>
NearStays walk(const LevelProgram& program, Bytes budget, const std::stop_token&) {
  return walkResidency(program, budget, rule);
}

NearStays cost(const LevelProgram& program, Bytes budget, const std::stop_token&) {
  return costResidency(program, budget);
}

NearStays exact(const LevelProgram& program, Bytes budget, const std::stop_token& stop) {
  return exactResidency(program, budget, kResidencyNodes, stop);
}

NearStays leastTraffic(const LevelProgram& program, Bytes budget, const std::stop_token& stop) {
  NearStays best = exact(program, budget, stop);
  NearStays other = cost(program, budget, stop);
  if (best.farTraffic <= other.farTraffic) return best;
  other.atLeast = best.atLeast;
  return other;
}

constexpr std::array kCatalog = {
    ResidencyInfo{ResidencyRule::wholeLife, "whole-life",
                  "every buffer stays in one pool: those that save most traffic near"},
    ResidencyInfo{ResidencyRule::layer, "layer",
                  "operands come near; all else leaves where they need its room",
                  walk<LeavingRule::all>},
    ResidencyInfo{ResidencyRule::lru, "lru", "what was touched longest ago leaves first",
                  walk<LeavingRule::oldest>},
    ResidencyInfo{ResidencyRule::belady, "belady", "what is read again furthest away leaves first",
                  walk<LeavingRule::furthest>},
    ResidencyInfo{ResidencyRule::cost, "cost",
                  "near is what saves most traffic for each byte and step", cost},
    ResidencyInfo{ResidencyRule::exact, "exact",
                  "the least traffic between two pools, proved where it can be", exact},
    ResidencyInfo{ResidencyRule::leastTraffic, "best:for=traffic",
                  "of cost and exact the one that moves less", leastTraffic},
    ResidencyInfo{ResidencyRule::best, "best", "of all these the one that is simulated fastest"}};

class Walk {
 public:
  Walk(const LevelProgram& program, Bytes budget, LeavingRule rule)
      : program_(program),
        budget_(budget),
        rule_(rule),
        ahead_(usesAhead(program)),
        near_(program.buffers.size()) {}

  NearStays run() {
    for (at_ = 0; at_ < program_.steps.size(); ++at_) visit();
    std::ranges::sort(found_.stays);
    found_.farTraffic = farTraffic(program_, found_.stays);
    return std::move(found_);
  }

 private:
  /// A buffer that is near.
  struct Presence {
    Step begin{};
    bool loaded = false;
    bool dirty = false;
    Step touched{};
    std::size_t clock = 0;  ///< Counts touches.
    UseAhead ahead{};       ///< From the op that touched it last.
  };

  /// The order in which buffers leave: the least first.
  struct Turn {
    std::size_t rank = 0;
    bool dirty = false;
    Bytes smaller{};  ///< Minus the size.
    BufferId buffer{};
    auto operator<=>(const Turn&) const = default;
  };

  Step step() const { return program_.steps[at_].step; }
  Bytes sizeOf(BufferId buffer) const { return program_.buffers[buffer].size; }

  Turn turnOf(BufferId buffer) const {
    const Presence& presence = *near_[buffer];
    const std::size_t rank = rule_ == LeavingRule::furthest ? UseAhead::kNever - presence.ahead.need
                             : rule_ == LeavingRule::oldest ? presence.clock
                                                            : 0;
    return {rank, presence.dirty, Bytes() - sizeOf(buffer), buffer};
  }

  void visit() {
    const auto& operands = program_.steps[at_].operands;
    // Operands of this op make room for nobody.
    for (const OperandUse& use : operands) {
      if (near_[use.buffer]) leaving_.erase(turnOf(use.buffer));
    }
    const std::vector<bool> inPlace = chooseInPlace();
    for (const bool needs : {true, false}) {
      for (std::size_t i = 0; i < operands.size(); ++i) {
        if (operands[i].needs == needs && !inPlace[i]) bring(operands[i]);
      }
    }
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (!inPlace[i]) touch(operands[i], ahead_[at_][i]);
    }
  }

  /// Which operands stay in the far pool, because all together exceed the budget.
  std::vector<bool> chooseInPlace() {
    const auto& operands = program_.steps[at_].operands;
    std::vector<bool> inPlace(operands.size());
    Bytes together;
    for (const OperandUse& use : operands) together += sizeOf(use.buffer);
    while (together > budget_) {
      const std::size_t chosen = mostWorthLeaving(inPlace);
      inPlace[chosen] = true;
      together -= sizeOf(operands[chosen].buffer);
      if (near_[operands[chosen].buffer]) leave(operands[chosen].buffer, step());
    }
    return inPlace;
  }

  /// First what is read and lies far only; then the largest, the one used furthest away, the higher
  /// id.
  std::size_t mostWorthLeaving(const std::vector<bool>& inPlace) const {
    const auto& operands = program_.steps[at_].operands;
    const auto key = [&](std::size_t i) {
      const OperandUse& use = operands[i];
      return std::tuple(use.needs && !near_[use.buffer], sizeOf(use.buffer), ahead_[at_][i].next,
                        use.buffer);
    };
    std::size_t most = operands.size();
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (!inPlace[i] && (most == operands.size() || key(i) > key(most))) most = i;
    }
    return most;
  }

  void bring(const OperandUse& use) {
    if (near_[use.buffer]) return;
    const Bytes size = sizeOf(use.buffer);
    while (used_ + size > budget_) {
      const BufferId first = leaving_.begin()->buffer;
      leaving_.erase(leaving_.begin());
      leave(first, step());
      if (rule_ != LeavingRule::all) continue;
      for (const Turn& turn : leaving_) leave(turn.buffer, step());
      leaving_.clear();
    }
    used_ += size;
    near_[use.buffer] = Presence{.begin = step(), .loaded = use.needs, .touched = step()};
  }

  void touch(const OperandUse& use, const UseAhead& ahead) {
    Presence& presence = *near_[use.buffer];
    presence.dirty |= use.writes;
    presence.touched = step();
    presence.clock = ++clock_;
    presence.ahead = ahead;
    if (ahead.need == UseAhead::kNever) {
      leave(use.buffer, step() + Step(1));
    } else {
      leaving_.insert(turnOf(use.buffer));
    }
  }

  void leave(BufferId buffer, Step end) {
    const Presence& presence = *near_[buffer];
    NearStay stay{buffer, {presence.begin, end}, presence.loaded};
    if (presence.dirty && presence.ahead.kept) stay.stored = presence.touched;
    found_.stays.push_back(stay);
    used_ -= sizeOf(buffer);
    near_[buffer].reset();
  }

  const LevelProgram& program_;
  Bytes budget_;
  LeavingRule rule_;
  std::vector<std::vector<UseAhead>> ahead_;
  IdMap<BufferId, std::optional<Presence>> near_;
  std::set<Turn> leaving_;
  NearStays found_;
  Bytes used_;
  std::size_t at_ = 0;
  std::size_t clock_ = 0;
};

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

  /// The bytes of traffic saved if the buffer is held from `first` to `last` instead of used in
  /// place. Zero where that cannot be done.
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

std::span<const ResidencyInfo> residencyCatalog() { return kCatalog; }

const ResidencyInfo& infoOf(ResidencyRule rule) {
  return *std::ranges::find(kCatalog, rule, &ResidencyInfo::rule);
}

std::vector<NearStays> chooseResidency(const LevelProgram& program,
                                       std::span<const std::optional<Bytes>> budgets,
                                       ResidencyRule rule, const std::stop_token& stop) {
  const auto choose = infoOf(rule).choose;
  check(choose != nullptr, "a rule that moves buffers by itself");
  std::vector<NearStays> levels;
  LevelProgram behind = program;
  for (const std::optional<Bytes>& budget : budgets) {
    levels.push_back(choose(behind, budget.value_or(kMaxBytes), stop));
    behind = levelBehind(behind, levels.back().stays);
  }
  return levels;
}

NearStays walkResidency(const LevelProgram& program, Bytes budget, LeavingRule rule) {
  return Walk(program, budget, rule).run();
}

NearStays costResidency(const LevelProgram& program, Bytes budget) {
  return CostChoice(program, budget).choose();
}

}  // namespace hw
