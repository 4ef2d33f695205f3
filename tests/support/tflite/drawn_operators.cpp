#include "tests/support/tflite/drawn_operators.h"

#include <algorithm>
#include <array>
#include <bit>

#include "core/base/dice.h"

namespace hw::test::tfl {
namespace {

using Text = TfliteText;
using Shape = std::vector<std::int32_t>;

constexpr std::int8_t kFloat = 0, kInt32 = 2, kUInt8 = 3, kBool = 6, kInt16 = 7, kInt8 = 9;

std::int64_t product(const Shape& shape) {
  std::int64_t all = 1;
  for (const std::int32_t size : shape) all *= size;
  return all;
}

std::int64_t widthOf(std::int8_t type) {
  return type == kFloat || type == kInt32 ? 4 : type == kInt16 ? 2 : 1;
}

/// Model of one operator that is being drawn.
class Drawing {
 public:
  explicit Drawing(std::uint64_t seed) : dice(seed), type(dice.chance(65) ? kInt8 : kFloat) {
    text_.subgraphs.resize(1);
    op().outputs.clear();
  }

  int roll(int least, int most) { return static_cast<int>(dice.roll(least, most)); }
  Shape image(int depth) { return {roll(1, 2), roll(1, 9), roll(1, 9), depth}; }
  Shape anyShape() {
    Shape shape;
    for (int axes = roll(1, 4); axes > 0; --axes) shape.push_back(roll(1, 5));
    return shape;
  }

  /// Tensor with a drawn scale and zero point where it is of integers.
  Text::Tensor tensor(Shape shape, std::int8_t of) {
    Text::Tensor made{.shape = std::move(shape), .type = of};
    if (of == kFloat || of == kBool) return made;
    made.scales = {static_cast<float>(dice.roll(50, 3000)) / 30000.0F};
    made.zeros = {of == kInt8 ? dice.roll(-128, 127) : of == kUInt8 ? dice.roll(0, 255) : 0};
    return made;
  }
  Text::Tensor tensor(Shape shape) { return tensor(std::move(shape), type); }

  std::int32_t add(Text::Tensor tensor) {
    auto& tensors = text_.subgraphs[0].tensors;
    tensors.push_back(std::move(tensor));
    return static_cast<std::int32_t>(tensors.size()) - 1;
  }
  void input(Text::Tensor given) {
    op().inputs.push_back(add(std::move(given)));
    text_.subgraphs[0].inputs.push_back(op().inputs.back());
  }
  void output(Text::Tensor given) {
    op().outputs.push_back(add(std::move(given)));
    text_.subgraphs[0].outputs.push_back(op().outputs.back());
  }
  void weights(Text::Tensor given, const std::string& data) {
    text_.buffers.push_back(data);
    given.buffer = static_cast<std::uint32_t>(text_.buffers.size());
    op().inputs.push_back(add(std::move(given)));
  }
  void integers(const Shape& numbers, const Shape& shape) {
    weights({.shape = shape, .type = kInt32}, tfliteIntegers(numbers));
  }

  /// Drawn weights: any byte, or float32 around 0.
  std::string data(const Text::Tensor& of) {
    std::string bytes;
    for (std::int64_t i = product(of.shape); i > 0; --i) {
      if (of.type == kInt8) {
        bytes.push_back(static_cast<char>(dice.roll(-127, 127)));
      } else if (of.type == kInt32) {
        bytes += tfliteIntegers({roll(-5000, 5000)});
      } else {
        bytes += tfliteIntegers(
            {std::bit_cast<std::int32_t>(static_cast<float>(dice.roll(-1000, 1000)) / 300.0F)});
      }
    }
    return bytes;
  }

  Text::Operator& op() {
    auto& ops = text_.subgraphs[0].operators;
    if (ops.empty()) ops.emplace_back();
    return ops.front();
  }
  void options(std::int32_t code, std::int8_t kind, std::vector<Text::Option> given = {}) {
    op().code = code;
    op().optionsKind = kind;
    op().options = std::move(given);
  }
  const Text::Tensor& at(std::int32_t tensor) const {
    return text_.subgraphs[0].tensors[static_cast<std::size_t>(tensor)];
  }

