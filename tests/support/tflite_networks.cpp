#include "tests/support/tflite_networks.h"

#include <cmath>
#include <cstdint>
#include <vector>

#include "core/base/dice.h"
#include "tests/support/tflite_writer.h"

namespace hw::test {
namespace {

/// A network in int8, layer by layer. All activations have the scale 1/16.
class Int8Network {
 public:
  using Shape = std::vector<std::int32_t>;

  Int8Network(std::string name, const Shape& input) {
    graph_.name = std::move(name);
    graph_.inputs = {activation(input)};
  }

  std::int32_t input() const { return graph_.inputs[0]; }

  std::int32_t conv(std::int32_t in, std::int32_t channels, std::int32_t kernel,
                    std::int32_t stride, std::int8_t act = kRelu6) {
    const Shape from = shapeOf(in);
    return weighted({.code = 3, .optionsKind = 1}, in, {channels, kernel, kernel, from[3]}, 0,
                    stride, channels,
                    {{0, 1, 0}, {1, 4, stride}, {2, 4, stride}, {3, 1, act}, {4, 4, 1}, {5, 4, 1}});
  }
  std::int32_t depthwise(std::int32_t in, std::int32_t stride) {
    const std::int32_t channels = shapeOf(in)[3];
    return weighted({.code = 4, .optionsKind = 2}, in, {1, 3, 3, channels}, 3, stride, channels,
                    {{0, 1, 0},
                     {1, 4, stride},
                     {2, 4, stride},
                     {3, 4, 1},
                     {4, 1, kRelu6},
                     {5, 4, 1},
                     {6, 4, 1}});
  }
  std::int32_t add(std::int32_t a, std::int32_t b, std::int8_t act = kNone) {
    return op({.code = 0, .inputs = {a, b}, .options = {{0, 1, act}}, .optionsKind = 11},
              shapeOf(a));
  }
  /// The mean of each channel, a matrix, and a softmax.
  std::string finish(std::int32_t in, std::int32_t classes) {
    const std::int32_t channels = shapeOf(in)[3];
    const std::int32_t axes = stored({2}, 2, tfliteIntegers({1, 2}));
    const std::int32_t mean =
        op({.code = 40, .inputs = {in, axes}, .options = {{0, 1, 0}}, .optionsKind = 27},
           {1, channels});
    const std::int32_t filter = filterOf({classes, channels}, 0, 1, channels);
    const std::int32_t logits = op({.code = 9,
                                    .inputs = {mean, filter, biasOf(classes, filter)},
                                    .options = {{0, 1, 0}},
                                    .optionsKind = 8},
                                   {1, classes});
    const std::int32_t made = op({.code = 25, .inputs = {logits}, .optionsKind = 9}, {1, classes});
    graph_.tensors[static_cast<std::size_t>(made)].scales = {1.0F / 256};
    graph_.tensors[static_cast<std::size_t>(made)].zeros = {-128};
    softmaxBeta();
    graph_.outputs = {made};
    model_.subgraphs = {graph_};
    return tfliteBytes(model_);
  }

  static constexpr std::int8_t kNone = 0, kRelu = 1, kRelu6 = 3;

 private:
  static constexpr float kScale = 1.0F / 16;

  const Shape& shapeOf(std::int32_t tensor) const {
    return graph_.tensors[static_cast<std::size_t>(tensor)].shape;
  }
  std::int32_t addTensor(TfliteText::Tensor tensor) {
    tensor.name = "t" + std::to_string(graph_.tensors.size());
    graph_.tensors.push_back(std::move(tensor));
    return static_cast<std::int32_t>(graph_.tensors.size()) - 1;
  }
  std::int32_t activation(const Shape& shape) {
    return addTensor({.shape = shape, .type = kInt8, .scales = {kScale}, .zeros = {0}});
  }
  std::int32_t stored(const Shape& shape, std::int8_t type, const std::string& bytes) {
    model_.buffers.push_back(bytes);
    return addTensor({.shape = shape,
                      .type = type,
                      .buffer = static_cast<std::uint32_t>(model_.buffers.size())});
  }
  std::int32_t op(TfliteText::Operator op, const Shape& made) {
    const std::int32_t output = activation(made);
    op.outputs = {output};
    graph_.operators.push_back(std::move(op));
    return output;
  }

