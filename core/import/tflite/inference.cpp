#include "core/import/tflite/inference.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "core/base/text.h"

namespace hw {
namespace {

/// Subgraphs call each other less deep than this.
constexpr int kDeepestCall = 16;
/// Operators and tensors of called subgraphs to visit: one for each call.
constexpr std::int64_t kMostVisits = 200'000;

bool isFree(const TfliteTensor& tensor) {
  for (std::size_t axis = 0; axis < tensor.shape.size(); ++axis) {
    if (tensor.isFree(axis)) return true;
  }
  return false;
}

bool exists(const TfliteSubgraph& graph, std::int32_t tensor) {
  return tensor >= 0 && static_cast<std::size_t>(tensor) < graph.tensors.size();
}

/// True where `shape` differs from what the file says and does not leave free.
bool contradicts(const Shape& shape, const TfliteTensor& tensor) {
  if (shape.size() != tensor.shape.size()) return tensor.hasRank;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (!tensor.isFree(axis) && shape[axis] != tensor.shape[axis]) return true;
  }
  return false;
}

/// "x[0]": how the user names one dimension of one tensor.
std::string axisKey(const std::string& tensor, std::size_t axis) {
  return fmt::format("{}[{}]", tensor, axis);
}

bool sizedByValues(const std::string& type) {
  constexpr std::array kTypes = {
      "BROADCAST_TO",  "FILL", "ONE_HOT",         "RANGE", "RESHAPE", "SLICE",
      "STRIDED_SLICE", "TILE", "RESIZE_BILINEAR", "PAD",   "PADV2",   "RESIZE_NEAREST_NEIGHBOR",
      "TRANSPOSE_CONV"};
  return std::ranges::find(kTypes, type) != kTypes.end();
}

/// The elements of a stored tensor; nothing when it is large, or of a type shapes are not made of.
std::shared_ptr<const SmallValue> storedValue(Dtype dtype, const Shape& shape,
                                              std::string_view bytes) {
  const bool isSigned = dtype == Dtype::int8 || dtype == Dtype::int16 || dtype == Dtype::int32 ||
                        dtype == Dtype::int64;
  const bool isWhole = isSigned || dtype == Dtype::uint8 || dtype == Dtype::boolean;
  if (!isWhole || !isSmall(shape)) return nullptr;
  const auto width = isSigned ? static_cast<std::size_t>(dtypeBits(dtype)) / 8 : std::size_t{1};
  const auto count = static_cast<std::size_t>(*elementCount(shape));
  if (bytes.size() / width < count) return nullptr;
  auto value = std::make_shared<SmallValue>(SmallValue{.dtype = dtype, .shape = shape});
  for (std::size_t i = 0; i < count; ++i) {
    std::int64_t element = 0;
    std::memcpy(&element, bytes.data() + i * width, width);
    const auto unused = 64 - 8 * width;
    if (isSigned)
      element = static_cast<std::int64_t>(static_cast<std::uint64_t>(element) << unused) >> unused;
    value->integers.push_back(element);
  }
  return value;
}

/// Why an output of `type` has no shape.
std::string reasonFor(const std::string& type, const TfliteSubgraph& graph, const TfliteOp& op,
                      const std::vector<const TfliteKnown*>& inputs) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] == nullptr || inputs[i]->shape) continue;
    const auto index = static_cast<std::size_t>(op.inputs[i]);
    return fmt::format("follows from '{}', whose shape is not known",
                       printable(graph.tensors[index].name));
  }
  return fmt::format("no shape rule for what {} makes of its new inputs", printable(type));
}

/// The outputs of a subgraph, without the values: they may be another's next time.
std::vector<TfliteKnown> resultsOf(const TfliteSubgraph& graph, const TfliteShapes& shapes) {
  std::vector<TfliteKnown> results;
  for (const std::int32_t output : graph.outputs) {
    const auto at = static_cast<std::size_t>(output);
    const bool exists = output >= 0 && at < shapes.tensors.size();
    results.push_back(exists ? shapes.tensors[at] : TfliteKnown());
    results.back().value = nullptr;
  }
  return results;
}

}  // namespace

OpFacts::Input factsOf(const TfliteKnown* known) {
  if (known == nullptr) return {};
  return {.present = true,
          .facts = {tfliteDtype(known->type), known->shape},
          .value = known->value.get()};
}

