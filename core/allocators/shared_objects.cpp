#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/allocators/allocators.h"
#include "core/allocators/offline.h"
#include "core/solver/order_record.h"

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

/// The record of an assignment: the tensors still to come, the objects, and who has which.
class ObjectRecord {
 public:
  /// `record` outlives it; null: nothing is recorded.
  ObjectRecord(const Problem& problem, const std::vector<StayId>& order, MethodRecord* record)
      : problem_(problem), recorder_(record) {
    queue_ = recorder_.addList({.name = "to assign",
                                .summary = "in this order",
                                .columns = {"tensor", "bytes", "first", "last"}});
    candidates_ = recorder_.addList({.name = "candidates",
                                     .summary = "objects that the last tensor chose from",
                                     .columns = {"object", "bytes", "verdict", "why"}});
    for (const PoolId pool : problem.pools.keys()) {
      objects_.add(recorder_.addList({.name = "objects " + problem.pools[pool].name,
                                      .summary = "each as large as the largest it ever holds",
                                      .columns = {"object", "bytes"},
                                      .role = MethodList::Role::blocks,
                                      .pool = pool}));
    }
    mapping_ = recorder_.addList({.name = "mapping table",
                                  .summary = "which object each tensor was given",
                                  .kind = MethodList::Kind::table,
                                  .columns = {"tensor", "bytes", "object"},
                                  .role = MethodList::Role::mapping});
    for (const StayId id : order) {
      if (recorder_.rows(queue_) >= kMostQueued) break;
      const Stay& stay = problem.stays[id];
      if (recorder_.on()) {
        recorder_.append(queue_,
                         {id, stay.size, stay.steps.begin.count(), stay.steps.end.count() - 1});
      }
    }
    if (!order.empty()) recorder_.tick({}, Step(), fmt::format("{} tensors", order.size()));
  }

  bool on() const { return recorder_.on(); }

  void assigned(StayId id, std::size_t object, Bytes size, const Decision& decision) {
    const std::size_t list = objects_[problem_.poolOf(id)];
    const auto number = static_cast<std::int64_t>(object);
    while (recorder_.rows(candidates_) > 0) recorder_.erase(candidates_, 0);
    for (const Candidate& each : decision.candidates) {
      recorder_.append(candidates_, {each.kind, each.room.value_or(problem_.stays[id].size),
                                     std::string(verdictName(each.verdict)), each.reason});
    }
    if (recorder_.rows(queue_) > 0 && recorder_.row(queue_, 0).front() == MethodCell(id)) {
      recorder_.erase(queue_, 0);
    }
    recorder_.append(mapping_, {id, problem_.stays[id].size, number});
    if (object == recorder_.rows(list)) {
      recorder_.append(list, {number, size});
    } else {
      recorder_.replace(list, object, {number, size});
    }
    recorder_.tick(id, problem_.stays[id].steps.begin,
                   fmt::format("is given object {}: {}", object, decision.decided));
  }

 private:
  const Problem& problem_;
  MethodRecorder recorder_;
  std::size_t queue_ = 0;  ///< Of the record, like the next.
  std::size_t candidates_ = 0;
  std::size_t mapping_ = 0;
  IdMap<PoolId, std::size_t> objects_;
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
    const std::vector<StayId> order = orderOf(problem);
    MethodRecord record{.name = "shared-objects"};
    ObjectRecord teller(problem, order, context.record ? &record : nullptr);
    for (const StayId id : order) {
      if (context.stop.stop_requested()) return fail(ErrorCode::stopped, "planning was stopped");
      const PoolId pool = problem.poolOf(id);
      const auto before = teller.on() ? objects[pool] : std::vector<Object>();
      const std::size_t taken = assign(problem, id, objects[pool]);
      plan.addresses[id] = Address{pool, RegionId(taken), Bytes()};
      if (!teller.on()) continue;
      teller.assigned(id, taken, objects[pool][taken].size(), account(problem, id, before, taken));
    }
    if (!record.ticks.empty()) plan.records.push_back(std::move(record));
    plan.regionsAreBlocks = true;
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
