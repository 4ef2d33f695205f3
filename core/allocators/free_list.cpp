#include <set>
#include <utility>

#include "core/allocators/allocators.h"
#include "core/allocators/heap.h"
#include "core/allocators/offline.h"

namespace hw {
namespace {

constexpr std::string_view kPicks[] = {"largest", "best"};

constexpr ParamSpec kThreshold{.name = "threshold",
                               .type = ParamType::size,
                               .summary =
                                   "smaller buffers, and those of this size, never cut a "
                                   "free block: they take fresh memory",
                               .fallback = "0"};
constexpr ParamSpec kPick{.name = "pick",
                          .type = ParamType::choice,
                          .summary =
                              "which larger free block to split: the largest (as published) "
                              "or the best fit",
                          .fallback = "largest",
                          .choices = kPicks};
constexpr ParamSpec kParams[] = {kThreshold, kPick};

/// The free blocks of one pool, by size and by address.
class FreeBlocks {
 public:
  void add(const Chunk& chunk) { bySize_.insert({chunk.size, chunk.offset}); }
  void remove(const Chunk& chunk) { bySize_.erase({chunk.size, chunk.offset}); }
  bool empty() const { return bySize_.empty(); }

  /// A block of exactly `size`, the lowest that is aligned.
  std::optional<Bytes> exact(const Stay& stay) const {
    for (auto block = bySize_.lower_bound({stay.size, Bytes()});
         block != bySize_.end() && block->first == stay.size; ++block) {
      if (isAligned(block->second, stay.alignment)) return block->second;
    }
    return std::nullopt;
  }

  /// An address in the smallest block that is larger than the stay, lowest first.
  std::optional<Bytes> smallestLarger(const Stay& stay) const {
    for (auto block = bySize_.upper_bound({stay.size, kMaxBytes}); block != bySize_.end();
         ++block) {
      if (const auto at = placeIn(*block, stay)) return at;
    }
    return std::nullopt;
  }

  /// An address in the largest block that is larger than the stay, lowest first.
  std::optional<Bytes> largestLarger(const Stay& stay) const {
    for (auto above = bySize_.end(); above != bySize_.begin();) {
      const Bytes size = std::prev(above)->first;
      if (size <= stay.size) break;
      const auto group = bySize_.lower_bound({size, Bytes()});
      for (auto block = group; block != above; ++block) {
        if (const auto at = placeIn(*block, stay)) return at;
      }
      above = group;
    }
    return std::nullopt;
  }

  /// The largest block, the highest if several. Not to be called when empty.
  Chunk largest() const {
    const auto& [size, offset] = *bySize_.rbegin();
    return {.offset = offset, .size = size};
  }

 private:
  static std::optional<Bytes> placeIn(const std::pair<Bytes, Bytes>& block, const Stay& stay) {
    const Bytes at = alignUp(block.second, stay.alignment);
    if (at + stay.size > block.second + block.first) return std::nullopt;
    return at;
  }

  std::set<std::pair<Bytes, Bytes>> bySize_;  ///< (size, offset).
};

class FreeListHeap final : public Heap {
 public:
  FreeListHeap(const Problem& whole, Bytes threshold, bool best)
      : Heap(whole), free_(whole.pools.size()), threshold_(threshold), best_(best) {}

 private:
  std::optional<Choice> choose(StayId id) override {
    const Stay& stay = problem().stays[id];
    for (const PoolId pool : problem().pools.keys()) {
      if (stay.pool && stay.pool != pool) continue;
      if (auto choice = chooseIn(pool, stay)) return choice;
    }
    return std::nullopt;
  }

  std::optional<Choice> chooseIn(PoolId pool, const Stay& stay) const {
    const FreeBlocks& blocks = free_[pool];
    const auto at = [&](Bytes offset, Reason reason) {
      return Choice{{pool, kArena, offset}, reason};
    };
    const bool large = stay.size > threshold_;
    const Bytes frontier = chunks(pool).regionSize(kArena);
    if (large && !blocks.empty()) {
      if (const auto reuse = blocks.exact(stay)) return at(*reuse, Reason::exactFit);
      const auto split = best_ ? blocks.smallestLarger(stay) : blocks.largestLarger(stay);
      if (split) return at(*split, best_ ? Reason::bestFit : Reason::largestFree);
      const Chunk tail = blocks.largest();
      const Bytes start = alignUp(tail.offset, stay.alignment);
      if (tail.end() == frontier && hasRoom(pool, start + stay.size)) {
        return at(start, Reason::tailExtension);
      }
    }
    const Bytes fresh = alignUp(frontier, stay.alignment);
    if (!hasRoom(pool, fresh + stay.size)) return std::nullopt;
    return at(fresh, large ? Reason::frontier : Reason::belowThreshold);
  }

  bool hasRoom(PoolId pool, Bytes end) const {
    const auto& capacity = problem().pools[pool].capacity;
    return !capacity || end <= *capacity;
  }

  void freeChunkAdded(PoolId pool, RegionId, const Chunk& chunk) override {
    free_[pool].add(chunk);
  }
  void freeChunkRemoved(PoolId pool, RegionId, const Chunk& chunk) override {
    free_[pool].remove(chunk);
  }

  static constexpr RegionId kArena{0};
  IdMap<PoolId, FreeBlocks> free_;
  Bytes threshold_;
  bool best_;
};

class FreeList final : public Allocator {
 public:
  explicit FreeList(const Params& params)
      : threshold_(params.size(kThreshold)), best_(params.choice(kPick) == "best") {}

 private:
  Result<Plan> solve(const Problem& problem, const PlanContext&) const override {
    if (auto good = refusePins(problem, "free-list"); !good) return tl::unexpected(good.error());
    FreeListHeap heap(problem, threshold_, best_);
    return replay(problem, heap);
  }

  Bytes threshold_;
  bool best_;
};

}  // namespace

std::span<const ParamSpec> freeListParams() { return kParams; }

std::unique_ptr<Allocator> makeFreeList(const Params& params) {
  return std::make_unique<FreeList>(params);
}

}  // namespace hw
