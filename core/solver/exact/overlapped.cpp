#include "core/solver/exact/overlapped.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "core/plan/metrics.h"
#include "core/plan/overlap_use.h"
#include "core/plan/problem.h"
#include "core/solver/neighbours.h"
#include "core/solver/order_search.h"
#include "core/solver/orders.h"

namespace hw {
namespace {

/// True if the stays of one pool, some of which may overlap the stay that they are made of, fit
/// into a capacity: a search with proof.
///
/// Pushed down as far as it goes, a plan has every stay at 0 or as near above another as it may be,
/// so placing stays by ascending offset, each as low as those below it let it, finds a plan if
/// there is one. Three things keep the tree small: what is small enough to find a place wherever
/// its neighbours lie is left for last; what is left falls into parts that have no step in common;
/// and what could be dropped beneath another without being in its way comes first.
class OverlapTree {
 public:
  enum class Answer : std::uint8_t { fits, cannot, open };

  /// Keeps a reference to `problem`, which has no pins in `pool`.
  OverlapTree(const Problem& problem, PoolId pool);

  /// Looks at `nodes` placements at most, and now and then whether it is `stopped`.
  Answer ask(Bytes capacity, std::int64_t nodes, const std::function<bool()>& stopped);
  /// Placements looked at by all questions.
  std::int64_t nodes() const { return looked_; }
  /// After `fits`: by stay.
  const IdMap<StayId, Bytes>& offsets() const { return offsets_; }

 private:
  /// Another that is live together with one, and how far from it that one begins.
  struct Link {
    std::uint32_t other = 0;
    Apart apart{};
  };
  struct Item {
    StayId stay{};
    Bytes size{};
    Bytes alignment{};
    std::vector<Link> links{};
  };
  /// The boxes live at one step, and the bytes that overlaps can save there.
  struct Section {
    std::vector<std::uint32_t> items{};
    Bytes saved{};
  };
  enum class State : std::uint8_t { out, waiting, placed };

  void linkItems();
  void findSections();
  std::vector<std::uint32_t> leaveOut(Bytes capacity);
  std::vector<std::vector<std::uint32_t>> parts() const;
  bool search(const std::vector<std::uint32_t>& part, std::size_t placed, Bytes front,
              std::uint32_t last);
  bool place(std::uint32_t item, std::vector<std::pair<std::uint32_t, Bytes>>& before);
  bool sectionsFit(std::uint32_t item) const;
  static constexpr std::int64_t kItemsANode = 64;
  static constexpr std::int64_t kNodesBetweenAsks = 1024;

  bool isStopped();
  bool linked(std::uint32_t a, std::uint32_t b) const;
  void dropIn(std::uint32_t item);

