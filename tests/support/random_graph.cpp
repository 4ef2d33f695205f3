#include <algorithm>

#include "core/rewrite/graph_builder.h"
#include "tests/support/graphs.h"
#include "tests/support/must.h"
#include "tests/support/printers.h"
#include "tests/support/problems.h"

namespace hw::test {
namespace {

using Handle = GraphBuilder::Handle;

/// Grows a graph op by op. Shapes are [batch, rows, 4] of bytes, or [n] after a reshape.
class GraphGrower {
 public:
  explicit GraphGrower(std::uint64_t seed) : dice_(seed), builder_("random", "test") {}

  Graph grow(std::size_t ops) {
    const std::int64_t inputs = dice_.roll(1, 3);
    for (std::int64_t i = 0; i < inputs; ++i) {
      const Handle handle = add({batch(), dice_.roll(1, 16), 4});
      builder_.addInput(handle);
      if (dice_.chance(10)) builder_.addOutput(handle);
    }
    for (std::size_t i = 0; i < ops; ++i) growOp();
    const std::int64_t outputs = dice_.roll(1, 3);
    for (std::int64_t i = 0; i < outputs; ++i) builder_.addOutput(recent());
    return test::must(std::move(builder_).build());
  }

 private:
  std::int64_t batch() { return dice_.chance(75) ? 1 : 2; }

  Handle add(const Shape& shape, bool constant = false) {
    Tensor tensor;
    tensor.name = "v" + std::to_string(builder_.tensorCount());
    tensor.dtype = Dtype::int8;
    tensor.shape = shape;
    tensor.bytes = Bytes(*elementCount(shape));
    tensor.origin = SizeOrigin::declared;
    tensor.constant = constant;
    const Handle handle = builder_.addTensor(tensor);
    if (!constant) known_.push_back(handle);
    return handle;
  }

  const Shape& shapeOf(Handle handle) { return *builder_.tensor(handle).shape; }

  Handle any() { return pick(0); }
  Handle recent() { return pick(std::max<std::int64_t>(0, last() - 4)); }
  std::int64_t last() const { return static_cast<std::int64_t>(known_.size()) - 1; }
  Handle pick(std::int64_t from) {
    return known_[static_cast<std::size_t>(dice_.roll(from, last()))];
  }

  void op(std::string type, std::vector<Handle> inputs, std::vector<Handle> outputs,
          std::int64_t axis = 0) {
    GraphBuilder::OpParts parts;
    parts.op.name = "op" + std::to_string(builder_.opCount());
    parts.op.type = std::move(type);
    parts.op.attributes["axis"] = axis;
    parts.inputs = std::move(inputs);
    parts.outputs = std::move(outputs);
    const Handle captured = any();
    const bool isOutput = std::ranges::count(parts.outputs, captured) > 0;
    if (!isOutput && dice_.chance(5)) parts.captures.push_back(captured);
    builder_.addOp(std::move(parts));
  }

  void growOp() {
    switch (dice_.roll(0, 9)) {
      case 0:
      case 1:
        return concat();
      case 2:
      case 3:
        return split();
      case 4:
        return reshape();
      case 5:
        return unary(dice_.chance(50) ? "Relu" : "Identity");
      case 6:
        return binary();
      case 7:
        return unary("Dropout");
      default:
        return compute();
    }
  }

  void compute() {
    std::vector<Handle> inputs = {recent()};
    if (dice_.chance(40)) inputs.push_back(any());
    if (dice_.chance(10)) inputs.push_back(GraphBuilder::kAbsent);
    std::vector<Handle> outputs;
    const std::int64_t count = dice_.roll(1, 2);
    for (std::int64_t i = 0; i < count; ++i)
      outputs.push_back(add({batch(), dice_.roll(1, 16), 4}));
    op("Conv", inputs, outputs);
  }

  void unary(const std::string& type) {
    const Handle in = recent();
    const Shape shape = shapeOf(in);
    std::vector<Handle> outputs = {add(shape)};
    if (type == "Dropout" && dice_.chance(50)) outputs.push_back(add(shape));
    op(type, {in}, outputs);
  }

  void binary() {
    const Handle in = recent();
    const Shape shape = shapeOf(in);
    Handle other = in;
    for (int i = 0; i < 8 && (other == in || shapeOf(other) != shape); ++i) other = any();
    if (shapeOf(other) != shape) other = in;
    op("Add", {in, other}, {add(shape)});
  }

  void reshape() {
    const Handle in = recent();
    op("Reshape", {in}, {add({*elementCount(shapeOf(in))})});
  }

  void concat() {
    const Handle first = recent();
    const auto axis = static_cast<std::size_t>(
        dice_.roll(0, static_cast<std::int64_t>(shapeOf(first).size()) - 1));
    std::vector<Handle> inputs = {first};
    Shape shape = shapeOf(first);
    const std::int64_t tries = dice_.roll(1, 12);
    for (std::int64_t i = 0; i < tries; ++i) {
      const Handle next = dice_.chance(10) ? add(shapeOf(first), true) : any();
      if (!joins(shapeOf(first), shapeOf(next), axis)) continue;
      inputs.push_back(next);
      shape[axis] += shapeOf(next)[axis];
    }
    op("Concat", inputs, {add(shape)}, static_cast<std::int64_t>(axis));
  }

  static bool joins(Shape a, Shape b, std::size_t axis) {
    if (a.size() != b.size()) return false;
    a[axis] = b[axis] = 0;
    return a == b;
  }

  void split() {
    const Handle in = recent();
    const Shape shape = shapeOf(in);
    const auto axis =
        static_cast<std::size_t>(dice_.roll(0, static_cast<std::int64_t>(shape.size()) - 1));
    std::int64_t rest = shape[axis];
    std::vector<Handle> outputs;
    while (rest > 0) {
      Shape part = shape;
      part[axis] = outputs.size() == 3 ? rest : dice_.roll(1, rest);
      rest -= part[axis];
      outputs.push_back(add(part));
    }
    op("Split", {in}, outputs, static_cast<std::int64_t>(axis));
  }

  Dice dice_;
  GraphBuilder builder_;
  std::vector<Handle> known_;
};

}  // namespace

Graph randomGraph(std::uint64_t seed, std::size_t ops) { return GraphGrower(seed).grow(ops); }

}  // namespace hw::test
