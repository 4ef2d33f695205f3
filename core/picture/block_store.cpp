#include "core/picture/block_store.h"

#include <cmath>
#include <limits>
#include <thread>

#include "core/graph/counterparts.h"

namespace hw {

namespace {

template <class Integer>
Integer clampTo(double value) {
  constexpr double kLeast = static_cast<double>(std::numeric_limits<Integer>::min());
  constexpr double kMost = static_cast<double>(std::numeric_limits<Integer>::max() / 2);
  return static_cast<Integer>(std::clamp(value, kLeast, kMost));
}

/// Key that decides the place of a block among those that begin together.
struct SortKey {
  std::int64_t low;
  std::uint32_t stay;
  std::uint32_t index;
  auto operator<=>(const SortKey&) const = default;
};

/// Sorts each bucket of `keys`; bucket b is [starts[b], starts[b + 1]). Buckets share nothing, so
/// each thread takes a stretch of them.
void sortBuckets(std::vector<SortKey>& keys, const std::vector<std::size_t>& starts) {
  constexpr std::size_t kPerThread = 30'000;
  const std::size_t cores = std::clamp(std::thread::hardware_concurrency(), 1U, 4U);
  const std::size_t threads = std::clamp<std::size_t>(keys.size() / kPerThread, 1, cores);
  const auto sortFrom = [&](std::size_t from, std::size_t to) {
    auto bucket = std::ranges::lower_bound(starts, from);
    for (; bucket + 1 < starts.end() && *bucket < to; ++bucket) {
      std::sort(keys.begin() + static_cast<std::ptrdiff_t>(*bucket),
                keys.begin() + static_cast<std::ptrdiff_t>(bucket[1]));
    }
  };
  std::vector<std::jthread> others;
  for (std::size_t i = 1; i < threads; ++i) {
    others.emplace_back(sortFrom, keys.size() * i / threads, keys.size() * (i + 1) / threads);
  }
  sortFrom(0, keys.size() / threads);
}

/// The blocks by (begin, lowest byte, stay). Steps are few and dense, so those are counted
/// rather than compared: a third of the time of sorting by all three.
std::vector<SortKey> drawingOrder(const std::vector<Block>& blocks) {
  std::vector<SortKey> keys(blocks.size());
  if (blocks.empty()) return keys;
  const auto [least, most] =
      std::ranges::minmax(blocks, {}, [](const Block& block) { return block.span.begin; });
  const std::int64_t first = least.span.begin.count();
  // Places that are few and far between share a bucket, in which the order is mended below.
  const auto range = static_cast<std::size_t>(most.span.begin.count() - first) + 1;
  const std::size_t width = 1 + range / (4 * blocks.size() + 1'000);
  const auto bucketOf = [&](const Block& block) {
    return static_cast<std::size_t>(block.span.begin.count() - first) / width;
  };
  std::vector<std::size_t> starts(range / width + 2, 0);
  for (const Block& block : blocks) ++starts[bucketOf(block) + 1];
  for (std::size_t i = 1; i < starts.size(); ++i) starts[i] += starts[i - 1];
  std::vector<std::size_t> next(starts.begin(), starts.end() - 1);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const Block& block = blocks[i];
    keys[next[bucketOf(block)]++] = {block.bytes.begin.count(),
                                     static_cast<std::uint32_t>(block.stay.index()),
                                     static_cast<std::uint32_t>(i)};
  }
  sortBuckets(keys, starts);
  if (width > 1) {
    std::ranges::stable_sort(keys, {},
                             [&](const SortKey& key) { return blocks[key.index].span.begin; });
  }
  return keys;
}

/// Places and classes of the stays of a pool.
class PlacedBlocks {
 public:
  PlacedBlocks(const Run& run, PoolId pool, const Coloring& coloring)
      : run_(run), pool_(pool), coloring_(coloring), starts_(run.plan.regionStarts(pool)) {}

  /// Without its span; nothing where the stay is not in this pool.
  std::optional<Block> blockOf(StayId id) const {
    if (!run_.plan.addresses.contains(id)) return {};
    const auto& address = run_.plan.addresses[id];
    if (!address || address->pool != pool_ || address->region.index() >= starts_.size()) return {};
    const Bytes low = starts_[address->region.index()] + address->offset;
    return Block{{}, {low, low + run_.problem.stays[id].size}, id, coloring_.of(run_, id)};
  }

