#include "core/allocators/search_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"

namespace hw {
namespace {

constexpr std::string_view kProgressTable = "progress ";

/// The progress in a row of a progress table; nothing for another shape, as a plug-in may write.
std::optional<ExactProgress> sampleOf(const std::vector<MethodCell>& row) {
  if (row.size() != 5) return std::nullopt;
  const auto* microseconds = std::get_if<std::int64_t>(&row[0]);
  const auto* incumbent = std::get_if<Bytes>(&row[1]);
  const auto* bound = std::get_if<Bytes>(&row[2]);
  const auto* nodes = std::get_if<std::int64_t>(&row[3]);
  const auto* winner = std::get_if<std::string>(&row[4]);
  if (!microseconds || !incumbent || !bound || !nodes || !winner) return std::nullopt;
  return ExactProgress{.seconds = static_cast<double>(*microseconds) / 1e6,
                       .incumbent = *incumbent,
                       .bound = *bound,
                       .nodes = *nodes,
                       .winner = *winner};
}

}  // namespace

MethodTable progressTable(const std::vector<ExactProgress>& history, const std::string& pool) {
  MethodTable table{
      .name = std::string(kProgressTable) + pool,
      .summary = "the best plan so far and the proved bound, as the search went on",
      .columns = {std::string(kWallTimeColumn), "incumbent", "bound", "nodes", "order"}};
  for (const ExactProgress& each : history) {
    addRow(table, {static_cast<std::int64_t>(each.seconds * 1e6), each.incumbent, each.bound,
                   each.nodes, each.winner});
  }
  return table;
}

std::vector<SearchHistory> searchHistories(const Plan& plan) {
  std::vector<SearchHistory> histories;
  for (const MethodTable& table : plan.tables) {
    if (!table.name.starts_with(kProgressTable)) continue;
    SearchHistory history{.pool = table.name.substr(kProgressTable.size())};
    for (const auto& row : table.rows) {
      if (const auto sample = sampleOf(row)) history.samples.push_back(*sample);
    }
    if (!history.samples.empty()) histories.push_back(std::move(history));
  }
  return histories;
}

std::vector<MethodRecord> searchRecords(const Plan& plan) {
  std::vector<MethodRecord> records;
  for (const SearchHistory& history : searchHistories(plan)) {
    MethodRecord& record = records.emplace_back(MethodRecord{.name = "search " + history.pool});
    MethodRecorder recorder(&record);
    const std::size_t stands =
        recorder.addList({.name = "stands",
                          .summary = "between what was found and what no plan can be below",
                          .kind = MethodList::Kind::table,
                          .columns = {"what", "bytes"}});
    const std::size_t found = recorder.addList({.name = "found",
                                                .summary = "every plan that was smaller",
                                                .columns = {"bytes", "bound", "nodes", "by"}});
    recorder.append(stands, {std::string("best plan"), history.samples.front().incumbent});
    recorder.append(stands, {std::string("bound"), history.samples.front().bound});
    std::optional<Bytes> best;
    for (const ExactProgress& now : history.samples) {
      const bool better = !best || now.incumbent < *best;
      best = now.incumbent;
      recorder.replace(stands, 0, {std::string("best plan"), now.incumbent});
      recorder.replace(stands, 1, {std::string("bound"), now.bound});
      if (better) recorder.append(found, {now.incumbent, now.bound, now.nodes, now.winner});
      recorder.tick({}, Step(),
                    better ? fmt::format("a plan of {} bytes by '{}'; none can be below {}",
                                         groupDigits(now.incumbent.count()), now.winner,
                                         groupDigits(now.bound.count()))
                           : fmt::format("after {} nodes no plan can be below {} bytes",
                                         groupDigits(now.nodes), groupDigits(now.bound.count())));
    }
  }
  return records;
}

std::optional<Decision> searchDecision(const Problem& problem, const Plan& plan, StayId stay) {
  const std::string& pool = problem.pools[problem.poolOf(stay)].name;
  for (const SearchHistory& history : searchHistories(plan)) {
    if (history.pool != pool) continue;
    const ExactProgress& end = history.samples.back();
    Decision decision = judgeDecision(problem, plan, stay);
    decision.fromPlan = false;
    decision.when = fmt::format(
        "all of {} at once: '{}' made the lowest packing that was found, {}, {}", pool, end.winner,
        countBytes(end.incumbent),
        end.incumbent <= end.bound ? "which is proved to be the best there is"
                                   : fmt::format("{} above what no plan can be below",
                                                 countBytes(end.incumbent - end.bound)));
    return decision;
  }
  return std::nullopt;
}

std::optional<Decision> hasteDecision(const Problem& problem, const Plan& plan, StayId stay) {
  const auto table = std::ranges::find(plan.tables, kHasteTable, &MethodTable::name);
  if (table == plan.tables.end() || table->rows.empty()) return std::nullopt;
  const auto* winner = std::get_if<std::string>(&table->rows.back().back());
  Decision decision = judgeDecision(problem, plan, stay);
  decision.fromPlan = false;
  decision.when = "all addresses at once, so that nothing waits long for reused bytes";
  if (winner != nullptr)
    decision.when += fmt::format(": '{}' made the fastest plan found", *winner);
  return decision;
}

void tellProgress(const PlanContext& context, const std::string& pool, const ExactProgress& now) {
  if (context.progress) context.progress(0.1, progressText(now));
  if (context.search) context.search(pool, now);
}

std::string progressText(const ExactProgress& now) {
  return fmt::format("{} bytes by '{}', {:.2f} % above the bound, {:.0f} nodes/s",
                     groupDigits(now.incumbent.count()), now.winner, 100 * now.gap(),
                     now.nodesPerSecond());
}

}  // namespace hw