  const Problem& problem_;
  std::vector<Item> items_;
  std::vector<Section> sections_;
  std::vector<std::vector<std::uint32_t>> sectionsOf_;
  std::vector<State> states_;
  std::vector<Bytes> low_;  ///< Where an item is, or the lowest that it may be.
  Bytes capacity_;
  std::int64_t looked_ = 0;
  std::int64_t until_ = 0;
  std::int64_t nextAsk_ = 0;
  bool open_ = false;
  const std::function<bool()>* stopped_ = nullptr;
  IdMap<StayId, Bytes> offsets_;
};

OverlapTree::OverlapTree(const Problem& problem, PoolId pool)
    : problem_(problem), offsets_(problem.stays.size()) {
  for (const StayId id : problem.stays.keys()) {
    if (problem.poolOf(id) != pool) continue;
    const Stay& stay = problem.stays[id];
    items_.push_back({.stay = id, .size = stay.size, .alignment = stay.alignment});
  }
  linkItems();
  findSections();
}

void OverlapTree::linkItems() {
  IdMap<StayId, std::uint32_t> itemOf(problem_.stays.size());
  for (std::uint32_t i = 0; i < items_.size(); ++i) itemOf[items_[i].stay] = i;
  const PoolId pool = items_.empty() ? PoolId(0) : problem_.poolOf(items_.front().stay);
  Neighbours neighbours(problem_, pool);
  std::vector<StayId> together;
  for (std::uint32_t i = 0; i < items_.size(); ++i) {
    const StayId own = items_[i].stay;
    neighbours.query(own, together);
    for (const StayId other : together) {
      const std::uint32_t at = itemOf[other];
      Apart apart{.below = items_[i].size, .above = items_[at].size};
      if (const Overlap* overlap = problem_.overlapOf(own); overlap && overlap->under == other) {
        apart = problem_.apart(*overlap);
      }
      if (const Overlap* overlap = problem_.overlapOf(other); overlap && overlap->under == own) {
        const Apart turned = problem_.apart(*overlap);
        apart = {turned.above, turned.below};
      }
      items_[i].links.push_back({at, apart});
      items_[at].links.push_back({i, {apart.above, apart.below}});
    }
    neighbours.insert(own);
  }
}

/// One for every step at which something begins: no other step has more live.
void OverlapTree::findSections() {
  std::vector<Step> steps;
  for (const Item& item : items_) {
    for (const Interval<Step>& live : problem_.liveSteps(item.stay)) steps.push_back(live.begin);
  }
  std::ranges::sort(steps);
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  sections_.resize(steps.size());
  sectionsOf_.resize(items_.size());
  for (std::uint32_t i = 0; i < items_.size(); ++i) {
    for (const Interval<Step>& live : problem_.liveSteps(items_[i].stay)) {
      const auto first = std::ranges::lower_bound(steps, live.begin) - steps.begin();
      const auto last = std::ranges::lower_bound(steps, live.end) - steps.begin();
      for (auto at = first; at < last; ++at) {
        sections_[static_cast<std::size_t>(at)].items.push_back(i);
        sectionsOf_[i].push_back(static_cast<std::uint32_t>(at));
      }
    }
    const Overlap* overlap = problem_.overlapOf(items_[i].stay);
    if (!overlap) continue;
    const Interval<Step> shared = problem_.shared(*overlap);
    const auto first = std::ranges::lower_bound(steps, shared.begin) - steps.begin();
    for (auto at = first; at < std::ssize(steps); ++at) {
      if (steps[static_cast<std::size_t>(at)] >= shared.end) break;
      sections_[static_cast<std::size_t>(at)].saved += mostShared(problem_, *overlap);
    }
  }
}

OverlapTree::Answer OverlapTree::ask(Bytes capacity, std::int64_t nodes,
                                     const std::function<bool()>& stopped) {
  capacity_ = capacity;
  until_ = looked_ + nodes;
  open_ = false;
  stopped_ = &stopped;
  low_.assign(items_.size(), Bytes());
  states_.assign(items_.size(), State::waiting);
  for (const Item& item : items_) {
    if (item.size > capacity) return Answer::cannot;
  }
  const std::vector<std::uint32_t> last = leaveOut(capacity);
  for (const auto& part : parts()) {
    if (!search(part, 0, Bytes(), static_cast<std::uint32_t>(items_.size()))) {
      return open_ ? Answer::open : Answer::cannot;
    }
  }
  for (auto item = last.rbegin(); item != last.rend(); ++item) dropIn(*item);
  for (std::uint32_t i = 0; i < items_.size(); ++i) offsets_[items_[i].stay] = low_[i];
  return Answer::fits;
}

/// Items that find a place wherever their neighbours lie: k neighbours leave k + 1 free stretches
/// at most, and if there are k + 1 times the item's bytes in all, one of them is large enough.
/// Items that are left out already do not count as neighbours.
std::vector<std::uint32_t> OverlapTree::leaveOut(Bytes capacity) {
  std::vector<std::uint32_t> left;
  for (bool again = true; again;) {
    again = false;
    for (std::uint32_t i = 0; i < items_.size(); ++i) {
      if (states_[i] == State::out) continue;
      Bytes taken;
      std::int64_t stretches = 1;
      for (const Link& link : items_[i].links) {
        if (states_[link.other] == State::out) continue;
        taken += items_[link.other].size;
        ++stretches;
      }
      const Bytes needed = items_[i].size + items_[i].alignment;
      if (taken + needed * stretches > capacity) continue;
      states_[i] = State::out;
      left.push_back(i);
      again = true;
    }
  }
  return left;
}

std::vector<std::vector<std::uint32_t>> OverlapTree::parts() const {
  std::vector<std::vector<std::uint32_t>> parts;
  std::vector<bool> seen(items_.size(), false);
  for (std::uint32_t i = 0; i < items_.size(); ++i) {
    if (seen[i] || states_[i] == State::out) continue;
    std::vector<std::uint32_t> part = {i};
    seen[i] = true;
    for (std::size_t at = 0; at < part.size(); ++at) {
      for (const Link& link : items_[part[at]].links) {
        if (seen[link.other] || states_[link.other] == State::out) continue;
        seen[link.other] = true;
        part.push_back(link.other);
      }
    }
    parts.push_back(std::move(part));
  }
  return parts;
}

/// Asks now and then.
bool OverlapTree::isStopped() {
  if (looked_ < nextAsk_) return false;
  nextAsk_ = looked_ + kNodesBetweenAsks;
  return (*stopped_)();
}

bool OverlapTree::linked(std::uint32_t a, std::uint32_t b) const {
  return std::ranges::any_of(items_[a].links, [&](const Link& link) { return link.other == b; });
}

/// `front`: the offset of the item placed last; nothing comes below it any more.
bool OverlapTree::search(const std::vector<std::uint32_t>& part, std::size_t placed, Bytes front,
                         std::uint32_t last) {
  if (placed == part.size()) return true;
  // All items of the part are looked at: large parts count for several nodes.
  looked_ += std::ssize(part) / kItemsANode;
  Bytes limit = kMaxBytes;
  std::vector<std::uint32_t> next;
  for (const std::uint32_t item : part) {
    if (states_[item] != State::waiting) continue;
    limit = std::min(limit, low_[item] + items_[item].size);
    next.push_back(item);
  }
  std::erase_if(next, [&](std::uint32_t item) {
    // Of two that do not meet, at one height, the one with the lower number comes first.
    const bool twin =
        low_[item] == front && last < items_.size() && item < last && !linked(item, last);
    return low_[item] >= limit || low_[item] < front || twin;
  });
  std::ranges::stable_sort(next, {}, [&](std::uint32_t item) {
    return std::pair(low_[item], -items_[item].size.count());
  });
  for (const std::uint32_t item : next) {
    if (looked_++ >= until_ || isStopped()) open_ = true;
    if (open_) return false;
    std::vector<std::pair<std::uint32_t, Bytes>> before;
    if (place(item, before) && search(part, placed + 1, low_[item], item)) return true;
    for (auto change = before.rbegin(); change != before.rend(); ++change) {
      low_[change->first] = change->second;
    }
    states_[item] = State::waiting;
  }
  return false;
}

/// Puts `item` where it is lowest and lifts those that are above it then; false when one of them
/// would end above the capacity.
bool OverlapTree::place(std::uint32_t item, std::vector<std::pair<std::uint32_t, Bytes>>& before) {
  states_[item] = State::placed;
  for (const Link& link : items_[item].links) {
    if (states_[link.other] != State::waiting) continue;
    const Item& other = items_[link.other];
    // How far the other begins above this one is how far this one begins below it.
    const Bytes lifted = alignUp(low_[item] + link.apart.below, other.alignment);
    if (lifted <= low_[link.other]) continue;
    before.emplace_back(link.other, low_[link.other]);
    low_[link.other] = lifted;
    if (lifted + other.size > capacity_) return false;
  }
  return sectionsFit(item);
}

bool OverlapTree::sectionsFit(std::uint32_t item) const {
  return std::ranges::all_of(sectionsOf_[item], [&](std::uint32_t at) {
    const Section& section = sections_[at];
    Bytes sum;
    Bytes low = kMaxBytes;
    for (const std::uint32_t each : section.items) {
      if (states_[each] != State::waiting) continue;
      sum += items_[each].size;
      low = std::min(low, low_[each]);
    }
    return sum == Bytes() || low + sum - section.saved <= capacity_;
  });
}

/// The lowest place that the others leave.
void OverlapTree::dropIn(std::uint32_t item) {
  std::vector<Bytes> places = {Bytes()};
  const auto allowed = [&](const Link& link, Bytes at) {
    return states_[link.other] == State::out || at + link.apart.below <= low_[link.other] ||
           at >= low_[link.other] + link.apart.above;
  };
  for (const Link& link : items_[item].links) {
    if (states_[link.other] == State::out) continue;
    places.push_back(alignUp(low_[link.other] + link.apart.above, items_[item].alignment));
  }
  std::ranges::sort(places);
  for (const Bytes at : places) {
    low_[item] = at;
    const auto& links = items_[item].links;
    if (std::ranges::all_of(links, [&](const Link& link) { return allowed(link, at); })) break;
  }
  states_[item] = State::placed;
}

/// More stays than these are not looked at pair by pair.
constexpr std::size_t kMostInPairs = 4'000;
/// Nodes of the first question, and of the next ones so many times as many.
constexpr std::int64_t kFirstQuestion = 2'000;
constexpr std::int64_t kGrowth = 4;
constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max() / 8;

std::vector<StayId> backwards(const Problem& problem, PoolId pool) {
  std::vector<StayId> order = productionOrder(problem, pool);
  std::ranges::reverse(order);
  return order;
}

struct StartOrder {
  std::vector<StayId> (*make)(const Problem&, PoolId);
  std::string_view name;
};
constexpr StartOrder kStarts[] = {{productionOrder, "production"}, {backwards, "backwards"},
                                  {urgencyOrder, "urgency"},       {sizeOrder, "size"},
                                  {breadthOrder, "breadth"},       {areaOrder, "area"}};

class OverlappedSolver {
 public:
  OverlappedSolver(const Problem& problem, PoolId pool, const ExactOptions& options)
      : problem_(problem), pool_(pool), options_(options), begun_(secondsNow({})) {
    for (const StayId id : problem.stays.keys()) {
      if (problem.poolOf(id) != pool) continue;
      ++count_;
      pinned_ |= problem.stays[id].pinned.has_value();
    }
    result_.winner = "start";
    result_.bound = lowerBound(problem, pool);
    result_.offsets = IdMap<StayId, Bytes>(problem.stays.size());
  }