  /// Plan with all inputs one behind the other and the output anywhere among them.
  void plan() {
    Shape offsets(text_.subgraphs[0].tensors.size(), -1);
    std::int64_t end = 64;
    for (const std::int32_t given : text_.subgraphs[0].inputs) {
      offsets[static_cast<std::size_t>(given)] = static_cast<std::int32_t>(end);
      end += (product(at(given).shape) * widthOf(at(given).type) + 15) / 16 * 16;
    }
    const std::int64_t width = widthOf(at(op().outputs[0]).type);
    const auto first = static_cast<std::int32_t>(dice.roll(0, end / width) * width);
    // What a kernel makes of an overlap of two types depends on the compiler, except for bytes.
    const std::int8_t made = at(op().outputs[0]).type;
    const bool apart =
        made != at(0).type && (made == kBool || (width > 1 && widthOf(at(0).type) > 1));
    offsets[static_cast<std::size_t>(op().outputs[0])] =
        apart ? static_cast<std::int32_t>(end) : first;
    Shape words = {1, 0, static_cast<std::int32_t>(offsets.size())};
    words.insert(words.end(), offsets.begin(), offsets.end());
    text_.buffers.push_back(tfliteIntegers(words));
    text_.metadata.emplace_back("OfflineMemoryAllocation",
                                static_cast<std::uint32_t>(text_.buffers.size()));
  }

  Text finish() { return std::move(text_); }

  Dice dice;
  std::int8_t type;

 private:
  Text text_;
};

/// Activation that a convolution, a pool or a sum applies: none, RELU, RELU_N1_TO_1, RELU6.
int drawnActivation(Drawing& draw) { return draw.roll(0, 3); }

int outputSize(bool same, int size, int window, int stride, int dilation) {
  const int reach = (window - 1) * dilation + 1;
  return same ? (size + stride - 1) / stride : (size - reach) / stride + 1;
}

/// Window of a convolution or pool over an image, and the size of the output.
struct DrawnWindow {
  DrawnWindow(Drawing& draw, bool dilated) : image(draw.image(draw.roll(1, 6))) {
    for (std::size_t i = 0; i < 2; ++i) {
      dilation[i] = dilated && draw.dice.chance(30) ? 2 : 1;
      stride[i] = draw.roll(1, 3);
      window[i] = draw.roll(1, 4);
      image[i + 1] = std::max(image[i + 1], (window[i] - 1) * dilation[i] + 1);
    }
    same = draw.dice.chance(60);
    for (std::size_t i = 0; i < 2; ++i) {
      output.push_back(outputSize(same, image[i + 1], window[i], stride[i], dilation[i]));
    }
  }

