#include "core/solver/exact/portfolio.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include "core/solver/exact/static_orders.h"

namespace hw::exact {
namespace {

/// Nodes between two looks at the clock; fewer where a node is dear.
std::int64_t sliceOf(const Boxes& boxes) {
  const auto size = static_cast<std::int64_t>(boxes.boxes.size());
  return std::clamp<std::int64_t>(200'000 / (size + 1), 8, 1'000);
}

constexpr std::int64_t kFirstTurn = 256;

}  // namespace

Portfolio::Portfolio(const Boxes& boxes, Bytes capacity) : boxes_(boxes) {
  for (const StaticOrder& order : staticOrders(boxes)) {
    entries_.push_back({.name = order.name, .search = makeSearch(boxes, order.boxes, capacity)});
  }
  turn_ = kFirstTurn + static_cast<std::int64_t>(boxes.boxes.size());
}

std::string_view Portfolio::winner() const { return entries_[winner_].name; }

SearchOutcome Portfolio::run(std::int64_t nodes, const Limits& limits) {
  const std::int64_t until = nodes_ + nodes;
  while (nodes_ < until && !limits.over()) {
    std::int64_t open = 0;
    for (const Entry& entry : entries_) open += entry.outcome == SearchOutcome::paused ? 1 : 0;
    if (open == 0) return SearchOutcome::abandoned;
    const std::int64_t share = std::max<std::int64_t>((until - nodes_) / open, 1);
    winner_ = round(std::min(turn_, share), limits);
    if (winner_ < entries_.size()) {
      if (entries_[winner_].outcome == SearchOutcome::found) {
        offsets_ = entries_[winner_].search->offsets();
      }
      return entries_[winner_].outcome;
    }
    turn_ += turn_ / 2;
  }
  return SearchOutcome::paused;
}

std::size_t Portfolio::round(std::int64_t nodes, const Limits& limits) {
  std::vector<std::int64_t> before;
  for (const Entry& entry : entries_) before.push_back(entry.search->nodes());
  std::atomic<std::size_t> next = 0;
  std::atomic<std::size_t> ended = entries_.size();
  const auto work = [&] {
    for (std::size_t i = next++; i < entries_.size(); i = next++) {
      if (entries_[i].outcome != SearchOutcome::paused) continue;
      turn(i, nodes, limits, ended);
      const bool decided = entries_[i].outcome == SearchOutcome::found ||
                           entries_[i].outcome == SearchOutcome::exhausted;
      std::size_t least = ended;
      while (decided && i < least && !ended.compare_exchange_weak(least, i)) {
      }
    }
  };
  std::vector<std::jthread> helpers;
  const auto threads = std::min(static_cast<std::size_t>(limits.threads), entries_.size());
  for (std::size_t i = 1; i < threads; ++i) helpers.emplace_back(work);
  work();
  helpers.clear();
  // What later searches did meanwhile depends on the clock; it does not count.
  const std::size_t winner = ended;
  for (std::size_t i = 0; i < std::min(winner + 1, entries_.size()); ++i) {
    nodes_ += entries_[i].search->nodes() - before[i];
  }
  return winner;
}

void Portfolio::turn(std::size_t index, std::int64_t nodes, const Limits& limits,
                     const std::atomic<std::size_t>& ended) {
  Entry& entry = entries_[index];
  const std::int64_t slice = sliceOf(boxes_);
  const std::int64_t until = entry.search->nodes() + nodes;
  while (entry.outcome == SearchOutcome::paused && entry.search->nodes() < until) {
    if (ended < index || limits.over()) return;
    entry.outcome = entry.search->run(std::min(slice, until - entry.search->nodes()));
  }
}

}  // namespace hw::exact
