#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/exchange/tflm/kernel_scratch.h"
#include "core/import/tflite/model.h"

namespace hw {

/// A taker of bytes from the head of tflite-micro's arena: a tensor, or scratch of an operator.
struct TflmBuffer {
  static constexpr std::int32_t kNever = -1;

  std::size_t subgraph = 0;
  std::size_t index = 0;  ///< Of the tensor, or of the operator whose scratch it is.
  Bytes size{};           ///< Rounded up as the runtime does it; none: it gives it no bytes.
  /// The scopes in which it is live, both inclusive. The runtime numbers them: 0 for the model's
  /// inputs, then one for each operator and one for each subgraph that an operator calls.
  std::int32_t first = kNever;
  std::int32_t last = kNever;
};

/// A TFLite file as tflite-micro (its commit 90b983c) sees it when it plans memory: every tensor of
/// every subgraph, with the lives that the runtime works out.
struct TflmProgram {
  std::vector<TflmBuffer> tensors{};   ///< Of all subgraphs, one after the other.
  std::vector<std::size_t> starts{};   ///< Where each subgraph begins among them.
  std::vector<bool> runs{};            ///< By subgraph: the first one, and what it calls.
  std::vector<TflmBuffer> scratch{};   ///< In the order in which kernels ask for it.
  Bytes variables{};                   ///< All of them together, which the tail has.
  std::vector<std::string> unknown{};  ///< Operators of unknown scratch, each type once.
};

/// Everything is a multiple of it in the arena, sizes and offsets.
inline constexpr Bytes kTflmAlignment{16};

/// The program of a file, with the scratch of the kernels of `library`. Fails on what the runtime
/// cannot allocate: free dimensions, types without a size, calls in a circle. Throws Refusal where
/// the file is damaged.
Result<TflmProgram> tflmProgram(const TfliteFile& file,
                                KernelLibrary library = KernelLibrary::reference);

/// About how many bytes tflite-micro keeps at the tail of its arena, which is not planned: lists of
/// tensors and operators, what kernels keep from run to run, and all variables, resources too. An
/// estimate: kernels of other versions and of vendors keep more or less, how many resources there
/// may be is the application's choice, and of custom operators nothing is known. `pointer` is the
/// target's, 4 or 8 bytes.
Bytes tflmTail(const TfliteFile& file, const TflmProgram& program, std::int64_t pointer);

/// The part of it that one tensor takes, and one operator of a subgraph.
std::int64_t tflmTensorTail(std::int64_t pointer);
std::int64_t tflmOpTail(const TfliteSubgraph& graph, const TfliteOp& op, std::int64_t pointer);

}  // namespace hw
