#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/plan/plan.h"

namespace hw {

// Problem::constraints, asked and applied.

/// True if lives alone do not say where stays of `problem` may lie: it has constraints, or a pool
/// with reserved bytes.
bool isConstrained(const Problem& problem);

/// True if each stay of `problem` has its pool.
bool arePoolsDecided(const Problem& problem);

/// The pools that `stay` may lie in: its own, those allowed, or all.
std::vector<PoolId> poolsFor(const Problem& problem, StayId stay);

/// The stays that begin at one offset with `stay`, itself among them; none: it is alone.
std::span<const StayId> groupOf(const Problem& problem, StayId stay);

/// Pairs that may be in the same bytes at the same step: `exclusive` ones, and those of groups that
/// may lie in one pool.
std::vector<StayPair> sharersOf(const Problem& problem);

/// Pairs of stays that may not share bytes if they lie in one pool: those that share a live step,
/// but for `exclusive` ones and those of one group, and those that are `apart`. Ascending.
/// O(n log n + pairs).
std::vector<StayPair> conflictsOf(const Problem& problem);

/// True if the two may not share bytes of one pool.
bool inConflict(const Problem& problem, StayId a, StayId b);

/// The bytes that two stays have both, in one pool of the plan; empty where they share none.
Interval<Bytes> meetingBytes(const Problem& problem, const Plan& plan, const StayPair& pair);

/// The penalties that `plan` pays, as the problem lists them.
std::vector<ReusePenalty> paidPenalties(const Problem& problem, const Plan& plan);

/// Their sum.
std::int64_t penaltyOf(const Problem& problem, const Plan& plan);

/// Bytes that a stay has to itself for some steps.
struct OwnPiece {
  Interval<Step> steps{};
  Interval<Bytes> bytes{};  ///< In its region.
};

/// By stay; nothing for stays that have all of their bytes. Empty where nobody shares.
using OwnPieces = IdMap<StayId, std::optional<std::vector<OwnPiece>>>;

/// Of stays that share bytes and live steps, as `exclusive` ones and groups may, each byte belongs
/// to the one with the lowest id at every step. The pieces of the others, by step, then address.
OwnPieces ownPieces(const Problem& problem, const Plan& plan);

}  // namespace hw
