#include "tests/fuzz/mutators.h"

#include <onnx/onnx_pb.h>

#include <array>
#include <cstring>
#include <random>
#include <vector>

#include "core/ops/op_table.h"

namespace hw::fuzz {
namespace {

/// The numbers that readers trip over.
constexpr std::array<std::int64_t, 16> kTelling = {
    0, 1, 2, 3, 4, 5, 8, 64, -1, -2, 255, 65'535, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN};

class OnnxMutator {
  template <class List>
  auto& anyOf(List& list) {
    return list[static_cast<int>(pick(static_cast<std::size_t>(list.size())))];
  }

 public:
  explicit OnnxMutator(std::uint32_t seed) : random_(seed) {}

  void change(onnx::GraphProto& graph) {
    gather(graph);
    const std::size_t edits = 1 + pick(4);
    for (std::size_t i = 0; i < edits; ++i) {
      switch (pick(7)) {
        case 0:
        case 1:
          if (graph.node_size() > 0) changeNode(nodeOf(graph));
          break;
        case 2:
          if (graph.input_size() > 0) changeType(*anyOf(*graph.mutable_input()).mutable_type());
          break;
        case 3:
          if (graph.initializer_size() > 0) changeWeight(anyOf(*graph.mutable_initializer()));
          break;
        case 4:
          if (graph.value_info_size() > 0) {
            changeType(*anyOf(*graph.mutable_value_info()).mutable_type());
          }
          break;
        case 5:
          changeList(graph);
          break;
        default:
          if (graph.node_size() > 0) wrap(graph);
      }
    }
  }

 private:
  std::size_t pick(std::size_t count) { return random_() % count; }
  std::int64_t number() { return kTelling[pick(kTelling.size())]; }

  /// The names in sight, so that edges lead somewhere.
  void gather(const onnx::GraphProto& graph) {
    names_ = {""};
    for (const auto& input : graph.input()) names_.push_back(input.name());
    for (const auto& weight : graph.initializer()) names_.push_back(weight.name());
    for (const auto& node : graph.node()) {
      names_.insert(names_.end(), node.output().begin(), node.output().end());
    }
  }
  const std::string& name() { return names_[pick(names_.size())]; }

  /// A node here or in a body.
  onnx::NodeProto& nodeOf(onnx::GraphProto& graph) {
    onnx::NodeProto& node = anyOf(*graph.mutable_node());
    for (auto& attribute : *node.mutable_attribute()) {
      if (attribute.has_g() && attribute.g().node_size() > 0 && pick(2) == 0) {
        return nodeOf(*attribute.mutable_g());
      }
    }
    return node;
  }

  void changeNode(onnx::NodeProto& node) {
    const std::string_view type = opTable()[pick(opTable().size())].type;
    switch (pick(7)) {
      case 0:
        node.set_op_type(std::string(type));
        node.clear_domain();
        break;
      case 1:
        if (node.input_size() > 0) anyOf(*node.mutable_input()) = name();
        break;
      case 2:
        node.add_input(name());
        break;
      case 3:
        if (node.input_size() > 0) node.mutable_input()->RemoveLast();
        break;
      case 4:
        node.add_output("more" + std::to_string(random_() % 1000));
        break;
      case 5:
        if (node.attribute_size() > 0) changeAttribute(anyOf(*node.mutable_attribute()));
        break;
      default:
        if (node.attribute_size() > 0) node.mutable_attribute()->RemoveLast();
    }
  }

  void changeAttribute(onnx::AttributeProto& attribute) {
    if (attribute.has_t()) return changeWeight(*attribute.mutable_t());
    if (attribute.has_g()) return change(*attribute.mutable_g());
    if (attribute.ints_size() == 0) return attribute.set_i(number());
    switch (pick(3)) {
      case 0:
        attribute.add_ints(number());
        break;
      case 1:
        attribute.mutable_ints()->RemoveLast();
        break;
      default:
        anyOf(*attribute.mutable_ints()) = number();
    }
  }

  void changeType(onnx::TypeProto& type) {
    auto& tensor = *type.mutable_tensor_type();
    if (pick(4) == 0) tensor.set_elem_type(static_cast<int>(pick(26)));
    auto& dims = *tensor.mutable_shape()->mutable_dim();
    if (pick(3) == 0 || dims.empty()) return dims.Add()->set_dim_value(number());
    if (pick(4) == 0) return dims.RemoveLast();
    auto& dim = anyOf(dims);
    if (pick(2) == 0) return dim.set_dim_value(number());
    constexpr std::array kNames = {"n", "batch", "n+1", "2*n", "(n-1)//2", "n*n", "?", "n//0"};
    dim.set_dim_param(kNames[pick(kNames.size())]);
  }

  void changeWeight(onnx::TensorProto& tensor) {
    switch (pick(4)) {
      case 0:
        tensor.add_dims(number());
        break;
      case 1:
        if (tensor.dims_size() > 0) tensor.mutable_dims()->RemoveLast();
        break;
      case 2:
        tensor.set_data_type(static_cast<int>(pick(26)));
        break;
      default:
        if (tensor.int64_data_size() > 0) anyOf(*tensor.mutable_int64_data()) = number();
    }
  }

  /// Nodes doubled, dropped or swapped; another opset would do as well, but that is one byte.
  void changeList(onnx::GraphProto& graph) {
    auto& nodes = *graph.mutable_node();
    if (nodes.empty()) return;
    switch (pick(3)) {
      case 0: {
        onnx::NodeProto twin = anyOf(nodes);
        for (auto& output : *twin.mutable_output()) output += "_";
        *nodes.Add() = std::move(twin);
        break;
      }
      case 1:
        nodes.DeleteSubrange(static_cast<int>(pick(static_cast<std::size_t>(nodes.size()))), 1);
        break;
      default:
        nodes.SwapElements(static_cast<int>(pick(static_cast<std::size_t>(nodes.size()))),
                           static_cast<int>(pick(static_cast<std::size_t>(nodes.size()))));
    }
  }

  /// A node moves into the body of a new one around it.
  void wrap(onnx::GraphProto& graph) {
    onnx::NodeProto& node = anyOf(*graph.mutable_node());
    onnx::NodeProto inner = node;
    const std::vector<std::string> outputs(node.output().begin(), node.output().end());
    constexpr std::array kTypes = {"If", "Loop", "Scan"};
    const std::size_t kind = pick(kTypes.size());
    node.clear_attribute();
    node.clear_domain();
    node.clear_input();
    node.set_op_type(kTypes[kind]);
    node.add_input(name());
    if (kind == 1) node.add_input(name());
    for (const char* attribute : {"then_branch", "else_branch", "body"}) {
      if ((kind == 0) == (std::strcmp(attribute, "body") == 0)) continue;
      auto& added = *node.add_attribute();
      added.set_name(attribute);
      added.set_type(onnx::AttributeProto::GRAPH);
      *added.mutable_g()->add_node() = inner;
      for (const std::string& output : outputs) added.mutable_g()->add_output()->set_name(output);
    }
    if (kind == 2) {
      auto& scanned = *node.add_attribute();
      scanned.set_name("num_scan_inputs");
      scanned.set_i(number());
    }
  }

  std::mt19937 random_;
  std::vector<std::string> names_;
};

}  // namespace

std::string mutatedOnnx(std::string_view bytes, std::uint32_t seed) {
  onnx::ModelProto model;
  if (!model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return {};
  OnnxMutator(seed).change(*model.mutable_graph());
  return model.SerializeAsString();
}

std::string mutatedFlatbuffer(std::string_view bytes, std::uint32_t seed) {
  std::string changed(bytes);
  const std::size_t words = changed.size() / sizeof(std::int32_t);
  if (words == 0) return changed;
  std::mt19937 random(seed);
  const auto placeOf = [](std::size_t word) { return word * sizeof(std::int32_t); };
  const std::size_t edits = 1 + random() % 4;
  for (std::size_t i = 0; i < edits; ++i) {
    const std::size_t at = random() % words;
    std::int32_t word = 0;
    std::memcpy(&word, changed.data() + placeOf(at), sizeof word);
    switch (random() % 4) {
      case 0:
        word = static_cast<std::int32_t>(kTelling[random() % kTelling.size()]);
        break;
      case 1:
        std::memcpy(&word, changed.data() + placeOf(random() % words), sizeof word);
        break;
      case 2:
        word = static_cast<std::int32_t>(random() % 256);
        break;
      default:
        word ^= static_cast<std::int32_t>(1U << (random() % 32));
    }
    std::memcpy(changed.data() + placeOf(at), &word, sizeof word);
  }
  return changed;
}

}  // namespace hw::fuzz
