#include "core/import/onnx/inference.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_set>

#include "core/base/text.h"
#include "core/import/onnx/dimension_expression.h"
#include "core/import/onnx/scopes.h"
#include "core/import/onnx/sequences.h"
#include "core/import/onnx/values.h"
#include "core/ops/op_rules.h"

namespace hw {
namespace {

/// An integer that is known but for what it is counted from: element `at` of a value.
struct Term {
  const Knowledge* base = nullptr;  ///< Null: nothing, the number is `offset`.
  std::size_t at = 0;
  std::int64_t offset = 0;
};
using Terms = std::vector<Term>;

/// Follows the nodes that shift, move and rename small integers.
class TermReader {
 public:
  explicit TermReader(const Scope& scope) : scope_(scope) {}

  std::optional<Terms> read(const std::string& name) {
    constexpr int kDeepest = 32;
    const Knowledge* known = scope_.find(name);
    if (known == nullptr || depth_ >= kDeepest || --readsLeft_ < 0) return std::nullopt;
    if (known->value != nullptr) return constants(*known->value);
    ++depth_;
    auto terms = known->maker != nullptr ? made(*known->maker) : std::nullopt;
    --depth_;
    return terms ? terms : itself(*known);
  }

 private:
  static std::optional<Terms> constants(const SmallValue& value) {
    if (value.isReal() || value.size() > kMost) return std::nullopt;
    Terms terms;
    for (const std::int64_t number : value.integers) terms.push_back({.offset = number});
    return terms;
  }

  static std::optional<Terms> itself(const Knowledge& known) {
    const Dtype dtype = dtypeOfElement(elementType(known.type));
    const auto shape = staticShape(known.type);
    const auto count = shape ? elementCount(*shape) : std::nullopt;
    const bool isWhole = dtype == Dtype::int64 || dtype == Dtype::int32;
    if (!isWhole || !count || *count > static_cast<std::int64_t>(kMost)) return std::nullopt;
    Terms terms;
    for (std::size_t i = 0; i < static_cast<std::size_t>(*count); ++i) {
      terms.push_back({.base = &known, .at = i});
    }
    return terms;
  }

  std::optional<Terms> made(const onnx::NodeProto& node) {
    constexpr std::array kSame = {"Identity", "Cast", "Unsqueeze", "Squeeze", "Reshape", "Flatten"};
    if (!normalDomain(node.domain()).empty() || node.input_size() == 0) return std::nullopt;
    const std::string& type = node.op_type();
    if (std::ranges::find(kSame, type) != kSame.end()) return read(node.input(0));
    if (type == "Concat") return joined(node);
    if (type == "Gather") return gathered(node);
    const bool adds = type == "Add";
    return adds || type == "Sub" ? shifted(node, adds ? 1 : -1) : std::nullopt;
  }

  std::optional<Terms> shifted(const onnx::NodeProto& node, std::int64_t sign) {
    auto left = node.input_size() == 2 ? read(node.input(0)) : std::nullopt;
    auto right = left ? read(node.input(1)) : std::nullopt;
    if (!right) return std::nullopt;
    const auto isKnown = [](const Term& term) { return term.base == nullptr; };
    if (sign > 0 && std::ranges::all_of(*left, isKnown)) std::swap(left, right);
    if (!std::ranges::all_of(*right, isKnown)) return std::nullopt;
    if (right->size() != 1 && right->size() != left->size()) return std::nullopt;
    for (std::size_t i = 0; i < left->size(); ++i) {
      const auto by = checkedMul((*right)[right->size() == 1 ? 0 : i].offset, sign);
      const auto sum = by ? checkedAdd((*left)[i].offset, *by) : std::nullopt;
      if (!sum) return std::nullopt;
      (*left)[i].offset = *sum;
    }
    return left;
  }

  std::optional<Terms> joined(const onnx::NodeProto& node) {
    Terms all;
    for (const std::string& name : node.input()) {
      const auto part = read(name);
      if (!part || all.size() + part->size() > kMost) return std::nullopt;
      all.insert(all.end(), part->begin(), part->end());
    }
    return all;
  }

