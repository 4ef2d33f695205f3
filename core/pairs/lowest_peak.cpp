#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/pairs/pair_allowance.h"
#include "core/pairs/pair_placer.h"
#include "core/pairs/pair_search.h"
#include "core/pairs/pair_slider.h"

namespace hw {
namespace {

using BlockOrder = std::vector<std::uint32_t>;

/// Rounds of up and down at most for one plan, and those without gain after which it lies still.
constexpr int kSettleRounds = 40;
constexpr int kStill = 2;
/// Nodes of one try for a lower peak: so many, and so many more a block.
constexpr std::int64_t kTryNodes = 5'000;
constexpr std::int64_t kTryNodesOfBlock = 20;
/// The peak is to fall by the distance to the bound divided by two to the power of one of these, in
/// turns until a try succeeds; and by one byte more.
constexpr std::array<int, 6> kGapShifts{60, 1, 2, 60, 3, 0};
/// The same where blocks slide, but of a distance that is at most the peak divided by two to the
/// power of the first of these; by two more after a failure and by one less after a success. What
/// falls by less than the peak divided by two to the power of the last falls by one byte; where
/// that fails it begins anew.
constexpr std::int64_t kSlideNodes = 200;
constexpr std::int64_t kSlideNodesOfBlock = 30;
constexpr int kMostShare = 3;
constexpr int kFirstShift = 1;
constexpr int kFinestShift = 12;
/// Nodes between two looks at the budget.
constexpr std::int64_t kLookEvery = 64;
/// Prices stay below this times the size, and the sum of them below 2^61.
constexpr std::int64_t kMostTimes = std::int64_t{1} << 20;
constexpr std::int64_t kMostPrices = std::int64_t{1} << 61;

class PeakWalk {
 public:
  PeakWalk(const PairModel& model, const PairOptions& options, PairAllowance& budget)
      : model_(model),
        options_(options),
        budget_(budget),
        placer_(model, PairPlacer::Heeds::conflicts),
        ejector_(model, PairPlacer::Heeds::prices),
        dice_(options.limits.seed),
        times_(model.blocks.size(), 1) {
    for (std::uint32_t block = 0; block < placer_.count(); ++block) {
      if (!placer_.isFixed(block)) movable_.push_back(block);
      const std::int64_t end = placer_.isFixed(block) ? placer_.end(block) : placer_.size(block);
      bound_ = std::max(bound_, end);
    }
    if (PairSlider::slides(model)) slider_.emplace(model);
  }

  PairPlan run(Bytes enough) {
    bound_ = std::max(bound_, options_.peakBound.count());
    enough_ = std::max(bound_, enough.count());
    if (!fixedAreApart()) return {};
    construct();
    while (!best_.offsets.empty() && !isDone()) {
      if (!(slider_ ? slide() : eject())) continue;
      for (const std::uint32_t block : movable_) placer_.put(block, best_.offsets[block].count());
      settle();
    }
    best_.nodes = budget_.nodes();
    best_.stopped = budget_.stopped();
    return best_;
  }

 private:
  enum class Rule { lowest, highest, tightest, stacked };

  bool isDone() {
    return (!best_.offsets.empty() && best_.peak.count() <= enough_) || budget_.isSpent();
  }

  bool fixedAreApart() const;
  bool place(const BlockOrder& order, Rule rule, std::int64_t ceiling);
  std::int64_t placeOne(std::uint32_t block, Rule rule);
  void keep(const PairPlacer& placer);
  void construct();
  void settle();
  bool eject();
  bool ejectTo(std::int64_t target);
  bool slide();
  bool slideTo(std::int64_t target);
  void insert(std::uint32_t block, const PairPlacer::Place& place);
  void setPrice(std::uint32_t block);

