#include "core/trace/trace.h"

#include <algorithm>

#include "core/base/check.h"

namespace hw {

std::size_t Trace::indexAt(SimTime time) const {
  return static_cast<std::size_t>(std::ranges::upper_bound(times_, time) - times_.begin());
}

std::size_t Trace::indexOfStep(Step step) const {
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
  const std::span<const ChunkMap::Packed> chunks(frameChunks_);
  for (std::size_t pool = 0; pool < poolCount_; ++pool) {
    const std::size_t begin = frameBegins_[frame.firstBegin + pool];
    const std::size_t end = frameBegins_[frame.firstBegin + pool + 1];
    state.add(ChunkMap::unpack(chunks.subspan(begin, end - begin)));
  }
  return state;
}

Trace::Envelope Trace::usage(PoolId pool, std::size_t first, std::size_t last) const {
  return usage_.contains(pool) ? usage_[pool].query(events_, first, last) : Envelope();
}

Trace::Builder::Builder(std::size_t pools) : state_(pools) {
  trace_.poolCount_ = pools;
  for (std::size_t pool = 0; pool < pools; ++pool) trace_.usage_.add(UsagePyramid(PoolId(pool)));
  takeKeyframe();
}

void Trace::Builder::reserve(std::size_t events) {
  trace_.events_.reserve(events);
  trace_.times_.reserve(events);
}

void Trace::Builder::add(SimTime time, const MemoryEvent& event) {
  if (!trace_.times_.empty()) {
    const bool forwards = trace_.times_.back() <= time && trace_.events_.back().step <= event.step;
    if (!forwards) check(false, "a trace's times and steps not to go backwards");
  }
  if (event.pool >= state_.size()) check(false, "an event of a pool of the trace");
  ChunkMap& map = state_[event.poolId()];
  chunks_ -= map.chunkCount();
  map.apply(event);
  chunks_ += map.chunkCount();
  trace_.times_.push_back(time);
  trace_.events_.push_back(event);
  for (UsagePyramid& usage : trace_.usage_) usage.add(event);
  // Bookkeeping per pool is part of the price of a keyframe.
  if (++sinceKeyframe_ > chunks_ + state_.size()) takeKeyframe();
}

void Trace::Builder::takeKeyframe() {
  trace_.frames_.push_back({trace_.events_.size(), trace_.frameBegins_.size()});
  for (const ChunkMap& map : state_) {
    trace_.frameBegins_.push_back(trace_.frameChunks_.size());
    map.packInto(trace_.frameChunks_);
  }
  trace_.frameBegins_.push_back(trace_.frameChunks_.size());
  sinceKeyframe_ = 0;
}

Trace Trace::Builder::finish() && {
  for (UsagePyramid& usage : trace_.usage_) usage.finish();
  return std::move(trace_);
}

}  // namespace hw
