#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/base/dice.h"
#include "core/pairs/pair_allowance.h"
#include "core/pairs/pair_placer.h"
#include "core/pairs/pair_search.h"

namespace hw {
namespace {

/// Temperatures at the start and at the end of an anneal: so many times the mean penalty and the
/// smallest. Between them it falls with the square of what is left.
constexpr double kHot = 2;
constexpr double kCold = 0.1;
/// Shares of the limits at which the anneals end.
constexpr std::array<double, 2> kAnnealEnds{0.04, 1};
/// Nodes of the first anneal where there are no limits; each is twice as long as the one before.
constexpr std::int64_t kFirstNodes = 500'000;
/// Steps at one temperature.
constexpr int kStepsAtOnce = 32;
/// Moves of a kind, of so many: all but those are made by putting a block in the place of others.
constexpr std::uint32_t kMoves = 23;
constexpr std::uint32_t kMixedMoves = 3;
constexpr std::uint32_t kColumnMoves = 10;
/// Blocks at most that a move takes out.
constexpr std::uint32_t kMostMixed = 6;
constexpr std::uint32_t kMostInColumn = 10;
constexpr std::size_t kMostEjected = 7;
/// Percent of the moves that begin with a block that pays, and how often one is looked for.
constexpr std::uint32_t kPayerPercent = 30;
constexpr int kPayerTries = 30;

/// The natural logarithm of a number in (0, 1], the same on every machine.
double logOfFraction(double x) {
  constexpr double kLogOfTwo = 0.69314718055994530942;
  double sum = 0;
  while (x < 0.75) {
    x *= 2;
    sum -= kLogOfTwo;
  }
  const double ratio = (x - 1) / (x + 1);
  double power = ratio;
  for (int n = 1; n < 30; n += 2) {
    sum += 2 * power / n;
    power *= ratio * ratio;
  }
  return sum;
}

/// Draws of the exponential distribution of mean 1: one of its quantiles.
class PenaltyPatience {
 public:
  PenaltyPatience() {
    for (std::size_t i = 0; i < quantiles_.size(); ++i) {
      quantiles_[i] = -logOfFraction((static_cast<double>(i) + 0.5) / kQuantiles);
    }
  }
  double draw(SmallDice& dice) const { return quantiles_[dice.below(kQuantiles)]; }

 private:
  static constexpr std::uint32_t kQuantiles = 4096;
  std::array<double, kQuantiles> quantiles_{};
};

class PenaltyWalk {
 public:
  PenaltyWalk(const PairModel& model, const PairOptions& options, PairAllowance& budget);

  /// From a plan that fits.
  PairPlan run(const std::vector<Bytes>& start);

 private:
  bool isDone() { return best_.cost <= options_.costBound || budget_.isSpent(); }
  double warmth();
  void keep();
  void tell() const;

  std::uint32_t anyOf(std::size_t count) { return dice_.below(static_cast<std::uint32_t>(count)); }
  std::uint32_t anyBlock() { return movable_[anyOf(movable_.size())]; }
  std::uint32_t anyPayer();
  std::uint32_t anyNeighbour(std::uint32_t block);
  void choose(std::uint32_t block);
  void chooseMixed(std::uint32_t block);
  void chooseColumn(std::uint32_t block);
  std::int64_t chooseInTheWay(std::uint32_t block);
  std::int64_t edgeOf(std::uint32_t other, std::int64_t size);

  void step();
  std::int64_t takeChosen();
  bool putChosen(std::int64_t forced, double most);
  void putBack();

