#include "core/pairs/pair_dolls.h"

#include <algorithm>

#include "core/pairs/pair_cuts.h"
#include "core/pairs/pair_packing.h"

namespace hw {

namespace {

using PlaceLists = std::vector<std::vector<std::int64_t>>;

/// The order of placing: its end is where blocks are most entangled, so that the costs of the small
/// problems are high.
std::vector<std::uint32_t> dollOrder(const PairField& field, const PlaceLists& places,
                                     DollOrder kind) {
  const auto weight = [](const PairField::Edge& edge) { return edge.hard ? 1.5 : 1.0; };
  const std::uint32_t count = field.count();
  std::vector<double> degrees(count, 0);
  for (std::uint32_t block = 0; block < count; ++block) {
    for (const PairField::Edge& edge : field.edges[block]) degrees[block] += weight(edge);
  }
  std::vector<double> ties(count, 0);
  std::vector<char> taken(count, 0);
  std::vector<std::uint32_t> order;
  for (std::uint32_t step = 0; step < count; ++step) {
    std::uint32_t best = count;
    double bestScore = -1;
    for (std::uint32_t block = 0; block < count; ++block) {
      if (taken[block]) continue;
      // Few places make a block dear; the degree decides among equals.
      double score =
          ties[block] / static_cast<double>(places[block].size() + 1) + degrees[block] / 1e6;
      if (kind == DollOrder::largeFirst) score /= static_cast<double>(field.size[block]);
      if (score <= bestScore) continue;
      best = block;
      bestScore = score;
    }
    taken[best] = 1;
    order.push_back(best);
    for (const PairField::Edge& edge : field.edges[best]) ties[edge.other] += weight(edge);
  }
  std::reverse(order.begin(), order.end());
  return order;
}

/// True if all places are alike: any two may be exchanged in a whole plan.
bool areSlots(const PairField& field, const PlaceLists& places) {
  for (std::uint32_t block = 0; block < field.count(); ++block) {
    if (field.fixed[block] || places[block] != places[0]) return false;
    for (const PairField::Edge& edge : field.edges[block]) {
      // Apart exactly where the places differ.
      if (edge.below != edge.above) return false;
      for (std::size_t i = 1; i < places[0].size(); ++i) {
        if (places[0][i] - places[0][i - 1] < edge.below) return false;
      }
    }
  }
  return true;
}

/// True if each plan may be turned upside down.
bool isReversible(const PairField& field) {
  for (std::uint32_t block = 0; block < field.count(); ++block) {
    if (field.fixed[block] || !field.barred[block].empty()) return false;
    if ((field.capacity - field.size[block]) % field.alignment[block] != 0) return false;
    for (const PairField::Edge& edge : field.edges[block]) {
      if (edge.below - field.size[block] != edge.above - field.size[edge.other]) return false;
    }
  }
  return true;
}

class DollSearch {
 public:
  DollSearch(const PairField& field, const PlaceLists& places, const DollOptions& options,
             PairBudget& budget)
      : field_(field),
        places_(places),
        budget_(budget),
        options_(options),
        order_(dollOrder(field, places, options.order)),
        slots_(areSlots(field, places)),
        reversible_(!slots_ && isReversible(field)),
        hardCost_(totalCost(field).value_or(0) + 1),
        depthOf_(field.count(), 0),
        twinDepth_(field.count(), kNoDepth),
        charges_(field.count()),
        paid_(field.count()),
        least_(field.count(), 0),
        at_(field.count(), 0),
        doll_(field.count() + 1, 0),
        undo_(field.count()),
        ranked_(field.count()) {
    for (std::uint32_t depth = 0; depth < field.count(); ++depth) depthOf_[order_[depth]] = depth;
    for (std::uint32_t depth = 0; depth < field.count(); ++depth) {
      paid_[depth].assign(places[order_[depth]].size(), 0);
      if (paid_[depth].empty()) least_[depth] = hardCost_;
    }
    for (std::uint32_t depth = 0; depth < field.count(); ++depth) findCharges(depth);
    findTwins();
  }

  PairDolls run(const std::vector<std::int64_t>& start) {
    PairDolls result;
    best_.assign(field_.count(), 0);
    for (std::uint32_t depth = field_.count(); depth-- > 0;) {
      if (budget_.spend()) break;
      least_[depth] = paid_[depth].empty() ? hardCost_ : 0;
      first_ = depth;
      most_ = extended(depth, start);
      floor_ = floorOf(depth);
      if (most_ > floor_) search(depth, 0, 0, 0);
      if (budget_.isSpent()) break;
      doll_[depth] = most_;
      result.bound = most_;
      if (most_ == hardCost_) break;
    }
    result.complete = !budget_.isSpent();
    if (result.complete && result.bound == hardCost_) {
      result.bound = 0;
    } else {
      finish(start, result);
    }
    return result;
  }

 private:
  static constexpr std::uint32_t kNoDepth = ~std::uint32_t{0};

