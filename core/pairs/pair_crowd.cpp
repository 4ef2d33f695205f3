#include "core/pairs/pair_crowd.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>

namespace hw {

namespace {

constexpr std::size_t kMostSearched = 16'384;
constexpr std::int64_t kMostWeight = std::int64_t{1} << 62;

using VertexBits = std::vector<std::uint64_t>;

class CrowdSearch {
 public:
  CrowdSearch(const std::vector<std::vector<std::uint32_t>>& neighbours,
              const std::vector<std::int64_t>& weights, PairBudget& budget, PairCrowd& best)
      : budget_(budget), best_(best), order_(weights.size()), words_((weights.size() + 63) / 64) {
    std::iota(order_.begin(), order_.end(), 0);
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return weights[a] > weights[b]; });
    std::vector<std::uint32_t> rank(weights.size());
    for (std::uint32_t i = 0; i < order_.size(); ++i) rank[order_[i]] = i;
    linked_.assign(order_.size(), VertexBits(words_, 0));
    for (std::uint32_t i = 0; i < order_.size(); ++i) {
      weights_.push_back(weights[order_[i]]);
      for (const std::uint32_t other : neighbours[order_[i]]) {
        linked_[i][rank[other] / 64] |= std::uint64_t{1} << (rank[other] % 64);
      }
    }
  }

  /// Each crowd has a first vertex in an order of elimination, that of the least weight around it:
  /// its other members are among the neighbours left then. Where lifetimes make the graph those are
  /// a crowd themselves, or nearly so.
  void run() {
    VertexBits left(words_, 0);
    for (std::size_t i = 0; i < order_.size(); ++i) left[i / 64] |= std::uint64_t{1} << (i % 64);
    std::vector<double> around(order_.size(), 0);
    for (std::uint32_t i = 0; i < order_.size(); ++i) {
      forEach(linked_[i], [&](std::uint32_t other) { around[i] += asDouble(other); });
    }
    for (std::size_t step = 0; step < order_.size() && !budget_.isSpent(); ++step) {
      std::optional<std::uint32_t> next;
      forEach(left, [&](std::uint32_t i) {
        if (!next || around[i] < around[*next]) next = i;
      });
      left[*next / 64] &= ~(std::uint64_t{1} << (*next % 64));
      searchAround(*next, left);
      forEach(linked_[*next], [&](std::uint32_t other) { around[other] -= asDouble(*next); });
    }
    std::sort(best_.members.begin(), best_.members.end());
    best_.proved = !budget_.isSpent();
  }

 private:
  struct Coloured {
    std::uint32_t vertex = 0;
    std::int64_t bound = 0;  ///< For crowds of this vertex and those in front of it.
  };

  template <class Use>
  static void forEach(const VertexBits& bits, const Use& use) {
    for (std::size_t word = 0; word < bits.size(); ++word) {
      for (std::uint64_t rest = bits[word]; rest != 0; rest &= rest - 1) {
        use(static_cast<std::uint32_t>(word * 64) +
            static_cast<std::uint32_t>(std::countr_zero(rest)));
      }
    }
  }

  double asDouble(std::uint32_t vertex) const { return static_cast<double>(weights_[vertex]); }

  /// Crowds of a vertex and neighbours that are left.
  void searchAround(std::uint32_t vertex, const VertexBits& left) {
    VertexBits open(words_);
    for (std::size_t word = 0; word < words_; ++word) {
      open[word] = left[word] & linked_[vertex][word];
    }
    std::int64_t all = weights_[vertex];
    forEach(open, [&](std::uint32_t other) { all = joinedWeight(all, weights_[other]); });
    if (all <= best_.weight) return;
    chosen_.assign(1, vertex);
    extend(open, weights_[vertex]);
    chosen_.clear();
  }

  /// Vertices of which no two are neighbours, from those left, as many as fit greedily.
  void pickStrangers(VertexBits open, std::vector<std::uint32_t>& strangers) const {
    strangers.clear();
    for (std::size_t word = 0; word < words_; ++word) {
      while (open[word] != 0) {
        const auto bit = static_cast<std::uint32_t>(std::countr_zero(open[word]));
        const auto vertex = static_cast<std::uint32_t>(word * 64) + bit;
        strangers.push_back(vertex);
        open[word] &= ~(std::uint64_t{1} << bit);
        for (std::size_t k = word; k < words_; ++k) open[k] &= ~linked_[vertex][k];
      }
    }
  }

