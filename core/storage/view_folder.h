#pragma once

#include <boost/container/flat_set.hpp>
#include <span>
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
  const char* whyNot = nullptr;  ///< The reason why it cannot, whatever else shares.
};

/// The same with what the op and its operands alone decide: why a slice has to be copied.
std::vector<ViewSlice> viewSlices(const Graph& graph, const StorageOptions& options,
                                  const AliasForest& forest, OpId op);

/// Slices that ops copy although they could share them: op, and the input or output it copies.
using Refusals = boost::container::flat_set<std::pair<OpId, TensorId>>;

/// The slices of an op that is a view. Refusals and other views do not change them.
struct OpViews {
  OpId op{};
  ViewFamily family{};
  std::vector<ViewSlice> slices{};
};

/// All views of docs/methods.md §4 in the order of the schedule: reshapes, concats and splits.
std::vector<OpViews> viewsOf(const Graph& graph, const Schedule& schedule,
                             const StorageOptions& options, const AliasForest& forest);

/// Folds `views` into `forest`, op by op. Slices in `refused` are copied because sharing them would
/// raise the lower bound. Copies and free ops go to `told`, if that is not null.
void foldViews(std::span<const OpViews> views, const Refusals& refused, AliasForest& forest,
               Storage* told);

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

/// An output that may take over the bytes of an input, as far as shapes, sizes and kernels say.
struct InPlaceChoice {
  OpId op{};
  TensorId in{};
  TensorId out{};
};

/// All of them in the order of the schedule; those of one op in its order of preference.
std::vector<InPlaceChoice> inPlaceChoices(const Graph& graph, const Schedule& schedule,
                                          const InPlaceScope& scope, const AliasForest& forest);

/// A tensor that is no piece of another, and when it or one of its pieces is live.
struct WholeLife {
  TensorId tensor{};
  Interval<Step> steps{};
};

/// Lets outputs take over the bytes of an input that dies in their op. Adds these outputs to
/// `inPlace`, which ascends afterwards. `wholes` are those that have a place in a pool.
void foldInPlace(const Graph& graph, const Schedule& schedule,
                 std::span<const InPlaceChoice> choices, std::span<const WholeLife> wholes,
                 AliasForest& forest, std::vector<TensorId>& inPlace);

/// Operands that the kernel of `op` may overwrite, in order of preference.
std::vector<TensorId> overwritable(const Graph& graph, const Op& op);

/// True when the kernel of `op` may overwrite an input that is larger than its output.
bool mayShrinkInPlace(const Graph& graph, const Op& op);

/// True when the kernel of `op` may write its first output over `in`, which is one of those
/// operands, as far as shapes and sizes decide it. Both have a size.
bool mayOverwrite(const Graph& graph, const Op& op, TensorId in);

}  // namespace hw
