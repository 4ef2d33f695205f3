#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/import/importer.h"
#include "core/import/tflite/model.h"

namespace hw {

/// `Graph::format` of what `partsModel` makes.
inline constexpr std::string_view kTflitePartsFormat = "tflite-parts";

/// Offsets of a plan that a file brings along: by subgraph, and by its tensors.
using TfliteOffsets = std::vector<std::vector<std::optional<Bytes>>>;

/// The plan that a converter wrote into a file for TensorFlow Lite Micro to follow.
struct TfliteOfflinePlan {
  /// Nothing: the runtime decides. Without a plan, and behind the subgraphs that it is for, empty.
  TfliteOffsets offsets{};
  std::vector<std::string> notes{};
};

/// Reads the metadata "OfflineMemoryAllocation": int32 numbers, little-endian,
///
///   version 1 | subgraph | count n | offset of tensor 0 | ... | offset of tensor n - 1
///
/// where an offset of -1 is left to the runtime, and the tensors are those of all subgraphs, one
/// after the other, or of the first one alone. Anything else is noted and left out. Notes are about
/// `subgraph`.
TfliteOfflinePlan readOfflinePlan(const TfliteFile& file, std::size_t subgraph);

/// True if operators read tensors that nobody makes, at offsets of the plan and with the name of a
/// tensor that is made: views of its rows, as `shrink --runtime tflm` writes them. Scratch of
/// accelerators has names of its own.
bool readsViews(const TfliteFile& file, const TfliteOffsets& offsets);

/// A file whose operators run in parts, on views, as the plan that it brings along: what the arena
/// holds while each operator of the file runs. Its operators are carried out on addresses: who
/// wrote each byte that is read. A buffer is a stretch of a tensor whose bytes are needed equally
/// long, mostly some rows of it; an operator that writes over rows that it reads takes two steps.
/// Operators of one type that make tensors of one name are parts of one: `Graph::wholes`.
/// Loops run turn by turn as long as what they count with is known; else one turn is shown. Fails
/// where an operator runs a subgraph that is no loop's, or a tensor that is not stored has no
/// offset; throws Refusal where the file is damaged. O((tensors + pieces) log pieces), at most
/// kMostReads reads of pieces.
Result<Model> partsModel(const TfliteFile& file, std::size_t subgraph,
                         const TfliteOffsets& offsets);

}  // namespace hw
