#include "core/pairs/pair_payments.h"

#include <algorithm>
#include <limits>

#include "core/pairs/pair_packing.h"

namespace hw {

namespace {

constexpr std::int64_t kNoPlan = std::numeric_limits<std::int64_t>::max();

class PaymentSearch {
 public:
  PaymentSearch(const PairField& field, std::int64_t bound, PairBudget& budget)
      : field_(field), bound_(bound), budget_(budget), states_(field.count()) {
    for (std::uint32_t block = 0; block < field.count(); ++block) {
      for (const PairField::Edge& edge : field.edges[block]) {
        states_[block].push_back(edge.hard ? State::apart : State::open);
      }
    }
  }

  PairDolls run(const std::vector<std::int64_t>& start) {
    if (!start.empty()) consider(start);
    decide(0);
    PairDolls result{.complete = !budget_.isSpent(), .feasible = least_ != kNoPlan};
    result.offsets = best_;
    result.cost = result.feasible ? least_ : 0;
    result.bound = result.complete ? result.cost : std::min(bound_, result.cost);
    if (!result.feasible && !result.complete) result.bound = bound_;
    return result;
  }

 private:
  enum class State : char { open, apart, paid };

  struct Pair {
    std::uint32_t block = 0;
    std::size_t edge = 0;
  };

  void consider(const std::vector<std::int64_t>& offsets) {
    const auto cost = costOf(field_, offsets);
    if (!cost || *cost >= least_) return;
    least_ = *cost;
    best_ = offsets;
  }

  /// The field where pairs kept apart are hard, open ones as asked, and paid ones gone.
  PairField relaxed(bool keepOpen) const {
    PairField kept = field_;
    for (std::uint32_t block = 0; block < field_.count(); ++block) {
      kept.edges[block].clear();
      for (std::size_t i = 0; i < states_[block].size(); ++i) {
        const State state = states_[block][i];
        if (state == State::paid || (!keepOpen && state == State::open)) continue;
        kept.edges[block].push_back(field_.edges[block][i]);
      }
    }
    return hardened(kept);
  }

  /// An open pair that a plan does not keep apart, the dearest; nothing if all are.
  std::optional<Pair> unpaid(const std::vector<std::int64_t>& offsets) const {
    std::optional<Pair> dearest;
    std::int64_t most = 0;
    for (std::uint32_t block = 0; block < field_.count(); ++block) {
      for (std::size_t i = 0; i < states_[block].size(); ++i) {
        const PairField::Edge& edge = field_.edges[block][i];
        if (states_[block][i] != State::open || edge.other < block || edge.cost <= most) continue;
        if (PairField::isApart(edge, offsets[block], offsets[edge.other])) continue;
        most = edge.cost;
        dearest = Pair{block, i};
      }
    }
    return dearest;
  }

  void set(const Pair& pair, State state) {
    states_[pair.block][pair.edge] = state;
    const PairField::Edge& mine = field_.edges[pair.block][pair.edge];
    for (std::size_t i = 0; i < field_.edges[mine.other].size(); ++i) {
      const PairField::Edge& back = field_.edges[mine.other][i];
      const bool same = back.other == pair.block && back.hard == mine.hard &&
                        back.below == mine.above && back.above == mine.below;
      if (same) states_[mine.other][i] = state;
    }
  }

  /// Looks for a plan that costs less than the best and pays `cost` for pairs that need not be kept
  /// apart any more.
  void decide(std::int64_t cost) {
    if (budget_.spend() || cost >= least_ || least_ <= bound_) return;
    const std::int64_t most = field_.capacity;
    constexpr std::int64_t kQuickNodes = 1'000;
    PairBudget quick = budget_.part(kQuickNodes);
    const PairPacking all = packPairs(relaxed(true), most, quick);
    budget_.settle(quick);
    if (all.outcome == PairPacking::Outcome::packed) return consider(all.offsets);
    const PairPacking some = packPairs(relaxed(false), most, budget_);
    if (some.outcome != PairPacking::Outcome::packed) return;
    consider(some.offsets);
    const auto pair = unpaid(some.offsets);
    if (!pair) return;
    set(*pair, State::apart);
    decide(cost);
    set(*pair, State::paid);
    decide(cost + field_.edges[pair->block][pair->edge].cost);
    set(*pair, State::open);
  }

  const PairField& field_;
  std::int64_t bound_;
  PairBudget& budget_;
  std::vector<std::vector<State>> states_;  ///< By block and edge.
  std::int64_t least_ = kNoPlan;
  std::vector<std::int64_t> best_{};
};

}  // namespace

PairDolls leastCostByPayments(const PairField& field, const std::vector<std::int64_t>& start,
                              std::int64_t bound, PairBudget& budget) {
  return PaymentSearch(field, bound, budget).run(start);
}

}  // namespace hw
