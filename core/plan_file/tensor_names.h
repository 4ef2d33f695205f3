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

  /// The tensor that `tensorIdText` calls so.
  std::optional<TensorId> findId(std::string_view text) const;

 private:
  IdMap<TensorId, std::string> names_;
  std::unordered_map<std::string_view, TensorId> ids_;  ///< Keys point into `names_`.
  struct Numbered {
    TensorId tensor{};
    TensorId scratch{};  ///< Of the op that makes it.
  };
  /// By number, where these are of the graph without scratch; else empty.
  std::vector<Numbered> numbered_;
};

/// The names that `TensorNames` has for `wanted`, in that order; for a few of a million, no others
/// are made up.
std::vector<std::string> namesOf(const Graph& graph, std::span<const TensorId> wanted);

/// "t12": what a tensor is called in a problem CSV. Where scratch was set aside, numbers are those
/// of the graph without, since the file does not say who has some; that of the op that makes t12
/// is "t12+scratch".
std::string tensorIdText(const Graph& graph, TensorId id);

/// The id of the scratch that the op which makes a tensor of a graph without any would have.
std::string scratchIdText(TensorId output);

/// True if a text is of that form.
bool isTensorIdText(std::string_view text);

}  // namespace hw
