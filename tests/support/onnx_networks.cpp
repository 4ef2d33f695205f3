#include "tests/support/onnx_networks.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "tests/core/import/onnx/onnx_models.h"

namespace hw::test {
namespace {

using Ints = std::vector<std::int64_t>;

void fill(onnx::TensorProto& tensor, Dice& dice, float least, float most) {
  std::int64_t count = 1;
  for (const std::int64_t size : tensor.dims()) count *= size;
  for (std::int64_t i = 0; i < count; ++i) {
    tensor.add_float_data(least + static_cast<float>(dice.fraction()) * (most - least));
  }
}

class ImageNetwork {
 public:
  explicit ImageNetwork(std::uint64_t seed)
      : dice_(seed), old_(seed % 4 == 0), model_(old_ ? 9 : 16) {
    if (old_) model_.model.set_ir_version(3);
  }

  onnx::ModelProto make() {
    at_ = {"x", {dice_.roll(1, 2), dice_.roll(1, 3), dice_.roll(9, 26), dice_.roll(5, 9)}};
    addInput(model_.graph(), "x", dimsOf(at_.shape));
    const std::int64_t layers = dice_.roll(4, 9);
    for (std::int64_t layer = 0; layer < layers; ++layer) {
      earlier_.push_back(at_);
      addLayer();
    }
    const std::string last = "mean";
    addNode(model_.graph(), "GlobalAveragePool", {at_.name}, {last});
    addTyped(last, {at_.shape[0], at_.shape[1], 1, 1});
    addTyped(at_.name, at_.shape);
    return model_.model;
  }

 private:
  struct Value {
    std::string name{};
    Ints shape{};
  };

  static Dims dimsOf(const Ints& shape) {
    Dims dims;
    for (const std::int64_t size : shape) dims.push_back(std::to_string(size));
    return dims;
  }
  void addTyped(const std::string& name, const Ints& shape) {
    *model_.graph().add_output() = valueInfo(name, dimsOf(shape));
  }

  std::string weight(const Ints& shape, float least = -1, float most = 1) {
    const std::string name = "w" + std::to_string(++names_);
    fill(addWeight(model_.graph(), name, shape), dice_, least, most);
    if (old_) addInput(model_.graph(), name, dimsOf(shape));
    return name;
  }

  onnx::NodeProto& node(const std::string& type, const std::vector<std::string>& inputs,
                        Ints shape) {
    at_ = {"t" + std::to_string(++names_), std::move(shape)};
    onnx::NodeProto& made = addNode(model_.graph(), type, inputs, {at_.name});
    made.set_name(type + std::to_string(names_));
    return made;
  }

  /// Windows along rows and columns; the shape that comes of them with `channels`.
  struct Windows {
    Ints kernel, stride, dilation, pads;
    std::string automatic{};
    bool up = false;
    Ints shape;
  };

  Windows windows(std::int64_t channels, bool pools) {
    for (;;) {
      Windows w{.kernel = {dice_.roll(1, 5), dice_.roll(1, 3)},
                .stride = {dice_.roll(1, 2), dice_.roll(1, 2)},
                .dilation = {1, 1},
                .pads = {},
                .shape = {at_.shape[0], channels}};
      if (!pools && dice_.chance(25)) w.dilation = {dice_.roll(1, 3), 1};
      if (dice_.chance(25)) {
        constexpr const char* kWords[] = {"SAME_UPPER", "SAME_LOWER", "VALID"};
        w.automatic = kWords[dice_.roll(0, 2)];
      }
      for (int i = 0; i < 4; ++i)
        w.pads.push_back(dice_.roll(0, w.kernel[static_cast<std::size_t>(i % 2)] - 1));
      w.up = pools && w.automatic.empty() && !old_ && dice_.chance(30);
      for (std::size_t i = 0; i < 2; ++i) w.shape.push_back(sizeOf(w, i));
      if (w.shape[2] >= 1 && w.shape[3] >= 1) return w;
    }
  }

  std::int64_t sizeOf(const Windows& w, std::size_t i) const {
    const std::int64_t from = at_.shape[i + 2];
    const std::int64_t reach = (w.kernel[i] - 1) * w.dilation[i] + 1;
    if (w.automatic.starts_with("SAME")) return (from + w.stride[i] - 1) / w.stride[i];
    const std::int64_t pads = w.automatic.empty() ? w.pads[i] + w.pads[i + 2] : 0;
    const std::int64_t room = from + pads - reach;
    if (room < 0) return 0;
    const std::int64_t size = (room + (w.up ? w.stride[i] - 1 : 0)) / w.stride[i] + 1;
    // libonnx counts a window that begins in the padding behind, runtimes do not.
    const bool beyond = w.up && (size - 1) * w.stride[i] >= from + w.pads[i];
    return beyond ? 0 : size;
  }

