#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "core/allocators/allocators.h"
#include "core/allocators/heap.h"
#include "core/allocators/offline.h"
#include "core/base/text.h"

namespace hw {
namespace {

using namespace literals;

// Sizes that the allocator of PyTorch has built in.
constexpr Bytes kGranule = 512_B;       ///< Sizes are rounded up to it.
constexpr Bytes kMostSmall = 1_MiB;     ///< Up to it, blocks come from small segments.
constexpr Bytes kSmallSegment = 2_MiB;  ///< Also the page of an expandable segment of them.
constexpr Bytes kMostPooled = 10_MiB;   ///< Below it, a segment holds several.
constexpr Bytes kLargeSegment = 20_MiB;
constexpr Bytes kSegmentGranule = 2_MiB;  ///< Of the segments of larger ones.

constexpr ParamSpec kSplit{.name = "split",
                           .type = ParamType::size,
                           .summary =
                               "max_split_size: blocks of at least this size are not split, and "
                               "serve no smaller request; 0: no limit",
                           .fallback = "0"};
constexpr ParamSpec kExpandable{.name = "expandable",
                                .type = ParamType::flag,
                                .summary =
                                    "expandable_segments: one segment for small and one for large "
                                    "blocks, which grow by pages",
                                .fallback = "false"};
constexpr ParamSpec kParams[] = {kSplit, kExpandable};

struct CachingRules {
  Bytes split{};  ///< 0: no limit.
  bool expandable = false;
  Bytes granule = kGranule;  ///< A multiple of it, and of every alignment.
};

/// A block of a segment: bytes from `offset` on.
struct CachedBlock {
  Bytes size{};
  bool free = true;
};

/// The memory that was asked of the device at once, cut into blocks; or grown page by page.
struct CachedSegment {
  bool small = false;
  Bytes size{};
  std::map<Bytes, CachedBlock> blocks{};  ///< By offset; without gap.
};

/// PyTorch's caching allocator over the device's memory, for one pool.
class SegmentCache {
 public:
  SegmentCache(const CachingRules& rules, std::optional<Bytes> capacity)
      : rules_(rules), capacity_(capacity) {}

  /// The segment and the offset in it that `wanted` bytes get; nothing: the device has no more.
  std::optional<std::pair<RegionId, Bytes>> take(Bytes wanted) {
    const Bytes size = alignUp(wanted, rules_.granule);
    const bool small = size <= kMostSmall;
    auto found = bestFree(size, small);
    if (!found) found = grow(size, small);
    if (!found) return std::nullopt;
    occupy(segments_[found->first], found->second, size);
    return std::pair(RegionId(found->first), found->second);
  }

  /// A free block and its free neighbours become one.
  void release(RegionId region, Bytes offset) {
    auto& blocks = segments_[region.index()].blocks;
    auto block = blocks.find(offset);
    block->second.free = true;
    if (const auto next = std::next(block); next != blocks.end() && next->second.free) {
      block->second.size += next->second.size;
      blocks.erase(next);
    }
    if (block == blocks.begin()) return;
    const auto before = std::prev(block);
    if (!before->second.free) return;
    before->second.size += block->second.size;
    blocks.erase(block);
  }

  Bytes reserved() const { return reserved_; }
  const std::vector<CachedSegment>& segments() const { return segments_; }

 private:
  using BlockPlace = std::pair<std::size_t, Bytes>;  ///< Segment and offset.

  /// The smallest free block that is large enough, of equals the first, if it may serve: else none,
  /// rather than another one.
  std::optional<BlockPlace> bestFree(Bytes size, bool small) const {
    std::optional<std::tuple<Bytes, std::size_t, Bytes>> best;
    for (std::size_t i = 0; i < segments_.size(); ++i) {
      if (segments_[i].small != small) continue;
      for (const auto& [offset, block] : segments_[i].blocks) {
        if (!block.free || block.size < size) continue;
        const std::tuple candidate(block.size, i, offset);
        if (!best || candidate < *best) best = candidate;
      }
    }
    if (!best || !serves(std::get<0>(*best), size)) return std::nullopt;
    return BlockPlace(std::get<1>(*best), std::get<2>(*best));
  }

  /// Large blocks are kept for large requests.
  bool serves(Bytes block, Bytes size) const {
    if (rules_.split == Bytes()) return true;
    if (size < rules_.split) return block < rules_.split;
    return block < size + kLargeSegment;
  }

  /// A block of memory that the device gives; nothing: it has no more.
  std::optional<BlockPlace> grow(Bytes size, bool small) {
    if (rules_.expandable) return expand(size, small);
    const Bytes usual = small                ? kSmallSegment
                        : size < kMostPooled ? kLargeSegment
                                             : alignUp(size, kSegmentGranule);
    const Bytes bytes = alignUp(std::max(usual, size), rules_.granule);
    if (!reserve(bytes)) return std::nullopt;
    segments_.push_back({.small = small, .size = bytes});
    segments_.back().blocks[Bytes()] = {.size = bytes};
    return BlockPlace(segments_.size() - 1, Bytes());
  }

