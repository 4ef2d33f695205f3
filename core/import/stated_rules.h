#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/plan/problem.h"

namespace hw {

/// The most pairs of buffers that rules of one file may come to: 80 MB.
inline constexpr std::size_t kMostRulePairs = 10'000'000;

/// A kind of rule about two buffers.
enum class PairRule : std::uint8_t { apart, together, exclusive, penalty, conflict };
inline constexpr std::array<std::string_view, 5> kPairRules = {"apart", "together", "exclusive",
                                                               "penalty", "conflicts"};

class RuleFacts;

/// Rules about pairs of stays as a file states them: gathered as they come, in any order, and put
/// in that of `Constraints`. Stating a rule twice is the same, but for penalties, which add up.
class StatedRules {
 public:
  /// `problem` and what the two functions need outlive the rules: the name of a stay for messages,
  /// and the place of a rule by what was told to `add`.
  StatedRules(Problem& problem, std::function<std::string(StayId)> name,
              std::function<std::string(PairRule, std::size_t)> where)
      : problem_(problem), name_(std::move(name)), where_(std::move(where)) {}

  /// Two different stays. `cost` counts for penalties, where 0 says nothing.
  void add(PairRule rule, StayId a, StayId b, std::size_t place, std::int64_t cost = 0);
  /// A stay that shares its bytes with none that may lie in one of its pools, ever.
  void addAlone(StayId stay) { alone_.push_back(stay); }
  /// Lives are not known: the conflicts stated, all of them, say who may not share bytes. `order`:
  /// that in which stays begin; empty: whichever shows the most.
  void timeByConflicts(std::vector<StayId> order) {
    virtualTime_ = true;
    order_ = std::move(order);
  }

  /// Puts them into the constraints of the problem, whose stays, gaps and allowed pools are those
  /// of the file. Exclusive pairs that never live together say nothing and are left out; so are
  /// penalties of pairs that can never share bytes, of which notes tell. Fails where rules
  /// contradict each other or come to more than `kMostRulePairs`.
  Result<std::vector<std::string>> apply() &&;

 private:
  struct Stated {
    StayPair pair{};
    std::uint32_t place = 0;
    std::int64_t cost = 0;
  };
  using Statements = std::vector<Stated>;

  Statements& of(PairRule rule) { return stated_[static_cast<std::size_t>(rule)]; }
  std::vector<StayPair> pairsOf(PairRule rule);
  void group();
  Result<void> addApart(const RuleFacts& facts);
  Result<void> addLoners(const RuleFacts& facts);
  Result<void> checkGroups(const RuleFacts& facts);
  Result<void> addExclusive(const RuleFacts& facts);
  Result<std::vector<std::string>> addPenalties(const RuleFacts& facts);
  tl::unexpected<Error> contradiction(PairRule rule, const Stated& stated, std::string_view what);

  Problem& problem_;
  std::function<std::string(StayId)> name_;
  std::function<std::string(PairRule, std::size_t)> where_;
  std::array<Statements, kPairRules.size()> stated_{};
  std::vector<StayId> alone_;
  bool virtualTime_ = false;
  std::vector<StayId> order_;
};

}  // namespace hw
