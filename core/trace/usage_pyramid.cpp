#include "core/trace/usage_pyramid.h"

#include <algorithm>

namespace hw {
namespace {

UsageEnvelope join(UsageEnvelope a, UsageEnvelope b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

/// Joins nothing: the envelope of no events at all.
constexpr UsageEnvelope kNothing{kMaxBytes + kMaxBytes, Bytes(-1)};

}  // namespace

/// How much more is in use after `event` than before.
Bytes UsagePyramid::change(const MemoryEvent& event) const {
  if (event.poolId() != pool_) return Bytes();
  if (event.kind == EventKind::alloc) return event.size;
  if (event.kind == EventKind::free) return Bytes() - event.size;
  return Bytes();
}

void UsagePyramid::add(const MemoryEvent& event) {
  if (levels_.empty()) levels_.emplace_back();
  if (count_ % kBlock == 0) {
    starts_.push_back(now_);
    levels_[0].push_back(kNothing);
  }
  now_ += change(event);
  levels_[0].back() = join(levels_[0].back(), {now_, now_});
  ++count_;
}

void UsagePyramid::finish() {
  while (!levels_.empty() && levels_.back().size() > 1) {
    const std::vector<UsageEnvelope>& below = levels_.back();
    std::vector<UsageEnvelope> above;
    above.reserve(below.size() / 2 + 1);
    for (std::size_t i = 0; i < below.size(); i += 2) {
      above.push_back(i + 1 < below.size() ? join(below[i], below[i + 1]) : below[i]);
    }
    levels_.push_back(std::move(above));
  }
}

UsageEnvelope UsagePyramid::query(std::span<const MemoryEvent> events, std::size_t first,
                                  std::size_t last) const {
  last = std::min(last, events.size());
  if (first >= last) return replay(events, std::min(first, events.size()), 0);
  const std::size_t firstBlock = (first + kBlock - 1) / kBlock;
  const std::size_t lastBlock = last / kBlock;
  if (firstBlock >= lastBlock) return replay(events, first, last);
  UsageEnvelope all = blocks(firstBlock, lastBlock);
  if (first < firstBlock * kBlock) all = join(all, replay(events, first, firstBlock * kBlock));
  if (lastBlock * kBlock < last) all = join(all, replay(events, lastBlock * kBlock, last));
  return all;
}

/// Adds up from the start of the block that `first` is in; an empty range is the state before it.
UsageEnvelope UsagePyramid::replay(std::span<const MemoryEvent> events, std::size_t first,
                                   std::size_t last) const {
  if (events.empty()) return {};
  const std::size_t block = std::min(first / kBlock, starts_.size() - 1);
  Bytes now = starts_[block];
  std::size_t at = block * kBlock;
  for (; at < first; ++at) now += change(events[at]);
  if (first >= last) return {now, now};
  UsageEnvelope all = kNothing;
  for (; at < last; ++at) {
    now += change(events[at]);
    all = join(all, {now, now});
  }
  return all;
}

/// Over whole blocks: at most two runs of each level.
UsageEnvelope UsagePyramid::blocks(std::size_t first, std::size_t last) const {
  UsageEnvelope all = kNothing;
  for (std::size_t level = 0; first < last; ++level) {
    if (first % 2 == 1) all = join(all, levels_[level][first++]);
    if (last % 2 == 1) all = join(all, levels_[level][--last]);
    first /= 2;
    last /= 2;
  }
  return all;
}

}  // namespace hw