  Shape image;
  bool same = true;
  std::array<std::int32_t, 2> window{};
  std::array<std::int32_t, 2> stride{};
  std::array<std::int32_t, 2> dilation{};
  Shape output{};
};

/// Filter with a scale for all channels or one for each, and a bias, which may be left out.
void drawFilter(Drawing& draw, Shape shape, std::int32_t channelAxis, std::int32_t channels,
                bool optionalBias) {
  Text::Tensor filter = draw.tensor(std::move(shape));
  if (draw.type == kInt8) {
    filter.zeros = {0};
    if (draw.dice.chance(70)) {
      filter.scales.clear();
      filter.zeros.assign(static_cast<std::size_t>(channels), 0);
      for (int i = 0; i < channels; ++i) {
        filter.scales.push_back(static_cast<float>(draw.roll(10, 900)) / 60000.0F);
      }
      filter.channelAxis = channelAxis;
    }
  }
  draw.weights(filter, draw.data(filter));
  if (optionalBias && draw.dice.chance(30)) return;
  Text::Tensor bias{.shape = {channels}, .type = draw.type == kInt8 ? kInt32 : kFloat};
  if (draw.type == kInt8) {
    bias.scales = {draw.at(0).scales[0] * filter.scales[0]};
    bias.zeros = {0};
  }
  draw.weights(bias, draw.data(bias));
}

void drawConvolution(Drawing& draw) {
  const DrawnWindow window(draw, true);
  const int groups = draw.dice.chance(25) ? window.image[3] : 1;
  const int channels = groups * draw.roll(1, 5);
  draw.input(draw.tensor(window.image));
  drawFilter(draw, {channels, window.window[0], window.window[1], window.image[3] / groups}, 0,
             channels, true);
  draw.output(draw.tensor({window.image[0], window.output[0], window.output[1], channels}));
  draw.options(3, 1,
               {{0, 1, window.same ? 0 : 1},
                {1, 4, window.stride[1]},
                {2, 4, window.stride[0]},
                {3, 1, drawnActivation(draw)},
                {4, 4, window.dilation[1]},
                {5, 4, window.dilation[0]}});
}

void drawDepthwise(Drawing& draw) {
  const DrawnWindow window(draw, true);
  const int repeated = draw.roll(1, 3);
  const int channels = window.image[3] * repeated;
  draw.input(draw.tensor(window.image));
  drawFilter(draw, {1, window.window[0], window.window[1], channels}, 3, channels, false);
  draw.output(draw.tensor({window.image[0], window.output[0], window.output[1], channels}));
  draw.options(4, 2,
               {{0, 1, window.same ? 0 : 1},
                {1, 4, window.stride[1]},
                {2, 4, window.stride[0]},
                {3, 4, repeated},
                {4, 1, drawnActivation(draw)},
                {5, 4, window.dilation[1]},
                {6, 4, window.dilation[0]}});
}

void drawPool(Drawing& draw, std::int32_t code) {
  const DrawnWindow window(draw, false);
  draw.input(draw.tensor(window.image));
  Text::Tensor output = draw.at(0);
  output.shape = {window.image[0], window.output[0], window.output[1], window.image[3]};
  draw.output(output);
  draw.options(code, 5,
               {{0, 1, window.same ? 0 : 1},
                {1, 4, window.stride[1]},
                {2, 4, window.stride[0]},
                {3, 4, window.window[1]},
                {4, 4, window.window[0]},
                {5, 1, drawnActivation(draw)}});
}

void drawConnected(Drawing& draw) {
  const int depth = draw.roll(1, 20);
  const int outputs = draw.roll(1, 10);
  const int batches = draw.roll(1, 3);
  draw.input(draw.tensor({batches, depth}));
  drawFilter(draw, {outputs, depth}, 0, outputs, true);
  draw.output(draw.tensor({batches, outputs}));
  draw.options(9, 8, {{0, 1, drawnActivation(draw)}});
}

/// Two inputs, some axes of which have length 1.
void drawPair(Drawing& draw, std::int32_t code, std::int8_t kind, bool activated) {
  const Shape shape = draw.anyShape();
  for (int i = 0; i < 2; ++i) {
    Shape own = shape;
    if (draw.dice.chance(50)) {
      for (std::int32_t& size : own) size = draw.dice.chance(40) ? 1 : size;
    }
    if (draw.dice.chance(20)) own.erase(own.begin());
    if (own.empty()) own = {1};
    draw.input(draw.tensor(own));
  }
  Shape output;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    std::int32_t size = 1;
    for (std::int32_t i = 0; i < 2; ++i) {
      const Shape& own = draw.at(i).shape;
      if (axis + own.size() >= shape.size())
        size = std::max(size, own[axis + own.size() - shape.size()]);
    }
    output.push_back(size);
  }
  draw.output(draw.tensor(output));
  draw.options(code, kind);
  if (activated) draw.op().options = {{0, 1, drawnActivation(draw)}};
}

/// One input and an output of the same shape, with the scale that the operator asks for.
void drawMap(Drawing& draw, std::int32_t code, std::int8_t kind = 0, float scale = 0,
             std::int64_t zero = 0) {
  draw.input(draw.tensor(draw.anyShape()));
  Text::Tensor output = draw.tensor(draw.at(0).shape);
  if (scale != 0 && draw.type == kInt8) {
    output.scales = {scale};
    output.zeros = {zero};
  }
  draw.output(output);
  draw.options(code, kind);
}

void drawRelu6(Drawing& draw) {
  draw.input(draw.tensor(draw.anyShape()));
  draw.output(draw.at(0));
  draw.options(21, 0);
}

void drawLeaky(Drawing& draw) {
  drawMap(draw, 98, 75);
  const float slope = static_cast<float>(draw.roll(-200, 400)) / 500.0F;
  draw.op().options = {{0, 4, std::bit_cast<std::int32_t>(slope)}};
}

void drawSoftmax(Drawing& draw) {
  drawMap(draw, 25, 9, 1.0F / 256, -128);
  const float beta = draw.dice.chance(50) ? 1.0F : static_cast<float>(draw.roll(1, 40)) / 10.0F;
  draw.op().options = {{0, 4, std::bit_cast<std::int32_t>(beta)}};
}

void drawQuantize(Drawing& draw) {
  constexpr std::array<std::array<std::int8_t, 2>, 7> kPairs = {{{kFloat, kInt8},
                                                                 {kInt8, kInt8},
                                                                 {kInt8, kUInt8},
                                                                 {kUInt8, kInt8},
                                                                 {kFloat, kInt16},
                                                                 {kInt16, kInt8},
                                                                 {kInt8, kInt32}}};
  const auto [from, to] = kPairs[static_cast<std::size_t>(draw.roll(0, 6))];
  draw.input(draw.tensor(draw.anyShape(), from));
  draw.output(draw.tensor(draw.at(0).shape, to));
  draw.options(114, 0);
}

void drawDequantize(Drawing& draw) {
  constexpr std::array<std::int8_t, 3> kTypes = {kInt8, kUInt8, kInt16};
  draw.input(draw.tensor(draw.anyShape(), kTypes[static_cast<std::size_t>(draw.roll(0, 2))]));
  draw.output(draw.tensor(draw.at(0).shape, kFloat));
  draw.options(6, 0);
}

void drawMean(Drawing& draw) {
  Shape shape;
  for (int i = draw.roll(2, 4); i > 0; --i) shape.push_back(draw.roll(1, 6));
  const bool kept = draw.dice.chance(50);
  draw.input(draw.tensor(shape));
  Shape axes;
  Shape output;
  const bool plane = shape.size() == 4 && draw.dice.chance(50);
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(shape.size()); ++i) {
    const std::int32_t size = shape[static_cast<std::size_t>(i)];
    const bool over = plane ? i == 1 || i == 2 : i == 0 || draw.dice.chance(40);
    if (over)
      axes.push_back(draw.dice.chance(30) ? i - static_cast<std::int32_t>(shape.size()) : i);
    if (!over) output.push_back(size);
    if (over && kept) output.push_back(1);
  }
  if (output.empty()) output.push_back(1);
  draw.integers(axes, {static_cast<std::int32_t>(axes.size())});
  draw.output(draw.tensor(output));
  draw.options(40, 27, {{0, 1, kept ? 1 : 0}});
}

