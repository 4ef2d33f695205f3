#include "core/trace/usage_pyramid.h"

#include <algorithm>

namespace hw {
namespace {

UsageEnvelope join(UsageEnvelope a, UsageEnvelope b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

/// Joins nothing: the envelope of no events at all.
constexpr UsageEnvelope kNothing{kMaxBytes + kMaxBytes, Bytes(-1)};

/// How much more is in use after `event` than before, in the event's pool.
Bytes change(const MemoryEvent& event) {
  if (event.kind == EventKind::alloc) return event.size;
  if (event.kind == EventKind::free) return Bytes() - event.size;
  return Bytes();
}

}  // namespace

void UsagePyramid::add(const MemoryEvent& event) {
  if (inBlock_ == 0) openBlocks();
  // The state after an event counts for every pool. Where it changed nothing it has been counted
  // already, but for the first event of a block.
  Pool& pool = pools_[event.poolId()];
  pool.now += change(event);
  if (inBlock_ == 0) {
    for (Pool& each : pools_) each.block = {each.now, each.now};
  } else {
    pool.block = join(pool.block, {pool.now, pool.now});
  }
  if (++inBlock_ == kBlock) closeBlocks();
}

void UsagePyramid::openBlocks() {
  for (Pool& pool : pools_) pool.starts.push_back(pool.now);
}

void UsagePyramid::closeBlocks() {
  for (Pool& pool : pools_) pool.levels[0].push_back(pool.block);
  inBlock_ = 0;
}

void UsagePyramid::finish() {
  if (inBlock_ > 0) closeBlocks();
  for (Pool& pool : pools_) {
    while (pool.levels.back().size() > 1) {
      const std::vector<UsageEnvelope>& below = pool.levels.back();
      std::vector<UsageEnvelope> above;
      above.reserve(below.size() / 2 + 1);
      for (std::size_t i = 0; i < below.size(); i += 2) {
        above.push_back(i + 1 < below.size() ? join(below[i], below[i + 1]) : below[i]);
      }
      pool.levels.push_back(std::move(above));
    }
  }
}

UsageEnvelope UsagePyramid::query(std::span<const MemoryEvent> events, PoolId pool,
                                  std::size_t first, std::size_t last) const {
  if (!pools_.contains(pool)) return {};
  last = std::min(last, events.size());
  if (first >= last) return replay(events, pool, std::min(first, events.size()), 0);
  const std::size_t firstBlock = (first + kBlock - 1) / kBlock;
  const std::size_t lastBlock = last / kBlock;
  if (firstBlock >= lastBlock) return replay(events, pool, first, last);
  UsageEnvelope all = blocks(pools_[pool], firstBlock, lastBlock);
  if (first < firstBlock * kBlock) {
    all = join(all, replay(events, pool, first, firstBlock * kBlock));
  }
  if (lastBlock * kBlock < last) all = join(all, replay(events, pool, lastBlock * kBlock, last));
  return all;
}

/// Adds up from the start of the block that `first` is in; an empty range is the state before it.
UsageEnvelope UsagePyramid::replay(std::span<const MemoryEvent> events, PoolId pool,
                                   std::size_t first, std::size_t last) const {
  if (events.empty()) return {};
  const std::vector<Bytes>& starts = pools_[pool].starts;
  const std::size_t block = std::min(first / kBlock, starts.size() - 1);
  Bytes now = starts[block];
  std::size_t at = block * kBlock;
  const auto step = [&] {
    if (events[at].poolId() == pool) now += change(events[at]);
    ++at;
  };
  while (at < first) step();
  if (first >= last) return {now, now};
  UsageEnvelope all = kNothing;
  while (at < last) {
    step();
    all = join(all, {now, now});
  }
  return all;
}

/// Over whole blocks: at most two runs of each level.
UsageEnvelope UsagePyramid::blocks(const Pool& pool, std::size_t first, std::size_t last) {
  UsageEnvelope all = kNothing;
  for (std::size_t level = 0; first < last; ++level) {
    if (first % 2 == 1) all = join(all, pool.levels[level][first++]);
    if (last % 2 == 1) all = join(all, pool.levels[level][--last]);
    first /= 2;
    last /= 2;
  }
  return all;
}

}  // namespace hw
