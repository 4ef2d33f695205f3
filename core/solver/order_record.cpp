#include "core/solver/order_record.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"

namespace hw {
namespace {

class OrderTeller {
 public:
  OrderTeller(const Problem& problem, PoolId pool, MethodRecord& record)
      : problem_(problem), pool_(pool), recorder_(&record) {
    queue_ = recorder_.addList({.name = "to place",
                                .summary = "in this order",
                                .columns = {"tensor", "bytes", "first", "last"}});
    candidates_ =
        recorder_.addList({.name = "candidates",
                           .summary = "places that the last tensor chose from, lowest first",
                           .columns = {"gap", "offset", "verdict", "why"},
                           .role = MethodList::Role::candidates,
                           .pool = pool});
    placed_ = recorder_.addList({.name = "placed",
                                 .summary = "who lies where, by address",
                                 .kind = MethodList::Kind::table,
                                 .columns = {"tensor", "from", "to"},
                                 .role = MethodList::Role::placed,
                                 .pool = pool});
    height_ = recorder_.addList({.name = "height",
                                 .summary = "how high that reaches",
                                 .kind = MethodList::Kind::table,
                                 .columns = {"what", "bytes"}});
  }

  void tell(const std::vector<StayId>& order, std::string_view name,
            const std::function<DecidedPlace(StayId)>& place) {
    recorder_.append(height_, {std::string("highest address"), Bytes()});
    for (const StayId id : order) {
      if (!problem_.stays[id].pinned && recorder_.rows(queue_) < kMostQueued) queue(id);
    }
    recorder_.tick({}, Step(), fmt::format("{} tensors, {}", order.size(), name));
    for (const StayId id : problem_.stays.keys()) {
      const auto& pin = problem_.stays[id].pinned;
      if (!pin || problem_.poolOf(id) != pool_) continue;
      settle(id, *pin);
      recorder_.tick(id, problem_.stays[id].steps.begin, "is pinned: it lies where it was told to");
    }
    for (const StayId id : order) {
      if (!recorder_.on()) return;
      if (!problem_.stays[id].pinned) takeTurn(id, place(id));
    }
  }

 private:
  void queue(StayId id) {
    const Stay& stay = problem_.stays[id];
    recorder_.append(queue_, {id, stay.size, stay.steps.begin.count(), stay.steps.end.count() - 1});
  }

  void takeTurn(StayId id, const DecidedPlace& placed) {
    while (recorder_.rows(candidates_) > 0) recorder_.erase(candidates_, 0);
    for (const Candidate& each : placed.decision.candidates) {
      recorder_.append(candidates_, {each.kind, each.address ? each.address->offset : Bytes(),
                                     std::string(verdictName(each.verdict)), each.reason});
    }
    if (recorder_.rows(queue_) > 0 && recorder_.row(queue_, 0).front() == MethodCell(id)) {
      recorder_.erase(queue_, 0);
    }
    settle(id, placed.offset);
    recorder_.tick(
        id, problem_.stays[id].steps.begin,
        fmt::format("lies at {}: {}", groupDigits(placed.offset.count()), placed.decision.decided));
  }

  void settle(StayId id, Bytes begin) {
    std::size_t at = 0;
    while (at < recorder_.rows(placed_) &&
           std::get<Bytes>(recorder_.row(placed_, at)[1]) <= begin) {
      ++at;
    }
    const Bytes end = begin + problem_.stays[id].size;
    top_ = std::max(top_, end);
    recorder_.insert(placed_, at, {id, begin, end});
    recorder_.replace(height_, 0, {std::string("highest address"), top_});
  }

  const Problem& problem_;
  PoolId pool_;
  Bytes top_;
  MethodRecorder recorder_;
  std::size_t queue_ = 0;  ///< Of the record, like the next.
  std::size_t candidates_ = 0;
  std::size_t placed_ = 0;
  std::size_t height_ = 0;
};

}  // namespace

MethodRecord placingRecord(const std::string& method, const Problem& problem, PoolId pool,
                           const std::vector<StayId>& order, std::string_view orderName,
                           const std::function<DecidedPlace(StayId)>& place) {
  MethodRecord record{.name = method + " " + problem.pools[pool].name};
  OrderTeller(problem, pool, record).tell(order, orderName, place);
  return record;
}

MethodRecord orderRecord(const std::string& method, const Problem& problem, PoolId pool,
                         const std::vector<StayId>& order, const OrderRule& rule) {
  Placer placer(problem, pool);
  for (const StayId id : placer.stays()) {
    if (problem.stays[id].pinned) placer.fix(id, *problem.stays[id].pinned);
  }
  return placingRecord(method, problem, pool, order, rule.name, [&](StayId id) {
    Decision decision = placer.decide(id, rule.fit);
    return DecidedPlace{placer.offsetOf(id), std::move(decision)};
  });
}

}  // namespace hw
