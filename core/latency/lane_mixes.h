#pragma once

#include <array>

#include "core/latency/lane_orders.h"

namespace hw {

/// Weights of a lane of moves and a chain of computes, which end one before the other starts:
/// each activity has a weight in every *mix*, a time, and whatever the addresses,
/// the weights of activities that all run within some time are no longer than it, together.
///
/// An engine does one thing at a time: the moves alone are a mix, and the computes alone. Beside
/// each other they slow each other down at ports. At full speed a compute and a move take the parts
/// s and t of a port, s + t > 1. Nobody gives more of it than there is: of the weights, as parts of
/// the lengths, w = min(1 - v (1 - s) / t, (1 - v) s / (1 - t)) for the compute goes with any
/// v in [0, 1] for the move. Where sharing is proportional and nobody else can be there, both get
/// the speed 1 / (s + t), and w = s + t - v does. A mix for each of some v; of the computes each
/// has the least weight that it has beside one of the moves that may run then.
class LaneMixes {
 public:
  /// Parts of the length of a move that are its weight, in eighths.
  static constexpr std::array<std::int64_t, 6> kEighths = {8, 7, 6, 4, 2, 1};
  static constexpr std::size_t kMixes = kEighths.size();
  using Weights = std::array<SimTime, kMixes>;

  /// Keeps a reference.
  explicit LaneMixes(const TimedWork& work);

  /// Weighs `chain` and the longest lane that does nothing but move, as far as `orders` tell what
  /// may run at the same time.
  void weigh(const LaneOrders& orders, std::span<const std::uint32_t> chain);

  const Weights& of(std::uint32_t activity) const { return weights_[activity]; }

 private:
  using Parts = std::array<std::int64_t, kMixes>;  ///< Of kFullSpeed.

  void findMoves();
  void weighCompute(const LaneOrders& orders, std::uint32_t activity);
  bool isAlone(const LaneOrders& orders, std::uint32_t activity) const;
  Parts beside(const FlowShape& compute, const FlowShape& move, bool alone) const;

  const TimedWork& work_;
  std::size_t moves_;          ///< The lane; as many as there are lanes: none.
  bool looseFlow_ = false;     ///< Something in no lane flows.
  std::vector<Parts> setups_;  ///< By move: what its fixed part may weigh.
  std::vector<Weights> weights_;
};

}  // namespace hw
