#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/id.h"
#include "core/base/interval.h"
#include "core/base/quantity.h"
#include "core/check/kernel_scripts.h"
#include "core/check/replay.h"
#include "core/graph/graph.h"
#include "core/schedule/schedule.h"
#include "core/storage/aliasing.h"

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

/// A run of bytes of a tensor and the tensor whose op wrote them.
struct ContentPart {
  Bytes begin{};  ///< In the tensor that is looked at.
  Bytes length{};
  TensorId writer{};
  Bytes offset{};  ///< Of the first of these bytes in `writer`, when it was written.
};

/// Contents that every tensor has to hold, worked out from what the ops mean and from which copies
/// `storage` says are left out: byte i of a reshape is byte i of its input, whatever addresses say.
///
///   concat (a, b) -> w, b copied in:    w = [ 0.. of a | own bytes ]
///   split w -> p, q:                    q = [ own bytes of w from |p| on ]
///
/// Parts are in order and cover the tensor. Constants and tensors of no size have none.
IdMap<TensorId, std::vector<ContentPart>> tensorContents(const Graph& graph,
                                                         const Schedule& schedule,
                                                         const Storage& storage);

/// Stage of a replay: where every stay lies, the memory itself, who wrote what, and what was
/// found wrong.
class ReplayStage {
 public:
  ReplayStage(const Run& run, std::size_t limit);

  /// Span of a stay; nothing when the plan has no such place, which is a finding already.
  const std::optional<ByteSpan>& span(StayId stay) const { return spans_[stay]; }

  /// Allocates what several stays lie on, or where bytes move all there is, if the pools have room
  /// within `maxArena` together, and of all else some bytes behind the edges of all stays and of
  /// `more`.
  void allocate(Bytes maxArena, const std::vector<ByteSpan>& more);

  /// Patterns differ from salt to salt.
  void salt(std::uint64_t salt);
  Pattern pattern(std::size_t author, Bytes offset = {}) const;

  /// Fills a span whose contents are gone: it is filled with bytes that are nobody's, but for what
  /// lies in `spared` too.
  void scrub(StayId stay, Step step, bool begins, Interval<Bytes> spared = {});

  void write(const ByteSpan& span, const Pattern& pattern, Step step, std::string author);
  /// Writes some bytes of a tensor that lies in `span`, where the pattern of the whole has them.
  void writeStrided(const ByteSpan& span, const ByteStride& stride, const Pattern& pattern,
                    Step step, std::string author);
  /// Copies the bytes that exist at both ends.
  void copy(const ByteSpan& from, const ByteSpan& to, Step step, std::string author);
  /// Reports a difference: "`reader`: byte 5 of 'a' holds what 'c' wrote in step 3".
  void verify(const ByteSpan& span, const Pattern& pattern, Step step, const std::string& reader,
              const std::string& name);

  /// Whoever wants to know how far the replay is, as a fraction, and that it is so far.
  void follow(std::function<void(double)> progress);
  void tell(double part);

  void report(Step step, std::string message);
  bool full() const { return found_.size() >= limit_; }
  bool clean() const { return found_.empty(); }
  std::vector<Corruption> takeFindings() { return std::move(found_); }

 private:
  struct Deed {
    ByteSpan span{};
    Step step{};
    std::string author{};  ///< "'conv' wrote", "'a' was released".
  };

  void locate(StayId id);
  static std::vector<Interval<Bytes>> shared(std::vector<Interval<Bytes>>& spans);
  std::string whoWas(PoolId pool, Bytes at) const;

  const Run& run_;
  std::size_t limit_;
  IdMap<PoolId, std::vector<Bytes>> starts_;  ///< Of every region, the pool's size at the end.
  IdMap<StayId, std::optional<ByteSpan>> spans_;
  ReplayMemory memory_;
  std::uint64_t salt_ = 0;
  std::vector<Deed> deeds_;
  std::vector<Corruption> found_;
  std::function<void(double)> progress_;
};

}  // namespace hw
