#pragma once

#include <array>
#include <cstddef>

#include "core/residency/near_stays.h"

namespace hw {

/// How a buffer is found by an operand: not near, near and the same as far, near and newer.
enum class Arrival : std::uint8_t { far, clean, dirty };
inline constexpr std::array kArrivals = {Arrival::far, Arrival::clean, Arrival::dirty};
inline constexpr std::array kUseChoices = {UseChoice::place, UseChoice::near, UseChoice::hold};

/// One way to serve an operand.
struct UseOption {
  bool allowed = false;
  Bytes moved{};  ///< At the far pool: by the op in place, a load, and a store afterwards.
  Arrival next = Arrival::far;
};

/// What `choice` comes to. Holding what nobody needs is not allowed, and what is near is not used
/// in place: not to have held it is never worse.
inline UseOption optionOf(const LevelBuffer& buffer, const OperandUse& use, const UseAhead& ahead,
                          Arrival arrival, UseChoice choice) {
  const bool wasNear = arrival != Arrival::far;
  if (choice == UseChoice::place) return {!wasNear, use.read + use.written, Arrival::far};
  const bool dirty = arrival == Arrival::dirty || use.writes;
  UseOption option{.allowed = true};
  if (!wasNear && use.needs) option.moved += buffer.moved;
  if (choice == UseChoice::hold) {
    option.allowed = ahead.need != UseAhead::kNever;
    option.next = dirty ? Arrival::dirty : Arrival::clean;
  } else if (dirty && ahead.kept) {
    option.moved += buffer.moved;
  }
  return option;
}

}  // namespace hw
