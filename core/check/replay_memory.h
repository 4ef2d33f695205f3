#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/id.h"
#include "core/base/interval.h"
#include "core/base/quantity.h"

namespace hw {

/// Some bytes of one pool, all its regions laid one after the other.
struct ByteSpan {
  PoolId pool{};
  Interval<Bytes> bytes{};

  /// The `length` bytes from `offset` on inside this span.
  ByteSpan part(Bytes offset, Bytes length) const {
    return {pool, {bytes.begin + offset, bytes.begin + offset + length}};
  }
};

/// An endless stream of bytes that depends on `key` alone, read from `offset` on.
struct Pattern {
  std::uint64_t key = 0;
  Bytes offset{};
};

/// Real bytes for the replay: every pool an arena of its own.
///
///   whole    0 1 2 3 4 5 6 7 8 9 ...                every byte of the pool exists
///   sampled  |xx      |xx  |xx          |xx         only a few from each edge (|) on
///   in part  |xx      |0 1 2 3 4 5 6|xx |xx         the same, and all bytes of some ranges
///
/// Any two spans that overlap share the byte at which the later one begins, so sampling right
/// behind every beginning and end keeps all overlaps and drops the dull bytes between.
class ReplayMemory {
 public:
  /// Bytes kept from each edge on when sampling.
  static constexpr Bytes kSample{16};

  explicit ReplayMemory(std::size_t pools) : arenas_(pools) {}

  /// Makes `ranges` of `pool` real, in any order, and a sample of the rest. `edges`: where anything
  /// begins or ends, in any order.
  void allocate(PoolId pool, Bytes size, const std::vector<Bytes>& edges,
                std::vector<Interval<Bytes>> ranges);

  /// Bytes really allocated, over all pools.
  Bytes allocated() const;

  void write(const ByteSpan& span, const Pattern& pattern);

  /// Copies the bytes that exist at both ends; `to` is as long as `from`.
  void copy(const ByteSpan& from, const ByteSpan& to);

  /// The address of the first byte of `span` that is not as `pattern` has it.
  std::optional<Bytes> firstDifference(const ByteSpan& span, const Pattern& pattern) const;

 private:
  /// Consecutive addresses that exist.
  struct Stretch {
    Interval<Bytes> addresses{};
    std::size_t at = 0;  ///< Where the first is in `bytes`.
  };
  struct Arena {
    std::vector<Stretch> stretches{};
    std::vector<unsigned char> bytes{};
  };

  IdMap<PoolId, Arena> arenas_;
};

}  // namespace hw
