#pragma once

#include <map>
#include <optional>
#include <vector>

#include "core/allocators/allocator.h"
#include "core/memory/chunk_map.h"

namespace hw {

/// The place where a heap wants a stay, and the reason.
struct Choice {
  Address address{};
  Reason reason = Reason::none;
};

/// Memory that is asked for one stay at a time and cannot see the future. The base class keeps the
/// chunks, cuts and coalesces them and writes the story; a policy only says where.
class Heap {
 public:
  explicit Heap(const Problem& problem);
  virtual ~Heap() = default;

  /// False when the policy found no place.
  bool acquire(StayId id, Step step);
  void release(StayId id, Step step);
  /// The same of some bytes of a stay whose place is decided, of which others have the rest.
  void acquirePiece(StayId id, const Address& place, Interval<Bytes> bytes, Step step);
  void releasePiece(StayId id, Interval<Bytes> bytes, Step step) { giveBack(id, bytes, step); }

  const ChunkMap& chunks(PoolId pool) const { return chunks_[pool]; }
  std::optional<Address> addressOf(StayId id) const { return addresses_[id]; }
  /// So many events were told until now.
  std::size_t told() const { return story_.size(); }
  std::vector<MemoryEvent> takeStory() { return std::move(story_); }

 protected:
  const Problem& problem() const { return problem_; }

 private:
  /// Chooses where `stay` goes. The address must lie in one free chunk, or reach past the end of
  /// its region, which then grows; a region that does not exist yet is a new one.
  virtual std::optional<Choice> choose(StayId stay) = 0;
  /// Told after a free chunk has come to be, or stopped being one: for policies with an index.
  virtual void freeChunkAdded(PoolId, RegionId, const Chunk&) {}
  virtual void freeChunkRemoved(PoolId, RegionId, const Chunk&) {}

  /// Told after a stay has got its place: for policies that record what their lists go through.
  virtual void acquired(StayId, const Choice&) {}
  /// Told after a stay has been released: for policies that reuse by identity.
  virtual void released(StayId, const Address&) {}

  void record(const MemoryEvent& event);
  void makeWay(const Overlap& overlap, Step step);
  MemoryEvent eventOf(StayId id, Step step) const;
  void take(StayId id, Bytes offset, Bytes size, Step step, Reason reason);
  void giveBack(StayId id, Interval<Bytes> bytes, Step step);

  const Problem& problem_;
  IdMap<PoolId, ChunkMap> chunks_;
  IdMap<StayId, std::optional<Address>> addresses_;
  /// The bytes that inputs still have while others are written over the rest of them.
  std::map<StayId, std::vector<Interval<Bytes>>> rests_;
  std::vector<MemoryEvent> story_;
};

/// Drives `heap` through the problem in step order: at each step first releases (by rank, then id),
/// then acquisitions by id, so that equal inputs give equal stories. A stay that outlives the
/// schedule is never released, and gaps are not used. Stops at the first stay that finds no place:
/// the plan then holds what was placed until then, and why it stopped.
Plan replay(const Problem& problem, Heap& heap);

/// Tells the story of addresses that were decided beforehand: a heap that already knows. Stays
/// without an address are passed over. Gaps are told as a release and a return to the same place;
/// so is what shrinks because an output overlaps it: a release before the op, and a return to the
/// bytes that are left.
std::vector<MemoryEvent> narrate(const Problem& problem, const Plan& plan);

}  // namespace hw
