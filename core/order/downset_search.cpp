#include "core/order/downset_search.h"

#include <algorithm>
#include <queue>
#include <tuple>

namespace hw {
namespace {

/// The downsets that a search has reached, each once, with the best known way there.
class DownsetStore {
 public:
  using Index = std::uint32_t;
  static constexpr Index kNone = 0xFFFFFFFF;

  struct State {
    Bytes peak{};           ///< Most bytes live on the way.
    Bytes live{};           ///< Behind it.
    Index parent = kNone;   ///< The state before it on the way,
    std::size_t begin = 0;  ///< and what it runs from there: a part of all paths.
    std::size_t end = 0;
    std::uint32_t done = 0;  ///< Ops that have run.
  };

  explicit DownsetStore(std::size_t ops) : words_((ops + 63) / 64), table_(1024, kNone) {}

  /// Enters the downset of `walk`, reached from `parent` by its path with `peak`; nothing where a
  /// way that is as good is known.
  Index enter(const DownsetWalk& walk, Index parent, Bytes peak) {
    if (states_.size() * 2 >= table_.size()) grow();
    const std::size_t slot = slotOf(walk.done().data());
    Index index = table_[slot];
    if (index != kNone && states_[index].peak <= peak) return kNone;
    if (index == kNone) {
      index = table_[slot] = static_cast<Index>(states_.size());
      states_.emplace_back();
      bits_.insert(bits_.end(), walk.done().begin(), walk.done().end());
    }
    const std::size_t begin = paths_.size();
    paths_.insert(paths_.end(), walk.path().begin(), walk.path().end());
    states_[index] = {.peak = peak,
                      .live = walk.live(),
                      .parent = parent,
                      .begin = begin,
                      .end = paths_.size(),
                      .done = static_cast<std::uint32_t>(walk.doneCount())};
    return index;
  }

  const State& operator[](Index index) const { return states_[index]; }
  const std::uint64_t* downset(Index index) const { return bits_.data() + index * words_; }
  std::size_t size() const { return states_.size(); }
  /// The ops on the way from the first state to this one.
  std::vector<std::uint32_t> wayTo(Index index) const {
    std::vector<std::uint32_t> way;
    for (; index != kNone; index = states_[index].parent) {
      const State& state = states_[index];
      for (std::size_t i = state.end; i > state.begin; --i) way.push_back(paths_[i - 1]);
    }
    std::ranges::reverse(way);
    return way;
  }

 private:
  std::size_t slotOf(const std::uint64_t* downset) const {
    // The constants are those of MurmurHash3's finalizer, which mixes bits well.
    std::uint64_t hash = 0;
    for (std::size_t word = 0; word < words_; ++word) {
      hash = (hash ^ downset[word]) * 0xff51afd7ed558ccdULL;
      hash = (hash ^ (hash >> 33)) * 0xc4ceb9fe1a85ec53ULL;
      hash ^= hash >> 33;
    }
    const std::size_t mask = table_.size() - 1;
    std::size_t slot = hash & mask;
    while (table_[slot] != kNone &&
           !std::equal(downset, downset + words_, this->downset(table_[slot]))) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  void grow() {
    table_.assign(table_.size() * 2, kNone);
    for (Index index = 0; index < states_.size(); ++index) table_[slotOf(downset(index))] = index;
  }

  std::size_t words_;
  std::vector<State> states_;
  std::vector<std::uint64_t> bits_;
  std::vector<std::uint32_t> paths_;
  std::vector<Index> table_;  ///< Open addressing by hash; a power of two.
};

/// Parts with more ops have no table of ancestors: it would take more than their search.
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

  /// Expands `from` by every op that can run next and the ops that settle then; `found` gets the
  /// new states, without those that need `ceiling` or more.
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
      // A state may stand there twice, if a better way was found later.
      states.erase(std::unique(states.begin(), states.end()), states.end());
      if (states.size() > width) states.resize(width);
      for (const Index index : states) expand(store, index, best.peak, put);
      states = {};
    }
    for (const Index index : levels.back()) {
      if (store[index].peak < best.peak) keep(store, index, best);
    }
  }

