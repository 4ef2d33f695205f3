#pragma once

#include <set>

#include "core/storage/alias_forest.h"

namespace hw {

/// Folds the views of docs/methods.md §4 into `forest`: reshapes, concats and splits, op by op. Ops
/// in `refused` copy because sharing would raise the lower bound. Copies and free ops go to
/// `storage`.
void foldViews(const Graph& graph, const Schedule& schedule, const StorageOptions& options,
               const std::set<OpId>& refused, AliasForest& forest, Storage& storage);

/// Storage in which every view shares that may, even where slices raise the lower bound; nothing is
/// done in place.
Storage shareAllViews(const Graph& graph, const Schedule& schedule, StorageOptions options);

/// Lets outputs take over the bytes of an input that dies in their op, where the kernel allows it;
/// with `shrinking` also a smaller output, whose block then stays as large as the input was.
void foldInPlace(const Graph& graph, const Schedule& schedule, bool shrinking, AliasForest& forest,
                 Storage& storage);

/// Operands that the kernel of `op` may overwrite, in order of preference.
std::vector<TensorId> overwritable(const Graph& graph, const Op& op);

/// True when the kernel of `op` may overwrite an input that is larger than its output.
bool mayShrinkInPlace(const Graph& graph, const Op& op);

/// True when the kernel of `op` may write its first output over `in`, which is one of those
/// operands, as far as shapes and sizes decide it. Both have a size.
bool mayOverwrite(const Graph& graph, const Op& op, TensorId in);

/// True for Concat and Split, whose slices live as long as the whole.
bool sharesSlices(const Op& op);

}  // namespace hw
