#include "core/pairs/pair_cuts.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>

#include "core/base/dice.h"
#include "core/pairs/pair_sharing.h"

namespace hw {

namespace {

using SharedBytes = PairSharing::Wide;

/// The cheapest way to gain the bytes needed; a part of a pair counts in part, and the sum, which
/// is a whole number in fact, is rounded up.
std::int64_t cheapestGains(std::vector<PairSharing::Entry>& gains, SharedBytes needed) {
  std::sort(gains.begin(), gains.end(), [](const auto& a, const auto& b) {
    return static_cast<SharedBytes>(a.cost) * b.gain < static_cast<SharedBytes>(b.cost) * a.gain;
  });
  std::int64_t cost = 0;
  for (const PairSharing::Entry& entry : gains) {
    if (needed <= 0) break;
    if (needed >= entry.gain) {
      cost += entry.cost;
    } else {
      cost += static_cast<std::int64_t>((needed * entry.cost + entry.gain - 1) / entry.gain);
    }
    needed -= entry.gain;
  }
  return cost;
}

/// A set of blocks that loses those which share most without paying, one after another.
class ShrinkingSet {
 public:
  ShrinkingSet(const PairField& field, const std::vector<std::uint32_t>& blocks)
      : field_(field),
        blocks_(blocks),
        sharing_(field, blocks),
        inside_(blocks.size(), 1),
        free_(blocks.size(), 0) {
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      total_ += field.size[blocks[i]];
      for (std::size_t j = 0; j < blocks.size(); ++j) {
        if (i != j) free_[i] += sharing_.at(i, j).free;
      }
      freeTotal_ += free_[i];
    }
    freeTotal_ /= 2;
  }

  bool isCrowded() const { return total_ > field_.room; }

  std::int64_t cost() const {
    const SharedBytes needed = PairSharing::forced(total_, field_.room) - freeTotal_;
    if (needed <= 0) return 0;
    std::vector<PairSharing::Entry> gains;
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      for (std::size_t j = i + 1; inside_[i] && j < blocks_.size(); ++j) {
        if (inside_[j] && sharing_.at(i, j).gain > 0) gains.push_back(sharing_.at(i, j));
      }
    }
    return cheapestGains(gains, needed);
  }

  /// False if none shares anything for nothing.
  bool shrink() {
    std::size_t worst = blocks_.size();
    double most = 0;
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      const double share =
          static_cast<double>(free_[i]) / static_cast<double>(field_.size[blocks_[i]]);
      if (!inside_[i] || share <= most) continue;
      worst = i;
      most = share;
    }
    if (worst == blocks_.size()) return false;
    inside_[worst] = 0;
    total_ -= field_.size[blocks_[worst]];
    freeTotal_ -= free_[worst];
    for (std::size_t j = 0; j < blocks_.size(); ++j) {
      if (j != worst) free_[j] -= sharing_.at(worst, j).free;
    }
    return true;
  }

 private:
  const PairField& field_;
  const std::vector<std::uint32_t>& blocks_;
  PairSharing sharing_;
  std::vector<char> inside_;
  std::vector<SharedBytes> free_;  ///< By block, shared with the others without paying.
  SharedBytes total_ = 0;
  SharedBytes freeTotal_ = 0;
};

/// One set of blocks: what its pairs that pay count makes up what is needed, at least.
struct SharingCut {
  std::vector<std::uint32_t> members{};
  bool counted = false;  ///< Costs are counted, otherwise bytes gained.
  std::vector<std::uint32_t> pairs{};
  std::vector<double> gains{};  ///< By position in pairs, as a part of what is needed.
  SharedBytes needed = 0;
  double price = 0;  ///< The dual variable: cost for all that is needed.
  int idle = 0;      ///< Rounds without a price.
};

/// The set around a block for which the solution so far pays least of what it needs.
class GrowingSet {
 public:
  GrowingSet(const PairField& field, const PairSharing& sharing, const std::vector<double>& paid)
      : field_(field), sharing_(sharing), paid_(paid) {}

  std::vector<std::uint32_t> grow(std::uint32_t seed) {
    const std::size_t count = sharing_.count();
    links_.assign(count, 0);
    inside_.assign(count, 0);
    total_ = 0;
    toggle(seed);
    while (total_ <= static_cast<double>(field_.room) && addCheapest()) {
    }
    for (std::size_t moves = 0; moves < 2 * count && improve(); ++moves) {
    }
    std::vector<std::uint32_t> members;
    for (std::uint32_t i = 0; i < count; ++i) {
      if (inside_[i]) members.push_back(i);
    }
    return members;
  }

