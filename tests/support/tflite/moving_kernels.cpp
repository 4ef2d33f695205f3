#include <algorithm>
#include <array>
#include <cmath>

#include "tests/support/tflite/kernels.h"

namespace hw::test::tfl {
namespace {

/// Shape with axes of length 1 in front, so that it has five.
std::array<std::int32_t, 5> fiveAxes(const Call& call, const Operand& operand) {
  const auto& shape = operand.shape();
  call.require(shape.size() <= 5, "it has more than five axes");
  std::array<std::int32_t, 5> five{1, 1, 1, 1, 1};
  std::ranges::copy(shape, five.end() - static_cast<std::ptrdiff_t>(shape.size()));
  return five;
}

bool sameTypes(const Call& call) { return call.in(0).type() == call.out().type(); }

/// Integers of an input of int32 or int64.
std::vector<std::int64_t> integers(const Call& call, std::size_t input) {
  const Operand& operand = call.in(input);
  std::vector<std::int64_t> all(static_cast<std::size_t>(operand.elements()));
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (operand.type() == Type::kInt32) {
      all[i] = operand.as<std::int32_t>()[i];
    } else if (operand.type() == Type::kInt64) {
      all[i] = operand.as<std::int64_t>()[i];
    } else {
      call.refuse("its integers are not of int32 or int64");
    }
  }
  return all;
}

/// Calls `run` with a number of the width of an element, for kernels that only move elements.
template <class Run>
void withWidth(const Call& call, Run run) {
  switch (call.in(0).about->width()) {
    case 1:
      return run(std::int8_t{});
    case 2:
      return run(std::int16_t{});
    case 4:
      return run(std::int32_t{});
    default:
      return run(std::int64_t{});
  }
}

/// Rows in front and behind on each of five axes.
struct Margins {
  std::array<std::int64_t, 5> before{};
  std::array<std::int64_t, 5> behind{};
};

Margins marginsOf(const Call& call) {
  const std::vector<std::int64_t> given = integers(call, 1);
  const std::size_t rank = call.in(0).shape().size();
  call.require(given.size() == 2 * rank && call.out().shape().size() == rank && rank <= 5,
               "its paddings do not fit its axes");
  Margins margins;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    const std::size_t place = axis + 5 - rank;
    margins.before[place] = given[2 * axis];
    margins.behind[place] = given[2 * axis + 1];
    call.require(given[2 * axis] >= 0 && given[2 * axis + 1] >= 0, "a padding is below 0");
    call.require(call.out().shape()[axis] ==
                     call.in(0).shape()[axis] + given[2 * axis] + given[2 * axis + 1],
                 "its output does not fit its paddings");
  }
  return margins;
}

/// Calls `visit` with the five indices of each element, in ascending order.
template <class Visit>
void visitAll(const std::array<std::int32_t, 5>& shape, Visit visit) {
  std::array<std::int32_t, 5> at{};
  std::int64_t count = 1;
  for (const std::int32_t size : shape) count *= size;
  for (std::int64_t i = 0; i < count; ++i) {
    visit(at);
    for (std::size_t axis = 5; axis-- > 0;) {
      if (++at[axis] < shape[axis]) break;
      at[axis] = 0;
    }
  }
}

template <class T>
void padWith(const Call& call, T value) {
  const Margins margins = marginsOf(call);
  const std::array<std::int32_t, 5> shape = fiveAxes(call, call.out());
  const auto* input = call.in(0).as<T>();
  auto* output = call.out().as<T>();
  visitAll(shape, [&](const std::array<std::int32_t, 5>& at) {
    bool outside = false;
    for (std::size_t axis = 0; axis < 5; ++axis) {
      outside = outside || at[axis] < margins.before[axis] ||
                at[axis] >= shape[axis] - margins.behind[axis];
    }
    *output++ = outside ? value : *input++;
  });
}

template <class T>
T padValue(const Call& call, T standard) {
  if (!call.has(2)) return standard;
  call.require(call.in(2).type() == call.in(0).type() && call.in(2).elements() == 1,
               "what it pads with does not fit");
  return *call.in(2).as<T>();
}

/// Element of the input nearest to an output's.
int nearest(int output, int inputs, int outputs, bool corners, bool centers) {
  const float scale = corners && outputs > 1
                          ? static_cast<float>(inputs - 1) / static_cast<float>(outputs - 1)
                          : static_cast<float>(inputs) / static_cast<float>(outputs);
  const float place = (static_cast<float>(output) + (centers ? 0.5F : 0.0F)) * scale;
  const int chosen = static_cast<int>(corners ? std::round(place) : std::floor(place));
  return std::max(0, std::min(chosen, inputs - 1));
}

