#pragma once

#include <cstdint>
#include <vector>

#include "core/pairs/pair_field.h"

namespace hw {

/// Bytes that each two of some blocks may share, looked up by their numbers among these.
class PairSharing {
 public:
  __extension__ using Wide = __int128;  ///< Sums of bytes over pairs leave 64 bits.

  struct Entry {
    std::int64_t free = 0;   ///< Bytes that they may share without paying.
    std::int64_t gain = 0;   ///< Bytes more when they pay; 0 unless that may be.
    std::int64_t cost = 0;   ///< To be paid.
    std::uint32_t pair = 0;  ///< Number among the pairs that may pay.
  };

  PairSharing(const PairField& field, const std::vector<std::uint32_t>& blocks);

  const Entry& at(std::size_t i, std::size_t j) const { return entries_[i * count_ + j]; }
  std::size_t count() const { return count_; }
  /// By pair that may pay.
  const std::vector<std::int64_t>& costs() const { return costs_; }

  /// Bytes shared by pairs, at least, where sizes of `total` bytes lie in `room`.
  static Wide forced(Wide total, std::int64_t room);

 private:
  Entry& entry(std::size_t i, std::size_t j) { return entries_[i * count_ + j]; }

  std::size_t count_;
  std::vector<Entry> entries_;
  std::vector<std::int64_t> costs_{};
};

}  // namespace hw
