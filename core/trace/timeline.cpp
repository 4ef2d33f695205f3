#include "core/trace/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <numeric>
#include <tuple>

namespace hw {
namespace {

/// The last owner of each byte of one region.
class TenantMap {
 public:
  StayId lastOwner(Bytes offset) const {
    auto piece = pieces_.upper_bound(offset);
    if (piece == pieces_.begin()) return StayId();
    --piece;
    return offset < piece->second.end ? piece->second.owner : StayId();
  }

  /// True when nobody ever owned a byte of [begin, end).
  bool untouched(Bytes begin, Bytes end) const {
    const auto above = pieces_.lower_bound(end);
    return above == pieces_.begin() || std::prev(above)->second.end <= begin;
  }

  void settle(Bytes begin, Bytes end, StayId owner) {
    cutAt(begin);
    cutAt(end);
    pieces_.erase(pieces_.lower_bound(begin), pieces_.lower_bound(end));
    pieces_[begin] = {end, owner};
  }

 private:
  struct Piece {
    Bytes end{};
    StayId owner{};
  };

  void cutAt(Bytes offset) {
    auto piece = pieces_.upper_bound(offset);
    if (piece == pieces_.begin()) return;
    --piece;
    if (piece->first == offset || piece->second.end <= offset) return;
    pieces_[offset] = piece->second;
    piece->second.end = offset;
  }

  std::map<Bytes, Piece> pieces_;
};

/// The free chunks of one pool, by size.
class HoleSizes {
 public:
  void add(Bytes size) {
    ++counts_[size];
    total_ += size;
  }
  void remove(Bytes size) {
    const auto found = counts_.find(size);
    if (found == counts_.end()) return;
    if (--found->second == 0) counts_.erase(found);
    total_ -= size;
  }
  Bytes largest() const { return counts_.empty() ? Bytes() : counts_.rbegin()->first; }
  Bytes total() const { return total_; }

 private:
  std::map<Bytes, std::size_t> counts_;
  Bytes total_;
};

/// Replays a story and writes down what a person would say about it.
class Narrator {
 public:
  Narrator(const std::vector<MemoryEvent>& story, std::size_t pools)
      : story_(story), state_(pools), tenants_(pools) {}

  std::vector<TimelineEntry> run() {
    const auto isEntry = [](const MemoryEvent& event) {
      return event.kind == EventKind::alloc || event.kind == EventKind::free;
    };
    const auto entries = static_cast<std::size_t>(std::ranges::count_if(story_, isEntry));
    entries_.reserve(entries + static_cast<std::size_t>(std::ranges::count(story_, EventKind::merge,
                                                                           &MemoryEvent::kind)));
    for (std::size_t at = 0; at < story_.size();) {
      at = story_[at].kind == EventKind::free ? release(at) : acquire(at);
    }
    return std::move(entries_);
  }

 private:
  /// Everything from `first` to the alloc that it made room for.
  std::size_t acquire(std::size_t first) {
    std::size_t last = first;
    while (last < story_.size() && story_[last].kind != EventKind::alloc &&
           story_[last].kind != EventKind::free) {
      ++last;
    }
    if (last == story_.size() || story_[last].kind == EventKind::free) {
      for (; first < last; ++first) play(story_[first]);  // Room that nobody took.
      return last;
    }
    TimelineEntry entry = entryOf(story_[last], first, last + 1);
    classify(entry);
    if (entry.pool != PoolId(0)) lookAtFirstPool(entry);
    for (std::size_t i = first; i <= last; ++i) play(story_[i]);
    tenantsOf(entry).settle(entry.offset, entry.offset + entry.size, entry.stay);
    entries_.push_back(entry);
    return last + 1;
  }