  static void describe(onnx::NodeProto& node, const Windows& w) {
    setInts(node, "kernel_shape", w.kernel);
    setInts(node, "strides", w.stride);
    if (w.dilation != Ints{1, 1}) setInts(node, "dilations", w.dilation);
    if (w.up) setInt(node, "ceil_mode", 1);
    if (w.automatic.empty()) {
      setInts(node, "pads", w.pads);
    } else {
      addAttribute(node, "auto_pad", onnx::AttributeProto::STRING).set_s(w.automatic);
    }
  }

  void addConvolution() {
    const std::int64_t from = at_.shape[1];
    const bool deep = dice_.chance(30);
    const std::int64_t to = deep ? from : dice_.roll(1, 4);
    const Windows w = windows(to, false);
    const std::string taps = weight({to, deep ? 1 : from, w.kernel[0], w.kernel[1]});
    std::vector<std::string> inputs = {at_.name, taps};
    if (dice_.chance(60)) inputs.push_back(weight({to}));
    onnx::NodeProto& made = node("Conv", inputs, w.shape);
    describe(made, w);
    if (deep) setInt(made, "group", from);
  }

  void addPool() {
    const Windows w = windows(at_.shape[1], true);
    const bool greatest = dice_.chance(50);
    onnx::NodeProto& made = node(greatest ? "MaxPool" : "AveragePool", {at_.name}, w.shape);
    describe(made, w);
    if (!greatest && dice_.chance(50)) setInt(made, "count_include_pad", 1);
  }

  void addElements() {
    const Ints shape = at_.shape;
    const std::string x = at_.name;
    const std::int64_t kind = dice_.roll(0, old_ ? 5 : 7);
    if (kind == 0) node("Relu", {x}, shape);
    if (kind == 1) node("Sigmoid", {x}, shape);
    if (kind == 2) node("PRelu", {x, weight({shape[1], 1, 1})}, shape);
    if (kind == 3) node("Mul", {x, weight({1, shape[1], 1, 1})}, shape);
    if (kind == 4) node("Add", {weight({1, 1, shape[2], 1}), x}, shape);
    if (kind == 5) {
      const Ints channels = {shape[1]};
      node("BatchNormalization",
           {x, weight(channels), weight(channels), weight(channels), weight(channels, 0.5, 2)},
           shape);
    }
    if (kind == 6) node("Clip", {x, weight({}, -1, 0), weight({}, 0, 1)}, shape);
    if (kind == 7) node("HardSwish", {x}, shape);
  }

  /// Together with a tensor from before, of the same places.
  void addJoin() {
    for (const Value& other : earlier_) {
      const bool sum = other.shape == at_.shape && other.name != at_.name;
      if (sum && dice_.chance(50)) {
        node("Add", {at_.name, other.name}, at_.shape);
        return;
      }
      if (other.shape[2] != at_.shape[2] || other.shape[3] != at_.shape[3]) continue;
      Ints shape = at_.shape;
      shape[1] += other.shape[1];
      if (shape[1] > 6) continue;
      setInt(node("Concat", {other.name, at_.name}, shape), "axis", 1);
      return;
    }
    addElements();
  }

  void addRepeat() {
    if (old_ || at_.shape[2] > 12) return addElements();
    const std::string scales = "w" + std::to_string(++names_);
    onnx::TensorProto& stored = addWeight(model_.graph(), scales, {4});
    for (const float scale : {1.0F, 1.0F, 2.0F, 2.0F}) stored.add_float_data(scale);
    Ints shape = at_.shape;
    shape[2] *= 2;
    shape[3] *= 2;
    onnx::NodeProto& made = node("Resize", {at_.name, "", scales}, shape);
    const bool half = dice_.chance(50);
    addAttribute(made, "mode", onnx::AttributeProto::STRING).set_s("nearest");
    addAttribute(made, "coordinate_transformation_mode", onnx::AttributeProto::STRING)
        .set_s(half ? "half_pixel" : "asymmetric");
    if (!half) addAttribute(made, "nearest_mode", onnx::AttributeProto::STRING).set_s("floor");
  }