  /// True when the search ended: `best` is optimal then. Otherwise its bound is what is proved.
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

/// The ops of a part that must run before each of its ops, directly or not: a bit each.
class Ancestors {
 public:
  Ancestors(const Precedence& precedence, const std::vector<OpId>& ops)
      : words_((ops.size() + 63) / 64), bits_(ops.size() * words_) {
    constexpr std::uint32_t kOutside = 0xFFFFFFFF;
    IdMap<OpId, std::uint32_t> number(precedence.before.size(), kOutside);
    for (std::size_t op = 0; op < ops.size(); ++op) {
      number[ops[op]] = static_cast<std::uint32_t>(op);
      set(op, op);
      for (const OpId before : precedence.before[ops[op]]) {
        if (number[before] != kOutside) include(op, number[before]);
      }
    }
  }

  /// True when `first` has to run before `op`, and when they are the same op.
  bool precedes(std::size_t first, std::size_t op) const {
    return (bits_[op * words_ + first / 64] >> (first % 64) & 1) != 0;
  }

 private:
  void set(std::size_t op, std::size_t first) {
    bits_[op * words_ + first / 64] |= std::uint64_t{1} << (first % 64);
  }
  void include(std::size_t op, std::size_t before) {
    for (std::size_t word = 0; word < words_; ++word) {
      bits_[op * words_ + word] |= bits_[before * words_ + word];
    }
  }

  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

/// A piece that ops of the part touch.
struct Touched {
  PieceId piece{};
  std::vector<std::size_t> by{};  ///< Ops of the part, ascending.
};

std::vector<Touched> touchedBy(const OrderProblem& problem, const std::vector<OpId>& ops) {
  std::vector<std::pair<PieceId, std::size_t>> pairs;
  for (std::size_t op = 0; op < ops.size(); ++op) {
    for (const PieceId piece : problem.touches[ops[op]]) pairs.emplace_back(piece, op);
  }
  std::ranges::sort(pairs);
  std::vector<Touched> touched;
  for (const auto& [piece, op] : pairs) {
    if (touched.empty() || touched.back().piece != piece) touched.push_back({.piece = piece});
    touched.back().by.push_back(op);
  }
  return touched;
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
      // The part's bound holds for all orders only where it exceeds `floor`, below which it is cut.
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

Bytes unavoidable(const OrderProblem& problem, const Precedence& precedence,
                  const std::vector<OpId>& ops, const LiveWalk& start) {
  const Ancestors ancestors(precedence, ops);
  // Pieces that are live when the part begins, and that it does not touch, are live all the time.
  Bytes through = start.live();
  std::vector<Bytes> live(ops.size());
  for (const Touched& touched : touchedBy(problem, ops)) {
    const OrderProblem::Piece& piece = problem.pieces[touched.piece];
    const std::uint32_t before = start.touched(touched.piece);
    const bool begun = piece.atStart || before > 0;
    const bool goesOn = piece.atEnd || before + touched.by.size() < piece.touches;
    if (begun) through -= piece.size;
    for (std::size_t op = 0; op < ops.size(); ++op) {
      const bool here = begun || std::ranges::any_of(touched.by, [&](std::size_t other) {
                          return ancestors.precedes(other, op);
                        });
      const bool needed = goesOn || std::ranges::any_of(touched.by, [&](std::size_t other) {
                            return ancestors.precedes(op, other);
                          });
      if (here && needed) live[op] += piece.size;
    }
  }
  Bytes most;
  for (std::size_t op = 0; op < ops.size(); ++op) {
    Bytes saved;
    for (const OrderProblem::Chance& chance : problem.chances[ops[op]]) {
      saved = std::max(saved, chance.saved);
    }
    most = std::max(most, through + live[op] - saved);
  }
  return most;
}

}  // namespace hw
