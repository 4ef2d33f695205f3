#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/import/importer.h"

namespace hw {

/// The record of somebody's allocator, allocation by allocation, as a planning problem that brings
/// its plan along.
///
/// A step is an allocation: what is freed between two of them is gone at the second. So two blocks
/// share a step exactly when both were there at some moment, and every allocator that works online
/// is asked for the same bytes in the same order. Addresses become offsets; where 1 MiB or more
/// between two of them was never touched, they are brought together.
///
/// Addresses and sizes are at most `kMostAddress`; callers refuse others.
class RecordedTrace {
 public:
  static constexpr std::int64_t kMostAddress = std::int64_t{1} << 56;

  /// `before`: step 0 is what was there when recording began, and allocations follow it.
  explicit RecordedTrace(bool before) : step_(before ? 1 : 0) {}

  /// Names a block until it is freed.
  using Handle = std::size_t;

  /// The next allocation. `address`: nothing where it was not recorded.
  Handle allocate(std::string name, Bytes size, std::optional<std::uint64_t> address);
  /// A block that was there when recording began; only where the constructor was told so.
  Handle standing(std::string name, Bytes size, std::optional<std::uint64_t> address);
  void free(Handle block) { blocks_[block].end = std::max<std::int64_t>(step_, 1); }

  /// Bytes that were reserved, taken or not: they keep their place between blocks.
  void reserve(std::uint64_t address, Bytes size) { ranges_.push_back({address, size}); }

  /// The problem. Blocks that were not freed live to its end. Fails when it is too large to plan.
  Result<Model> model(std::string format, std::vector<std::string> notes) &&;

 private:
  struct Block {
    std::string name;
    Bytes size;
    std::optional<std::uint64_t> address;
    std::int64_t begin = 0;
    std::int64_t end = -1;  ///< Negative: never freed.
  };
  struct Range {
    std::uint64_t address;
    Bytes size;
  };
  /// The beginning of a run of touched addresses, and its offset.
  struct Run {
    std::uint64_t address;
    std::int64_t offset;
  };

  Handle add(std::string name, Bytes size, std::optional<std::uint64_t> address,
             std::int64_t begin);
  std::vector<Run> runs();

  std::vector<Block> blocks_;
  std::vector<Range> ranges_;
  std::int64_t step_;
  std::int64_t allocations_ = 0;
};

}  // namespace hw
