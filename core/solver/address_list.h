#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "core/base/id.h"
#include "core/base/interval.h"
#include "core/base/quantity.h"

namespace hw {

/// What has been placed, in address order, to be walked by those alive at some time. Kept in chunks
/// of at most 64 so that one more costs O(sqrt n) at worst, and a walk looks at 64 lives with a few
/// vector instructions before it looks at any address.
class AddressList {
 public:
  struct Entry {
    Interval<Bytes> bytes{};
    StayId stay{};
  };
  using Life = Interval<std::int32_t>;  ///< Half-open; ranks of steps.

  void clear() { chunks_.clear(); }

  /// Goes behind all that begin at the same address.
  void insert(const Entry& entry, Life life);

  /// Calls `visit(entry)` in address order for all that share a step with `life`, until it returns
  /// false.
  template <class Visit>
  void forEachAlive(Life life, Visit visit) const {
    for (const Chunk& chunk : chunks_) {
      for (std::uint64_t hits = chunk.alive(life); hits != 0; hits &= hits - 1) {
        if (!visit(chunk.entries[static_cast<std::size_t>(std::countr_zero(hits))])) return;
      }
    }
  }

 private:
  static constexpr std::size_t kChunk = 64;

  struct Chunk {
    Chunk() { begins.fill(std::numeric_limits<std::int32_t>::max()); }

    /// A bit for every entry that shares a step with `life`. Free slots begin after everything.
    std::uint64_t alive(Life life) const {
      std::array<std::uint8_t, kChunk> hit;
      for (std::size_t i = 0; i < kChunk; ++i) {
        hit[i] = static_cast<std::uint8_t>(int{begins[i] < life.end} & int{ends[i] > life.begin});
      }
      std::uint64_t bits = 0;
      for (std::size_t i = 0; i < kChunk; i += 8) {
        bits |= packed(hit.data() + i) << i;
      }
      return bits;
    }

    /// Eight bytes of 0 or 1 as eight bits, the first lowest.
    static std::uint64_t packed(const std::uint8_t* flags) {
      if constexpr (std::endian::native == std::endian::little) {
        std::uint64_t word = 0;
        std::memcpy(&word, flags, 8);
        return (word * 0x0102040810204080ULL) >> 56;
      }
      std::uint64_t bits = 0;
      for (std::size_t i = 0; i < 8; ++i) bits |= std::uint64_t{flags[i]} << i;
      return bits;
    }

    void insert(std::size_t at, const Entry& entry, Life life);

    std::size_t count = 0;
    std::array<std::int32_t, kChunk> begins;
    std::array<std::int32_t, kChunk> ends{};
    std::array<Entry, kChunk> entries{};
  };

  void cutInTwo(std::size_t chunk);

  std::vector<Chunk> chunks_;  ///< None empty.
};

}  // namespace hw