std::vector<std::size_t> tfliteCalls(const TfliteOp& op, const TfliteFile& file) {
  std::vector<const char*> names;
  if (op.is(TfliteOpCode::branch)) names = {"then_subgraph_index", "else_subgraph_index"};
  if (op.is(TfliteOpCode::loop) || op.is(TfliteOpCode::stablehloLoop)) {
    names = {"cond_subgraph_index", "body_subgraph_index"};
  }
  if (op.is(TfliteOpCode::call)) names = {"subgraph"};
  if (op.is(TfliteOpCode::composite)) names = {"decomposition_subgraph_index"};
  if (names.empty()) return {};
  const Op parts{.attributes = tfliteAttributes(op, file.bytes())};
  std::vector<std::size_t> calls;
  for (const char* name : names) {
    const std::int64_t index = parts.intAttribute(name, -1);
    const auto count = static_cast<std::int64_t>(file.subgraphCount());
    if (index < 0 || index >= count) return {};
    calls.push_back(static_cast<std::size_t>(index));
  }
  return calls;
}

TfliteInference::TfliteInference(const TfliteFile& file,
                                 const std::map<std::string, std::int64_t>& dimensions)
    : file_(file), dimensions_(dimensions), opsLeft_(kMostVisits) {}

TfliteKnown TfliteInference::stored(const TfliteTensor& tensor) const {
  TfliteKnown known{.type = tensor.type, .shape = tensor.shape};
  for (std::int64_t& size : *known.shape) {
    if (size >= 0) continue;
    size = 1;
    known.moved = true;
  }
  if (isFree(tensor)) known.origin = SizeOrigin::assumed;
  if (!tensor.isVariable && file_.isStored(tensor.buffer)) {
    known.value =
        storedValue(tfliteDtype(tensor.type), *known.shape, file_.bufferBytes(tensor.buffer));
  }
  return known;
}

std::shared_ptr<TfliteShapes> TfliteInference::start(std::size_t subgraph) {
  auto shapes = std::make_shared<TfliteShapes>();
  shapes->tensors.reserve(file_.subgraph(subgraph).tensors.size());
  for (const TfliteTensor& tensor : file_.subgraph(subgraph).tensors) {
    shapes->tensors.push_back(stored(tensor));
    active_ = active_ || isFree(tensor);
  }
  return shapes;
}

/// Gives the dimensions of an input the sizes the user bound. True when one is left to be assumed.
bool TfliteInference::bind(TfliteKnown& known, const TfliteTensor& tensor,
                           const std::string& alias) {
  bool assumed = false;
  for (std::size_t axis = 0; axis < known.shape->size(); ++axis) {
    const std::int64_t before = (*known.shape)[axis];
    const std::string own = axisKey(tensor.name, axis);
    auto bound = dimensions_.find(own);
    if (bound == dimensions_.end()) bound = dimensions_.find(axisKey(alias, axis));
    if (bound == dimensions_.end() && axis == 0 && tensor.isFree(0)) {
      bound = dimensions_.find("batch");
    }
    if (bound != dimensions_.end()) {
      used_[bound->first] = true;
      (*known.shape)[axis] = bound->second;
      known.moved = known.moved || bound->second != before;
      rebound_ = rebound_ || bound->second != before;
      if (!tensor.isFree(axis)) {
        notes_.push_back(
            fmt::format("dimension {} of input '{}' is {} in the file, not free; "
                        "taken as {} as asked for",
                        axis, printable(tensor.name), before, bound->second));
      }
    } else if (tensor.isFree(axis)) {
      assumed = true;
      notes_.push_back(fmt::format("free dimension {} of input '{}' taken as {}; --dim {}=VALUE",
                                   axis, printable(tensor.name), before, printable(own)));
    }
  }
  return assumed;
}

Result<std::shared_ptr<const TfliteShapes>> TfliteInference::entry(
    std::size_t subgraph, const std::map<std::string, std::int32_t>& aliases) {
  const TfliteSubgraph& graph = file_.subgraph(subgraph);
  const auto shapes = start(subgraph);
  std::string names;
  for (const std::int32_t input : graph.inputs) {
    if (!exists(graph, input)) continue;
    const auto index = static_cast<std::size_t>(input);
    const auto alias =
        std::ranges::find_if(aliases, [&](const auto& entry) { return entry.second == input; });
    TfliteKnown& known = shapes->tensors[index];
    const bool assumed = bind(known, graph.tensors[index],
                              alias == aliases.end() ? graph.tensors[index].name : alias->first);
    known.origin = assumed ? SizeOrigin::assumed : SizeOrigin::declared;
    for (std::size_t axis = 0; axis < known.shape->size(); ++axis) {
      if (!graph.tensors[index].isFree(axis)) continue;
      names += (names.empty() ? "" : ", ") + printable(axisKey(graph.tensors[index].name, axis));
    }
  }
  for (const auto& [name, size] : dimensions_) {
    if (used_.contains(name)) continue;
    return fail(ErrorCode::invalidArgument,
                fmt::format("no input of the model has a dimension '{}'; {}", printable(name),
                            names.empty() ? "it has no free ones, but INPUT[AXIS] can be set"
                                          : "the free ones are " + names));
  }
  active_ = active_ || std::ranges::any_of(shapes->tensors, &TfliteKnown::moved);
  infer(subgraph, *shapes, 0);
  return std::shared_ptr<const TfliteShapes>(shapes);
}

