#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/graph/graph.h"

namespace hw {

/// Says whether a row has the name of an earlier one, in files of millions of rows.
///
/// Most files number their rows: b0, b1, … b9, b10. Each such name is longer than the one before,
/// or as long and later in the alphabet, so it cannot have been there and nothing is stored. The
/// first name that breaks this order, and all before it, go into a hash table: open addressing,
/// linear probing, 16 bytes a name, since it holds tensors and not copies of their names.
class RowNames {
 public:
  /// The earlier tensor with the name of `tensor`, which is the last of `tensors`; nothing when the
  /// name is new. Every tensor has to be added, in order.
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