  std::optional<Terms> gathered(const onnx::NodeProto& node) {
    const auto list = node.input_size() == 2 ? read(node.input(0)) : std::nullopt;
    const auto places = list ? read(node.input(1)) : std::nullopt;
    const Knowledge* data = scope_.find(node.input(0));
    const auto shape = data != nullptr ? staticShape(data->type) : std::nullopt;
    if (!places || !shape || shape->size() != 1) return std::nullopt;
    Terms picked;
    for (const Term& place : *places) {
      const auto at = normalAxis(place.offset, list->size());
      if (place.base != nullptr || !at) return std::nullopt;
      picked.push_back((*list)[*at]);
    }
    return picked;
  }

  static constexpr std::size_t kMost = 16;
  const Scope& scope_;
  int depth_ = 0;
  int readsLeft_ = 256;  ///< Sums of sums would be read again and again.
};

/// The begin and end of a slice, counted from what both are counted from; nothing where they are
/// not counted from one thing.
std::optional<std::pair<std::int64_t, std::int64_t>> spanOf(const Term& start, const Term& end,
                                                            std::int64_t step) {
  if (start.base == nullptr && end.base == nullptr) return std::pair(start.offset, end.offset);
  const bool isPaired = start.base == end.base && start.at == end.at;
  const auto back = checkedMul(start.offset, -1);
  const auto length = back ? checkedAdd(end.offset, *back) : std::nullopt;
  if (!isPaired || step != 1 || !length) return std::nullopt;
  return std::pair(std::int64_t{0}, std::max<std::int64_t>(*length, 0));
}

/// The output of a Slice from a place that is not known to one that is so and so far from it, such
/// as `boxes[i:i+1]`; empty where nothing can be said. The slice is taken to lie inside of its
/// input.
std::vector<TensorFacts> sliceByTerms(const onnx::NodeProto& node, const OpFacts& facts,
                                      const Scope& scope) {
  if (!facts.has(1) || !facts.has(2) || facts.shape(0) == nullptr) return {};
  TermReader reader(scope);
  const auto starts = reader.read(node.input(1));
  const auto ends = starts ? reader.read(node.input(2)) : std::nullopt;
  if (!ends || starts->size() != ends->size()) return {};
  const auto steps = facts.integers(4, "", std::vector<std::int64_t>(starts->size(), 1));
  if (!steps || steps->size() != starts->size()) return {};
  SmallValue from = integerList({});
  SmallValue to = integerList({});
  for (std::size_t i = 0; i < starts->size(); ++i) {
    const auto span = spanOf((*starts)[i], (*ends)[i], (*steps)[i]);
    if (!span) return {};
    from.integers.push_back(span->first);
    to.integers.push_back(span->second);
  }
  from.shape = to.shape = {std::ssize(from.integers)};
  OpFacts counted{.op = facts.op,
                  .opset = facts.opset,
                  .inputs = facts.inputs,
                  .outputCount = facts.outputCount};
  counted.inputs[1].value = &from;
  counted.inputs[2].value = &to;
  return inferByRule(counted);
}

/// Nodes of a graph and of all bodies inside it.
std::int64_t nodeCount(const onnx::GraphProto& graph) {
  std::int64_t count = graph.node_size();
  for (const auto& node : graph.node()) {
    for (const auto& attribute : node.attribute()) {
      if (attribute.has_g()) count += nodeCount(attribute.g());
    }
  }
  return count;
}

/// Far more visits than real models need; keeps nested loops from taking forever.
std::int64_t visitLimit(const onnx::GraphProto& graph) {
  constexpr std::int64_t kVisitsPerNode = 8;
  constexpr std::int64_t kLeast = 20'000;
  return kVisitsPerNode * nodeCount(graph) + kLeast;
}

/// Tensors of sequences that are remembered, all sequences together.
constexpr std::int64_t kMostItems = 500'000;

const SmallValue* valueOf(const Knowledge* known) {
  return known != nullptr ? known->value.get() : nullptr;
}

bool isComputed(const Knowledge* known) { return valueOf(known) != nullptr && known->computed; }

std::vector<OpFacts::Input> inputFacts(const onnx::NodeProto& node,
                                       const std::vector<const Knowledge*>& inputs) {
  std::vector<OpFacts::Input> facts(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    facts[i].present = !node.input(static_cast<int>(i)).empty();
    if (inputs[i] == nullptr) continue;
    facts[i].facts = {dtypeOfElement(elementType(inputs[i]->type)), staticShape(inputs[i]->type)};
    facts[i].value = valueOf(inputs[i]);
  }
  return facts;
}

/// True when the size of the output hangs on what a computed input holds, not only on its shape.
bool isSizedByValues(const std::string& type, const std::vector<const Knowledge*>& inputs) {
  constexpr std::array kTypes = {"Range", "ConstantOfShape", "Expand", "OneHot", "Tile", "Reshape"};
  if (std::ranges::none_of(inputs, isComputed)) return false;
  const bool mixed = std::ranges::any_of(
      inputs, [](const Knowledge* known) { return known != nullptr && valueOf(known) == nullptr; });
  return mixed || std::ranges::find(kTypes, type) != kTypes.end();
}

/// The shapes of what goes in: "(1, 3, 8, 8), (4, 3, 9, 9)".
std::string shownInputs(const OpFacts& facts) {
  std::string text;
  for (std::size_t i = 0; i < facts.inputs.size(); ++i) {
    if (facts.shape(i) == nullptr) continue;
    if (!text.empty()) text += ", ";
    text += fmt::format("({})", fmt::join(*facts.shape(i), ", "));
  }
  return text;
}

/// True when an operand that decides about the size may hold anything.
bool hangsOnData(const OpFacts& facts, const OpInfo& info) {
  if (info.shape == nullptr || info.shape == &shapes::elsewhere) return true;
  for (std::size_t i = 0; i < facts.inputs.size(); ++i) {
    const bool counts = facts.dtype(i) == Dtype::int64 || facts.dtype(i) == Dtype::int32;
    const bool decides = info.open != nullptr && i > 0;
    if (facts.has(i) && facts.value(i) == nullptr && (counts || decides)) return true;
  }
  return false;
}

/// Why that output of `node` has no static shape.
std::string reasonFor(const onnx::NodeProto& node, std::size_t output,
                      const std::vector<const Knowledge*>& inputs, const OpFacts& facts) {
  const std::string type = printable(node.op_type());
  const std::string domain = normalDomain(node.domain());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::string& name = node.input(static_cast<int>(i));
    if (name.empty() || (inputs[i] != nullptr && staticShape(inputs[i]->type))) continue;
    return fmt::format("follows from '{}', whose shape is not known", printable(name));
  }
  const OpInfo* info = findOp(facts.op);
  if (info == nullptr || (info->shape == nullptr && info->open == nullptr)) {
    return fmt::format("no shape rule for operator type {}{}{}", type,
                       domain.empty() ? "" : " of domain " + printable(domain),
                       shapeHint(node.output(static_cast<int>(output))));
  }
  if (hangsOnData(facts, *info)) {
    return fmt::format("the size of this output of {} depends on data", type);
  }
  const bool assumed = std::ranges::any_of(inputs, [](const Knowledge* input) {
    return input != nullptr && input->origin == SizeOrigin::assumed;
  });
  return fmt::format("{} does not fit its inputs: {}{}", type, printable(shownInputs(facts)),
                     assumed ? ", free dimensions taken as 1" : "");
}

/// True when every dimension is a number or a single name.
bool hasPlainDimensions(const onnx::TypeProto& type) {
  if (!type.has_tensor_type()) return true;
  return std::ranges::all_of(type.tensor_type().shape().dim(), [](const auto& dimension) {
    return !dimension.has_dim_param() || isPlainName(dimension.dim_param());
  });
}

}  // namespace

