#include "core/insight/runtime_kernels.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace hw {
namespace {

constexpr std::string_view kMicrosoft = "com.microsoft";
constexpr std::string_view kClassic = "ai.onnx.ml";

constexpr RuntimeKernel over(std::string_view type, std::string_view domain = "",
                             std::uint8_t input = 0, std::uint8_t output = 0) {
  return {type, domain, input, output, false};
}

constexpr RuntimeKernel shows(std::string_view type, std::string_view domain = "",
                              std::uint8_t input = 0, std::uint8_t output = 0) {
  return {type, domain, input, output, true};
}

// Measured with version 1.30 of the runtime, operator by operator: a convolution's output goes into
// the operator, static shapes, one thread, nothing rewritten. Those of ai.onnx.ml, com.microsoft
// and the rarer ones are as its kernels are registered. Whatever is missing here never shares:
// additions, products, normalizations, depthwise convolutions and the like do not.
constexpr std::array kKernels = {
    over("Affine", kMicrosoft),
    shows("BatchNormalization", "", 3, 1),
    shows("BatchNormalization", "", 4, 2),
    over("BlackmanWindow"),
    over("Cast"),
    over("Celu"),
    over("Clip"),
    over("DFT"),
    over("DecoderMaskedMultiHeadAttention", kMicrosoft, 5, 1),
    over("DecoderMaskedMultiHeadAttention", kMicrosoft, 6, 2),
    over("Elu"),
    shows("ExpandDims", kMicrosoft),
    shows("Flatten"),
    over("FusedConv", kMicrosoft, 3),
    over("HammingWindow"),
    over("HannWindow"),
    over("HardSigmoid"),
    shows("Identity"),
    over("LeakyRelu"),
    over("LogSoftmax"),
    over("MoE", kMicrosoft),
    over("Normalizer", kClassic),
    shows("Optional"),
    shows("OptionalGetElement"),
    over("ParametricSoftplus", kMicrosoft),
    over("Relu"),
    shows("Reshape"),
    over("ScaledTanh", kMicrosoft),
    over("Scaler", kClassic),
    over("Scatter"),
    over("ScatterElements"),
    over("Selu"),
    over("Shrink"),
    over("Sigmoid"),
    over("Softmax"),
    over("Softplus"),
    over("Softsign"),
    shows("Squeeze"),
    over("Tanh"),
    over("ThresholdedRelu"),
    over("TreeEnsemble", kClassic),
    over("TreeEnsembleRegressor", kClassic),
    over("Trilu"),
    shows("Unsqueeze"),
};

constexpr bool byType(const RuntimeKernel& a, const RuntimeKernel& b) { return a.type < b.type; }
static_assert(std::ranges::is_sorted(kKernels, byType));

}  // namespace

std::span<const RuntimeKernel> runtimeKernels(const Op& op) {
  // Clang 14 cannot use the subrange that std::ranges::equal_range returns.
  const auto [begin, end] =
      std::equal_range(kKernels.begin(), kKernels.end(), RuntimeKernel{.type = op.type}, byType);
  if (begin == end || begin->domain != op.domain) return {};
  return {begin, end};
}

}  // namespace hw
