#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/import/importer.h"

namespace hw {

/// The kernels that tflite-micro is built with: its own, or those of CMSIS-NN where it has them,
/// for cores with DSP instructions (Cortex-M4, M7, M33) or with vectors (MVE: Cortex-M52, M55,
/// M85).
enum class KernelLibrary : std::uint8_t { reference, cmsisDsp, cmsisMve };
/// As `--scratch` calls them.
inline constexpr std::array<std::string_view, 3> kKernelLibraries = {"tflm", "cmsis-dsp",
                                                                     "cmsis-mve"};

/// An operand as a kernel sees it before it runs; absent ones have no shape.
struct KernelOperand {
  Dtype dtype = Dtype::unknown;
  std::optional<Shape> shape{};
};

/// Memory that a kernel asks tflite-micro for besides its operands, for the time that it runs.
struct KernelScratch {
  std::vector<Bytes> buffers{};  ///< Exact, in the order in which it asks.
  bool known = true;             ///< False: an operand's size is not, or whose kernel it is.
};

/// Options of an operator that its scratch depends on, by name.
using KernelOptions = std::map<std::string, AttributeValue>;

/// Scratch buffers of tflite-micro's reference kernels, as of its commit 90b983c: sums of SVDF, the
/// four gates of an LSTM, indices of reductions, accumulators of TRANSPOSE_CONV, boxes and scores
/// of TFLite_Detection_PostProcess, and filters of four bits unpacked. Pointers count as 8 bytes; a
/// target with smaller ones asks for less. Of CMSIS-NN, as of its version 7, built for speed by GCC
/// or Clang: columns and windows of images of convolutions, reversed filters and sums of transposed
/// ones, and sums of poolings; of its kernels for other types than int8, and for gates of an LSTM,
/// nothing is known. `type` is as TFLite has it, "CONV_2D"; of `custom` operators but that
/// one nothing is known.
KernelScratch kernelScratch(std::string_view type, bool custom,
                            const std::vector<KernelOperand>& inputs,
                            const std::vector<KernelOperand>& outputs,
                            const KernelOptions& options = {},
                            KernelLibrary library = KernelLibrary::reference);

/// `model` with the scratch of its kernels as tensors of their own, made by the operator that needs
/// them and read by nobody: it is planned with the rest. So is what is computed of weights alone,
/// which tflite-micro does in every run. A note says how much there is, and which
/// operators nothing is known of. Fails unless it is a TFLite graph.
Result<Model> withKernelScratch(Model model, KernelLibrary library = KernelLibrary::reference);

}  // namespace hw
