#pragma once

#include <array>
#include <vector>

#include "core/residency/use_options.h"

namespace hw {

/// Prices of a byte in the near pool, one a step, that tell how little traffic a budget allows: who
/// pays them needs no budget, so each buffer can be looked at alone. Lagrangian relaxation of the
/// capacity constraints (Held and Karp 1971). Everything is counted in units of 2^-20 byte.
class StepPrices {
 public:
  __extension__ using Wide = __int128;

  StepPrices(const LevelProgram& program, Bytes budget);

  /// Subgradient steps (Polyak 1969) towards the traffic of a choice that is `known`; keeps the
  /// best prices. O(rounds x operands).
  void improve(Bytes known, int rounds);

  /// No choice within the budget moves less.
  Wide bound() const { return bound_; }

  /// By how much a choice for operand `i` of step `at` is worse than what the bound has counted for
  /// it. Negative only for what is not allowed.
  Wide surplus(std::size_t at, std::size_t i, Arrival arrival, UseChoice choice) const;

  UseOption option(std::size_t at, std::size_t i, Arrival arrival, UseChoice choice) const;

  /// The same for bytes of the budget that stay empty at a step.
  Wide idle(std::size_t at, Bytes bytes) const { return Wide(prices_[at]) * bytes.count(); }

  static Wide units(Bytes bytes) { return Wide(bytes.count()) << kShift; }
  /// The least bytes that are not below `units`.
  static Bytes bytes(Wide units) {
    return Bytes(static_cast<std::int64_t>((units + (Wide(1) << kShift) - 1) >> kShift));
  }

 private:
  static constexpr int kShift = 20;
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  /// An operand, of all steps in a row.
  struct Node {
    std::size_t at = 0;
    const OperandUse* use = nullptr;
    UseAhead ahead{};
    std::size_t next = kNone;         ///< The node that touches the buffer next.
    std::array<Wide, 3> toGo{};       ///< The least that is still paid, by arrival.
    std::array<UseChoice, 3> best{};  ///< How.
  };

  Wide paid(const Node& node, Arrival arrival, UseChoice choice) const;
  void evaluate();
  std::vector<std::int64_t> bytesWanted() const;

  const LevelProgram& program_;
  Bytes budget_;
  std::vector<std::int64_t> prices_;  ///< By step.
  std::vector<Wide> sums_;            ///< Of the prices before a step.
  std::vector<Node> nodes_;
  std::vector<std::size_t> firstOf_;      ///< By step: its first node.
  IdMap<BufferId, std::size_t> entries_;  ///< By buffer: its first node.
  Wide bound_ = 0;
};

}  // namespace hw
