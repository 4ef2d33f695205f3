#pragma once

#include <hw_onnx.pb.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/graph/graph.h"
#include "core/import/onnx/dimensions.h"
#include "core/ops/fit/needs.h"
#include "core/ops/op_facts.h"

namespace hw {

/// The type of a value. Copies share one message until one of them is changed.
class SharedType {
 public:
  SharedType() = default;
  SharedType(onnx::TypeProto type)  // NOLINT(google-explicit-constructor): a type is one.
      : type_(std::make_shared<onnx::TypeProto>(std::move(type))) {}

  operator const onnx::TypeProto&() const { return **this; }  // NOLINT(google-explicit-constructor)
  const onnx::TypeProto& operator*() const {
    return type_ ? *type_ : onnx::TypeProto::default_instance();
  }
  const onnx::TypeProto* operator->() const { return &**this; }
  /// To be changed: no other copy sees it.
  onnx::TypeProto& own() {
    if (!type_ || type_.use_count() > 1) type_ = std::make_shared<onnx::TypeProto>(**this);
    return *type_;
  }

 private:
  std::shared_ptr<onnx::TypeProto> type_;
};

/// The facts known about one value of a model before it runs.
struct Knowledge {
  SharedType type{};                          ///< As far as known; dimensions static or unset.
  std::shared_ptr<const SmallValue> value{};  ///< Its elements, for the small ones shapes need.
  bool computed = false;                      ///< The value was worked out from shapes, not stored.
  bool assumed = false;                       ///< A free dimension taken as 1 has a part in it.
  SizeOrigin origin = SizeOrigin::unknown;
  std::string reason{};  ///< Why there is no static shape.
  /// For a dimension that depends on data, the most it can be; -n: no bound is known, and n stands
  /// in. Empty when none does.
  std::vector<std::int64_t> most{};
  /// Of a sequence: the tensors in it, where they are known one by one.
  std::shared_ptr<const std::vector<onnx::TypeProto>> items{};
  const onnx::NodeProto* maker = nullptr;  ///< Null: no node of a graph makes it.
};

/// The values that can be named in one graph; a body sees those of the graphs around it too.
class Scope {
 public:
  explicit Scope(std::shared_ptr<const Scope> outer = nullptr) : outer_(std::move(outer)) {}

  const Knowledge* find(const std::string& name) const {
    const auto found = known_.find(name);
    if (found != known_.end()) return &found->second;
    return outer_ != nullptr ? outer_->find(name) : nullptr;
  }
  void reserve(std::size_t names) { known_.reserve(names); }
  void set(const std::string& name, Knowledge knowledge) {
    known_.insert_or_assign(name, std::move(knowledge));
  }

 private:
  std::shared_ptr<const Scope> outer_;
  std::unordered_map<std::string, Knowledge> known_;
};

/// The way in which a node of control flow runs.
struct BodyRun {
  const onnx::GraphProto* body = nullptr;  ///< The branch that is taken, or what is repeated.
  std::shared_ptr<const Scope> scope{};    ///< The values inside it, in its last turn.
  std::int64_t turns = 1;
  bool isCertain = true;  ///< False: a branch or number of turns that had to be guessed.
};

/// A node that does not take what goes into it, though a guess has a part in that.
struct Misfit {
  const onnx::NodeProto* node = nullptr;
  std::size_t place = 0;  ///< Of the node in the main graph that it is, or is inside of.
  std::vector<SizeNeed> needs{};
};

/// A size to look at while a model is gone through.
struct Watch {
  const onnx::NodeProto* node = nullptr;
  SizeNeed need{};
  std::optional<std::int64_t> size{};  ///< What it was.
};

/// The order in which the nodes of each graph run, worked out once.
using NodeOrders = std::unordered_map<const onnx::GraphProto*, std::vector<std::size_t>>;

/// Works out types and shapes of a whole model, node by node in execution order: first what small
/// tensors hold, then shape rules, then what the file declares.
class ShapeInference {
 public:
  /// `orders` may be shared by several that go through one model.
  ShapeInference(const onnx::ModelProto& model, FreeDimensions& dimensions,
                 std::shared_ptr<NodeOrders> orders = std::make_shared<NodeOrders>());

  /// Knowledge about the values of the main graph.
  std::shared_ptr<const Scope> run();

  /// The same for the first `count` nodes of the main graph, and for what `watch` asks.
  void runUpTo(std::size_t count, Watch* watch);

  /// In the order in which they were met; nodes in bodies may be there more than once.
  const std::vector<Misfit>& misfits() const { return misfits_; }
  /// The number of inputs, weights and nodes that were gone through.
  std::int64_t visits() const { return visits_; }

  /// The runs of nodes of control flow; null for all others, and for those that make no sense.
  const BodyRun* runOf(const onnx::NodeProto& node) const;

  /// The opset of the model for a domain; the newest one there is when the model does not say.
  std::int64_t opset(const std::string& domain) const;