  /// Takes the least weight off sets of strangers until none is left: what was taken bounds every
  /// crowd of those whose weight is used up.
  std::vector<Coloured> coloured(VertexBits left) {
    std::vector<Coloured> list;
    rest_ = weights_;
    std::int64_t taken = 0;
    while (true) {
      pickStrangers(left, strangers_);
      if (strangers_.empty()) return list;
      std::int64_t least = rest_[strangers_[0]];
      for (const std::uint32_t vertex : strangers_) least = std::min(least, rest_[vertex]);
      taken = joinedWeight(taken, least);
      for (const std::uint32_t vertex : strangers_) {
        rest_[vertex] -= least;
        if (rest_[vertex] > 0) continue;
        list.push_back({vertex, taken});
        left[vertex / 64] &= ~(std::uint64_t{1} << (vertex % 64));
      }
    }
  }

  void extend(VertexBits& open, std::int64_t weight) {
    if (budget_.spend()) return;
    const std::vector<Coloured> list = coloured(open);
    if (list.empty() && weight > best_.weight) {
      best_.weight = weight;
      best_.members.clear();
      for (const std::uint32_t vertex : chosen_) best_.members.push_back(order_[vertex]);
    }
    for (std::size_t i = list.size(); i-- > 0;) {
      const auto& [vertex, bound] = list[i];
      if (joinedWeight(weight, bound) <= best_.weight) return;
      VertexBits next(words_);
      for (std::size_t word = 0; word < words_; ++word) {
        next[word] = open[word] & linked_[vertex][word];
      }
      chosen_.push_back(vertex);
      extend(next, joinedWeight(weight, weights_[vertex]));
      chosen_.pop_back();
      if (budget_.isSpent()) return;
      open[vertex / 64] &= ~(std::uint64_t{1} << (vertex % 64));
    }
  }

  PairBudget& budget_;
  PairCrowd& best_;
  std::vector<std::uint32_t> order_;  ///< The heaviest first.
  std::size_t words_;
  std::vector<VertexBits> linked_{};
  std::vector<std::int64_t> weights_{};
  std::vector<std::uint32_t> chosen_{};
  std::vector<std::int64_t> rest_{};  ///< Weights that no set took yet.
  std::vector<std::uint32_t> strangers_{};
};

/// A crowd around a vertex to which no vertex can be added; of those that fit the heaviest first.
PairCrowd grownAround(const std::vector<std::vector<std::uint32_t>>& neighbours,
                      const std::vector<std::int64_t>& weights, std::uint32_t vertex) {
  PairCrowd crowd{.members = {vertex}, .weight = weights[vertex]};
  std::vector<std::uint32_t> open = neighbours[vertex];
  std::stable_sort(open.begin(), open.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return weights[a] > weights[b]; });
  while (!open.empty()) {
    const std::uint32_t next = open.front();
    crowd.members.push_back(next);
    crowd.weight = joinedWeight(crowd.weight, weights[next]);
    const std::vector<std::uint32_t>& near = neighbours[next];
    std::erase_if(open, [&](std::uint32_t other) {
      return !std::binary_search(near.begin(), near.end(), other);
    });
  }
  std::sort(crowd.members.begin(), crowd.members.end());
  return crowd;
}

}  // namespace

std::int64_t joinedWeight(std::int64_t a, std::int64_t b) {
  return a > kMostWeight - b ? kMostWeight : a + b;
}

PairCrowd heaviestCrowd(const std::vector<std::vector<std::uint32_t>>& neighbours,
                        const std::vector<std::int64_t>& weights, PairBudget& budget) {
  PairCrowd best;
  std::vector<char> covered(weights.size(), 0);
  for (std::uint32_t vertex = 0; vertex < weights.size(); ++vertex) {
    if (covered[vertex]) continue;
    PairCrowd crowd = grownAround(neighbours, weights, vertex);
    for (const std::uint32_t member : crowd.members) covered[member] = 1;
    const bool spent =
        std::ranges::any_of(crowd.members, [&](std::uint32_t) { return budget.spend(); });
    if (crowd.weight > best.weight) best = std::move(crowd);
    if (spent) return best;
  }
  if (weights.size() <= kMostSearched) CrowdSearch(neighbours, weights, budget, best).run();
  return best;
}

}  // namespace hw
