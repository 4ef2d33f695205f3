#include "core/exchange/onnx/part_file.h"

#include <fmt/format.h>
#include <google/protobuf/arena.h>
#include <hw_onnx.pb.h>

#include <algorithm>
#include <filesystem>
#include <unordered_map>
#include <unordered_set>

#include "core/base/text.h"
#include "core/files/file.h"
#include "core/graph/tiling.h"
#include "core/import/formats.h"
#include "core/import/onnx/values.h"
#include "core/import/onnx/wire.h"

namespace hw {
namespace {

/// The axis of an image's rows: behind the channels, or before them where those are last.
int heightAxis(const onnx::TensorShapeProto& shape) {
  constexpr std::int64_t kMostColours = 4;
  const bool last =
      shape.dim(3).dim_value() <= kMostColours && shape.dim(1).dim_value() > kMostColours;
  return last ? 1 : 2;
}

bool hasExternal(const onnx::TensorProto& tensor) {
  return tensor.data_location() == onnx::TensorProto::EXTERNAL;
}

/// True if weights of a graph or of bodies within are in other files.
bool hasExternal(const onnx::GraphProto& graph) {
  const auto ofTensor = [](const onnx::TensorProto& tensor) { return hasExternal(tensor); };
  if (std::ranges::any_of(graph.initializer(), ofTensor)) return true;
  for (const onnx::NodeProto& node : graph.node()) {
    for (const onnx::AttributeProto& attribute : node.attribute()) {
      if (hasExternal(attribute.t()) || std::ranges::any_of(attribute.tensors(), ofTensor))
        return true;
      if (attribute.has_g() && hasExternal(attribute.g())) return true;
      for (const onnx::GraphProto& body : attribute.graphs()) {
        if (hasExternal(body)) return true;
      }
    }
  }
  return false;
}

void setInts(onnx::NodeProto& node, const std::string& name,
             const std::vector<std::int64_t>& values) {
  auto& list = *node.mutable_attribute();
  const auto rest = std::remove_if(list.begin(), list.end(),
                                   [&](const auto& each) { return each.name() == name; });
  list.erase(rest, list.end());
  if (values.empty()) return;
  onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::INTS);
  for (const std::int64_t value : values) attribute.add_ints(value);
}

/// Writes the file of a program; refuses what cannot be written.
class PartFileWriter {
 public:
  PartFileWriter(const OnnxSource& source, const PartProgram& program)
      : graph_(source.graph()),
        program_(program),
        model_(*google::protobuf::Arena::CreateMessage<onnx::ModelProto>(&arena_)),
        names_(program.values.size()) {
    if (source.bytes.size() > kMostBytes) {
      refuse("the model takes more than 2 GiB, the most that ONNX files hold", {},
             ErrorCode::unsupported);
    }
    if (!model_.ParseFromArray(source.bytes.data(), static_cast<int>(source.bytes.size()))) {
      refuse("the protobuf is not an ONNX model, or is nested too deeply");
    }
  }

  OnnxFile write(ShapesKnown known) {
    check();
    nameValues();
    google::protobuf::RepeatedPtrField<onnx::NodeProto> old;
    old.Swap(graphOfFile().mutable_node());
    findNodes(old);
    OnnxFile file;
    if (known != ShapesKnown::all) file.freed = freeHeights();
    if (known == ShapesKnown::fewest) openReshapes(old);
    for (const PartProgram::Node& node : program_.nodes) addNode(node, old);
    dropShapes(known != ShapesKnown::all);
    if (model_.ByteSizeLong() > kMostBytes) {
      refuse("the model would take more than 2 GiB, the most that ONNX files hold", {},
             ErrorCode::unsupported);
    }
    if (!model_.SerializeToString(&file.bytes)) refuse("the model could not be written");
    return file;
  }

 private:
  using Kind = PartProgram::Node::Kind;
  static constexpr std::size_t kMostBytes = (std::size_t{1} << 31U) - 1;

  onnx::GraphProto& graphOfFile() { return *model_.mutable_graph(); }

