#include "core/import/tflite_inference.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/text.h"
#include "core/import/tflite_rules.h"

namespace hw {
namespace {

/// Subgraphs call each other less deep than this; one that calls itself is cut off here.
constexpr int kDeepest = 16;
/// Operators to visit: models whose subgraphs call each other over and over stay small.
constexpr std::int64_t kMostVisits = 1'000'000;

bool isFree(const TfliteTensor& tensor) {
  for (std::size_t axis = 0; axis < tensor.shape.size(); ++axis) {
    if (tensor.isFree(axis)) return true;
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

OpFacts::Input factsOf(const TfliteKnown* known) {
  if (known == nullptr) return {};
  return {.present = true,
          .facts = {tfliteDtype(known->type), known->shape},
          .value = known->value.get()};
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

}  // namespace

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
        tfliteValue(tfliteDtype(tensor.type), *known.shape, file_.bufferBytes(tensor.buffer));
  }
  return known;
}

std::shared_ptr<TfliteShapes> TfliteInference::start(std::size_t subgraph) const {
  auto shapes = std::make_shared<TfliteShapes>();
  for (const TfliteTensor& tensor : file_.subgraph(subgraph).tensors) {
    shapes->tensors.push_back(stored(tensor));
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
    if (input < 0 || static_cast<std::size_t>(input) >= graph.tensors.size()) continue;
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
  infer(subgraph, *shapes, 0);
  return std::shared_ptr<const TfliteShapes>(shapes);
}

void TfliteInference::infer(std::size_t subgraph, TfliteShapes& shapes, int depth) {
  const TfliteSubgraph& graph = file_.subgraph(subgraph);
  for (std::size_t op = 0; op < graph.ops.size(); ++op) {
    if (opsLeft_-- <= 0) {
      notes_.emplace_back("shape inference gave up: subgraphs call each other too often");
      return;
    }
    inferOp(graph, op, shapes, depth);
  }
}

void TfliteInference::inferOp(const TfliteSubgraph& graph, std::size_t index, TfliteShapes& shapes,
                              int depth) {
  const TfliteOp& op = graph.ops[index];
  const auto exists = [&](std::int32_t tensor) {
    return tensor >= 0 && static_cast<std::size_t>(tensor) < graph.tensors.size();
  };
  Inputs inputs;
  for (const std::int32_t input : op.inputs) {
    inputs.push_back(exists(input) ? &shapes.tensors[static_cast<std::size_t>(input)] : nullptr);
  }
  const auto any = [&](auto predicate) {
    return std::ranges::any_of(
        inputs, [&](const TfliteKnown* known) { return known != nullptr && predicate(*known); });
  };
  const bool moved = any([](const TfliteKnown& known) { return known.moved || !known.shape; });
  const bool assumed =
      any([](const TfliteKnown& known) { return known.origin == SizeOrigin::assumed; });
  const bool computed = any([](const TfliteKnown& known) { return known.computed; });

  Outputs outputs = inferCall(op, inputs, index, shapes, depth);
  std::vector<SmallValue> values;
  const std::string type = op.type();
  if (outputs.empty() && (moved || assumed || computed || type == "SHAPE")) {
    const Op parts{.type = type, .attributes = tfliteAttributes(op, file_.bytes())};
    OpFacts facts{.op = parts, .outputCount = op.outputs.size()};
    for (const TfliteKnown* known : inputs) facts.inputs.push_back(factsOf(known));
    values = evaluateTflite(facts);
    for (TensorFacts& output : inferTflite(facts)) {
      outputs.push_back({.shape = std::move(output.shape)});
    }
  }
  for (std::size_t i = 0; i < op.outputs.size(); ++i) {
    if (!exists(op.outputs[i])) continue;
    const auto at = static_cast<std::size_t>(op.outputs[i]);
    TfliteKnown& known = shapes.tensors[at];
    const std::optional<Shape> asStored = known.shape;
    if (i < values.size()) {
      known.value = std::make_shared<const SmallValue>(std::move(values[i]));
      known.shape = known.value->shape;
      known.computed = true;
      known.origin = SizeOrigin::inferred;
    } else if (i < outputs.size() && outputs[i].shape) {
      known.shape = std::move(outputs[i].shape);
      known.origin = computed && sizedByValues(type) ? SizeOrigin::evaluated : SizeOrigin::inferred;
    } else if (moved && !(i < outputs.size() && !outputs[i].moved)) {
      known.shape.reset();
      known.origin = SizeOrigin::unknown;
      known.reason = reasonFor(type, graph, op, inputs);
    }
    known.moved = known.moved || known.shape != asStored;
    if (known.shape == asStored && known.origin != SizeOrigin::assumed) {
      known.origin = SizeOrigin::declared;
    }
    if (assumed && known.shape) known.origin = SizeOrigin::assumed;
  }
}

/// What the subgraphs that `op` calls hand out; empty when it calls none.
TfliteInference::Outputs TfliteInference::inferCall(const TfliteOp& op, const Inputs& inputs,
                                                    std::size_t index, TfliteShapes& shapes,
                                                    int depth) {
  const auto calls = tfliteCalls(op, file_);
  if (calls.empty() || depth >= kDeepest) return {};
  const std::size_t skipped = op.is(TfliteOpCode::branch) ? 1 : 0;  // The condition.
  const Inputs handed(
      inputs.begin() + static_cast<std::ptrdiff_t>(std::min(skipped, inputs.size())), inputs.end());
  auto& callees = shapes.calls[index];
  for (const std::size_t call : calls) callees.push_back(callee(call, handed, depth + 1));
  Outputs outputs;
  const std::size_t last = calls.size() - 1;
  for (const std::int32_t output : file_.subgraph(calls[last]).outputs) {
    const auto at = static_cast<std::size_t>(output);
    const bool exists = output >= 0 && at < callees[last]->tensors.size();
    outputs.push_back(exists ? callees[last]->tensors[at] : TfliteKnown());
    outputs.back().value = nullptr;
  }
  return outputs;
}

std::shared_ptr<const TfliteShapes> TfliteInference::callee(std::size_t subgraph,
                                                            const Inputs& inputs, int depth) {
  const TfliteSubgraph& graph = file_.subgraph(subgraph);
  const auto shapes = start(subgraph);
  for (std::size_t i = 0; i < std::min(inputs.size(), graph.inputs.size()); ++i) {
    const std::int32_t input = graph.inputs[i];
    const bool exists = input >= 0 && static_cast<std::size_t>(input) < graph.tensors.size();
    if (!exists || inputs[i] == nullptr) continue;
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
