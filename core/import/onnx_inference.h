#pragma once

#include <onnx/onnx_pb.h>

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/graph/graph.h"
#include "core/import/onnx_dimensions.h"
#include "core/import/onnx_schema.h"
#include "core/import/small_value.h"

namespace hw {

/// What is known about one value of a model before it runs.
struct Knowledge {
  onnx::TypeProto type{};                     ///< As far as known; dimensions static or unset.
  std::shared_ptr<const SmallValue> value{};  ///< Its elements, for the small ones shapes need.
  bool computed = false;                      ///< The value was worked out from shapes, not stored.
  bool assumed = false;                       ///< A free dimension taken as 1 has a part in it.
  SizeOrigin origin = SizeOrigin::unknown;
  std::string reason{};  ///< Why there is no static shape.
};

/// The values that can be named in one graph; a body sees those of the graphs around it too.
class Scope {
 public:
  explicit Scope(const Scope* outer = nullptr) : outer_(outer) {}

  const Knowledge* find(const std::string& name) const {
    const auto found = known_.find(name);
    if (found != known_.end()) return &found->second;
    return outer_ != nullptr ? outer_->find(name) : nullptr;
  }
  void set(const std::string& name, Knowledge knowledge) {
    known_.insert_or_assign(name, std::move(knowledge));
  }

 private:
  const Scope* outer_;
  std::unordered_map<std::string, Knowledge> known_;
};

/// Works out types and shapes of a whole model, node by node in execution order: first what small
/// tensors hold, then our own shape rules, then libonnx's, then what the file declares.
class ShapeInference {
 public:
  ShapeInference(const onnx::ModelProto& model, FreeDimensions& dimensions);

  /// Knowledge about the values of the main graph.
  Scope run();

  /// The opset of the model for a domain; the newest one there is when the model does not say.
  std::int64_t opset(const std::string& domain) const;

 private:
  using Inputs = std::vector<const Knowledge*>;  ///< Null: absent, or nothing is known.
  using Outputs = std::vector<Knowledge>;

  void inferGraph(const onnx::GraphProto& graph, Scope& scope);
  void seedInitializers(const onnx::GraphProto& graph, Scope& scope);
  void inferNode(const onnx::NodeProto& node, Scope& scope,
                 const std::unordered_map<std::string, Knowledge>& declared);
  Outputs infer(const onnx::NodeProto& node, const Inputs& inputs, const Scope& scope);
  Outputs inferPlain(const onnx::NodeProto& node, const Inputs& inputs);
  std::unordered_map<std::string, Knowledge> declaredTypes(const onnx::GraphProto& graph);

  // Control flow.
  Outputs inferIf(const onnx::NodeProto& node, const Inputs& inputs, const Scope& scope);
  Outputs inferLoop(const onnx::NodeProto& node, const Inputs& inputs, const Scope& scope);
  Outputs inferScan(const onnx::NodeProto& node, const Inputs& inputs, const Scope& scope);
  /// What the outputs of a body are when its inputs, in order, are as given.
  Outputs inferBody(const onnx::GraphProto& body, const Outputs& inputs, const Scope& outer);

  const onnx::ModelProto& model_;
  FreeDimensions& dimensions_;
  std::unordered_map<std::string, std::int64_t> opsets_;
  std::int64_t nodesLeft_;  ///< Bodies are inferred several times, nested ones many times.
};

/// Knowledge of a type only.
Knowledge typed(onnx::TypeProto type, SizeOrigin origin = SizeOrigin::inferred);

/// The subgraph attribute `name`; null when the node has none.
const onnx::GraphProto* bodyOf(const onnx::NodeProto& node, const std::string& name);

}  // namespace hw
