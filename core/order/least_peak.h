#pragma once

#include <stop_token>
#include <string>

#include "core/order/op_order.h"
#include "core/storage/aliasing.h"

namespace hw {

struct FoundOrder {
  Schedule schedule{};
  OrderAccount account{};
};

/// The order of the ops of `graph` in which the fewest bytes are live at once, storage being shared
/// as `options` say; the given order where none is better. Exact where account.proven(); else the
/// best that was found by a limited search, the same on every machine.
///
/// Which views share depends on the order, and which order is best on who shares. So the bound is
/// that of `byteProblem`, which holds whatever shares, and orders are looked for with bytes, with
/// views that copy, and with views that share as in the best order so far, as long as that helps.
FoundOrder leastPeakOrder(const Graph& graph, const StorageOptions& options,
                          const std::stop_token& stop = {});

/// The order that is asked for, with its peak.
FoundOrder orderOf(const Graph& graph, OpOrder order, const StorageOptions& options,
                   const std::stop_token& stop = {});

/// "least-peak order: at most 1,024 bytes are live at once, not 2,048; no order has fewer".
std::string orderText(OpOrder order, const OrderAccount& account);

}  // namespace hw
