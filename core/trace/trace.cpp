#include "core/trace/trace.h"

#include <algorithm>

#include "core/base/check.h"

namespace hw {

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

}  // namespace hw
