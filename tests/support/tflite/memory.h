#pragma once

#include "tests/support/tflite/kernels.h"

namespace hw::test::tfl {

/// Memory of all tensors of a model: one arena for those that have a place in the offline plan,
/// memory of their own for the others.
class Memory {
 public:
  /// Throws a Refusal where the plan or the use of tensors is wrong. The model outlives it.
  Memory(const Model& model, std::uint64_t seed);

  const Operand& at(std::size_t graph, std::int32_t tensor) const {
    return operands_[graph][static_cast<std::size_t>(tensor)];
  }

  /// Bytes up to the end of the highest tensor in the plan, sizes rounded up to 16.
  std::int64_t head() const { return head_; }

 private:
  void place(std::size_t graph, std::size_t tensor, std::int32_t offset);
  std::byte* own(std::size_t bytes);

  const Model& model_;
  std::uint64_t seed_;
  std::int64_t head_ = 0;
  std::vector<std::byte> arena_;
  std::vector<std::vector<std::byte>> owned_;
  std::vector<std::vector<Operand>> operands_;
};

}  // namespace hw::test::tfl
