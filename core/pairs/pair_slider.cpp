#include "core/pairs/pair_slider.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace hw {
namespace {

constexpr std::int64_t kNoOffset = -1;
/// Blocks at most: their table has 8 MiB.
constexpr std::size_t kMostSliding = 8192;
/// The sum of all prices stays below this.
constexpr std::int64_t kMostToPay = std::int64_t{1} << 61;
/// Steps of sorting by insertion, per block, before it is done in another way.
constexpr std::size_t kMostShifts = 8;

/// Sorts what is nearly sorted.
template <class Key>
void sortSlid(std::vector<std::uint32_t>& blocks, const Key& key) {
  std::size_t shifts = 0;
  for (std::size_t i = 1; i < blocks.size() && shifts <= kMostShifts * blocks.size(); ++i) {
    const std::uint32_t block = blocks[i];
    std::size_t at = i;
    for (; at > 0 && key(blocks[at - 1]) > key(block); --at) blocks[at] = blocks[at - 1];
    blocks[at] = block;
    shifts += i - at;
  }
  if (shifts <= kMostShifts * blocks.size()) return;
  std::sort(blocks.begin(), blocks.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(key(a), a) < std::pair(key(b), b);
  });
}

}  // namespace

struct PairSlider::Sweep {
  std::uint32_t block = 0;
  std::size_t begun = 0;   ///< So many first blocks by highest offset were looked at.
  std::int64_t walls = 0;  ///< Fixed blocks that are met.
  std::int64_t cost = 0;   ///< Of the others that are met.
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  std::int64_t best = kNoOffset;
  std::uint32_t ties = 0;

  void add(const Seat& seat, std::int64_t times) {
    (seat.fixed ? walls : cost) += times * (seat.fixed ? 1 : seat.price);
  }
};

bool PairSlider::slides(const PairModel& model) {
  if (model.blocks.size() > kMostSliding) return false;
  for (std::size_t block = 0; block < model.blocks.size(); ++block) {
    for (const PairModel::Apart& apart : model.conflicts[block]) {
      if (apart.below != model.blocks[block].size) return false;
    }
  }
  return true;
}

PairSlider::PairSlider(const PairModel& model)
    : model_(model),
      count_(static_cast<std::uint32_t>(model.blocks.size())),
      words_((count_ + 63) / 64),
      table_(count_ * words_),
      mostPrice_(kMostToPay / std::max<std::int64_t>(1, count_)),
      seats_(count_) {
  for (std::uint32_t block = 0; block < count_; ++block) {
    const PairModel::Block& asked = model.blocks[block];
    Seat& seat = seats_[block];
    seat.size = asked.size.count();
    seat.mask = asked.alignment.count() - 1;
    seat.fixed = asked.fixed.has_value();
    const auto neighbours = static_cast<std::int64_t>(model.conflicts[block].size());
    const auto unit = checkedMul(seat.size, neighbours + 1);
    seat.unit = std::min(unit.value_or(mostPrice_), mostPrice_);
    for (const PairModel::Apart& apart : model.conflicts[block]) {
      table_[block * words_ + apart.other / 64] |= std::uint64_t{1} << (apart.other % 64);
    }
  }
}

/// The lowest offset from `at` on that alignment and reserved ranges allow.
std::int64_t PairSlider::raised(const Seat& seat, std::int64_t at) const {
  if (seat.fixed) return seat.low;
  at = (at + seat.mask) & ~seat.mask;
  for (const Interval<Bytes>& range : model_.reserved) {
    if (at + seat.size <= range.begin.count()) break;
    if (at < range.end.count()) at = (range.end.count() + seat.mask) & ~seat.mask;
  }
  return at;
}

/// The highest offset that they allow where the block ends at or below `end`.
std::int64_t PairSlider::lowered(const Seat& seat, std::int64_t end) const {
  if (seat.fixed) return seat.low;
  std::int64_t at = (end - seat.size) & ~seat.mask;
  for (std::size_t i = model_.reserved.size(); i-- > 0;) {
    const Interval<Bytes>& range = model_.reserved[i];
    if (range.end.count() <= at) break;
    if (at + seat.size > range.begin.count()) at = (range.begin.count() - seat.size) & ~seat.mask;
  }
  return at;
}

void PairSlider::begin(const std::vector<Bytes>& offsets, std::int64_t height) {
  height_ = height;
  byEnd_.clear();
  out_.clear();
  for (std::uint32_t block = 0; block < count_; ++block) {
    Seat& seat = seats_[block];
    seat.low = offsets[block].count();
    seat.placed = seat.end() <= height;
    seat.price = seat.unit;
    (seat.placed ? byEnd_ : out_).push_back(block);
  }
  std::sort(byEnd_.begin(), byEnd_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(seats_[a].end(), a) < std::pair(seats_[b].end(), b);
  });
  byHigh_ = byEnd_;
  sink(0);
  rise(0);
  sortOrders();
}

void PairSlider::sortOrders() {
  sortSlid(byEnd_, [&](std::uint32_t block) { return seats_[block].end(); });
  sortSlid(byHigh_, [&](std::uint32_t block) { return seats_[block].high; });
}

/// Finds the lowest offsets, but for so many blocks at the begin of their order. The search for
/// what a block lies on goes down from it, and is over soon, for the order is nearly sorted.
void PairSlider::sink(std::size_t kept) {
  highestEnd_.resize(byEnd_.size() + 1);
  highestEnd_[0] = 0;
  for (std::size_t i = 0; i < byEnd_.size(); ++i) {
    Seat& seat = seats_[byEnd_[i]];
    if (i >= kept) {
      std::int64_t top = 0;
      for (std::size_t j = i; highestEnd_[j] > top; --j) {
        const std::int64_t end = seats_[byEnd_[j - 1]].end();
        if (end > top && conflict(byEnd_[i], byEnd_[j - 1])) top = end;
      }
      seat.low = raised(seat, top);
    }
    highestEnd_[i + 1] = std::max(highestEnd_[i], seat.end());
  }
}

