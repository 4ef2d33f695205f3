#include "core/sim/execute.h"

#include <algorithm>
#include <queue>

#include "core/base/check.h"
#include "core/sim/contention.h"
#include "core/sim/cost_model.h"
#include "core/sim/event_queue.h"

namespace hw {
namespace {

/// The last of the things that an activity waited for.
class Latest {
 public:
  void offer(SimTime time, WaitRule rule, ActivityId on) {
    if (cause_ && !later(time, rule, on)) return;
    time_ = time;
    cause_ = Cause{rule, on};
  }
  SimTime time() const { return time_; }
  std::optional<Cause> cause() const { return cause_; }

 private:
  bool later(SimTime time, WaitRule rule, ActivityId on) const {
    if (time != time_) return time > time_;
    return rule != cause_->rule ? rule < cause_->rule : on > cause_->activity;
  }

  SimTime time_{};
  std::optional<Cause> cause_{};
};

/// The activities that wait for the start or the end of each activity: lists in one array.
class Listeners {
 public:
  Listeners(const ActivityList& list, const Waits& waits) : first_(list.activities.size() + 1) {
    const auto each = [&](const auto& visit) {
      for (const ActivityId id : list.activities.keys()) {
        for (const Wait& wait : waits.of(id)) visit(wait.on, id);
      }
    };
    each([&](ActivityId on, ActivityId) { ++first_[on.index() + 1]; });
    for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
    ids_.resize(first_.back());
    std::vector<std::size_t> next(first_.begin(), std::prev(first_.end()));
    each([&](ActivityId on, ActivityId id) { ids_[next[on.index()]++] = id; });
  }

  std::span<const ActivityId> of(ActivityId id) const {
    return std::span(ids_).subspan(first_[id.index()], first_[id.index() + 1] - first_[id.index()]);
  }

 private:
  std::vector<std::size_t> first_;
  std::vector<ActivityId> ids_;
};

class Executor {
 public:
  Executor(const ActivityList& list, const Waits& waits, Contention contention)
      : list_(list),
        waits_(waits),
        contention_(contention),
        listeners_(list, waits),
        flows_(list, contention),
        engines_(list.engines.size()),
        states_(list.activities.size()) {
    run_.times = IdMap<ActivityId, ActivityTime>(list.activities.size());
    run_.log.reserve(turns());
    line();
  }

  Execution run(const GoOn& goOn) {
    for (const ActivityId id : list_.activities.keys()) admit(id);
    SimTime now;
    startAll(now);
    while (!flows_.empty() || !fixed_.empty()) {
      if (goOn && !isWanted(goOn)) break;
      now = flows_.empty() ? fixed_.top().time() : flows_.nextEnd(now);
      if (!fixed_.empty()) now = std::min(now, fixed_.top().time());
      endAll(now);
      startAll(now);
    }
    check(run_.stopped || run_.log.size() == turns(), "a run that comes to its end");
    run_.makespan = now;
    return std::move(run_);
  }

 private:
  std::size_t turns() const { return 2 * list_.activities.size(); }

  bool isWanted(const GoOn& goOn) {
    constexpr std::size_t kTurnsBetween = 4096;
    if (run_.log.size() < askAt_) return true;
    askAt_ = run_.log.size() + kTurnsBetween;
    run_.stopped = !goOn(static_cast<double>(run_.log.size()) / static_cast<double>(turns()));
    return !run_.stopped;
  }

  struct EngineState {
    std::vector<ActivityId> queue{};  ///< In program order.
    std::size_t next = 0;
    std::uint32_t running = 0;
    std::vector<ActivityId> done{};  ///< As they ended.
  };
  struct State {
    std::uint32_t pending = 0;  ///< So many things still have to happen.
    bool admitted = false;
    SimTime length{};           ///< Of the flow.
    ActivityId onEngine{};      ///< The one before it on its engine.
    ActivityId sequence{};      ///< That has to end.
    ActivityId order{};         ///< That has to start.
    ActivityId nextSequence{};  ///< The other way round.
    ActivityId nextOrder{};
  };

  /// The order of activities on engines, in in-order devices, and in the chain of sequential ones.
  void line() {
    ActivityId chained;
    std::vector<ActivityId> issued(list_.devices.size());
    for (const ActivityId id : list_.activities.keys()) {
      const Activity& activity = list_.activities[id];
      State& state = states_[id];
      state.pending = static_cast<std::uint32_t>(waits_.of(id).size());
      if (activity.engine != Activity::kNoEngine) {
        auto& queue = engines_[activity.engine].queue;
        if (!queue.empty()) state.onEngine = queue.back();
        queue.push_back(id);
      }
      const Issue issue = list_.devices[activity.device].issue;
      if (issue == Issue::sequential) {
        if (chained) {
          state.sequence = chained;
          states_[chained].nextSequence = id;
          ++state.pending;
        }
        chained = id;
      }
      ActivityId& before = issued[activity.device];
      if (issue == Issue::inOrder && before) {
        state.order = before;
        states_[before].nextOrder = id;
        ++state.pending;
      }
      before = id;
    }
  }

