#include <algorithm>
#include <cmath>

#include "tests/support/tflite/kernels.h"

namespace hw::test::tfl {
namespace {

struct Pool {
  Image input{};
  Image output{};
  Window window{};
};

Pool poolOf(const Call& call) {
  Pool pool{.input = imageOf(call, call.in(0)), .output = imageOf(call, call.out())};
  pool.window.strideX = call.option<std::int32_t>(1, 0);
  pool.window.strideY = call.option<std::int32_t>(2, 0);
  pool.window.width = call.option<std::int32_t>(3, 0);
  pool.window.height = call.option<std::int32_t>(4, 0);
  pool.window.pad(call, call.option<std::int8_t>(0, 0) == 0, pool.input);
  call.require(pool.input.batches == pool.output.batches && pool.input.depth == pool.output.depth,
               "its batches or channels differ");
  return pool;
}

/// Walk over the outputs of a pool: `start` makes a new state, `take(state, element)` adds an
/// element to it, `finish(state, count)` is the output.
template <class T, class Start, class Take, class Finish>
void walk(const Call& call, const Pool& pool, Start start, Take take, Finish finish) {
  const auto* input = call.in(0).as<T>();
  auto* output = call.out().as<T>();
  const auto poolAt = [&](int batch, int top, int left, int channel) {
    auto state = start();
    const int lastY = std::min(pool.window.height, pool.input.height - top);
    const int lastX = std::min(pool.window.width, pool.input.width - left);
    int count = 0;
    for (int j = std::max(0, -top); j < lastY; ++j) {
      for (int i = std::max(0, -left); i < lastX; ++i, ++count) {
        take(state,
             input[pool.input.at(batch, top + j, left + i) + static_cast<std::size_t>(channel)]);
      }
    }
    return finish(state, count);
  };
  for (int batch = 0; batch < pool.output.batches; ++batch) {
    for (int y = 0; y < pool.output.height; ++y) {
      for (int x = 0; x < pool.output.width; ++x) {
        for (int channel = 0; channel < pool.output.depth; ++channel) {
          *output++ = poolAt(batch, y * pool.window.strideY - pool.window.padTop,
                             x * pool.window.strideX - pool.window.padLeft, channel);
        }
      }
    }
  }
}

void averageOfFloats(const Call& call, const Pool& pool, const Bounds<float>& bounds) {
  walk<float>(
      call, pool, [] { return 0.0F; }, [](float& sum, float x) { sum += x; },
      [&](float sum, int count) {
        call.require(count > 0, "an output has no input");
        return bounds(sum / static_cast<float>(count));
      });
}

void averageOfBytes(const Call& call, const Pool& pool, const Bounds<std::int32_t>& bounds) {
  walk<std::int8_t>(
      call, pool, [] { return std::int32_t{0}; },
      [](std::int32_t& sum, std::int8_t x) { sum += x; },
      [&](std::int32_t sum, int count) {
        call.require(count > 0, "an output has no input");
        const std::int32_t half = sum > 0 ? count / 2 : -(count / 2);
        return static_cast<std::int8_t>(bounds((sum + half) / count));
      });
}

template <class T, class B>
void most(const Call& call, const Pool& pool, const Bounds<B>& bounds) {
  walk<T>(
      call, pool, [] { return std::numeric_limits<T>::lowest(); },
      [](T& greatest, T x) { greatest = std::max(greatest, x); },
      [&](T greatest, int) { return static_cast<T>(bounds(greatest)); });
}

void checkScales(const Call& call) {
  call.require(std::abs(call.in(0).scale() - call.out().scale()) <= 1.0e-6F &&
                   call.in(0).zero() == call.out().zero(),
               "its input and output have different scales");
}

}  // namespace

void averagePool(const Call& call) {
  const Pool pool = poolOf(call);
  const int activation = call.option<std::int8_t>(5, 0);
  if (call.isOf(Type::kFloat32)) return averageOfFloats(call, pool, floatBounds(call, activation));
  if (!call.isOf(Type::kInt8)) call.refuseTypes();
  checkScales(call);
  averageOfBytes(call, pool, quantizedBounds(call, activation));
}

void maxPool(const Call& call) {
  const Pool pool = poolOf(call);
  const int activation = call.option<std::int8_t>(5, 0);
  if (call.isOf(Type::kFloat32)) return most<float>(call, pool, floatBounds(call, activation));
  if (!call.isOf(Type::kInt8)) call.refuseTypes();
  checkScales(call);
  most<std::int8_t>(call, pool, quantizedBounds(call, activation));
}

}  // namespace hw::test::tfl
