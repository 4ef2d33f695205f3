#include "core/shrink/tflm/row_placer.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "core/base/dice.h"
#include "core/exchange/tflm/program.h"

namespace hw {
namespace {

constexpr std::int64_t kUnplaced = INT64_MIN;

/// Up to a multiple of the alignment, also from below 0.
std::int64_t roundedUp(std::int64_t value) {
  const std::int64_t to = kTflmAlignment.count();
  return value + (to - value % to) % to;
}

/// Bytes times time.
std::int64_t areaOf(const RowShape& shape) {
  std::int64_t area = 0;
  for (const RowRect& rect : shape.rects) area += (rect.end - rect.begin) * (rect.high - rect.low);
  return area;
}

}  // namespace

std::int64_t rowBound(const std::vector<RowShape>& shapes) {
  std::vector<std::pair<std::int64_t, std::int64_t>> changes;
  std::int64_t highest = 0;
  for (const RowShape& shape : shapes) {
    for (const RowRect& rect : shape.rects) {
      changes.emplace_back(rect.begin, rect.high - rect.low);
      changes.emplace_back(rect.end, rect.low - rect.high);
    }
    highest = std::max(highest, shape.high - shape.low);
  }
  std::ranges::sort(changes);
  std::int64_t live = 0;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    live += changes[i].second;
    const bool over = i + 1 == changes.size() || changes[i + 1].first != changes[i].first;
    if (over) highest = std::max(highest, live);
  }
  return highest;
}

RowPlacer::RowPlacer(const std::vector<RowShape>& shapes)
    : shapes_(shapes), neighbours_(shapes.size()), bound_(roundedUp(rowBound(shapes))) {
  std::vector<std::size_t> byBegin;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    if (!shapes[i].rects.empty()) byBegin.push_back(i);
  }
  const auto begin = [&](std::size_t i) { return shapes[i].rects.front().begin; };
  std::ranges::stable_sort(byBegin, {}, begin);
  std::vector<std::size_t> live;
  for (const std::size_t next : byBegin) {
    std::erase_if(live, [&](std::size_t i) { return shapes[i].rects.back().end <= begin(next); });
    for (const std::size_t other : live) addPair(other, next);
    live.push_back(next);
  }
  for (std::size_t block = 0; block < shapes.size(); ++block) {
    for (const RowApart& apart : shapes[block].apart) {
      neighbours_[apart.other].push_back({block, {{apart.low, apart.high}}});
      neighbours_[block].push_back({apart.other, {{-apart.high, -apart.low}}});
    }
  }
}

void RowPlacer::addPair(std::size_t a, std::size_t b) {
  const auto& first = shapes_[a].rects;
  const auto& second = shapes_[b].rects;
  std::vector<Range> ranges;
  auto i = std::ranges::upper_bound(first, second.front().begin, {}, &RowRect::end);
  auto j = std::ranges::upper_bound(second, first.front().begin, {}, &RowRect::end);
  while (i != first.end() && j != second.end()) {
    if (std::max(i->begin, j->begin) < std::min(i->end, j->end)) {
      ranges.push_back({i->low - j->high, i->high - j->low});
    }
    if (i->end <= j->end) {
      ++i;
    } else {
      ++j;
    }
  }
  if (ranges.empty()) return;
  std::ranges::sort(ranges, {}, &Range::low);
  std::vector<Range> merged;
  for (const Range& range : ranges) {
    if (!merged.empty() && range.low < merged.back().high) {
      merged.back().high = std::max(merged.back().high, range.high);
    } else {
      merged.push_back(range);
    }
  }
  std::vector<Range> mirrored;
  for (const Range& range : merged) mirrored.push_back({-range.high, -range.low});
  neighbours_[a].push_back({b, std::move(merged)});
  neighbours_[b].push_back({a, std::move(mirrored)});
}

std::int64_t RowPlacer::lowest(std::size_t block, const std::vector<std::int64_t>& offsets,
                               std::vector<Range>& taken) const {
  taken.clear();
  for (const Neighbour& neighbour : neighbours_[block]) {
    if (offsets[neighbour.block] == kUnplaced) continue;
    // The ranges are of the neighbour's offset above this one's.
    for (const Range& range : neighbour.ranges) {
      taken.push_back(
          {offsets[neighbour.block] - range.high, offsets[neighbour.block] - range.low});
    }
  }
  std::ranges::sort(taken, {}, &Range::low);
  std::int64_t offset = roundedUp(-shapes_[block].low);
  for (const Range& range : taken) {
    if (range.low >= offset) break;
    if (range.high > offset) offset = roundedUp(range.high);
  }
  return offset;
}

