#include "core/solver/orders.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "core/plan/metrics.h"

namespace hw {
namespace {

std::vector<StayId> staysOf(const Problem& problem, PoolId pool) {
  std::vector<StayId> stays;
  for (const StayId id : problem.stays.keys()) {
    if (problem.poolOf(id) == pool) stays.push_back(id);
  }
  return stays;
}

/// Ascending by `key(stay)`, ties by id.
template <class Key>
std::vector<StayId> sortedBy(const Problem& problem, PoolId pool, Key key) {
  std::vector<StayId> stays = staysOf(problem, pool);
  std::ranges::stable_sort(stays, {}, [&](StayId id) { return key(problem.stays[id]); });
  return stays;
}

/// The greatest live sum over a stay's steps, by sparse table over the pieces of the live profile.
class GreatestLive {
 public:
  GreatestLive(const Problem& problem, PoolId pool) : profile_(liveBytes(problem, pool)) {
    std::vector<Bytes> level;
    for (const auto& piece : profile_.pieces) level.push_back(piece.value);
    for (std::size_t width = 1; !level.empty(); width *= 2) {
      levels_.push_back(level);
      if (level.size() <= width) break;
      for (std::size_t i = 0; i + width < level.size(); ++i) {
        level[i] = std::max(level[i], level[i + width]);
      }
      level.resize(level.size() - width);
    }
  }

  Bytes over(Interval<Step> steps) const {
    const auto piece = [&](Step step) {
      return static_cast<std::size_t>(
          std::ranges::upper_bound(profile_.pieces, step, {}, &StepFunction::Piece::from) -
          profile_.pieces.begin());
    };
    const std::size_t last = piece(steps.end - Step(1));
    const std::size_t first = std::max<std::size_t>(piece(steps.begin), 1) - 1;
    std::size_t level = 0;
    while ((std::size_t{2} << level) <= last - first) ++level;
    return std::max(levels_[level][first], levels_[level][last - (std::size_t{1} << level)]);
  }

 private:
  StepFunction profile_;
  std::vector<std::vector<Bytes>> levels_;  ///< Level k: greatest of 2^k pieces.
};

}  // namespace

std::vector<StayId> productionOrder(const Problem& problem, PoolId pool) {
  return sortedBy(problem, pool, [](const Stay& stay) { return stay.steps.begin; });
}

std::vector<StayId> sizeOrder(const Problem& problem, PoolId pool) {
  return sortedBy(problem, pool, [](const Stay& stay) { return -stay.size.count(); });
}

std::vector<StayId> sizeLengthOrder(const Problem& problem, PoolId pool) {
  return sortedBy(problem, pool, [](const Stay& stay) {
    return std::pair(-stay.size.count(), -stay.steps.length().count());
  });
}

std::vector<StayId> lengthSizeOrder(const Problem& problem, PoolId pool) {
  return sortedBy(problem, pool, [](const Stay& stay) {
    return std::pair(-stay.steps.length().count(), -stay.size.count());
  });
}

std::vector<StayId> areaOrder(const Problem& problem, PoolId pool) {
  return sortedBy(problem, pool, [](const Stay& stay) {
    return -static_cast<long double>(stay.size.count()) *
           static_cast<long double>(stay.steps.length().count());
  });
}

std::vector<StayId> breadthOrder(const Problem& problem, PoolId pool) {
  // Every stay joins the order at the fullest piece it is live in: the greatest over its steps,
  // the earliest of equals.
  const GreatestLive greatest(problem, pool);
  struct Key {
    Bytes live;
    Step at;
    Bytes size;
    StayId id;
  };
  std::vector<Key> keys;
  for (const StayId id : staysOf(problem, pool)) {
    const Interval<Step> steps = problem.stays[id].steps;
    const Bytes most = greatest.over(steps);
    // The first piece of that value that the stay reaches into.
    Step low = steps.begin;
    Step high = steps.end;
    while (high - low > Step(1)) {
      const Step middle(low.count() + (high - low).count() / 2);
      (greatest.over({steps.begin, middle}) == most ? high : low) = middle;
    }
    keys.push_back({most, low, problem.stays[id].size, id});
  }
  std::ranges::sort(keys, [](const Key& a, const Key& b) {
    return std::tuple(-a.live.count(), a.at, -a.size.count(), a.id) <
           std::tuple(-b.live.count(), b.at, -b.size.count(), b.id);
  });
  std::vector<StayId> order;
  for (const Key& key : keys) order.push_back(key.id);
  return order;
}

std::vector<StayId> conflictOrder(const Problem& problem, PoolId pool) {
  const std::vector<StayId> stays = staysOf(problem, pool);
  std::vector<Step> begins;
  std::vector<Step> ends;
  for (const StayId id : stays) {
    begins.push_back(problem.stays[id].steps.begin);
    ends.push_back(problem.stays[id].steps.end);
  }
  std::ranges::sort(begins);
  std::ranges::sort(ends);
  return sortedBy(problem, pool, [&](const Stay& stay) {
    const auto begun = std::ranges::lower_bound(begins, stay.steps.end) - begins.begin();
    const auto over = std::ranges::upper_bound(ends, stay.steps.begin) - ends.begin();
    return std::pair(over - begun, -stay.size.count());
  });
}

std::vector<StayId> urgencyOrder(const Problem& problem, PoolId pool) {
  const GreatestLive greatest(problem, pool);
  return sortedBy(problem, pool, [&](const Stay& stay) {
    return std::tuple(-greatest.over(stay.steps).count(), -stay.steps.length().count(),
                      stay.steps.begin, -stay.size.count());
  });
}

}  // namespace hw