 private:
  const Run& run_;
  PoolId pool_;
  const Coloring& coloring_;
  std::vector<Bytes> starts_;
};

AxisPlace placeOf(Step step) { return AxisPlace(step.count()); }
AxisPlace placeOf(SimTime time) { return AxisPlace(time.count()); }

std::vector<Block> blocksInSteps(const Run& run, const PlacedBlocks& placed) {
  std::vector<Block> blocks;
  blocks.reserve(run.problem.stays.size() + run.problem.gaps.size());
  const auto add = [&](Block block, const Interval<Step>& steps) {
    block.span = {placeOf(steps.begin), placeOf(steps.end)};
    blocks.push_back(block);
  };
  for (const StayId id : run.problem.stays.keys()) {
    const auto block = placed.blockOf(id);
    if (!block) continue;
    if (run.problem.gaps.empty()) {
      add(*block, run.problem.stays[id].steps);
      continue;
    }
    for (const Interval<Step>& steps : run.problem.liveSteps(id)) add(*block, steps);
  }
  return blocks;
}

/// From the run's own story: what is never freed has its bytes to the end.
std::vector<Block> blocksInTime(const Run& run, PoolId pool, const PlacedBlocks& placed) {
  std::vector<Block> blocks;
  IdMap<StayId, std::optional<SimTime>> since(run.problem.stays.size());
  const auto add = [&](StayId id, SimTime end) {
    auto block = placed.blockOf(id);
    if (!block || !since[id]) return;
    block->span = {placeOf(*since[id]), placeOf(end)};
    blocks.push_back(*block);
    since[id].reset();
  };
  for (std::size_t i = 0; i < run.trace.size(); ++i) {
    const MemoryEvent& event = run.trace.event(i);
    if (event.poolId() != pool) continue;
    if (event.kind == EventKind::alloc) since[event.stay] = run.trace.timeOf(i);
    if (event.kind == EventKind::free) add(event.stay, run.trace.timeOf(i));
  }
  for (const StayId id : since.keys()) add(id, run.timing.makespan);
  return blocks;
}

}  // namespace

BlockStore::Cut::Cut(const MapWindow& window)
    : begin(clampTo<std::int64_t>(std::floor(window.begin))),
      end(clampTo<std::int64_t>(std::ceil(window.end))),
      low(clampTo<std::int64_t>(std::floor(window.lowByte))),
      high(clampTo<std::int64_t>(std::ceil(window.highByte))) {}

BlockStore::BlockStore(std::vector<Block> blocks, AxisUnit unit,
                       std::shared_ptr<const Coloring> coloring)
    : unit_(unit), coloring_(std::move(coloring)) {
  std::erase_if(blocks,
                [](const Block& block) { return block.span.empty() || block.bytes.empty(); });
  const std::vector<SortKey> order = drawingOrder(blocks);
  begins_.reserve(blocks.size());
  ends_.reserve(blocks.size());
  lows_.reserve(blocks.size());
  highs_.reserve(blocks.size());
  stays_.reserve(blocks.size());
  kinds_.reserve(blocks.size());
  for (const SortKey& key : order) {
    const Block& block = blocks[key.index];
    begins_.push_back(block.span.begin.count());
    ends_.push_back(block.span.end.count());
    lows_.push_back(block.bytes.begin.count());
    highs_.push_back(block.bytes.end.count());
    stays_.push_back(block.stay);
    kinds_.push_back(block.kind);
  }
  buildZones();
  buildIndex();
}

BlockStore BlockStore::ofPool(const Run& run, PoolId pool, AxisUnit unit,
                              std::shared_ptr<const Coloring> coloring) {
  const PlacedBlocks placed(run, pool, *coloring);
  BlockStore store(
      unit == AxisUnit::time ? blocksInTime(run, pool, placed) : blocksInSteps(run, placed), unit,
      std::move(coloring));
  store.madeAgain_ = MadeAgain(run.graph());
  store.loops_ = loopTurns(run.graph(), run.schedule);
  return store;
}

Block BlockStore::block(std::size_t index) const {
  return {{AxisPlace(begins_[index]), AxisPlace(ends_[index])},
          {Bytes(lows_[index]), Bytes(highs_[index])},
          stays_[index],
          kinds_[index]};
}

std::span<const std::uint32_t> BlockStore::blocksOf(StayId stay) const {
  if (!stay || stay.index() + 1 >= firstOfStay_.size()) return {};
  const std::uint32_t first = firstOfStay_[stay.index()];
  return std::span(byStay_).subspan(first, firstOfStay_[stay.index() + 1] - first);
}

std::size_t BlockStore::countNear(const MapWindow& window) const {
  const Cut cut(window);
  std::size_t count = 0;
  for (std::size_t zone = 0; zone < zones_.size(); ++zone) {
    if (zones_[zone].meets(cut)) count += std::min(kZone, size() - zone * kZone);
  }
  return count;
}

void BlockStore::buildZones() {
  for (std::size_t first = 0; first < size(); first += kZone) {
    Zone zone{begins_[first], ends_[first], lows_[first], highs_[first]};
    for (std::size_t i = first; i < std::min(size(), first + kZone); ++i) {
      zone.end = std::max(zone.end, ends_[i]);
      zone.low = std::min(zone.low, lows_[i]);
      zone.high = std::max(zone.high, highs_[i]);
    }
    zones_.push_back(zone);
  }
}

void BlockStore::buildIndex() {
  std::size_t stays = 0;
  for (const StayId stay : stays_) stays = std::max(stays, stay.index() + 1);
  // A counting sort by stay: bucket sizes, their running sum, then the blocks in order.
  firstOfStay_.assign(stays + 1, 0);
  for (const StayId stay : stays_) ++firstOfStay_[stay.index() + 1];
  for (std::size_t i = 1; i <= stays; ++i) firstOfStay_[i] += firstOfStay_[i - 1];
  std::vector<std::uint32_t> next(firstOfStay_.begin(), firstOfStay_.end());
  byStay_.resize(size());
  for (std::size_t i = 0; i < size(); ++i) {
    byStay_[next[stays_[i].index()]++] = static_cast<std::uint32_t>(i);
  }
}

namespace {

/// Bytes that the reference has at one place for a while.
struct HeldBytes {
  BufferId owner{};
  std::int64_t low = 0;
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

class ReferenceBytes {
 public:
  ReferenceBytes(const Run& reference, PoolId pool) : reference_(reference) {
    if (!reference.problem.pools.contains(pool)) return;
    const BlockStore blocks = BlockStore::ofPool(reference, pool);
    places_.reserve(blocks.size());
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      places_.push_back({reference.problem.stays[blocks.stay(i)].buffer, blocks.lowByte(i),
                         blocks.beginAt(i), blocks.endAt(i)});
    }
    std::ranges::stable_sort(places_, {}, &HeldBytes::owner);
  }

