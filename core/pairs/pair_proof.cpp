#include "core/pairs/pair_proof.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/pairs/pair_cuts.h"
#include "core/pairs/pair_dolls.h"
#include "core/pairs/pair_field.h"
#include "core/pairs/pair_greedy.h"
#include "core/pairs/pair_packing.h"
#include "core/pairs/pair_payments.h"

namespace hw {

namespace {

constexpr std::int64_t kQuickNodes = 20'000;

using PairOffsets = std::vector<std::int64_t>;

/// The start as the proofs use it; empty unless it is a plan.
PairOffsets usedStart(const PairField& field, const std::vector<Bytes>& start) {
  PairOffsets offsets;
  if (start.size() != field.count()) return offsets;
  for (const Bytes offset : start) offsets.push_back(offset.count());
  return costOf(field, offsets) ? offsets : PairOffsets{};
}

PairOffsets chosenOffsets(const PairOffsets& offsets, const std::vector<std::uint32_t>& blocks) {
  PairOffsets part;
  if (offsets.empty()) return part;
  for (const std::uint32_t block : blocks) part.push_back(offsets[block]);
  return part;
}

std::int64_t peakOf(const PairField& field, const PairOffsets& offsets) {
  std::int64_t peak = 0;
  for (std::uint32_t block = 0; block < field.count(); ++block) {
    peak = std::max(peak, offsets[block] + field.size[block]);
  }
  return peak;
}

/// A heavy clique, found quickly, and what it lacks.
PairShortage quickShortage(const PairModel& model, PairBudget& budget) {
  PairBudget quick = budget.part(kQuickNodes);
  const PairClique clique = heaviestClique(model, quick);
  budget.settle(quick);
  return shortageOf(model, clique);
}

std::vector<Bytes> asBytes(const PairOffsets& offsets) {
  std::vector<Bytes> bytes;
  for (const std::int64_t offset : offsets) bytes.emplace_back(offset);
  return bytes;
}

/// The components of a field; those of few blocks first.
std::vector<std::vector<std::uint32_t>> smallFirst(const PairField& field) {
  std::vector<std::vector<std::uint32_t>> parts = componentsOf(field);
  std::stable_sort(parts.begin(), parts.end(),
                   [](const auto& a, const auto& b) { return a.size() < b.size(); });
  return parts;
}

/// The least peak of linked blocks, where none below `low` matters; `best` is a plan or empty.
class PeakClosing {
 public:
  PeakClosing(const PairField& field, std::int64_t low, PairOffsets best, PairBudget& budget)
      : field_(field), low_(low), best_(std::move(best)), budget_(budget) {
    if (!best_.empty()) high_ = peakOf(field_, best_);
  }

  void run() {
    for (std::uint32_t block = 0; block < field_.count(); ++block) {
      low_ = std::max(low_, field_.lowest(block, 0) + field_.size[block]);
    }
    if (best_.empty() && !findFirst()) return;
    // The bound itself is often met; then halves; then the last steps, as long as they take.
    if (low_ < high_) probe(low_, kQuickNodes);
    while (low_ < high_ && probe(low_ + (high_ - low_) / 2, kQuickNodes)) {
    }
    while (low_ < high_ && probe(high_ - 1, 0)) {
    }
  }

  bool isImpossible() const { return impossible_; }
  const PairOffsets& best() const { return best_; }
  std::int64_t low() const { return low_; }

 private:
  bool findFirst() {
    best_ = cheapPlan(field_, 20, budget_);
    if (best_.empty()) {
      PairPacking packing = packPairs(field_, field_.capacity, budget_);
      impossible_ = packing.outcome == PairPacking::Outcome::impossible;
      best_ = std::move(packing.offsets);
    }
    if (!best_.empty()) high_ = peakOf(field_, best_);
    return !best_.empty();
  }

  /// Decides whether a height below the best suffices; false if the budget did not last.
  bool probe(std::int64_t height, std::int64_t nodes) {
    PairBudget part = budget_.part(nodes);
    PairPacking packing = packPairs(field_, height, part);
    budget_.settle(part);
    if (packing.outcome == PairPacking::Outcome::stopped) return false;
    if (packing.outcome == PairPacking::Outcome::impossible) {
      low_ = height + 1;
    } else {
      best_ = std::move(packing.offsets);
      high_ = peakOf(field_, best_);
    }
    return true;
  }