 private:
  double size(std::size_t i) const { return static_cast<double>(field_.size[i]); }

  double forced(double total) const {
    const auto room = static_cast<double>(field_.room);
    if (total <= room) return 0;
    const double layers = std::floor(total / room);
    return layers * (layers - 1) / 2 * room + layers * (total - layers * room);
  }

  void toggle(std::size_t i) {
    const double sign = inside_[i] ? -1 : 1;
    inside_[i] = inside_[i] ? 0 : 1;
    total_ += sign * size(i);
    for (std::size_t j = 0; j < sharing_.count(); ++j) {
      if (j == i) continue;
      const PairSharing::Entry& entry = sharing_.at(i, j);
      auto shared = static_cast<double>(entry.free);
      if (entry.gain > 0) shared += static_cast<double>(entry.gain) * paid_[entry.pair];
      links_[j] += sign * shared;
    }
  }

  bool addCheapest() {
    std::size_t best = sharing_.count();
    double least = 0;
    for (std::size_t i = 0; i < sharing_.count(); ++i) {
      if (inside_[i]) continue;
      const double dear = links_[i] / size(i) - size(i) * 1e-6 / static_cast<double>(field_.room);
      if (best < sharing_.count() && dear >= least) continue;
      best = i;
      least = dear;
    }
    if (best == sharing_.count()) return false;
    toggle(best);
    return true;
  }

  bool improve() {
    std::size_t best = sharing_.count();
    double most = 1e-9 * total_;
    for (std::size_t i = 0; i < sharing_.count(); ++i) {
      const double other = inside_[i] ? total_ - size(i) : total_ + size(i);
      const double sign = inside_[i] ? -1 : 1;
      const double better = forced(other) - forced(total_) - sign * links_[i];
      if (better <= most) continue;
      best = i;
      most = better;
    }
    if (best == sharing_.count()) return false;
    toggle(best);
    return true;
  }

  const PairField& field_;
  const PairSharing& sharing_;
  const std::vector<double>& paid_;
  std::vector<double> links_{};  ///< By block, shared with those inside as far as it is paid.
  std::vector<char> inside_{};
  double total_ = 0;
};

/// Sets of blocks that exceed the room: of each pair that pays the smaller block may be left out,
/// and what is left has to fit. Grown block by block so that the solution so far pays little
/// inside.
class CoveringSet {
 public:
  struct Found {
    std::vector<std::uint32_t> members{};
    std::int64_t cost = 0;  ///< That pairs inside pay at least.
  };

  CoveringSet(const PairField& field, const PairSharing& sharing, const std::vector<double>& paid)
      : field_(field), sharing_(sharing), paid_(paid) {}

  /// The set around a block that is violated most, of those on the way.
  Found grow(std::uint32_t seed) {
    members_.clear();
    savings_.clear();
    links_.assign(sharing_.count(), 0);
    total_ = 0;
    paidInside_ = 0;
    pairs_ = 0;
    Found best;
    double most = 0;
    std::optional<std::uint32_t> next = seed;
    while (next && total_ <= 4 * static_cast<SharedBytes>(field_.room)) {
      join(*next);
      const std::int64_t cost = leastCost();
      const double violation = (static_cast<double>(cost) - paidInside_) / std::sqrt(pairs_ + 1.0);
      if (cost > 0 && violation > most) {
        most = violation;
        best = {members_, cost};
      }
      next = cheapest();
    }
    std::sort(best.members.begin(), best.members.end());
    return best;
  }

 private:
  static constexpr double kApart = 1e18;  ///< Links to pairs that share bytes for nothing.

  void join(std::uint32_t block) {
    paidInside_ += links_[block];
    total_ += field_.size[block];
    for (std::uint32_t i = 0; i < sharing_.count(); ++i) {
      const PairSharing::Entry& entry = sharing_.at(block, i);
      if (entry.free > 0) {
        links_[i] = kApart;
      } else if (entry.gain > 0) {
        links_[i] += static_cast<double>(entry.cost) * paid_[entry.pair];
      }
    }
    PairSharing::Entry saving{.gain = 0, .cost = 0};
    for (std::size_t k = 0; k < members_.size(); ++k) {
      const PairSharing::Entry& entry = sharing_.at(block, members_[k]);
      if (entry.gain == 0) continue;
      ++pairs_;
      const bool smaller = field_.size[block] <= field_.size[members_[k]];
      PairSharing::Entry& saved = smaller ? saving : savings_[k];
      if (saved.gain > 0 && saved.cost <= entry.cost) continue;
      saved.gain = field_.size[smaller ? block : members_[k]];
      saved.cost = entry.cost;
    }
    members_.push_back(block);
    savings_.push_back(saving);
    links_[block] = kApart;
  }

