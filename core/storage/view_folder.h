#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/ops/op_table.h"
#include "core/storage/alias_forest.h"

namespace hw {

/// A tensor that a view copies unless it is a part of another.
struct SliceLink {
  OpId op{};
  TensorId part{};  ///< The tensor copied: a concat's input, other views' output.
  TensorId whole{};
  Bytes offset{};  ///< Of `part` in `whole`.
};

/// The slices of one op, in the order of its operands; none of an op that is no view.
std::vector<SliceLink> sliceLinks(const Graph& graph, OpId op);

/// One of them, and whether it may share.
struct ViewSlice : SliceLink {
  std::optional<std::string> whyNot;  ///< The reason why it cannot, whatever else shares.
};

/// The same with what the op and its operands alone decide: why a slice has to be copied.
std::vector<ViewSlice> viewSlices(const Graph& graph, const StorageOptions& options,
                                  const AliasForest& forest, OpId op);

/// Slices that ops copy although they could share them: op, and the input or output it copies.
using Refusals = std::set<std::pair<OpId, TensorId>>;

/// Folds the views of docs/methods.md §4 into `forest`: reshapes, concats and splits, op by op.
/// Slices in `refused` are copied because sharing them would raise the lower bound. Copies and free
/// ops go to `storage`.
void foldViews(const Graph& graph, const Schedule& schedule, const StorageOptions& options,
               const Refusals& refused, AliasForest& forest, Storage& storage);

/// Puts the pieces of a tiled graph where they lie in their hosts, and notes which of them are
/// written over others.
void foldPieces(const Graph& graph, AliasForest& forest, Storage& storage);

/// Storage in which every view shares that may, even where slices raise the lower bound, and no
/// output is written over an input.
Storage shareAllViews(const Graph& graph, const Schedule& schedule, StorageOptions options);

/// The outputs that are written over inputs.
struct InPlaceScope {
  bool shrinking = false;  ///< Smaller outputs too, whose block stays as large as the input was.
  bool byChannel = false;  ///< Only those of ops that run channel by channel, with scratch.
};

/// Lets outputs take over the bytes of an input that dies in their op, where the kernel allows it.
void foldInPlace(const Graph& graph, const Schedule& schedule, const InPlaceScope& scope,
                 AliasForest& forest, Storage& storage);

/// Operands that the kernel of `op` may overwrite, in order of preference.
std::vector<TensorId> overwritable(const Graph& graph, const Op& op);

/// True when the kernel of `op` may overwrite an input that is larger than its output.
bool mayShrinkInPlace(const Graph& graph, const Op& op);

/// True when the kernel of `op` may write its first output over `in`, which is one of those
/// operands, as far as shapes and sizes decide it. Both have a size.
bool mayOverwrite(const Graph& graph, const Op& op, TensorId in);

}  // namespace hw