  void check() {
    for (const auto& opset : model_.opset_import()) {
      if (normalDomain(opset.domain()).empty()) opset_ = std::max(opset_, opset.version());
    }
    constexpr std::int64_t kBroadcasts = 7;  // The opset since which shapes alone say how.
    if (opset_ < kBroadcasts) {
      refuse(fmt::format("the model is of opset {}; expected 7 or later", opset_), {},
             ErrorCode::unsupported);
    }
  }

  /// Which node each operator is.
  void findNodes(const google::protobuf::RepeatedPtrField<onnx::NodeProto>& nodes) {
    std::unordered_map<std::string_view, int> makers;
    for (int i = 0; i < nodes.size(); ++i) {
      for (const std::string& name : nodes[i].output()) makers.emplace(name, i);
    }
    for (const Op& op : graph_.ops) {
      int found = -1;
      for (const TensorId out : op.outputs) {
        const auto maker = out ? makers.find(graph_.tensors[out].name) : makers.end();
        if (maker != makers.end()) found = maker->second;
      }
      nodeOf_.add(found);
    }
    const bool each = std::ranges::none_of(nodeOf_, [](int node) { return node < 0; });
    if (!each || graph_.ops.size() != static_cast<std::size_t>(nodes.size())) {
      refuse(
          "the model has functions of its own, or operators without outputs; expected every "
          "operator in the graph itself",
          {}, ErrorCode::unsupported);
    }
  }

  std::string unique(std::string name) {
    const std::string first = name;
    for (int i = 2; !taken_.insert(name).second; ++i) name = fmt::format("{} ({})", first, i);
    return name;
  }

  void nameValues() {
    for (const Tensor& tensor : graph_.tensors) taken_.insert(tensor.name);
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const auto& [of, box] = program_.values[i];
      const Tensor& tensor = graph_.tensors[of];
      names_[i] = box.empty() ? tensor.name : unique(boxName(tensor, box));
    }
  }

  /// "t[r0-7]", "t[r0-7 c0-13]".
  static std::string boxName(const Tensor& tensor, const TensorBox& box) {
    std::string text;
    for (std::size_t i = 0; i < box.size(); ++i) {
      if (box[i] == Interval<std::int64_t>{0, (*tensor.shape)[i]}) continue;
      const std::string axis = i == 2 ? "r" : i == 3 ? "c" : fmt::format("axis {}: ", i);
      text += fmt::format("{}{}{}-{}", text.empty() ? "" : " ", axis, box[i].begin, box[i].end - 1);
    }
    return fmt::format("{}[{}]", tensor.name, text);
  }

  void addNode(const PartProgram::Node& node,
               const google::protobuf::RepeatedPtrField<onnx::NodeProto>& old) {
    onnx::NodeProto& made = *graphOfFile().add_node();
    if (node.kind == Kind::whole || node.kind == Kind::part) made = old[nodeOf_[node.of]];
    if (node.kind == Kind::whole) {
      const auto opened = opened_.find(node.of);
      if (opened != opened_.end()) *made.mutable_input(1) = numbers(opened->second, "shape");
      return;
    }
    made.clear_input();
    made.clear_output();
    for (const std::size_t in : node.inputs) {
      made.add_input(in == PartProgram::kAbsent ? std::string() : names_[in]);
    }
    for (const std::size_t out : node.outputs) made.add_output(names_[out]);
    made.set_name(nodeName(node, made));
    if (node.kind == Kind::part) {
      if (!node.pads.empty()) setPads(made, node.pads);
      return;
    }
    made.set_op_type(node.kind == Kind::slice ? "Slice" : "Concat");
    if (node.kind == Kind::slice) return setCut(made, node);
    onnx::AttributeProto& axis = *made.add_attribute();
    axis.set_name("axis");
    axis.set_type(onnx::AttributeProto::INT);
    axis.set_i(static_cast<std::int64_t>(node.axis));
  }

  /// Nodes may have no names; those that are made have one of their own, as profiles tell of them.
  std::string nodeName(const PartProgram::Node& node, const onnx::NodeProto& made) {
    if (node.kind == Kind::part) return names_[node.outputs[0]] + " " + made.op_type();
    return (node.kind == Kind::slice ? "cut " : "join ") + names_[node.outputs[0]];
  }

