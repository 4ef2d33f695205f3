#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "core/base/dice.h"
#include "core/plan/plan.h"

namespace hw::test {

using hw::Dice;

/// What a random problem may contain. Percentages are per stay.
struct ProblemShape {
  std::size_t stays = 20;
  std::int64_t steps = 20;
  std::int64_t maxSize = 100;
  std::int64_t maxLength = 8;  ///< Of a stay, in steps; one in ten may live to the end.
  int alignedPercent = 0;      ///< Stays with an alignment of 2 to 64, 3 and 12 among them.
  int pinnedPercent = 0;       ///< Pins never clash: they come from a plan without reuse.
  int gapPercent = 0;          ///< Stays with one or two gaps.
  std::size_t pools = 1;
  int assignedPercent = 0;  ///< Stays that must be in a given pool, of several.
};

Problem randomProblem(std::uint64_t seed, const ProblemShape& shape = {});

/// A stay of a drawn problem.
struct DrawnStay {
  std::int64_t size = 1;
  std::int64_t begin = 0;
  std::int64_t end = 1;
  std::int64_t alignment = 1;
};

/// Stay i is called 'a' + i in drawings; schedules end with the last stay; one pool, unbounded.
Problem problemOf(std::initializer_list<DrawnStay> stays);

/// A plan in one region of pool 0 that puts stay i at offsets[i]; -1: not placed. As small as that
/// allows, and "complete".
Plan planAt(const Problem& problem, const std::vector<std::int64_t>& offsets);

/// Stays one on top of the other, aligned: valid whatever the lifetimes. Pins are not looked at.
Plan stackedPlan(const Problem& problem);

/// The smallest footprint any plan of pool 0 can have, by trying every order of lowest fits. For
/// up to 8 stays without pins or gaps.
Bytes bruteForcePeak(const Problem& problem);

/// Pairs of stays that share bytes and steps, found by comparing all with all, step by step.
std::vector<std::pair<StayId, StayId>> naiveClashes(const Problem& problem, const Plan& plan);

}  // namespace hw::test