  /// The least cost of leaving out blocks until the rest fits, parts of a block in part, rounded
  /// up.
  std::int64_t leastCost() const {
    const SharedBytes over = total_ - field_.room;
    if (over <= 0) return 0;
    std::vector<PairSharing::Entry> savings = savings_;
    std::erase_if(savings, [](const PairSharing::Entry& saving) { return saving.gain == 0; });
    return cheapestGains(savings, over);
  }

  std::optional<std::uint32_t> cheapest() const {
    std::optional<std::uint32_t> best;
    double least = kApart / 2;
    for (std::uint32_t i = 0; i < sharing_.count(); ++i) {
      if (links_[i] >= kApart) continue;
      const auto size = static_cast<double>(field_.size[i]);
      const double dear = (links_[i] + 1e-3) / size * static_cast<double>(field_.room);
      if (dear >= least) continue;
      least = dear;
      best = i;
    }
    return best;
  }

  const PairField& field_;
  const PairSharing& sharing_;
  const std::vector<double>& paid_;
  std::vector<std::uint32_t> members_{};
  /// By member: its bytes, saved when it is left out for the least cost of a pair with a larger
  /// one.
  std::vector<PairSharing::Entry> savings_{};
  std::vector<double> links_{};  ///< By block, paid to the members.
  SharedBytes total_ = 0;
  double paidInside_ = 0;
  double pairs_ = 0;
};

class CutPrices {
 public:
  CutPrices(const PairField& field, const std::vector<std::uint32_t>& blocks, PairBudget& budget)
      : field_(field), budget_(budget), sharing_(field, blocks), paid_(sharing_.costs().size(), 0) {
    for (const std::int64_t cost : sharing_.costs()) costs_.push_back(static_cast<double>(cost));
  }

  std::int64_t run() {
    constexpr int kRounds = 200;
    constexpr int kMostDry = 6;  // Rounds in a row that find no set.
    std::int64_t best = 0;
    for (int round = 0, dry = 0; round < kRounds && !budget_.isSpent(); ++round) {
      dry = separate() ? 0 : dry + 1;
      if (dry >= kMostDry) break;
      ascend();
      best = std::max(best, exactBound());
      forgetIdle();
    }
    return best;
  }

 private:
  /// The weight in a cut of a pair that pays.
  static SharedBytes part(const SharingCut& cut, const PairSharing::Entry& entry) {
    return std::min<SharedBytes>(cut.counted ? entry.cost : entry.gain, cut.needed);
  }

  void findParts(SharingCut& cut) const {
    for (const std::uint32_t i : cut.members) {
      for (const std::uint32_t j : cut.members) {
        const PairSharing::Entry& entry = sharing_.at(i, j);
        if (i >= j || entry.gain == 0) continue;
        cut.pairs.push_back(entry.pair);
        cut.gains.push_back(static_cast<double>(part(cut, entry)) /
                            static_cast<double>(cut.needed));
      }
    }
  }

  SharedBytes neededBytes(const std::vector<std::uint32_t>& members) const {
    SharedBytes total = 0;
    SharedBytes free = 0;
    for (const std::uint32_t i : members) {
      total += field_.size[i];
      for (const std::uint32_t j : members) {
        if (i < j) free += sharing_.at(i, j).free;
      }
    }
    return PairSharing::forced(total, field_.room) - free;
  }

  std::int64_t neededCost(const std::vector<std::uint32_t>& members) const {
    std::vector<PairSharing::Entry> gains;
    for (const std::uint32_t i : members) {
      for (const std::uint32_t j : members) {
        if (i < j && sharing_.at(i, j).gain > 0) gains.push_back(sharing_.at(i, j));
      }
    }
    return cheapestGains(gains, neededBytes(members));
  }

  double paidOf(const SharingCut& cut) const {
    double sum = 0;
    for (std::size_t k = 0; k < cut.pairs.size(); ++k) sum += cut.gains[k] * paid_[cut.pairs[k]];
    return sum;
  }

