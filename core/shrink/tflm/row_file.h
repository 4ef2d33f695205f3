#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/shrink/tflm/row_search.h"

namespace hw {

/// One way to run a model on tflite-micro, and what its arena takes.
struct TflmWay {
  std::string name{};       ///< "in parts".
  Bytes head{};             ///< As the runtime lays it out, scratch of known kernels included.
  Bytes tail{};             ///< What it never gives back, an estimate.
  double extraMacs = 0;     ///< Multiplications made again / those of the model.
  double weightsAgain = 0;  ///< Bytes of weights that are read once more / those of the model.
  std::size_t operators = 0;
  bool loops = false;  ///< It needs the operators of a loop.
  std::string runs{};  ///< "0-3 in 8 parts (loop), 4-7 in 3 parts"; operators of the model.

  Bytes total() const { return head + tail; }
};

/// Ways to run a model on tflite-micro: as the runtime plans it itself, then whole operators with a
/// plan in the file, overlapping where kernels allow it, then in parts, each needing fewer bytes.
struct TflmShrink {
  std::vector<TflmWay> ways{};
  std::size_t chosen = 0;
  std::string file{};  ///< The TFLite file of the way that is chosen.
  std::optional<Bytes> budget{};
  std::vector<std::string> notes{};
  bool stopped = false;

  const TflmWay& best() const { return ways[chosen]; }
  bool isWithinBudget() const { return !budget || best().total() <= *budget; }
};

/// The TFLite file in which `plan`, of the model in `file`, runs on tflite-micro. Throws Refusal
/// where the file is damaged.
std::string rowFile(std::string_view file, const RowPlan& plan);

/// Looks for TFLite files that make the results of `file`, bit for bit, in a smaller arena of an
/// unmodified tflite-micro on a target with pointers of `pointer` bytes, 4 or 8. Parts read and
/// write views, which are tensors without a producer that lie inside the bytes of another one;
/// where each lies is in the metadata OfflineMemoryAllocation, without which the file is wrong.
/// Chosen is the smallest; with a budget, the one within it with the fewest multiplications. Fails
/// where the runtime cannot allocate the model; a model whose operators cannot go by rows has no
/// ways in parts, and notes say why.
Result<TflmShrink> shrinkForTflm(std::string_view file, std::int64_t pointer,
                                 const RowSearchOptions& options);

}  // namespace hw