void drawPad(Drawing& draw) {
  const bool valued = draw.dice.chance(50);
  draw.input(draw.tensor(draw.anyShape()));
  Text::Tensor output = draw.at(0);
  Shape paddings;
  for (std::int32_t& size : output.shape) {
    for (int i = 0; i < 2; ++i) {
      paddings.push_back(draw.roll(0, 2));
      size += paddings.back();
    }
  }
  draw.integers(paddings, {static_cast<std::int32_t>(output.shape.size()), 2});
  if (valued) {
    Text::Tensor value = draw.at(0);
    value.shape = {1};
    draw.weights(value, draw.data(value));
  }
  draw.output(output);
  draw.options(valued ? 60 : 34, 0);
}

void drawConcatenation(Drawing& draw) {
  const Shape shape = draw.anyShape();
  const auto axis = static_cast<std::size_t>(draw.roll(0, static_cast<int>(shape.size()) - 1));
  Text::Tensor output = draw.tensor(shape);
  output.shape[axis] = 0;
  for (int i = draw.roll(1, 4); i > 0; --i) {
    Text::Tensor part = output;
    part.shape[axis] = draw.roll(1, 4);
    draw.input(part);
  }
  for (const std::int32_t input : Shape(draw.op().inputs)) {
    output.shape[axis] += draw.at(input).shape[axis];
  }
  draw.output(output);
  draw.options(2, 10, {{0, 4, static_cast<std::int32_t>(axis)}});
}

void drawReshape(Drawing& draw) {
  draw.input(draw.tensor(draw.anyShape()));
  Text::Tensor output = draw.at(0);
  output.shape = {static_cast<std::int32_t>(product(output.shape))};
  draw.integers(output.shape, {1});
  draw.output(output);
  draw.options(22, 0);
}