  const PairField& field_;
  std::int64_t low_;
  std::int64_t high_ = 0;
  PairOffsets best_;
  PairBudget& budget_;
  bool impossible_ = false;
};

/// The least cost of linked blocks.
class PenaltyClosing {
 public:
  PenaltyClosing(const PairField& field, const PairOffsets& start, PairBudget& budget)
      : field_(field), budget_(budget) {
    if (!start.empty()) consider(start);
  }

  PairDolls run() {
    if (result_.cost > 0 || !result_.feasible) {
      const PairOffsets cheap = cheapPlan(field_, quickRounds(), budget_);
      if (!cheap.empty()) consider(cheap);
    }
    if (isClosed()) return result_;
    shareAll();
    if (isClosed() || tryFree()) return result_;
    priceCuts();
    if (isClosed() || isShort() || budget_.isSpent()) return result_;
    constexpr std::size_t kMostPlaces = 60'000;
    const auto places = touchingOffsets(field_, kMostPlaces);
    if (places && *totalCost(field_) < (std::int64_t{1} << 62) / (field_.count() + 1)) {
      searchPlaces(*places);
    } else {
      accept(leastCostByPayments(field_, result_.offsets, result_.bound, budget_));
    }
    return result_;
  }

 private:
  void consider(const PairOffsets& offsets) {
    const auto cost = costOf(field_, offsets);
    if (!cost || (result_.feasible && *cost >= result_.cost)) return;
    result_.feasible = true;
    result_.offsets = offsets;
    result_.cost = *cost;
  }

  /// True if the plan found costs no more than it must.
  bool isClosed() {
    if (result_.feasible && result_.cost <= result_.bound) result_.complete = true;
    return result_.complete;
  }

  void accept(const PairDolls& found) {
    if (!found.offsets.empty()) consider(found.offsets);
    result_.bound = std::max(result_.bound, found.bound);
    result_.complete = found.complete;
    isClosed();
  }

  /// True if a plan is found that pays nothing, and none better is to be expected.
  bool tryFree() {
    if (result_.bound > 0) return false;
    const PairField hard = hardened(field_);
    PairBudget quick = budget_.part(kQuickNodes);
    const PairPacking packing = packPairs(hard, hard.capacity, quick);
    budget_.settle(quick);
    if (packing.outcome == PairPacking::Outcome::packed) consider(packing.offsets);
    if (packing.outcome == PairPacking::Outcome::impossible) result_.bound = 1;
    return isClosed();
  }

  /// True if it is proved quickly that there is no plan at all.
  bool isShort() {
    if (result_.feasible) return false;
    PairBudget quick = budget_.part(5 * kQuickNodes);
    const PairPacking packing = packPairs(field_, field_.capacity, quick);
    budget_.settle(quick);
    if (packing.outcome == PairPacking::Outcome::packed) consider(packing.offsets);
    result_.complete = packing.outcome == PairPacking::Outcome::impossible;
    return result_.complete;
  }

  /// Fewer, the more pairs there are: a round looks at each twice for each place.
  int quickRounds() const {
    constexpr double kWork = 1e8;
    double work = 1;
    for (const auto& edges : field_.edges) {
      work += static_cast<double>(edges.size()) * static_cast<double>(edges.size());
    }
    return static_cast<int>(std::clamp(kWork / work, 2.0, 200.0));
  }

  void shareAll() {
    std::vector<std::uint32_t> all(field_.count());
    std::iota(all.begin(), all.end(), 0);
    result_.bound = leastSharingCost(field_, all);
  }

  void priceCuts() {
    constexpr std::int64_t kSteps = 100'000;
    PairBudget steps = budget_.part(kSteps);
    result_.bound = std::max(result_.bound, leastCostByCuts(field_, steps));
    budget_.settle(steps);
  }

