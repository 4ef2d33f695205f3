#include "widgets/canvas/block_store.h"

#include <limits>
#include <tuple>

namespace hw {

namespace {

template <class Integer>
Integer clampTo(double value) {
  constexpr double kLeast = static_cast<double>(std::numeric_limits<Integer>::min());
  constexpr double kMost = static_cast<double>(std::numeric_limits<Integer>::max() / 2);
  return static_cast<Integer>(std::clamp(value, kLeast, kMost));
}

}  // namespace

std::vector<Bytes> regionStarts(const Plan& plan, PoolId pool) {
  std::vector<Bytes> starts(1);
  if (!plan.regions.contains(pool)) return starts;
  for (const Bytes size : plan.regions[pool]) starts.push_back(starts.back() + size);
  return starts;
}

TensorClass stayClass(const Run& run, StayId stay) {
  const BufferId buffer = run.problem.stays[stay].buffer;
  if (run.storage.buffers.contains(buffer)) {
    const Buffer& storage = run.storage.buffers[buffer];
    if (storage.graphOutput) return TensorClass::output;
    if (run.graph().tensors[storage.root].graphInput) return TensorClass::input;
    return storage.tensors.size() > 1 ? TensorClass::view : TensorClass::intermediate;
  }
  return TensorClass::intermediate;
}

BlockStore::Cut::Cut(const MapWindow& window)
    : begin(clampTo<std::int32_t>(std::floor(window.beginStep))),
      end(clampTo<std::int32_t>(std::ceil(window.endStep))),
      low(clampTo<std::int64_t>(std::floor(window.lowByte))),
      high(clampTo<std::int64_t>(std::ceil(window.highByte))) {}

BlockStore::BlockStore(std::vector<Block> blocks) {
  std::erase_if(blocks,
                [](const Block& block) { return block.steps.empty() || block.bytes.empty(); });
  std::ranges::sort(blocks, {}, [](const Block& block) {
    return std::tuple(block.steps.begin, block.bytes.begin, block.stay);
  });
  begins_.reserve(blocks.size());
  ends_.reserve(blocks.size());
  for (const Block& block : blocks) {
    begins_.push_back(static_cast<std::int32_t>(block.steps.begin.count()));
    ends_.push_back(static_cast<std::int32_t>(block.steps.end.count()));
    lows_.push_back(block.bytes.begin.count());
    highs_.push_back(block.bytes.end.count());
    stays_.push_back(block.stay);
    kinds_.push_back(block.kind);
  }
  buildZones();
  buildIndex();
}

BlockStore BlockStore::ofPool(const Run& run, PoolId pool) {
  const std::vector<Bytes> starts = regionStarts(run.plan, pool);
  std::vector<Block> blocks;
  for (const StayId id : run.problem.stays.keys()) {
    if (!run.plan.addresses.contains(id)) break;
    const auto& address = run.plan.addresses[id];
    if (!address || address->pool != pool || address->region.index() >= starts.size()) continue;
    const Bytes low = starts[address->region.index()] + address->offset;
    const Interval<Bytes> bytes{low, low + run.problem.stays[id].size};
    const TensorClass kind = stayClass(run, id);
    for (const Interval<Step>& steps : run.problem.liveSteps(id)) {
      blocks.push_back({steps, bytes, id, kind});
    }
  }
  return BlockStore(std::move(blocks));
}

Block BlockStore::block(std::size_t index) const {
  return {{Step(begins_[index]), Step(ends_[index])},
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

}  // namespace hw