/// The same upwards: highest offsets, but for so many blocks at the end of their order.
void PairSlider::rise(std::size_t kept) {
  const std::size_t count = byHigh_.size();
  leastHigh_.resize(count + 1);
  leastHigh_[count] = height_;
  for (std::size_t i = count; i-- > 0;) {
    Seat& seat = seats_[byHigh_[i]];
    if (i + kept < count) {
      std::int64_t roof = height_;
      for (std::size_t j = i + 1; leastHigh_[j] < roof; ++j) {
        const std::int64_t high = seats_[byHigh_[j]].high;
        if (high < roof && conflict(byHigh_[i], byHigh_[j])) roof = high;
      }
      seat.high = lowered(seat, roof);
    }
    leastHigh_[i] = std::min(leastHigh_[i + 1], seat.high);
  }
}

void PairSlider::weigh(Sweep& sweep, std::int64_t at, SmallDice& dice) const {
  const std::int64_t size = seats_[sweep.block].size;
  for (; sweep.begun < byHigh_.size(); ++sweep.begun) {
    const std::uint32_t next = byHigh_[sweep.begun];
    if (seats_[next].high >= at + size) break;
    if (conflict(sweep.block, next) && seats_[next].isMet(size)) sweep.add(seats_[next], 1);
  }
  if (sweep.walls > 0 || sweep.cost > sweep.least) return;
  sweep.ties = sweep.cost < sweep.least ? 1 : sweep.ties + 1;
  sweep.least = sweep.cost;
  if (sweep.ties == 1 || dice.below(sweep.ties) == 0) sweep.best = at;
}

/// A place where the lowest price has to be paid: at the bottom, or at the lowest end of another. A
/// neighbour is met if it can neither end at or below the place nor begin above it.
std::int64_t PairSlider::cheapest(std::uint32_t block, SmallDice& dice) const {
  const Seat& seat = seats_[block];
  Sweep sweep{.block = block};
  std::int64_t at = raised(seat, 0);
  for (const std::uint32_t next : byEnd_) {
    if (!conflict(block, next)) continue;
    if (seats_[next].end() > at) {
      if (at + seat.size > height_) break;
      weigh(sweep, at, dice);
      at = raised(seat, seats_[next].end());
    }
    if (seats_[next].isMet(seat.size)) sweep.add(seats_[next], -1);
  }
  if (at + seat.size <= height_) weigh(sweep, at, dice);
  return sweep.best;
}

void PairSlider::takeOutAround(std::uint32_t block, std::int64_t offset) {
  Seat& seat = seats_[block];
  const std::size_t count = out_.size();
  for (const PairModel::Apart& apart : model_.conflicts[block]) {
    Seat& other = seats_[apart.other];
    if (!other.placed || other.end() <= offset || other.high >= offset + seat.size) continue;
    other.placed = false;
    out_.push_back(apart.other);
  }
  if (out_.size() > count) seat.price = std::min(seat.price + seat.unit, mostPrice_);
}

/// All that end at or below the offset stay below the block, all others get above. If one of these
/// lay below one of those, it would end below it, and so below the offset.
void PairSlider::insert(std::uint32_t block, std::int64_t offset) {
  takeOutAround(block, offset);
  const auto isOut = [&](std::uint32_t other) { return !seats_[other].placed; };
  const auto isBelow = [&](std::uint32_t other) { return seats_[other].end() <= offset; };
  const auto firstNew = std::find_if(byEnd_.begin(), byEnd_.end(), [&](std::uint32_t other) {
    return isOut(other) || !isBelow(other);
  });
  const auto lastNew = std::find_if(byHigh_.rbegin(), byHigh_.rend(), [&](std::uint32_t other) {
    return isOut(other) || isBelow(other);
  });
  const auto keptBelow = static_cast<std::size_t>(firstNew - byEnd_.begin());
  const auto keptAbove = static_cast<std::size_t>(lastNew - byHigh_.rbegin());
  byEnd_.erase(std::remove_if(firstNew, byEnd_.end(), isOut), byEnd_.end());
  byHigh_.erase(std::remove_if(byHigh_.begin(), byHigh_.end(), isOut), byHigh_.end());
  byEnd_.insert(std::partition_point(byEnd_.begin(), byEnd_.end(), isBelow), block);
  byHigh_.insert(std::stable_partition(byHigh_.begin(), byHigh_.end(), isBelow), block);
  seats_[block].placed = true;
  sink(keptBelow);
  rise(keptAbove);
  sortOrders();
}

/// Of several the one that got out last.
std::uint32_t PairSlider::popDearest() {
  const auto next = std::max_element(
      out_.rbegin(), out_.rend(),
      [&](std::uint32_t a, std::uint32_t b) { return seats_[a].price < seats_[b].price; });
  const std::uint32_t block = *next;
  out_.erase(std::next(next).base());
  return block;
}

bool PairSlider::step(SmallDice& dice) {
  const std::uint32_t block = popDearest();
  const std::int64_t offset = cheapest(block, dice);
  if (offset == kNoOffset) {
    out_.push_back(block);
    return false;
  }
  insert(block, offset);
  return true;
}

}  // namespace hw
