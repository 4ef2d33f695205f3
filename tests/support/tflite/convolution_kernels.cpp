
#include "tests/support/tflite/kernels.h"

namespace hw::test::tfl {
namespace {

/// Weights of eight bits, unpacked where they are of four.
class Weights8 {
 public:
  explicit Weights8(const Operand& filter) : data_(filter.as<std::int8_t>()) {
    if (filter.type() != Type::kInt4) return;
    const auto count = static_cast<std::size_t>(filter.elements());
    unpacked_.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      const auto pair = static_cast<std::uint8_t>(data_[i / 2]);
      const int half = i % 2 == 0 ? pair & 15 : pair >> 4;
      unpacked_[i] = static_cast<std::int8_t>(half >= 8 ? half - 16 : half);
    }
    data_ = unpacked_.data();
  }
  Weights8(const Weights8&) = delete;
  Weights8& operator=(const Weights8&) = delete;

  const std::int8_t* data() const { return data_; }

 private:
  const std::int8_t* data_;
  std::vector<std::int8_t> unpacked_;
};

/// Sums of float32: weights, bias and what becomes of a sum.
struct FloatRule {
  using Element = float;
  using Sum = float;

  explicit FloatRule(const Call& call, int activation)
      : weights(call.in(1).as<float>()),
        bias(call.has(2) ? call.in(2).as<float>() : nullptr),
        bounds(floatBounds(call, activation)) {}

  Sum product(Element input, std::size_t weight) const { return input * weights[weight]; }
  Sum add(Sum sum, const Element* input, std::size_t weight, int count) const {
    for (int i = 0; i < count; ++i) sum += input[i] * weights[weight + static_cast<std::size_t>(i)];
    return sum;
  }
  Element finish(Sum sum, int channel) const {
    return bounds(sum + (bias != nullptr ? bias[channel] : 0.0F));
  }

  const float* weights;
  const float* bias;
  Bounds<float> bounds;
};

/// Sums of int8 with a factor for each channel.
struct Int8Rule {
  using Element = std::int8_t;
  using Sum = std::int32_t;

  Int8Rule(const Call& call, int activation, int channels, std::vector<Multiplier> given)
      : stored(call.in(1)),
        weights(stored.data()),
        bias(call.has(2) ? call.in(2).as<std::int32_t>() : nullptr),
        inputZero(static_cast<std::int16_t>(call.in(0).zero())),
        outputZero(call.out().zero()),
        factors(std::move(given)),
        bounds(quantizedBounds(call, activation)) {
    factors.resize(static_cast<std::size_t>(channels), factors.front());
  }

  Sum product(Element input, std::size_t weight) const {
    return weights[weight] * (input - inputZero);
  }
  Sum add(Sum sum, const Element* input, std::size_t weight, int count) const {
    const std::int8_t* filter = weights + weight;
    for (int i = 0; i < count; ++i) {
      const auto shifted = static_cast<std::int16_t>(input[i] - inputZero);
      sum += static_cast<std::int32_t>(shifted) * static_cast<std::int16_t>(filter[i]);
    }
    return sum;
  }
  Element finish(Sum sum, int channel) const {
    if (bias != nullptr) sum += bias[channel];
    sum = factors[static_cast<std::size_t>(channel)](sum) + outputZero;
    return static_cast<Element>(bounds(sum));
  }

