#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "core/base/csv.h"
#include "core/graph/tiling.h"
#include "core/plan/overlap_use.h"
#include "core/plan_file/plan_document.h"
#include "core/plan_file/plan_writer.h"
#include "core/plan_file/tensor_names.h"

namespace hw {
namespace {

std::string gapsText(const std::vector<Interval<Step>>& gaps) {
  std::string text;
  for (const Interval<Step>& gap : gaps) {
    text += fmt::format("{}{}-{}", text.empty() ? "" : " ", gap.begin.count(), gap.end.count());
  }
  return text;
}

/// The rows of a problem that came from a file; offsets are the caller's.
std::vector<ProblemRow> givenRows(const Model& model, const Problem& problem) {
  std::vector<ProblemRow> rows;
  for (const StayId id : problem.stays.keys()) {
    const Stay& stay = problem.stays[id];
    rows.push_back({.id = model.graph->tensors[TensorId(stay.buffer.index())].name,
                    .steps = stay.steps,
                    .size = stay.size,
                    .alignment = stay.alignment,
                    .gaps = problem.gapsOf(id)});
  }
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
  if (run.model->problem) return givenRows(*run.model, run.problem);
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
  out << "id,lower,upper,size" << (alignment ? ",alignment" : "") << (gaps ? ",gaps" : "")
      << (pool ? ",pool" : "") << (moves ? ",moves" : "") << (overlap ? ",overlap" : "")
      << (layout ? ",layout" : "") << (columns.offset ? ",offset" : "") << '\n';
  for (const ProblemRow& row : rows) {
    out << csvField(row.id) << ',' << row.steps.begin.count() << ',' << row.steps.end.count() << ','
        << row.size.count();
    if (alignment) out << ',' << row.alignment.count();
    if (gaps) out << ',' << gapsText(row.gaps);
    if (pool) out << ',' << csvField(row.pool);
    if (moves) out << ',' << csvField(row.moves);
    if (overlap) out << ',' << csvField(row.overlap);
    if (layout) out << ',' << csvField(row.layout);
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
  writeProblemRows(rows, {}, out);
}

void writeProblemCsv(const Model& model, const StorageOptions& options, std::ostream& out) {
  std::vector<ProblemRow> rows;
  ProblemColumns columns;
  if (model.problem) {
    rows = givenRows(model, *model.problem);
    for (std::size_t i = 0; i < rows.size() && i < model.offsets.size(); ++i) {
      rows[i].offset = model.offsets[StayId(i)];
      columns.offset |= rows[i].offset.has_value();
    }
  } else {
    const Storage storage = shareStorage(*model.graph, givenOrder(*model.graph), options);
    for (const BufferId id : byRoot(storage)) {
      rows.push_back(bufferRow(*model.graph, storage.buffers[id], options.alignment));
    }
  }
  writeProblemRows(rows, columns, out);
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
  writeProblemRows(rows, {.offset = true}, out);
}

}  // namespace hw
