#include "core/import/onnx/functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "core/base/text.h"
#include "core/import/onnx/values.h"

namespace hw {
namespace {

using Nodes = google::protobuf::RepeatedPtrField<onnx::NodeProto>;

/// The names outside of a function for those inside.
using Renaming = std::unordered_map<std::string, std::string>;

const onnx::AttributeProto* attributeOf(const onnx::NodeProto& node, const std::string& name) {
  const auto found = std::ranges::find(node.attribute(), name, &onnx::AttributeProto::name);
  return found == node.attribute().end() ? nullptr : &*found;
}

/// One call on its way into the graph: how names and attributes of the body translate.
class Call {
 public:
  Call(const onnx::NodeProto& node, const onnx::FunctionProto& function, std::string prefix)
      : node_(node), function_(function), prefix_(std::move(prefix)) {
    for (int i = 0; i < function.input_size(); ++i) {
      names_[function.input(i)] = i < node.input_size() ? node.input(i) : std::string();
    }
    for (int i = 0; i < function.output_size() && i < node.output_size(); ++i) {
      if (node.output(i).empty()) continue;
      const auto [place, isNew] = names_.emplace(function.output(i), node.output(i));
      if (!isNew) passed_.emplace_back(place->second, node.output(i));
    }
  }

  /// The function's nodes as they appear in the caller's graph.
  void appendTo(Nodes& nodes) {
    for (const onnx::NodeProto& inner : function_.node()) {
      onnx::NodeProto& copy = *nodes.Add();
      copy = inner;
      translate(copy, names_);
    }
    for (const auto& [from, to] : passed_) {  // An input handed on as an output.
      onnx::NodeProto& copy = *nodes.Add();
      copy.set_op_type("Identity");
      copy.add_input(from);
      copy.add_output(to);
    }
  }

 private:
  std::string renamed(const std::string& name, const Renaming& names) const {
    if (name.empty()) return name;
    const auto found = names.find(name);
    return found != names.end() ? found->second : prefix_ + name;
  }

  void translate(onnx::NodeProto& node, const Renaming& names) const {
    for (std::string& name : *node.mutable_input()) name = renamed(name, names);
    for (std::string& name : *node.mutable_output()) name = renamed(name, names);
    if (!node.name().empty()) node.set_name(prefix_ + node.name());
    google::protobuf::RepeatedPtrField<onnx::AttributeProto> attributes;
    for (onnx::AttributeProto& attribute : *node.mutable_attribute()) {
      if (attribute.ref_attr_name().empty()) {
        if (attribute.has_g()) translate(*attribute.mutable_g(), names);
        for (auto& graph : *attribute.mutable_graphs()) translate(graph, names);
        *attributes.Add() = std::move(attribute);
      } else if (const auto* given = attributeOf(node_, attribute.ref_attr_name())) {
        onnx::AttributeProto& copy = *attributes.Add();
        copy = *given;
        copy.set_name(attribute.name());
      }
    }
    node.mutable_attribute()->Swap(&attributes);
  }

  /// A body inside the function: what it defines itself hides the function's names.
  void translate(onnx::GraphProto& graph, Renaming names) const {
    const auto define = [&](const std::string& name) { names[name] = prefix_ + name; };
    for (const auto& input : graph.input()) define(input.name());
    for (const auto& tensor : graph.initializer()) define(tensor.name());
    for (const auto& node : graph.node()) std::ranges::for_each(node.output(), define);
    names.erase("");
    for (auto& input : *graph.mutable_input()) input.set_name(renamed(input.name(), names));
    for (auto& tensor : *graph.mutable_initializer()) {
      tensor.set_name(renamed(tensor.name(), names));
    }
    for (auto& node : *graph.mutable_node()) translate(node, names);
    for (auto& output : *graph.mutable_output()) output.set_name(renamed(output.name(), names));
    for (auto& info : *graph.mutable_value_info()) info.set_name(renamed(info.name(), names));
  }

  const onnx::NodeProto& node_;
  const onnx::FunctionProto& function_;
  std::string prefix_;
  Renaming names_;
  std::vector<std::pair<std::string, std::string>> passed_;
};

class Inliner {
 public:
  explicit Inliner(const onnx::ModelProto& model) {
    for (const auto& function : model.functions()) {
      functions_.try_emplace({normalDomain(function.domain()), function.name()}, &function);
    }
  }

  /// Bodies and calls both add to the depth: together they bound the nesting of the result.
  bool inlineInto(onnx::GraphProto& graph, int depth = 0) {
    Nodes nodes;
    for (onnx::NodeProto& node : *graph.mutable_node()) {
      if (!append(std::move(node), nodes, depth)) return false;
    }
    graph.mutable_node()->Swap(&nodes);
    return true;
  }

  int calls() const { return calls_; }

 private:
  /// Adds a node, or what its function is made of; false when that does not come to an end.
  bool append(onnx::NodeProto&& node, Nodes& nodes, int depth) {
    constexpr int kDeepest = 96;
    constexpr int kMostNodes = 300'000;
    if (depth > kDeepest || ++nodes_ > kMostNodes) return false;
    const auto found = functions_.find({normalDomain(node.domain()), node.op_type()});
    if (found == functions_.end()) {
      for (auto& attribute : *node.mutable_attribute()) {
        if (attribute.has_g() && !inlineInto(*attribute.mutable_g(), depth + 1)) return false;
      }
      *nodes.Add() = std::move(node);
      return true;
    }
    Nodes inner;
    Call(node, *found->second, fmt::format("{}#{}/", node.op_type(), ++calls_)).appendTo(inner);
    for (onnx::NodeProto& copy : inner) {
      if (!append(std::move(copy), nodes, depth + 1)) return false;
    }
    return true;
  }

  std::map<std::pair<std::string, std::string>, const onnx::FunctionProto*> functions_;
  int calls_ = 0;
  int nodes_ = 0;
};

/// Functions may use domains that the model itself does not import.
void addMissingImports(onnx::ModelProto& model) {
  std::unordered_set<std::string> known;
  for (const auto& import : model.opset_import()) known.insert(normalDomain(import.domain()));
  for (const auto& function : model.functions()) {
    for (const auto& import : function.opset_import()) {
      if (known.insert(normalDomain(import.domain())).second) *model.add_opset_import() = import;
    }
  }
}

}  // namespace

Result<int> inlineFunctions(onnx::ModelProto& model) {
  if (model.functions_size() == 0) return 0;
  addMissingImports(model);
  Inliner inliner(model);
  if (!inliner.inlineInto(*model.mutable_graph())) {
    return fail(ErrorCode::malformed,
                "the model's functions call each other without end, or make too many operators");
  }
  return inliner.calls();
}

}  // namespace hw
