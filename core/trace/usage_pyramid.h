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

/// The bytes in use in one pool over the events of a trace, for any range of them at once: what a
/// chart needs for one pixel, however many events that pixel covers.
///
///     level 1   [  0..127  ][ 128..255 ]          least and most of two blocks
///     level 0   [0..63][64..127][128..191] ...    least and most of 64 events
///     events    . . . . . . . . . . . . .         replayed at the ends of a range
///
/// Events are not stored twice: a block keeps what is in use where it begins, and the rest is added
/// up from the events. That makes 0.6 bytes an event.
class UsagePyramid {
 public:
  explicit UsagePyramid(PoolId pool = PoolId(0)) : pool_(pool) {}

  /// Of every event in order, whatever its pool. O(1) amortised.
  void add(const MemoryEvent& event);
  /// Builds the upper levels; `query` may be asked only afterwards. O(events / 64).
  void finish();

  /// Over [first, last) of `events`, the same that were added; see Trace::usage. O(log n).
  UsageEnvelope query(std::span<const MemoryEvent> events, std::size_t first,
                      std::size_t last) const;

 private:
  static constexpr std::size_t kBlock = 64;

  Bytes change(const MemoryEvent& event) const;
  UsageEnvelope replay(std::span<const MemoryEvent> events, std::size_t first,
                       std::size_t last) const;
  UsageEnvelope blocks(std::size_t first, std::size_t last) const;

  PoolId pool_;
  Bytes now_;
  std::size_t count_ = 0;
  std::vector<Bytes> starts_;  ///< In use before the first event of every block.
  std::vector<std::vector<UsageEnvelope>> levels_;  ///< Level k: runs of 2^k blocks.
};

}  // namespace hw
