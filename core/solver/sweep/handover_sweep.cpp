#include "core/solver/sweep/handover_sweep.h"

#include <algorithm>
#include <bit>
#include <numeric>
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

/// The most pieces that end at a moment for all sets of them to be looked at beforehand.
constexpr std::size_t kMostMatched = 12;
/// Sets that are tried for one piece, before it counts as good.
constexpr int kMostTried = 20;
/// Of one choice: nodes of the skyline search that take as long.
constexpr std::int64_t kChoiceWork = 8;

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

HandoverSweep::HandoverSweep(std::vector<Piece> pieces, std::uint32_t moments, Dice& dice)
    : pieces_(std::move(pieces)),
      moments_(moments),
      dice_(dice),
      begins_(moments + 1),
      ends_(moments + 1),
      matches_(moments + 1),
      bit_(pieces_.size()),
      needsOthers_(pieces_.size()),
      marks_(pieces_.size()),
      live_(pieces_.size()) {
  for (Leaf i = 0; i < pieces_.size(); ++i) {
    begins_[pieces_[i].begin].push_back(i);
    ends_[pieces_[i].end].push_back(i);
  }
  for (std::uint32_t moment = 1; moment < moments_; ++moment) findMatches(moment);
}

void HandoverSweep::findMatches(std::uint32_t moment) {
  const std::vector<Leaf>& ends = ends_[moment];
  for (std::size_t i = 0; i < ends.size(); ++i) bit_[ends[i]] = static_cast<std::uint32_t>(i);
  if (ends.empty() || ends.size() > kMostMatched) return;
  Sums sums;
  sums[0] = true;
  for (const Leaf leaf : begins_[moment]) sums |= sums << height(leaf);
  std::vector<std::uint32_t>& sets = matches_[moment];
  for (std::uint32_t set = 1; set < std::uint32_t{1} << ends.size(); ++set) {
    std::size_t sum = 0;
    for (std::uint32_t rest = set; rest != 0; rest &= rest - 1) {
      sum += height(ends[static_cast<std::size_t>(std::countr_zero(rest))]);
    }
    if (sums[sum]) sets.push_back(set);
  }
  std::ranges::stable_sort(sets, {}, [](std::uint32_t set) { return std::popcount(set); });
  for (const Leaf leaf : ends) needsOthers_[leaf] = !sums[height(leaf)];
}

std::optional<std::vector<std::int64_t>> HandoverSweep::run(const SweepLimits& limits) {
  choices_.clear();
  whole_ = false;
  open(1, PqTree(begins_[0]));
  for (std::int64_t dead = 0; !whole_;) {
    if (tryNext()) continue;
    if (++dead >= limits.dead || limits.stopped() || !goBack()) return std::nullopt;
  }
  return offsets();
}

void HandoverSweep::open(std::uint32_t moment, PqTree tree) {
  while (moment < moments_ && ends_[moment].empty()) ++moment;
  whole_ = moment >= moments_;
  Choice choice{.moment = moment, .tree = std::move(tree), .ends = {}, .begins = {}, .groups = {}};
  if (!whole_) {
    choice.ends = ends_[moment];
    choice.begins = begins_[moment];
  }
  add(std::move(choice));
}

void HandoverSweep::add(Choice choice) {
  if (!whole_) choice.groups = GroupFinder(pieces_, marks_, dice_).find(choice);
  work_ += kChoiceWork;
  choices_.push_back(std::move(choice));
}

/// The next group of the last choice is carried out. False when there is none left.
bool HandoverSweep::tryNext() {
  Choice& choice = choices_.back();
  while (choice.next < choice.groups.size()) {
    const Group& group = choice.groups[choice.next++];
    PqTree tree = choice.tree;
    ++work_;
    if (!tree.replace(group.ends, group.begins, marks_) || !isHopeful(tree)) continue;
    const auto isIn = [](const std::vector<Leaf>& some) {
      return [&some](Leaf leaf) { return std::ranges::find(some, leaf) != some.end(); };
    };
    std::vector<Leaf> ends = choice.ends;
    std::erase_if(ends, isIn(group.ends));
    if (ends.empty()) {
      open(choice.moment + 1, std::move(tree));
      return true;
    }
    std::vector<Leaf> begins = choice.begins;
    std::erase_if(begins, isIn(group.begins));
    add({.moment = choice.moment,
         .tree = std::move(tree),
         .ends = std::move(ends),
         .begins = std::move(begins),
         .groups = {}});
    return true;
  }
  return false;
}

bool HandoverSweep::goBack() {
  const std::uint32_t dead = choices_.back().moment;
  const auto isOpen = [](const Choice& choice) { return choice.next < choice.groups.size(); };
  const auto isToBlame = [&](const Choice& choice) {
    const auto endsThere = [&](Leaf leaf) { return pieces_[leaf].end == dead; };
    return choice.moment == dead || std::ranges::any_of(choice.chosen().begins, endsThere);
  };
  choices_.pop_back();
  auto last = std::find_if(choices_.rbegin(), choices_.rend(), [&](const Choice& choice) {
    return isOpen(choice) && isToBlame(choice);
  });
  if (last == choices_.rend()) last = std::find_if(choices_.rbegin(), choices_.rend(), isOpen);
  choices_.erase(last.base(), choices_.end());
  return !choices_.empty();
}

bool HandoverSweep::isHopeful(const PqTree& tree) {
  const std::vector<Leaf> leaves = tree.leaves();
  for (const Leaf leaf : leaves) live_[leaf] = true;
  const bool hopeful = std::ranges::all_of(leaves, [&](Leaf leaf) { return canEnd(tree, leaf); });
  for (const Leaf leaf : leaves) live_[leaf] = false;
  return hopeful;
}

bool HandoverSweep::canEnd(const PqTree& tree, Leaf leaf) {
  if (!needsOthers_[leaf]) return true;
  const std::vector<Leaf>& ends = ends_[pieces_[leaf].end];
  std::vector<Leaf> together;
  int tried = 0;
  for (const std::uint32_t set : matches_[pieces_[leaf].end]) {
    if ((set >> bit_[leaf] & 1U) == 0) continue;
    together.clear();
    for (std::size_t i = 0; i < ends.size(); ++i) {
      if ((set >> i & 1U) != 0 && live_[ends[i]]) together.push_back(ends[i]);
    }
    if (together.size() < 2 || ++tried > kMostTried) return true;
    ++work_;
    if (tree.canMeet(together, marks_)) return true;
  }
  return false;
}

/// From the last order back: what ended in a group lies, in some order, where lay what began in it.
std::vector<std::int64_t> HandoverSweep::offsets() const {
  std::vector<std::int64_t> offsets(pieces_.size(), 0);
  std::vector<std::uint32_t> rank(pieces_.size(), 0);
  std::vector<Leaf> order = choices_.back().tree.ordered(rank);
  assign(order, offsets);
  for (std::size_t i = choices_.size() - 1; i-- > 0;) {
    const Choice& choice = choices_[i];
    const Group& group = choice.chosen();
    for (std::uint32_t at = 0; at < order.size(); ++at) rank[order[at]] = at;
    // Those that began are together, so the rank of any of them will do.
    for (const Leaf leaf : group.ends) rank[leaf] = rank[group.begins.front()];
    order = choice.tree.ordered(rank);
    assign(order, offsets);
  }
  return offsets;
}

void HandoverSweep::assign(const std::vector<Leaf>& order,
                           std::vector<std::int64_t>& offsets) const {
  std::int64_t top = 0;
  for (const Leaf leaf : order) {
    offsets[leaf] = top;
    top += pieces_[leaf].height;
  }
}

}  // namespace hw::sweep
