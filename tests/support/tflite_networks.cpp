#include "tests/support/tflite_networks.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "core/base/dice.h"
#include "tests/support/tflite_writer.h"

namespace hw::test {
namespace {

/// Padding as an operator of its own: of none, of some or of all convolutions; `cut`: no padding.
enum class Pads { none, strided, all, cut };
enum Act : std::int8_t { kNone = 0, kRelu = 1, kRelu6 = 3 };

/// A network in int8, layer by layer. All activations have the scale 1/16.
class Int8Network {
 public:
  using Id = std::int32_t;  ///< Of a tensor.
  using Shape = std::vector<std::int32_t>;

  explicit Int8Network(const char* name) { graph_.name = name; }

  /// Images; those in float32 are quantised.
  Id image(int size, bool isFloat) {
    const Shape shape = {1, size, size, 3};
    graph_.inputs = {isFloat ? addTensor({.shape = shape}) : activation(shape)};
    const Id input = graph_.inputs[0];
    return isFloat ? op({.code = 114, .inputs = {input}, .optionsKind = 89}, shape) : input;
  }
  std::int32_t sizeOf(Id tensor, std::size_t axis) const { return shapeOf(tensor)[axis]; }

  Id conv(Id in, std::int32_t channels, std::int32_t kernel, std::int32_t stride, Act act) {
    return weighted({.code = 3, .optionsKind = 1}, in, channels, kernel, stride,
                    {{3, 1, act}, {4, 4, 1}, {5, 4, 1}});
  }
  Id depthwise(Id in, std::int32_t kernel, std::int32_t stride, Act act) {
    return weighted({.code = 4, .optionsKind = 2}, in, sizeOf(in, 3), kernel, stride,
                    {{3, 4, 1}, {4, 1, act}, {5, 4, 1}, {6, 4, 1}});
  }
  Id pad(Id in, std::int32_t border, std::int32_t channels) {
    Shape made = shapeOf(in);
    made[1] += 2 * border;
    made[2] += 2 * border;
    made[3] += channels;
    const Id sizes =
        stored({4, 2}, kInt32, tfliteIntegers({0, 0, border, border, border, border, 0, channels}));
    return op({.code = 34, .inputs = {in, sizes}, .optionsKind = 22}, made);
  }
  /// Of squares of that size, side by side, or so many places apart.
  Id pool(Id in, bool isMaximum, std::int32_t size, std::int32_t stride = 0) {
    if (stride == 0) stride = size;
    Shape made = shapeOf(in);
    for (const std::size_t axis : {1U, 2U}) made[axis] = (made[axis] - size) / stride + 1;
    return op({.code = isMaximum ? 17 : 1,
               .inputs = {in},
               .options = {{0, 1, 1}, {1, 4, stride}, {2, 4, stride}, {3, 4, size}, {4, 4, size}},
               .optionsKind = 5},
              made);
  }
  /// Along channels.
  Id concat(Id a, Id b) {
    Shape made = shapeOf(a);
    made[3] += sizeOf(b, 3);
    return op({.code = 2, .inputs = {a, b}, .options = {{0, 4, 3}}, .optionsKind = 10}, made);
  }
  Id add(Id a, Id b, Act act) {
    return op({.code = 0, .inputs = {a, b}, .options = {{0, 1, act}}, .optionsKind = 11},
              shapeOf(a));
  }
  Id multiply(Id a, Id b) {
    return op({.code = 18, .inputs = {a, b}, .optionsKind = 21}, shapeOf(a));
  }
  /// The mean along each of these axes, one operator; where they stay, they have the size 1.
  Id mean(Id in, const std::vector<std::int32_t>& axes, bool stay) {
    Shape made;
    for (std::int32_t axis = 0; axis < static_cast<std::int32_t>(shapeOf(in).size()); ++axis) {
      const bool goes = std::ranges::find(axes, axis) != axes.end();
      if (!goes) made.push_back(sizeOf(in, static_cast<std::size_t>(axis)));
      if (goes && stay) made.push_back(1);
    }
    const Id list = stored({static_cast<std::int32_t>(axes.size())}, kInt32, tfliteIntegers(axes));
    return op({.code = 40, .inputs = {in, list}, .options = {{0, 1, stay}}, .optionsKind = 27},
              made);
  }
  Id channelsFirst(Id in) {
    const Shape from = shapeOf(in);
    const Id order = stored({4}, kInt32, tfliteIntegers({0, 3, 1, 2}));
    return op({.code = 39, .inputs = {in, order}, .optionsKind = 26},
              {from[0], from[3], from[1], from[2]});
  }
  Id reshape(Id in, const Shape& made) {
    const Id shape = stored({static_cast<std::int32_t>(made.size())}, kInt32, tfliteIntegers(made));
    return op({.code = 22, .inputs = {in, shape}, .optionsKind = 17}, made);
  }
  Id fullyConnected(Id in, std::int32_t channels) {
    const std::int32_t fan = sizeOf(in, 1);
    const Id filter = filterOf({channels, fan}, 0, 1, fan);
    return op({.code = 9, .inputs = {in, filter, biasOf(channels, filter)}, .optionsKind = 8},
              {1, channels});
  }
  Id softmax(Id in) {
    const Id made = op({.code = 25,
                        .inputs = {in},
                        .options = {{0, 4, 0x3F800000}},  // Beta: 1.0 as the bits of a number.
                        .optionsKind = 9},
                       shapeOf(in));
    at(made).scales = {1.0F / 256};
    at(made).zeros = {-128};
    return made;
  }
  Id dequantize(Id in) {
    const Id made = op({.code = 6, .inputs = {in}, .optionsKind = 36}, shapeOf(in));
    at(made).type = kFloat32;
    at(made).scales = {};
    at(made).zeros = {};
    return made;
  }
  /// One number.
  Id number(std::int8_t value) {
    const Id made = stored({1}, kInt8, std::string(1, static_cast<char>(value)));
    at(made).scales = {kScale};
    at(made).zeros = {0};
    return made;
  }