/// Copies the rows of an update into a place of the output, axis by axis.
void updateRows(const Call& call, const std::vector<std::int64_t>& starts, std::size_t axis,
                std::byte* to, const std::byte* from) {
  const auto& shape = call.in(0).shape();
  const auto& update = call.in(1).shape();
  std::size_t toStride = call.in(0).about->width();
  std::size_t fromStride = toStride;
  for (std::size_t i = axis + 1; i < shape.size(); ++i) {
    toStride *= static_cast<std::size_t>(shape[i]);
    fromStride *= static_cast<std::size_t>(update[i]);
  }
  to += static_cast<std::size_t>(starts[axis]) * toStride;
  const auto count = static_cast<std::size_t>(update[axis]);
  if (axis + 1 == shape.size()) return copyBytes(call, to, from, count * toStride);
  for (std::size_t i = 0; i < count; ++i) {
    updateRows(call, starts, axis + 1, to + i * toStride, from + i * fromStride);
  }
}

template <class T>
void transposeElements(const Call& call, const std::vector<std::int64_t>& order) {
  const std::size_t rank = order.size();
  std::array<std::int64_t, 5> strides{};
  std::array<std::int64_t, 5> inputStrides{};
  std::int64_t stride = 1;
  for (std::size_t axis = rank; axis-- > 0;) {
    inputStrides[axis] = stride;
    stride *= call.in(0).shape()[axis];
  }
  for (std::size_t axis = 0; axis < rank; ++axis) {
    strides[axis + 5 - rank] = inputStrides[static_cast<std::size_t>(order[axis])];
  }
  const auto* input = call.in(0).as<T>();
  auto* output = call.out().as<T>();
  visitAll(fiveAxes(call, call.out()), [&](const std::array<std::int32_t, 5>& at) {
    std::int64_t from = 0;
    for (std::size_t axis = 0; axis < 5; ++axis) from += at[axis] * strides[axis];
    *output++ = input[from];
  });
}

}  // namespace

void pad(const Call& call) {
  if (!sameTypes(call)) call.refuseTypes();
  switch (call.in(0).type()) {
    case Type::kFloat32:
      return padWith<float>(call, padValue<float>(call, 0));
    case Type::kInt8:
      return padWith<std::int8_t>(call,
                                  padValue(call, static_cast<std::int8_t>(call.out().zero())));
    case Type::kInt16:
      return padWith<std::int16_t>(call, padValue<std::int16_t>(call, 0));
    case Type::kInt32:
      return padWith<std::int32_t>(call, padValue<std::int32_t>(call, 0));
    default:
      call.refuseTypes();
  }
}

void concatenate(const Call& call) {
  const auto& shape = call.out().shape();
  const auto given = call.option<std::int32_t>(0, 0);
  const auto rank = static_cast<std::int32_t>(shape.size());
  const auto axis = static_cast<std::size_t>(given < 0 ? given + rank : given);
  call.require(axis < shape.size(), "its axis is not there");
  call.require(call.option<std::int8_t>(1, 0) == 0, "it has an activation");
  std::int64_t outer = 1;
  std::int64_t inner = static_cast<std::int64_t>(call.out().about->width());
  for (std::size_t i = 0; i < axis; ++i) outer *= shape[i];
  for (std::size_t i = axis + 1; i < shape.size(); ++i) inner *= shape[i];
  std::int64_t total = 0;
  for (const Operand& input : call.inputs) {
    call.require(input.about != nullptr && input.type() == call.out().type() &&
                     input.shape().size() == shape.size(),
                 "an input has another type or other axes");
    for (std::size_t i = 0; i < shape.size(); ++i) {
      call.require(i == axis || input.shape()[i] == shape[i], "its shapes do not fit one another");
    }
    const bool sameScale = input.scale() == call.out().scale() && input.zero() == call.out().zero();
    call.require(input.type() != Type::kInt8 || sameScale, "an input has another scale");
    total += input.shape()[axis];
  }
  call.require(total == shape[axis], "its output does not fit its inputs");
  std::byte* to = call.out().data;
  for (std::int64_t k = 0; k < outer; ++k) {
    for (const Operand& input : call.inputs) {
      const auto size = static_cast<std::size_t>(input.shape()[axis] * inner);
      copyBytes(call, to, input.data + static_cast<std::size_t>(k) * size, size);
      to += size;
    }
  }
}

void reshape(const Call& call) {
  call.require(sameTypes(call) && call.in(0).elements() == call.out().elements(),
               "its sizes differ");
  copyBytes(call, call.out().data, call.in(0).data, call.in(0).about->bytes());
}

