#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/picture/canvas.h"
#include "core/plan/constraint_use.h"

namespace hw {

/// The kinds of constraints between two stays, as pictures tell them apart: `paid` and `unpaid` are
/// penalties. Those of which a stay may have thousands are last.
enum class LinkKind : std::uint8_t { together, paid, unpaid, exclusive, apart };
inline constexpr std::size_t kLinkKinds = 5;

/// "together", "penalty paid", "penalty not paid", "exclusive", "apart".
std::string_view linkName(LinkKind kind);

/// Line of a link, everywhere: a kind is told by its colour and by its dashes.
Stroke strokeOf(LinkKind kind);

/// A constraint of one stay with another.
struct ConstraintLink {
  LinkKind kind{};
  StayId partner{};
  std::int64_t cost = 0;  ///< Of a penalty.
};

/// The constraints of `stay` with others, by kind, then partner. O(constraints).
std::vector<ConstraintLink> linksOf(const Problem& problem, const Plan& plan, StayId stay);

/// More constraints than this are too many to go through at every frame.
inline constexpr std::size_t kMostConstraintsSearched = 20'000;

/// True for each kind that the plan has.
std::vector<bool> linkKindsOf(const Problem& problem, const Plan& plan);

/// The bytes of a pool that no stay may touch, flat, in each of its regions.
std::vector<Interval<Bytes>> reservedRanges(const Problem& problem, const Plan& plan, PoolId pool);

/// "12 of 130 paid, cost 12"; empty for a problem without penalties.
std::string penaltyWords(const Problem& problem, const Plan& plan);

}  // namespace hw
