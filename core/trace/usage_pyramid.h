#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/base/quantity.h"
#include "core/memory/event.h"

namespace hw {

/// The least and most bytes in use over some events.
struct UsageEnvelope {
  Bytes low{};
  Bytes high{};
  friend bool operator==(const UsageEnvelope&, const UsageEnvelope&) = default;
};

/// The bytes in use in every pool over the events of a trace, for any range of them at once: what a
/// chart needs for one pixel, however many events that pixel covers.
///
///     level 1   [  0..127  ][ 128..255 ]          least and most of two blocks
///     level 0   [0..63][64..127][128..191] ...    least and most of 64 events
///     events    . . . . . . . . . . . . .         replayed at the ends of a range
///
/// Events are not stored twice: a block keeps what is in use where it begins, and the rest is added
/// up from the events. That makes 0.6 bytes an event and pool.
class UsagePyramid {
 public:
  explicit UsagePyramid(std::size_t pools = 0) : pools_(pools) {}

  /// Of every event in order. O(1), and O(pools) every 64.
  void add(const MemoryEvent& event);
  /// Builds the upper levels; `query` may be asked only afterwards. O(pools x events / 64).
  void finish();

  /// Of one pool over [first, last) of `events`, the same that were added; see Trace::usage.
  /// O(log n).
  UsageEnvelope query(std::span<const MemoryEvent> events, PoolId pool, std::size_t first,
                      std::size_t last) const;

 private:
  static constexpr std::size_t kBlock = 64;

  struct Pool {
    Bytes now{};
    UsageEnvelope block{};        ///< Of the block being filled.
    std::vector<Bytes> starts{};  ///< In use before the first event of every block.
    std::vector<std::vector<UsageEnvelope>> levels{{}};  ///< Level k: runs of 2^k blocks.
  };

  void openBlocks();
  void closeBlocks();
  UsageEnvelope replay(std::span<const MemoryEvent> events, PoolId pool, std::size_t first,
                       std::size_t last) const;
  static UsageEnvelope blocks(const Pool& pool, std::size_t first, std::size_t last);

  IdMap<PoolId, Pool> pools_;
  std::size_t inBlock_ = 0;  ///< Events in the blocks being filled.
};

}  // namespace hw
