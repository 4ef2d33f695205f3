#pragma once

#include <hw_onnx.pb.h>

#include <optional>

#include "core/graph/graph.h"
#include "core/ops/op_table.h"
#include "core/ops/small_value.h"

namespace hw {

/// The elements of a stored tensor; nothing when it is large, external, stripped or of a type that
/// shapes are not made of.
std::optional<SmallValue> smallValue(const onnx::TensorProto& tensor);

std::optional<SmallValue> smallValue(const onnx::SparseTensorProto& tensor);

/// The elements that a tensor among the attributes of a node gives: `value` or `sparse_value`.
std::optional<SmallValue> attributeValue(const onnx::NodeProto& node);

/// The type of what a Constant makes, or of the fill value of another op, in whatever form it is
/// stored and however large; nothing where the node has none.
std::optional<onnx::TypeProto> attributeType(const onnx::NodeProto& node);

/// Type, name, domain and attributes of a node: numbers, strings and short lists of them. Tensors
/// and graphs are left out. "ai.onnx" and "" are one domain.
Op importOp(const onnx::NodeProto& node);

/// The name of a node for people: its own, or that of its first output.
std::string shownName(const onnx::NodeProto& node);

/// "" for the standard domain, however it is spelt.
std::string normalDomain(const std::string& domain);

/// The special treatment of a node by the importer, from the row of its op.
Special specialOf(const onnx::NodeProto& node);

/// The dimensions of a tensor type, when all of them are known.
std::optional<Shape> staticShape(const onnx::TypeProto& type);

/// Number of TensorProto.DataType of a tensor type; 0 for sequences, maps and the like.
int elementType(const onnx::TypeProto& type);

/// The ONNX number of `dtype`; 0 when it has none.
int elementType(Dtype dtype);

/// A tensor type; without a shape when there is none.
onnx::TypeProto tensorType(int elementType, const std::optional<Shape>& shape);

}  // namespace hw