  ExactResult run() {
    begin();
    if (!planned_) {
      result_.offsets = {};
      return std::move(result_);
    }
    std::unique_ptr<OverlapTree> tree;
    if (!decided() && !pinned_ && count_ <= kMostInPairs) {
      tree = std::make_unique<OverlapTree>(problem_, pool_);
    }
    std::int64_t effort = kFirstQuestion;
    for (std::size_t round = 0; !decided() && !over(); ++round) {
      climb(kStarts[round % std::size(kStarts)], round, effort);
      if (!decided() && !over() && tree) prove(*tree, effort);
      // Each order once before any is searched for longer.
      if (round % std::size(kStarts) + 1 == std::size(kStarts)) effort *= kGrowth;
      if (effort > kUnlimited / kGrowth) break;
    }
    result_.status = status();
    report(true);
    return std::move(result_);
  }

 private:
  void begin() {
    if (options_.start) {
      take(*options_.start, "start");
    } else {
      Placer placer(problem_, pool_);
      for (const StartOrder& start : kStarts) {
        placer.clear();
        if (!placeInOrder(placer, problem_, start.make(problem_, pool_), FitRule::first,
                          [this] { return options_.stop.stop_requested(); })) {
          break;
        }
        IdMap<StayId, Bytes> offsets(problem_.stays.size());
        for (const StayId id : placer.stays()) offsets[id] = placer.offsetOf(id);
        take(offsets, "start");
      }
    }
    report();
  }

