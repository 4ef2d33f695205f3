#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/import/importer.h"

namespace hw {

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
/// target with smaller ones asks for less. `type` is as TFLite has it, "CONV_2D"; of `custom`
/// operators but that one nothing is known.
KernelScratch kernelScratch(std::string_view type, bool custom,
                            const std::vector<KernelOperand>& inputs,
                            const std::vector<KernelOperand>& outputs,
                            const KernelOptions& options = {});

/// `model` with the scratch of its kernels as tensors of their own, made by the operator that needs
/// them and read by nobody: it is planned with the rest. So is what is computed of weights alone,
/// which tflite-micro does in every run. A note says how much there is, and which
/// operators nothing is known of. Fails unless it is a TFLite graph.
Result<Model> withKernelScratch(Model model);

}  // namespace hw
