#include "core/trace/trace.h"

#include <algorithm>

#include "core/base/check.h"

namespace hw {
namespace {

UsageEnvelope join(UsageEnvelope a, UsageEnvelope b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

/// Joins nothing: the envelope of no events at all.
constexpr UsageEnvelope kNothing{kMaxBytes + kMaxBytes, Bytes(-1)};

/// The bytes in use after `event` less those before, in the event's pool.
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

std::size_t Trace::indexAt(SimTime time) const {
  return static_cast<std::size_t>(std::ranges::upper_bound(times_, time) - times_.begin());
}

std::size_t Trace::indexOfStep(Step step) const {
  if (!stepBegins_.empty()) {
    const auto index = static_cast<std::size_t>(std::max(step, Step()).count());
    return index < stepBegins_.size() ? stepBegins_[index] : size();
  }
  const auto first = std::ranges::lower_bound(
      events_, step.count(), {}, [](const MemoryEvent& e) { return std::int64_t{e.step}; });
  return static_cast<std::size_t>(first - events_.begin());
}

MemoryState Trace::stateAfter(std::size_t count) const {
  check(count <= events_.size(), "a seek to an event of the trace");
  if (frames_.empty()) return MemoryState(poolCount_);
  const auto next = std::ranges::upper_bound(frames_, count, {}, &Frame::events);
  const Frame& frame = *std::prev(next);
  MemoryState state = unpack(frame);
  for (std::size_t i = frame.events; i < count; ++i) state[events_[i].poolId()].apply(events_[i]);
  return state;
}

MemoryState Trace::unpack(const Frame& frame) const {
  MemoryState state;
  state.reserve(poolCount_);
  const std::span<const ChunkMap::Boundary> boundaries(boundaries_);
  const std::span<const Bytes> sizes(regionSizes_);
  for (std::size_t pool = 0; pool < poolCount_; ++pool) {
    const Mark& begin = marks_[frame.firstMark + pool];
    const Mark& end = marks_[frame.firstMark + pool + 1];
    state.add(ChunkMap::unpack({boundaries.subspan(begin.boundary, end.boundary - begin.boundary),
                                sizes.subspan(begin.region, end.region - begin.region)}));
  }
  return state;
}

Trace::Envelope Trace::usage(PoolId pool, std::size_t first, std::size_t last) const {
  return usage_.query(events_, pool, first, last);
}

Trace::Builder::Builder(std::size_t pools) : state_(pools) {
  trace_.poolCount_ = pools;
  trace_.usage_ = UsagePyramid(pools);
  takeKeyframe();
}

void Trace::Builder::reserve(std::size_t events) {
  trace_.events_.reserve(events);
  trace_.times_.reserve(events);
  trace_.boundaries_.reserve(events);  // The most there can be; untouched memory costs nothing.
}

void Trace::Builder::add(SimTime time, const MemoryEvent& event) {
  if (!trace_.times_.empty()) {
    const bool forwards = trace_.times_.back() <= time &&
                          (!trace_.stepBegins_.empty() || trace_.events_.back().step <= event.step);
    if (!forwards) check(false, "a trace's times and steps not to go backwards");
  }
  if (event.pool >= state_.size()) check(false, "an event of a pool of the trace");
  ChunkMap& map = state_[event.poolId()];
  chunks_ -= map.chunkCount();
  map.apply(event);
  chunks_ += map.chunkCount();
  trace_.times_.push_back(time);
  trace_.events_.push_back(event);
  trace_.usage_.add(event);
  // Bookkeeping per pool is part of the price of a keyframe.
  if (++sinceKeyframe_ > chunks_ + state_.size()) takeKeyframe();
}

void Trace::Builder::takeKeyframe() {
  trace_.frames_.push_back({trace_.events_.size(), trace_.marks_.size()});
  const auto mark = [&] {
    trace_.marks_.push_back({trace_.boundaries_.size(), trace_.regionSizes_.size()});
  };
  for (const ChunkMap& map : state_) {
    mark();
    map.pack(trace_.boundaries_, trace_.regionSizes_);
  }
  mark();
  sinceKeyframe_ = 0;
}

Trace Trace::Builder::finish() && {
  trace_.usage_.finish();
  return std::move(trace_);
}

Bytes liveAt(const Trace& trace, std::size_t moment) {
  Bytes live;
  for (const PoolId pool : IdRange<PoolId>(trace.poolCount())) {
    live += trace.usage(pool, moment, moment).low;
  }
  return live;
}

MomentDelta momentDelta(const Trace& trace, std::size_t first, std::size_t second) {
  MomentDelta delta{.live = liveAt(trace, second) - liveAt(trace, first)};
  for (std::size_t i = std::min(first, second); i < std::max(first, second); ++i) {
    const MemoryEvent& event = trace.event(i);
    if (event.kind == EventKind::alloc) delta.allocated += event.size;
    if (event.kind == EventKind::free) delta.released += event.size;
  }
  return delta;
}

}  // namespace hw
