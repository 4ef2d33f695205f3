#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "core/base/csv.h"
#include "core/base/text.h"
#include "core/graph/tiling.h"
#include "core/import/tensor_rules.h"
#include "core/plan/constraint_use.h"
#include "core/plan/overlap_use.h"
#include "core/plan_file/plan_document.h"
#include "core/plan_file/plan_writer.h"
#include "core/plan_file/tensor_names.h"
#include "core/run/planner.h"

namespace hw {
namespace {

std::string gapsText(const std::vector<Interval<Step>>& gaps) {
  return joinText(gaps, " ", [](const Interval<Step>& gap) {
    return fmt::format("{}-{}", gap.begin.count(), gap.end.count());
  });
}

enum RuleTitle : std::size_t {
  kConflictsWords,
  kApartWords,
  kTogetherWords,
  kExclusiveWords,
  kPenaltyWords,
  kAllowedWords,
  kPinnedWords,
  kPoolsWords,
  kReservedWords
};

/// Rules of a problem as words of its rows: those of pairs in the row of the first.
class RuleWords {
 public:
  RuleWords(const Problem& problem, std::vector<ProblemRow>& rows)
      : problem_(problem), rows_(rows) {}

  /// `ownPools`: they are of the problem, and written. `planned`: pools of stays may be those that
  /// planning chose among a machine's, and are not written.
  void write(bool ownPools, bool planned) {
    const Constraints& rules = problem_.constraints;
    if (rules.virtualTime) {
      addPairs(kConflictsWords, conflictsOf(problem_));
    } else {
      addPairs(kApartWords, rules.apart);
    }
    addPairs(kExclusiveWords, rules.exclusive);
    for (const std::vector<StayId>& group : rules.together) {
      for (std::size_t i = 1; i < group.size(); ++i) add(group[0], kTogetherWords, idOf(group[i]));
    }
    for (const ReusePenalty& each : rules.penalties) {
      add(each.pair.a, kPenaltyWords, fmt::format("{}:{}", idOf(each.pair.b), each.cost));
    }
    for (const StayId id : problem_.stays.keys()) addPlaces(id, ownPools || !planned);
    if (!rows_.empty()) addPools(ownPools);
  }

 private:
  /// Fields are read without blanks around them.
  std::string idOf(StayId id) const { return csvWord(trimText(rows_[id.index()].id)); }

  void add(StayId id, RuleTitle title, const std::string& word) {
    std::string& text = rows_[id.index()].rules[title];
    text += (text.empty() ? "" : " ") + word;
  }

  void addPairs(RuleTitle title, const std::vector<StayPair>& pairs) {
    for (const StayPair& pair : pairs) add(pair.a, title, idOf(pair.b));
  }

  void addPlaces(StayId id, bool ofProblem) {
    const Stay& stay = problem_.stays[id];
    if (stay.pinned) add(id, kPinnedWords, std::to_string(stay.pinned->count()));
    const auto& allowed = problem_.constraints.allowed;
    const bool restricted = !allowed.empty() && !allowed[id].empty();
    if (restricted) {
      for (const PoolId pool : allowed[id])
        add(id, kAllowedWords, csvWord(problem_.pools[pool].name));
    } else if (problem_.pools.size() > 1 && ofProblem && (stay.pool || stay.pinned)) {
      add(id, kAllowedWords, csvWord(problem_.pools[problem_.poolOf(id)].name));
    }
  }

  void addPools(bool ownPools) {
    const StayId first(0);
    for (const ProblemPool& pool : problem_.pools) {
      const std::string name = csvWord(pool.name);
      const std::string size = pool.capacity ? fmt::format(":{}", pool.capacity->count()) : "";
      if (ownPools) add(first, kPoolsWords, name + size);
      for (const Interval<Bytes>& range : pool.reserved) {
        add(first, kReservedWords,
            fmt::format("{}:{}-{}", name, range.begin.count(), range.end.count()));
      }
    }
  }