  std::string file(const std::vector<Id>& outputs) {
    graph_.outputs = outputs;
    model_.subgraphs = {graph_};
    return tfliteBytes(model_);
  }

  Pads pads = Pads::none;

 private:
  static constexpr float kScale = 1.0F / 16;
  static constexpr std::int8_t kFloat32 = 0, kInt32 = 2, kInt8 = 9;

  TfliteText::Tensor& at(Id tensor) { return graph_.tensors[static_cast<std::size_t>(tensor)]; }
  const Shape& shapeOf(Id tensor) const {
    return graph_.tensors[static_cast<std::size_t>(tensor)].shape;
  }
  Id addTensor(TfliteText::Tensor tensor) {
    tensor.name = "t" + std::to_string(graph_.tensors.size());
    graph_.tensors.push_back(std::move(tensor));
    return static_cast<Id>(graph_.tensors.size()) - 1;
  }
  Id activation(const Shape& shape) {
    return addTensor({.shape = shape, .type = kInt8, .scales = {kScale}, .zeros = {0}});
  }
  Id stored(const Shape& shape, std::int8_t type, const std::string& bytes) {
    model_.buffers.push_back(bytes);
    return addTensor({.shape = shape,
                      .type = type,
                      .buffer = static_cast<std::uint32_t>(model_.buffers.size())});
  }
  Id op(TfliteText::Operator op, const Shape& made) {
    const Id output = activation(made);
    op.outputs = {output};
    graph_.operators.push_back(std::move(op));
    return output;
  }

  /// Random weights, scaled so that a sum of `fan` products has the range of its inputs.
  Id filterOf(const Shape& shape, std::int32_t axis, std::int32_t channels, std::int32_t fan) {
    std::size_t count = 1;
    for (const std::int32_t size : shape) count *= static_cast<std::size_t>(size);
    std::string bytes(count, '\0');
    for (char& byte : bytes) byte = static_cast<char>(dice_.roll(-127, 127));
    const Id filter = stored(shape, kInt8, bytes);
    TfliteText::Tensor& tensor = at(filter);
    tensor.scales.assign(static_cast<std::size_t>(channels),
                         1.0F / (60.0F * std::sqrt(static_cast<float>(fan))));
    tensor.zeros.assign(static_cast<std::size_t>(channels), 0);
    tensor.channelAxis = axis;
    return filter;
  }
  Id biasOf(std::int32_t channels, Id filter) {
    std::vector<std::int32_t> numbers;
    for (std::int32_t i = 0; i < channels; ++i)
      numbers.push_back(static_cast<std::int32_t>(dice_.roll(-2000, 2000)));
    const Id bias = stored({channels}, kInt32, tfliteIntegers(numbers));
    TfliteText::Tensor& tensor = at(bias);
    tensor.scales = at(filter).scales;
    for (float& scale : tensor.scales) scale *= kScale;
    tensor.zeros.assign(tensor.scales.size(), 0);
    return bias;
  }
  /// A convolution of one of the two kinds; `options` are those behind padding and strides.
  Id weighted(TfliteText::Operator conv, Id in, std::int32_t channels, std::int32_t kernel,
              std::int32_t stride, const std::vector<TfliteText::Option>& options) {
    const bool apart = pads == Pads::all || (pads == Pads::strided && stride > 1);
    if (apart) in = pad(in, kernel / 2, 0);
    Shape made = shapeOf(in);
    const bool isDense = conv.code == 3;
    const std::int32_t fan = kernel * kernel * (isDense ? made[3] : 1);
    const Id filter = filterOf(
        isDense ? Shape{channels, kernel, kernel, made[3]} : Shape{1, kernel, kernel, channels},
        isDense ? 0 : 3, channels, fan);
    conv.inputs = {in, filter, biasOf(channels, filter)};
    const bool cuts = apart || pads == Pads::cut;
    conv.options = {{0, 1, cuts ? 1 : 0}, {1, 4, stride}, {2, 4, stride}};
    conv.options.insert(conv.options.end(), options.begin(), options.end());
    for (const std::size_t axis : {1U, 2U})
      made[axis] = (made[axis] - (cuts ? kernel : 1)) / stride + 1;
    made[3] = channels;
    return op(std::move(conv), made);
  }