  static void setPads(onnx::NodeProto& node, const std::vector<std::int64_t>& pads) {
    setInts(node, "auto_pad", {});
    setInts(node, "ceil_mode", {});
    setInts(node, "pads", pads);
  }

  void setCut(onnx::NodeProto& node, const PartProgram::Node& slice) {
    const Shape from = program_.shapeOf(graph_, slice.inputs[0]);
    std::vector<std::int64_t> axes;
    std::vector<std::int64_t> begins;
    std::vector<std::int64_t> ends;
    for (std::size_t i = 0; i < slice.cut.size(); ++i) {
      if (slice.cut[i] == Interval<std::int64_t>{0, from[i]}) continue;
      axes.push_back(static_cast<std::int64_t>(i));
      begins.push_back(slice.cut[i].begin);
      ends.push_back(slice.cut[i].end);
    }
    constexpr std::int64_t kCutsByInputs = 10;  // The opset since which.
    if (opset_ < kCutsByInputs) {
      setInts(node, "axes", axes);
      setInts(node, "starts", begins);
      setInts(node, "ends", ends);
      return;
    }
    for (const auto& list : {begins, ends, axes}) node.add_input(numbers(list, "rows"));
  }

  /// The name of a weight with these numbers, which begins with what they are.
  std::string numbers(const std::vector<std::int64_t>& values, std::string_view what) {
    const auto [known, isNew] = numbers_.try_emplace(values);
    if (!isNew) return known->second;
    known->second = unique(fmt::format("{} {}", what, fmt::join(values, " ")));
    onnx::TensorProto& tensor = *graphOfFile().add_initializer();
    tensor.set_name(known->second);
    tensor.set_data_type(onnx::TensorProto::INT64);
    tensor.add_dims(static_cast<std::int64_t>(values.size()));
    for (const std::int64_t value : values) tensor.add_int64_data(value);
    constexpr std::int64_t kWeightsAlone = 4;  // The version since which weights are no inputs.
    if (model_.ir_version() < kWeightsAlone) {
      onnx::ValueInfoProto& input = *graphOfFile().add_input();
      input.set_name(known->second);
      *input.mutable_type() =
          tensorType(onnx::TensorProto::INT64, Shape{static_cast<std::int64_t>(values.size())});
    }
    return known->second;
  }

  std::map<std::string, std::int64_t> freeHeights() {
    std::unordered_set<std::string> others;
    for (const auto& input : model_.graph().input()) {
      for (const auto& dim : input.type().tensor_type().shape().dim())
        others.insert(dim.dim_param());
    }
    std::map<std::string, std::int64_t> freed;
    for (auto& input : *graphOfFile().mutable_input()) {
      const bool given = std::ranges::any_of(
          graph_.inputs, [&](TensorId id) { return graph_.tensors[id].name == input.name(); });
      if (!given || input.type().tensor_type().shape().dim_size() != 4) continue;
      auto& shape = *input.mutable_type()->mutable_tensor_type()->mutable_shape();
      auto& dim = *shape.mutable_dim(heightAxis(shape));
      if (dim.dim_value() < 2) continue;
      std::string name = "height";
      for (int i = 2; !others.insert(name).second; ++i) name = fmt::format("height_{}", i);
      freed.emplace(name, dim.dim_value());
      dim.set_dim_param(name);
      freed_.insert(input.name());
    }
    return freed;
  }

