#include "core/solver/exact/overlap_tree.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/plan/overlap_use.h"

namespace hw::exact {

OverlapTree::OverlapTree(const Problem& problem, PoolId pool)
    : problem_(problem), offsets_(problem.stays.size()) {
  for (const StayId id : problem.stays.keys()) {
    if (problem.poolOf(id) != pool) continue;
    const Stay& stay = problem.stays[id];
    items_.push_back({.stay = id, .size = stay.size, .alignment = stay.alignment});
  }
  linkItems();
  findSections();
}

void OverlapTree::linkItems() {
  IdMap<StayId, std::uint32_t> itemOf(problem_.stays.size());
  for (std::uint32_t i = 0; i < items_.size(); ++i) itemOf[items_[i].stay] = i;
  const PoolId pool = items_.empty() ? PoolId(0) : problem_.poolOf(items_.front().stay);
  Neighbours neighbours(problem_, pool);
  std::vector<StayId> together;
  for (std::uint32_t i = 0; i < items_.size(); ++i) {
    const StayId own = items_[i].stay;
    neighbours.query(own, together);
    for (const StayId other : together) {
      const std::uint32_t at = itemOf[other];
      Apart apart{.below = items_[i].size, .above = items_[at].size};
      if (const Overlap* overlap = problem_.overlapOf(own); overlap && overlap->under == other) {
        apart = problem_.apart(*overlap);
      }
      if (const Overlap* overlap = problem_.overlapOf(other); overlap && overlap->under == own) {
        const Apart turned = problem_.apart(*overlap);
        apart = {turned.above, turned.below};
      }
      items_[i].links.push_back({at, apart});
      items_[at].links.push_back({i, {apart.above, apart.below}});
    }
    neighbours.insert(own);
  }
}

/// One for every step at which something begins: no other step has more live.
void OverlapTree::findSections() {
  std::vector<Step> steps;
  for (const Item& item : items_) {
    for (const Interval<Step>& live : problem_.liveSteps(item.stay)) steps.push_back(live.begin);
  }
  std::ranges::sort(steps);
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  sections_.resize(steps.size());
  sectionsOf_.resize(items_.size());
  for (std::uint32_t i = 0; i < items_.size(); ++i) {
    for (const Interval<Step>& live : problem_.liveSteps(items_[i].stay)) {
      const auto first = std::ranges::lower_bound(steps, live.begin) - steps.begin();
      const auto last = std::ranges::lower_bound(steps, live.end) - steps.begin();
      for (auto at = first; at < last; ++at) {
        sections_[static_cast<std::size_t>(at)].items.push_back(i);
        sectionsOf_[i].push_back(static_cast<std::uint32_t>(at));
      }
    }
    const Overlap* overlap = problem_.overlapOf(items_[i].stay);
    if (!overlap) continue;
    const Step begin = problem_.stays[items_[i].stay].steps.begin;
    const auto at = std::ranges::lower_bound(steps, begin) - steps.begin();
    Section& section = sections_[static_cast<std::size_t>(at)];
    section.saved += mostShared(problem_, *overlap);
  }
}

OverlapTree::Answer OverlapTree::ask(Bytes capacity, std::int64_t nodes,
                                     const std::function<bool()>& stopped) {
  capacity_ = capacity;
  until_ = looked_ + nodes;
  open_ = false;
  stopped_ = &stopped;
  low_.assign(items_.size(), Bytes());
  states_.assign(items_.size(), State::waiting);
  for (const Item& item : items_) {
    if (item.size > capacity) return Answer::cannot;
  }
  const std::vector<std::uint32_t> last = leaveOut(capacity);
  for (const auto& part : parts()) {
    if (!search(part, 0, Bytes(), static_cast<std::uint32_t>(items_.size()))) {
      return open_ ? Answer::open : Answer::cannot;
    }
  }
  for (auto item = last.rbegin(); item != last.rend(); ++item) dropIn(*item);
  for (std::uint32_t i = 0; i < items_.size(); ++i) offsets_[items_[i].stay] = low_[i];
  return Answer::fits;
}

/// Items that find a place wherever their neighbours lie: k neighbours leave k + 1 free stretches
/// at most, and if there are k + 1 times the item's bytes in all, one of them is large enough.
/// Items that are left out already do not count as neighbours.
std::vector<std::uint32_t> OverlapTree::leaveOut(Bytes capacity) {
  std::vector<std::uint32_t> left;
  for (bool again = true; again;) {
    again = false;
    for (std::uint32_t i = 0; i < items_.size(); ++i) {
      if (states_[i] == State::out) continue;
      Bytes taken;
      std::int64_t stretches = 1;
      for (const Link& link : items_[i].links) {
        if (states_[link.other] == State::out) continue;
        taken += items_[link.other].size;
        ++stretches;
      }
      const Bytes needed = items_[i].size + items_[i].alignment;
      if (taken + needed * stretches > capacity) continue;
      states_[i] = State::out;
      left.push_back(i);
      again = true;
    }
  }
  return left;
}

std::vector<std::vector<std::uint32_t>> OverlapTree::parts() const {
  std::vector<std::vector<std::uint32_t>> parts;
  std::vector<bool> seen(items_.size(), false);
  for (std::uint32_t i = 0; i < items_.size(); ++i) {
    if (seen[i] || states_[i] == State::out) continue;
    std::vector<std::uint32_t> part = {i};
    seen[i] = true;
    for (std::size_t at = 0; at < part.size(); ++at) {
      for (const Link& link : items_[part[at]].links) {
        if (seen[link.other] || states_[link.other] == State::out) continue;
        seen[link.other] = true;
        part.push_back(link.other);
      }
    }
    parts.push_back(std::move(part));
  }
  return parts;
}

bool OverlapTree::linked(std::uint32_t a, std::uint32_t b) const {
  return std::ranges::any_of(items_[a].links, [&](const Link& link) { return link.other == b; });
}

/// `front`: the offset of the item placed last; nothing comes below it any more.
bool OverlapTree::search(const std::vector<std::uint32_t>& part, std::size_t placed, Bytes front,
                         std::uint32_t last) {
  if (placed == part.size()) return true;
  Bytes limit = kMaxBytes;
  std::vector<std::uint32_t> next;
  for (const std::uint32_t item : part) {
    if (states_[item] != State::waiting) continue;
    limit = std::min(limit, low_[item] + items_[item].size);
    next.push_back(item);
  }
  std::erase_if(next, [&](std::uint32_t item) {
    // Of two that do not meet, at one height, the one with the lower number comes first.
    const bool twin =
        low_[item] == front && last < items_.size() && item < last && !linked(item, last);
    return low_[item] >= limit || low_[item] < front || twin;
  });
  std::ranges::stable_sort(next, {}, [&](std::uint32_t item) {
    return std::pair(low_[item], -items_[item].size.count());
  });
  for (const std::uint32_t item : next) {
    if (looked_++ >= until_ || (looked_ % 1024 == 0 && (*stopped_)())) open_ = true;
    if (open_) return false;
    std::vector<std::pair<std::uint32_t, Bytes>> before;
    if (place(item, before) && search(part, placed + 1, low_[item], item)) return true;
    for (auto change = before.rbegin(); change != before.rend(); ++change) {
      low_[change->first] = change->second;
    }
    states_[item] = State::waiting;
  }
  return false;
}

/// Puts `item` where it is lowest and lifts those that are above it then; false when one of them
/// would end above the capacity.
bool OverlapTree::place(std::uint32_t item, std::vector<std::pair<std::uint32_t, Bytes>>& before) {
  states_[item] = State::placed;
  for (const Link& link : items_[item].links) {
    if (states_[link.other] != State::waiting) continue;
    const Item& other = items_[link.other];
    // How far the other begins above this one is how far this one begins below it.
    const Bytes lifted = alignUp(low_[item] + link.apart.below, other.alignment);
    if (lifted <= low_[link.other]) continue;
    before.emplace_back(link.other, low_[link.other]);
    low_[link.other] = lifted;
    if (lifted + other.size > capacity_) return false;
  }
  return sectionsFit(item);
}

bool OverlapTree::sectionsFit(std::uint32_t item) const {
  return std::ranges::all_of(sectionsOf_[item], [&](std::uint32_t at) {
    const Section& section = sections_[at];
    Bytes sum;
    Bytes low = kMaxBytes;
    for (const std::uint32_t each : section.items) {
      if (states_[each] != State::waiting) continue;
      sum += items_[each].size;
      low = std::min(low, low_[each]);
    }
    return sum == Bytes() || low + sum - section.saved <= capacity_;
  });
}

/// The lowest place that the others leave.
void OverlapTree::dropIn(std::uint32_t item) {
  std::vector<Bytes> places = {Bytes()};
  const auto allowed = [&](const Link& link, Bytes at) {
    return states_[link.other] == State::out || at + link.apart.below <= low_[link.other] ||
           at >= low_[link.other] + link.apart.above;
  };
  for (const Link& link : items_[item].links) {
    if (states_[link.other] == State::out) continue;
    places.push_back(alignUp(low_[link.other] + link.apart.above, items_[item].alignment));
  }
  std::ranges::sort(places);
  for (const Bytes at : places) {
    low_[item] = at;
    const auto& links = items_[item].links;
    if (std::ranges::all_of(links, [&](const Link& link) { return allowed(link, at); })) break;
  }
  states_[item] = State::placed;
}

}  // namespace hw::exact
