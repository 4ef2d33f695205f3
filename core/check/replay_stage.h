#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/check/channel_script.h"
#include "core/check/replay.h"
#include "core/check/replay_memory.h"

namespace hw {

/// Where a replay plays: where every stay lies, the memory itself, who wrote what, and what was
/// found wrong.
class ReplayStage {
 public:
  ReplayStage(const Run& run, std::size_t limit);

  /// Where a stay lies; nothing when the plan has no such place, which is a finding already.
  const std::optional<ByteSpan>& span(StayId stay) const { return spans_[stay]; }

  /// Allocates what several stays lie on, or where bytes move all there is, if the pools have room
  /// within `maxArena` together, and of all else some bytes behind the edges of all stays and of
  /// `more`.
  void allocate(Bytes maxArena, const std::vector<ByteSpan>& more);

  /// Patterns differ from salt to salt.
  void salt(std::uint64_t salt);
  Pattern pattern(std::size_t author, Bytes offset = {}) const;

  /// What stood in a span is gone: fills it with bytes that are nobody's, but for what lies in
  /// `spared` too.
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
