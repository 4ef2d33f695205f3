#include "core/residency/walk.h"

#include <algorithm>
#include <compare>
#include <set>
#include <tuple>

namespace hw {
namespace {

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

}  // namespace

NearStays walkResidency(const LevelProgram& program, Bytes budget, LeavingRule rule) {
  return Walk(program, budget, rule).run();
}

}  // namespace hw
