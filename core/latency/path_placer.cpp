#include "core/latency/path_placer.h"

#include <algorithm>
#include <bit>

#include "core/latency/reuse_timer.h"

namespace hw {
namespace {

constexpr int kCostBits = 20;

/// By activity: from its start to the end of the run, if activities wait for nothing but each
/// other.
std::vector<SimTime> tailsOf(const TimedWork& work, const ReuseTimer& timer) {
  const auto lengthOf = [&](std::uint32_t i) { return timer.endOf(i) - timer.startOf(i); };
  std::vector<SimTime> tails(work.activities.size());
  for (auto i = static_cast<std::uint32_t>(tails.size()); i-- > 0;) {
    tails[i] += lengthOf(i);  // So far it was what comes after its end.
    timer.forEachWait(
        i, [&](std::uint32_t other) { tails[other] = std::max(tails[other], tails[i]); });
  }
  return tails;
}

/// One that `activity` waited for to its very start.
template <class ForEach>
std::uint32_t lastOf(const ReuseTimer& timer, std::uint32_t activity, const ForEach& forEach) {
  std::uint32_t found = kNoActivity;
  forEach([&](std::uint32_t other) {
    if (timer.endOf(other) == timer.startOf(activity)) found = other;
  });
  return found;
}

/// The last cause of `activity` apart from reuse; kNoActivity: nothing held it as long.
std::uint32_t ownCause(const TimedWork& work, const ReuseTimer& timer, std::uint32_t activity) {
  const TimedActivity& own = work.activities[activity];
  const auto other =
      lastOf(timer, activity, [&](const auto& visit) { timer.forEachOwnWait(activity, visit); });
  if (other != kNoActivity) return other;
  for (const std::uint32_t before : {own.engineBefore, own.issuedBefore}) {
    if (before != kNoActivity && timer.startOf(before) == timer.startOf(activity)) return before;
  }
  return kNoActivity;
}

/// Tenants of the same bytes are looked for so many steps away.
constexpr std::int64_t kNearSteps = 12;

}  // namespace

PathPlacer::PathPlacer(const TimedWork& work, std::span<const Bytes> capacities,
                       std::mt19937_64& random)
    : work_(work), capacities_(capacities), random_(random), prices_(work.stays.size()) {}

void PathPlacer::adopt(const std::vector<Bytes>& offsets) {
  offsets_ = offsets;
  order_ = {};
  for (std::uint32_t i = 0; i < offsets.size(); ++i) {
    if (offsets[i] >= Bytes()) order_.begins.push_back(i);
  }
  order_.ends = order_.begins;
  std::ranges::sort(order_.begins, {}, [&](auto i) { return std::pair(offsets_[i], i); });
  std::ranges::sort(order_.ends, {}, [&](auto i) { return std::pair(endOf(i), i); });
  adopted_ = offsets_;
  adoptedOrder_ = order_;
}

void PathPlacer::accept() {
  adopted_ = offsets_;
  adoptedOrder_ = order_;
}

void PathPlacer::takeOut(const std::vector<std::uint32_t>& stays) {
  offsets_ = adopted_;
  for (const std::uint32_t stay : stays) offsets_[stay] = ReuseTimer::kNowhere;
  const auto keepPlaced = [&](const auto& from, auto& to) {
    to.clear();
    for (const std::uint32_t stay : from) {
      if (offsets_[stay] >= Bytes()) to.push_back(stay);
    }
  };
  keepPlaced(adoptedOrder_.begins, order_.begins);
  keepPlaced(adoptedOrder_.ends, order_.ends);
}

bool PathPlacer::put(std::uint32_t stay, const StayTimes& times, const PathRule& rule) {
  const TimedStay& own = work_.stays[stay];
  const Bytes capacity = capacities_[own.pool.index()];
  if (own.size > capacity) return false;
  price(stay, times, rule);
  listChanges(own);
  listCandidates(own, capacity);
  const auto offset = cheapest(own, capacity, rule.ties);
  if (!offset) return false;
  offsets_[stay] = *offset;
  insert(stay);
  return true;
}

void PathPlacer::insert(std::uint32_t stay) {
  const auto into = [&](std::vector<std::uint32_t>& order, const auto& key) {
    order.insert(std::ranges::upper_bound(order, key(stay), {}, key), stay);
  };
  into(order_.begins, [&](auto i) { return std::pair(offsets_[i], i); });
  into(order_.ends, [&](auto i) { return std::pair(endOf(i), i); });
}

/// Works out the cost for `stay` of meeting each of the others.
void PathPlacer::price(std::uint32_t stay, const StayTimes& times, const PathRule& rule) {
  const TimedStay& own = work_.stays[stay];
  const SimTime ownEnd = times.ends[stay];
  const SimTime ownTail = times.tails[stay];
  for (const std::uint32_t i : order_.begins) {
    const TimedStay& other = work_.stays[i];
    Price& price = prices_[i];
    price = {};
    if (other.pool != own.pool) continue;
    if (own.steps.overlaps(other.steps)) {
      price.taken = true;
      continue;
    }
    const bool earlier = other.steps.begin < own.steps.begin;
    const SimTime path = earlier ? times.ends[i] + ownTail : ownEnd + times.tails[i];
    if (path > rule.threshold) price.cost = costOf(path, rule);
  }
}

std::int64_t PathPlacer::costOf(SimTime path, const PathRule& rule) {
  const auto bits = std::bit_width(static_cast<std::uint64_t>(rule.threshold.count()));
  const int shift = std::max(0, static_cast<int>(bits) - kCostBits);
  const std::int64_t excess =
      std::min((path - rule.threshold).count() >> shift, std::int64_t{1} << kCostBits);
  std::int64_t cost = excess * excess;
  if (rule.noisy) cost = (cost * static_cast<std::int64_t>(717 + random_() % 615)) >> 10;
  return cost + 1;  // Whatever is above the threshold costs something.
}

/// Lists the offsets at which `own` begins or ceases to overlap another stay: it overlaps one at
/// [begin, end) when its own offset is from begin - own size + 1 to end - 1.
void PathPlacer::listChanges(const TimedStay& own) {
  starting_.clear();
  ending_.clear();
  for (const std::uint32_t i : order_.begins) {
    const auto& [cost, taken] = prices_[i];
    if (!prices_[i].isFree()) {
      starting_.push_back({offsets_[i] - own.size + Bytes(1), cost, taken ? 1 : 0});
    }
  }
  for (const std::uint32_t i : order_.ends) {
    const auto& [cost, taken] = prices_[i];
    if (!prices_[i].isFree()) ending_.push_back({endOf(i), -cost, taken ? -1 : 0});
  }
}

/// On top of each that costs something and right below it, and at both ends of the pool.
void PathPlacer::listCandidates(const TimedStay& own, Bytes capacity) {
  const Bytes top = alignDown(capacity - own.size, own.alignment);
  above_ = {Bytes()};
  for (const Change& change : ending_) {
    const Bytes at = alignUp(change.at, own.alignment);
    if (at < top) above_.push_back(at);
  }
  above_.push_back(top);
  below_.clear();
  for (const Change& change : starting_) {
    const Bytes at = change.at - Bytes(1);
    if (at >= Bytes()) below_.push_back(alignDown(at, own.alignment));
  }
  candidates_.resize(above_.size() + below_.size());
  std::merge(above_.begin(), above_.end(), below_.begin(), below_.end(), candidates_.begin());
}

std::optional<Bytes> PathPlacer::cheapest(const TimedStay& own, Bytes capacity, TieRule ties) {
  std::optional<Bytes> best;
  std::int64_t least = 0;
  std::int64_t cost = 0;
  int taken = 0;
  std::uint64_t equal = 0;
  auto starts = starting_.begin();
  auto ends = ending_.begin();
  Bytes last(-1);
  for (const Bytes at : candidates_) {
    if (at + own.size > capacity) break;
    if (at == last) continue;
    last = at;
    for (; starts != starting_.end() && starts->at <= at; ++starts) {
      cost += starts->cost;
      taken += starts->taken;
    }
    for (; ends != ending_.end() && ends->at <= at; ++ends) {
      cost += ends->cost;
      taken += ends->taken;
    }
    if (taken > 0) continue;
    if (!best || cost < least) {
      best = at;
      least = cost;
      equal = 1;
    } else if (cost == least && ties != TieRule::lowest) {
      ++equal;
      if (ties == TieRule::highest || random_() % equal == 0) best = at;
    }
  }
  return best;
}

StayTimes stayTimes(const TimedWork& work, const ReuseTimer& timer) {
  const std::vector<SimTime> tails = tailsOf(work, timer);
  StayTimes times{std::vector<SimTime>(work.stays.size()), std::vector<SimTime>(work.stays.size())};
  for (std::uint32_t stay = 0; stay < work.stays.size(); ++stay) {
    for (const std::uint32_t exit : work.exits.of(stay)) {
      times.ends[stay] = std::max(times.ends[stay], timer.endOf(exit));
    }
    for (const std::uint32_t entry : work.entries.of(stay)) {
      times.tails[stay] = std::max(times.tails[stay], tails[entry]);
    }
  }
  return times;
}

std::vector<ReusePair> criticalReuse(const TimedWork& work, const ReuseTimer& timer,
                                     const std::vector<Bytes>& offsets) {
  std::vector<ReusePair> pairs;
  if (work.activities.empty()) return pairs;
  const auto meet = [&](std::uint32_t a, std::uint32_t b) {
    return work.stays[a].pool == work.stays[b].pool &&
           offsets[a] < offsets[b] + work.stays[b].size &&
           offsets[b] < offsets[a] + work.stays[a].size;
  };
  std::uint32_t at = 0;
  for (std::uint32_t i = 0; i < work.activities.size(); ++i) {
    if (timer.endOf(i) >= timer.endOf(at)) at = i;
  }
  while (timer.startOf(at) > SimTime()) {
    std::uint32_t cause = ownCause(work, timer, at);
    if (cause == kNoActivity) {
      cause = lastOf(timer, at, [&](const auto& visit) { timer.forEachWait(at, visit); });
      if (cause == kNoActivity) break;  // For a free channel, for example.
      for (const std::uint32_t after : work.enters.of(at)) {
        for (const std::uint32_t before : work.leaves.of(cause)) {
          if (before != after && meet(before, after)) pairs.push_back({before, after});
        }
      }
    }
    at = cause;
  }
  return pairs;
}

Removal::Removal(const TimedWork& work, std::mt19937_64& random)
    : work_(work), random_(random), opening_(work.stays.size()), isTaken_(work.stays.size()) {
  for (std::uint32_t i = 0; i < work.byOpening.size(); ++i) opening_[work.byOpening[i]] = i;
}

void Removal::take(std::uint32_t stay) {
  if (work_.stays[stay].pinned || isTaken_[stay]) return;
  isTaken_[stay] = true;
  taken_.push_back(stay);
}

std::uint32_t Removal::seed(const std::vector<ReusePair>& critical) {
  if (critical.empty() || below(5) == 0) {
    return static_cast<std::uint32_t>(below(work_.stays.size()));
  }
  const ReusePair& pair = critical[below(critical.size())];
  const std::size_t which = below(3);
  if (which == 2) take(pair.after);
  return which == 1 ? pair.after : pair.before;
}

const std::vector<std::uint32_t>& Removal::choose(const std::vector<Bytes>& offsets,
                                                  const std::vector<ReusePair>& critical) {
  for (const std::uint32_t stay : taken_) isTaken_[stay] = false;
  taken_.clear();
  const std::uint32_t first = seed(critical);
  take(first);
  // Few most of the time: the square of a fraction.
  const std::size_t part = below(1024);
  const std::size_t most = std::min(kMost, work_.stays.size() / 2);
  const std::size_t count = 1 + part * part * most / (std::size_t{1024} * 1024);
  switch (below(4)) {
    case 0:
      takeAlive(first, count);
      break;
    case 1:
      takeOpenedAround(first, count);
      break;
    case 2:
      takeTenants(first, count, offsets);
      break;
    default:
      takeWalk(first, count);
      break;
  }
  order();
  return taken_;
}

void Removal::takeAlive(std::uint32_t seed, std::size_t count) {
  found_.clear();
  for (std::uint32_t i = 0; i < work_.stays.size(); ++i) {
    if (i != seed && work_.stays[i].liveWith(work_.stays[seed])) found_.push_back(i);
  }
  for (std::size_t i = 0; i < count && !found_.empty(); ++i) take(found_[below(found_.size())]);
}

/// Takes up to `count` stays, each chosen among those that are live together with the one before.
void Removal::takeWalk(std::uint32_t seed, std::size_t count) {
  for (std::size_t step = 0; step < count; ++step) {
    std::uint32_t next = seed;
    std::size_t seen = 0;
    for (std::uint32_t i = 0; i < work_.stays.size(); ++i) {
      if (i != seed && work_.stays[i].liveWith(work_.stays[seed]) && below(++seen) == 0) next = i;
    }
    if (next == seed) return;
    take(next);
    seed = next;
  }
}

void Removal::takeOpenedAround(std::uint32_t seed, std::size_t count) {
  const std::size_t middle = opening_[seed];
  const std::size_t first = middle - std::min(middle, count / 2);
  for (std::size_t i = first; i < std::min(first + count, work_.byOpening.size()); ++i) {
    take(work_.byOpening[i]);
  }
}

void Removal::takeTenants(std::uint32_t seed, std::size_t count,
                          const std::vector<Bytes>& offsets) {
  const TimedStay& own = work_.stays[seed];
  found_.clear();
  for (std::uint32_t i = 0; i < work_.stays.size(); ++i) {
    const TimedStay& other = work_.stays[i];
    const std::int64_t apart = (other.steps.begin - own.steps.begin).count();
    if (i == seed || other.pool != own.pool || std::abs(apart) >= kNearSteps) continue;
    const bool meets =
        offsets[i] < offsets[seed] + own.size && offsets[seed] < offsets[i] + other.size;
    if (meets) found_.push_back(i);
  }
  for (std::size_t i = 0; i < count && !found_.empty(); ++i) take(found_[below(found_.size())]);
}

/// At random, largest first, as they are opened, or by size x steps, more or less.
void Removal::order() {
  const auto key = [&](std::uint32_t stay, std::size_t way) -> std::int64_t {
    const TimedStay& own = work_.stays[stay];
    if (way == 0) return static_cast<std::int64_t>(random_() >> 1);
    if (way == 1) return -own.size.count();
    if (way == 2) return opening_[stay];
    const auto noise = static_cast<std::int64_t>(512 + below(1024));
    const std::int64_t height = std::min(own.size.count() / 1024 + 1, std::int64_t{1} << 36);
    return -height * std::min<std::int64_t>(own.steps.length().count(), 4096) * noise;
  };
  const std::size_t way = below(4);
  std::vector<std::pair<std::int64_t, std::uint32_t>> keyed;
  for (const std::uint32_t stay : taken_) keyed.emplace_back(key(stay, way), stay);
  std::ranges::sort(keyed);
  for (std::size_t i = 0; i < keyed.size(); ++i) taken_[i] = keyed[i].second;
}

}  // namespace hw