 private:
  using Inputs = std::vector<const Knowledge*>;  ///< Null: absent, or nothing is known.
  using Outputs = std::vector<Knowledge>;

  using SharedScope = std::shared_ptr<Scope>;

  void bindInputs(const onnx::GraphProto& graph, Scope& scope);
  void inferGraph(const onnx::GraphProto& graph, const SharedScope& scope);
  void seedInitializers(const onnx::GraphProto& graph, Scope& scope);
  using Declared = std::unordered_map<std::string_view, Knowledge>;  ///< Names of the model.
  void inferNode(const onnx::NodeProto& node, const SharedScope& scope, const Declared& declared);
  /// The same type, as one message for all values that have it, as long as these are not too many.
  SharedType kept(SharedType type);
  /// Adds what the file, the user and guesses say to what was inferred about an output.
  void complete(Knowledge& known, const std::string& name, const Declared& declared);
  Outputs infer(const onnx::NodeProto& node, const Inputs& inputs, const SharedScope& scope);
  Outputs inferPlain(const onnx::NodeProto& node, const Inputs& inputs, const Scope& scope);
  void lookAt(const onnx::NodeProto& node, const Inputs& inputs, const OpFacts& facts);
  /// Infers what the rules leave open: sequences, sizes that depend on data, reasons for the rest.
  void inferRest(const onnx::NodeProto& node, const Inputs& inputs, const OpFacts& facts,
                 Outputs& outputs);
  Declared declaredTypes(const onnx::GraphProto& graph);

  // Control flow.
  Outputs inferIf(const onnx::NodeProto& node, const Inputs& inputs, const SharedScope& scope);
  Outputs inferLoop(const onnx::NodeProto& node, const Inputs& inputs, const SharedScope& scope);
  Outputs inferScan(const onnx::NodeProto& node, const Inputs& inputs, const SharedScope& scope);
  struct BodyResult {
    Outputs outputs{};
    SharedScope scope{};
  };
  /// The outputs of a body when its inputs, in order, are as given.
  BodyResult inferBody(const onnx::GraphProto& body, const Outputs& inputs,
                       const SharedScope& outer);
  /// A turn with which the shapes agree that a loop carries on: gives up those that change.
  BodyResult settle(const onnx::GraphProto& body, Outputs& start, BodyResult result,
                    const SharedScope& scope);
  struct GrowthPlan {
    std::int64_t turns = 0;
    const SharedScope& scope;
  };
  /// The last of so many turns, when each adds as much as the first two; else `settle`.
  BodyResult grow(const onnx::GraphProto& body, Outputs& start, BodyResult result,
                  const GrowthPlan& plan);

  const onnx::ModelProto& model_;
  FreeDimensions& dimensions_;
  std::unordered_map<std::string, std::int64_t> opsets_;
  std::unordered_map<const onnx::NodeProto*, BodyRun> runs_;
  std::int64_t itemsLeft_;  ///< Tensors of sequences to remember: a few nodes can make many.
  std::int64_t nodesLeft_;  ///< Bodies are inferred several times, nested ones many times.
  std::shared_ptr<NodeOrders> orders_;
  std::unordered_map<std::string, SharedType> types_;  ///< By their bytes.
  std::vector<Misfit> misfits_;
  Watch* watch_ = nullptr;
  std::size_t last_ = static_cast<std::size_t>(-1);  ///< Nodes of the main graph to go through.
  std::size_t place_ = 0;                            ///< The one that it is at.
  std::int64_t visits_ = 0;
};

/// Knowledge of a type only.
Knowledge typed(onnx::TypeProto type, SizeOrigin origin = SizeOrigin::inferred);

/// The subgraph attribute `name`; null when the node has none.
const onnx::GraphProto* bodyOf(const onnx::NodeProto& node, const std::string& name);

/// True when both shapes are known and equal.
bool hasSameShape(const Knowledge& a, const Knowledge& b);

bool hasRank(const onnx::TypeProto& type);

/// Takes from what the file declares the dimensions that a rule leaves open. A declaration of
/// another rank, of other sizes, or of more than there can be is none.
void fillFrom(const Knowledge& declared, Knowledge& known);

/// The type of an output whose dimensions depend on data, those left open.
Knowledge openKnowledge(const OpenFacts& facts);

/// The rest of `known` when its shape and value may differ from run to run.
Knowledge withoutShape(const Knowledge& known, std::string reason);
Knowledge withoutValue(Knowledge known);

/// The number of turns that a loop takes.
struct TurnCount {
  std::optional<std::int64_t> exact{};
  std::int64_t most = -1;  ///< -1: no bound is known.
};

/// `row` once a turn, with the turns as one more dimension at `axis`.
Knowledge stacked(const Knowledge& row, const TurnCount& turns, std::int64_t axis);

/// The known value of a condition.
std::optional<bool> truth(const Knowledge* known);

}  // namespace hw