  Weights8 stored;
  const std::int8_t* weights;
  const std::int32_t* bias;
  std::int16_t inputZero;
  std::int32_t outputZero;
  std::vector<Multiplier> factors;
  Bounds<std::int32_t> bounds;
};

/// Factors of the channels of a convolution, one for all where the filter has one scale.
std::vector<Multiplier> channelFactors(const Call& call, int channels) {
  const std::vector<float>& scales = call.in(1).about->scales;
  call.require(!scales.empty() && call.in(0).scale() > 0 && call.out().scale() > 0,
               "a scale is missing");
  call.require(scales.size() == 1 || scales.size() == static_cast<std::size_t>(channels),
               "its filter has another number of scales than channels");
  std::vector<Multiplier> factors;
  for (const float scale : scales) {
    factors.push_back(
        Multiplier::of(static_cast<double>(call.in(0).scale()) * static_cast<double>(scale) /
                       static_cast<double>(call.out().scale())));
  }
  return factors;
}

bool isFloat(const Call& call) {
  return call.in(0).type() == Type::kFloat32 && call.in(1).type() == Type::kFloat32 &&
         call.out().type() == Type::kFloat32;
}

bool isInt8(const Call& call) {
  return call.in(0).type() == Type::kInt8 && call.out().type() == Type::kInt8 &&
         (call.in(1).type() == Type::kInt8 || call.in(1).type() == Type::kInt4);
}

void checkBias(const Call& call, int channels) {
  if (!call.has(2)) return;
  const Type wanted = isFloat(call) ? Type::kFloat32 : Type::kInt32;
  call.require(call.in(2).type() == wanted && call.in(2).elements() == channels,
               "its bias has another type or length");
}

/// Convolution as its operands and options describe it.
struct Layer {
  Image input{};
  Image output{};
  Window window{};
  int filterDepth = 1;  ///< Channels that the filter of one output channel reads.
};

/// Writes all elements of the output, in their order, from the sums of their windows.
template <class Rule, class SumAt>
void finishAll(const Call& call, const Layer& layer, const Rule& rule, const SumAt& sumAt) {
  auto* output = call.out().as<typename Rule::Element>();
  const Window& window = layer.window;
  for (int batch = 0; batch < layer.output.batches; ++batch) {
    for (int y = 0; y < layer.output.height; ++y) {
      for (int x = 0; x < layer.output.width; ++x) {
        for (int channel = 0; channel < layer.output.depth; ++channel) {
          *output++ = rule.finish(sumAt(batch, y * window.strideY - window.padTop,
                                        x * window.strideX - window.padLeft, channel),
                                  channel);
        }
      }
    }
  }
}

template <class Rule>
void convolve(const Call& call, const Layer& layer, const Rule& rule) {
  using Element = typename Rule::Element;
  const auto* input = call.in(0).as<Element>();
  const Window& window = layer.window;
  const int perGroup = layer.output.depth / (layer.input.depth / layer.filterDepth);
  const auto depth = static_cast<std::size_t>(layer.filterDepth);
  const Image filter{layer.output.depth, window.height, window.width, layer.filterDepth};
  const auto sumAt = [&](int batch, int top, int left, int channel) {
    typename Rule::Sum sum = 0;
    const std::size_t group = static_cast<std::size_t>(channel / perGroup) * depth;
    for (int j = 0; j < window.height; ++j) {
      const int y = top + j * window.dilationY;
      if (y < 0 || y >= layer.input.height) continue;
      for (int i = 0; i < window.width; ++i) {
        const int x = left + i * window.dilationX;
        if (x < 0 || x >= layer.input.width) continue;
        sum = rule.add(sum, input + layer.input.at(batch, y, x) + group, filter.at(channel, j, i),
                       layer.filterDepth);
      }
    }
    return sum;
  };
  finishAll(call, layer, rule, sumAt);
}

template <class Rule>
void convolveDepthwise(const Call& call, const Layer& layer, const Rule& rule) {
  using Element = typename Rule::Element;
  const auto* input = call.in(0).as<Element>();
  const Window& window = layer.window;
  const Image filter{1, window.height, window.width, layer.output.depth};
  const int repeated = layer.output.depth / layer.input.depth;
  const auto sumAt = [&](int batch, int top, int left, int channel) {
    typename Rule::Sum sum = 0;
    const auto from = static_cast<std::size_t>(channel / repeated);
    for (int j = 0; j < window.height; ++j) {
      const int y = top + j * window.dilationY;
      if (y < 0 || y >= layer.input.height) continue;
      for (int i = 0; i < window.width; ++i) {
        const int x = left + i * window.dilationX;
        if (x < 0 || x >= layer.input.width) continue;
        sum += rule.product(input[layer.input.at(batch, y, x) + from],
                            filter.at(0, j, i) + static_cast<std::size_t>(channel));
      }
    }
    return sum;
  };
  finishAll(call, layer, rule, sumAt);
}

/// Layer without its dilation, whose option differs.
Layer layerOf(const Call& call) {
  const Image filter = imageOf(call, call.in(1));
  Layer layer{.input = imageOf(call, call.in(0)), .output = imageOf(call, call.out())};
  layer.window.height = filter.height;
  layer.window.width = filter.width;
  layer.window.strideX = call.option<std::int32_t>(1, 0);
  layer.window.strideY = call.option<std::int32_t>(2, 0);
  layer.filterDepth = filter.depth;
  call.require(layer.input.batches == layer.output.batches, "its batches differ");
  checkBias(call, layer.output.depth);
  return layer;
}

/// Factor of a fully connected layer with one scale: the product of scales is of float32.
Multiplier wholeFactor(const Call& call) {
  call.require(call.in(1).scale() > 0 && call.in(0).scale() > 0 && call.out().scale() > 0,
               "a scale is missing");
  const float product = call.in(0).scale() * call.in(1).scale();
  return Multiplier::of(static_cast<double>(product) / static_cast<double>(call.out().scale()));
}

template <class Rule>
void connect(const Call& call, int batches, int depth, int outputs, const Rule& rule) {
  const auto* input = call.in(0).as<typename Rule::Element>();
  auto* output = call.out().as<typename Rule::Element>();
  for (int batch = 0; batch < batches; ++batch) {
    for (int channel = 0; channel < outputs; ++channel) {
      const std::size_t weight =
          static_cast<std::size_t>(channel) * static_cast<std::size_t>(depth);
      *output++ = rule.finish(
          rule.add(0, input + static_cast<std::ptrdiff_t>(batch) * depth, weight, depth), channel);
    }
  }
}

}  // namespace

