#include "core/import/onnx/scopes.h"

#include <unordered_map>
#include <unordered_set>

#include "core/graph/traversal.h"

namespace hw {
namespace {

/// Distinct names in order of arrival.
class NameList {
 public:
  void add(const std::string& name) {
    if (!name.empty() && seen_.insert(name).second) names_.push_back(name);
  }
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::vector<std::string> names_;
  std::unordered_set<std::string> seen_;
};

std::unordered_set<std::string> definedNames(const onnx::GraphProto& graph) {
  std::unordered_set<std::string> names;
  for (const auto& input : graph.input()) names.insert(input.name());
  for (const auto& tensor : graph.initializer()) names.insert(tensor.name());
  for (const auto& tensor : graph.sparse_initializer()) names.insert(tensor.values().name());
  for (const auto& node : graph.node()) names.insert(node.output().begin(), node.output().end());
  return names;
}

void collectCaptures(const onnx::NodeProto& node, NameList& captures);

/// Nesting is bounded by the reader (see withoutPayloads).
void collectFreeNames(const onnx::GraphProto& graph, NameList& free) {
  NameList read;
  for (const auto& node : graph.node()) {
    for (const std::string& name : node.input()) read.add(name);
    collectCaptures(node, read);
  }
  for (const auto& output : graph.output()) read.add(output.name());
  const auto defined = definedNames(graph);
  for (const std::string& name : read.names()) {
    if (!defined.contains(name)) free.add(name);
  }
}

void collectCaptures(const onnx::NodeProto& node, NameList& captures) {
  for (const auto& attribute : node.attribute()) {
    if (attribute.has_g()) collectFreeNames(attribute.g(), captures);
    for (const auto& graph : attribute.graphs()) collectFreeNames(graph, captures);
  }
}

}  // namespace

std::vector<std::string> capturedNames(const onnx::NodeProto& node) {
  NameList captures;
  collectCaptures(node, captures);
  return captures.names();
}

std::vector<std::size_t> executionOrder(const onnx::GraphProto& graph) {
  const auto count = static_cast<std::size_t>(graph.node_size());
  std::unordered_map<std::string_view, std::size_t> producers;
  producers.reserve(count);
  for (std::size_t node = 0; node < count; ++node) {
    for (const std::string& name : graph.node(static_cast<int>(node)).output()) {
      producers.emplace(name, node);
    }
  }
  std::vector<OrderConstraint> constraints;
  const auto constrain = [&](const std::string& name, std::size_t reader) {
    const auto found = producers.find(name);
    if (!name.empty() && found != producers.end()) constraints.emplace_back(found->second, reader);
  };
  for (std::size_t node = 0; node < count; ++node) {
    const onnx::NodeProto& proto = graph.node(static_cast<int>(node));
    for (const std::string& name : proto.input()) constrain(name, node);
    for (const std::string& name : capturedNames(proto)) constrain(name, node);
  }
  std::vector<std::size_t> order = stableOrder(count, constraints);
  std::vector<bool> placed(count);
  for (const std::size_t node : order) placed[node] = true;
  for (std::size_t node = 0; node < count; ++node) {
    if (!placed[node]) order.push_back(node);
  }
  return order;
}

}  // namespace hw
