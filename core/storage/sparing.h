#pragma once

#include <functional>

#include "core/storage/view_folder.h"

namespace hw {

struct LivePeak {
  Bytes bytes{};
  Step step{};
};

/// The most live bytes and the first step that has them, every buffer rounded up.
LivePeak peakOf(const Storage& storage, Bytes alignment);

/// What shared slices must not make larger.
struct SharingLimit {
  Bytes bound{};  ///< The most live bytes without any sharing of slices.
  Bytes alignment{1};
};

/// `storage` without the slices that raise its peak above the limit: those are copied. `fold` makes
/// the storage in which the given slices are copied; with all of them it is within the limit.
///
/// A slice lives as long as the whole, so what wastes is cut off where the peak is, until there is
/// none. Then every slice is given back that can be: none is copied that could be shared alone,
/// but in graphs of so many slices that trying them all takes too long.
Storage shareSparingly(const Graph& graph, Storage storage, const SharingLimit& limit,
                       const std::function<Storage(const Refusals&)>& fold);

}  // namespace hw
