#include "core/check/stated_moves.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/check/replay.h"

namespace hw {
namespace {

std::string quoted(const std::string& name) { return "'" + printable(name, 80) + "'"; }

}  // namespace

std::vector<AuditedRunParts::Moved> resolveMoves(
    const std::vector<StatedMove>& stated,
    const std::function<BufferId(const std::string&)>& bufferNamed,
    const std::vector<AuditedRunParts::Pool>& pools, std::vector<Finding>& findings) {
  const auto poolNamed = [&](const std::string& name) {
    const auto known = std::ranges::find(pools, name, &AuditedRunParts::Pool::name);
    const bool none = name.empty() || known == pools.end();
    return none ? PoolId() : PoolId(static_cast<std::size_t>(known - pools.begin()));
  };
  std::vector<AuditedRunParts::Moved> moves;
  for (const StatedMove& move : stated) {
    const AuditedRunParts::Moved moved{bufferNamed(move.tensor), poolNamed(move.from),
                                       poolNamed(move.to), move.step};
    const bool known = moved.buffer && moved.from != moved.to &&
                       bool(moved.from) != move.from.empty() && bool(moved.to) != move.to.empty();
    if (known) {
      moves.push_back(moved);
    } else {
      findings.push_back(
          {fmt::format("{} is moved from {} to {} in step {}; expected a tensor "
                       "that has a place, and two pools",
                       quoted(move.tensor), quoted(move.from), quoted(move.to), move.step.count()),
           move.where});
    }
  }
  std::ranges::stable_sort(moves, {}, &AuditedRunParts::Moved::step);
  return moves;
}

std::vector<Finding> auditMovedRun(const Run& run) {
  constexpr Bytes kArena{std::int64_t{256} << 20};
  std::vector<Finding> findings;
  for (const Move& move : run.problem.moves) {
    if (move.from || move.to) continue;
    findings.push_back({fmt::format(
        "{} is moved in step {}, but has no place at one end of the move then",
        quoted(displayName(run.graph(), run.storage.rootOf(move.buffer))), move.step.count())});
  }
  if (!findings.empty() || run.problem.moves.empty()) return findings;
  for (const Corruption& found : replayBytes(run, kArena)) {
    findings.push_back({fmt::format("in step {}, {}", found.step.count(), found.message)});
  }
  return findings;
}

}  // namespace hw