  /// Places that a block makes dearer for another one, [begin, end), by its own place.
  struct Charge {
    std::uint32_t depth = 0;
    std::int64_t cost = 0;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> ranges{};
  };

  struct Undo {
    std::uint32_t depth = 0;
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    std::int64_t cost = 0;
    std::int64_t least = 0;
  };

  void findCharges(std::uint32_t depth) {
    for (const PairField::Edge& edge : field_.edges[order_[depth]]) {
      if (depthOf_[edge.other] <= depth) continue;
      Charge charge{.depth = depthOf_[edge.other], .cost = edge.hard ? hardCost_ : edge.cost};
      const std::vector<std::int64_t>& others = places_[edge.other];
      for (const std::int64_t offset : places_[order_[depth]]) {
        const auto begin = std::upper_bound(others.begin(), others.end(), offset - edge.above);
        const auto end = std::lower_bound(begin, others.end(), offset + edge.below);
        charge.ranges.emplace_back(begin - others.begin(), end - others.begin());
      }
      charges_[depth].push_back(std::move(charge));
    }
  }

  void findTwins() {
    const std::vector<std::uint32_t> twins = twinsOf(field_);
    std::vector<std::uint32_t> root(field_.count());
    std::vector<std::uint32_t> latest(field_.count(), kNoDepth);
    for (std::uint32_t block = 0; block < field_.count(); ++block) {
      root[block] = twins[block] == kNoTwin ? block : root[twins[block]];
    }
    for (std::uint32_t depth = 0; depth < field_.count(); ++depth) {
      std::uint32_t& last = latest[root[order_[depth]]];
      twinDepth_[depth] = last;
      last = depth;
    }
  }

  /// The least cost of the blocks from `depth` on; as good as it has to be to meet `most_`.
  std::int64_t floorOf(std::uint32_t depth) {
    const std::vector<std::uint32_t> blocks(order_.begin() + depth, order_.end());
    std::int64_t floor = std::max(doll_[depth + 1], leastSharingCost(field_, blocks));
    if (depth == 0) floor = std::max(floor, options_.bound);
    if (floor >= most_ || !options_.priced) return floor;
    constexpr std::int64_t kSteps = 3'000;
    PairBudget steps = budget_.part(kSteps);
    floor = std::max(floor, leastCostByCuts(fieldOfBlocks(field_, blocks), steps));
    budget_.settle(steps);
    return floor;
  }

  /// Cost among the blocks from `depth` on, at least hardCost_ if a hard pair is not apart.
  std::int64_t costFrom(std::uint32_t depth, const std::vector<std::int64_t>& offsets) const {
    std::int64_t cost = 0;
    for (std::uint32_t k = depth; k < field_.count(); ++k) {
      for (const PairField::Edge& edge : field_.edges[order_[k]]) {
        if (depthOf_[edge.other] < k) continue;
        if (PairField::isApart(edge, offsets[order_[k]], offsets[edge.other])) continue;
        if (edge.hard) return hardCost_;
        cost += edge.cost;
      }
    }
    return cost;
  }

  /// An upper bound for the blocks from `depth` on, with best_ a plan of that cost where it is less
  /// than hardCost_: the plan of those behind with one block more, or that part of the start.
  std::int64_t extended(std::uint32_t depth, const std::vector<std::int64_t>& start) {
    const std::uint32_t block = order_[depth];
    std::int64_t least = hardCost_;
    std::int64_t leastAt = 0;
    for (const std::int64_t place : places_[block]) {
      best_[block] = place;
      std::int64_t cost = doll_[depth + 1];
      for (const PairField::Edge& edge : field_.edges[block]) {
        if (depthOf_[edge.other] < depth) continue;
        if (PairField::isApart(edge, place, best_[edge.other])) continue;
        cost = edge.hard ? hardCost_ : cost + edge.cost;
        if (cost >= hardCost_) break;
      }
      if (cost >= least) continue;
      least = cost;
      leastAt = place;
    }
    best_[block] = leastAt;
    if (start.empty()) return least;
    const std::int64_t known = costFrom(depth, start);
    if (known >= least) return least;
    for (std::uint32_t k = depth; k < field_.count(); ++k) best_[order_[k]] = start[order_[k]];
    return known;
  }

  /// Charges the open neighbours of a block that was put at its place i; what they pay at least is
  /// added to `open`. False if that is too much.
  bool charge(std::uint32_t depth, std::size_t i, std::int64_t most, std::int64_t& open) {
    std::vector<Undo>& undo = undo_[depth];
    undo.clear();
    for (const Charge& charge : charges_[depth]) {
      const auto [begin, end] = charge.ranges[i];
      if (begin == end) continue;
      std::vector<std::int64_t>& paid = paid_[charge.depth];
      std::int64_t& least = least_[charge.depth];
      undo.push_back({charge.depth, begin, end, charge.cost, least});
      bool wasLeast = false;
      for (std::uint32_t k = begin; k < end; ++k) {
        wasLeast = wasLeast || paid[k] == least;
        paid[k] += charge.cost;
      }
      if (!wasLeast) continue;
      open -= least;
      least = *std::min_element(paid.begin(), paid.end());
      open += least;
      if (open >= most) return false;
    }
    return true;
  }

