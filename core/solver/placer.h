#pragma once

#include <array>
#include <functional>
#include <optional>
#include <vector>

#include "core/plan/decision.h"
#include "core/solver/address_list.h"
#include "core/solver/neighbours.h"
#include "core/solver/stack_tree.h"

namespace hw {

/// Placements between two looks at the clock, or for the wish to stop: among 100,000 that are live
/// together well below a tenth of a second.
inline constexpr std::size_t kPlacementsBetweenLooks = 64;

/// Which place an offline planner takes among the gaps that its neighbours in time leave.
enum class FitRule : std::uint8_t {
  first,    ///< The lowest gap that is large enough.
  best,     ///< The tightest gap, the lowest of equals.
  stacked,  ///< Above the highest neighbour: gaps are not used.
};

/// Puts stays of one pool somewhere one after the other, each against those placed before. What all
/// offline planners share; they differ in the order and the rule.
///
/// Where few stays live together it asks `Neighbours` and sorts the answer by address; where many
/// do, it walks all that is placed, kept in address order (`AddressList`). What stacks all the time
/// asks a tree over the steps how high they are (`StackTree`). The answers are the same. Outputs
/// may come as near to their inputs as `Problem::overlaps` permits.
class Placer {
 public:
  /// `only`: the rule of every placement, where it is known; such a placer cannot `decide`.
  Placer(const Problem& problem, PoolId pool, std::optional<FitRule> only = {});

  /// Counts a stay as placed at `offset`, as pins are.
  void fix(StayId stay, Bytes offset);

  /// Places `stay` and returns its offset. O((k + 1) log n) for k neighbours already placed where
  /// k is small, O(n) where it is not.
  Bytes place(StayId stay, FitRule rule);

  /// Places `stay` and tells what it chose from: the gaps that its neighbours leave, lowest first,
  /// and the room above them all.
  Decision decide(StayId stay, FitRule rule);

  /// The neighbour that ended where the last `place` put its stay: what it rests on; none at the
  /// bottom, or above a sliver lost to alignment.
  StayId restsOn() const { return restsOn_; }

  /// The stays of the pool, by begin.
  const std::vector<StayId>& stays() const { return neighbours_.stays(); }
  Bytes offsetOf(StayId stay) const { return offsets_[stay.index()]; }
  Bytes peak() const { return peak_; }

  /// Forgets every placement.
  void clear();

 private:
  using Block = AddressList::Entry;
  class Fit;
  void rankSteps();
  Block blockFor(StayId id, StayId other) const;
  std::vector<Block> neighboursOf(StayId id) const;

  /// Another stay that need not be quite apart from one.
  struct Partner {
    StayId stay{};
    Apart apart{};  ///< How far from it the one begins.
  };

  const Problem& problem_;
  Neighbours neighbours_;
  bool dense_ = false;
  std::optional<StackTree> stack_;                ///< Where all are stacked, and none has gaps.
  std::vector<std::array<Partner, 2>> partners_;  ///< By stay; none where nothing overlaps.
  std::vector<Bytes> offsets_;                    ///< By stay.
  AddressList placed_;                            ///< Kept in dense problems only, like the next.
  std::vector<AddressList::Life> lives_;          ///< By stay.
  std::vector<StayId> together_;
  std::vector<Block> others_;
  StayId restsOn_;
  Bytes peak_;
};

/// Places every unpinned stay of `order` after the pinned ones. Returns false when `stopped` says
/// so, which is asked every kPlacementsBetweenLooks.
bool placeInOrder(Placer& placer, const Problem& problem, const std::vector<StayId>& order,
                  FitRule rule, const std::function<bool()>& stopped);

/// How an offline planner goes about it, for accounts.
struct OrderRule {
  FitRule fit = FitRule::best;
  std::string_view name{};  ///< Of the order: "largest first".
};

/// Follows `placeInOrder` on a fresh placer until it is the turn of `stay`, and tells what it chose
/// from. Nothing when the order does not hold it.
std::optional<Decision> decideInOrder(Placer& placer, const Problem& problem,
                                      const std::vector<StayId>& order, const OrderRule& rule,
                                      StayId stay);

}  // namespace hw