Knowledge typed(onnx::TypeProto type, SizeOrigin origin) {
  Knowledge known;
  known.origin = staticShape(type) ? origin : SizeOrigin::unknown;
  known.type = std::move(type);
  return known;
}

const onnx::GraphProto* bodyOf(const onnx::NodeProto& node, const std::string& name) {
  for (const auto& attribute : node.attribute()) {
    if (attribute.name() == name && attribute.has_g()) return &attribute.g();
  }
  return nullptr;
}

ShapeInference::ShapeInference(const onnx::ModelProto& model, FreeDimensions& dimensions,
                               std::shared_ptr<NodeOrders> orders)
    : model_(model),
      dimensions_(dimensions),
      itemsLeft_(kMostItems),
      nodesLeft_(visitLimit(model.graph())),
      orders_(std::move(orders)) {
  for (const auto& import : model.opset_import()) {
    opsets_.insert_or_assign(normalDomain(import.domain()), import.version());
  }
}

std::int64_t ShapeInference::opset(const std::string& domain) const {
  // Models without any import exist: IR 1 had none.
  constexpr std::int64_t kNewest = 1000;
  const auto found = opsets_.find(normalDomain(domain));
  return found != opsets_.end() && found->second > 0 ? found->second : kNewest;
}

std::shared_ptr<const Scope> ShapeInference::run() {
  const auto scope = std::make_shared<Scope>();
  scope->reserve(static_cast<std::size_t>(model_.graph().node_size()));
  visits_ += model_.graph().input_size() + model_.graph().initializer_size();
  bindInputs(model_.graph(), *scope);
  inferGraph(model_.graph(), scope);
  return scope;
}

