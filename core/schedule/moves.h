#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/schedule/schedule.h"

namespace hw {

/// A wish about the order: `op` directly before or after `anchor`, together with the ops between
/// the two that have to come along.
///
///     a  b  c  d  e      e needs c; e:before:b gives      a  c  e  b  d
struct OpMove {
  enum class Side { before, after };
  OpId op{};
  OpId anchor{};
  Side side = Side::before;
  friend bool operator==(const OpMove&, const OpMove&) = default;
};

/// "41:before:38", ops by their number, which is their step in the order that the graph comes in.
std::string moveText(const OpMove& move);
/// Reads the text that `moveText` writes.
Result<OpMove> parseMove(std::string_view text);

/// `schedule`, which respects `precedence`, with the move carried out: it respects it again. Fails
/// when one of the two ops does not exist, when both are the same, or when one needs the other.
/// O(n + m).
Result<Schedule> moved(const Schedule& schedule, const Precedence& precedence, const OpMove& move);

/// `start`, an order of the ops of `graph`, with all `moves` carried out, one after the other.
Result<Schedule> movedOrder(const Graph& graph, const std::vector<OpMove>& moves, Schedule start);

}  // namespace hw