std::int64_t RowPlacer::placeInOrder(const std::vector<std::size_t>& order,
                                     std::vector<std::int64_t>& offsets) const {
  offsets.assign(shapes_.size(), kUnplaced);
  std::vector<Range> taken;
  std::int64_t head = 0;
  for (const std::size_t block : order) {
    offsets[block] = lowest(block, offsets, taken);
    head = std::max(head, offsets[block] + shapes_[block].high);
  }
  return roundedUp(head);
}

std::vector<std::vector<std::size_t>> RowPlacer::firstOrders() const {
  std::vector<std::size_t> all(shapes_.size());
  std::iota(all.begin(), all.end(), 0);
  std::vector<std::vector<std::size_t>> orders;
  const auto add = [&](const auto& rank) {
    std::vector<std::int64_t> ranks;
    for (const std::size_t i : all) ranks.push_back(rank(shapes_[i]));
    orders.push_back(all);
    std::ranges::stable_sort(orders.back(), [&](auto a, auto b) { return ranks[a] > ranks[b]; });
  };
  const auto time = [](const RowShape& shape) {
    return shape.rects.empty() ? 0 : shape.rects.back().end - shape.rects.front().begin;
  };
  add([](const RowShape& shape) { return shape.high - shape.low; });
  add(areaOf);
  add(time);
  add([](const RowShape& shape) { return shape.rects.empty() ? 0 : -shape.rects.front().begin; });
  return orders;
}

/// A search from one order: it gets better, or stays as good, with each step.
class RowPlacer::Climb {
 public:
  Climb(const RowPlacer& placer, std::vector<std::size_t> order, std::uint64_t seed)
      : placer_(placer), dice_(seed) {
    best_.head = INT64_MAX;
    look(order);
  }

  const RowPlacement& best() const { return best_; }

  /// `others`: of 100 moves so many are of blocks below the top, to any place in the order.
  void move(int others) {
    top_.clear();
    for (std::size_t at = 0; at < order_.size(); ++at) {
      const std::size_t block = order_[at];
      if (roundedUp(best_.offsets[block] + placer_.shapes_[block].high) == best_.head) {
        top_.push_back(at);
      }
    }
    std::size_t from = top_[pick(top_.size())];
    const auto& live = placer_.neighbours_[order_[from]];
    std::size_t to = 0;
    if (!live.empty() && dice_.chance(others)) {
      const std::size_t other = live[pick(live.size())].block;
      from = static_cast<std::size_t>(std::ranges::find(order_, other) - order_.begin());
      to = pick(order_.size());
    } else if (from > 0) {
      to = pick(from);
    }
    std::vector<std::size_t> tried = order_;
    const auto moved = tried.begin() + static_cast<std::ptrdiff_t>(from);
    const auto target = tried.begin() + static_cast<std::ptrdiff_t>(to);
    to < from ? std::rotate(target, moved, moved + 1) : std::rotate(moved, moved + 1, target + 1);
    look(tried);
  }

 private:
  std::size_t pick(std::size_t count) {
    return static_cast<std::size_t>(dice_.roll(0, static_cast<std::int64_t>(count) - 1));
  }

  void look(const std::vector<std::size_t>& tried) {
    const std::int64_t head = placer_.placeInOrder(tried, offsets_);
    if (head > best_.head) return;
    best_ = {offsets_, head};
    order_ = tried;
  }

  const RowPlacer& placer_;
  Dice dice_;
  RowPlacement best_;
  std::vector<std::size_t> order_;
  std::vector<std::int64_t> offsets_;
  std::vector<std::size_t> top_;  ///< Places in the order of blocks that reach up to the head.
};

RowPlacement RowPlacer::place(std::size_t tries) const {
  RowPlacement best{.head = INT64_MAX};
  const auto orders = firstOrders();
  constexpr std::array<int, 3> kOthers = {0, 20, 60};
  for (std::size_t i = 0; i < orders.size() * kOthers.size(); ++i) {
    const int others = kOthers[i / orders.size()];
    Climb climb(*this, orders[i % orders.size()], i + 1);
    const std::size_t share = tries / (orders.size() * kOthers.size());
    for (std::size_t move = 0; move < share && climb.best().head > bound_; ++move) {
      climb.move(others);
    }
    if (climb.best().head < best.head) best = climb.best();
    if (best.head == bound_) break;
  }
  return best;
}

}  // namespace hw