void ShapeInference::runUpTo(std::size_t count, Watch* watch) {
  last_ = count;
  watch_ = watch;
  run();
}

/// Keeps what may settle a free dimension.
void ShapeInference::lookAt(const onnx::NodeProto& node, const Inputs& inputs,
                            const OpFacts& facts) {
  if (watch_ != nullptr && watch_->node == &node) watch_->size = sizeOf(facts, watch_->need);
  const bool isGuess = std::ranges::any_of(
      inputs, [](const Knowledge* known) { return known != nullptr && known->assumed; });
  if (!isGuess) return;
  auto needs = unmetNeeds(facts);
  if (!needs.empty()) misfits_.push_back({&node, place_, std::move(needs)});
}

void ShapeInference::bindInputs(const onnx::GraphProto& graph, Scope& scope) {
  std::unordered_set<std::string> stored;  // Up to IR 3 weights are inputs too.
  for (const auto& tensor : graph.initializer()) stored.insert(tensor.name());
  for (const auto& tensor : graph.sparse_initializer()) stored.insert(tensor.values().name());
  const auto bind = [&](const onnx::ValueInfoProto& input) {
    onnx::TypeProto type = input.type();
    const bool assumed = dimensions_.bindInput(type, input.name());
    Knowledge known = typed(type, assumed ? SizeOrigin::assumed : SizeOrigin::declared);
    known.assumed = assumed;
    if (!staticShape(known.type)) {
      known.reason = "the file gives no shape for this input" + shapeHint(input.name());
    }
    if (const auto value = dimensions_.valueOf(known.type, input.name())) {
      SmallValue held{.dtype = dtypeOfElement(elementType(known.type)),
                      .shape = *staticShape(known.type),
                      .integers = {*value}};
      known.value = std::make_shared<const SmallValue>(std::move(held));
      known.computed = true;
    }
    scope.set(input.name(), std::move(known));
  };
  // Sums such as `past + 1` stand on names that other inputs bring.
  for (const bool plain : {true, false}) {
    for (const auto& input : graph.input()) {
      if (!stored.contains(input.name()) && hasPlainDimensions(input.type()) == plain) bind(input);
    }
  }
}

const BodyRun* ShapeInference::runOf(const onnx::NodeProto& node) const {
  const auto found = runs_.find(&node);
  return found != runs_.end() ? &found->second : nullptr;
}