  const PairModel& model_;
  const PairOptions& options_;
  PairAllowance& budget_;
  PairPlacer placer_;
  PairPlacer ejector_;
  std::optional<PairSlider> slider_{};
  std::size_t turn_ = 0;  ///< Tries without success.
  int shift_ = kFirstShift;
  SmallDice dice_;
  BlockOrder movable_{};
  BlockOrder out_{};                 ///< Without a place, while a lower peak is tried.
  std::vector<std::int64_t> times_;  ///< How often a block was put where others were, and one.
  std::int64_t bound_ = 0;
  std::int64_t enough_ = 0;
  PairPlan best_{};
};

bool PeakWalk::fixedAreApart() const {
  for (std::uint32_t block = 0; block < placer_.count(); ++block) {
    if (!placer_.isFixed(block)) continue;
    for (const PairModel::Apart& apart : model_.conflicts[block]) {
      if (placer_.isFixed(apart.other) && !placer_.isApart(block, apart)) return false;
    }
    const Interval<Bytes> taken{Bytes(placer_.offset(block)), Bytes(placer_.end(block))};
    for (const Interval<Bytes>& range : model_.reserved) {
      if (range.overlaps(taken)) return false;
    }
  }
  return true;
}

std::int64_t PeakWalk::placeOne(std::uint32_t block, Rule rule) {
  switch (rule) {
    case Rule::lowest:
      return placer_.lowest(block);
    case Rule::highest:
      return placer_.highest(block);
    case Rule::tightest:
      return placer_.tightest(block);
    case Rule::stacked:
      return placer_.stacked(block);
  }
  return PairPlacer::kNowhere;
}

bool PeakWalk::place(const BlockOrder& order, Rule rule, std::int64_t ceiling) {
  placer_.clear();
  placer_.setCeiling(ceiling);
  for (const std::uint32_t block : order) {
    const std::int64_t offset = placeOne(block, rule);
    budget_.spend(1);
    if (offset == PairPlacer::kNowhere) return false;
    placer_.put(block, offset);
  }
  return true;
}

std::int64_t highestEnd(const PairPlacer& placer) {
  std::int64_t peak = 0;
  for (std::uint32_t block = 0; block < placer.count(); ++block) {
    peak = std::max(peak, placer.end(block));
  }
  return peak;
}

void PeakWalk::keep(const PairPlacer& placer) {
  const Bytes peak(highestEnd(placer));
  if (!best_.offsets.empty() && peak >= best_.peak) return;
  best_.offsets.resize(placer.count());
  for (std::uint32_t block = 0; block < placer.count(); ++block) {
    best_.offsets[block] = Bytes(placer.offset(block));
  }
  best_.peak = peak;
  best_.cost = pairCost(model_, best_.offsets);
  best_.fits = !model_.capacity || peak <= *model_.capacity;
  if (!options_.improved) return;
  options_.improved({.seconds = budget_.seconds(),
                     .nodes = budget_.nodes(),
                     .peak = peak,
                     .cost = best_.cost,
                     .fits = best_.fits});
}

// Each block finds its old place free at least, for all in its way were moved on before.
void PeakWalk::settle() {
  std::int64_t peak = highestEnd(placer_);
  int still = 0;
  BlockOrder order = movable_;
  for (int round = 0; round < kSettleRounds && still < kStill && !isDone(); ++round) {
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::pair(placer_.end(b), a) < std::pair(placer_.end(a), b);
    });
    if (!place(order, Rule::highest, peak)) return;
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::pair(placer_.offset(a), a) < std::pair(placer_.offset(b), b);
    });
    if (!place(order, Rule::lowest, peak)) return;
    const std::int64_t settled = highestEnd(placer_);
    still = settled < peak ? 0 : still + 1;
    peak = settled;
    keep(placer_);
  }
}

/// Orders of blocks to begin with: by size, by size x what is in the way, by what is in the way,
/// and as they are.
std::vector<BlockOrder> firstOrders(const PairModel& model, const BlockOrder& movable) {
  const auto size = [&](std::uint32_t block) { return model.blocks[block].size.real(); };
  std::vector<double> load(model.blocks.size());
  for (const std::uint32_t block : movable) {
    load[block] = size(block);
    for (const PairModel::Apart& apart : model.conflicts[block]) load[block] += size(apart.other);
  }
  std::vector<BlockOrder> orders(4, movable);
  const auto sort = [](BlockOrder& order, const auto& key) {
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return key(a) > key(b); });
  };
  sort(orders[0], size);
  sort(orders[1], [&](std::uint32_t block) { return size(block) * load[block]; });
  sort(orders[2], [&](std::uint32_t block) { return load[block]; });
  return orders;
}

