#pragma once

#include <hw_onnx.pb.h>

#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/import/onnx/inference.h"
#include "core/rewrite/graph_builder.h"

namespace hw {

/// Turns a model whose shapes have been inferred into a Graph.
///
/// Control flow is opened, unless it is to stay closed: the branch of an If that is taken stands in
/// its place, and one turn of a Loop or Scan stands between two ops,
///
///   Loop     (count, condition, initial values) -> values of a turn, room for the stacked rows
///   ...      the body; what it reads from outside stays alive until the end
///   LoopEnd  (values after the turn, rows) -> final values
///
/// so that what is needed inside is seen, sized and placed. `turns` says how often it runs.
class OnnxGraphReader {
 public:
  OnnxGraphReader(const onnx::ModelProto& model, const ShapeInference& inference, bool closed);

  /// `openValues`: inputs of one number whose value might have settled a guess.
  Result<Graph> read(std::shared_ptr<const Scope> scope, const std::vector<std::string>& notes,
                     const std::vector<std::string>& openValues) &&;

 private:
  using Handle = GraphBuilder::Handle;
  using Handles = std::vector<Handle>;
  /// One graph of the model: its names hide those of the graphs around it.
  struct Level {
    const onnx::GraphProto& graph;
    std::shared_ptr<const Scope> scope{};
    const Level* outer = nullptr;
    std::string prefix{};  ///< Of names of tensors and ops.
    std::string where{};   ///< For errors: "graph.node[3].then_branch".
    std::int64_t turns = 1;
    std::unordered_map<std::string_view, Handle> handles{};  ///< By names in the model.
    std::unordered_set<std::string_view> weights{};
  };

  static Result<void> checkWeights(const Level& level);
  Handle addValue(Level& level, const std::string& name, bool constant = false);
  void addInputs(Level& level);
  /// Makes all names of a graph known; nodes may come in any order.
  Result<void> declare(Level& level);
  Result<void> addNodes(Level& level);
  Result<void> addNode(Level& level, const onnx::NodeProto& node, const std::string& where);
  Result<void> addOp(const Level& level, GraphBuilder::OpParts parts);

  bool opens(const onnx::NodeProto& node, const BodyRun* run) const;
  Level innerLevel(const Level& level, const onnx::NodeProto& node, const BodyRun& run,
                   const std::string& where);
  Result<void> openBranch(Level& level, const onnx::NodeProto& node, const BodyRun& run,
                          const std::string& where);
  Result<void> openLoop(Level& level, const onnx::NodeProto& node, const BodyRun& run,
                        const std::string& where);
  void noteGuess(const onnx::NodeProto& node, const BodyRun& run);

  static Handle find(const Level& level, const std::string& name);
  Result<Handles> handlesOf(const Level& level, const std::vector<std::string>& names,
                            const onnx::NodeProto& node, const std::string& where) const;
  std::string uniquePrefix(const Level& level, const onnx::NodeProto& node);

  const onnx::ModelProto& model_;
  const ShapeInference& inference_;
  bool closed_;
  GraphBuilder builder_;
  std::unordered_set<std::string> prefixes_;
  std::vector<std::string> guesses_;
};

}  // namespace hw
