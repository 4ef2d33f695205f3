#include "core/import/onnx/graph_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/import/onnx/scopes.h"
#include "core/import/onnx/values.h"
#include "core/ops/op_facts.h"

// Turns inferred ONNX models into graphs and opens their control flow.

namespace hw {
namespace {

bool isWeight(const onnx::GraphProto& body, const std::string& name) {
  const auto isNamed = [&](const onnx::TensorProto& tensor) { return tensor.name() == name; };
  return std::ranges::any_of(body.initializer(), isNamed) ||
         std::ranges::any_of(body.sparse_initializer(),
                             [&](const auto& tensor) { return isNamed(tensor.values()); });
}

std::vector<std::string> outputNames(const onnx::GraphProto& body) {
  std::vector<std::string> names;
  for (const auto& output : body.output()) names.push_back(output.name());
  return names;
}

std::vector<std::string> namesFrom(const onnx::NodeProto& node, std::size_t first,
                                   std::size_t end) {
  std::vector<std::string> names;
  for (std::size_t i = first; i < end && i < static_cast<std::size_t>(node.output_size()); ++i) {
    names.push_back(node.output(static_cast<int>(i)));
  }
  return names;
}

/// The number of outputs of a Loop or Scan that are carried values; the others are stacked rows.
std::size_t carriedCount(const onnx::NodeProto& node) {
  const int inputs = node.input_size();
  if (specialOf(node) == Special::turns) return static_cast<std::size_t>(std::max(inputs - 2, 0));
  const std::int64_t scanned = importOp(node).intAttribute("num_scan_inputs", 0);
  return static_cast<std::size_t>(std::max<std::int64_t>(inputs - scanned, 0));
}

std::string_view kindOf(const onnx::TypeProto& type) {
  switch (type.value_case()) {
    case onnx::TypeProto::kSequenceType:
      return "a sequence";
    case onnx::TypeProto::kMapType:
      return "a map";
    case onnx::TypeProto::kOptionalType:
      return "an optional";
    case onnx::TypeProto::kSparseTensorType:
      return "a sparse tensor";
    default:
      return "an opaque value";
  }
}

/// Element type, shape and size of a tensor, or why it has no size.
void describe(Tensor& tensor, const Knowledge& known) {
  tensor.dtype = dtypeOfElement(elementType(known.type));
  tensor.shape = staticShape(known.type);
  tensor.origin = SizeOrigin::unknown;
  const auto isValue = known.type->value_case();
  if (isValue != onnx::TypeProto::kTensorType && isValue != onnx::TypeProto::VALUE_NOT_SET) {
    tensor.dtype = Dtype::opaque;
    tensor.unknownReason = fmt::format("{} has no fixed size", kindOf(known.type));
  } else if (tensor.dtype == Dtype::string) {
    tensor.unknownReason = "string elements have no fixed size";
  } else if (!tensor.shape) {
    tensor.unknownReason = known.reason.empty() ? "its shape is not known" : known.reason;
  } else if (tensor.dtype == Dtype::unknown) {
    tensor.unknownReason = fmt::format("element type {} is not known", elementType(known.type));
  } else {
    const auto elements = elementCount(*tensor.shape);
    tensor.bytes = elements ? packedSize(tensor.dtype, *elements) : std::nullopt;
    if (tensor.bytes) tensor.origin = known.origin;
    if (!tensor.bytes) tensor.unknownReason = "its size is beyond what can be planned";
  }
}

/// Initializers have all their dimensions and fit into what we can add up.
bool isSane(const Shape& shape, int elementType) {
  const bool isNegative = std::ranges::any_of(shape, [](auto size) { return size < 0; });
  const auto count = isNegative ? std::nullopt : elementCount(shape);
  const Dtype dtype = dtypeOfElement(elementType);
  return count && (dtypeBits(dtype) == 0 || packedSize(dtype, *count));
}

/// Calls `visit(name, shape, element type)` for each initializer, dense ones first.
template <class Visit>
void forEachWeight(const onnx::GraphProto& graph, Visit visit) {
  for (const auto& tensor : graph.initializer()) {
    visit(tensor.name(), Shape(tensor.dims().begin(), tensor.dims().end()), tensor.data_type());
  }
  for (const auto& tensor : graph.sparse_initializer()) {
    visit(tensor.values().name(), Shape(tensor.dims().begin(), tensor.dims().end()),
          tensor.values().data_type());
  }
}

/// `name` inside `prefix`; the function call that both are part of is named once.
std::string nestedName(const std::string& prefix, const std::string& name) {
  const auto [at, other] = std::ranges::mismatch(prefix, name);
  const auto common =
      std::string_view(name).substr(0, static_cast<std::size_t>(other - name.begin()));
  const auto end = common.rfind('/');
  const bool isCall =
      end != std::string_view::npos && common.substr(0, end).find('#') != std::string_view::npos;
  return prefix + (isCall ? name.substr(end + 1) : name);
}

/// Keeps the padding of Pad, axis by axis: an operand of it that is known becomes an attribute, as
/// it was once.
void keepPads(Op& op, const onnx::NodeProto& node, const Scope& scope) {
  constexpr int kAxes = 3;
  const auto operand = [&](int input) -> const Knowledge* {
    const bool given = input < node.input_size() && !node.input(input).empty();
    return given ? scope.find(node.input(input)) : nullptr;
  };
  const Knowledge* data = operand(0);
  const Knowledge* pads = operand(1);
  const Knowledge* named = operand(kAxes);
  const bool isKnown = data != nullptr && pads != nullptr && pads->value != nullptr &&
                       (named == nullptr || named->value != nullptr);
  const auto shape = isKnown ? staticShape(data->type) : std::nullopt;
  if (op.type != "Pad" || !shape) return;
  const std::size_t rank = shape->size();
  const auto axes = named != nullptr ? named->value->integers : firstIntegers(rank);
  const auto& amounts = pads->value->integers;
  if (amounts.size() != 2 * axes.size()) return;
  std::vector<std::int64_t> all(2 * rank);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto axis = normalAxis(axes[i], rank);
    if (!axis) return;
    all[*axis] = amounts[i];
    all[*axis + rank] = amounts[i + axes.size()];
  }
  op.attributes["pads"] = std::move(all);
}

Result<void> passOn(Error error) { return tl::unexpected<Error>(std::move(error)); }

}  // namespace

