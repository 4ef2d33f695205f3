#include "core/solver/sweep/group_finder.h"

#include <algorithm>
#include <utility>

namespace hw::sweep {
namespace {

/// Sets of what ends, at most, that are looked at for one choice, and steps in looking for what
/// could replace one of them.
constexpr int kMostSets = 400;
constexpr int kMostSteps = 300;
/// Of a choice, and for one set of what ends.
constexpr std::size_t kMostGroups = 48;
constexpr int kMostOfOneSet = 12;
/// Costs of one more that ends or begins, and what chance adds.
constexpr std::int64_t kEndCost = 50;
constexpr std::int64_t kBeginCost = 70;
constexpr std::int64_t kMostChance = 150;

}  // namespace

std::vector<Group> GroupFinder::find(const Choice& choice) {
  tree_ = &choice.tree;
  const Leaf highest =
      *std::ranges::max_element(choice.ends, {}, [&](Leaf leaf) { return height(leaf); });
  for (const Leaf leaf : choice.ends) {
    if (leaf != highest) others_.push_back(leaf);
  }
  all_ = choice.begins;
  dice_.shuffle(all_);
  sums_.assign(all_.size() + 1, {});
  sums_.back()[0] = true;
  for (std::size_t i = all_.size(); i-- > 0;) {
    sums_[i] = sums_[i + 1] | sums_[i + 1] << height(all_[i]);
  }
  ends_ = {highest};
  sum_ = height(highest);
  for (std::size_t more = 0; more <= others_.size() && groups_.size() < kMostGroups; ++more) {
    extend(0, more);
  }
  // All that ends and begins is always a group.
  if (sets_ > kMostSets && tree_->canMeet(choice.ends, marks_)) {
    ends_ = choice.ends;
    begins_ = choice.begins;
    keep();
  }
  std::ranges::stable_sort(groups_, {}, &Group::cost);
  return std::move(groups_);
}

void GroupFinder::extend(std::size_t from, std::size_t left) {
  if (left == 0) {
    if (++sets_ <= kMostSets) addGroups();
    return;
  }
  for (std::size_t i = from; i + left <= others_.size() && sets_ <= kMostSets; ++i) {
    ends_.push_back(others_[i]);
    sum_ += height(others_[i]);
    extend(i + 1, left - 1);
    sum_ -= height(others_[i]);
    ends_.pop_back();
  }
}

void GroupFinder::addGroups() {
  if (!sums_.front()[sum_] || !tree_->canMeet(ends_, marks_)) return;
  steps_ = 0;
  found_ = 0;
  begins_.clear();
  seen_.clear();
  chooseBegins(0, sum_);
}

/// Chooses from those that begin, from number `from` on, as many as are `sum` high.
void GroupFinder::chooseBegins(std::size_t from, std::size_t sum) {
  if (found_ >= kMostOfOneSet || ++steps_ > kMostSteps) return;
  if (sum == 0) return keep();
  if (!sums_[from][sum]) return;
  const std::size_t own = height(all_[from]);
  const auto take = [&] {
    if (own > sum || !sums_[from + 1][sum - own]) return;
    begins_.push_back(all_[from]);
    chooseBegins(from + 1, sum - own);
    begins_.pop_back();
  };
  const bool first = dice_.chance(50);
  if (first) take();
  chooseBegins(from + 1, sum);
  if (!first) take();
}

/// Keeps the group at hand, unless there is one of equals: of the same lives and heights.
void GroupFinder::keep() {
  std::vector<std::uint64_t> kinds;
  for (const Leaf leaf : begins_) {
    kinds.push_back(std::uint64_t{pieces_[leaf].end} << 32U | height(leaf));
  }
  std::ranges::sort(kinds);
  if (std::ranges::find(seen_, kinds) != seen_.end()) return;
  seen_.push_back(std::move(kinds));
  ++found_;
  const auto more = [](const std::vector<Leaf>& members) {
    return static_cast<std::int64_t>(members.size()) - 1;
  };
  groups_.push_back(
      {ends_, begins_,
       kEndCost * more(ends_) + kBeginCost * more(begins_) + dice_.roll(0, kMostChance)});
}

}  // namespace hw::sweep