  /// Both orders by turns, with ever more nodes: which of them is better is not known beforehand.
  void searchPlaces(const std::vector<std::vector<std::int64_t>>& places) {
    constexpr std::int64_t kFirstNodes = 500'000;
    constexpr std::int64_t kGrowth = 10;
    std::int64_t nodes = kFirstNodes;
    while (!budget_.isSpent() && !result_.complete) {
      for (const DollOrder order : {DollOrder::largeFirst, DollOrder::entangled}) {
        PairBudget part = budget_.part(nodes);
        const DollOptions options{
            .order = order, .bound = result_.bound, .priced = nodes > kFirstNodes};
        accept(leastCostByDolls(field_, places, result_.offsets, options, part));
        budget_.settle(part);
        if (result_.complete || budget_.isSpent()) return;
      }
      if (nodes < std::numeric_limits<std::int64_t>::max() / kGrowth) nodes *= kGrowth;
    }
  }

  const PairField& field_;
  PairBudget& budget_;
  PairDolls result_{};
};

}  // namespace

PeakProof provePeak(const PairModel& model, const std::vector<Bytes>& start,
                    const PairLimits& limits, const std::function<bool()>& stopped) {
  PeakProof proof;
  PairBudget budget(limits, stopped);
  proof.shortage = quickShortage(model, budget);
  proof.bound = proof.shortage.bytes;
  PairModel hard = model;  // Prices do not link blocks here.
  hard.penalties.clear();
  const PairField field = fieldOf(hard);
  const PairOffsets used = usedStart(field, start);
  PairOffsets offsets(field.count(), 0);
  bool impossible = proof.shortage.missing > Bytes();
  bool known = true;
  for (const auto& blocks : smallFirst(field)) {
    if (impossible) break;
    const PairField part = fieldOfBlocks(field, blocks);
    PeakClosing closing(part, proof.bound.count(), chosenOffsets(used, blocks), budget);
    closing.run();
    impossible = closing.isImpossible();
    known = known && !closing.best().empty();
    proof.bound = std::max(proof.bound, Bytes(closing.low()));
    for (std::size_t i = 0; known && i < blocks.size(); ++i) offsets[blocks[i]] = closing.best()[i];
  }
  proof.nodes = budget.nodes();
  if (impossible) {
    proof.status = PairStatus::infeasible;
  } else if (known) {
    proof.offsets = asBytes(offsets);
    proof.peak = Bytes(peakOf(field, offsets));
    if (proof.peak <= proof.bound) proof.status = PairStatus::optimal;
  }
  if (proof.shortage.missing <= Bytes()) proof.shortage = {};
  return proof;
}

PenaltyProof proveLeastPenalty(const PairModel& model, const std::vector<Bytes>& start,
                               const PairLimits& limits, const std::function<bool()>& stopped) {
  PenaltyProof proof;
  const PairField field = fieldOf(model);
  if (!totalCost(field)) return proof;
  PairBudget budget(limits, stopped);
  const PairShortage shortage = quickShortage(model, budget);
  const PairOffsets used = usedStart(field, start);
  PairOffsets offsets(field.count(), 0);
  bool impossible = shortage.missing > Bytes();
  bool known = true;
  bool open = false;
  if (impossible) proof.shortage = shortage;
  for (const auto& blocks : smallFirst(field)) {
    if (impossible) break;
    const PairField part = fieldOfBlocks(field, blocks);
    const PairDolls found = PenaltyClosing(part, chosenOffsets(used, blocks), budget).run();
    impossible = found.complete && !found.feasible;
    open = open || !found.complete;
    known = known && found.feasible;
    proof.bound += found.bound;
    proof.cost += found.cost;
    for (std::size_t i = 0; known && i < blocks.size(); ++i) offsets[blocks[i]] = found.offsets[i];
  }
  proof.nodes = budget.nodes();
  if (impossible || !known) proof.cost = 0;
  if (impossible) {
    proof.status = PairStatus::infeasible;
  } else {
    if (known) proof.offsets = asBytes(offsets);
    if (known && !open) proof.status = PairStatus::optimal;
  }
  return proof;
}

}  // namespace hw
