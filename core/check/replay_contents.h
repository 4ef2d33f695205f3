#pragma once

#include <vector>

#include "core/graph/graph.h"
#include "core/schedule/schedule.h"
#include "core/storage/aliasing.h"

namespace hw {

/// A run of bytes of a tensor and the tensor whose op wrote them.
struct ContentPart {
  Bytes begin{};  ///< In the tensor that is looked at.
  Bytes length{};
  TensorId writer{};
  Bytes offset{};  ///< Of the first of these bytes in `writer`, when it was written.
};

/// What every tensor has to hold, worked out from what the ops mean and from which copies `storage`
/// says are left out: byte i of a reshape is byte i of its input, whatever addresses say.
///
///   concat (a, b) -> w, b copied in:    w = [ 0.. of a | own bytes ]
///   split w -> p, q:                    q = [ own bytes of w from |p| on ]
///
/// Parts are in order and cover the tensor. Constants and tensors of no size have none.
IdMap<TensorId, std::vector<ContentPart>> tensorContents(const Graph& graph,
                                                         const Schedule& schedule,
                                                         const Storage& storage);

}  // namespace hw
