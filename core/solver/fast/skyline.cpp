#include "core/solver/fast/skyline.h"

#include <algorithm>

namespace hw {
namespace {

/// `count` rounded up to whole groups.
std::size_t padded(std::size_t count, std::size_t group) {
  return (count + group - 1) / group * group;
}

/// Valleys between two looks at the clock.
constexpr std::size_t kPatience = 1 << 14;

}  // namespace

void Unplaced::fill(std::span<const std::uint32_t> ends, std::span<const float> priorities) {
  std::size_t width = padded(std::max<std::size_t>(ends.size(), 1), kFanout);
  std::size_t depth = 1;
  for (std::size_t nodes = width; nodes > kFanout; nodes = padded(nodes / kFanout, kFanout)) {
    ++depth;
  }
  patience_ = ends.size() < kMany ? kNone : kPatience;
  levels_.resize(depth);
  levels_[0].end.assign(ends.begin(), ends.end());
  levels_[0].priority.assign(priorities.begin(), priorities.end());
  for (std::size_t depthNow = 0;; ++depthNow) {
    Level& level = levels_[depthNow];
    level.end.resize(width, kNone);
    level.priority.resize(width, kGone);
    if (depthNow + 1 == depth) return;
    Level& above = levels_[depthNow + 1];
    above.end.clear();
    above.priority.clear();
    for (std::size_t at = 0; at < width; at += kFanout) {
      above.end.push_back(*std::min_element(&level.end[at], &level.end[at] + kFanout));
      above.priority.push_back(
          *std::max_element(&level.priority[at], &level.priority[at] + kFanout));
    }
    width = padded(width / kFanout, kFanout);
  }
}

void Unplaced::erase(std::uint32_t position) {
  levels_[0].end[position] = kNone;
  levels_[0].priority[position] = kGone;
  for (std::size_t depth = 1; depth < levels_.size(); ++depth) {
    const Level& below = levels_[depth - 1];
    position /= kFanout;
    const std::size_t child = std::size_t{position} * kFanout;
    std::uint32_t end = kNone;
    float priority = kGone;
    for (std::size_t i = child; i < child + kFanout; ++i) {
      end = std::min(end, below.end[i]);
      priority = std::max(priority, below.priority[i]);
    }
    Level& level = levels_[depth];
    if (level.end[position] == end && level.priority[position] == priority) return;
    level.end[position] = end;
    level.priority[position] = priority;
  }
}

void Skyline::start(std::span<const float> priorities) {
  unplaced_.fill(rectangles_.end, priorities);
  offsets_.assign(rectangles_.count(), Bytes());
  tooHigh_.clear();
  spare_.clear();
  const auto last = static_cast<std::uint32_t>(rectangles_.steps.size() - 1);
  // A wall at each end, so that every valley has two neighbours.
  pieces_.assign({{.height = kWall, .begin = 0, .previous = 0, .next = 1},
                  {.height = Bytes(), .begin = 0, .previous = 0, .next = 2},
                  {.height = kWall, .begin = last, .previous = 1, .next = 2}});
  if (!latestPinEnd_.empty()) return;
  std::uint32_t latest = 0;
  for (const Rectangles::Pin& pin : rectangles_.pins) {
    latestPinEnd_.push_back(latest = std::max(latest, pin.end));
  }
}

std::uint32_t Skyline::insertAfter(std::uint32_t piece, std::uint32_t begin, Bytes height) {
  const Piece added{
      .height = height, .begin = begin, .previous = piece, .next = pieces_[piece].next};
  auto at = static_cast<std::uint32_t>(pieces_.size());
  if (spare_.empty()) {
    pieces_.push_back(added);
  } else {
    at = spare_.back();
    spare_.pop_back();
    pieces_[at] = added;
  }
  pieces_[added.previous].next = at;
  pieces_[added.next].previous = at;
  return at;
}

void Skyline::remove(std::uint32_t piece) {
  pieces_[pieces_[piece].previous].next = pieces_[piece].next;
  pieces_[pieces_[piece].next].previous = pieces_[piece].previous;
  spare_.push_back(piece);
}

/// Goes downhill from `piece`, joining pieces of equal height on the way, until it is in a valley.
bool Skyline::walkToValley(std::uint32_t& piece) {
  for (;;) {
    const Piece& here = pieces_[piece];
    const Bytes before = pieces_[here.previous].height;
    const Bytes after = pieces_[here.next].height;
    if (here.height == kWall) return false;
    if (before <= here.height) {
      const std::uint32_t previous = here.previous;
      if (before == here.height) remove(piece);
      piece = previous;
    } else if (after < here.height) {
      piece = here.next;
    } else if (after == here.height) {
      remove(here.next);
    } else {
      return true;
    }
  }
}

Bytes Skyline::restingPlace(std::uint32_t position, Bytes floor) const {
  return rectangles_.alignment.empty() ? floor : alignUp(floor, rectangles_.alignment[position]);
}

/// Pins above the valley. They are sorted by begin, so an early one may still reach into it: the
/// latest end up to each pin says from which one on that can be.
void Skyline::noteCeilings(std::uint32_t begin, std::uint32_t end, Bytes floor) {
  ceilings_.clear();
  const auto from = std::ranges::upper_bound(latestPinEnd_, begin) - latestPinEnd_.begin();
  for (auto pin = rectangles_.pins.begin() + from; pin != rectangles_.pins.end(); ++pin) {
    if (pin->begin >= end) return;
    if (pin->end > begin && pin->top > floor) ceilings_.push_back(*pin);
  }
}

std::uint32_t Skyline::choose(std::uint32_t begin, std::uint32_t end, Bytes floor) {
  const std::uint32_t first = rectangles_.first[begin];
  const std::uint32_t last = rectangles_.first[end];
  if (first == last) return Unplaced::kNone;
  if (ceilings_.empty())
    return unplaced_.find(first, last, end, [](std::uint32_t) { return true; });
  return unplaced_.find(first, last, end, [&](std::uint32_t position) {
    const Bytes top = restingPlace(position, floor) + rectangles_.size[position];
    return std::ranges::none_of(ceilings_, [&](const Rectangles::Pin& pin) {
      return pin.bottom < top && pin.begin < rectangles_.end[position] &&
             rectangles_.begin[position] < pin.end;
    });
  });
}

/// Makes `steps`, which lie in the valley, `height` high.
void Skyline::cover(std::uint32_t valley, Interval<std::uint32_t> steps, Bytes height) {
  const std::uint32_t begin = pieces_[valley].begin;
  const std::uint32_t end = pieces_[pieces_[valley].next].begin;
  const Bytes floor = pieces_[valley].height;
  if (steps.end < end) insertAfter(valley, steps.end, floor);
  if (begin < steps.begin) {
    insertAfter(valley, steps.begin, height);
  } else {
    pieces_[valley].height = height;
  }
}

/// Gives up what is below the lower neighbour or the lowest pin. False when there is neither: then
/// everything has been placed.
bool Skyline::raise(std::uint32_t valley) {
  const std::uint32_t begin = pieces_[valley].begin;
  const std::uint32_t end = pieces_[pieces_[valley].next].begin;
  const Bytes lower =
      std::min(pieces_[pieces_[valley].previous].height, pieces_[pieces_[valley].next].height);
  const auto pin = std::ranges::min_element(ceilings_, {}, &Rectangles::Pin::bottom);
  if (pin != ceilings_.end() && pin->bottom < lower) {
    cover(valley, {std::max(begin, pin->begin), std::min(end, pin->end)}, pin->top);
    return true;
  }
  pieces_[valley].height = lower;
  return lower != kWall;
}

Skyline::Result Skyline::pack(std::span<const float> priorities, const Limits& limits) {
  if (rectangles_.steps.empty()) return {.complete = true};
  start(priorities);
  Result result;
  std::uint32_t piece = 1;
  for (std::size_t valleys = 1; walkToValley(piece); ++valleys) {
    if (valleys % kPatience == 0 && limits.stopped && limits.stopped()) return result;
    const std::uint32_t begin = pieces_[piece].begin;
    const std::uint32_t end = pieces_[pieces_[piece].next].begin;
    const Bytes floor = pieces_[piece].height;
    if (!rectangles_.pins.empty()) noteCeilings(begin, end, floor);
    const std::uint32_t chosen = choose(begin, end, floor);
    if (chosen == Unplaced::kNone) {
      if (!raise(piece)) break;
      continue;
    }
    unplaced_.erase(chosen);
    offsets_[chosen] = restingPlace(chosen, floor);
    const Bytes top = offsets_[chosen] + rectangles_.size[chosen];
    ++result.placed;
    result.peak = std::max(result.peak, top);
    if (top > limits.height) {
      tooHigh_.push_back(chosen);
      if (limits.giveUp) return result;
    }
    cover(piece, {rectangles_.begin[chosen], rectangles_.end[chosen]}, top);
  }
  result.complete = true;
  for (const Rectangles::Pin& pin : rectangles_.pins) result.peak = std::max(result.peak, pin.top);
  return result;
}

}  // namespace hw