  const Problem& problem_;
  std::vector<ProblemRow>& rows_;  ///< By stay.
};

/// The rows of a problem that came from a file; offsets are the caller's.
std::vector<ProblemRow> givenRows(const Model& model, const Problem& problem, bool planned) {
  std::vector<ProblemRow> rows;
  for (const StayId id : problem.stays.keys()) {
    const Stay& stay = problem.stays[id];
    rows.push_back({.id = model.graph->tensors[TensorId(stay.buffer.index())].name,
                    .steps = stay.steps,
                    .size = stay.size,
                    .alignment = stay.alignment,
                    .gaps = problem.gapsOf(id)});
  }
  RuleWords(problem, rows).write(problem.ownPools, planned);
  return rows;
}

/// Rows in the order of their root tensors, which is that of ids.
std::vector<BufferId> byRoot(const Storage& storage) {
  std::vector<BufferId> order = storage.buffers.keys().toVector();
  std::ranges::sort(order, {}, [&](BufferId id) { return storage.buffers[id].root; });
  return order;
}

ProblemRow bufferRow(const Graph& graph, const Buffer& buffer, Bytes alignment) {
  return {.id = tensorIdText(graph, buffer.root),
          .steps = buffer.steps,
          .size = buffer.size,
          .alignment = alignment};
}

/// True if a buffer may be in several places: where buffers move, or devices receive copies.
bool isApart(const Run& run) {
  return !run.problem.moves.empty() || run.problem.stays.size() > run.storage.buffers.size();
}

/// The stays of a plan as a file lists them: one of each buffer, by their root tensors. Where a
/// buffer may have several, all of them; those of a nearer pool first, which tells a reader which
/// is nearer.
std::vector<StayId> plannedStays(const Run& run) {
  if (run.model->problem) return run.problem.stays.keys().toVector();
  IdMap<BufferId, StayId> stayOf(run.storage.buffers.size());
  for (const StayId id : run.problem.stays.keys()) stayOf[run.problem.stays[id].buffer] = id;
  std::vector<StayId> stays;
  for (const BufferId id : byRoot(run.storage)) stays.push_back(stayOf[id]);
  if (!isApart(run)) return stays;
  stays = run.problem.stays.keys().toVector();
  std::ranges::sort(stays, {}, [&](StayId id) {
    const Stay& stay = run.problem.stays[id];
    return std::tuple(stay.pool, run.stayTensor(id), stay.steps.begin);
  });
  return stays;
}

std::vector<ProblemRow> plannedRows(const Run& run, const std::vector<StayId>& stays) {
  if (run.model->problem) {
    // A plan that is followed pins what the problem does not.
    const bool follows = run.request.allocator.info->way == Way::embedded;
    std::vector<ProblemRow> rows = givenRows(*run.model, run.problem, true);
    for (ProblemRow& row : rows) {
      if (follows) row.rules[kPinnedWords].clear();
    }
    return rows;
  }
  const bool apart = isApart(run);
  IdMap<StayId, std::string> moves(run.problem.stays.size());
  for (const Move& move : run.problem.moves) {
    if (!move.to) continue;
    const std::string from = move.from ? run.problem.pools[run.problem.poolOf(move.from)].name : "";
    moves[move.to] +=
        fmt::format("{}{}@{}", moves[move.to].empty() ? "" : " ", from, move.step.count());
  }
  IdMap<StayId, std::string> overlaps(run.problem.stays.size());
  for (const Overlap& overlap : run.problem.overlaps) {
    if (sharedBytes(run.problem, run.plan, overlap).empty()) continue;
    overlaps[overlap.over] =
        fmt::format("{}@{}", tensorIdText(run.graph(), run.stayTensor(overlap.under)),
                    overlapWayName(wayOf(run.problem, run.plan, overlap)));
  }
  std::vector<ProblemRow> rows;
  for (const StayId id : stays) {
    const Stay& stay = run.problem.stays[id];
    rows.push_back(bufferRow(run.graph(), run.storage.buffers[stay.buffer], run.sharing.alignment));
    if (apart) rows.back().steps = stay.steps;
    rows.back().moves = moves[id];
    rows.back().overlap = overlaps[id];
    if (isHeldOtherwise(run.graph(), run.stayTensor(id))) rows.back().layout = kNhwc;
  }
  return rows;
}

}  // namespace

void writeProblemRows(const std::vector<ProblemRow>& rows, ProblemColumns columns,
                      std::ostream& out) {
  const auto any = [&](auto&& needed) { return std::ranges::any_of(rows, needed); };
  const bool alignment = any([](const ProblemRow& row) { return row.alignment != Bytes(1); });
  const bool gaps = any([](const ProblemRow& row) { return !row.gaps.empty(); });
  const bool pool = any([](const ProblemRow& row) { return !row.pool.empty(); });
  const bool moves = any([](const ProblemRow& row) { return !row.moves.empty(); });
  const bool overlap = any([](const ProblemRow& row) { return !row.overlap.empty(); });
  const bool layout = any([](const ProblemRow& row) { return !row.layout.empty(); });
  std::array<bool, kRuleTitles.size()> rules{};
  for (std::size_t i = 0; i < rules.size(); ++i) {
    // Columns of conflicts stand for lives, even where there are none.
    rules[i] = any([i](const ProblemRow& row) { return !row.rules[i].empty(); }) ||
               (i == kConflictsWords && !columns.steps);
  }
  out << (columns.steps ? "id,lower,upper,size" : "id,size") << (alignment ? ",alignment" : "")
      << (gaps ? ",gaps" : "") << (pool ? ",pool" : "") << (moves ? ",moves" : "")
      << (overlap ? ",overlap" : "") << (layout ? ",layout" : "");
  for (std::size_t i = 0; i < rules.size(); ++i) {
    if (rules[i]) out << ',' << kRuleTitles[i];
  }
  out << (columns.offset ? ",offset" : "") << '\n';
  for (const ProblemRow& row : rows) {
    out << csvField(row.id);
    if (columns.steps) out << ',' << row.steps.begin.count() << ',' << row.steps.end.count();
    out << ',' << row.size.count();
    if (alignment) out << ',' << row.alignment.count();
    if (gaps) out << ',' << gapsText(row.gaps);
    if (pool) out << ',' << csvField(row.pool);
    if (moves) out << ',' << csvField(row.moves);
    if (overlap) out << ',' << csvField(row.overlap);
    if (layout) out << ',' << csvField(row.layout);
    for (std::size_t i = 0; i < rules.size(); ++i) {
      if (rules[i]) out << ',' << csvField(row.rules[i]);
    }
    if (columns.offset) out << ',';
    if (row.offset) out << row.offset->count();
    out << '\n';
  }
}

void writeProblem(const Problem& problem, std::ostream& out) {
  std::vector<ProblemRow> rows;
  rows.reserve(problem.stays.size());
  for (const StayId id : problem.stays.keys()) {
    const Stay& stay = problem.stays[id];
    rows.push_back({.id = fmt::format("b{}", id.index()),
                    .steps = stay.steps,
                    .size = stay.size,
                    .alignment = stay.alignment,
                    .gaps = problem.gapsOf(id)});
  }
  RuleWords(problem, rows).write(problem.pools.size() > 1, false);
  writeProblemRows(rows, {.steps = !problem.constraints.virtualTime}, out);
}

Result<BareProblem> bareProblemOf(const Model& model, const StorageOptions& options) {
  const Graph& graph = *model.graph;
  const Schedule schedule = givenOrder(graph);
  Storage storage = shareStorage(graph, schedule, options);
  Problem problem = makeProblem(graph, schedule, storage, Bytes(1));
  for (Stay& stay : problem.stays) stay.alignment = options.alignment;
  problem.pools = {{.name = "L2"}};
  if (model.rules) {
    for (const std::string& name : memoriesOf(*model.rules)) {
      if (name != "L2") problem.pools.add({.name = name, .level = problem.pools.size()});
    }
    HW_DO(applyTensorRules(*model.rules, graph, storage, problem));
  }
  return BareProblem{std::move(storage), std::move(problem)};
}

Result<void> writeProblemCsv(const Model& model, const StorageOptions& options, std::ostream& out) {
  std::vector<ProblemRow> rows;
  ProblemColumns columns;
  if (model.problem) {
    rows = givenRows(model, *model.problem, false);
    columns.steps = !model.problem->constraints.virtualTime;
    for (std::size_t i = 0; i < rows.size() && i < model.offsets.size(); ++i) {
      rows[i].offset = model.offsets[StayId(i)];
      columns.offset |= rows[i].offset.has_value();
    }
  } else {
    HW_TRY(bare, bareProblemOf(model, options));
    std::vector<ProblemRow> byStay;
    for (const Buffer& buffer : bare.storage.buffers) {
      byStay.push_back(bufferRow(*model.graph, buffer, options.alignment));
    }
    RuleWords(bare.problem, byStay).write(false, false);
    std::string reserved;
    if (!byStay.empty()) std::swap(reserved, byStay.front().rules[kReservedWords]);
    for (const BufferId id : byRoot(bare.storage)) rows.push_back(std::move(byStay[id.index()]));
    if (!rows.empty()) rows.front().rules[kReservedWords] = std::move(reserved);
  }
  writeProblemRows(rows, columns, out);
  return {};
}

void writePlanCsv(const Run& run, std::ostream& out) {
  const std::vector<StayId> stays = plannedStays(run);
  std::vector<ProblemRow> rows = plannedRows(run, stays);
  std::set<PoolId> pools;
  for (const auto& address : run.plan.addresses) {
    if (address) pools.insert(address->pool);
  }
  // Other tools know one address space: say which only when it matters.
  const bool named = pools.size() > 1 || (pools.size() == 1 && *pools.begin() != PoolId(0));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].offset = run.plan.flatOffset(stays[i]);
    if (named && rows[i].offset) {
      rows[i].pool = run.problem.pools[run.plan.addresses[stays[i]]->pool].name;
    }
  }
  writeProblemRows(rows, {.offset = true, .steps = !run.problem.constraints.virtualTime}, out);
}

}  // namespace hw
