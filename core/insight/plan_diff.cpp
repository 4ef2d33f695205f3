#include "core/insight/plan_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>
#include <unordered_map>

#include "core/base/text.h"

namespace hw {
namespace {

/// A plan CSV of one pool does not name it.
std::string poolName(const std::string& name) { return name.empty() ? "L2" : name; }

bool samePlace(const Placement& a, const Placement& b) {
  return poolName(a.pool) == poolName(b.pool) && a.offset == b.offset;
}

bool sameExtent(const Placement& a, const Placement& b) {
  return a.size == b.size && a.first == b.first && a.last == b.last && a.aliasOf == b.aliasOf;
}

/// Placements of one tensor in both plans.
struct Pair {
  std::vector<const Placement*> a{};
  std::vector<const Placement*> b{};
  std::size_t rank = 0;  ///< Of the tensor's first mention.
};

class Differ {
 public:
  Differ(const DiffSide& a, const DiffSide& b)
      : a_(a), b_(b), buffersOnly_(a.plan.buffersOnly || b.plan.buffersOnly) {}

  PlanDiff diff() {
    collect(a_.plan, &Pair::a);
    collect(b_.plan, &Pair::b);
    for (auto& [name, pair] : pairs_) comparePlaces(pair);
    std::ranges::stable_sort(ranked_, {}, [](const Ranked& each) {
      return std::pair(each.change.either().first.value_or(Step()), each.rank);
    });
    for (Ranked& each : ranked_) diff_.changes.push_back(std::move(each.change));
    comparePools();
    compareClasses();
    compareEvents();
    addNotes();
    return std::move(diff_);
  }

 private:
  struct Ranked {
    TensorChange change{};
    std::size_t rank = 0;
  };

  void collect(const PlanDocument& plan, std::vector<const Placement*> Pair::*side) {
    for (const Placement& placement : plan.placements) {
      if (buffersOnly_ && !placement.aliasOf.empty()) continue;
      auto [at, isNew] = pairs_.try_emplace(placement.tensor);
      if (isNew) at->second.rank = pairs_.size();
      (at->second.*side).push_back(&placement);
    }
  }

  void comparePlaces(Pair& pair) {
    using Placements = std::vector<const Placement*>;
    const auto byPool = [](const Placement* a, const Placement* b) {
      return std::pair(poolName(a->pool), a->first) < std::pair(poolName(b->pool), b->first);
    };
    const auto byFirst = [](const Placement* a, const Placement* b) { return a->first < b->first; };
    for (Placements* side : {&pair.a, &pair.b}) std::ranges::stable_sort(*side, byPool);
    Placements restOfA;
    Placements restOfB;
    auto b = pair.b.begin();
    for (const Placement* a : pair.a) {
      const std::string pool = poolName(a->pool);
      for (; b != pair.b.end() && poolName((*b)->pool) < pool; ++b) restOfB.push_back(*b);
      const bool both = b != pair.b.end() && poolName((*b)->pool) == pool;
      if (both) compareOne(*a, **b++, pair.rank);
      if (!both) restOfA.push_back(a);
    }
    restOfB.insert(restOfB.end(), b, pair.b.end());
    for (Placements* side : {&restOfA, &restOfB}) std::ranges::stable_sort(*side, byFirst);
    const std::size_t both = std::min(restOfA.size(), restOfB.size());
    for (std::size_t k = 0; k < both; ++k) compareOne(*restOfA[k], *restOfB[k], pair.rank);
    for (std::size_t k = both; k < restOfA.size(); ++k) {
      ranked_.push_back({{.change = PlanChange::onlyInA, .a = *restOfA[k]}, pair.rank});
    }
    for (std::size_t k = both; k < restOfB.size(); ++k) {
      ranked_.push_back({{.change = PlanChange::onlyInB, .b = *restOfB[k]}, pair.rank});
    }
  }

  void compareOne(const Placement& a, const Placement& b, std::size_t rank) {
    const bool place = samePlace(a, b);
    // Lives and sizes of buffers are not those of the tensors that fill them.
    if (place && (buffersOnly_ || sameExtent(a, b))) {
      ++diff_.same;
      return;
    }
    const PlanChange change = place ? PlanChange::resized : PlanChange::moved;
    ranked_.push_back({{.change = change, .a = a, .b = b}, rank});
  }

  /// A plan CSV states no peaks: then it is the end of the highest placement.
  static std::map<std::string, Bytes> peaksOf(const PlanDocument& plan) {
    std::map<std::string, Bytes> peaks;
    for (const Placement& each : plan.placements) {
      Bytes& peak = peaks[poolName(each.pool)];
      peak = std::max(peak, each.offset + each.size.value_or(Bytes()));
    }
    for (const StatedPool& pool : plan.pools) {
      if (pool.peak) peaks[pool.name] = *pool.peak;
    }
    return peaks;
  }

