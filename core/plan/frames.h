#pragma once

#include <vector>

#include "core/plan/plan.h"

namespace hw {

/// Bytes that are taken as a whole, in the flat address space of their pool: what of them no tenant
/// lives in is kept, not free.
struct Frame {
  Interval<Bytes> bytes{};
  Interval<Step> steps{};
  StayId tenant{};                   ///< The only one, or the first of `block`.
  const HeldBlock* block = nullptr;  ///< Of the plan; null where a region is the block.
};

/// The blocks of `plan` in `pool`; none for methods that take bytes stay by stay. O(stays).
std::vector<Frame> framesOf(const Problem& problem, const Plan& plan, PoolId pool);

/// A rectangle of bytes and steps that a frame keeps from others while nobody lives there.
struct KeptPiece {
  Interval<Bytes> bytes{};
  Interval<Step> steps{};
};

/// All of `frame` but its tenants, as few rectangles as that takes column by column.
std::vector<KeptPiece> keptOf(const Problem& problem, const Plan& plan, const Frame& frame);

/// When a stay gives its bytes back, if its block keeps them: to `next`, which lives in the same
/// bytes of the block, or at `until`, when the block goes.
struct Hold {
  StayId next{};
  Step until{};
  bool kept = false;  ///< Neither: the block is there to the end, for a graph output lies in it.
};

/// Of every stay; empty unless the plan has blocks with tenants.
IdMap<StayId, Hold> holdsOf(const Problem& problem, const Plan& plan);

}  // namespace hw