  /// A free and the merges that follow from it.
  std::size_t release(std::size_t first) {
    const MemoryEvent& event = story_[first];
    play(event);
    entries_.push_back(entryOf(event, first, first + 1));
    std::size_t last = first + 1;
    while (last < story_.size() && story_[last].stay == event.stay &&
           (story_[last].kind == EventKind::merge || story_[last].kind == EventKind::shrink)) {
      play(story_[last++]);
    }
    const auto joined = state_[event.poolId()].chunkAt(event.region, event.offset);
    if (!joined || joined->size <= event.size) return last;
    TimelineEntry entry = entryOf(event, first + 1, last);
    entry.happening = Happening::merge;
    entry.offset = joined->offset;
    entry.size = joined->size;
    entry.freeBefore = joined->size - event.size;
    entries_.push_back(entry);
    return last;
  }

  static TimelineEntry entryOf(const MemoryEvent& event, std::size_t first, std::size_t last) {
    return {.happening = Happening::release,
            .firstEvent = first,
            .lastEvent = last,
            .step = Step(event.step),
            .pool = event.poolId(),
            .region = event.region,
            .stay = event.stay,
            .offset = event.offset,
            .size = event.size,
            .reason = event.kind == EventKind::alloc ? event.reason : Reason::none};
  }

  /// Classifies an allocation by what lay at its address just before. A hole that a planned
  /// address left below itself is free, but memory never used before all the same.
  void classify(TimelineEntry& entry) {
    const ChunkMap& map = state_[entry.pool];
    entry.formerTenant = tenantsOf(entry).lastOwner(entry.offset);
    const auto before = map.chunkAt(entry.region, entry.offset);
    if (!before || tenantsOf(entry).untouched(entry.offset, entry.offset + entry.size)) {
      entry.happening = Happening::fresh;
      return;
    }
    entry.freeBefore = before->size;
    if (entry.offset + entry.size > before->end()) {
      entry.happening = Happening::extend;
      entry.freeBefore = before->end() - entry.offset;
    } else if (entry.size == before->size) {
      entry.happening = Happening::reuse;
    } else {
      entry.happening = Happening::split;
    }
  }

  void lookAtFirstPool(TimelineEntry& entry) const {
    const ChunkMap& map = state_[PoolId(0)];
    entry.largestHole = holes_.largest();
    entry.holes = holes_.total();
    entry.frontier = map.footprint();
    if (map.regionCount() == 0) return;
    const auto last = map.lastChunk(RegionId(map.regionCount() - 1));
    if (last && last->isFree()) entry.tailHole = last->size;
  }

  void play(const MemoryEvent& event) {
    ChunkMap& map = state_[event.poolId()];
    // With one pool there is no later one whose entries would have to be explained.
    if (event.pool != 0 || state_.size() == 1) return map.apply(event);
    countHoles(map, event, false);
    map.apply(event);
    countHoles(map, event, true);
  }

  /// Takes the free chunks around `event` out of the statistics, or puts them back.
  void countHoles(const ChunkMap& map, const MemoryEvent& event, bool add) {
    const auto count = [&](std::optional<Chunk> chunk) {
      if (!chunk || !chunk->isFree()) return;
      add ? holes_.add(chunk->size) : holes_.remove(chunk->size);
    };
    const auto here = map.chunkAt(event.region, event.offset);
    count(here);
    const bool changesBelow = event.kind == EventKind::split || event.kind == EventKind::merge;
    if (!changesBelow || !here || here->offset < event.offset) return;
    count(map.chunkAt(event.region, event.offset - Bytes(1)));
  }

  TenantMap& tenantsOf(const TimelineEntry& entry) {
    IdMap<RegionId, TenantMap>& regions = tenants_[entry.pool];
    if (!regions.contains(entry.region)) regions.resize(entry.region.index() + 1);
    return regions[entry.region];
  }

