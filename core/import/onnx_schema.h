#pragma once

#include <onnx/onnx_pb.h>

#include <string>
#include <vector>

#include "core/import/small_value.h"

namespace hw {

/// One node and what is known about its inputs, for libonnx.
struct SchemaQuery {
  const onnx::NodeProto& node;
  std::int64_t opset = 0;
  std::vector<const onnx::TypeProto*> types{};  ///< Per input; null: absent or unknown.
  std::vector<const SmallValue*> values{};      ///< Per input; null: not known.
  std::string like{};  ///< The standard op whose rule to ask instead; usually empty.
};

/// What libonnx makes of a node.
struct SchemaAnswer {
  bool isKnownOp = false;                ///< It has a schema for this op type.
  std::vector<onnx::TypeProto> types{};  ///< Per output, as far as it can tell; may be empty.
  std::string refusal{};                 ///< Why the op does not fit its inputs; usually empty.
};

/// Output types by libonnx's own shape inference for this one op. Never throws.
///
/// Node by node, because its whole-model inference gives up on the first op it dislikes, and its
/// data propagation dereferences null on untyped inputs (ONNX 1.12).
SchemaAnswer inferBySchema(const SchemaQuery& query);

}  // namespace hw
