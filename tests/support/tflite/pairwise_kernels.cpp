#include <algorithm>
#include <array>

#include "tests/support/tflite/kernels.h"

namespace hw::test::tfl {
namespace {

/// Loops over the outputs of two inputs, where an axis of length 1 stands for any length. Axes that
/// both inputs walk in one go are one loop; in the innermost, an input that stands still is read
/// once, before the first output is written.
class Broadcast {
 public:
  explicit Broadcast(const Call& call) : call_(call) {
    const std::size_t rank = call.out().shape().size();
    const std::array<std::vector<std::int32_t>, 2> inputs = {extended(0, rank), extended(1, rank)};
    std::array<std::int64_t, 2> walked = {1, 1};
    for (std::size_t axis = rank; axis-- > 0;) {
      const std::int32_t size = call.out().shape()[axis];
      Loop loop{.count = size};
      for (std::size_t i = 0; i < 2; ++i) {
        loop.strides[i] = inputs[i][axis] == 1 && size != 1 ? 0 : walked[i];
      }
      if (!loops_.empty() && continues(loop, walked, loops_.back())) {
        loops_.back().count *= size;
      } else {
        loops_.push_back(loop);
      }
      for (std::size_t i = 0; i < 2; ++i) walked[i] *= inputs[i][axis];
    }
    if (loops_.empty()) loops_.push_back({.count = 1, .strides = {1, 1}});
  }

  /// Calls `op(first, second)` for each output, in ascending order.
  template <class In, class Out, class Op>
  void run(Op op) const {
    if (call_.out().elements() == 0) return;
    requireOneType<In, Out>(call_);
    auto* output = call_.out().as<Out>();
    runLoop(loops_.size() - 1, call_.in(0).as<In>(), call_.in(1).as<In>(), output, op);
  }

 private:
  /// Loop with the steps of both inputs.
  struct Loop {
    std::int64_t count = 1;
    std::array<std::int64_t, 2> strides{};
  };

  std::vector<std::int32_t> extended(std::size_t input, std::size_t rank) const {
    const auto& shape = call_.in(input).shape();
    call_.require(shape.size() <= rank, "an input has more axes than the output");
    std::vector<std::int32_t> all(rank - shape.size(), 1);
    all.insert(all.end(), shape.begin(), shape.end());
    for (std::size_t axis = 0; axis < rank; ++axis) {
      call_.require(all[axis] == 1 || all[axis] == call_.out().shape()[axis],
                    "its shapes do not fit one another");
    }
    return all;
  }

  /// True if `loop` goes on where the loop inside it ends, or stands still as that does.
  static bool continues(const Loop& loop, const std::array<std::int64_t, 2>& walked,
                        const Loop& inner) {
    if (loop.count == 1) return true;
    for (std::size_t i = 0; i < 2; ++i) {
      const std::int64_t expected = inner.strides[i] == 0 ? 0 : walked[i];
      if (loop.strides[i] != expected) return false;
    }
    return true;
  }

  template <class In, class Out, class Op>
  void runLoop(std::size_t depth, const In* first, const In* second, Out*& output, Op op) const {
    const auto& [count, strides] = loops_[depth];
    if (depth > 0) {
      for (std::int64_t i = 0; i < count; ++i) {
        runLoop(depth - 1, first + i * strides[0], second + i * strides[1], output, op);
      }
    } else if (strides[0] == 0) {
      const In still = *first;
      for (std::int64_t i = 0; i < count; ++i) *output++ = op(still, second[i]);
    } else if (strides[1] == 0) {
      const In still = *second;
      for (std::int64_t i = 0; i < count; ++i) *output++ = op(first[i], still);
    } else {
      for (std::int64_t i = 0; i < count; ++i) *output++ = op(first[i], second[i]);
    }
  }

  const Call& call_;
  std::vector<Loop> loops_;  ///< From the innermost out.
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