  const std::vector<MemoryEvent>& story_;
  MemoryState state_;
  IdMap<PoolId, IdMap<RegionId, TenantMap>> tenants_;
  HoleSizes holes_;  ///< Of pool 0.
  std::vector<TimelineEntry> entries_;
};

/// The first pool could give its holes, and what it has above its frontier.
std::string whyNotFirstPool(const TimelineEntry& entry, const DetailNames& names) {
  const Bytes room =
      names.firstCapacity ? std::max(Bytes(), *names.firstCapacity - entry.frontier) : Bytes();
  const Bytes largest = std::max(entry.largestHole, entry.tailHole + room);
  return fmt::format("{} full: largest hole {} of {} free; ", names.firstPool, names.size(largest),
                     names.size(entry.holes + room));
}

std::string howTaken(const TimelineEntry& entry, const DetailNames& names) {
  const std::string block = names.size(entry.freeBefore);
  const bool idle = entry.reason == Reason::idleBlock;
  switch (entry.happening) {
    case Happening::fresh:
      if (entry.reason == Reason::belowThreshold) return "not above the threshold, new memory";
      if (entry.reason == Reason::newBlock) return "no block is idle, new block";
      return entry.reason == Reason::planned ? "planned, new memory" : "new memory";
    case Happening::reuse:
      if (idle) return "idle block, exact fit";
      return entry.reason == Reason::planned ? "planned, exact fit" : "exact fit";
    case Happening::extend:
      return fmt::format("{} block of {} grows by {}", idle ? "idle" : "last free", block,
                         names.size(entry.size - entry.freeBefore));
    case Happening::split:
      break;
    case Happening::release:
      return "last use is over";
    case Happening::merge:
      return fmt::format("joined {} free beside it", block);
  }
  if (idle) return fmt::format("part of idle block of {}", block);
  if (entry.reason == Reason::largestFree) return fmt::format("largest free block of {}", block);
  if (entry.reason == Reason::bestFit) return fmt::format("tightest free block of {}", block);
  return fmt::format("{}free block of {}", entry.reason == Reason::planned ? "planned, " : "",
                     block);
}

}  // namespace

std::string_view happeningName(Happening happening) {
  constexpr std::array<std::string_view, 6> kNames = {"fresh",  "reuse",   "split",
                                                      "extend", "release", "merge"};
  return kNames[static_cast<std::size_t>(happening)];
}

std::vector<TimelineEntry> describe(const std::vector<MemoryEvent>& story, std::size_t pools) {
  return Narrator(story, pools).run();
}

std::string DetailNames::size(Bytes bytes) const {
  return sizeText ? sizeText(bytes) : std::to_string(bytes.count());
}

std::string detailText(const TimelineEntry& entry, const DetailNames& names) {
  std::string text = howTaken(entry, names);
  if (entry.happening == Happening::release || entry.happening == Happening::merge) return text;
  // A planner that decided beforehand may have chosen a later pool for reasons of its own.
  const bool chose = entry.reason != Reason::planned && !names.firstPool.empty();
  if (entry.pool != PoolId(0) && chose) text = whyNotFirstPool(entry, names) + text;
  if (entry.formerTenant) text += ", reuses " + names.formerTenant;
  return text;
}

EventOrder::EventOrder(const std::vector<TimelineEntry>& timeline, bool bySteps)
    : timeline_(&timeline), bySteps_(bySteps) {
  if (!bySteps || std::ranges::is_sorted(timeline, {}, &TimelineEntry::step)) return;
  indices_.resize(timeline.size());
  std::iota(indices_.begin(), indices_.end(), std::uint32_t{0});
  std::ranges::stable_sort(indices_, {}, [&](std::uint32_t index) { return timeline[index].step; });
}

std::size_t EventOrder::happened(std::size_t moment, Step step) const {
  const auto comes = [&](const TimelineEntry& entry) {
    return isByStep() ? std::tuple(entry.step, entry.lastEvent) <= std::tuple(step, moment)
                      : entry.lastEvent <= moment;
  };
  std::size_t first = 0;
  std::size_t last = size();
  while (first < last) {
    const std::size_t middle = first + (last - first) / 2;
    if (comes(entry(middle))) {
      first = middle + 1;
    } else {
      last = middle;
    }
  }
  return first;
}

}  // namespace hw