void TfliteInference::infer(std::size_t subgraph, TfliteShapes& shapes, int depth) {
  const TfliteSubgraph& graph = file_.subgraph(subgraph);
  running_.push_back(subgraph);
  for (std::size_t op = 0; op < graph.ops.size(); ++op) {
    if (depth > 0 && opsLeft_-- <= 0) {
      if (!gaveUp_) {
        notes_.emplace_back("shape inference gave up: subgraphs call each other too often");
      }
      gaveUp_ = true;
      break;
    }
    inferOp(graph, op, shapes, depth);
  }
  running_.pop_back();
}

/// The properties that the inputs of an operator have in common.
struct TfliteInference::Mixture {
  bool moved = false;     ///< One is not as stored, or not known.
  bool assumed = false;   ///< The size of one hangs on a free dimension taken as 1.
  bool computed = false;  ///< The value of one was worked out from shapes.
  bool placeholder = false;

  explicit Mixture(const Inputs& inputs) {
    for (const TfliteKnown* input : inputs) {
      if (input == nullptr) continue;
      moved |= input->moved || !input->shape;
      assumed |= input->origin == SizeOrigin::assumed;
      computed |= input->computed;
      placeholder |= input->isPlaceholder;
    }
  }
};

void TfliteInference::inferOp(const TfliteSubgraph& graph, std::size_t index, TfliteShapes& shapes,
                              int depth) {
  const TfliteOp& op = graph.ops[index];
  Inputs inputs;
  for (const std::int32_t input : op.inputs) {
    const bool isThere = exists(graph, input);
    inputs.push_back(isThere ? &shapes.tensors[static_cast<std::size_t>(input)] : nullptr);
  }
  const Mixture mixture(inputs);
  Outputs outputs = inferCall(op, inputs, index, shapes, depth);
  // The size that stands in for a free dimension of an output may be a placeholder.
  const bool isOpen = std::ranges::any_of(op.outputs, [&](std::int32_t output) {
    return exists(graph, output) && isFree(graph.tensors[static_cast<std::size_t>(output)]);
  });
  const bool asStored = !mixture.moved && !mixture.assumed && !mixture.computed && !isOpen;
  // Shapes that would follow from placeholders are no better than those that the file has.
  const bool helps = active_ && (rebound_ || !mixture.placeholder);
  if (outputs.empty() && helps && (!asStored || op.is(TfliteOpCode::shape))) {
    outputs = inferPlain(op, inputs, mixture, shapes);
  }
  for (std::size_t i = 0; i < op.outputs.size(); ++i) {
    if (!exists(graph, op.outputs[i])) continue;
    const auto at = static_cast<std::size_t>(op.outputs[i]);
    TfliteKnown& known = shapes.tensors[at];
    TfliteKnown inferred = i < outputs.size() ? std::move(outputs[i]) : TfliteKnown();
    // Dimensions that the file fixes hold for all sizes of those it leaves free.
    const bool isFixed = !rebound_ || !mixture.moved;
    if (isFixed && inferred.shape && contradicts(*inferred.shape, graph.tensors[at])) {
      inferred = TfliteKnown();
    }
    // For want of a rule, as stored.
    known.isPlaceholder = !inferred.shape && !rebound_ && isFree(graph.tensors[at]);
    if (inferred.shape || rebound_) settle(known, std::move(inferred), mixture);
    if (!known.shape) known.reason = reasonFor(op.type(), graph, op, inputs);
  }
}