  /// Puts `id` among those that may start, if it may.
  void admit(ActivityId id) {
    State& state = states_[id];
    if (state.pending > 0 || state.admitted) return;
    const std::uint32_t engine = list_.activities[id].engine;
    if (engine != Activity::kNoEngine) {
      const EngineState& its = engines_[engine];
      if (its.queue[its.next] != id || its.running == list_.engines[engine].channels) return;
    }
    state.admitted = true;
    able_.push(id);
  }

  void admitNextOf(std::uint32_t engine) {
    if (engine == Activity::kNoEngine) return;
    const EngineState& its = engines_[engine];
    if (its.next < its.queue.size()) admit(its.queue[its.next]);
  }

  void happened(ActivityId waiting) {
    if (!waiting) return;
    --states_[waiting].pending;
    admit(waiting);
  }

  void startAll(SimTime now) {
    while (!able_.empty()) {
      const ActivityId id = able_.top();
      able_.pop();
      start(id, now);
    }
  }

  void start(ActivityId id, SimTime now) {
    const Activity& activity = list_.activities[id];
    ActivityTime& time = run_.times[id];
    time.start = now;
    explain(id, time);
    run_.log.push_back({now, id, true});
    if (activity.engine != Activity::kNoEngine) {
      ++engines_[activity.engine].next;
      ++engines_[activity.engine].running;
    }
    const FlowNeed need = flowNeed(list_, activity);
    time.flow = need.length;
    if (activity.fixed > SimTime()) {
      fixed_.push(SimEvent(addTime(now, activity.fixed), Phase::computeStart, 0,
                           static_cast<std::uint32_t>(id.index())));
    } else if (need.length > SimTime()) {
      flows_.begin(id, flowShape(need, contention_), now);
    } else {
      end(id, now);
    }
    happened(states_[id].nextOrder);
    admitNextOf(activity.engine);
  }

  void endAll(SimTime now) {
    ended_.clear();
    if (!flows_.empty()) flows_.takeEnded(now, ended_);
    while (!fixed_.empty() && fixed_.top().time() == now) {
      const ActivityId id(fixed_.pop().entity());
      if (run_.times[id].flow > SimTime()) {
        flows_.begin(id, flowShape(flowNeed(list_, list_.activities[id]), contention_), now);
      } else {
        ended_.push_back(id);
      }
    }
    std::ranges::sort(ended_);
    for (const ActivityId id : ended_) end(id, now);
  }

  void end(ActivityId id, SimTime now) {
    const std::uint32_t engine = list_.activities[id].engine;
    run_.times[id].end = now;
    run_.log.push_back({now, id, false});
    if (engine != Activity::kNoEngine) {
      --engines_[engine].running;
      engines_[engine].done.push_back(id);
    }
    for (const ActivityId listener : listeners_.of(id)) happened(listener);
    happened(states_[id].nextSequence);
    admitNextOf(engine);
  }

  /// Fills in the last wait of the activity, with and without reused bytes.
  void explain(ActivityId id, ActivityTime& time) const {
    const State& state = states_[id];
    const auto& times = run_.times;
    Latest all;
    Latest others;
    const auto offer = [&](SimTime at, WaitRule rule, ActivityId on) {
      all.offer(at, rule, on);
      if (rule != WaitRule::reuse) others.offer(at, rule, on);
    };
    for (const auto& [on, rule] : waits_.of(id)) offer(times[on].end, rule, on);
    if (state.sequence) offer(times[state.sequence].end, WaitRule::sequence, state.sequence);
    if (state.order) offer(times[state.order].start, WaitRule::order, state.order);
    if (state.onEngine) {
      time.idle = times[state.onEngine].start;
      offer(time.idle, WaitRule::order, state.onEngine);
      const std::uint32_t engine = list_.activities[id].engine;
      const auto& [queue, next, running, done] = engines_[engine];
      const auto& [name, dma, channels, bandwidth, device] = list_.engines[engine];
      // The engine is full unless that many of its activities have ended; the last of them is why.
      if (running + done.size() >= channels) {
        const ActivityId on = done[running + done.size() - channels];
        time.idle = std::max(time.idle, times[on].end);
        offer(times[on].end, dma ? WaitRule::channel : WaitRule::unit, on);
      }
    }
    time.cause = all.cause();
    time.ready = others.time();
  }

  const ActivityList& list_;
  const Waits& waits_;
  Contention contention_;
  Listeners listeners_;
  Flows flows_;
  EventQueue fixed_;  ///< Ends of fixed parts.
  std::vector<EngineState> engines_;
  IdMap<ActivityId, State> states_;
  std::priority_queue<ActivityId, std::vector<ActivityId>, std::greater<>> able_;
  std::vector<ActivityId> ended_;
  Execution run_;
  std::size_t askAt_ = 0;  ///< Turns.
};

}  // namespace

Execution execute(const ActivityList& list, const Waits& waits, Contention contention,
                  const GoOn& goOn) {
  return Executor(list, waits, contention).run(goOn);
}

}  // namespace hw
