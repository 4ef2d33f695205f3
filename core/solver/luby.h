#pragma once

#include <bit>
#include <cstdint>

namespace hw {

/// 1, 1, 2, 1, 1, 2, 4, 1, …, from number 1 on: how long tries are best made of which nobody knows
/// how long the good ones take (Luby, Sinclair and Zuckerman 1993).
constexpr std::uint64_t lubyLength(std::uint64_t number) {
  for (;;) {
    const std::uint64_t whole = std::bit_ceil(number + 1) - 1;
    if (number == whole) return (whole + 1) / 2;
    number -= whole / 2;
  }
}

}  // namespace hw
