#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <unordered_map>

#include "core/base/text.h"
#include "core/graph/graph_builder.h"
#include "core/import/formats.h"
#include "core/import/onnx_functions.h"
#include "core/import/onnx_inference.h"
#include "core/import/onnx_scopes.h"
#include "core/import/onnx_values.h"
#include "core/import/onnx_wire.h"
#include "core/import/op_facts.h"

namespace hw {
namespace {

using Handle = GraphBuilder::Handle;

Result<onnx::ModelProto> parseModel(std::string_view bytes) {
  const auto reduced = withoutPayloads(bytes);
  if (!reduced) return tl::unexpected<Error>(reduced.error());
  onnx::ModelProto model;
  if (!model.ParseFromString(*reduced)) {
    return fail(ErrorCode::malformed, "the protobuf is not an ONNX model, or is nested too deeply");
  }
  if (!model.has_graph()) {
    return fail(ErrorCode::malformed, "the model has no graph; expected an ONNX ModelProto");
  }
  return model;
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
  const auto isValue = known.type.value_case();
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

/// Turns the main graph of a model into a Graph. Bodies of control flow stay inside their op.
class OnnxGraphReader {
 public:
  OnnxGraphReader(const onnx::ModelProto& model, const Scope& scope)
      : graph_(model.graph()), scope_(scope), builder_(model.graph().name(), "onnx") {}

  Result<Graph> read(const std::vector<std::string>& notes) && {
    for (const std::string& note : notes) builder_.addNote(note);
    if (auto ok = checkWeights(); !ok) return tl::unexpected<Error>(std::move(ok.error()));
    addInputs();
    for (int i = 0; i < graph_.node_size(); ++i) addOutputs(graph_.node(i));
    addWeights();
    for (int i = 0; i < graph_.node_size(); ++i) {
      if (auto ok = addNode(graph_.node(i), fmt::format("graph.node[{}]", i)); !ok) {
        return tl::unexpected<Error>(std::move(ok.error()));
      }
    }
    for (const auto& output : graph_.output()) {
      const auto found = handles_.find(output.name());
      if (found == handles_.end()) {
        return fail(ErrorCode::malformed, fmt::format("the graph's output '{}' is not produced",
                                                      printable(output.name())));
      }
      builder_.addOutput(found->second);
    }
    return std::move(builder_).build();
  }

 private:
  bool isWeight(const std::string& name) const { return weights_.contains(name); }

  /// Initializers have all their dimensions and fit into what we can add up.
  Result<void> checkWeights() {
    const auto check = [&](const std::string& name, const auto& dimensions, int elementType) {
      const Shape shape(dimensions.begin(), dimensions.end());
      const bool isNegative = std::ranges::any_of(shape, [](auto size) { return size < 0; });
      const auto count = isNegative ? std::nullopt : elementCount(shape);
      const Dtype dtype = dtypeOfElement(elementType);
      if (count && (dtypeBits(dtype) == 0 || packedSize(dtype, *count))) {
        if (!weights_.emplace(name, weightNames_.size()).second) {
          builder_.addNote(fmt::format("weight '{}' is stored more than once; the last one counts",
                                       printable(name)));
        } else {
          weightNames_.push_back(name);
        }
        return true;
      }
      return false;
    };
    const auto refuse = [](const std::string& name) {
      return fail(ErrorCode::malformed,
                  fmt::format("weight '{}' has a negative or absurd dimension", printable(name)));
    };
    for (const auto& tensor : graph_.initializer()) {
      if (!check(tensor.name(), tensor.dims(), tensor.data_type())) return refuse(tensor.name());
    }
    for (const auto& tensor : graph_.sparse_initializer()) {
      const std::string& name = tensor.values().name();
      if (!check(name, tensor.dims(), tensor.values().data_type())) return refuse(name);
    }
    return {};
  }

  Handle addValue(const std::string& name, bool constant = false) {
    const auto found = handles_.find(name);
    if (found != handles_.end()) return found->second;
    Tensor tensor{.name = name, .constant = constant};
    const Knowledge* known = scope_.find(name);
    describe(tensor, known != nullptr ? *known : Knowledge());
    const Handle handle = builder_.addTensor(std::move(tensor));
    handles_.emplace(name, handle);
    return handle;
  }

  void addInputs() {
    for (const auto& input : graph_.input()) {
      if (isWeight(input.name())) continue;
      const std::size_t before = builder_.tensorCount();
      const Handle handle = addValue(input.name());
      if (builder_.tensorCount() > before) {
        builder_.addInput(handle);
      } else {
        builder_.addNote(fmt::format("input '{}' is listed more than once; the first one counts",
                                     printable(input.name())));
      }
    }
  }

  void addOutputs(const onnx::NodeProto& node) {
    for (const std::string& name : node.output()) {
      if (!name.empty() && !isWeight(name)) addValue(name);
    }
  }

  void addWeights() {
    for (const std::string& name : weightNames_) addValue(name, true);
  }

  Result<std::vector<Handle>> handlesOf(const auto& names, const onnx::NodeProto& node,
                                        const std::string& where) const {
    std::vector<Handle> handles;
    for (const std::string& name : names) {
      const auto found = handles_.find(name);
      if (!name.empty() && found == handles_.end()) {
        return fail(ErrorCode::malformed,
                    fmt::format("operator '{}' reads '{}', which nothing produces",
                                printable(node.name().empty() ? node.op_type() : node.name()),
                                printable(name)),
                    where);
      }
      handles.push_back(name.empty() ? GraphBuilder::kAbsent : found->second);
    }
    return handles;
  }

  Result<void> addNode(const onnx::NodeProto& node, const std::string& where) {
    GraphBuilder::OpParts parts{.op = importOp(node), .where = where};
    const auto problem = [](Error error) { return tl::unexpected<Error>(std::move(error)); };
    auto inputs = handlesOf(node.input(), node, where);
    if (!inputs) return problem(std::move(inputs.error()));
    auto outputs = handlesOf(node.output(), node, where);
    if (!outputs) return problem(std::move(outputs.error()));
    auto captures = handlesOf(capturedNames(node), node, where);
    if (!captures) return problem(std::move(captures.error()));
    parts.inputs = std::move(*inputs);
    parts.outputs = std::move(*outputs);
    parts.captures = std::move(*captures);
    builder_.addOp(std::move(parts));
    return {};
  }

  const onnx::GraphProto& graph_;
  const Scope& scope_;
  GraphBuilder builder_;
  std::unordered_map<std::string, Handle> handles_;
  std::unordered_map<std::string, std::size_t> weights_;
  std::vector<std::string> weightNames_;  ///< In stored order, each once.
};

}  // namespace

bool acceptsOnnx(std::string_view bytes) { return looksLikeOnnx(bytes); }

Result<Model> readOnnx(std::string_view bytes, const ImportOptions& options) {
  auto proto = parseModel(bytes);
  if (!proto) return tl::unexpected<Error>(proto.error());
  FreeDimensions dimensions(options.dimensions);
  const auto calls = inlineFunctions(*proto);
  if (!calls) return tl::unexpected<Error>(calls.error());
  std::vector<std::string> notes;
  if (*calls > 0) {
    notes.push_back(fmt::format(
        "{} calls of the model's own functions were replaced by what is inside", *calls));
  }
  const Scope scope = ShapeInference(*proto, dimensions).run();
  if (auto ok = dimensions.checkAllUsed(); !ok) return tl::unexpected<Error>(std::move(ok.error()));
  notes.insert(notes.end(), dimensions.notes().begin(), dimensions.notes().end());
  auto graph = OnnxGraphReader(*proto, scope).read(notes);
  if (!graph) return tl::unexpected<Error>(std::move(graph.error()));
  Model model;
  model.graph = std::make_shared<const Graph>(std::move(*graph));
  return model;
}

}  // namespace hw
