#include "core/solver/fast/unplaced.h"

namespace hw {
namespace {

/// `count` rounded up to whole groups.
std::size_t padded(std::size_t count, std::size_t group) {
  return (count + group - 1) / group * group;
}

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

}  // namespace hw
