#include "core/rewrite/graph_builder.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/graph/traversal.h"
#include "core/ops/op_table.h"

namespace hw {
namespace {

/// "operator 'Conv_3'", or its type when it has no name.
std::string opLabel(const Op& op) {
  return fmt::format("operator '{}'", printable(op.name.empty() ? op.type : op.name));
}

/// The tensors and ops of a builder while they are being linked: ids are handles, and the numbers
/// of ops in stored order.
struct Links {
  const IdMap<TensorId, Tensor>& tensors;
  const IdMap<OpId, Op>& ops;
  const GraphBuilder::Places& where;  ///< Of each op, for errors.
  std::vector<bool> isInput;
  IdMap<TensorId, OpId> producer;  ///< No id where no operator makes the tensor.

  std::string label(TensorId id) const {
    const std::string& name = tensors[id].name;
    if (!name.empty()) return fmt::format("tensor '{}'", printable(name));
    return fmt::format("tensor number {}", id.index());
  }
};

Result<void> markInputs(Links& links, const std::vector<GraphBuilder::Handle>& inputs) {
  for (const auto handle : inputs) {
    if (links.isInput[handle]) {
      return fail(ErrorCode::malformed,
                  links.label(TensorId(handle)) + " is listed twice among the graph's inputs");
    }
    links.isInput[handle] = true;
  }
  return {};
}

Result<void> claimOutput(Links& links, OpId op, TensorId id) {
  const auto refuse = [&](const std::string& what) {
    return fail(
        ErrorCode::malformed,
        fmt::format("{} produces {}, which {}", opLabel(links.ops[op]), links.label(id), what),
        links.where[op]);
  };
  if (links.isInput[id.index()]) return refuse("is an input of the graph");
  if (links.tensors[id].constant) return refuse("is a stored constant");
  if (links.producer[id]) {
    return refuse("already comes from " + opLabel(links.ops[links.producer[id]]));
  }
  links.producer[id] = op;
  return {};
}

Result<void> findProducers(Links& links) {
  for (const OpId op : links.ops.keys()) {
    for (const TensorId id : links.ops[op].outputs) {
      if (id) HW_DO(claimOutput(links, op, id));
    }
  }
  return {};
}

bool hasSource(const Links& links, TensorId id) {
  return links.producer[id] || links.isInput[id.index()] || links.tensors[id].constant ||
         links.tensors[id].persistent;
}

Result<void> checkSources(const Links& links, const std::vector<GraphBuilder::Handle>& outputs) {
  constexpr std::string_view kWhat =
      "is neither an input of the graph, nor a constant, nor produced by any operator";
  for (const OpId op : links.ops.keys()) {
    for (const auto* list : {&links.ops[op].inputs, &links.ops[op].captures}) {
      for (const TensorId id : *list) {
        if (!id || hasSource(links, id)) continue;
        return fail(
            ErrorCode::malformed,
            fmt::format("{} reads {}, which {}", opLabel(links.ops[op]), links.label(id), kWhat),
            links.where[op]);
      }
    }
  }
  for (const auto handle : outputs) {
    const TensorId id(handle);
    if (hasSource(links, id)) continue;
    return fail(ErrorCode::malformed,
                fmt::format("the graph's output {} {}", links.label(id), kWhat));
  }
  return {};
}

/// All sizes together must not exceed kMaxBytes, so that later stages can add them up.
Result<void> checkTotal(const IdMap<TensorId, Tensor>& tensors) {
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
  for (const OpId op : links.ops.keys()) {
    for (const auto* list : {&links.ops[op].inputs, &links.ops[op].captures}) {
      for (const TensorId id : *list) {
        if (!id || !links.producer[id]) continue;
        constraints.emplace_back(links.producer[id].index(), op.index());
      }
    }
  }
  return constraints;
}

Error cycleError(const Links& links, const std::vector<std::size_t>& cycle) {
  constexpr std::size_t kNamed = 8;
  std::string names;
  for (std::size_t i = 0; i < cycle.size() && i < kNamed; ++i) {
    names += (i == 0 ? "" : ", ") + opLabel(links.ops[OpId(cycle[i])]);
  }
  if (cycle.size() > kNamed) names += fmt::format(" and {} more", cycle.size() - kNamed);
  return {ErrorCode::malformed, "the operators form a cycle: " + names,
          links.where[OpId(cycle.front())]};
}

/// Gives every tensor its final id: see Graph.
std::vector<TensorId> numberTensors(const Links& links,
                                    const std::vector<GraphBuilder::Handle>& inputs,
                                    const std::vector<std::size_t>& order) {
  std::vector<TensorId> ids(links.tensors.size());
  std::size_t next = 0;
  const auto give = [&](TensorId id) {
    if (id && !ids[id.index()]) ids[id.index()] = TensorId(next++);
  };
  for (const auto handle : inputs) {
    if (!links.tensors[TensorId(handle)].constant) give(TensorId(handle));
  }
  for (const std::size_t op : order) std::ranges::for_each(links.ops[OpId(op)].outputs, give);
  // The rest are stored weights and other tensors without a producer.
  std::ranges::for_each(links.tensors.keys(), give);
  return ids;
}

/// Handles of tensors as ids: what they are until `build` gives the final ones.
std::vector<TensorId> asIds(const std::vector<GraphBuilder::Handle>& handles) {
  std::vector<TensorId> ids;
  ids.reserve(handles.size());
  for (const auto handle : handles) {
    ids.push_back(handle == GraphBuilder::kAbsent ? TensorId() : TensorId(handle));
  }
  return ids;
}

/// Moves each value to its place by swapping: a copy of the whole map would take twice the memory.
template <class Key, class Value>
void permute(IdMap<Key, Value>& values, std::vector<Key> places) {
  for (const Key key : values.keys()) {
    for (Key to = places[key.index()]; to != key; to = places[key.index()]) {
      std::swap(values[key], values[to]);
      std::swap(places[key.index()], places[to.index()]);
    }
  }
}

/// True when all inputs of the op are known before the run and its outputs can be stored with the
/// weights: a graph output cannot, for the caller wants it in memory.
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

/// Remarks about graphs that are legal but rarely meant.
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

void GraphBuilder::Places::add(const std::string& text) {
  Place place;
  std::string pattern = text;
  const std::size_t last = text.find_last_of("0123456789");
  if (last != std::string::npos) {
    const std::size_t before = text.find_last_not_of("0123456789", last);
    const std::size_t first = before == std::string::npos ? 0 : before + 1;
    const std::string digits = text.substr(first, last + 1 - first);
    const auto number = parseInteger(digits);
    if (number && std::to_string(*number) == digits) {
      place = {.at = first, .number = *number};
      pattern.erase(first, digits.size());
    }
  }
  const auto [found, isNew] = known_.emplace(std::move(pattern), patterns_.size());
  if (isNew) patterns_.push_back(found->first);
  place.pattern = found->second;
  places_.add(place);
}

std::string GraphBuilder::Places::operator[](OpId op) const {
  const Place& place = places_[op];
  std::string text = patterns_[place.pattern];
  if (place.at != std::string::npos) text.insert(place.at, std::to_string(place.number));
  return text;
}

GraphBuilder::GraphBuilder(std::string name, std::string format)
    : name_(std::move(name)), format_(std::move(format)) {}

GraphBuilder::Handle GraphBuilder::addTensor(Tensor tensor) {
  return tensors_.add(std::move(tensor)).index();
}

void GraphBuilder::reserve(std::size_t tensors, std::size_t ops) {
  tensors_.reserve(tensors);
  ops_.reserve(ops);
  where_.reserve(ops);
}

void GraphBuilder::addOp(OpParts parts) {
  parts.op.inputs = asIds(parts.inputs);
  parts.op.outputs = asIds(parts.outputs);
  parts.op.captures = asIds(parts.captures);
  ops_.add(std::move(parts.op));
  where_.add(parts.where);
}

Result<Graph> GraphBuilder::build() && {
  std::vector<TensorId> ids;
  return std::move(*this).build(ids);
}

Result<Graph> GraphBuilder::build(std::vector<TensorId>& ids) && {
  Links links{tensors_, ops_, where_, std::vector<bool>(tensors_.size()),
              IdMap<TensorId, OpId>(tensors_.size())};
  HW_DO(markInputs(links, inputs_));
  HW_DO(findProducers(links));
  HW_DO(checkSources(links, outputs_));
  HW_DO(checkTotal(tensors_));
  const std::vector<std::size_t> order = runtimeOrder(ops_.size(), dependences(links));
  if (order.size() != ops_.size()) {
    return tl::unexpected(cycleError(links, firstCycle(ops_.size(), dependences(links))));
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
  graph.tensors = std::move(tensors_);
  permute(graph.tensors, ids);
  for (const auto handle : inputs_) {
    Tensor& tensor = graph.tensors[ids[handle]];
    tensor.graphInput = !tensor.constant;
    if (tensor.graphInput) graph.inputs.push_back(ids[handle]);
  }
  for (const auto handle : outputs_) graph.outputs.push_back(ids[handle]);
  for (const TensorId id : graph.outputs) graph.tensors[id].graphOutput = true;
  std::vector<OpId> places(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) places[order[i]] = OpId(i);
  graph.ops = std::move(ops_);
  permute(graph.ops, std::move(places));
  for (Op& op : graph.ops) {
    op.row = findOp(op.type, op.domain);
    for (auto* list : {&op.inputs, &op.outputs, &op.captures}) {
      for (TensorId& id : *list) {
        if (id) id = ids[id.index()];
      }
    }
  }
  for (const OpId op : graph.ops.keys()) linkOp(graph, op);
  noteOddities(graph);
  return graph;
}

}  // namespace hw
