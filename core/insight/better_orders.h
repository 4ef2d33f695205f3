#pragma once

#include <stop_token>
#include <vector>

#include "core/run/run.h"

namespace hw {

/// Changes of order that promise a smaller peak: each is a list of moves to be made after those
/// of the run. At most `limit`, best promise first.
///
/// A promise is the most bytes live at one step, with storage shared as it is in `run`: cheap to
/// work out, and a bound of what any planner reaches. Looked at is what is live when memory is
/// fullest: what made it may run later, what reads it last may run earlier, and the operator of
/// that step may go either way. The last candidate follows the best such move again and again.
std::vector<std::vector<OpMove>> betterOrders(const Run& run, std::size_t limit,
                                              const std::stop_token& stop);

}  // namespace hw
