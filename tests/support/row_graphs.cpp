#include "tests/support/row_graphs.h"

#include <random>
#include <utility>

#include "core/rewrite/graph_builder.h"
#include "tests/support/must.h"

namespace hw::test {
namespace {

using List = std::vector<std::int64_t>;

/// Makes a graph op by op; the last tensor is what the next one reads.
class RowGraphMaker {
 public:
  explicit RowGraphMaker(std::uint64_t seed) : random_(seed), builder_("rows", "test") {
    last_ = pick(0, 1) == 1;
    dtype_ = pick(0, 1) == 1 ? Dtype::int8 : Dtype::float32;
    const std::int64_t channels = pick(1, 2) * 2;
    const std::int64_t height = pick(3, 9);
    const std::int64_t width = pick(2, 5);
    shape_ = last_ ? Shape{1, height, width, channels} : Shape{1, channels, height, width};
    now_ = tensor("x", shape_, false);
    builder_.addInput(now_);
  }

  void addOp() {
    switch (pick(0, 6)) {
      case 0:
        return convolve(1, pick(1, 6));
      case 1:
        return convolve(channels(), channels());
      case 2:
        return convolve(2, 2 * pick(1, 2));
      case 3:
        return pool();
      case 4:
        return resize();
      case 5:
        return last_ ? pad() : multiply();
      default:
        return last_ ? dense() : convolve(channels(), channels());
    }
  }

  /// Element by element, which may be done in place, or with something older.
  void addCheapOp() {
    const bool adds = !before_.empty() && pick(0, 1) == 1 && before_.back().second == shape_;
    GraphBuilder::OpParts parts;
    parts.op.type = adds ? "Add" : "Relu";
    parts.inputs = {now_};
    if (adds) parts.inputs.push_back(before_.back().first);
    finish(std::move(parts), shape_);
  }

  Graph build() {
    builder_.addOutput(now_);
    return test::must(std::move(builder_).build());
  }

  std::int64_t pick(std::int64_t least, std::int64_t most) {
    return least +
           static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(most - least + 1));
  }

 private:
  std::int64_t& channels() { return shape_[last_ ? 3 : 1]; }
  std::size_t rowAxis() const { return last_ ? 1 : 2; }

  GraphBuilder::Handle tensor(const std::string& name, const Shape& shape, bool constant) {
    const std::int64_t width = dtype_ == Dtype::int8 ? 1 : 4;
    return builder_.addTensor({.name = name,
                               .dtype = dtype_,
                               .shape = shape,
                               .bytes = Bytes(*elementCount(shape) * width),
                               .constant = constant});
  }

  void finish(GraphBuilder::OpParts parts, const Shape& out) {
    const std::string number = std::to_string(builder_.opCount());
    parts.op.name = parts.op.type + number;
    before_.emplace_back(now_, shape_);
    shape_ = out;
    now_ = tensor("t" + number, shape_, false);
    parts.outputs = {now_};
    builder_.addOp(std::move(parts));
  }

  /// Windows over rows and columns: attributes, and what comes out of each of the two axes.
  struct Windows {
    std::map<std::string, AttributeValue> attributes{};
    List kernel{};
    List places{};
  };

  Windows windows(bool dilates) {
    Windows made;
    List strides;
    List dilations;
    List before;
    List after;
    const std::int64_t way = last_ ? pick(1, 2) : pick(0, 3);  // Pads, SAME (upper, lower), VALID.
    for (const std::size_t axis : {rowAxis(), rowAxis() + 1}) {
      const std::int64_t size = shape_[axis];
      std::int64_t kernel = std::min<std::int64_t>(size, pick(1, 4));
      const std::int64_t stride = pick(1, 3);
      const std::int64_t dilation = dilates && (kernel - 1) * 2 + 1 <= size ? pick(1, 2) : 1;
      const std::int64_t reach = (kernel - 1) * dilation + 1;
      before.push_back(way == 0 ? pick(0, kernel - 1) : 0);
      after.push_back(way == 0 ? pick(0, kernel - 1) : 0);
      const bool same = way == 1 || way == 3;
      made.places.push_back(same ? (size + stride - 1) / stride
                                 : (size + before.back() + after.back() - reach) / stride + 1);
      made.kernel.push_back(kernel);
      strides.push_back(stride);
      dilations.push_back(dilation);
    }
    constexpr const char* kWays[] = {"NOTSET", "SAME_UPPER", "VALID", "SAME_LOWER"};
    made.attributes = {
        {"strides", strides}, {"dilations", dilations}, {"auto_pad", std::string(kWays[way])}};
    if (way == 0) {
      before.insert(before.end(), after.begin(), after.end());
      made.attributes["pads"] = before;
    }
    if (last_) made.attributes["channels_last"] = std::int64_t{1};
    return made;
  }

  Shape shapeWith(std::int64_t made, const List& places) const {
    return last_ ? Shape{1, places[0], places[1], made} : Shape{1, made, places[0], places[1]};
  }

  void convolve(std::int64_t groups, std::int64_t made) {
    if (channels() % groups != 0 || made % groups != 0) groups = made = channels();
    if (last_) groups = groups == channels() && made == groups ? groups : 1;
    const Windows slid = windows(true);
    GraphBuilder::OpParts parts;
    parts.op.attributes = slid.attributes;
    const bool depthwise = groups == channels() && made == groups && groups > 1;
    const List& kernel = slid.kernel;
    Shape weight = {made, channels() / groups, kernel[0], kernel[1]};
    if (last_) {
      parts.op.domain = "tflite";
      parts.op.type = depthwise ? "DEPTHWISE_CONV_2D" : "CONV_2D";
      weight = depthwise ? Shape{1, kernel[0], kernel[1], made}
                         : Shape{made, kernel[0], kernel[1], channels()};
    } else {
      parts.op.type = "Conv";
      parts.op.attributes["group"] = groups;
    }
    parts.inputs = {now_, tensor("w" + std::to_string(builder_.opCount()), weight, true)};
    finish(std::move(parts), shapeWith(made, slid.places));
  }

