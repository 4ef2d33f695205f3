#include "core/pairs/pair_crowd.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace hw {

namespace {

constexpr std::size_t kMostSearched = 16'384;
constexpr std::int64_t kMostWeight = std::int64_t{1} << 62;

std::int64_t joined(std::int64_t a, std::int64_t b) {
  return a > kMostWeight - b ? kMostWeight : a + b;
}

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

  void run() {
    VertexBits all(words_, 0);
    for (std::size_t i = 0; i < order_.size(); ++i) all[i / 64] |= std::uint64_t{1} << (i % 64);
    extend(all, 0);
    std::sort(best_.members.begin(), best_.members.end());
    best_.proved = !budget_.isSpent();
  }

 private:
  struct Coloured {
    std::uint32_t vertex = 0;
    std::int64_t bound = 0;  ///< For crowds of this vertex and those in front of it.
  };

  std::vector<Coloured> coloured(VertexBits left) const {
    std::vector<Coloured> list;
    std::int64_t before = 0;
    std::size_t first = 0;
    while (true) {
      while (first < words_ && left[first] == 0) ++first;
      if (first == words_) return list;
      VertexBits open = left;
      std::int64_t heaviest = 0;
      for (std::size_t word = first; word < words_; ++word) {
        while (open[word] != 0) {
          const auto bit = static_cast<std::uint32_t>(std::countr_zero(open[word]));
          const auto vertex = static_cast<std::uint32_t>(word * 64) + bit;
          if (heaviest == 0) heaviest = weights_[vertex];
          list.push_back({vertex, joined(before, heaviest)});
          left[word] &= ~(std::uint64_t{1} << bit);
          open[word] &= ~(std::uint64_t{1} << bit);
          for (std::size_t k = word; k < words_; ++k) open[k] &= ~linked_[vertex][k];
        }
      }
      before = joined(before, heaviest);
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
      if (joined(weight, bound) <= best_.weight) return;
      VertexBits next(words_);
      for (std::size_t word = 0; word < words_; ++word) {
        next[word] = open[word] & linked_[vertex][word];
      }
      chosen_.push_back(vertex);
      extend(next, joined(weight, weights_[vertex]));
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
};

}  // namespace

PairCrowd crowdAround(const std::vector<std::vector<std::uint32_t>>& neighbours,
                      const std::vector<std::int64_t>& weights, std::uint32_t vertex) {
  PairCrowd crowd{.members = {vertex}, .weight = weights[vertex]};
  std::vector<std::uint32_t> open = neighbours[vertex];
  while (!open.empty()) {
    const std::uint32_t next = *std::max_element(
        open.begin(), open.end(),
        [&](std::uint32_t a, std::uint32_t b) { return weights[a] < weights[b]; });
    crowd.members.push_back(next);
    crowd.weight = joined(crowd.weight, weights[next]);
    const std::vector<std::uint32_t>& near = neighbours[next];
    std::erase_if(open, [&](std::uint32_t other) {
      return !std::binary_search(near.begin(), near.end(), other);
    });
  }
  std::sort(crowd.members.begin(), crowd.members.end());
  return crowd;
}

PairCrowd heaviestCrowd(const std::vector<std::vector<std::uint32_t>>& neighbours,
                        const std::vector<std::int64_t>& weights, PairBudget& budget) {
  PairCrowd best;
  for (std::uint32_t vertex = 0; vertex < weights.size(); ++vertex) {
    PairCrowd crowd = crowdAround(neighbours, weights, vertex);
    if (crowd.weight > best.weight) best = std::move(crowd);
    if (budget.spend()) return best;
  }
  if (weights.size() <= kMostSearched) CrowdSearch(neighbours, weights, budget, best).run();
  return best;
}

}  // namespace hw
