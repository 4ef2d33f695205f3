#include "tests/support/fold_graphs.h"

#include <algorithm>
#include <random>

#include "core/rewrite/graph_rewriter.h"
#include "tests/support/image_graphs.h"
#include "tests/support/must.h"

namespace hw::test {
namespace {

/// A graph with more ops behind its own.
class FoldAdder {
 public:
  explicit FoldAdder(const Graph& graph)
      : graph_(graph),
        last_(std::ranges::any_of(graph.ops, [](const Op& op) { return op.domain == "tflite"; })) {
    for (const Tensor& tensor : graph.tensors) builder_.addTensor(unlinkedTensor(tensor));
    for (const OpId op : graph.ops.keys()) builder_.addOp(numberedOp(graph, op));
    for (const TensorId input : graph.inputs) builder_.addInput(input.index());
  }

  void keepOutputs() {
    for (const TensorId output : graph_.outputs) builder_.addOutput(output.index());
  }

  void add(const FoldOf& fold) {
    const Handle image = fold.image.index();
    Handle made = folded(image, fold.how);
    if (fold.then == FoldOf::Then::mapped) {
      made = op(named("Relu", "RELU"), {made}, *builder_.tensor(made).shape);
    }
    if (fold.then == FoldOf::Then::added) {
      made = op(named("Add", "ADD"), {image, made}, *builder_.tensor(image).shape);
    }
    builder_.addOutput(made);
  }

  Graph build() && { return test::must(std::move(builder_).build()); }

 private:
  using Handle = GraphBuilder::Handle;
  using List = std::vector<std::int64_t>;

  Op named(const char* standard, const char* tflite) const {
    Op op{.name = "f" + std::to_string(builder_.opCount()),
          .type = last_ ? tflite : standard,
          .domain = last_ ? "tflite" : ""};
    if (last_) op.attributes["channels_last"] = std::int64_t{1};
    return op;
  }

  Handle tensor(const Shape& shape, Dtype dtype, bool constant = false) {
    return builder_.addTensor({.name = "s" + std::to_string(builder_.tensorCount()),
                               .dtype = dtype,
                               .shape = shape,
                               .bytes = packedSize(dtype, *elementCount(shape)),
                               .constant = constant});
  }

  Handle op(Op op, std::vector<Handle> inputs, const Shape& made) {
    const Handle output = tensor(made, builder_.tensor(inputs[0]).dtype);
    builder_.addOp({.op = std::move(op), .inputs = std::move(inputs), .outputs = {output}});
    return output;
  }

  Handle folded(Handle from, Folding how) {
    Shape made = *builder_.tensor(from).shape;
    const std::size_t first = last_ ? 1 : 2;
    const List kernel = {made[first], made[first + 1]};
    made[first] = 1;
    if (how != Folding::rows) made[first + 1] = 1;
    if (how == Folding::pool) {
      Op pool = named("AveragePool", "AVERAGE_POOL_2D");
      pool.attributes["kernel_shape"] = kernel;
      pool.attributes["auto_pad"] = std::string("VALID");
      return op(std::move(pool), {from}, made);
    }
    if (how == Folding::average && !last_) return op(named("GlobalAveragePool", ""), {from}, made);
    if (how == Folding::flatMean) {
      const auto gone = made.begin() + static_cast<std::ptrdiff_t>(first);
      made.erase(gone, gone + 2);
    }
    const bool largest = how == Folding::largest;
    Op fold = named(largest ? "ReduceMax" : "ReduceMean", largest ? "REDUCE_MAX" : "MEAN");
    return op(std::move(fold), {from, tensor({2}, Dtype::int32, true)}, made);
  }

  const Graph& graph_;
  bool last_;
  GraphBuilder builder_{"folds", "test"};
};

}  // namespace

Graph withFolds(const Graph& graph, const std::vector<FoldOf>& folds, bool keep) {
  FoldAdder adder(graph);
  if (keep) adder.keepOutputs();
  for (const FoldOf& fold : folds) adder.add(fold);
  return std::move(adder).build();
}

Graph randomFolds(std::uint64_t seed, std::size_t ops) {
  const Graph graph = randomImages(seed, ops);
  std::mt19937_64 draw(seed);
  std::vector<FoldOf> folds;
  for (const TensorId id : graph.tensors.keys()) {
    const Tensor& tensor = graph.tensors[id];
    if (tensor.constant || !tensor.shape || tensor.shape->size() != 4) continue;
    const bool handedOut = std::ranges::count(graph.outputs, id) > 0;
    if (!handedOut && draw() % 5 > 0) continue;
    const auto how = static_cast<Folding>(draw() % 6);
    auto then = static_cast<FoldOf::Then>(draw() % 3);
    // With fewer axes it is no longer clear which belong together.
    if (how == Folding::flatMean && then == FoldOf::Then::added) then = FoldOf::Then::mapped;
    folds.push_back({id, how, then});
  }
  return withFolds(graph, folds, seed % 4 == 0);
}

}  // namespace hw::test