  const PairModel& model_;
  const PairOptions& options_;
  PairAllowance& budget_;
  PairPlacer placer_;
  SmallDice dice_;
  PenaltyPatience patience_{};
  std::vector<std::uint32_t> movable_{};
  std::vector<std::uint32_t> chosen_{};  ///< To be taken out.
  std::vector<std::uint8_t> isChosen_;
  std::vector<std::uint32_t> order_{};   ///< Of putting them back.
  std::vector<std::int64_t> offsets_{};  ///< Where those chosen were.
  std::int64_t added_ = 0;
  std::int64_t cost_ = 0;       ///< Of where all are now.
  std::int64_t leastCost_ = 0;  ///< Of any plan so far, as the placer counts it.
  double hot_ = 0;
  double cold_ = 0;
  double temperature_ = 0;
  std::int64_t annealBegin_ = 0;  ///< Node, where there are no limits.
  std::int64_t annealNodes_ = kFirstNodes;
  PairPlan best_{.fits = true};
};

PenaltyWalk::PenaltyWalk(const PairModel& model, const PairOptions& options, PairAllowance& budget)
    : model_(model),
      options_(options),
      budget_(budget),
      placer_(model, PairPlacer::Heeds::penalties),
      dice_(options.limits.seed),
      isChosen_(model.blocks.size(), 0) {
  double sum = 0;
  double count = 0;
  double least = std::numeric_limits<double>::max();
  for (std::uint32_t block = 0; block < placer_.count(); ++block) {
    if (!placer_.isFixed(block)) movable_.push_back(block);
    for (const PairModel::Penalty& penalty : model.penalties[block]) {
      const auto cost = static_cast<double>(penalty.cost);
      sum += cost;
      count += 1;
      least = std::min(least, cost);
    }
  }
  if (count == 0) return;
  hot_ = kHot * sum / count;
  cold_ = kCold * least;
}

PairPlan PenaltyWalk::run(const std::vector<Bytes>& start) {
  for (const std::uint32_t block : movable_) placer_.put(block, start[block].count());
  // Each pair is met twice.
  for (std::uint32_t block = 0; block < placer_.count(); ++block) cost_ += placer_.pay(block);
  cost_ /= 2;
  keep();
  while (!movable_.empty() && !isDone()) {
    const double warmth = this->warmth();
    temperature_ = hot_ * warmth * warmth + cold_;
    for (int i = 0; i < kStepsAtOnce; ++i) step();
  }
  best_.nodes = budget_.nodes();
  best_.stopped = budget_.stopped();
  return best_;
}

/// The rest of the present anneal, in (0, 1].
double PenaltyWalk::warmth() {
  if (budget_.isLimited()) {
    const double share = budget_.share();
    double begin = 0;
    for (const double end : kAnnealEnds) {
      if (share < end) return (end - share) / (end - begin);
      begin = end;
    }
    return 0;
  }
  if (budget_.nodes() - annealBegin_ >= annealNodes_) {
    annealBegin_ = budget_.nodes();
    annealNodes_ *= 2;
  }
  const std::int64_t spent = budget_.nodes() - annealBegin_;
  return 1 - static_cast<double>(spent) / static_cast<double>(annealNodes_);
}

void PenaltyWalk::keep() {
  leastCost_ = cost_;
  best_.offsets.resize(placer_.count());
  for (std::uint32_t block = 0; block < placer_.count(); ++block) {
    best_.offsets[block] = Bytes(placer_.offset(block));
  }
  best_.cost = pairCost(model_, best_.offsets);
  best_.peak = pairPeak(model_, best_.offsets);
}

void PenaltyWalk::tell() const {
  if (!options_.improved) return;
  options_.improved({.seconds = budget_.seconds(),
                     .nodes = budget_.nodes(),
                     .peak = best_.peak,
                     .cost = best_.cost,
                     .fits = true});
}

/// A block of a pair that is paid for, if one is met by chance.
std::uint32_t PenaltyWalk::anyPayer() {
  for (int i = 0; i < kPayerTries; ++i) {
    const std::uint32_t block = anyBlock();
    const std::vector<PairModel::Penalty>& penalties = model_.penalties[block];
    if (penalties.empty()) continue;
    if (!placer_.isApart(block, penalties[anyOf(penalties.size())].apart)) return block;
  }
  return anyBlock();
}

/// A block that has to do with this one.
std::uint32_t PenaltyWalk::anyNeighbour(std::uint32_t block) {
  const std::vector<PairModel::Apart>& conflicts = model_.conflicts[block];
  const std::vector<PairModel::Penalty>& penalties = model_.penalties[block];
  if (!penalties.empty() && (conflicts.empty() || dice_.below(2) == 0)) {
    return penalties[anyOf(penalties.size())].apart.other;
  }
  return conflicts.empty() ? anyBlock() : conflicts[anyOf(conflicts.size())].other;
}

void PenaltyWalk::choose(std::uint32_t block) {
  if (isChosen_[block] != 0 || placer_.isFixed(block)) return;
  isChosen_[block] = 1;
  chosen_.push_back(block);
}

/// Blocks that cost something beside one of those chosen, or conflict with it.
void PenaltyWalk::chooseMixed(std::uint32_t block) {
  choose(block);
  for (std::uint32_t more = dice_.below(kMostMixed); more > 0; --more) {
    const bool isOfFirst = chosen_.empty() || dice_.below(2) == 0;
    choose(anyNeighbour(isOfFirst ? block : chosen_[anyOf(chosen_.size())]));
  }
}

/// Blocks that conflict with this one and lie where it does, or close above or below.
void PenaltyWalk::chooseColumn(std::uint32_t block) {
  choose(block);
  const std::vector<PairModel::Apart>& conflicts = model_.conflicts[block];
  if (conflicts.empty()) return;
  const std::size_t most = 2 + dice_.below(kMostInColumn - 1);
  const std::int64_t width = placer_.size(conflicts[anyOf(conflicts.size())].other);
  const bool isBelow = dice_.below(2) == 0;
  const std::int64_t begin = placer_.offset(block) - (isBelow ? width : 0);
  const std::int64_t end = placer_.end(block) + (isBelow ? 0 : width);
  std::size_t at = anyOf(conflicts.size());
  for (std::size_t i = 0; i < conflicts.size() && chosen_.size() < most; ++i) {
    const std::uint32_t other = conflicts[at].other;
    if (placer_.offset(other) < end && placer_.end(other) > begin) choose(other);
    if (++at == conflicts.size()) at = 0;
  }
}

/// An offset at which a block begins or ends where the other does.
std::int64_t PenaltyWalk::edgeOf(std::uint32_t other, std::int64_t size) {
  const std::uint32_t side = dice_.below(4);
  const std::int64_t edge = side % 2 == 0 ? placer_.offset(other) : placer_.end(other);
  return side < 2 ? edge : edge - size;
}

/// A place at an edge of a neighbour for the block, and what conflicts with it there. Nowhere if
/// that is too much.
std::int64_t PenaltyWalk::chooseInTheWay(std::uint32_t block) {
  const std::int64_t align = model_.blocks[block].alignment.count();
  const std::int64_t size = placer_.size(block);
  const std::int64_t before = placer_.offset(block);
  const std::int64_t at = edgeOf(anyNeighbour(block), size) & ~(align - 1);
  if (at < 0 || at > placer_.ceiling() - size) return PairPlacer::kNowhere;
  const Interval<Bytes> taken{Bytes(at), Bytes(at + size)};
  for (const Interval<Bytes>& range : model_.reserved) {
    if (range.overlaps(taken)) return PairPlacer::kNowhere;
  }
  choose(block);
  placer_.put(block, at);
  bool isFree = true;
  for (const PairModel::Apart& apart : model_.conflicts[block]) {
    if (placer_.isApart(block, apart)) continue;
    isFree = !placer_.isFixed(apart.other) && chosen_.size() < kMostEjected;
    if (!isFree) break;
    choose(apart.other);
  }
  placer_.put(block, before);
  return isFree ? at : PairPlacer::kNowhere;
}

/// The penalties of the chosen ones.
std::int64_t PenaltyWalk::takeChosen() {
  std::int64_t paid = 0;
  offsets_.clear();
  for (const std::uint32_t block : chosen_) {
    offsets_.push_back(placer_.offset(block));
    paid += placer_.pay(block);
    placer_.take(block);
  }
  return paid;
}

void PenaltyWalk::putBack() {
  for (std::size_t i = 0; i < chosen_.size(); ++i) placer_.put(chosen_[i], offsets_[i]);
}

/// False if that is not possible for at most so much; the first goes to `forced` unless nowhere.
bool PenaltyWalk::putChosen(std::int64_t forced, double most) {
  added_ = 0;
  order_ = chosen_;
  const bool isForced = forced != PairPlacer::kNowhere;
  if (isForced) {
    std::swap(order_.front(), order_.back());
    order_.pop_back();
    placer_.put(chosen_.front(), forced);
    budget_.spend(1);
    added_ = placer_.pay(chosen_.front());
    if (static_cast<double>(added_) > most) return false;
  }
  dice_.shuffle(order_);
  if (isForced || dice_.below(2) == 0) {
    std::stable_sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return placer_.size(a) > placer_.size(b);
    });
  }
  for (const std::uint32_t block : order_) {
    const PairPlacer::Place place = placer_.cheapest(block, dice_);
    budget_.spend(1);
    if (place.offset == PairPlacer::kNowhere) return false;
    added_ += place.cost;
    if (static_cast<double>(added_) > most) return false;
    placer_.put(block, place.offset);
  }
  return true;
}

