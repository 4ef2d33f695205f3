#include "core/insight/better_orders.h"

#include <algorithm>
#include <set>

namespace hw {
namespace {

/// Tensors looked at around one step, largest first: what is small cannot help much.
constexpr std::size_t kMostTensors = 48;
constexpr std::size_t kMostRounds = 8;
/// How many steps away from its own the operator at the peak is tried.
constexpr std::int64_t kReach = 16;

/// What orders are judged by: the buffers of the run, live as a schedule has it.
class Judge {
 public:
  explicit Judge(const Run& run) : run_(run), precedence_(precedenceOf(run.graph())) {}

  struct Verdict {
    Bytes peak{};          ///< Most bytes live at one step.
    Step step{};           ///< The first at which that is so.
    std::size_t wide = 0;  ///< How many steps have as many.
    friend auto operator<=>(const Verdict& a, const Verdict& b) {
      return std::pair(a.peak, a.wide) <=> std::pair(b.peak, b.wide);
    }
    friend bool operator==(const Verdict& a, const Verdict& b) {
      return a.peak == b.peak && a.wide == b.wide;
    }
  };

  Verdict verdict(const Schedule& schedule) const {
    const auto lives = lifetimes(run_.graph(), schedule);
    std::vector<std::int64_t> change(schedule.order.size() + 2);
    for (const Buffer& buffer : run_.storage.buffers) {
      const Interval<Step> steps = stepsOf(buffer, lives);
      const std::int64_t size = alignUp(buffer.size, run_.sharing.alignment).count();
      change[static_cast<std::size_t>(steps.begin.count())] += size;
      change[static_cast<std::size_t>(steps.end.count())] -= size;
    }
    Verdict found;
    std::int64_t live = 0;
    for (std::size_t step = 0; step < schedule.order.size(); ++step) {
      live += change[step];
      if (Bytes(live) > found.peak) {
        found = {.peak = Bytes(live), .step = Step(static_cast<std::int64_t>(step)), .wide = 0};
      }
      if (Bytes(live) == found.peak) ++found.wide;
    }
    return found;
  }

  /// The largest buffers that are live at `step`.
  std::vector<BufferId> liveAt(const Schedule& schedule, Step step) const {
    const auto lives = lifetimes(run_.graph(), schedule);
    std::vector<BufferId> live;
    for (const BufferId id : run_.storage.buffers.keys()) {
      if (stepsOf(run_.storage.buffers[id], lives).contains(step)) live.push_back(id);
    }
    std::ranges::stable_sort(live, std::greater{},
                             [&](BufferId id) { return run_.storage.buffers[id].size; });
    live.resize(std::min(live.size(), kMostTensors));
    return live;
  }

  const Precedence& precedence() const { return precedence_; }
  const Run& run() const { return run_; }

 private:
  static Interval<Step> stepsOf(const Buffer& buffer,
                                const IdMap<TensorId, Interval<Step>>& lives) {
    Interval<Step> steps = lives[buffer.root];
    for (const TensorId id : buffer.tensors) {
      steps = {std::min(steps.begin, lives[id].begin), std::max(steps.end, lives[id].end)};
    }
    return steps;
  }

  const Run& run_;
  Precedence precedence_;
};

/// Moves that change who is live at `step`.
class Moves {
 public:
  Moves(const Judge& judge, const Schedule& schedule, Step step)
      : judge_(judge), schedule_(schedule), step_(step) {
    for (const BufferId id : judge.liveAt(schedule, step)) {
      for (const TensorId tensor : judge.run().storage.buffers[id].tensors) around(tensor);
    }
    for (std::int64_t reach = 1; reach <= kReach; ++reach) {
      add(peakOp(), step_ - Step(reach), OpMove::Side::before);
      add(peakOp(), step_ + Step(reach), OpMove::Side::after);
    }
  }

  const std::vector<OpMove>& all() const { return moves_; }

 private:
  OpId peakOp() const { return schedule_.opAt(step_); }

