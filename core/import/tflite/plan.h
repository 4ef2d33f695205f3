#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/import/tflite/model.h"

namespace hw {

/// The plan that a converter wrote into a file for TensorFlow Lite Micro to follow.
struct TfliteOfflinePlan {
  /// By tensor of the subgraph; nothing: the runtime decides. Empty when there is no plan.
  std::vector<std::optional<Bytes>> offsets{};
  std::vector<std::string> notes{};
};

/// Reads the metadata "OfflineMemoryAllocation": int32 numbers, little-endian,
///
///   version 1 | subgraph | count n | offset of tensor 0 | ... | offset of tensor n - 1
///
/// where an offset of -1 is left to the runtime. Anything else is noted and left out.
TfliteOfflinePlan readOfflinePlan(const TfliteFile& file, std::size_t subgraph);

}  // namespace hw
