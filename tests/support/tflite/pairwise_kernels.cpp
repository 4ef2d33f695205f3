#include <algorithm>
#include <array>

#include "tests/support/tflite/kernels.h"

namespace hw::test::tfl {
namespace {

/// Places of the elements of two inputs that belong to each output, where an axis of length 1
/// stands for any length.
class Broadcast {
 public:
  explicit Broadcast(const Call& call) : call_(call), rank_(call.out().shape().size()) {
    for (std::size_t input = 0; input < 2; ++input) {
      const auto& shape = call.in(input).shape();
      call.require(shape.size() <= rank_, "an input has more axes than the output");
      strides_[input].assign(rank_, 0);
      std::int64_t stride = 1;
      for (std::size_t i = shape.size(); i-- > 0;) {
        const std::size_t axis = i + rank_ - shape.size();
        const std::int32_t size = call.out().shape()[axis];
        call.require(shape[i] == size || shape[i] == 1, "its shapes do not fit one another");
        if (shape[i] != 1) strides_[input][axis] = stride;
        stride *= shape[i];
      }
    }
  }

  /// Calls `op(first, second)` for each output, in ascending order.
  template <class In, class Out, class Op>
  void run(Op op) const {
    const auto* first = call_.in(0).as<In>();
    const auto* second = call_.in(1).as<In>();
    auto* output = call_.out().as<Out>();
    const std::int64_t count = call_.out().elements();
    std::vector<std::int32_t> index(rank_, 0);
    std::array<std::int64_t, 2> at{};
    for (std::int64_t i = 0; i < count; ++i) {
      output[i] = op(first[at[0]], second[at[1]]);
      advance(index, at);
    }
  }

 private:
  void advance(std::vector<std::int32_t>& index, std::array<std::int64_t, 2>& at) const {
    for (std::size_t axis = rank_; axis-- > 0;) {
      for (std::size_t input = 0; input < 2; ++input) at[input] += strides_[input][axis];
      if (++index[axis] < call_.out().shape()[axis]) return;
      for (std::size_t input = 0; input < 2; ++input) {
        at[input] -= strides_[input][axis] * index[axis];
      }
      index[axis] = 0;
    }
  }

  const Call& call_;
  std::size_t rank_;
  std::array<std::vector<std::int64_t>, 2> strides_{};
};

bool allAre(const Call& call, Type type) {
  return call.in(0).type() == type && call.in(1).type() == type && call.out().type() == type;
}

/// Sum or difference of int8: both brought to twice the larger scale, with 20 bits behind the
/// point.
struct ScaledSum {
  explicit ScaledSum(const Call& call)
      : bounds(quantizedBounds(call, call.option<std::int8_t>(0, 0))) {
    for (std::size_t i = 0; i < 2; ++i) {
      call.require(call.in(i).scale() > 0, "a scale is missing");
      zeros[i] = call.in(i).zero();
    }
    outputZero = call.out().zero();
  }

  std::int8_t operator()(std::int8_t first, std::int8_t second, int sign) const {
    const std::int32_t a = factors[0]((first - zeros[0]) * (1 << kBits));
    const std::int32_t b = factors[1]((second - zeros[1]) * (1 << kBits));
    return static_cast<std::int8_t>(bounds(outputFactor(a + sign * b) + outputZero));
  }

  static constexpr int kBits = 20;
  Bounds<std::int32_t> bounds;
  std::array<std::int32_t, 2> zeros{};
  std::int32_t outputZero = 0;
  std::array<Multiplier, 2> factors{};
  Multiplier outputFactor{};
};

/// Factors of an addition, whose quotients are of float64.
ScaledSum scaledSum(const Call& call) {
  ScaledSum sum(call);
  const double twice = 2 * static_cast<double>(std::max(call.in(0).scale(), call.in(1).scale()));
  for (std::size_t i = 0; i < 2; ++i) {
    sum.factors[i] = Multiplier::of(static_cast<double>(call.in(i).scale()) / twice);
  }
  sum.outputFactor =
      Multiplier::of(twice / ((1 << ScaledSum::kBits) * static_cast<double>(call.out().scale())));
  return sum;
}

/// Factors of a subtraction, whose quotients are of float32.
ScaledSum scaledDifference(const Call& call) {
  ScaledSum sum(call);
  const float twice = 2 * std::max(call.in(0).scale(), call.in(1).scale());
  for (std::size_t i = 0; i < 2; ++i) {
    sum.factors[i] = Multiplier::of(static_cast<double>(call.in(i).scale() / twice));
  }
  sum.outputFactor =
      Multiplier::of(static_cast<double>(twice / ((1 << ScaledSum::kBits) * call.out().scale())));
  return sum;
}

std::int32_t wrapped(std::int64_t x) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(static_cast<std::uint64_t>(x)));
}