  /// Makes `tensor` later, or reads it for the last time earlier; next to the peak's op on either
  /// side, since that may be the one that should go.
  void around(TensorId id) {
    const Tensor& tensor = judge_.run().graph().tensors[id];
    if (tensor.producer && schedule_.stepOf[tensor.producer] <= step_) {
      add(tensor.producer, step_, OpMove::Side::after);
      add(tensor.producer, step_ + Step(1), OpMove::Side::after);
    }
    for (const OpId reader : tensor.consumers) {
      if (schedule_.stepOf[reader] <= step_) continue;
      add(reader, step_, OpMove::Side::before);
      add(reader, step_ - Step(1), OpMove::Side::before);
    }
  }

  void add(OpId op, Step anchor, OpMove::Side side) {
    if (anchor < Step() || anchor >= schedule_.steps()) return;
    const OpMove move{.op = op, .anchor = schedule_.opAt(anchor), .side = side};
    if (move.op == move.anchor) return;
    if (seen_.insert({op, move.anchor, side}).second) moves_.push_back(move);
  }

  const Judge& judge_;
  const Schedule& schedule_;
  Step step_;
  std::set<std::tuple<OpId, OpId, OpMove::Side>> seen_;
  std::vector<OpMove> moves_;
};

struct Promise {
  std::vector<OpMove> moves{};
  Schedule schedule{};
  Judge::Verdict verdict{};
};

/// Every move around `steps` that leads to an order of its own, best first.
std::vector<Promise> promises(const Judge& judge, const Schedule& schedule,
                              const std::vector<Step>& steps, const std::stop_token& stop) {
  std::vector<Promise> found;
  std::set<std::vector<OpId>> orders = {schedule.order};
  for (const Step step : steps) {
    const Moves moves(judge, schedule, step);
    for (const OpMove& move : moves.all()) {
      if (stop.stop_requested()) break;
      auto next = moved(schedule, judge.precedence(), move);
      if (!next || !orders.insert(next->order).second) continue;
      const auto verdict = judge.verdict(*next);
      found.push_back({{move}, *std::move(next), verdict});
    }
  }
  std::ranges::stable_sort(found, {}, &Promise::verdict);
  return found;
}

/// The best move again and again, as long as it makes something smaller.
std::vector<OpMove> followBest(const Judge& judge, Promise promise, const std::stop_token& stop) {
  std::vector<OpMove> moves = promise.moves;
  for (std::size_t round = 1; round < kMostRounds && !stop.stop_requested(); ++round) {
    auto next = promises(judge, promise.schedule, {promise.verdict.step}, stop);
    if (next.empty() || !(next.front().verdict < promise.verdict)) break;
    promise = std::move(next.front());
    moves.push_back(promise.moves.front());
  }
  return moves;
}

/// Where memory is fullest: most bytes live, and, which fragmentation makes differ, the steps that
/// make the pools as large as they are.
std::vector<Step> fullSteps(const Run& run, const Judge::Verdict& verdict) {
  std::vector<Step> steps = {verdict.step};
  for (const PoolId pool : run.problem.pools.keys()) {
    const PoolMetrics& metrics = run.metrics.pools[pool];
    const Step step = metrics.atTop.step;
    if (metrics.stays == 0 || std::ranges::find(steps, step) != steps.end()) continue;
    steps.push_back(step);
  }
  return steps;
}

}  // namespace

std::vector<std::vector<OpMove>> betterOrders(const Run& run, std::size_t limit,
                                              const std::stop_token& stop) {
  std::vector<std::vector<OpMove>> found;
  if (run.schedule.order.empty() || limit == 0) return found;
  const Judge judge(run);
  const auto now = judge.verdict(run.schedule);
  Bytes footprint;
  for (const PoolId pool : run.problem.pools.keys()) footprint += run.plan.footprint(pool);
  // A plan that is only a part of one may be smaller than what is live.
  footprint = std::max(footprint, now.peak);
  auto all = promises(judge, run.schedule, fullSteps(run, now), stop);
  std::erase_if(all, [&](const Promise& each) { return each.verdict.peak >= footprint; });
  if (all.empty()) return found;
  const std::vector<OpMove> several = followBest(judge, all.front(), stop);
  if (several.size() > 1) found.push_back(several);
  for (const Promise& each : all) {
    if (found.size() >= limit) break;
    found.push_back(each.moves);
  }
  return found;
}

}  // namespace hw