bool OnnxGraphReader::opens(const onnx::NodeProto& node, const BodyRun* run) const {
  if (closed_ || run == nullptr || run->body == nullptr || !run->scope || run->turns < 1) {
    return false;
  }
  // A body that hands out less than the node promises makes no sense: the node stays closed.
  const bool isIf = specialOf(node) == Special::branch;
  const int more = specialOf(node) == Special::turns ? 1 : 0;
  const bool fits = run->body->output_size() == node.output_size() + more;
  return fits &&
         (isIf ? run->body->input_size() == 0 : run->body->input_size() == node.input_size());
}

std::string OnnxGraphReader::uniquePrefix(const Level& level, const onnx::NodeProto& node) {
  const std::string base = level.prefix + (node.name().empty() ? node.op_type() : node.name());
  std::string prefix = base + "/";
  for (int number = 2; !prefixes_.insert(prefix).second; ++number) {
    prefix = fmt::format("{}_{}/", base, number);
  }
  return prefix;
}

OnnxGraphReader::Level OnnxGraphReader::innerLevel(const Level& level, const onnx::NodeProto& node,
                                                   const BodyRun& run, const std::string& where) {
  noteGuess(node, run);
  return {.graph = *run.body,
          .scope = run.scope,
          .outer = &level,
          .prefix = uniquePrefix(level, node),
          .where = where + ".body",
          .turns = checkedMul(level.turns, run.turns).value_or(level.turns)};
}

void OnnxGraphReader::noteGuess(const onnx::NodeProto& node, const BodyRun& run) {
  if (run.isCertain) return;
  const bool isIf = specialOf(node) == Special::branch;
  std::string note =
      isIf ? fmt::format(
                 "the condition of {} '{}' is not known ahead of time: its larger branch is shown",
                 node.op_type(), shownName(node))
           : fmt::format("how often {} '{}' runs is not known ahead of time: one turn is counted",
                         node.op_type(), shownName(node));
  guesses_.push_back(std::move(note));
}

Result<void> OnnxGraphReader::openBranch(Level& level, const onnx::NodeProto& node,
                                         const BodyRun& run, const std::string& where) {
  Level inner = innerLevel(level, node, run, where);
  // Tensors that the branch makes are handed out by the If; those it only passes on are copied.
  std::unordered_set<std::string> made;
  for (const auto& step : run.body->node()) made.insert(step.output().begin(), step.output().end());
  std::vector<int> copied;
  for (int i = 0; i < node.output_size(); ++i) {
    if (node.output(i).empty()) continue;
    const std::string& name = run.body->output(i).name();
    const bool isOwn = made.contains(name) && !isWeight(*run.body, name);
    const Handle outside = find(level, node.output(i));
    if (!isOwn || !inner.handles.emplace(name, outside).second) copied.push_back(i);
  }
  HW_DO(declare(inner));
  HW_DO(addNodes(inner));
  for (const int i : copied) {
    GraphBuilder::OpParts parts{.op = {.name = node.name(), .type = "Identity"}, .where = where};
    HW_TRY(result, handlesOf(inner, {run.body->output(i).name()}, node, where));
    parts.inputs = std::move(result);
    parts.outputs = {find(level, node.output(i))};
    HW_DO(addOp(level, std::move(parts)));
  }
  return {};
}

