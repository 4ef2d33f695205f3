#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/base/dice.h"

namespace hw {

/// Small random numbers fast, the same on every machine: splitmix64.
class PairDice {
 public:
  explicit PairDice(std::uint64_t seed) : state_(seed) {}

  std::uint64_t draw() {
    const std::uint64_t drawn = scramble(state_);
    state_ += kScrambleStep;
    return drawn;
  }
  /// In [0, count); `count` is positive.
  std::uint32_t below(std::uint32_t count) {
    return static_cast<std::uint32_t>(((draw() >> 32) * count) >> 32);
  }
  /// In [0, 1).
  double fraction() { return static_cast<double>(draw() >> 11) * 0x1p-53; }

  /// Every order of `things` is as likely.
  template <class T>
  void shuffle(std::vector<T>& things) {
    for (std::size_t i = things.size(); i > 1; --i) {
      std::swap(things[i - 1], things[below(static_cast<std::uint32_t>(i))]);
    }
  }

 private:
  std::uint64_t state_;
};

}  // namespace hw