  static std::vector<std::string> poolNames(const PlanDocument& plan) {
    std::vector<std::string> names;
    const auto add = [&](const std::string& name) {
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    };
    for (const StatedPool& pool : plan.pools) add(pool.name);
    for (const Placement& each : plan.placements) {
      if (names.empty() || names.back() != each.pool) add(poolName(each.pool));
    }
    return names;
  }

  void comparePools() {
    const auto a = peaksOf(a_.plan);
    const auto b = peaksOf(b_.plan);
    const auto peak = [](const auto& peaks, const std::string& name) -> std::optional<Bytes> {
      const auto at = peaks.find(name);
      return at == peaks.end() ? std::nullopt : std::optional(at->second);
    };
    std::vector<std::string> names = poolNames(a_.plan);
    for (const std::string& name : poolNames(b_.plan)) {
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
    for (const std::string& name : names) {
      diff_.pools.push_back({name, peak(a, name), peak(b, name)});
    }
  }

  using Classes = std::map<std::pair<std::size_t, int>, DiffClass>;

  void addClasses(const PlanDocument& plan, std::size_t DiffClass::*count, Bytes DiffClass::*bytes,
                  Classes& sizes, Classes& lifetimes) const {
    const auto add = [&](Classes& classes, const Placement& each, std::int64_t number) {
      if (number <= 0) return;
      const std::string pool = poolName(each.pool);
      const auto place = std::ranges::find(diff_.pools, pool, &PoolDiff::name);
      const int power = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(number))) - 1;
      DiffClass& own = classes[{static_cast<std::size_t>(place - diff_.pools.begin()), power}];
      own.pool = pool;
      own.power = power;
      ++(own.*count);
      own.*bytes += *each.size;
    };
    for (const Placement& each : plan.placements) {
      if (!each.aliasOf.empty() || !each.size) continue;
      add(sizes, each, each.size->count());
      if (each.first && each.last) add(lifetimes, each, (*each.last - *each.first).count() + 1);
    }
  }

  void compareClasses() {
    Classes sizes;
    Classes lifetimes;
    addClasses(a_.plan, &DiffClass::countA, &DiffClass::bytesA, sizes, lifetimes);
    addClasses(b_.plan, &DiffClass::countB, &DiffClass::bytesB, sizes, lifetimes);
    for (auto& [key, one] : sizes) diff_.sizes.push_back(std::move(one));
    for (auto& [key, one] : lifetimes) diff_.lifetimes.push_back(std::move(one));
  }

  void compareEvents() {
    if (a_.noEvents || b_.noEvents) return;
    const auto key = [](const EventRow& row) {
      return std::tie(row.step, row.event, row.pool, row.tensor, row.offset, row.size);
    };
    const auto [a, b] = std::ranges::mismatch(a_.events, b_.events, {}, key, key);
    PlanDiff::Events events;
    if (a != a_.events.end()) events.a = *a;
    if (b != b_.events.end()) events.b = *b;
    if (events.a || events.b) diff_.firstEvents = events;
  }

  void addNotes() {
    const std::string& a = a_.plan.modelSha256;
    const std::string& b = b_.plan.modelSha256;
    if (!a.empty() && !b.empty() && a != b) {
      diff_.notes.push_back(fmt::format("the plans are of different models, '{}' and '{}'",
                                        printable(a_.plan.modelName),
                                        printable(b_.plan.modelName)));
    }
    if (buffersOnly_) {
      diff_.notes.push_back(
          "a plan CSV lists buffers, not the tensors that share them: only the addresses of "
          "buffers are compared");
    }
    for (const DiffSide* side : {&a_, &b_}) {
      if (side->noEvents) {
        diff_.notes.push_back(fmt::format("events are not compared: {}: {}", printable(side->name),
                                          side->noEvents->text()));
      }
    }
  }

  const DiffSide& a_;
  const DiffSide& b_;
  bool buffersOnly_;
  std::unordered_map<std::string, Pair> pairs_;
  std::vector<Ranked> ranked_;
  PlanDiff diff_;
};

}  // namespace

std::string_view changeName(PlanChange change) {
  switch (change) {
    case PlanChange::moved:
      return "moved";
    case PlanChange::resized:
      return "resized";
    case PlanChange::onlyInA:
      return "only-in-a";
    case PlanChange::onlyInB:
      return "only-in-b";
  }
  return {};
}

std::size_t PlanDiff::count(PlanChange change) const {
  return static_cast<std::size_t>(std::ranges::count(changes, change, &TensorChange::change));
}

bool PlanDiff::equal() const {
  return changes.empty() && std::ranges::all_of(pools, [](const PoolDiff& pool) {
           return pool.peakA.value_or(Bytes()) == pool.peakB.value_or(Bytes());
         });
}

PlanDiff diffPlans(const DiffSide& a, const DiffSide& b) { return Differ(a, b).diff(); }

}  // namespace hw
