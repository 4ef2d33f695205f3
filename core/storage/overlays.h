#pragma once

#include <vector>

#include "core/storage/aliasing.h"

namespace hw {

/// An output that may be written over an input that dies in its op: docs/methods.md §5, "overlay".
struct OverlayChance {
  OpId op{};
  TensorId input{};
  TensorId output{};
};

/// `shareStorage` for methods that decide themselves what is written over what. Only ops that run
/// channel by channel do so yet: their scratch takes bytes, which no permission could say.
Storage shareForOverlays(const Graph& graph, const Schedule& schedule,
                         const StorageOptions& options);

/// Every chance there is in `storage`, which was shared for that, in schedule order: the kernel
/// allows it without scratch, the input is large enough, fills its buffer and dies there with all
/// its aliases, and the output fills its own. An input has one chance at most, an output may have
/// two.
std::vector<OverlayChance> overlayChances(const Graph& graph, const Schedule& schedule,
                                          const Storage& storage);

/// `storage` with `taken` carried out: output and input share a buffer as large as the larger of
/// them. Of each output at most one chance may be taken.
Storage overlay(const Graph& graph, Storage storage, const std::vector<OverlayChance>& taken);

}  // namespace hw