  /// Reshapes behind a free height to sizes that the file says, after which the runtime would know
  /// all shapes again: the last of these sizes, that of columns and what holds them, is left for it
  /// to work out. (It would know that of channels from the weights of the next convolution.)
  void openReshapes(const google::protobuf::RepeatedPtrField<onnx::NodeProto>& nodes) {
    IdMap<TensorId, bool> open(graph_.tensors.size(), false);
    for (const TensorId in : graph_.inputs) open[in] = freed_.contains(graph_.tensors[in].name);
    for (const OpId id : graph_.ops.keys()) {
      const Op& op = graph_.ops[id];
      const bool reduces = op.type.rfind("Global", 0) == 0 || op.type.rfind("Reduce", 0) == 0;
      if (reduces || std::ranges::none_of(graph_.reads(id), [&](auto in) { return open[in]; })) {
        continue;
      }
      for (const TensorId out : op.outputs) {
        if (out) open[out] = true;
      }
      if (op.type != "Reshape" || !op.domain.empty() || op.inputs.size() != 2) continue;
      Shape sizes = storedNumbers(op.inputs[1], nodes);
      const auto last =
          std::find_if(sizes.rbegin(), sizes.rend(), [](auto size) { return size != 1; });
      const bool said = std::ranges::all_of(sizes, [](auto size) { return size > 0; });
      if (!said || last == sizes.rend()) continue;
      *last = -1;
      opened_.emplace(id, std::move(sizes));
    }
  }

  /// The elements of a list that the file has, as a weight or as a constant; else none.
  Shape storedNumbers(TensorId id,
                      const google::protobuf::RepeatedPtrField<onnx::NodeProto>& nodes) const {
    if (!id) return {};
    std::optional<SmallValue> value;
    const Tensor& tensor = graph_.tensors[id];
    if (tensor.producer) value = attributeValue(nodes[nodeOf_[tensor.producer]]);
    for (const auto& weight : model_.graph().initializer()) {
      if (weight.name() == tensor.name) value = smallValue(weight);
    }
    return value ? value->integers : Shape();
  }

  /// Shapes of tensors that are not there any more; with free dimensions of all of them.
  void dropShapes(bool all) {
    auto& list = *graphOfFile().mutable_value_info();
    if (all) return list.Clear();
    std::unordered_set<std::string_view> made;
    for (const auto& node : model_.graph().node())
      made.insert(node.output().begin(), node.output().end());
    const auto rest = std::remove_if(list.begin(), list.end(),
                                     [&](const auto& each) { return !made.contains(each.name()); });
    list.erase(rest, list.end());
  }

  const Graph& graph_;
  const PartProgram& program_;
  google::protobuf::Arena arena_;
  onnx::ModelProto& model_;
  std::int64_t opset_ = 0;
  std::vector<std::string> names_;  ///< By value.
  std::unordered_set<std::string> taken_;
  IdMap<OpId, int> nodeOf_;
  std::map<std::vector<std::int64_t>, std::string> numbers_;
  std::unordered_set<std::string> freed_;             ///< Inputs whose height is left free.
  std::map<OpId, std::vector<std::int64_t>> opened_;  ///< The sizes that these Reshapes have then.
};

/// The operator of `model` that makes the tensor which `op` of `original` makes first.
OpId sameOp(const Graph& original, OpId op, const Graph& model,
            const std::unordered_map<std::string_view, TensorId>& byName) {
  const Op& from = original.ops[op];
  const TensorId made = from.outputs.empty() ? TensorId() : from.outputs[0];
  const auto found = made ? byName.find(original.tensors[made].name) : byName.end();
  const bool same = found != byName.end() && model.tensors[found->second].producer &&
                    model.tensors[found->second].shape == original.tensors[made].shape &&
                    model.ops[model.tensors[found->second].producer].type == from.type;
  if (!same) {
    refuse(
        fmt::format("operator '{}' of the tiled graph is not in the model with that output and "
                    "shape",
                    printable(displayName(original, op), 80)));
  }
  return model.tensors[found->second].producer;
}

}  // namespace

Result<OnnxSource> onnxSource(std::string_view bytes,
                              const std::map<std::string, std::int64_t>& dimensions) {
  if (!acceptsOnnx(bytes)) {
    return fail(ErrorCode::invalidArgument,
                "a file for ONNX Runtime is made of an ONNX file; this is none");
  }
  OnnxSource source{.bytes = bytes,
                    .import = {.dimensions = dimensions, .closedBodies = true, .fuse = {}}};
  HW_TRY(model, importModel(bytes, "", source.import));
  source.model = std::move(model);
  HW_TRY(reduced, withoutPayloads(bytes));
  onnx::ModelProto proto;
  source.external = proto.ParseFromString(reduced) && hasExternal(proto.graph());
  return source;
}