  /// Random weights, scaled so that a sum of `fan` products has the range of its inputs.
  std::int32_t filterOf(const Shape& shape, std::int32_t axis, std::int32_t channels,
                        std::int32_t fan) {
    std::size_t count = 1;
    for (const std::int32_t size : shape) count *= static_cast<std::size_t>(size);
    std::string bytes(count, '\0');
    for (char& byte : bytes) byte = static_cast<char>(dice_.roll(-127, 127));
    const std::int32_t filter = stored(shape, kInt8, bytes);
    TfliteText::Tensor& tensor = graph_.tensors[static_cast<std::size_t>(filter)];
    tensor.scales.assign(static_cast<std::size_t>(channels),
                         1.0F / (60.0F * std::sqrt(static_cast<float>(fan))));
    tensor.zeros.assign(static_cast<std::size_t>(channels), 0);
    tensor.channelAxis = axis;
    return filter;
  }
  std::int32_t biasOf(std::int32_t channels, std::int32_t filter) {
    std::vector<std::int32_t> numbers;
    for (std::int32_t i = 0; i < channels; ++i)
      numbers.push_back(static_cast<std::int32_t>(dice_.roll(-2000, 2000)));
    const std::int32_t bias = stored({channels}, 2, tfliteIntegers(numbers));
    TfliteText::Tensor& tensor = graph_.tensors[static_cast<std::size_t>(bias)];
    tensor.scales = graph_.tensors[static_cast<std::size_t>(filter)].scales;
    for (float& scale : tensor.scales) scale *= kScale;
    tensor.zeros.assign(tensor.scales.size(), 0);
    return bias;
  }
  std::int32_t weighted(TfliteText::Operator conv, std::int32_t in, const Shape& filterShape,
                        std::int32_t axis, std::int32_t stride, std::int32_t channels,
                        std::vector<TfliteText::Option> options) {
    const Shape from = shapeOf(in);
    const std::int32_t fan = filterShape[1] * filterShape[2] * (axis == 0 ? filterShape[3] : 1);
    const std::int32_t filter = filterOf(filterShape, axis, channels, fan);
    conv.inputs = {in, filter, biasOf(channels, filter)};
    conv.options = std::move(options);
    return op(std::move(conv),
              {1, (from[1] + stride - 1) / stride, (from[2] + stride - 1) / stride, channels});
  }
  /// Beta of the softmax, 1.0 as the bits of a number.
  void softmaxBeta() { graph_.operators.back().options = {{0, 4, 0x3F800000}}; }

  static constexpr std::int8_t kInt8 = 9;

  Dice dice_{1};
  TfliteText model_;
  TfliteText::Subgraph graph_;
};

}  // namespace

std::string mobileNetV2Int8(int size) {
  struct Stage {
    std::int32_t expansion, channels, repeats, stride;
  };
  constexpr Stage kStages[] = {{1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
                               {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};
  Int8Network net("mobilenet_v2", {1, size, size, 3});
  std::int32_t at = net.conv(net.input(), 32, 3, 2);
  std::int32_t channels = 32;
  for (const Stage& stage : kStages) {
    for (std::int32_t i = 0; i < stage.repeats; ++i) {
      const std::int32_t stride = i == 0 ? stage.stride : 1;
      std::int32_t inner = at;
      if (stage.expansion > 1) inner = net.conv(inner, channels * stage.expansion, 1, 1);
      inner = net.conv(net.depthwise(inner, stride), stage.channels, 1, 1, Int8Network::kNone);
      at = stride == 1 && channels == stage.channels ? net.add(at, inner) : inner;
      channels = stage.channels;
    }
  }
  return net.finish(net.conv(at, 1280, 1, 1), 1000);
}

std::string resNet8Int8() {
  Int8Network net("resnet8", {1, 32, 32, 3});
  std::int32_t at = net.conv(net.input(), 16, 3, 1, Int8Network::kRelu);
  for (const std::int32_t channels : {16, 32, 64}) {
    const std::int32_t stride = channels == 16 ? 1 : 2;
    std::int32_t inner = net.conv(at, channels, 3, stride, Int8Network::kRelu);
    inner = net.conv(inner, channels, 3, 1, Int8Network::kNone);
    const std::int32_t shortcut =
        stride == 1 ? at : net.conv(at, channels, 1, stride, Int8Network::kNone);
    at = net.add(shortcut, inner, Int8Network::kRelu);
  }
  return net.finish(at, 10);
}

}  // namespace hw::test
