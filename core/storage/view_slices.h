#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/ops/op_table.h"
#include "core/storage/alias_forest.h"

namespace hw {

/// A tensor that a view copies unless it is a part of another.
struct SliceLink {
  OpId op{};
  TensorId part{};  ///< What is copied: an input of a concat, an output of other views.
  TensorId whole{};
  Bytes offset{};  ///< Of `part` in `whole`.
};

/// The slices of one op, in the order of its operands; none of an op that is no view.
std::vector<SliceLink> sliceLinks(const Graph& graph, OpId op);

/// One of them, and whether it may share.
struct ViewSlice : SliceLink {
  std::optional<std::string> whyNot;  ///< Why it cannot be, whatever else shares.
};

/// The same with what the op and its operands alone decide: why a slice has to be copied.
std::vector<ViewSlice> viewSlices(const Graph& graph, const StorageOptions& options,
                                  const AliasForest& forest, OpId op);

}  // namespace hw