  /// Adds a cut unless the solution pays nearly enough for it; true if it was new.
  bool add(const std::vector<std::uint32_t>& members, bool counted, SharedBytes needed) {
    constexpr std::size_t kMostCuts = 4'000;
    constexpr double kEnough = 0.99;
    if (needed <= 0 || cuts_.size() >= kMostCuts) return false;
    SharingCut cut{.members = members, .counted = counted, .needed = needed};
    findParts(cut);
    if (paidOf(cut) >= kEnough) return false;
    const bool known = std::any_of(cuts_.begin(), cuts_.end(), [&](const SharingCut& other) {
      return other.counted == counted && other.members == cut.members;
    });
    if (!known) cuts_.push_back(std::move(cut));
    return !known;
  }

  /// The solution, in every second round with noise, so that other sets are met.
  std::vector<double> blurred() {
    std::vector<double> seen = paid_;
    if (rounds_++ % 2 == 0) return seen;
    for (double& paid : seen)
      paid = paid * (0.4 + 1.2 * dice_.fraction()) + 0.02 * dice_.fraction();
    return seen;
  }

  /// Adds sets that the solution pays too little for; false if none is found.
  bool separate() {
    const std::vector<double> seen = blurred();
    GrowingSet set(field_, sharing_, seen);
    CoveringSet cover(field_, sharing_, seen);
    std::set<std::vector<std::uint32_t>> met;
    bool added = false;
    for (std::uint32_t seed = 0; seed < sharing_.count() && !budget_.spend(); ++seed) {
      const std::vector<std::uint32_t> shared = set.grow(seed);
      if (met.insert(shared).second) {
        added = add(shared, false, neededBytes(shared)) || added;
        added = add(shared, true, neededCost(shared)) || added;
      }
      const auto covered = cover.grow(seed);
      if (covered.cost > 0 && met.insert(covered.members).second) {
        added = add(covered.members, true, covered.cost) || added;
      }
    }
    return added;
  }

  /// The value of the dual at the prices; `rest` is what pairs cost beyond what they are charged.
  double value(std::vector<double>& rest) const {
    rest = costs_;
    double sum = 0;
    for (const SharingCut& cut : cuts_) {
      if (cut.price <= 0) continue;
      sum += cut.price;
      for (std::size_t k = 0; k < cut.pairs.size(); ++k) {
        rest[cut.pairs[k]] -= cut.price * cut.gains[k];
      }
    }
    for (const double left : rest) sum += std::min(left, 0.0);
    return sum;
  }

  /// Steps of the volume algorithm (Barahona and Anbil 2000): from the best prices in the direction
  /// of what paid_, a moving average of solutions that becomes one of the primal, lacks.
  void ascend() {
    constexpr int kSteps = 150;
    std::vector<double> center = prices();
    double best = value(rest_);
    double stride = 0.1;
    int failed = 0;
    for (int step = 0; step < kSteps && !budget_.spend(); ++step) {
      findSlopes();
      const double norm = setPrices(center, stride * std::max(0.05 * best, 0.5));
      if (norm <= 0) break;
      const double now = value(rest_);
      const double agreement = blend();
      if (now > best) {
        if (agreement > 0) stride = std::min(stride * 1.1, 2.0);
        best = now;
        center = prices();
        failed = 0;
      } else if (++failed >= 12) {
        stride *= 0.66;
        failed = 0;
      }
    }
    for (std::size_t i = 0; i < cuts_.size(); ++i) cuts_[i].price = center[i];
  }

  /// The lack of paid_ in each cut.
  void findSlopes() {
    slopes_.resize(cuts_.size());
    for (std::size_t i = 0; i < cuts_.size(); ++i) slopes_[i] = 1 - paidOf(cuts_[i]);
  }

  /// Moves the prices from the center along the slopes, by `gain` where it is linear; the square of
  /// the length of the direction.
  double setPrices(const std::vector<double>& center, double gain) {
    double norm = 0;
    for (std::size_t i = 0; i < cuts_.size(); ++i) {
      if (slopes_[i] < 0 && center[i] <= 0) continue;
      norm += slopes_[i] * slopes_[i];
    }
    if (norm <= 1e-12) return 0;
    for (std::size_t i = 0; i < cuts_.size(); ++i) {
      cuts_[i].price = std::max(0.0, center[i] + gain / norm * slopes_[i]);
    }
    return norm;
  }

