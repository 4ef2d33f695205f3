#pragma once

#include <string>
#include <vector>

#include "core/graph/graph.h"
#include "core/sim/cost_model.h"

namespace hw::test {

/// A graph of one op with operands of given shapes, named in0, in1, ..., out0, ...
class OpSample {
 public:
  OpSample(const std::string& type, const std::vector<Shape>& inputs,
           const std::vector<Shape>& outputs) {
    Op op;
    op.type = type;
    for (const Shape& shape : inputs) op.inputs.push_back(add("in", op.inputs.size(), shape));
    for (const Shape& shape : outputs) op.outputs.push_back(add("out", op.outputs.size(), shape));
    graph_.ops.add(std::move(op));
  }

  void attribute(const std::string& key, AttributeValue value) {
    op().attributes[key] = std::move(value);
  }
  Op& op() { return graph_.ops[OpId(0)]; }
  Tensor& tensor(const std::string& name) {
    for (Tensor& tensor : graph_.tensors) {
      if (tensor.name == name) return tensor;
    }
    return *graph_.tensors.begin();
  }
  Work work() const { return workOf(graph_, OpId(0)); }

 private:
  TensorId add(const std::string& role, std::size_t index, const Shape& shape) {
    Tensor tensor;
    tensor.name = role + std::to_string(index);
    tensor.dtype = Dtype::float32;
    tensor.shape = shape;
    return graph_.tensors.add(std::move(tensor));
  }

  Graph graph_;
};

}  // namespace hw::test