  /// Block `index` of `run` lies where the reference has the same bytes.
  bool have(const Run& run, const BlockStore& blocks, std::size_t index) const {
    // The reference may keep the tensor inside a larger buffer.
    const TensorId tensor = run.stayTensor(blocks.stay(index));
    const BufferId owner = reference_.storage.bufferOf(tensor);
    if (!owner) return false;
    const std::int64_t low = blocks.lowByte(index) - reference_.storage.offsetOf(tensor).count();
    // Clang 14 cannot use the subrange that std::ranges::equal_range returns.
    const auto first = std::ranges::lower_bound(places_, owner, {}, &HeldBytes::owner);
    const auto last = std::ranges::upper_bound(places_, owner, {}, &HeldBytes::owner);
    // By steps, which both runs share, also where blocks lie in time.
    const Interval<Step> steps = run.problem.stays[blocks.stay(index)].steps;
    return std::any_of(first, last, [&](const HeldBytes& place) {
      return place.low == low && place.begin < steps.end.count() && place.end > steps.begin.count();
    });
  }

 private:
  const Run& reference_;
  std::vector<HeldBytes> places_;
};

}  // namespace

MovedBlocks movedBlocks(const Run& run, PoolId pool, const BlockStore& blocks,
                        const Run& reference) {
  MovedBlocks result;
  if (!Counterparts(run.graph(), reference.graph()).same()) return result;
  const ReferenceBytes places(reference, pool);
  result.moved.resize(blocks.size());
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    result.moved[i] = !places.have(run, blocks, i);
    if (result.moved[i]) ++result.count;
  }
  return result;
}

}  // namespace hw