  /// The one segment of its kind becomes so long that what is free at its end is large enough.
  std::optional<BlockPlace> expand(Bytes size, bool small) {
    auto segment = std::ranges::find(segments_, small, &CachedSegment::small);
    if (segment == segments_.end()) {
      segments_.push_back({.small = small});
      segment = std::prev(segments_.end());
    }
    auto& blocks = segment->blocks;
    const bool free = !blocks.empty() && blocks.rbegin()->second.free;
    const Bytes begin = free ? blocks.rbegin()->first : segment->size;
    const Bytes page = alignUp(begin + size, small ? kSmallSegment : kLargeSegment);
    const Bytes end = std::max(segment->size, alignUp(page, rules_.granule));
    if (!reserve(end - segment->size)) return std::nullopt;
    blocks[begin] = {.size = end - begin};
    segment->size = end;
    return BlockPlace(static_cast<std::size_t>(segment - segments_.begin()), begin);
  }

  bool reserve(Bytes bytes) {
    if (capacity_ && reserved_ + bytes > *capacity_) return false;
    reserved_ += bytes;
    return true;
  }

  void occupy(CachedSegment& segment, Bytes offset, Bytes size) {
    CachedBlock& block = segment.blocks[offset];
    const Bytes rest = block.size - size;
    const bool finely = segment.small || rules_.expandable;
    const bool kept = rules_.split > Bytes() && size >= rules_.split;
    const bool splits = finely ? rest >= rules_.granule : !kept && rest > kMostSmall;
    block.free = false;
    if (!splits) return;
    block.size = size;
    segment.blocks[offset + size] = {.size = rest};
  }

  CachingRules rules_;
  std::optional<Bytes> capacity_;
  Bytes reserved_;
  std::vector<CachedSegment> segments_;
};

class CachingHeap final : public Heap {
 public:
  CachingHeap(const Problem& whole, const CachingRules& rules) : Heap(whole) {
    for (const ProblemPool& pool : whole.pools) caches_.add(SegmentCache(rules, pool.capacity));
  }

  MethodTable table(PoolId pool) const {
    MethodTable table{.name = "segments " + problem().pools[pool].name,
                      .summary = "memory asked of the device, segment by segment",
                      .columns = {"segment", "blocks of", "bytes"}};
    std::int64_t number = 0;
    for (const CachedSegment& segment : caches_[pool].segments()) {
      addRow(table, {number++, std::string(segment.small ? "1 MiB and less" : "more than 1 MiB"),
                     segment.size});
    }
    return table;
  }

  std::string note(PoolId pool) const {
    return fmt::format("{}: {} bytes reserved in {} segments", problem().pools[pool].name,
                       groupDigits(caches_[pool].reserved().count()),
                       groupDigits(caches_[pool].segments().size()));
  }
  bool isUsed(PoolId pool) const { return !caches_[pool].segments().empty(); }

 private:
  std::optional<Choice> choose(StayId id) override {
    const Stay& stay = problem().stays[id];
    for (const PoolId pool : problem().pools.keys()) {
      if (stay.pool && stay.pool != pool) continue;
      const auto place = caches_[pool].take(stay.size);
      if (place) return Choice{{pool, place->first, place->second}, Reason::bestFit};
    }
    return std::nullopt;
  }

  void released(StayId, const Address& address) override {
    caches_[address.pool].release(address.region, address.offset);
  }

  IdMap<PoolId, SegmentCache> caches_;
};

class Caching final : public Allocator {
 public:
  explicit Caching(const CachingRules& rules) : rules_(rules) {}

 private:
  Result<Plan> solve(const Problem& problem, const PlanContext&) const override {
    HW_DO(refusePins(problem, "caching"));
    CachingRules rules = rules_;
    const std::int64_t common = commonAlignment(problem).value_or(Bytes(1)).count();
    rules.granule = kGranule * (common / std::gcd(common, kGranule.count()));
    CachingHeap heap(problem, rules);
    Plan plan = replay(problem, heap);
    for (const PoolId pool : problem.pools.keys()) {
      if (!heap.isUsed(pool)) continue;
      plan.notes.push_back(heap.note(pool));
      plan.tables.push_back(heap.table(pool));
    }
    return plan;
  }

  CachingRules rules_;
};

}  // namespace

std::span<const ParamSpec> cachingParams() { return kParams; }

std::unique_ptr<Allocator> makeCaching(const Params& params) {
  return std::make_unique<Caching>(
      CachingRules{.split = params.size(kSplit), .expandable = params.flag(kExpandable)});
}

}  // namespace hw