  void take(const IdMap<StayId, Bytes>& offsets, std::string_view winner) {
    Bytes peak;
    for (const StayId id : problem_.stays.keys()) {
      if (problem_.poolOf(id) != pool_) continue;
      peak = std::max(peak, offsets[id] + problem_.stays[id].size);
    }
    if (planned_ && peak >= result_.incumbent) return;
    planned_ = true;
    result_.incumbent = peak;
    result_.winner = winner;
    for (const StayId id : problem_.stays.keys()) {
      if (problem_.poolOf(id) == pool_) result_.offsets[id] = offsets[id];
    }
    report();
  }

  void climb(const StartOrder& start, std::size_t round, std::int64_t effort) {
    const auto count = static_cast<std::int64_t>(std::max<std::size_t>(count_, 1));
    const std::int64_t tries = std::max<std::int64_t>(1, std::min(effort, left()) / count);
    const OrderSearchOptions options{.tries = tries,
                                     .stuck = tries,
                                     .deadline = deadline(),
                                     .seed = round + 1,
                                     .stopped = [this] { return options_.stop.stop_requested(); }};
    const OrderSearchResult found =
        searchOrders(problem_, pool_, start.make(problem_, pool_), options);
    if (found.offsets.empty()) return;  // It was told to stop.
    result_.nodes += (found.tries + 1) * count;
    take(found.offsets, start.name);
  }