void ShapeInference::seedInitializers(const onnx::GraphProto& graph, Scope& scope) {
  for (const onnx::TensorProto& tensor : graph.initializer()) {
    const Shape shape(tensor.dims().begin(), tensor.dims().end());
    Knowledge known = typed(tensorType(tensor.data_type(), shape), SizeOrigin::declared);
    if (auto value = smallValue(tensor)) {
      known.value = std::make_shared<const SmallValue>(std::move(*value));
    }
    scope.set(tensor.name(), std::move(known));
  }
  for (const onnx::SparseTensorProto& tensor : graph.sparse_initializer()) {
    const Shape shape(tensor.dims().begin(), tensor.dims().end());
    Knowledge known = typed(tensorType(tensor.values().data_type(), shape), SizeOrigin::declared);
    if (auto value = smallValue(tensor)) {
      known.value = std::make_shared<const SmallValue>(std::move(*value));
    }
    scope.set(tensor.values().name(), std::move(known));
  }
}

ShapeInference::Declared ShapeInference::declaredTypes(const onnx::GraphProto& graph) {
  Declared declared;
  declared.reserve(static_cast<std::size_t>(graph.value_info_size()) +
                   static_cast<std::size_t>(graph.output_size()));
  const auto add = [&](const onnx::ValueInfoProto& info) {
    onnx::TypeProto type = info.type();
    const bool assumed = dimensions_.substitute(type);
    Knowledge known = typed(type, assumed ? SizeOrigin::assumed : SizeOrigin::declared);
    known.assumed = assumed;
    const auto [place, isNew] = declared.emplace(info.name(), known);
    // A name may be declared twice; the one with a shape helps.
    if (!isNew && !staticShape(place->second.type)) place->second = std::move(known);
  };
  for (const auto& info : graph.value_info()) add(info);
  for (const auto& info : graph.output()) add(info);
  return declared;
}

void ShapeInference::inferGraph(const onnx::GraphProto& graph, const SharedScope& scope) {
  seedInitializers(graph, *scope);
  const Declared declared = declaredTypes(graph);
  auto order = orders_->find(&graph);
  if (order == orders_->end()) order = orders_->emplace(&graph, executionOrder(graph)).first;
  const bool isMain = &graph == &model_.graph();
  for (std::size_t at = 0; at < order->second.size() && (!isMain || at < last_); ++at) {
    if (isMain) place_ = at;
    inferNode(graph.node(static_cast<int>(order->second[at])), scope, declared);
  }
}

void ShapeInference::inferNode(const onnx::NodeProto& node, const SharedScope& scope,
                               const Declared& declared) {
  Inputs inputs;
  for (const std::string& name : node.input()) {
    inputs.push_back(name.empty() ? nullptr : scope->find(name));
  }
  Outputs outputs;
  const bool goesOn = nodesLeft_-- > 0;
  ++visits_;
  if (goesOn) outputs = infer(node, inputs, scope);
  outputs.resize(static_cast<std::size_t>(node.output_size()));
  const bool assumed = std::ranges::any_of(
      inputs, [](const Knowledge* known) { return known != nullptr && known->assumed; });
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::string& name = node.output(static_cast<int>(i));
    if (name.empty()) continue;
    Knowledge& known = outputs[i];
    if (!goesOn) known.reason = "shape inference gave up: bodies are nested too often";
    known.assumed = known.assumed || (assumed && staticShape(known.type));
    complete(known, name, declared);
    known.maker = &node;
    known.type = kept(std::move(known.type));
    scope->set(name, std::move(known));
  }
}

SharedType ShapeInference::kept(SharedType type) {
  constexpr std::size_t kMostKept = 4096;
  const std::string text = type->SerializeAsString();
  if (const auto found = types_.find(text); found != types_.end()) return found->second;
  if (types_.size() < kMostKept) types_.emplace(text, type);
  return type;
}