Result<void> OnnxGraphReader::openLoop(Level& level, const onnx::NodeProto& node,
                                       const BodyRun& run, const std::string& where) {
  const std::size_t carried = carriedCount(node);
  const auto outputs = static_cast<std::size_t>(node.output_size());
  Level inner = innerLevel(level, node, run, where);
  HW_DO(declare(inner));

  GraphBuilder::OpParts begin{.op = importOp(node), .where = where};
  HW_TRY(starts, handlesOf(level, {node.input().begin(), node.input().end()}, node, where));
  HW_TRY(captures, handlesOf(level, capturedNames(node), node, where));
  begin.inputs = std::move(starts);
  for (const auto& input : run.body->input()) begin.outputs.push_back(find(inner, input.name()));
  HW_TRY(rows, handlesOf(level, namesFrom(node, carried, outputs), node, where));
  begin.outputs.insert(begin.outputs.end(), rows.begin(), rows.end());
  begin.op.attributes["turns"] = inner.turns;
  HW_DO(addOp(level, std::move(begin)));
  HW_DO(addNodes(inner));

  GraphBuilder::OpParts end{.op = {.name = node.name(), .type = node.op_type() + "End"},
                            .where = where};
  HW_TRY(results, handlesOf(inner, outputNames(*run.body), node, where));
  HW_TRY(finals, handlesOf(level, namesFrom(node, 0, carried), node, where));
  end.inputs = std::move(results);
  end.outputs = std::move(finals);
  end.captures = std::move(captures);  // Read again in every turn.
  return addOp(level, std::move(end));
}

OnnxGraphReader::OnnxGraphReader(const onnx::ModelProto& model, const ShapeInference& inference,
                                 bool closed)
    : model_(model),
      inference_(inference),
      closed_(closed),
      builder_(model.graph().name(), "onnx") {}

Result<Graph> OnnxGraphReader::read(std::shared_ptr<const Scope> scope,
                                    const std::vector<std::string>& notes,
                                    const std::vector<std::string>& openValues) && {
  for (const std::string& note : notes) builder_.addNote(note);
  Level level{.graph = model_.graph(), .scope = std::move(scope), .where = "graph"};
  HW_DO(declare(level));
  HW_DO(addNodes(level));
  for (const auto& output : level.graph.output()) {
    const Handle handle = find(level, output.name());
    if (handle == GraphBuilder::kAbsent) {
      return fail(ErrorCode::malformed,
                  fmt::format("the graph's output '{}' is not produced", printable(output.name())));
    }
    builder_.addOutput(handle);
  }
  constexpr std::size_t kMostNotes = 12;
  for (std::size_t i = 0; i < std::min(guesses_.size(), kMostNotes); ++i) {
    builder_.addNote(guesses_[i]);
  }
  if (guesses_.size() > kMostNotes) {
    builder_.addNote(fmt::format("and so for {} more", guesses_.size() - kMostNotes));
  }
  for (std::size_t i = 0; !guesses_.empty() && i < std::min(openValues.size(), kMostNotes); ++i) {
    builder_.addNote(fmt::format("the value of input '{}' may settle that; --dim {}=VALUE",
                                 printable(openValues[i]), printable(openValues[i])));
  }
  return std::move(builder_).build();
}

OnnxGraphReader::Handle OnnxGraphReader::find(const Level& level, const std::string& name) {
  for (const Level* at = &level; at != nullptr; at = at->outer) {
    const auto found = at->handles.find(name);
    if (found != at->handles.end()) return found->second;
  }
  return GraphBuilder::kAbsent;
}

Result<void> OnnxGraphReader::checkWeights(const Level& level) {
  Result<void> result;
  forEachWeight(level.graph, [&](const std::string& name, const Shape& shape, int elementType) {
    if (isSane(shape, elementType)) return;
    result = fail(ErrorCode::malformed,
                  fmt::format("weight '{}' has a negative or absurd dimension", printable(name)));
  });
  return result;
}