  std::string integers(const Ints& values) {
    const std::string name = "w" + std::to_string(++names_);
    addIntegers(model_.graph(), name, values);
    return name;
  }

  /// Channels of several groups that change places, as ShuffleNet's do, to sizes that are said.
  void addShuffle() {
    const Ints shape = at_.shape;
    if (old_ || shape[1] % 2 != 0) return addElements();
    const std::int64_t half = shape[1] / 2;
    const std::int64_t plane = shape[2] * shape[3];
    node("Reshape", {at_.name, integers({shape[0], 2, half, plane})}, {});
    setInts(node("Transpose", {at_.name}, {}), "perm", {0, 2, 1, 3});
    node("Reshape", {at_.name, integers(shape)}, shape);
  }

  void addLayer() {
    const std::int64_t kind = dice_.roll(0, 10);
    if (kind < 4) return addConvolution();
    if (kind < 6) return addPool();
    if (kind < 8) return addElements();
    if (kind < 9) return addJoin();
    if (kind < 10) return addRepeat();
    addShuffle();
  }

  Dice dice_;
  bool old_;
  OnnxModel model_;
  Value at_;
  std::vector<Value> earlier_;
  int names_ = 0;
};

}  // namespace

onnx::ModelProto randomImageNetwork(std::uint64_t seed) { return ImageNetwork(seed).make(); }

FloatTensors randomInputs(const onnx::ModelProto& model,
                          const std::map<std::string, std::int64_t>& dims, std::uint64_t seed) {
  std::set<std::string> weights;
  for (const auto& weight : model.graph().initializer()) weights.insert(weight.name());
  Dice dice(seed);
  FloatTensors inputs;
  for (const auto& input : model.graph().input()) {
    if (weights.contains(input.name())) continue;
    FloatTensor& tensor = inputs[input.name()];
    std::size_t count = 1;
    for (const auto& dim : input.type().tensor_type().shape().dim()) {
      tensor.shape.push_back(dim.has_dim_param() ? dims.at(dim.dim_param()) : dim.dim_value());
      count *= static_cast<std::size_t>(tensor.shape.back());
    }
    while (tensor.data.size() < count)
      tensor.data.push_back(static_cast<float>(dice.fraction() * 2 - 1));
  }
  return inputs;
}

void fillWeights(onnx::ModelProto& model, std::uint64_t seed) {
  Dice dice(seed);
  onnx::GraphProto& graph = *model.mutable_graph();
  std::map<std::string, Ints> lists;
  for (auto& tensor : *graph.mutable_initializer()) {
    if (tensor.data_type() == onnx::TensorProto::INT64) {
      Ints& values = lists[tensor.name()];
      const auto* raw = reinterpret_cast<const std::int64_t*>(tensor.raw_data().data());
      values.assign(raw, raw + tensor.raw_data().size() / sizeof *raw);
      if (values.empty()) values.assign(tensor.int64_data().begin(), tensor.int64_data().end());
    }
    tensor.clear_external_data();
    tensor.clear_data_location();
  }
  const auto fillOne = [&](onnx::TensorProto& tensor) {
    std::int64_t fan = 1;
    for (int i = 1; i < tensor.dims_size(); ++i) fan *= std::max<std::int64_t>(1, tensor.dims(i));
    const auto most = static_cast<float>(std::sqrt(6.0 / static_cast<double>(fan)));
    const bool list = tensor.dims_size() < 2;  // Variances are among them: above 0.
    fill(tensor, dice, list ? 0.5F : -most, list ? 1.5F : most);
  };
  for (auto& tensor : *graph.mutable_initializer()) {
    const bool empty = tensor.raw_data().empty() && tensor.float_data().empty();
    if (tensor.data_type() == onnx::TensorProto::FLOAT && empty) fillOne(tensor);
  }
  auto& nodes = *graph.mutable_node();
  for (auto& node : nodes) {
    if (node.op_type() != "ConstantOfShape" || !lists.contains(node.input(0))) continue;
    fillOne(addWeight(graph, node.output(0), lists.at(node.input(0))));
  }
  nodes.erase(std::remove_if(nodes.begin(), nodes.end(),
                             [&](const auto& node) {
                               return node.op_type() == "ConstantOfShape" &&
                                      lists.contains(node.input(0));
                             }),
              nodes.end());
}

}  // namespace hw::test