void drawResize(Drawing& draw) {
  draw.input(draw.tensor(draw.image(draw.roll(1, 4))));
  Text::Tensor output = draw.at(0);
  output.shape[1] = draw.roll(1, 12);
  output.shape[2] = draw.roll(1, 12);
  draw.integers({output.shape[1], output.shape[2]}, {2});
  draw.output(output);
  draw.options(97, 74, {{0, 1, draw.roll(0, 1)}, {1, 1, draw.roll(0, 1)}});
}

void drawSlice(Drawing& draw) {
  draw.input(draw.tensor(draw.anyShape()));
  Text::Tensor output = draw.at(0);
  Shape begins;
  Shape sizes;
  for (std::int32_t& size : output.shape) {
    begins.push_back(draw.roll(0, size - 1));
    size = draw.roll(1, size - begins.back());
    sizes.push_back(size);
  }
  const auto axes = static_cast<std::int32_t>(sizes.size());
  draw.integers(begins, {axes});
  draw.integers(sizes, {axes});
  draw.output(output);
  draw.options(65, 0);
}

void drawUpdate(Drawing& draw) {
  draw.input(draw.tensor(draw.anyShape()));
  Text::Tensor update = draw.at(0);
  Shape begins;
  for (std::int32_t& size : update.shape) {
    size = draw.roll(1, size);
    begins.push_back(draw.roll(-1, 4));
  }
  draw.input(update);
  draw.integers(begins, {static_cast<std::int32_t>(begins.size())});
  draw.output(draw.at(0));
  draw.options(151, 0);
}

void drawTranspose(Drawing& draw) {
  draw.input(draw.tensor(draw.anyShape()));
  Text::Tensor output = draw.at(0);
  Shape order;
  for (std::size_t i = 0; i < output.shape.size(); ++i)
    order.push_back(static_cast<std::int32_t>(i));
  draw.dice.shuffle(order);
  for (std::size_t i = 0; i < order.size(); ++i) {
    output.shape[i] = draw.at(0).shape[static_cast<std::size_t>(order[i])];
  }
  draw.integers(order, {static_cast<std::int32_t>(order.size())});
  draw.output(output);
  draw.options(39, 0);
}

void drawLess(Drawing& draw) {
  draw.type = draw.dice.chance(50) ? kInt32 : kFloat;
  const Shape shape = draw.anyShape();
  for (int i = 0; i < 2; ++i) draw.input({.shape = shape, .type = draw.type});
  draw.output({.shape = shape, .type = kBool});
  draw.options(58, 0);
}

struct Kind {
  void (*draw)(Drawing&);
  /// True where its kernel copies runs of bytes, which may not overlap.
  bool copies = false;
};

constexpr std::array<Kind, 26> kKinds = {{
    {drawConvolution},
    {drawDepthwise},
    {[](Drawing& draw) { drawPool(draw, 1); }},
    {[](Drawing& draw) { drawPool(draw, 17); }},
    {drawConnected},
    {[](Drawing& draw) { drawPair(draw, 0, 11, true); }},
    {[](Drawing& draw) { drawPair(draw, 18, 21, true); }},
    {[](Drawing& draw) { drawPair(draw, 41, 28, true); }},
    {[](Drawing& draw) { drawMap(draw, 19); }},
    {drawRelu6},
    {[](Drawing& draw) { drawMap(draw, 14, 0, 1.0F / 256, -128); }},
    {[](Drawing& draw) { drawMap(draw, 28, 0, 1.0F / 128, 0); }},
    {[](Drawing& draw) { drawMap(draw, 117); }},
    {drawLeaky},
    {drawSoftmax},
    {drawQuantize},
    {drawDequantize},
    {drawMean},
    {drawPad},
    {drawConcatenation, true},
    {drawReshape, true},
    {drawResize, true},
    {drawSlice},
    {drawUpdate, true},
    {drawTranspose},
    {drawLess},
}};

}  // namespace

int drawnKinds() { return static_cast<int>(kKinds.size()); }

TfliteText drawnOperator(int kind, std::uint64_t seed, bool overlapping) {
  const Kind& chosen = kKinds[static_cast<std::size_t>(kind)];
  Drawing draw(seed * 1000 + static_cast<std::uint64_t>(kind));
  chosen.draw(draw);
  if (overlapping && !chosen.copies) draw.plan();
  return draw.finish();
}

}  // namespace hw::test::tfl