void PeakWalk::construct() {
  const std::vector<BlockOrder> orders = firstOrders(model_, movable_);
  for (const BlockOrder& order : orders) {
    for (const Rule rule : {Rule::lowest, Rule::tightest, Rule::stacked}) {
      if (!best_.offsets.empty() && isDone()) return;
      if (!place(order, rule, kMaxBytes.count())) continue;
      keep(placer_);
      settle();
    }
  }
}

void PeakWalk::setPrice(std::uint32_t block) {
  const auto most = kMostPrices / static_cast<std::int64_t>(movable_.size());
  const auto price = checkedMul(std::min(times_[block], kMostTimes), ejector_.size(block));
  ejector_.setPrice(block, std::min(price.value_or(most), most));
}

void PeakWalk::insert(std::uint32_t block, const PairPlacer::Place& place) {
  ejector_.put(block, place.offset);
  if (place.cost == 0) return;
  for (const PairModel::Apart& apart : model_.conflicts[block]) {
    if (!ejector_.isPlaced(apart.other) || ejector_.isApart(block, apart)) continue;
    ejector_.take(apart.other);
    out_.push_back(apart.other);
  }
  ++times_[block];
  setPrice(block);
}

bool PeakWalk::ejectTo(std::int64_t target) {
  ejector_.setCeiling(target);
  out_.clear();
  for (const std::uint32_t block : movable_) {
    times_[block] = 1;
    setPrice(block);
    ejector_.put(block, best_.offsets[block].count());
    if (ejector_.end(block) <= target) continue;
    ejector_.take(block);
    out_.push_back(block);
  }
  const std::int64_t tries =
      kTryNodes + kTryNodesOfBlock * static_cast<std::int64_t>(movable_.size());
  for (std::int64_t node = 1; !out_.empty(); ++node) {
    if (node > tries || (node % kLookEvery == 0 && isDone())) return false;
    // The largest one first, the last of them that was taken out.
    const auto next = std::max_element(
        out_.rbegin(), out_.rend(),
        [&](std::uint32_t a, std::uint32_t b) { return ejector_.size(a) < ejector_.size(b); });
    const std::uint32_t block = *next;
    out_.erase(std::next(next).base());
    const PairPlacer::Place place = ejector_.cheapest(block, dice_);
    budget_.spend(1);
    if (place.offset == PairPlacer::kNowhere) return false;
    insert(block, place);
  }
  keep(ejector_);
  return true;
}

bool PeakWalk::slideTo(std::int64_t target) {
  slider_->begin(best_.offsets, target);
  const std::int64_t tries =
      kSlideNodes + kSlideNodesOfBlock * static_cast<std::int64_t>(movable_.size());
  for (std::int64_t node = 1; !slider_->isDone(); ++node) {
    if (node > tries || (node % kLookEvery == 0 && isDone())) return false;
    budget_.spend(1);
    if (!slider_->step(dice_)) return false;
  }
  for (const std::uint32_t block : movable_) placer_.put(block, slider_->offset(block));
  keep(placer_);
  return true;
}

/// True if a lower plan was found.
bool PeakWalk::eject() {
  const std::int64_t peak = best_.peak.count();
  const std::int64_t fall = 1 + ((peak - bound_) >> kGapShifts[turn_ % kGapShifts.size()]);
  const bool found = ejectTo(std::max(bound_, peak - fall));
  turn_ = found ? 0 : turn_ + 1;
  return found;
}

bool PeakWalk::slide() {
  const std::int64_t peak = best_.peak.count();
  const std::int64_t share = std::min(peak - bound_, peak >> kMostShare) >> shift_;
  const bool isFinest = share <= peak >> kFinestShift;
  const bool found = slideTo(std::max(bound_, peak - 1 - (isFinest ? 0 : share)));
  if (found) {
    shift_ = std::max(kFirstShift, shift_ - 1);
  } else {
    shift_ = isFinest ? kFirstShift : shift_ + 2;
  }
  return found;
}

}  // namespace

PairPlan lowestPeakWithin(const PairModel& model, const PairOptions& options, PairAllowance& budget,
                          Bytes enough) {
  if (model.blocks.empty()) return {.fits = true};
  return PeakWalk(model, options, budget).run(enough);
}

PairPlan searchLowestPeak(const PairModel& model, const PairOptions& options) {
  PairAllowance budget(options);
  return lowestPeakWithin(model, options, budget, Bytes());
}

}  // namespace hw
