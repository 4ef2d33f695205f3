#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/ops/op_table.h"
#include "core/storage/alias_forest.h"

namespace hw {

/// A tensor that a view copies unless it is a part of another.
struct ViewSlice {
  TensorId part{};  ///< What is copied: an input of a concat, an output of other views.
  TensorId whole{};
  Bytes offset{};                     ///< Of `part` in `whole`.
  std::optional<std::string> whyNot;  ///< Why it cannot be, whatever else shares.
};

/// What a view shares and copies, as far as it and its operands alone decide; nothing for an op
/// that is no view. In the order of its operands.
std::vector<ViewSlice> viewSlices(const Graph& graph, const StorageOptions& options,
                                  const AliasForest& forest, const Op& op);

}  // namespace hw