/// By our own rules for the operator; empty where there are none.
TfliteInference::Outputs TfliteInference::inferPlain(const TfliteOp& op, const Inputs& inputs,
                                                     const Mixture& mixture,
                                                     const TfliteShapes& shapes) const {
  constexpr std::int64_t kNewest = 1000;
  std::vector<OpFacts::Input> operands;
  for (const TfliteKnown* known : inputs) operands.push_back(factsOf(known));
  const Op standard = tfliteOperation(op, file_.bytes(), operands);
  const OpFacts facts{.op = standard,
                      .opset = kNewest,
                      .inputs = std::move(operands),
                      .outputCount = op.outputs.size()};
  Outputs outputs;
  const auto values = evaluateSmall(facts);
  for (std::size_t i = 0; i < std::min(values.size(), op.outputs.size()); ++i) {
    // The file says what types the outputs have.
    const auto output = static_cast<std::size_t>(op.outputs[i]);
    if (output >= shapes.tensors.size()) break;
    auto typed = castTo(values[i], tfliteDtype(shapes.tensors[output].type));
    if (typed.empty()) break;
    outputs.push_back({.shape = typed[0].shape, .origin = SizeOrigin::inferred, .computed = true});
    outputs.back().value = std::make_shared<const SmallValue>(std::move(typed[0]));
  }
  if (!outputs.empty()) return outputs;
  const bool evaluated = mixture.computed && sizedByValues(standard.type);
  for (TensorFacts& inferred : inferByRule(facts)) {
    outputs.push_back({.shape = std::move(inferred.shape),
                       .origin = evaluated ? SizeOrigin::evaluated : SizeOrigin::inferred});
  }
  return outputs;
}

/// Decides between what is stored about an output and what was worked out.
void TfliteInference::settle(TfliteKnown& known, TfliteKnown inferred, const Mixture& mixture) {
  const std::optional<Shape> stored = known.shape;
  if (inferred.shape) {
    known.shape = std::move(inferred.shape);
    known.value = std::move(inferred.value);
    known.computed = inferred.computed;
    const bool same = known.shape == stored && known.origin != SizeOrigin::assumed;
    known.origin = same ? SizeOrigin::declared : inferred.origin;
  } else if (mixture.moved) {
    known.shape.reset();
    known.origin = SizeOrigin::unknown;
  }
  known.moved = known.moved || known.shape != stored;
  if (known.shape && (mixture.assumed || inferred.origin == SizeOrigin::assumed)) {
    known.origin = SizeOrigin::assumed;
  }
}

/// The outputs of the subgraphs that `op` calls; empty when it calls none.
TfliteInference::Outputs TfliteInference::inferCall(const TfliteOp& op, const Inputs& inputs,
                                                    std::size_t index, TfliteShapes& shapes,
                                                    int depth) {
  const auto calls = tfliteCalls(op, file_);
  const auto runs = [&](std::size_t call) {
    return std::ranges::find(running_, call) != running_.end();
  };
  if (calls.empty() || depth >= kDeepestCall || opsLeft_ <= 0) return {};
  if (std::ranges::any_of(calls, runs)) return {};  // No runtime lets a subgraph call itself.
  const std::size_t skipped = op.is(TfliteOpCode::branch) ? 1 : 0;  // The condition.
  const Inputs handed(
      inputs.begin() + static_cast<std::ptrdiff_t>(std::min(skipped, inputs.size())), inputs.end());
  auto& callees = shapes.calls[index];
  for (const std::size_t call : calls) callees.push_back(callee(call, handed, depth + 1));
  Outputs outputs = resultsOf(file_.subgraph(calls.back()), *callees.back());
  if (!op.is(TfliteOpCode::branch)) return outputs;
  // A shape on which both branches agree is sure; else the larger one counts, and is a guess.
  const Outputs others = resultsOf(file_.subgraph(calls.front()), *callees.front());
  for (std::size_t i = 0; i < std::min(outputs.size(), others.size()); ++i) {
    if (outputs[i].shape == others[i].shape) continue;
    const auto count = [](const TfliteKnown& known) {
      return known.shape ? elementCount(*known.shape).value_or(0) : -1;
    };
    if (count(others[i]) > count(outputs[i])) outputs[i] = others[i];
    outputs[i].origin = SizeOrigin::assumed;
  }
  return outputs;
}

std::shared_ptr<const TfliteShapes> TfliteInference::callee(std::size_t subgraph,
                                                            const Inputs& inputs, int depth) {
  const TfliteSubgraph& graph = file_.subgraph(subgraph);
  opsLeft_ -= static_cast<std::int64_t>(graph.tensors.size());
  file_.bytes().spend(graph.tensors.size() * sizeof(TfliteKnown));
  const auto shapes = start(subgraph);
  for (std::size_t i = 0; i < std::min(inputs.size(), graph.inputs.size()); ++i) {
    const std::int32_t input = graph.inputs[i];
    if (!exists(graph, input) || inputs[i] == nullptr) continue;
    TfliteKnown& known = shapes->tensors[static_cast<std::size_t>(input)];
    const std::optional<Shape> asStored = known.shape;
    known.shape = inputs[i]->shape;
    known.value = inputs[i]->value;
    known.origin = inputs[i]->origin;
    known.reason = inputs[i]->reason;
    known.moved = known.shape != asStored;
  }
  infer(subgraph, *shapes, depth);
  return shapes;
}

}  // namespace hw