void ShapeInference::complete(Knowledge& known, const std::string& name, const Declared& declared) {
  const auto found = declared.find(name);
  // The user knows better than the file, where rules cannot tell.
  const auto bind = [&] {
    if (!staticShape(known.type) && dimensions_.bindTensor(known.type.own(), name)) {
      known.origin = SizeOrigin::declared;
    }
  };
  bind();
  if (found != declared.end() && hasRank(known.type) && !staticShape(known.type)) {
    fillFrom(found->second, known);
  }
  const auto helps = [&] {
    if (found == declared.end()) return false;
    const auto shape = staticShape(known.type);
    if (shape && (!known.assumed || found->second.assumed)) return false;
    const auto stated = staticShape(found->second.type);
    if (!shape && hasRank(known.type)) return false;
    if (!shape) return stated || known.type->value_case() == onnx::TypeProto::VALUE_NOT_SET;
    // The file is worth more than a guess, unless what it says makes no sense.
    return stated && stated->size() == shape->size() && stated != shape;
  };
  if (found != declared.end()) dimensions_.refine(known.type.own(), found->second.type);
  if (helps()) {
    const std::string reason = std::move(known.reason);
    known = found->second;
    known.reason = reason;
  } else if (found != declared.end() && elementType(known.type) == 0 &&
             known.type->has_tensor_type()) {
    known.type.own().mutable_tensor_type()->set_elem_type(elementType(found->second.type));
  }
  bind();
  if (!staticShape(known.type) && !known.most.empty()) {
    dimensions_.assumeTensor(known.type.own(), name, known.most);
    known.assumed = staticShape(known.type).has_value();
  }
  if (!staticShape(known.type)) return;
  known.reason.clear();
  if (known.assumed) known.origin = SizeOrigin::assumed;
}

ShapeInference::Outputs ShapeInference::infer(const onnx::NodeProto& node, const Inputs& inputs,
                                              const SharedScope& scope) {
  switch (specialOf(node)) {
    case Special::branch:
      return inferIf(node, inputs, scope);
    case Special::turns:
      return inferLoop(node, inputs, scope);
    case Special::scan:
      return inferScan(node, inputs, scope);
    default:
      return inferPlain(node, inputs, *scope);
  }
}

ShapeInference::Outputs ShapeInference::inferPlain(const onnx::NodeProto& node,
                                                   const Inputs& inputs, const Scope& scope) {
  const Op op = importOp(node);
  const std::optional<SmallValue> attribute = attributeValue(node);
  OpFacts facts{.op = op,
                .opset = opset(op.domain),
                .inputs = inputFacts(node, inputs),
                .outputCount = static_cast<std::size_t>(node.output_size()),
                .tensorAttribute = attribute ? &*attribute : nullptr};
  lookAt(node, inputs, facts);
  Outputs outputs(facts.outputCount);
  const auto stored = attribute ? std::nullopt : attributeType(node);
  const auto values = stored && op.type != "Constant" ? SmallValues() : evaluateSmall(facts);
  // A fill value or constant too large to follow still has a type.
  if (stored && values.empty() && op.type == "Constant" && outputs.size() == 1) {
    return {typed(*stored)};
  }
  auto ruled = stored || !values.empty() ? std::vector<TensorFacts>() : dimensions_.infer(facts);
  if (ruled.empty() && op.type == "Slice") ruled = sliceByTerms(node, facts, scope);
  const bool computed =
      op.type == "Shape" || op.type == "Size" || std::ranges::any_of(inputs, isComputed);
  const SizeOrigin origin =
      isSizedByValues(op.type, inputs) ? SizeOrigin::evaluated : SizeOrigin::inferred;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (i < values.size()) {
      outputs[i] = typed(tensorType(elementType(values[i].dtype), values[i].shape), origin);
      if (!dimensions_.followsValues(facts)) continue;
      outputs[i].value = std::make_shared<const SmallValue>(values[i]);
      outputs[i].computed = computed;
    } else if (i < ruled.size() && ruled[i].shape) {
      outputs[i] = typed(tensorType(elementType(ruled[i].dtype), ruled[i].shape), origin);
    }
  }
  const auto isOpen = [](const Knowledge& known) { return known.origin == SizeOrigin::unknown; };
  if (std::ranges::none_of(outputs, isOpen)) return outputs;

  inferRest(node, inputs, facts, outputs);
  return outputs;
}