Result<OnnxFile> onnxFile(const OnnxSource& source, const PartProgram& program, ShapesKnown known) {
  return unlessRefused([&] { return PartFileWriter(source, program).write(known); });
}

Result<std::vector<OnnxPart>> onnxParts(const Graph& tiled, const Graph& model,
                                        std::vector<std::string>& notes) {
  if (!runsInParts(tiled) || runsInParts(*tiled.tiling->original)) {
    return fail(ErrorCode::unsupported, "no operator of the graph runs in parts of the model");
  }
  if (batchesOf(tiled) > 1) {
    return fail(ErrorCode::unsupported, "the graph is of several inferences");
  }
  std::unordered_map<std::string_view, TensorId> byName;
  for (const TensorId id : model.tensors.keys()) byName.emplace(model.tensors[id].name, id);
  const Graph& original = *tiled.tiling->original;
  return unlessRefused([&] {
    std::vector<OnnxPart> parts;
    std::set<OpId> whole;
    for (const OpId op : tiled.ops.keys()) {
      const Tiling::Part* part = partOf(tiled, op);
      if (part == nullptr) continue;
      const OpId of = sameOp(original, part->of, model, byName);
      if (isFoldPart(*part)) {
        if (whole.insert(of).second) {
          notes.push_back(fmt::format("operator '{}' runs whole: its parts fold its input",
                                      printable(displayName(model, of), 80)));
        }
        continue;
      }
      TensorBox box = wholeBox(*model.tensors[model.ops[of].outputs[0]].shape);
      const auto cut = [&](int axis, Interval<std::int64_t> to) {
        const auto at = static_cast<std::size_t>(axis);
        if (at < box.size()) box[at] = to;
      };
      cut(part->axis, part->rows);
      if (part->across >= 0) cut(part->across, part->columns);
      parts.push_back({of, std::move(box)});
    }
    return parts;
  });
}

RuntimePeak runtimePeak(const Graph& graph, const RuntimeShapes& shapes) {
  const Schedule schedule = runtimeSchedule(graph);
  const RuntimePlan plan = planAsRuntime({graph, schedule, shapes});
  const StepFunction live = liveBytes(plan.blocks, schedule.steps());
  if (live.pieces.empty()) return {};
  return {live.max(), schedule.opAt(live.argMax())};
}

Result<RuntimePeak> runtimePeak(std::string_view file, const ImportOptions& options) {
  HW_TRY(model, importModel(file, "", options));
  return runtimePeak(*model.graph, runtimeShapes(file, *model.graph));
}

Result<OnnxChoice> leastOnnxFile(const OnnxSource& source, const PartProgram& program) {
  OnnxChoice least;
  for (const ShapesKnown known : kShapesKnown) {
    HW_TRY(file, onnxFile(source, program, known));
    if (known != ShapesKnown::all && file.freed.empty()) continue;
    ImportOptions options = source.import;
    options.dimensions.insert(file.freed.begin(), file.freed.end());
    HW_TRY(peak, runtimePeak(file.bytes, options));
    if (!least.file.bytes.empty() && peak.bytes >= least.peak) continue;
    least = {std::move(file), peak.bytes};
  }
  return least;
}

Result<void> checkBeside(const OnnxSource& source, const std::string& model,
                         const std::string& file) {
  const auto folderOf = [](const std::string& path) {
    return std::filesystem::path(outputTarget(path)).parent_path();
  };
  if (!source.external || (file != "-" && folderOf(model) == folderOf(file))) return {};
  return fail(ErrorCode::unsupported,
              "the model's weights are in files beside it; expected an output in its folder");
}

std::string freedText(const OnnxFile& file) {
  if (file.freed.empty()) return {};
  const std::string sizes = joinText(file.freed, ", ", [](const auto& freed) {
    return fmt::format("'{}' ({})", freed.first, freed.second);
  });
  return fmt::format(
      "the file leaves {} free, so that the runtime keeps no bytes for later tensors "
      "of one shape; inputs are as high as before",
      sizes);
}

}  // namespace hw
