#include "core/order/downset_search.h"

#include <algorithm>
#include <queue>
#include <tuple>

#include "core/order/downset_store.h"

namespace hw {
namespace {

/// Beyond this a part's ancestors would take too long, and more memory than its search.
constexpr std::size_t kMostAncestors = 4096;
/// Widths of the beam searches that give the exact search a peak to beat; the last one is for where
/// the exact search gave up.
constexpr std::size_t kBeams[] = {1, 16};
constexpr std::size_t kLastBeam = 256;

/// Looks for the best order of one part.
class PartSearch {
 public:
  PartSearch(const Precedence& precedence, const std::vector<OpId>& ops, const LiveWalk& start,
             OrderEffort& effort, const std::stop_token& stop)
      : walk_(precedence, ops, start), effort_(effort), stop_(stop) {}

  /// Keeps what is better than `best`, which has a peak above `floor`, by beams and then exactly.
  void improve(Bytes floor, JudgedOrder& best) {
    limit_ = effort_.visits / 2;  // The rest is for the parts that follow.
    for (const std::size_t width : kBeams) {
      if (best.peak > floor) beam(width, floor, best);
    }
    best.bound = floor;
    if (best.peak <= floor || exact(floor, best)) return;
    limit_ /= 2;
    beam(kLastBeam, best.bound, best);
  }

 private:
  using Index = DownsetStore::Index;

  bool exhausted() const { return effort_.visits <= limit_ || stop_.stop_requested(); }

  void account() {
    const std::int64_t visits = walk_.visits();
    effort_.visits -= visits - counted_;
    counted_ = visits;
  }

  Index enterStart(DownsetStore& store, Bytes floor) {
    const Downset none(walk_.done().size());
    walk_.load(none.data());
    walk_.settle(floor);
    return store.enter(walk_, DownsetStore::kNone, floor);
  }

  /// Every op that can run behind `from`, and what settles then; `found` gets the new states. Those
  /// that need `ceiling` or more are left out.
  template <class Found>
  void expand(DownsetStore& store, Index from, Bytes ceiling, const Found& found) {
    const Bytes peak = store[from].peak;
    walk_.load(store.downset(from));
    const Downset able = walk_.able();
    forEachBit(able, [&](std::size_t op) {
      walk_.load(store.downset(from));
      const Bytes next = std::max(peak, walk_.during(op));
      if (next >= ceiling) return;
      walk_.run(op);
      walk_.settle(next);
      const Index index = store.enter(walk_, from, next);
      if (index != DownsetStore::kNone) found(index);
    });
    ++effort_.states;
    account();
  }

  void keep(const DownsetStore& store, Index index, JudgedOrder& best) const {
    best.order.clear();
    for (const std::uint32_t op : store.wayTo(index)) best.order.push_back(walk_.ops()[op]);
    best.peak = store[index].peak;
  }

  /// Level by level, by how many ops have run, the `width` states with the least peak so far.
  void beam(std::size_t width, Bytes floor, JudgedOrder& best) {
    DownsetStore store(walk_.size());
    std::vector<std::vector<Index>> levels(walk_.size() + 1);
    const auto put = [&](Index index) { levels[store[index].done].push_back(index); };
    put(enterStart(store, floor));
    for (std::size_t level = 0; level < walk_.size() && !exhausted(); ++level) {
      auto& states = levels[level];
      std::ranges::sort(states, {}, [&](Index index) {
        return std::tuple(store[index].peak, store[index].live, index);
      });
      // One may have been put there twice: a better way was found later.
      states.erase(std::unique(states.begin(), states.end()), states.end());
      if (states.size() > width) states.resize(width);
      for (const Index index : states) expand(store, index, best.peak, put);
      states = {};
    }
    for (const Index index : levels.back()) {
      if (store[index].peak < best.peak) keep(store, index, best);
    }
  }