  Dice dice_{1};
  TfliteText model_;
  TfliteText::Subgraph graph_;
};

/// Inverted residuals: to `inner` channels, a depthwise kernel (none where it is 0), to `channels`.
struct Inverted {
  std::int32_t inner, channels, kernel, stride;
  bool isSqueezed = false;  ///< Scaled by what a quarter of its channels make of their means.
};

Int8Network::Id squeezed(Int8Network& net, Int8Network::Id in, std::int32_t channels) {
  Int8Network::Id gate = net.mean(net.mean(in, {2}, true), {1}, true);
  gate = net.conv(net.conv(gate, channels, 1, 1, kRelu6), net.sizeOf(in, 3), 1, 1, kNone);
  gate = net.add(gate, net.number(48), kRelu6);
  gate = net.multiply(gate, net.number(3));
  return net.multiply(in, gate);
}

Int8Network::Id inverted(Int8Network& net, Int8Network::Id at, std::span<const Inverted> blocks) {
  for (const Inverted& block : blocks) {
    const std::int32_t channels = net.sizeOf(at, 3);
    Int8Network::Id in = at;
    if (block.inner != channels) in = net.conv(in, block.inner, 1, 1, kRelu6);
    if (block.kernel > 0) in = net.depthwise(in, block.kernel, block.stride, kRelu6);
    if (block.isSqueezed) in = squeezed(net, in, channels / 4);
    in = net.conv(in, block.channels, 1, 1, kNone);
    at = block.stride == 1 && block.channels == channels ? net.add(in, at, kNone) : in;
  }
  return at;
}

std::string mobileNetV2(int size) {
  constexpr Inverted kBlocks[] = {
      {32, 16, 3, 1},   {96, 24, 3, 2},  {144, 24, 3, 1}, {144, 32, 3, 2},  {192, 32, 3, 1},
      {192, 32, 3, 1},  {192, 64, 3, 2}, {384, 64, 3, 1}, {384, 64, 3, 1},  {384, 64, 3, 1},
      {384, 96, 3, 1},  {576, 96, 3, 1}, {576, 96, 3, 1}, {576, 160, 3, 2}, {960, 160, 3, 1},
      {960, 160, 3, 1}, {960, 320, 3, 1}};
  Int8Network net("mobilenet_v2");
  Int8Network::Id at = net.conv(net.image(size, false), 32, 3, 2, kRelu6);
  at = net.conv(inverted(net, at, kBlocks), 1280, 1, 1, kRelu6);
  return net.file({net.softmax(net.fullyConnected(net.mean(at, {1, 2}, false), 1000))});
}

std::string mcuNet(int size) {
  constexpr Inverted kBlocks[] = {
      {32, 16, 3, 1},   {48, 24, 7, 2},  {120, 24, 3, 1}, {96, 24, 5, 1},   {120, 40, 7, 2},
      {160, 40, 3, 1},  {160, 40, 7, 1}, {120, 80, 7, 2}, {240, 80, 3, 1},  {240, 80, 7, 1},
      {320, 96, 3, 1},  {288, 96, 5, 1}, {288, 96, 5, 1}, {384, 192, 7, 2}, {576, 192, 7, 1},
      {576, 192, 5, 1}, {768, 320, 5, 1}};
  Int8Network net("mcunet_512kb");
  net.pads = Pads::all;
  Int8Network::Id at = net.conv(net.image(size, false), 32, 3, 2, kRelu6);
  at = net.pool(inverted(net, at, kBlocks), false, size / 32);
  net.pads = Pads::none;
  return net.file({net.reshape(net.conv(at, 1000, 1, 1, kNone), {1, 1000})});
}

std::string mcuNetV2(int size) {
  constexpr Inverted kBlocks[] = {
      {16, 16, 0, 1},        {96, 24, 3, 2},         {96, 40, 3, 2},         {240, 40, 5, 1, true},
      {240, 40, 5, 1, true}, {120, 40, 3, 1, true},  {240, 64, 5, 2, true},  {256, 64, 5, 1, true},
      {192, 64, 3, 1, true}, {256, 64, 7, 1, true},  {384, 96, 5, 1, true},  {384, 96, 5, 1, true},
      {288, 96, 5, 1, true}, {384, 144, 7, 2, true}, {576, 144, 3, 1, true}, {576, 144, 3, 1, true},
      {576, 240, 5, 1}};
  Int8Network net("mcunet_v2_large");
  net.pads = Pads::strided;
  Int8Network::Id at = net.conv(net.image(size, true), 16, 3, 2, kRelu6);
  at = net.conv(inverted(net, at, kBlocks), 384, 1, 1, kRelu6);
  at = net.mean(net.mean(net.channelsFirst(at), {3}, false), {2}, false);
  return net.file({net.dequantize(net.fullyConnected(at, 1000))});
}

std::string blazeFace(int size) {
  struct Block {
    std::int32_t channels, stride;
  };
  constexpr Block kBlocks[] = {{24, 1}, {28, 1}, {32, 2}, {36, 1}, {42, 1}, {48, 2},
                               {56, 1}, {64, 1}, {72, 1}, {80, 1}, {88, 1}, {96, 2},
                               {96, 1}, {96, 1}, {96, 1}, {96, 1}};
  Int8Network net("blazeface");
  std::vector<Int8Network::Id> outputs;
  // Of each place in the image, so many boxes: a score, and 16 coordinates.
  const auto detect = [&](Int8Network::Id in, std::int32_t boxes) {
    const std::int32_t all = boxes * net.sizeOf(in, 1) * net.sizeOf(in, 2);
    for (const std::int32_t numbers : {1, 16})
      outputs.push_back(net.dequantize(
          net.reshape(net.conv(in, boxes * numbers, 1, 1, kNone), {1, all, numbers})));
  };
  Int8Network::Id at = net.conv(net.image(size, true), 24, 5, 2, kRelu);
  for (const Block& block : kBlocks) {
    const std::int32_t more = block.channels - net.sizeOf(at, 3);
    if (block.stride == 2 && block.channels == 96) detect(at, 2);
    const Int8Network::Id inner =
        net.conv(net.depthwise(at, 3, block.stride, kNone), block.channels, 1, 1, kNone);
    if (block.stride == 2) at = net.pool(at, true, 2);
    if (more > 0) at = net.pad(at, 0, more);
    at = net.add(inner, at, kRelu);
  }
  detect(at, 6);
  return net.file(outputs);
}

std::string resNet8(int size) {
  Int8Network net("resnet8");
  Int8Network::Id at = net.conv(net.image(size, false), 16, 3, 1, kRelu);
  for (const std::int32_t channels : {16, 32, 64}) {
    const std::int32_t stride = channels == 16 ? 1 : 2;
    Int8Network::Id inner = net.conv(at, channels, 3, stride, kRelu);
    inner = net.conv(inner, channels, 3, 1, kNone);
    const Int8Network::Id shortcut = stride == 1 ? at : net.conv(at, channels, 1, stride, kNone);
    at = net.add(shortcut, inner, kRelu);
  }
  return net.file({net.softmax(net.fullyConnected(net.mean(at, {1, 2}, false), 10))});
}

std::string squeezeNet(int size) {
  Int8Network net("squeezenet_1_1");
  net.pads = Pads::cut;
  Int8Network::Id at = net.conv(net.image(size, false), 64, 3, 2, kRelu);
  net.pads = Pads::none;
  // Of each module, the channels that are squeezed and half of those that come out.
  const std::vector<std::vector<std::pair<std::int32_t, std::int32_t>>> stages = {
      {{16, 64}, {16, 64}}, {{32, 128}, {32, 128}}, {{48, 192}, {48, 192}, {64, 256}, {64, 256}}};
  for (const auto& stage : stages) {
    at = net.pool(at, true, 3, 2);
    for (const auto& [few, half] : stage) {
      at = net.conv(at, few, 1, 1, kRelu);
      at = net.concat(net.conv(at, half, 1, 1, kRelu), net.conv(at, half, 3, 1, kRelu));
    }
  }
  at = net.mean(net.conv(at, 1000, 1, 1, kRelu), {1, 2}, false);
  return net.file({net.softmax(at)});
}

}  // namespace

std::span<const PublishedNetwork> publishedNetworks() {
  static constexpr PublishedNetwork kNetworks[] = {
      {"mobilenet_v2", 224, mobileNetV2}, {"mcunet_v2_large", 224, mcuNetV2},
      {"mcunet_512kb", 160, mcuNet},      {"blazeface", 128, blazeFace},
      {"resnet8", 32, resNet8},           {"squeezenet_1_1", 128, squeezeNet}};
  return kNetworks;
}

std::string publishedFile(std::string_view name, int size) {
  return std::ranges::find(publishedNetworks(), name, &PublishedNetwork::name)->fileOf(size);
}

}  // namespace hw::test