  void pool() {
    const Windows slid = windows(false);
    GraphBuilder::OpParts parts;
    parts.op.attributes = slid.attributes;
    parts.op.attributes["kernel_shape"] = slid.kernel;
    parts.op.type = last_ ? "AVERAGE_POOL_2D" : "MaxPool";
    if (last_) parts.op.domain = "tflite";
    parts.inputs = {now_};
    finish(std::move(parts), shapeWith(channels(), slid.places));
  }

  void resize() {
    GraphBuilder::OpParts parts;
    parts.op.type = last_ ? "RESIZE_BILINEAR" : "Resize";
    if (last_) parts.op.domain = "tflite";
    parts.inputs = {now_};
    finish(std::move(parts), shapeWith(channels(), {pick(1, 12), pick(1, 6)}));
  }

  void pad() {
    GraphBuilder::OpParts parts;
    parts.op.type = "PAD";
    parts.op.domain = "tflite";
    parts.inputs = {now_};
    finish(std::move(parts),
           shapeWith(channels(), {shape_[1] + pick(0, 3), shape_[2] + pick(0, 2)}));
  }

  /// A matrix times the columns of every row.
  void multiply() {
    GraphBuilder::OpParts parts;
    parts.op.type = "MatMul";
    const std::int64_t made = pick(1, 6);
    parts.inputs = {now_,
                    tensor("w" + std::to_string(builder_.opCount()), {shape_[3], made}, true)};
    Shape out = shape_;
    out[3] = made;
    finish(std::move(parts), out);
  }

  void dense() {
    GraphBuilder::OpParts parts;
    parts.op.type = "FULLY_CONNECTED";
    parts.op.domain = "tflite";
    const std::int64_t made = pick(1, 6);
    parts.op.attributes["keep_num_dims"] = std::int64_t{1};
    parts.inputs = {now_,
                    tensor("w" + std::to_string(builder_.opCount()), {made, channels()}, true)};
    Shape out = shape_;
    out[3] = made;
    finish(std::move(parts), out);
  }

  std::mt19937_64 random_;
  GraphBuilder builder_;
  bool last_ = false;  ///< Channels are.
  Dtype dtype_ = Dtype::int8;
  Shape shape_;
  GraphBuilder::Handle now_ = 0;
  std::vector<std::pair<GraphBuilder::Handle, Shape>> before_;
};

}  // namespace

Graph randomRowGraph(std::uint64_t seed) {
  RowGraphMaker maker(seed);
  const std::int64_t ops = maker.pick(3, 8);
  for (std::int64_t i = 0; i < ops; ++i) {
    maker.addOp();
    if (maker.pick(0, 3) == 0) maker.addCheapOp();
  }
  return maker.build();
}

Graph randomRowPair(std::uint64_t seed) {
  RowGraphMaker maker(seed);
  // The input of the graph is not handed back as its output.
  maker.addCheapOp();
  maker.addOp();
  maker.addCheapOp();
  return maker.build();
}

Graph rowPair(const WalkedOp& op) {
  GraphBuilder builder("pair", "test");
  const auto tensor = [&](const char* name, const Shape& shape, bool constant) {
    const std::int64_t width = op.dtype == Dtype::int8 ? 1 : 4;
    return builder.addTensor({.name = name,
                              .dtype = op.dtype,
                              .shape = shape,
                              .bytes = Bytes(*elementCount(shape) * width),
                              .constant = constant});
  };
  GraphBuilder::OpParts parts;
  parts.op.name = "op";
  parts.op.type = op.type;
  parts.op.domain = op.tflite ? "tflite" : "";
  parts.op.attributes = op.attributes;
  parts.inputs = {tensor("x", op.in, false)};
  if (!op.weight.empty()) parts.inputs.push_back(tensor("w", op.weight, true));
  parts.outputs = {tensor("y", op.out, false)};
  GraphBuilder::Handle input = parts.inputs[0];
  GraphBuilder::Handle output = parts.outputs[0];
  if (op.inside) {
    GraphBuilder::OpParts before;
    before.op = {.name = "before", .type = "Relu"};
    before.outputs = {std::exchange(input, tensor("x0", op.in, false))};
    before.inputs = {input};
    builder.addOp(std::move(before));
  }
  builder.addOp(std::move(parts));
  if (op.inside) {
    const std::vector<std::int64_t> all(op.out.begin() + 1, op.out.end() - 1);
    GraphBuilder::OpParts behind;
    behind.op = {.name = "behind", .type = "AVERAGE_POOL_2D", .domain = "tflite"};
    behind.op.attributes = {{"kernel_shape", all},
                            {"auto_pad", std::string("VALID")},
                            {"channels_last", std::int64_t{1}}};
    behind.inputs = {std::exchange(output, tensor("y0", {1, 1, 1, op.out.back()}, false))};
    behind.outputs = {output};
    builder.addOp(std::move(behind));
  }
  builder.addInput(input);
  builder.addOutput(output);
  return test::must(std::move(builder).build());
}

}  // namespace hw::test
