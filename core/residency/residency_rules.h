#pragma once

#include <array>
#include <span>
#include <stop_token>
#include <string_view>

#include "core/plan/problem.h"
#include "core/residency/near_stays.h"

namespace hw {

/// The rules by which buffers are placed on memories.
enum class ResidencyRule : std::uint8_t {
  wholeLife,
  layer,
  lru,
  belady,
  cost,
  exact,
  leastTraffic,  ///< Of cost and exact what moves less.
  best,          ///< Of all these what is simulated to be fastest.
};

/// A rule as users see it.
struct ResidencyInfo {
  ResidencyRule rule{};
  std::string_view name{};
  std::string_view summary{};
  /// Chooses the near stays between two pools, the nearer of which may hold the bytes. Null:
  /// nothing moves, or the rule is chosen by simulating the others.
  NearStays (*choose)(const LevelProgram&, Bytes, const std::stop_token&) = nullptr;
};
std::span<const ResidencyInfo> residencyCatalog();
const ResidencyInfo& infoOf(ResidencyRule rule);

/// The near stays between each two neighbouring pools, the nearest first: one answer for every
/// pool but the last. The traffic that a pool leaves to the next is served by that. A budget of
/// nothing is unbounded. Not for whole lives, nor for `best`, which takes a simulation.
std::vector<NearStays> chooseResidency(const LevelProgram& program,
                                       std::span<const std::optional<Bytes>> budgets,
                                       ResidencyRule rule, const std::stop_token& stop = {});

/// The choice of buffers that leave the near pool when an operand needs room there.
enum class LeavingRule : std::uint8_t {
  all,       ///< All that the op does not touch: layer by layer.
  oldest,    ///< What was touched longest ago (LRU).
  furthest,  ///< What is read again furthest away, best of all what never is (Belady 1966).
};

/// Goes through the program and brings every operand near, with at most `budget` bytes there at any
/// step: who has to make room leaves by `rule`, stored first if nobody has stored what it holds.
/// Operands that exceed the budget together are used in place in the far pool, the largest first.
/// A buffer that is never read again leaves after its op. Ties: those that need no store first,
/// then the larger, then the lower id. O(n log n) for n operands.
NearStays walkResidency(const LevelProgram& program, Bytes budget, LeavingRule rule);

/// Gives the near pool to what saves most far traffic for each byte and step that it holds there: a
/// buffer for all its life, or from one op that touches it to the next, as long as `budget` has
/// room at each of those steps. Kin of the assignment of memory spaces in XLA. Ties: the lower
/// buffer, then the earlier use. O(n log n) for n operands.
NearStays costResidency(const LevelProgram& program, Bytes budget);

/// The most states that `exactResidency` looks at.
inline constexpr std::int64_t kResidencyNodes = 20'000'000;

/// The least far traffic that any residency within `budget` can have, as `atLeast` says: it equals
/// `farTraffic` when that is proved. Shortest path over who is near between two operands, by
/// layers; what the prices of steps rule out is dropped, and of too wide a layer the least
/// promising, at the price of the proof. The same answer for the same number of nodes, wherever it
/// runs.
NearStays exactResidency(const LevelProgram& program, Bytes budget,
                         std::int64_t nodes = kResidencyNodes, std::stop_token stop = {});

/// The state in which an operand finds a buffer: not near, near and the same as far, near and
/// newer.
enum class Arrival : std::uint8_t { far, clean, dirty };
inline constexpr std::array kArrivals = {Arrival::far, Arrival::clean, Arrival::dirty};
inline constexpr std::array kUseChoices = {UseChoice::place, UseChoice::near, UseChoice::hold};

/// One way to serve an operand.
struct UseOption {
  bool allowed = false;
  Bytes moved{};  ///< At the far pool: by the op in place, a load, and a store afterwards.
  Arrival next = Arrival::far;
};

/// The outcome of `choice`. Holding a buffer that nobody needs is not allowed, and one that is near
/// is not used in place: not to have held it is never worse.
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
