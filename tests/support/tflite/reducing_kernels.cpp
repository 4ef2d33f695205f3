#include <algorithm>
#include <bit>
#include <cmath>

#include "tests/support/tflite/kernels.h"

namespace hw::test::tfl {
namespace {

void softmaxOfFloats(const float* input, float* output, int depth, float beta) {
  float greatest = std::numeric_limits<float>::lowest();
  for (int i = 0; i < depth; ++i) greatest = std::max(greatest, input[i]);
  float sum = 0;
  for (int i = 0; i < depth; ++i) {
    const float power = std::exp((input[i] - greatest) * beta);
    output[i] = power;
    sum += power;
  }
  for (int i = 0; i < depth; ++i) output[i] = output[i] / sum;
}

/// Softmax of int8: differences to the greatest input have five integer bits, sums twelve.
struct Softmax8 {
  explicit Softmax8(const Call& call) {
    call.require(call.in(0).scale() > 0, "a scale is missing");
    call.require(call.out().zero() == -128 && call.out().scale() == 1.0F / 256,
                 "its output has another scale than 1/256 or another zero point than -128");
    const double scaled = static_cast<double>(call.option<float>(0, 0)) *
                          static_cast<double>(call.in(0).scale()) * (1 << 26);
    factor = Multiplier::of(std::min(scaled, static_cast<double>(std::int64_t{1} << 31) - 1));
    call.require(factor.shift >= 0, "its input's scale is too small");
    least = -inputRadius(5, factor.shift);
  }

  /// `e^difference` without integer bits.
  std::int32_t power(std::int32_t difference) const { return expOfNegative(factor(difference), 5); }

  void operator()(const std::int8_t* input, std::int8_t* output, int depth) const {
    std::int8_t greatest = -128;
    for (int i = 0; i < depth; ++i) greatest = std::max(greatest, input[i]);
    std::int32_t sum = 0;
    for (int i = 0; i < depth; ++i) {
      const std::int32_t difference = input[i] - greatest;
      if (difference >= least) sum += dividedByPower(power(difference), 12);
    }
    const int zeros = std::countl_zero(static_cast<std::uint32_t>(sum));
    const std::uint32_t aboveOne = (static_cast<std::uint32_t>(sum) << zeros) - (1U << 31);
    const std::int32_t scale = oneOverOnePlus(static_cast<std::int32_t>(aboveOne));
    const int exponent = 12 - zeros + 31 - 8;
    for (int i = 0; i < depth; ++i) {
      const std::int32_t difference = input[i] - greatest;
      std::int32_t result = 0;
      if (difference >= least) {
        result = dividedByPower(highProduct(scale, power(difference)), exponent);
      }
      output[i] = static_cast<std::int8_t>(std::clamp(result - 128, -128, 127));
    }
  }

  Multiplier factor{};
  std::int32_t least = 0;
};

/// Axes that a mean goes over: each once, in the order given.
std::vector<int> meanAxes(const Call& call) {
  call.require(call.in(1).type() == Type::kInt32, "its axes are not of int32");
  const auto rank = static_cast<int>(call.in(0).shape().size());
  std::vector<int> axes;
  for (std::int64_t i = 0; i < call.in(1).elements(); ++i) {
    const std::int32_t given = call.in(1).as<std::int32_t>()[i];
    const int axis = given < 0 ? given + rank : given;
    call.require(axis >= 0 && axis < rank, "an axis is not there");
    if (std::ranges::find(axes, axis) == axes.end()) axes.push_back(axis);
  }
  return axes;
}

/// Walk over the elements of an input with the place of each in the output without `axes`.
template <class Visit>
void walkReduced(const Call& call, const std::vector<int>& axes, Visit visit) {
  const auto& shape = call.in(0).shape();
  std::vector<std::int64_t> strides(shape.size(), 0);
  std::int64_t stride = 1;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    if (std::ranges::find(axes, static_cast<int>(axis)) != axes.end()) continue;
    strides[axis] = stride;
    stride *= shape[axis];
  }
  call.require(stride == call.out().elements(), "its output does not fit its axes");
  std::vector<std::int32_t> index(shape.size(), 0);
  std::int64_t place = 0;
  for (std::int64_t i = 0; i < call.in(0).elements(); ++i) {
    visit(i, place);
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      place += strides[axis];
      if (++index[axis] < shape[axis]) break;
      place -= strides[axis] * index[axis];
      index[axis] = 0;
    }
  }
}

std::int64_t reducedElements(const Call& call, const std::vector<int>& axes) {
  std::int64_t count = 1;
  for (const int axis : axes) count *= call.in(0).shape()[static_cast<std::size_t>(axis)];
  return count;
}

