#include "core/allocators/search_report.h"

#include <fmt/format.h>

#include "core/base/text.h"

namespace hw {

MethodTable progressTable(const std::vector<ExactProgress>& history, const std::string& pool) {
  MethodTable table{
      .name = "progress " + pool,
      .summary = "the best plan so far and the proved bound, as the search went on",
      .columns = {std::string(kWallTimeColumn), "incumbent", "bound", "nodes", "order"}};
  for (const ExactProgress& each : history) {
    addRow(table, {static_cast<std::int64_t>(each.seconds * 1e6), each.incumbent, each.bound,
                   each.nodes, each.winner});
  }
  return table;
}

std::string progressText(const ExactProgress& now) {
  return fmt::format("{} bytes by '{}', {:.2f} % above the bound, {:.0f} nodes/s",
                     groupDigits(now.incumbent.count()), now.winner, 100 * now.gap(),
                     now.nodesPerSecond());
}

}  // namespace hw
