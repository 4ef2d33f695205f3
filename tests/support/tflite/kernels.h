#pragma once

#include <limits>
#include <type_traits>

#include "tests/support/tflite/fixed_point.h"
#include "tests/support/tflite/model.h"

namespace hw::test::tfl {

/// Tensor and its bytes; `about` is null where an operator leaves an input out.
struct Operand {
  const Tensor* about = nullptr;
  std::byte* data = nullptr;

  Type type() const { return about->type; }
  const std::vector<std::int32_t>& shape() const { return about->shape; }
  std::int64_t elements() const { return about->elements(); }
  /// Scale and zero point of the whole tensor, 0 where it has none.
  float scale() const { return about->scales.empty() ? 0 : about->scales.front(); }
  std::int32_t zero() const {
    return about->zeros.empty() ? 0 : static_cast<std::int32_t>(about->zeros.front());
  }
  template <class T>
  T* as() const {
    return reinterpret_cast<T*>(data);
  }
};

/// Call of an operator. Inputs and outputs may share bytes.
struct Call {
  const Operator* op = nullptr;
  std::vector<Operand> inputs{};
  std::vector<Operand> outputs{};

  bool has(std::size_t input) const {
    return input < inputs.size() && inputs[input].about != nullptr;
  }
  /// Input that must be there.
  const Operand& in(std::size_t input) const;
  const Operand& out() const;
  /// Its first input and its output are.
  bool isOf(Type type) const { return in(0).type() == type && out().type() == type; }
  template <class T>
  T option(int field, T standard) const {
    return op->options ? op->options->number<T>(field, standard) : standard;
  }
  /// Throws a Refusal of this operator.
  [[noreturn]] void refuse(const std::string& why) const;
  [[noreturn]] void refuseTypes() const;
  void require(bool holds, const char* what) const {
    if (!holds) refuse(what);
  }
};

/// Kernel: it reads inputs while it writes outputs, element by element in ascending order, as the
/// reference kernels of tflite-micro do, so bytes shared by both change in the same way.
using Kernel = void (*)(const Call&);

/// Kernel of an operator, null for one that is not known.
Kernel kernelOf(std::int32_t code);

void convolution(const Call& call);
void depthwiseConvolution(const Call& call);
void fullyConnected(const Call& call);
void averagePool(const Call& call);
void maxPool(const Call& call);
void add(const Call& call);
void subtract(const Call& call);
void multiply(const Call& call);
void less(const Call& call);
void relu(const Call& call);
void relu6(const Call& call);
void logistic(const Call& call);
void hyperbolicTangent(const Call& call);
void hardSwish(const Call& call);
void leakyRelu(const Call& call);
void quantize(const Call& call);
void dequantize(const Call& call);
void softmax(const Call& call);
void mean(const Call& call);
void pad(const Call& call);
void concatenate(const Call& call);
void reshape(const Call& call);
void resizeNearest(const Call& call);
void slice(const Call& call);
void updateSlice(const Call& call);
void transpose(const Call& call);

/// Bounds that a fused activation sets.
template <class T>
struct Bounds {
  T least = std::numeric_limits<T>::lowest();
  T most = std::numeric_limits<T>::max();

  T operator()(T x) const { return std::min(std::max(x, least), most); }
};

Bounds<float> floatBounds(const Call& call, int activation);
/// Bounds in the numbers of an int8 output.
Bounds<std::int32_t> quantizedBounds(const Call& call, int activation);

/// Image of four axes.
struct Image {
  int batches = 1;
  int height = 1;
  int width = 1;
  int depth = 1;

  /// Place of an element in a row of channels.
  std::size_t at(int batch, int y, int x) const {
    return ((static_cast<std::size_t>(batch) * static_cast<std::size_t>(height) +
             static_cast<std::size_t>(y)) *
                static_cast<std::size_t>(width) +
            static_cast<std::size_t>(x)) *
           static_cast<std::size_t>(depth);
  }
};
Image imageOf(const Call& call, const Operand& operand);

/// Window that moves over an image.
struct Window {
  int height = 1;
  int width = 1;
  int strideY = 1;
  int strideX = 1;
  int dilationY = 1;
  int dilationX = 1;
  int padTop = 0;
  int padLeft = 0;

  /// Sets the padding, which follows from the input's size and never from the output's.
  void pad(const Call& call, bool same, const Image& input);
};

/// Overlaps of inputs and the output that a kernel of C++ gives a meaning to: those of one type, or
/// of which one is of bytes. Others are refused.
void requireOverlap(const Call& call, bool sameTypes);

template <class In, class Out>
void requireOneType(const Call& call) {
  constexpr bool kBytes = sizeof(In) == 1 || sizeof(Out) == 1;
  requireOverlap(call, std::is_same_v<In, Out> || (kBytes && call.out().type() != Type::kBool));
}

/// Copies bytes as `memcpy` does: the same place stays as it is, a partial overlap is refused,
/// since nothing says what comes of it.
void copyBytes(const Call& call, std::byte* to, const std::byte* from, std::size_t count);

}  // namespace hw::test::tfl
