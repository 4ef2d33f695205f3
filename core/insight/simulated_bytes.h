#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/insight/runtime_plan.h"

namespace hw {

/// Bytes as an operator begins, while it runs, and behind it.
struct Passage {
  std::int64_t begin = 0, live = 0, end = 0;
  std::int64_t takes() const { return live - begin; }
  std::int64_t frees() const { return live - end; }
};

/// What is live of some blocks, step by step.
class SimulatedBytes {
 public:
  SimulatedBytes(const std::vector<RuntimeBlock>& blocks, Step end, StepFunction live)
      : live_(std::move(live)) {
    const auto steps = index(end);
    carried_.resize(steps + 1);
    ending_.resize(steps + 1);
    // What is there at a step and at the one before it.
    for (const RuntimeBlock& block : blocks) {
      carried_[index(block.steps.begin) + 1] += block.size.count();
      carried_[index(block.steps.end)] -= block.size.count();
      ending_[index(block.steps.end)].push_back(block.size.count());
    }
    for (std::size_t i = 1; i <= steps; ++i) carried_[i] += carried_[i - 1];
  }

  Passage at(Step step) const {
    return {carried_[index(step)], live_.at(step).count(), carried_[index(step) + 1]};
  }
  /// Sizes of what is last live at `step`.
  const std::vector<std::int64_t>& ending(Step step) const { return ending_[index(step) + 1]; }
  const StepFunction& live() const { return live_; }

 private:
  static std::size_t index(Step step) { return static_cast<std::size_t>(step.count()); }

  StepFunction live_;
  std::vector<std::int64_t> carried_;
  std::vector<std::vector<std::int64_t>> ending_;
};

}  // namespace hw
