#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/graph/graph.h"

namespace hw {

/// Finds a name that was there before, among millions. As long as each is longer than the one
/// before, or as long and later in the alphabet ("b9", "b10"), there is nothing to look up. Then a
/// table with open addressing and linear probing, 16 bytes a name; the names stay where they are.
class RowNames {
 public:
  /// `tensors` are those that have been added, in order, and `tensor`, the last. Whose name equals
  /// that of `tensor`, which is new otherwise.
  std::optional<TensorId> add(const IdMap<TensorId, Tensor>& tensors, TensorId tensor);

 private:
  struct Slot {
    std::uint32_t hash = 0;
    TensorId tensor{};
  };

  std::optional<TensorId> insert(const IdMap<TensorId, Tensor>& tensors, TensorId tensor);
  void grow(std::size_t names);
  std::size_t after(std::size_t slot) const { return (slot + 1) & (slots_.size() - 1); }

  std::vector<Slot> slots_;  ///< A power of two, at least twice the names.
  std::size_t count_ = 0;
  bool ascending_ = true;
};

}  // namespace hw