  void takeBack(std::uint32_t depth) {
    const std::vector<Undo>& undo = undo_[depth];
    for (std::size_t i = undo.size(); i-- > 0;) {
      std::vector<std::int64_t>& paid = paid_[undo[i].depth];
      for (std::uint32_t k = undo[i].begin; k < undo[i].end; ++k) paid[k] -= undo[i].cost;
      least_[undo[i].depth] = undo[i].least;
    }
  }

  /// Places of the next block that may lead to less than `most`, the cheapest first.
  const std::vector<std::uint32_t>& ranked(std::uint32_t depth, std::size_t used,
                                           std::int64_t most) {
    const std::vector<std::int64_t>& places = places_[order_[depth]];
    const std::vector<std::int64_t>& paid = paid_[depth];
    std::size_t end = places.size();
    if (slots_) end = std::min(end, used + 1);
    std::int64_t from = 0;
    std::int64_t last = field_.capacity;
    if (twinDepth_[depth] != kNoDepth && twinDepth_[depth] >= first_) {
      from = at_[order_[twinDepth_[depth]]];
    }
    // Of a plan and its reverse one has the first block in the lower half.
    if (reversible_ && depth == first_) last = (field_.capacity - field_.size[order_[depth]]) / 2;
    std::vector<std::uint32_t>& order = ranked_[depth];
    order.clear();
    for (std::uint32_t i = 0; i < end; ++i) {
      if (paid[i] < most && places[i] >= from && places[i] <= last) order.push_back(i);
    }
    if (order.size() < 2) return order;
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return paid[a] != paid[b] ? paid[a] < paid[b] : a < b;
    });
    return order;
  }

  /// Places the blocks from `depth` on better than `most_`, if that can be: `cost` is paid by those
  /// placed, `open` at least by those that are not, to those placed.
  void search(std::uint32_t depth, std::int64_t cost, std::int64_t open, std::size_t used) {
    if (depth == field_.count()) {
      most_ = cost;
      for (std::uint32_t k = first_; k < depth; ++k) best_[order_[k]] = at_[order_[k]];
      return;
    }
    const std::int64_t behind = doll_[depth + 1];
    const std::int64_t others = open - least_[depth];
    for (const std::uint32_t i : ranked(depth, used, most_ - cost - others - behind)) {
      const std::int64_t now = cost + paid_[depth][i];
      const std::int64_t most = most_ - now - behind;
      if (others >= most) return;
      if (budget_.spend()) return;
      at_[order_[depth]] = places_[order_[depth]][i];
      std::int64_t rest = others;
      if (charge(depth, i, most, rest)) {
        search(depth + 1, now, rest, std::max(used, std::size_t{i} + 1));
      }
      takeBack(depth);
      if (budget_.isSpent() || most_ <= floor_) return;
    }
  }

  void finish(const std::vector<std::int64_t>& start, PairDolls& result) const {
    result.bound = std::max(result.bound, std::min(floor_, most_));
    if (first_ == 0 && most_ < hardCost_) {
      result.offsets = best_;
      result.cost = most_;
      result.feasible = true;
    } else if (!start.empty()) {
      result.offsets = start;
      result.cost = costFrom(0, start);
      result.feasible = true;
    }
  }

  const PairField& field_;
  const PlaceLists& places_;
  PairBudget& budget_;
  DollOptions options_;
  std::vector<std::uint32_t> order_;
  bool slots_;
  bool reversible_;
  std::int64_t hardCost_;  ///< More than all pairs cost together.
  std::vector<std::uint32_t> depthOf_;
  std::vector<std::uint32_t> twinDepth_;         ///< By depth: that of the last of its kind before.
  std::vector<std::vector<Charge>> charges_;     ///< By depth: to those behind.
  std::vector<std::vector<std::int64_t>> paid_;  ///< By depth and place, to those placed.
  std::vector<std::int64_t> least_;              ///< By depth, of paid_.
  std::vector<std::int64_t> at_;
  std::vector<std::int64_t> best_{};
  std::vector<std::int64_t> doll_;  ///< By depth: least cost of the blocks from there on.
  std::vector<std::vector<Undo>> undo_;
  std::vector<std::vector<std::uint32_t>> ranked_;
  std::uint32_t first_ = 0;
  std::int64_t most_ = 0;   ///< Cost to be better than.
  std::int64_t floor_ = 0;  ///< No plan of the blocks from first_ on costs less.
};

}  // namespace

PairDolls leastCostByDolls(const PairField& field, const PlaceLists& places,
                           const std::vector<std::int64_t>& start, const DollOptions& options,
                           PairBudget& budget) {
  return DollSearch(field, places, options, budget).run(start);
}

}  // namespace hw