void PenaltyWalk::step() {
  chosen_.clear();
  const std::uint32_t block = dice_.below(100) < kPayerPercent ? anyPayer() : anyBlock();
  const std::uint32_t kind = dice_.below(kMoves);
  std::int64_t forced = PairPlacer::kNowhere;
  bool isPossible = true;
  if (kind < kMixedMoves) {
    chooseMixed(block);
  } else if (kind < kMixedMoves + kColumnMoves) {
    chooseColumn(block);
  } else {
    forced = chooseInTheWay(block);
    isPossible = forced != PairPlacer::kNowhere;
  }
  for (const std::uint32_t chosen : chosen_) isChosen_[chosen] = 0;
  if (!isPossible) return budget_.spend(1);
  const std::int64_t paid = takeChosen();
  // Metropolis: worse by more than this is refused, so the rest need not be placed.
  const double most = static_cast<double>(paid) + temperature_ * patience_.draw(dice_);
  if (!putChosen(forced, most)) return putBack();
  cost_ += added_ - paid;
  if (cost_ >= leastCost_) return;
  keep();
  tell();
}

}  // namespace

PairPlan searchLeastPenalty(const PairModel& model, const std::vector<Bytes>& start,
                            const PairOptions& options) {
  PairAllowance budget(options);
  PairPlan plan{.offsets = start, .fits = pairFits(model, start)};
  if (!plan.fits) {
    plan = lowestPeakWithin(model, options, budget, model.capacity.value_or(kMaxBytes));
  }
  if (!plan.fits) return plan;
  return PenaltyWalk(model, options, budget).run(plan.offsets);
}

}  // namespace hw
