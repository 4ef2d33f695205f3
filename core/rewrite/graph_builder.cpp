#include "core/rewrite/graph_builder.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/graph/stable_order.h"
#include "core/graph/traversal.h"
#include "core/ops/op_table.h"

namespace hw {
namespace {

using Parts = GraphBuilder::OpParts;
constexpr GraphBuilder::Handle kAbsent = GraphBuilder::kAbsent;
constexpr std::size_t kNobody = static_cast<std::size_t>(-1);

/// "operator 'Conv_3'", or its type when it has no name.
std::string opLabel(const Parts& parts) {
  const std::string& name = parts.op.name.empty() ? parts.op.type : parts.op.name;
  return fmt::format("operator '{}'", printable(name));
}

std::string tensorLabel(const Tensor& tensor, std::size_t handle) {
  if (!tensor.name.empty()) return fmt::format("tensor '{}'", printable(tensor.name));
  return fmt::format("tensor number {}", handle);
}

/// The tensors and ops of a builder while they are being linked. Producers are indices of ops in
/// stored order, kNobody where there is none.
struct Links {
  const std::vector<Tensor>& tensors;
  const std::vector<Parts>& ops;
  std::vector<bool> isInput;
  std::vector<std::size_t> producer;
};

Result<void> markInputs(Links& links, const std::vector<GraphBuilder::Handle>& inputs) {
  for (const auto handle : inputs) {
    if (links.isInput[handle]) {
      return fail(ErrorCode::malformed, tensorLabel(links.tensors[handle], handle) +
                                            " is listed twice among the graph's inputs");
    }
    links.isInput[handle] = true;
  }
  return {};
}

Result<void> claimOutput(Links& links, std::size_t op, std::size_t handle) {
  const Parts& parts = links.ops[op];
  const auto refuse = [&](const std::string& what) {
    return fail(ErrorCode::malformed,
                fmt::format("{} produces {}, which {}", opLabel(parts),
                            tensorLabel(links.tensors[handle], handle), what),
                parts.where);
  };
  if (links.isInput[handle]) return refuse("is an input of the graph");
  if (links.tensors[handle].constant) return refuse("is a stored constant");
  if (links.producer[handle] != kNobody) {
    return refuse("already comes from " + opLabel(links.ops[links.producer[handle]]));
  }
  links.producer[handle] = op;
  return {};
}

Result<void> findProducers(Links& links) {
  for (std::size_t op = 0; op < links.ops.size(); ++op) {
    for (const auto handle : links.ops[op].outputs) {
      if (handle == kAbsent) continue;
      HW_DO(claimOutput(links, op, handle));
    }
  }
  return {};
}

bool hasSource(const Links& links, std::size_t handle) {
  return links.producer[handle] != kNobody || links.isInput[handle] ||
         links.tensors[handle].constant || links.tensors[handle].persistent;
}

Result<void> checkSources(const Links& links, const std::vector<GraphBuilder::Handle>& outputs) {
  constexpr std::string_view kWhat =
      "is neither an input of the graph, nor a constant, nor produced by any operator";
  for (const Parts& parts : links.ops) {
    for (const auto* list : {&parts.inputs, &parts.captures}) {
      for (const auto handle : *list) {
        if (handle == kAbsent || hasSource(links, handle)) continue;
        return fail(ErrorCode::malformed,
                    fmt::format("{} reads {}, which {}", opLabel(parts),
                                tensorLabel(links.tensors[handle], handle), kWhat),
                    parts.where);
      }
    }
  }
  for (const auto handle : outputs) {
    if (hasSource(links, handle)) continue;
    return fail(
        ErrorCode::malformed,
        fmt::format("the graph's output {} {}", tensorLabel(links.tensors[handle], handle), kWhat));
  }
  return {};
}

/// All sizes together must not exceed kMaxBytes, so that later stages can add them up.
Result<void> checkTotal(const std::vector<Tensor>& tensors) {
  Bytes total;
  for (const Tensor& tensor : tensors) {
    const Bytes size = tensor.bytes.value_or(Bytes());
    if (size <= kMaxBytes - total) {
      total += size;
      continue;
    }
    return fail(ErrorCode::malformed,
                fmt::format("the tensors add up to more than {} bytes", kMaxBytes.count()));
  }
  return {};
}

/// Producers come before their readers.
std::vector<OrderConstraint> dependences(const Links& links) {
  std::vector<OrderConstraint> constraints;
  for (std::size_t op = 0; op < links.ops.size(); ++op) {
    for (const auto* list : {&links.ops[op].inputs, &links.ops[op].captures}) {
      for (const auto handle : *list) {
        if (handle == kAbsent || links.producer[handle] == kNobody) continue;
        constraints.emplace_back(links.producer[handle], op);
      }
    }
  }
  return constraints;
}

Error cycleError(const Links& links, const std::vector<std::size_t>& cycle) {
  constexpr std::size_t kNamed = 8;
  std::string names;
  for (std::size_t i = 0; i < cycle.size() && i < kNamed; ++i) {
    names += (i == 0 ? "" : ", ") + opLabel(links.ops[cycle[i]]);
  }
  if (cycle.size() > kNamed) names += fmt::format(" and {} more", cycle.size() - kNamed);
  return {ErrorCode::malformed, "the operators form a cycle: " + names,
          links.ops[cycle.front()].where};
}

/// Gives every tensor its final id: see Graph.
std::vector<TensorId> numberTensors(const Links& links,
                                    const std::vector<GraphBuilder::Handle>& inputs,
                                    const std::vector<std::size_t>& order) {
  std::vector<TensorId> ids(links.tensors.size());
  std::size_t next = 0;
  const auto give = [&](std::size_t handle) {
    if (handle != kAbsent && !ids[handle]) ids[handle] = TensorId(next++);
  };
  for (const auto handle : inputs) {
    if (!links.tensors[handle].constant) give(handle);
  }
  for (const std::size_t op : order) std::ranges::for_each(links.ops[op].outputs, give);
  // What is left: stored weights, and what no operator makes.
  for (std::size_t handle = 0; handle < ids.size(); ++handle) give(handle);
  return ids;
}

std::vector<TensorId> translate(const std::vector<GraphBuilder::Handle>& handles,
                                const std::vector<TensorId>& ids) {
  std::vector<TensorId> translated;
  translated.reserve(handles.size());
  for (const auto handle : handles) {
    translated.push_back(handle == kAbsent ? TensorId() : ids[handle]);
  }
  return translated;
}

/// True when nothing the op reads is known only at run time, and what it makes can be stored with
/// the weights: a graph output cannot, the caller wants it in memory.
bool runsAheadOfTime(const Graph& graph, const Op& op) {
  // Runtimes leave ops that run bodies alone, so their results are not there ahead of time.
  if (const OpInfo* row = findOp(op); row != nullptr && row->kind == OpClass::body) return false;
  const auto isOutput = [&](TensorId id) { return id && graph.tensors[id].graphOutput; };
  if (std::ranges::any_of(op.outputs, isOutput)) return false;
  const auto stored = [&](TensorId id) { return !id || graph.tensors[id].constant; };
  const auto present = [](TensorId id) { return static_cast<bool>(id); };
  if (!std::ranges::all_of(op.inputs, stored) || !std::ranges::all_of(op.captures, stored)) {
    return false;
  }
  return op.folded || op.type == "Constant" || std::ranges::any_of(op.inputs, present) ||
         std::ranges::any_of(op.captures, present);
}

void linkOp(Graph& graph, OpId id) {
  Op& op = graph.ops[id];
  for (const auto* list : {&op.inputs, &op.captures}) {
    for (const TensorId read : *list) {
      if (!read) continue;
      std::vector<OpId>& consumers = graph.tensors[read].consumers;
      if (consumers.empty() || consumers.back() != id) consumers.push_back(id);
    }
  }
  op.folded = runsAheadOfTime(graph, op);
  for (const TensorId written : op.outputs) {
    if (!written) continue;
    graph.tensors[written].producer = id;
    graph.tensors[written].constant = op.folded;
  }
}

/// What is legal, but rarely meant.
void noteOddities(Graph& graph) {
  const std::vector<OpId> idle = opsWithoutEffect(graph);
  if (!idle.empty()) {
    const std::string many = fmt::format("{} operators reach", idle.size());
    graph.notes.push_back(fmt::format("{} no graph output (first: {})",
                                      idle.size() == 1 ? "1 operator reaches" : many,
                                      printable(displayName(graph, idle.front()))));
  }
  if (const std::size_t parts = countParts(graph); parts > 1) {
    graph.notes.push_back(
        fmt::format("the operators fall into {} parts that share no tensor", parts));
  }
}

}  // namespace

GraphBuilder::GraphBuilder(std::string name, std::string format)
    : name_(std::move(name)), format_(std::move(format)) {}

GraphBuilder::Handle GraphBuilder::addTensor(Tensor tensor) {
  tensors_.push_back(std::move(tensor));
  return tensors_.size() - 1;
}

Result<Graph> GraphBuilder::build() && {
  std::vector<TensorId> ids;
  return std::move(*this).build(ids);
}

Result<Graph> GraphBuilder::build(std::vector<TensorId>& ids) && {
  Links links{tensors_, ops_, std::vector<bool>(tensors_.size()),
              std::vector<std::size_t>(tensors_.size(), kNobody)};
  HW_DO(markInputs(links, inputs_));
  HW_DO(findProducers(links));
  HW_DO(checkSources(links, outputs_));
  HW_DO(checkTotal(tensors_));
  const auto constraints = dependences(links);
  const std::vector<std::size_t> order = runtimeOrder(ops_.size(), constraints);
  if (order.size() != ops_.size()) {
    return tl::unexpected(cycleError(links, firstCycle(ops_.size(), constraints)));
  }
  ids = numberTensors(links, inputs_, order);
  return assemble(order, ids);
}

Graph GraphBuilder::assemble(const std::vector<std::size_t>& order,
                             const std::vector<TensorId>& ids) {
  Graph graph{.name = std::move(name_), .format = std::move(format_), .notes = std::move(notes_)};
  graph.reordered = !std::ranges::is_sorted(order);
  if (graph.reordered) {
    graph.notes.emplace_back("the file's operators were not in execution order: they were sorted");
  }
  graph.tensors.resize(tensors_.size());
  for (std::size_t handle = 0; handle < ids.size(); ++handle) {
    graph.tensors[ids[handle]] = std::move(tensors_[handle]);
  }
  for (const auto handle : inputs_) {
    Tensor& tensor = graph.tensors[ids[handle]];
    tensor.graphInput = !tensor.constant;
    if (tensor.graphInput) graph.inputs.push_back(ids[handle]);
  }
  graph.outputs = translate(outputs_, ids);
  for (const TensorId id : graph.outputs) graph.tensors[id].graphOutput = true;
  graph.ops.reserve(ops_.size());
  for (const std::size_t stored : order) {
    OpParts& parts = ops_[stored];
    parts.op.inputs = translate(parts.inputs, ids);
    parts.op.outputs = translate(parts.outputs, ids);
    parts.op.captures = translate(parts.captures, ids);
    linkOp(graph, graph.ops.add(std::move(parts.op)));
  }
  noteOddities(graph);
  return graph;
}

}  // namespace hw