/// Mean over height and width with the axes kept: each output is summed on its own.
void meanOfImage(const Call& call) {
  const Image image = imageOf(call, call.in(0));
  const auto* input = call.in(0).as<float>();
  auto* output = call.out().as<float>();
  call.require(call.out().elements() == std::int64_t{image.batches} * image.depth,
               "its output does not fit its axes");
  for (int batch = 0; batch < image.batches; ++batch) {
    for (int channel = 0; channel < image.depth; ++channel) {
      float sum = 0;
      for (int y = 0; y < image.height; ++y) {
        for (int x = 0; x < image.width; ++x) {
          sum += input[image.at(batch, y, x) + static_cast<std::size_t>(channel)];
        }
      }
      *output++ = sum / static_cast<float>(image.width * image.height);
    }
  }
}

/// Mean of float32: its sums grow in the output itself.
void meanOfFloats(const Call& call, const std::vector<int>& axes) {
  const auto* input = call.in(0).as<float>();
  auto* output = call.out().as<float>();
  const std::int64_t outputs = call.out().elements();
  std::fill_n(output, outputs, 0.0F);
  walkReduced(call, axes, [&](std::int64_t i, std::int64_t place) { output[place] += input[i]; });
  const std::int64_t count = reducedElements(call, axes);
  for (std::int64_t i = 0; i < outputs; ++i) output[i] = output[i] / static_cast<float>(count);
}

/// Mean of int8: the output is cleared before the input is read; the count is part of the factor.
void meanOfBytes(const Call& call, const std::vector<int>& axes) {
  call.require(call.in(0).scale() > 0 && call.out().scale() > 0, "a scale is missing");
  auto factor = Multiplier::of(static_cast<double>(call.in(0).scale()) /
                               static_cast<double>(call.out().scale()));
  const auto* input = call.in(0).as<std::int8_t>();
  auto* output = call.out().as<std::int8_t>();
  const std::int64_t outputs = call.out().elements();
  std::vector<std::int32_t> sums(static_cast<std::size_t>(outputs), 0);
  std::fill_n(output, outputs, std::int8_t{0});
  walkReduced(call, axes, [&](std::int64_t i, std::int64_t place) {
    sums[static_cast<std::size_t>(place)] += input[i];
  });
  const std::int64_t count = reducedElements(call, axes);
  if (count == 0) return;
  const int zeros = std::countl_zero(static_cast<std::uint64_t>(count));
  const int shift = std::min({63 - zeros, 32, 31 + factor.shift});
  factor.factor = static_cast<std::int32_t>((std::int64_t{factor.factor} << shift) / count);
  factor.shift -= shift;
  for (std::int64_t i = 0; i < outputs; ++i) {
    const auto sum =
        static_cast<std::int32_t>(sums[static_cast<std::size_t>(i)] - call.in(0).zero() * count);
    output[i] = static_cast<std::int8_t>(std::clamp(factor(sum) + call.out().zero(), -128, 127));
  }
}

}  // namespace

void softmax(const Call& call) {
  call.require(!call.in(0).shape().empty() && call.in(0).elements() == call.out().elements(),
               "its sizes differ");
  const int depth = call.in(0).shape().back();
  const std::int64_t rows = depth == 0 ? 0 : call.in(0).elements() / depth;
  if (call.isOf(Type::kFloat32)) {
    for (std::int64_t i = 0; i < rows; ++i) {
      softmaxOfFloats(call.in(0).as<float>() + i * depth, call.out().as<float>() + i * depth, depth,
                      call.option<float>(0, 0));
    }
    return;
  }
  if (!call.isOf(Type::kInt8)) call.refuseTypes();
  const Softmax8 row(call);
  for (std::int64_t i = 0; i < rows; ++i) {
    row(call.in(0).as<std::int8_t>() + i * depth, call.out().as<std::int8_t>() + i * depth, depth);
  }
}

void mean(const Call& call) {
  const std::vector<int> axes = meanAxes(call);
  if (call.isOf(Type::kInt8)) return meanOfBytes(call, axes);
  if (!call.isOf(Type::kFloat32)) call.refuseTypes();
  // Axes that count from the end are not seen as these.
  const auto* given = call.in(1).as<std::int32_t>();
  const bool plane =
      call.in(1).elements() == 2 && given[0] + given[1] == 3 && std::min(given[0], given[1]) == 1;
  if (call.in(0).shape().size() == 4 && plane && call.option<std::uint8_t>(0, 0) != 0) {
    return meanOfImage(call);
  }
  meanOfFloats(call, axes);
}

}  // namespace hw::test::tfl
