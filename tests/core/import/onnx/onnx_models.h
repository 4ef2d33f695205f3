#pragma once

#include <onnx/onnx_pb.h>

#include <string>
#include <vector>

#include "core/import/importer.h"

namespace hw {

/// An ONNX model put together in memory, one call an item.
class OnnxModel {
 public:
  explicit OnnxModel(std::int64_t opset = 13) {
    model.set_ir_version(8);
    model.mutable_graph()->set_name("test");
    if (opset > 0) model.add_opset_import()->set_version(opset);
  }

  onnx::GraphProto& graph() { return *model.mutable_graph(); }
  std::string bytes() const { return model.SerializeAsString(); }
  Result<Model> load(const ImportOptions& options = {}) const {
    return importModel(bytes(), "test.onnx", options);
  }

  onnx::ModelProto model;
};

/// Dimensions: a number, or a name for a free one; "" has neither.
using Dims = std::vector<std::string>;

inline void setType(onnx::TypeProto& type, int elementType, const Dims& dims) {
  type.mutable_tensor_type()->set_elem_type(elementType);
  auto& shape = *type.mutable_tensor_type()->mutable_shape();
  for (const std::string& dim : dims) {
    auto& added = *shape.add_dim();
    if (dim.empty()) continue;
    if (dim.find_first_not_of("-0123456789") == std::string::npos) {
      added.set_dim_value(std::stoll(dim));
    } else {
      added.set_dim_param(dim);
    }
  }
}

inline onnx::ValueInfoProto valueInfo(const std::string& name, const Dims& dims,
                                      int elementType = onnx::TensorProto::FLOAT) {
  onnx::ValueInfoProto info;
  info.set_name(name);
  setType(*info.mutable_type(), elementType, dims);
  return info;
}

inline void addInput(onnx::GraphProto& graph, const std::string& name, const Dims& dims,
                     int elementType = onnx::TensorProto::FLOAT) {
  *graph.add_input() = valueInfo(name, dims, elementType);
}

inline void addOutput(onnx::GraphProto& graph, const std::string& name) {
  graph.add_output()->set_name(name);
}

/// Of a graph, or of a function.
template <class Body>
onnx::NodeProto& addNode(Body& body, const std::string& type,
                         const std::vector<std::string>& inputs,
                         const std::vector<std::string>& outputs) {
  onnx::NodeProto& node = *body.add_node();
  node.set_op_type(type);
  for (const std::string& name : inputs) node.add_input(name);
  for (const std::string& name : outputs) node.add_output(name);
  return node;
}

inline onnx::AttributeProto& addAttribute(onnx::NodeProto& node, const std::string& name,
                                          onnx::AttributeProto::AttributeType type) {
  onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(type);
  return attribute;
}

inline void setInt(onnx::NodeProto& node, const std::string& name, std::int64_t value) {
  addAttribute(node, name, onnx::AttributeProto::INT).set_i(value);
}

inline void setInts(onnx::NodeProto& node, const std::string& name,
                    const std::vector<std::int64_t>& values) {
  auto& attribute = addAttribute(node, name, onnx::AttributeProto::INTS);
  for (const std::int64_t value : values) attribute.add_ints(value);
}

inline onnx::GraphProto& addBody(onnx::NodeProto& node, const std::string& name) {
  return *addAttribute(node, name, onnx::AttributeProto::GRAPH).mutable_g();
}

/// A weight without elements, as stripped models have it.
inline onnx::TensorProto& addWeight(onnx::GraphProto& graph, const std::string& name,
                                    const std::vector<std::int64_t>& shape,
                                    int elementType = onnx::TensorProto::FLOAT) {
  onnx::TensorProto& tensor = *graph.add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(elementType);
  for (const std::int64_t size : shape) tensor.add_dims(size);
  return tensor;
}

/// A stored list of integers.
inline void addIntegers(onnx::GraphProto& graph, const std::string& name,
                        const std::vector<std::int64_t>& values) {
  auto& tensor =
      addWeight(graph, name, {static_cast<std::int64_t>(values.size())}, onnx::TensorProto::INT64);
  for (const std::int64_t value : values) tensor.add_int64_data(value);
}

/// The tensor called `name`; a default one when there is none.
inline Tensor tensorNamed(const Model& model, const std::string& name) {
  for (const Tensor& tensor : model.graph->tensors) {
    if (tensor.name == name) return tensor;
  }
  return {};
}

}  // namespace hw
