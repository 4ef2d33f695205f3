#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/graph/graph.h"

namespace hw {

/// Names that identify: for files in which tensors refer to each other by name.
///
/// A tensor keeps its own name when that is not empty, valid UTF-8 and the only one of its kind in
/// the graph; otherwise it is called name#tN, N being its id.
class TensorNames {
 public:
  explicit TensorNames(const Graph& graph);

  const std::string& of(TensorId id) const { return names_[id]; }

  /// The tensor with that name.
  std::optional<TensorId> find(std::string_view name) const;

  /// The tensor with the id in "t12".
  std::optional<TensorId> findId(std::string_view text) const;

 private:
  IdMap<TensorId, std::string> names_;
  std::unordered_map<std::string_view, TensorId> ids_;  ///< Keys point into `names_`.
};

/// The names that `TensorNames` has for `wanted`, in that order; for a few of a million, no others
/// are made up.
std::vector<std::string> namesOf(const Graph& graph, std::span<const TensorId> wanted);

/// "t12": what a tensor is called in a problem CSV.
std::string tensorIdText(TensorId id);

}  // namespace hw