void resizeNearest(const Call& call) {
  if (!sameTypes(call)) call.refuseTypes();
  const Image input = imageOf(call, call.in(0));
  const Image output = imageOf(call, call.out());
  const std::vector<std::int64_t> size = integers(call, 1);
  call.require(size == std::vector<std::int64_t>{output.height, output.width} &&
                   input.batches == output.batches && input.depth == output.depth,
               "its output does not fit its sizes");
  const bool corners = call.option<std::uint8_t>(0, 0) != 0;
  const bool centers = call.option<std::uint8_t>(1, 0) != 0;
  const std::size_t width = call.in(0).about->width();
  std::byte* to = call.out().data;
  for (int batch = 0; batch < output.batches; ++batch) {
    for (int y = 0; y < output.height; ++y) {
      const int fromY = nearest(y, input.height, output.height, corners, centers);
      for (int x = 0; x < output.width; ++x) {
        const int fromX = nearest(x, input.width, output.width, corners, centers);
        const std::size_t row = static_cast<std::size_t>(input.depth) * width;
        copyBytes(call, to, call.in(0).data + input.at(batch, fromY, fromX) * width, row);
        to += row;
      }
    }
  }
}

void slice(const Call& call) {
  const std::array<std::int32_t, 5> shape = fiveAxes(call, call.in(0));
  const std::array<std::int32_t, 5> output = fiveAxes(call, call.out());
  const std::vector<std::int64_t> begin = integers(call, 1);
  const std::vector<std::int64_t> size = integers(call, 2);
  const std::size_t rank = call.in(0).shape().size();
  const Type type = call.in(0).type();
  if (!sameTypes(call) || type == Type::kUInt8 || type == Type::kInt64) call.refuseTypes();
  call.require(begin.size() == rank && size.size() == rank, "its begins do not fit its axes");
  std::array<std::int64_t, 5> first{};
  for (std::size_t axis = 5 - rank; axis < 5; ++axis) {
    const std::size_t given = axis + rank - 5;
    first[axis] = begin[given];
    const std::int64_t count = size[given] == -1 ? shape[axis] - begin[given] : size[given];
    call.require(begin[given] >= 0 && count == output[axis] && first[axis] + count <= shape[axis],
                 "it reads outside its input or does not fit its output");
  }
  withWidth(call, [&]<class T>(T) {
    const auto* from = call.in(0).as<T>();
    auto* to = call.out().as<T>();
    visitAll(output, [&](const std::array<std::int32_t, 5>& at) {
      std::int64_t place = 0;
      for (std::size_t axis = 0; axis < 5; ++axis) {
        place = place * shape[axis] + first[axis] + at[axis];
      }
      *to++ = from[place];
    });
  });
}

void updateSlice(const Call& call) {
  const auto& shape = call.in(0).shape();
  const auto& update = call.in(1).shape();
  const Type type = call.in(0).type();
  const bool known =
      type == Type::kFloat32 || type == Type::kInt8 || type == Type::kInt16 || type == Type::kInt32;
  if (!sameTypes(call) || call.in(1).type() != type || !known) call.refuseTypes();
  std::vector<std::int64_t> starts = integers(call, 2);
  call.require(starts.size() == shape.size() && update.size() == shape.size() &&
                   call.out().shape() == shape && !shape.empty(),
               "its shapes do not fit one another");
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    call.require(update[axis] <= shape[axis], "its update is larger than its operand");
    starts[axis] = std::clamp<std::int64_t>(starts[axis], 0, shape[axis] - update[axis]);
  }
  const std::size_t bytes = call.in(0).about->bytes();
  if (call.in(0).elements() == call.in(1).elements()) {
    return copyBytes(call, call.out().data, call.in(1).data, bytes);
  }
  // At one address nothing is copied.
  copyBytes(call, call.out().data, call.in(0).data, bytes);
  if (call.in(1).elements() == 0) return;
  updateRows(call, starts, 0, call.out().data, call.in(1).data);
}

void transpose(const Call& call) {
  const std::vector<std::int64_t> order = integers(call, 1);
  const auto& shape = call.in(0).shape();
  call.require(sameTypes(call) && order.size() == shape.size() && shape.size() <= 5 &&
                   call.out().shape().size() == shape.size(),
               "its order does not fit its axes");
  for (std::size_t axis = 0; axis < order.size(); ++axis) {
    const std::int64_t from = order[axis];
    call.require(from >= 0 && from < static_cast<std::int64_t>(shape.size()) &&
                     shape[static_cast<std::size_t>(from)] == call.out().shape()[axis],
                 "its output does not fit its order");
  }
  const Type type = call.in(0).type();
  if (type != Type::kFloat32 && type != Type::kInt8 && type != Type::kInt16) call.refuseTypes();
  withWidth(call, [&]<class T>(T) { transposeElements<T>(call, order); });
}

}  // namespace hw::test::tfl
