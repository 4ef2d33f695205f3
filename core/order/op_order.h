#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "core/base/quantity.h"
#include "core/schedule/schedule.h"

namespace hw {

/// The order in which operators run, as far as their data leave a choice.
enum class OpOrder : std::uint8_t {
  given,         ///< As the graph comes.
  leastPeak,     ///< With the fewest bytes live at once: core/order/least_peak.h.
  depthFirst,    ///< Of those that can run, the one that became able to last.
  breadthFirst,  ///< Of those that can run, the one that became able to first.
};

/// Their names in options, forms and files, by number.
std::span<const std::string_view> opOrderNames();
std::string_view opOrderName(OpOrder order);

/// The gain of an order over the given one: most bytes live at one step, storage shared.
struct OrderAccount {
  Bytes given{};                 ///< In the order the graph comes in.
  Bytes peak{};                  ///< In this one.
  std::optional<Bytes> bound{};  ///< No order has fewer. Known where the least was searched for.
  std::int64_t states = 0;       ///< Sets of finished operators that the search looked behind.

  /// True when no order of these operators has fewer bytes live at once.
  bool proven() const { return bound == peak; }
  /// 1 - bound / peak: what a better order could save at most; 0 where no bound is known.
  double gap() const {
    if (!bound || proven()) return 0;
    return 1 - bound->real() / peak.real();
  }
};

/// The order that takes, of the operators that can run, always the one that became able to last
/// (depth first), or first (breadth first); of those that became so at once, the lowest number.
/// O(n + m).
Schedule depthFirstOrder(const Graph& graph);
Schedule breadthFirstOrder(const Graph& graph);

/// The schedule that runs `order`.
Schedule scheduleOf(std::vector<OpId> order);

}  // namespace hw