  /// True if the bound, or the capacity asked for, suffices; where it does not, whether less than
  /// the best plan does.
  void prove(OverlapTree& tree, std::int64_t effort) {
    const Bytes lowest = options_.capacity.value_or(result_.bound);
    if (lowest >= result_.bound && !failed_) askFor(tree, lowest, effort);
    if (!decided() && !over() && !options_.capacity) {
      askFor(tree, result_.incumbent - Bytes(1), effort);
    }
  }

  void askFor(OverlapTree& tree, Bytes capacity, std::int64_t effort) {
    const std::int64_t before = tree.nodes();
    const auto answer = tree.ask(capacity, std::min(effort, left()), [this] { return over(); });
    result_.nodes += tree.nodes() - before;
    if (answer == OverlapTree::Answer::fits) take(tree.offsets(), "overlaps");
    if (answer != OverlapTree::Answer::cannot) return;
    result_.bound = std::max(result_.bound, capacity + Bytes(1));
    failed_ = failed_ || !options_.capacity;
    report();
  }

  std::int64_t left() const {
    return options_.nodes > 0 ? std::max<std::int64_t>(1, options_.nodes - result_.nodes)
                              : kUnlimited;
  }
  std::optional<double> deadline() const {
    return options_.seconds > 0 ? std::optional(begun_ + options_.seconds) : std::nullopt;
  }
  bool over() const {
    if (options_.stop.stop_requested()) return true;
    if (options_.nodes > 0 && result_.nodes >= options_.nodes) return true;
    return options_.seconds > 0 && secondsNow({}) >= *deadline();
  }
  bool decided() const {
    const auto& asked = options_.capacity;
    if (asked && (result_.incumbent <= *asked || result_.bound > *asked)) return true;
    return result_.incumbent <= result_.bound;
  }

  ExactStatus status() const {
    const bool optimal = result_.incumbent <= result_.bound;
    const auto& asked = options_.capacity;
    if (asked && result_.bound > *asked) return ExactStatus::infeasible;
    if (optimal) return ExactStatus::optimal;
    return asked && result_.incumbent <= *asked ? ExactStatus::fits : ExactStatus::stopped;
  }

  void report(bool last = false) {
    const ExactProgress now{.seconds = secondsNow({}) - begun_,
                            .incumbent = result_.incumbent,
                            .bound = std::min(result_.bound, result_.incumbent),
                            .nodes = result_.nodes,
                            .winner = result_.winner};
    const auto& history = result_.history;
    const bool news = history.empty() || history.back().incumbent != now.incumbent ||
                      history.back().bound != now.bound;
    if (!planned_ || (!news && !last)) return;
    result_.history.push_back(now);
    if (options_.progress) options_.progress(now);
  }

  const Problem& problem_;
  PoolId pool_;
  const ExactOptions& options_;
  double begun_;
  std::size_t count_ = 0;
  bool pinned_ = false;
  bool planned_ = false;
  bool failed_ = false;  ///< The first bound is too low.
  ExactResult result_;
};

}  // namespace

ExactResult solveOverlapped(const Problem& problem, PoolId pool, const ExactOptions& options) {
  return OverlappedSolver(problem, pool, options).run();
}

}  // namespace hw