void ShapeInference::inferRest(const onnx::NodeProto& node, const Inputs& inputs,
                               const OpFacts& facts, Outputs& outputs) {
  const auto isOpen = [](const Knowledge& known) { return known.origin == SizeOrigin::unknown; };
  const auto sequences = inferSequences(node, inputs, itemsLeft_);
  const auto rest = inferOpenOutputs(facts);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (!isOpen(outputs[i])) continue;
    if (i < sequences.size()) outputs[i] = sequences[i];
    if (outputs[i].items != nullptr) {
      itemsLeft_ -= static_cast<std::int64_t>(outputs[i].items->size());
      if (itemsLeft_ < 0) outputs[i].items = nullptr;
    }
    if (!isOpen(outputs[i])) continue;
    if (i < rest.size()) outputs[i] = openKnowledge(rest[i]);
    if (outputs[i].reason.empty()) outputs[i].reason = reasonFor(node, i, inputs, facts);
  }
}

bool hasSameShape(const Knowledge& a, const Knowledge& b) {
  const auto shape = staticShape(a.type);
  return shape && shape == staticShape(b.type);
}

bool hasRank(const onnx::TypeProto& type) {
  return type.has_tensor_type() && type.tensor_type().has_shape();
}

void fillFrom(const Knowledge& declared, Knowledge& known) {
  if (!hasRank(declared.type)) return;
  onnx::TensorShapeProto filled = known.type->tensor_type().shape();
  const onnx::TensorShapeProto& stated = declared.type->tensor_type().shape();
  if (stated.dim_size() != filled.dim_size()) return;
  for (int axis = 0; axis < filled.dim_size(); ++axis) {
    if (!stated.dim(axis).has_dim_value() || stated.dim(axis).dim_value() < 0) continue;
    const std::int64_t size = stated.dim(axis).dim_value();
    auto& dimension = *filled.mutable_dim(axis);
    if (dimension.has_dim_value() && dimension.dim_value() != size) return;
    const auto at = static_cast<std::size_t>(axis);
    const std::int64_t most = at < known.most.size() ? known.most[at] : -1;
    if (!dimension.has_dim_value() && most >= 0 && size > most) return;
    dimension.set_dim_value(size);
  }
  *known.type.own().mutable_tensor_type()->mutable_shape() = std::move(filled);
  if (!staticShape(known.type)) return;
  known.origin = declared.origin;
  known.assumed = known.assumed || declared.assumed;
}

Knowledge openKnowledge(const OpenFacts& facts) {
  Knowledge known = typed(tensorType(elementType(facts.dtype), facts.most));
  auto& shape = *known.type.own().mutable_tensor_type()->mutable_shape();
  for (const std::size_t axis : facts.open)
    shape.mutable_dim(static_cast<int>(axis))->clear_value();
  if (!facts.open.empty()) known.most = facts.most;
  return known;
}

Knowledge withoutShape(const Knowledge& known, std::string reason) {
  Knowledge open;
  open.type = known.type;
  if (open.type->has_tensor_type()) open.type.own().mutable_tensor_type()->clear_shape();
  open.reason = std::move(reason);
  return open;
}

Knowledge withoutValue(Knowledge known) {
  known.value = nullptr;
  known.items = nullptr;
  return known;
}

Knowledge stacked(const Knowledge& row, const TurnCount& turns, std::int64_t axis) {
  auto shape = staticShape(row.type);
  const auto rank = shape ? static_cast<std::int64_t>(shape->size()) + 1 : 0;
  if (axis < 0) axis += rank;
  if (!shape || axis < 0 || axis >= rank) {
    return withoutShape(row, row.reason.empty() ? "its rows have no known shape" : row.reason);
  }
  shape->insert(shape->begin() + axis, turns.exact.value_or(turns.most));
  Knowledge all;
  all.type = tensorType(elementType(row.type), shape);
  all.assumed = row.assumed;
  if (turns.exact) {
    all.origin = SizeOrigin::inferred;
    return all;
  }
  all.reason = "the number of iterations is not known";
  all.most = *shape;
  auto& dimensions = *all.type.own().mutable_tensor_type()->mutable_shape();
  dimensions.mutable_dim(static_cast<int>(axis))->clear_value();
  return all;
}

std::optional<bool> truth(const Knowledge* known) {
  if (known == nullptr || known->value == nullptr) return std::nullopt;
  const auto single = known->value->single();
  if (!single) return std::nullopt;
  return *single != 0;
}

}  // namespace hw