void convolution(const Call& call) {
  Layer layer = layerOf(call);
  const Image filter = imageOf(call, call.in(1));
  layer.window.dilationX = call.option<std::int32_t>(4, 1);
  layer.window.dilationY = call.option<std::int32_t>(5, 1);
  layer.window.pad(call, call.option<std::int8_t>(0, 0) == 0, layer.input);
  const int groups = filter.depth == 0 ? 0 : layer.input.depth / filter.depth;
  call.require(filter.batches == layer.output.depth && groups > 0 &&
                   layer.input.depth % filter.depth == 0 && layer.output.depth % groups == 0,
               "its filter does not fit the channels");
  const int activation = call.option<std::int8_t>(3, 0);
  const int channels = layer.output.depth;
  if (isFloat(call)) return convolve(call, layer, FloatRule(call, activation));
  if (!isInt8(call)) call.refuseTypes();
  convolve(call, layer, Int8Rule(call, activation, channels, channelFactors(call, channels)));
}

void depthwiseConvolution(const Call& call) {
  Layer layer = layerOf(call);
  const int channels = layer.output.depth;
  layer.window.dilationX = call.option<std::int32_t>(5, 1);
  layer.window.dilationY = call.option<std::int32_t>(6, 1);
  layer.window.pad(call, call.option<std::int8_t>(0, 0) == 0, layer.input);
  call.require(layer.filterDepth == channels && layer.input.depth > 0 &&
                   layer.input.depth * call.option<std::int32_t>(3, 0) == channels,
               "its filter does not fit the channels");
  const int activation = call.option<std::int8_t>(4, 0);
  if (isFloat(call)) return convolveDepthwise(call, layer, FloatRule(call, activation));
  if (!isInt8(call)) call.refuseTypes();
  convolveDepthwise(call, layer,
                    Int8Rule(call, activation, channels, channelFactors(call, channels)));
}

void fullyConnected(const Call& call) {
  const auto& filter = call.in(1).shape();
  call.require(filter.size() >= 2 && !call.out().shape().empty(), "it needs two axes of weights");
  const int depth = filter.back();
  const int outputs = call.out().shape().back();
  call.require(outputs > 0 && filter[filter.size() - 2] == outputs &&
                   call.in(1).elements() == std::int64_t{depth} * outputs,
               "its weights do not fit its output");
  const auto batches = static_cast<int>(call.out().elements() / outputs);
  call.require(call.in(0).elements() == std::int64_t{depth} * batches,
               "its weights do not fit its input");
  checkBias(call, outputs);
  const int activation = call.option<std::int8_t>(0, 0);
  if (isFloat(call)) return connect(call, batches, depth, outputs, FloatRule(call, activation));
  if (!isInt8(call)) call.refuseTypes();
  call.require(call.in(1).zero() == 0, "its weights have a zero point");
  const bool perChannel = call.in(1).about->scales.size() > 1;
  std::vector<Multiplier> factors{perChannel ? Multiplier{} : wholeFactor(call)};
  if (perChannel) factors = channelFactors(call, outputs);
  connect(call, batches, depth, outputs, Int8Rule(call, activation, outputs, std::move(factors)));
}

}  // namespace hw::test::tfl