OnnxGraphReader::Handle OnnxGraphReader::addValue(Level& level, const std::string& name,
                                                  bool constant) {
  const auto found = level.handles.find(name);
  if (found != level.handles.end()) return found->second;
  Tensor tensor{.name = nestedName(level.prefix, name), .constant = constant};
  const Knowledge* known = level.scope->find(name);
  describe(tensor, known != nullptr ? *known : Knowledge());
  const Handle handle = builder_.addTensor(std::move(tensor));
  level.handles.emplace(name, handle);
  return handle;
}

void OnnxGraphReader::addInputs(Level& level) {
  for (const auto& input : level.graph.input()) {
    if (level.weights.contains(input.name())) continue;
    const std::size_t before = builder_.tensorCount();
    const Handle handle = addValue(level, input.name());
    if (builder_.tensorCount() == before) {
      builder_.addNote(fmt::format("input '{}' is listed more than once; the first one counts",
                                   printable(input.name())));
    } else if (level.outer == nullptr) {
      builder_.addInput(handle);
    }
  }
}

Result<void> OnnxGraphReader::declare(Level& level) {
  HW_DO(checkWeights(level));
  std::vector<const std::string*> weights;  // In stored order, each once.
  forEachWeight(level.graph, [&](const std::string& name, const Shape&, int) {
    if (level.weights.insert(name).second) {
      weights.push_back(&name);
    } else {
      builder_.addNote(fmt::format("weight '{}' is stored more than once; the last one counts",
                                   printable(name)));
    }
  });
  const auto nodes = static_cast<std::size_t>(level.graph.node_size());
  level.handles.reserve(nodes + weights.size());
  if (level.outer == nullptr) builder_.reserve(nodes + weights.size(), nodes);
  addInputs(level);
  for (const onnx::NodeProto& node : level.graph.node()) {
    for (const std::string& name : node.output()) {
      if (!name.empty() && !level.weights.contains(name)) addValue(level, name);
    }
  }
  for (const std::string* name : weights) addValue(level, *name, true);
  return {};
}

Result<OnnxGraphReader::Handles> OnnxGraphReader::handlesOf(const Level& level,
                                                            const std::vector<std::string>& names,
                                                            const onnx::NodeProto& node,
                                                            const std::string& where) const {
  Handles handles;
  for (const std::string& name : names) {
    handles.push_back(name.empty() ? GraphBuilder::kAbsent : find(level, name));
    if (name.empty() || handles.back() != GraphBuilder::kAbsent) continue;
    return fail(
        ErrorCode::malformed,
        fmt::format("operator '{}' reads '{}', which nothing produces",
                    printable(node.name().empty() ? node.op_type() : node.name()), printable(name)),
        where);
  }
  return handles;
}

Result<void> OnnxGraphReader::addNodes(Level& level) {
  for (int i = 0; i < level.graph.node_size(); ++i) {
    const std::string where = fmt::format("{}.node[{}]", level.where, i);
    HW_DO(addNode(level, level.graph.node(i), where));
  }
  return {};
}

Result<void> OnnxGraphReader::addNode(Level& level, const onnx::NodeProto& node,
                                      const std::string& where) {
  const BodyRun* run = inference_.runOf(node);
  if (opens(node, run)) {
    const bool branches = specialOf(node) == Special::branch;
    return branches ? openBranch(level, node, *run, where) : openLoop(level, node, *run, where);
  }
  GraphBuilder::OpParts parts{.op = importOp(node), .where = where};
  keepPads(parts.op, node, *level.scope);
  auto inputs = handlesOf(level, {node.input().begin(), node.input().end()}, node, where);
  if (!inputs) return passOn(std::move(inputs.error()));
  auto outputs = handlesOf(level, {node.output().begin(), node.output().end()}, node, where);
  if (!outputs) return passOn(std::move(outputs.error()));
  auto captures = handlesOf(level, capturedNames(node), node, where);
  if (!captures) return passOn(std::move(captures.error()));
  parts.inputs = std::move(*inputs);
  parts.outputs = std::move(*outputs);
  parts.captures = std::move(*captures);
  return addOp(level, std::move(parts));
}

Result<void> OnnxGraphReader::addOp(const Level& level, GraphBuilder::OpParts parts) {
  constexpr std::size_t kMostOps = 4'000'000;
  if (builder_.opCount() >= kMostOps) {
    return fail(ErrorCode::malformed, "the model has more than 4,000,000 operators");
  }
  if (!parts.op.name.empty()) parts.op.name = nestedName(level.prefix, parts.op.name);
  if (level.turns != 1) parts.op.attributes["turns"] = level.turns;
  builder_.addOp(std::move(parts));
  return {};
}

}  // namespace hw