  /// Blends the solution at the prices into paid_, as much as makes it lack least, within limits;
  /// positive if that solution lacks the same cuts as paid_ did.
  double blend() {
    double cross = 0;
    double square = 0;
    double agreement = 0;
    for (std::size_t i = 0; i < cuts_.size(); ++i) {
      double slope = 1;
      for (std::size_t k = 0; k < cuts_[i].pairs.size(); ++k) {
        if (rest_[cuts_[i].pairs[k]] < 0) slope -= cuts_[i].gains[k];
      }
      agreement += slope * slopes_[i];
      const double change = slope - slopes_[i];
      cross -= change * slopes_[i];
      square += change * change;
    }
    constexpr double kMostBlended = 0.1;
    const double best = square > 0 ? cross / square : kMostBlended;
    const double blended = std::clamp(best, kMostBlended / 10, kMostBlended);
    for (std::size_t pair = 0; pair < paid_.size(); ++pair) {
      paid_[pair] = (1 - blended) * paid_[pair] + (rest_[pair] < 0 ? blended : 0.0);
    }
    return agreement;
  }

  std::vector<double> prices() const {
    std::vector<double> prices;
    for (const SharingCut& cut : cuts_) prices.push_back(cut.price);
    return prices;
  }

  /// The bound of the prices, rounded to multiples of a small unit, in whole numbers.
  std::int64_t exactBound() const {
    std::int64_t largest = 1;
    for (const std::int64_t size : field_.size) largest = std::max(largest, size);
    const int bits = 16 + static_cast<int>(std::bit_width(static_cast<std::uint64_t>(largest)));
    const SharedBytes unit = SharedBytes{1} << bits;
    std::vector<SharedBytes> rest;
    for (const std::int64_t cost : sharing_.costs()) rest.push_back(unit * cost);
    SharedBytes sum = 0;
    for (const SharingCut& cut : cuts_) {
      constexpr double kMostPrice = 1e10;
      const double perByte = std::min(cut.price, kMostPrice) / static_cast<double>(cut.needed);
      const auto weight = static_cast<std::int64_t>(std::ldexp(perByte, bits));
      if (weight <= 0) continue;
      sum += cut.needed * weight;
      for (std::size_t a = 0; a < cut.members.size(); ++a) {
        for (std::size_t b = a + 1; b < cut.members.size(); ++b) {
          const PairSharing::Entry& entry = sharing_.at(cut.members[a], cut.members[b]);
          if (entry.gain == 0) continue;
          rest[entry.pair] -= part(cut, entry) * weight;
        }
      }
    }
    for (const SharedBytes left : rest) sum += std::min<SharedBytes>(left, 0);
    return sum <= 0 ? 0 : static_cast<std::int64_t>((sum + unit - 1) / unit);
  }

  void forgetIdle() {
    for (SharingCut& cut : cuts_) cut.idle = cut.price > 0 ? 0 : cut.idle + 1;
    std::erase_if(cuts_, [](const SharingCut& cut) { return cut.idle >= 4; });
  }

  const PairField& field_;
  PairBudget& budget_;
  PairSharing sharing_;
  std::vector<double> costs_{};
  std::vector<double> paid_;  ///< By pair, a solution that may pay for parts.
  std::vector<SharingCut> cuts_{};
  std::vector<double> slopes_{};
  Dice dice_{1};
  int rounds_ = 0;
  std::vector<double> rest_{};  ///< By pair, what it costs beyond what it is charged.
};

}  // namespace

std::int64_t leastSharingCost(const PairField& field, const std::vector<std::uint32_t>& blocks) {
  constexpr std::size_t kMostShared = 128;
  if (blocks.size() > kMostShared) return 0;
  ShrinkingSet set(field, blocks);
  std::int64_t most = 0;
  while (set.isCrowded()) {
    most = std::max(most, set.cost());
    if (!set.shrink()) break;
  }
  return most;
}

std::int64_t leastCostByCuts(const PairField& field, PairBudget& budget) {
  constexpr std::uint32_t kMostBlocks = 2'000;
  const auto total = totalCost(field);
  if (!total || *total >= std::int64_t{1} << 32 || field.count() > kMostBlocks) return 0;
  std::vector<std::uint32_t> all(field.count());
  std::iota(all.begin(), all.end(), 0);
  return CutPrices(field, all, budget).run();
}

}  // namespace hw