  /// True when it came to its end: `best` is the best then. Otherwise its bound is what is proved.
  bool exact(Bytes floor, JudgedOrder& best) {
    DownsetStore store(walk_.size());
    // Among equal peaks the one that has run most.
    using Entry = std::tuple<Bytes, std::size_t, Index>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
    const auto put = [&](Index index) {
      queue.emplace(store[index].peak, walk_.size() - store[index].done, index);
    };
    put(enterStart(store, floor));
    while (!queue.empty()) {
      const auto [peak, missing, index] = queue.top();
      queue.pop();
      if (store[index].peak < peak) continue;  // A better way was found since.
      best.bound = std::max(best.bound, peak);
      if (missing == 0) {
        keep(store, index, best);
        return true;
      }
      if (exhausted()) return false;
      expand(store, index, best.peak, put);
    }
    best.bound = best.peak;
    return true;
  }

  DownsetWalk walk_;
  OrderEffort& effort_;
  const std::stop_token& stop_;
  std::int64_t limit_ = 0;
  std::int64_t counted_ = 0;
};

/// The peak from `walk` on, which goes to the end of `order`.
Bytes peakAlong(LiveWalk& walk, const std::vector<OpId>& order) {
  Bytes peak = walk.live();
  for (const OpId op : order) {
    peak = std::max(peak, walk.during(op));
    walk.run(op);
  }
  return peak;
}

}  // namespace

Bytes peakOf(const OrderProblem& problem, const std::vector<OpId>& order) {
  LiveWalk walk(problem);
  return peakAlong(walk, order);
}

std::vector<std::vector<OpId>> independentParts(const Precedence& precedence,
                                                const std::vector<OpId>& order) {
  const std::size_t count = order.size();
  IdMap<OpId, std::size_t> at(precedence.before.size());
  for (std::size_t i = 0; i < count; ++i) at[order[i]] = i;
  // Ends of what has run by then, beginnings of what has not: an op that is the only one of both
  // has all others before or behind it.
  std::vector<int> ends(count + 1);
  std::vector<int> beginnings(count + 1);
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t next = count;
    std::size_t last = 0;
    for (const OpId op : precedence.after[order[i]]) next = std::min(next, at[op]);
    for (const OpId op : precedence.before[order[i]]) last = std::max(last, at[op] + 1);
    ++ends[i];  // An end at i, and at all that follow until the first that needs it runs.
    --ends[next];
    ++beginnings[last];  // A beginning for all from behind the last it needs, up to itself.
    --beginnings[i + 1];
  }
  std::vector<std::vector<OpId>> parts(1);
  int openEnds = 0;
  int openBeginnings = 0;
  for (std::size_t i = 0; i < count; ++i) {
    openEnds += ends[i];
    openBeginnings += beginnings[i];
    parts.back().push_back(order[i]);
    if (openEnds == 1 && openBeginnings == 1 && i + 1 < count) parts.emplace_back();
  }
  return parts;
}

JudgedOrder searchOrder(const OrderProblem& problem, const Precedence& precedence,
                        const std::vector<OpId>& given, OrderEffort& effort,
                        const std::stop_token& stop) {
  const auto parts = independentParts(precedence, given);
  JudgedOrder found;
  LiveWalk walk(problem);
  for (const auto& part : parts) {
    if (part.size() <= kMostAncestors) {
      found.bound = std::max(found.bound, unavoidable(problem, precedence, part, walk));
    }
    for (const OpId op : part) {
      if (part.size() > kMostAncestors) found.bound = std::max(found.bound, walk.live());
      walk.run(op);
    }
  }
  walk = LiveWalk(problem);
  Bytes floor = found.bound;  // No part need be better than that, or than the worst so far.
  for (const auto& part : parts) {
    LiveWalk ahead = walk;
    JudgedOrder best{.order = part, .peak = peakAlong(ahead, part)};
    if (best.peak > floor) {
      PartSearch(precedence, part, walk, effort, stop).improve(floor, best);
      // That no order needs less than `floor` is proved only where that is a bound itself.
      if (best.bound > floor) found.bound = std::max(found.bound, best.bound);
    }
    floor = std::max(floor, best.peak);
    found.peak = std::max(found.peak, best.peak);
    found.order.insert(found.order.end(), best.order.begin(), best.order.end());
    walk = std::move(ahead);
  }
  found.bound = std::min(found.bound, found.peak);
  return found;
}

}  // namespace hw
