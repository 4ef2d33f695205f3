#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/import/tflite/model.h"

namespace hw {

/// The plan that a converter wrote into a file for TensorFlow Lite Micro to follow.
struct TfliteOfflinePlan {
  /// By subgraph, and by its tensors; nothing: the runtime decides. Without a plan, and behind the
  /// subgraphs that it is for, empty.
  std::vector<std::vector<std::optional<Bytes>>> offsets{};
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

}  // namespace hw
