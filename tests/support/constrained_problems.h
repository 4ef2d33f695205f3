#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/plan/plan.h"

namespace hw::test {

/// Contents of a random problem with constraints.
struct ConstrainedShape {
  std::size_t stays = 12;
  std::size_t pools = 1;
  std::int64_t maxSize = 40;
  bool pins = false;
  bool gaps = true;
  int percent = 15;  ///< Of pairs that get a rule, and of pools with reserved bytes times three.
};

/// Every kind of constraint, none that contradict each other: with unbounded pools a plan exists.
Problem constrainedProblem(std::uint64_t seed, const ConstrainedShape& shape);

/// Everything that a complete plan breaks, its regions laid one after the other, found by looking
/// at every pair of stays step by step; sentences for messages.
std::vector<std::string> brokenRules(const Problem& problem, const Plan& plan);

/// The sum of the penalties that it pays, found the same way.
std::int64_t naivePenalty(const Problem& problem, const Plan& plan);

}  // namespace hw::test
