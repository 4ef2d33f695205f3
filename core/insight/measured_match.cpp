#include "core/insight/measured_match.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "core/base/text.h"

namespace hw {
namespace {

/// Operators by name; none where several have it.
std::unordered_map<std::string, OpId> operatorNames(const Graph& graph) {
  std::unordered_map<std::string, OpId> names;
  for (const OpId id : graph.ops.keys()) {
    if (graph.ops[id].name.empty()) continue;
    const auto [at, isNew] = names.try_emplace(graph.ops[id].name, id);
    if (!isNew) at->second = OpId();
  }
  return names;
}

/// Those that a runtime numbers, in the order of the file.
std::vector<OpId> numberedOperators(const Graph& graph) {
  std::vector<OpId> ids;
  for (const OpId id : graph.ops.keys()) {
    if (graph.ops[id].type != "Constant") ids.push_back(id);
  }
  return ids;
}

OpId numbered(const std::vector<OpId>& ids, const MeasuredOperator& op) {
  if (!op.index || *op.index < 0 || *op.index >= static_cast<std::int64_t>(ids.size())) return {};
  return ids[static_cast<std::size_t>(*op.index)];
}

/// Every order of a graph's operators in which what is needed comes first.
class NeededFirst {
 public:
  explicit NeededFirst(const Graph& graph) : graph_(graph), done_(graph.ops.size()) {}

  /// Runs `op`, before it all that it needs.
  void run(OpId op) {
    std::vector<OpId> waiting{op};
    while (!waiting.empty()) {
      const OpId next = waiting.back();
      if (done_[next]) {
        waiting.pop_back();
        continue;
      }
      bool ready = true;
      for (const TensorId in : graph_.reads(next)) {
        const OpId producer = graph_.tensors[in].producer;
        if (!producer || done_[producer]) continue;
        waiting.push_back(producer);
        ready = false;
      }
      if (!ready) continue;
      done_[next] = true;
      order_.push_back(next);
      waiting.pop_back();
    }
  }

  std::vector<OpId> order() && {
    for (const OpId id : graph_.ops.keys()) run(id);
    return std::move(order_);
  }

 private:
  const Graph& graph_;
  IdMap<OpId, bool> done_;
  std::vector<OpId> order_;
};

}  // namespace

std::vector<OpId> matchOperators(const Graph& graph, const OperatorProfile& profile) {
  const auto names = operatorNames(graph);
  const std::vector<OpId> ids = numberedOperators(graph);
  const bool numbersAgree = std::ranges::all_of(profile.ops, [&](const MeasuredOperator& op) {
    const OpId id = numbered(ids, op);
    return id && graph.ops[id].type == op.type;
  });
  IdMap<OpId, bool> taken(graph.ops.size());
  std::vector<OpId> matched;
  for (const MeasuredOperator& op : profile.ops) {
    const auto named = names.find(op.name);
    OpId id = named == names.end() ? OpId() : named->second;
    if (id && (taken[id] || graph.ops[id].type != op.type)) id = OpId();
    if (!id && numbersAgree) id = numbered(ids, op);
    if (id && taken[id]) id = OpId();
    if (id) taken[id] = true;
    matched.push_back(id);
  }
  return matched;
}

std::optional<std::vector<OpMove>> measuredOrder(const Graph& graph,
                                                 const std::vector<OpId>& matched) {
  NeededFirst needed(graph);
  for (const OpId id : matched) {
    if (id) needed.run(id);
  }
  const std::vector<OpId> wanted = std::move(needed).order();
  // What is still to come, in the order of the graph: all before it is where it should be.
  std::vector<OpMove> moves;
  IdMap<OpId, bool> placed(graph.ops.size());
  std::size_t next = 0;
  for (const OpId id : wanted) {
    while (placed[OpId(next)]) ++next;
    if (id != OpId(next)) {
      if (moves.size() == kMostMoves) return std::nullopt;
      moves.push_back({.op = id, .anchor = OpId(next), .side = OpMove::Side::before});
    }
    placed[id] = true;
  }
  return moves;
}

AliasRules runtimeAlias() {
  AliasRules rules = AliasRules::none();
  rules.reshape = true;
  return rules;
}

Result<RunRequest> measuredRequest(const Graph& graph, const OperatorProfile& profile,
                                   RunRequest request) {
  if (request.order != OpOrder::given || !request.moves.empty()) {
    return fail(ErrorCode::invalidArgument,
                "beside a measurement operators run in the order that was measured; no other can "
                "be asked for");
  }
  if (request.recompute || request.tile != TileRule::off || request.inputRows ||
      request.channelsLast) {
    return fail(ErrorCode::invalidArgument,
                "beside a measurement every operator runs once, whole, and as the model has it; "
                "--recompute, --tile, --inputs rows and --layout nhwc cannot be asked for");
  }
  const std::vector<OpId> matched = matchOperators(graph, profile);
  if (std::ranges::none_of(matched, [](OpId id) { return bool(id); })) {
    return fail(ErrorCode::invalidArgument,
                fmt::format("none of the {} operators that were measured is in the model",
                            groupDigits(static_cast<std::int64_t>(matched.size()))));
  }
  auto moves = measuredOrder(graph, matched);
  if (!moves) {
    return fail(ErrorCode::unsupported,
                fmt::format("operators were measured in an order more than {} moves from that of "
                            "the model",
                            groupDigits(kMostMoves)));
  }
  request.moves = std::move(*moves);
  return request;
}

}  // namespace hw
