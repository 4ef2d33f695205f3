#pragma once

#include <vector>

#include "core/storage/aliasing.h"

namespace hw {

/// An output that may overlap the input it is made of row by row, as far as its op is concerned:
/// docs/less.md, "overlap". Distances are between the beginnings of their buffers.
struct OverlapChance {
  OpId op{};
  TensorId input{};
  TensorId output{};
  Bytes up{};    ///< The output's begins so far below, for a kernel that runs forwards.
  Bytes down{};  ///< So far above, for one that runs backwards.
};

/// Every chance there is in `storage`, in schedule order: the op walks over rows (`rowWalkOf`), its
/// output begins its buffer's life, its input's buffer ends with the op, with all its aliases, and
/// nothing else of that is read. Of each op and each buffer at most one.
std::vector<OverlapChance> overlapChances(const Graph& graph, const Schedule& schedule,
                                          const Storage& storage);

}  // namespace hw