/// Output of float32 or int32 with the bounds of the activation.
template <class Op>
bool runPlain(const Call& call, const Broadcast& broadcast, Op op) {
  const int activation = call.option<std::int8_t>(0, 0);
  if (allAre(call, Type::kFloat32)) {
    const Bounds<float> bounds = floatBounds(call, activation);
    broadcast.run<float, float>([&](float a, float b) { return bounds(op(a, b)); });
    return true;
  }
  if (!allAre(call, Type::kInt32)) return false;
  call.require(activation == 0, "no activations of int32 are known");
  broadcast.run<std::int32_t, std::int32_t>([&](std::int32_t a, std::int32_t b) {
    return wrapped(op(std::int64_t{a}, std::int64_t{b}));
  });
  return true;
}

}  // namespace

void add(const Call& call) {
  const Broadcast broadcast(call);
  if (runPlain(call, broadcast, [](auto a, auto b) { return a + b; })) return;
  if (!allAre(call, Type::kInt8)) call.refuseTypes();
  const ScaledSum sum = scaledSum(call);
  broadcast.run<std::int8_t, std::int8_t>(
      [&](std::int8_t a, std::int8_t b) { return sum(a, b, 1); });
}

void subtract(const Call& call) {
  const Broadcast broadcast(call);
  if (runPlain(call, broadcast, [](auto a, auto b) { return a - b; })) return;
  if (!allAre(call, Type::kInt8)) call.refuseTypes();
  const ScaledSum sum = scaledDifference(call);
  broadcast.run<std::int8_t, std::int8_t>(
      [&](std::int8_t a, std::int8_t b) { return sum(a, b, -1); });
}

void multiply(const Call& call) {
  const Broadcast broadcast(call);
  if (runPlain(call, broadcast, [](auto a, auto b) { return a * b; })) return;
  if (!allAre(call, Type::kInt8)) call.refuseTypes();
  const auto bounds = quantizedBounds(call, call.option<std::int8_t>(0, 0));
  const auto factor = Multiplier::of(static_cast<double>(call.in(0).scale()) *
                                     static_cast<double>(call.in(1).scale()) /
                                     static_cast<double>(call.out().scale()));
  const std::int32_t firstZero = call.in(0).zero();
  const std::int32_t secondZero = call.in(1).zero();
  const std::int32_t outputZero = call.out().zero();
  broadcast.run<std::int8_t, std::int8_t>([&](std::int8_t a, std::int8_t b) {
    return static_cast<std::int8_t>(
        bounds(outputZero + factor((a - firstZero) * (b - secondZero))));
  });
}

void less(const Call& call) {
  const Broadcast broadcast(call);
  call.require(call.out().type() == Type::kBool && call.in(0).type() == call.in(1).type(),
               "its types differ");
  const auto compare = [](auto a, auto b) { return static_cast<std::uint8_t>(a < b ? 1 : 0); };
  switch (call.in(0).type()) {
    case Type::kFloat32:
      return broadcast.run<float, std::uint8_t>(compare);
    case Type::kInt32:
      return broadcast.run<std::int32_t, std::uint8_t>(compare);
    case Type::kInt64:
      return broadcast.run<std::int64_t, std::uint8_t>(compare);
    default:
      call.refuseTypes();
  }
}

}  // namespace hw::test::tfl
