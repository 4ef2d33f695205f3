#include <algorithm>
#include <map>

#include "core/allocators/allocators.h"
#include "core/allocators/offline.h"

namespace hw {
namespace {

constexpr std::string_view kOrders[] = {"size", "in-order"};
constexpr ParamSpec kOrder{.name = "order",
                           .type = ParamType::choice,
                           .summary = "assign the largest first, or as they are produced",
                           .fallback = "size",
                           .choices = kOrders};
constexpr ParamSpec kParams[] = {kOrder};

/// The lives of the stays in one object; they never overlap.
class Object {
 public:
  explicit Object(Bytes size) : size_(size) {}

  Bytes size() const { return size_; }

  bool isIdle(const std::vector<Interval<Step>>& live) const {
    return std::ranges::none_of(live, [&](const Interval<Step>& steps) {
      const auto next = lives_.lower_bound(steps.end);
      return next != lives_.begin() && std::prev(next)->second > steps.begin;
    });
  }

  void add(const std::vector<Interval<Step>>& live, Bytes size) {
    for (const Interval<Step>& steps : live) lives_[steps.begin] = steps.end;
    size_ = std::max(size_, size);
  }

 private:
  Bytes size_;
  std::map<Step, Step> lives_;  ///< Begin to end.
};

/// Objects that tensors share, one at a time; each is as large as the largest it ever holds. An
/// object is a region, everything in it sits at offset zero.
class SharedObjects final : public Allocator {
 public:
  explicit SharedObjects(bool bySize) : bySize_(bySize) {}

 private:
  Result<Plan> solve(const Problem& problem, const PlanContext& context) const override {
    if (auto good = refusePins(problem, "shared-objects"); !good) {
      return tl::unexpected(good.error());
    }
    std::vector<StayId> order = problem.stays.keys().toVector();
    std::ranges::stable_sort(order, [&](StayId a, StayId b) {
      const Stay& left = problem.stays[a];
      const Stay& right = problem.stays[b];
      return bySize_ ? left.size > right.size : left.steps.begin < right.steps.begin;
    });
    Plan plan;
    plan.addresses.resize(problem.stays.size());
    IdMap<PoolId, std::vector<Object>> objects(problem.pools.size());
    for (const StayId id : order) {
      if (context.stop.stop_requested()) return fail(ErrorCode::stopped, "planning was stopped");
      const PoolId pool = problem.poolOf(id);
      plan.addresses[id] = Address{pool, RegionId(assign(problem, id, objects[pool])), Bytes()};
    }
    return plan;
  }

  /// The idle object closest in size, a larger one if there is; in production order a smaller one
  /// may grow. Else a new one.
  static std::size_t assign(const Problem& problem, StayId id, std::vector<Object>& objects) {
    const Bytes size = problem.stays[id].size;
    const std::vector<Interval<Step>> live = problem.liveSteps(id);
    const auto distance = [&](const Object& object) {
      const auto difference = (object.size() - size).count();
      return difference < 0 ? -difference : difference;
    };
    std::size_t best = objects.size();
    for (std::size_t i = 0; i < objects.size(); ++i) {
      const bool closer = best == objects.size() || distance(objects[i]) < distance(objects[best]);
      if (closer && objects[i].isIdle(live)) best = i;
    }
    if (best == objects.size()) objects.emplace_back(size);
    objects[best].add(live, size);
    return best;
  }

  bool bySize_;
};

}  // namespace

std::span<const ParamSpec> sharedObjectsParams() { return kParams; }

std::unique_ptr<Allocator> makeSharedObjects(const Params& params) {
  return std::make_unique<SharedObjects>(params.choice(kOrder) == "size");
}

}  // namespace hw
