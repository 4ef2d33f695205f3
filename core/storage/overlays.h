#pragma once

#include <vector>

#include "core/storage/aliasing.h"

namespace hw {

/// Two tensors whose buffers may overlap while both are there: docs/less.md, "overlap". Distances
/// are between the beginnings of the buffers.
struct OverlapChance {
  OpId op{};  ///< Makes the output of the input row by row. None: both are there in parts.
  TensorId input{};
  TensorId output{};
  Bytes up{};    ///< The output's begins so far below, for a kernel that runs forwards.
  Bytes down{};  ///< So far above, for one that runs backwards.
};

/// The most bytes by which two buffers together can stay below the sum of their sizes, if the one
/// of `out` bytes begins `up` or more below that of `in` bytes, or `down` or more above it.
Bytes mostShared(Bytes in, Bytes out, Bytes up, Bytes down);

/// Every chance there is in `storage`, first in schedule order those of ops: the op walks over rows
/// (`rowWalkOf`), its output begins its buffer's life, its input's buffer ends with the op, with
/// all its aliases, and nothing else of that is read. Then those of buffers in parts, as operators
/// that run in parts, joins and splits leave them, the largest first: the output's begins while the
/// input's is there, and outlives it; at those distances no byte is needed of both in one step,
/// whatever kernels do; those below 1/256 of the most bytes live at once are left out. Of each op
/// and each buffer at most one. O(parts log parts) for each two buffers in parts that are there at
/// once.
std::vector<OverlapChance> overlapChances(const Graph& graph, const Schedule& schedule,
                                          const Storage& storage);

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
