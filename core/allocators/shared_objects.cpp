#include <fmt/format.h>

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
    HW_DO(refusePins(problem, "shared-objects"));
    Plan plan;
    plan.addresses.resize(problem.stays.size());
    IdMap<PoolId, std::vector<Object>> objects(problem.pools.size());
    for (const StayId id : orderOf(problem)) {
      if (context.stop.stop_requested()) return fail(ErrorCode::stopped, "planning was stopped");
      const PoolId pool = problem.poolOf(id);
      plan.addresses[id] = Address{pool, RegionId(assign(problem, id, objects[pool])), Bytes()};
    }
    return plan;
  }

  std::vector<StayId> orderOf(const Problem& problem) const {
    std::vector<StayId> order = problem.stays.keys().toVector();
    std::ranges::stable_sort(order, [&](StayId a, StayId b) {
      const Stay& left = problem.stays[a];
      const Stay& right = problem.stays[b];
      return bySize_ ? left.size > right.size : left.steps.begin < right.steps.begin;
    });
    return order;
  }

  std::optional<Decision> recount(const Problem& problem, const Plan&, StayId stay) const override {
    const PoolId pool = problem.poolOf(stay);
    std::vector<Object> objects;
    std::size_t turn = 0;
    for (const StayId id : orderOf(problem)) {
      ++turn;
      if (problem.poolOf(id) != pool) continue;
      const std::vector<Object> before = id == stay ? objects : std::vector<Object>();
      const std::size_t taken = assign(problem, id, objects);
      if (id != stay) continue;
      Decision decision = account(problem, stay, before, taken);
      decision.when = fmt::format("assigned {} of {}, {}", ordinal(turn), problem.stays.size(),
                                  bySize_ ? "largest first" : "as they are produced");
      return decision;
    }
    return std::nullopt;
  }

  static Decision account(const Problem& problem, StayId stay, const std::vector<Object>& objects,
                          std::size_t taken) {
    const PoolId pool = problem.poolOf(stay);
    const Bytes size = problem.stays[stay].size;
    const auto live = problem.liveSteps(stay);
    Decision decision{.decided = taken < objects.size()
                                     ? "the idle object closest in size, the first of equals"
                                     : "no object is idle during its whole life: a new one"};
    for (std::size_t i = 0; i < objects.size(); ++i) {
      Candidate candidate{.kind = fmt::format("object {}", i),
                          .address = Address{pool, RegionId(i), Bytes()},
                          .room = objects[i].size()};
      const Bytes more = objects[i].size() - size;
      candidate.verdict = i == taken                ? Verdict::chosen
                          : objects[i].isIdle(live) ? Verdict::lessGood
                                                    : Verdict::taken;
      candidate.reason = candidate.verdict == Verdict::taken ? "in use during its life"
                         : more < Bytes() ? countBytes(Bytes() - more) + " smaller: it would grow"
                                          : countBytes(more) + " to spare";
      addCandidate(decision, std::move(candidate));
    }
    if (taken == objects.size()) {
      addCandidate(decision, {.kind = fmt::format("new object {}", taken),
                              .address = Address{pool, RegionId(taken), Bytes()},
                              .reason = "as large as the tensor"});
    }
    return decision;
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
  return std::make_unique<SharedObjects>(params.text(kOrder) == "size");
}

}  // namespace hw
