#include "core/solver/fast/join_boxes.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace hw {

bool JoinBoxes::fill(const Rectangles& given) {
  if (!given.pins.empty() || !given.alignment.empty() || given.count() >= kGone) return false;
  std::int64_t unit = 0;
  for (const Bytes size : given.size) unit = std::gcd(unit, size.count());
  unit_ = Bytes(std::max<std::int64_t>(unit, 1));
  // No pile is higher than what is live at once.
  if (loadBound(given).count() / unit_.count() >= std::int64_t{kGone}) return false;
  begins_.resize(given.steps.size());
  ends_.resize(given.steps.size());
  isTouched_.resize(given.steps.size());
  boxes_.resize(given.count());
  // From the last one on, so that lists begin with the first.
  for (std::uint32_t i = count(); i-- > 0;) {
    boxes_[i].begin = given.begin[i];
    boxes_[i].end = given.end[i];
    boxes_[i].size = static_cast<std::uint32_t>(given.size[i].count() / unit_.count());
    link(i);
  }
  return true;
}

void JoinBoxes::link(std::uint32_t id) {
  Box& box = boxes_[id];
  List& begun = begins_[box.begin];
  box.lastBegun = kNobody;
  box.nextBegun = begun.head;
  if (begun.head != kNobody) boxes_[begun.head].lastBegun = id;
  begun.head = id;
  ++begun.count;
  List& ended = ends_[box.end];
  box.lastEnded = kNobody;
  box.nextEnded = ended.head;
  if (ended.head != kNobody) boxes_[ended.head].lastEnded = id;
  ended.head = id;
  ++ended.count;
  ++alive_;
}

void JoinBoxes::unlink(std::uint32_t id) {
  Box& box = boxes_[id];
  List& begun = begins_[box.begin];
  (box.lastBegun == kNobody ? begun.head : boxes_[box.lastBegun].nextBegun) = box.nextBegun;
  if (box.nextBegun != kNobody) boxes_[box.nextBegun].lastBegun = box.lastBegun;
  --begun.count;
  List& ended = ends_[box.end];
  (box.lastEnded == kNobody ? ended.head : boxes_[box.lastEnded].nextEnded) = box.nextEnded;
  if (box.nextEnded != kNobody) boxes_[box.nextEnded].lastEnded = box.lastEnded;
  --ended.count;
  box.lastBegun = kGone;
  --alive_;
}

void JoinBoxes::touch(std::uint32_t rank) {
  if (isTouched_[rank]) return;
  isTouched_[rank] = true;
  touched_.push_back(rank);
}

std::vector<std::uint32_t> JoinBoxes::takeTouched() {
  for (const std::uint32_t rank : touched_) isTouched_[rank] = false;
  return std::exchange(touched_, {});
}

std::vector<std::uint32_t> JoinBoxes::aliveBoxes() const {
  std::vector<std::uint32_t> alive;
  alive.reserve(alive_);
  for (const List& list : begins_) {
    for (std::uint32_t i = list.head; i != kNobody; i = boxes_[i].nextBegun) alive.push_back(i);
  }
  return alive;
}

void JoinBoxes::note(bool joined, std::uint32_t first, std::uint32_t second) {
  if (!remembering_) return;
  touch(boxes_[second].begin);
  touch(boxes_[second].end);
  touch(boxes_[first].begin);
  changes_.push_back({joined, first, second});
}

void JoinBoxes::join(std::uint32_t first, std::uint32_t second) {
  unlink(first);
  unlink(second);
  Box& box = boxes_[first];
  Box& other = boxes_[second];
  if (isOnTop(first, second)) {
    box.size += other.size;
  } else {
    box.end = other.end;
  }
  other.before = box.joined;
  box.joined = second;
  link(first);
  note(true, first, second);
}

std::uint32_t JoinBoxes::split(std::uint32_t id) {
  unlink(id);
  Box& box = boxes_[id];
  const std::uint32_t second = box.joined;
  if (isOnTop(id, second)) {
    box.size -= boxes_[second].size;
  } else {
    box.end = boxes_[second].begin;
  }
  box.joined = boxes_[second].before;
  link(id);
  link(second);
  note(false, id, second);
  return second;
}

void JoinBoxes::takeBackChanges() {
  remembering_ = false;
  for (; !changes_.empty(); changes_.pop_back()) {
    const Change& change = changes_.back();
    if (change.joined) {
      split(change.first);
    } else {
      join(change.first, change.second);
    }
  }
  remembering_ = true;
}

}  // namespace hw
