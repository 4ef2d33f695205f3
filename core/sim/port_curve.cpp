#include "core/sim/port_curve.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"

namespace hw {
namespace {

/// Calls `visit(port, read, written)` for all that an activity moves bytes through.
template <class Visit>
void visitPorts(const ActivityList& list, const Activity& activity, const Visit& visit) {
  for (const PortUse& use : activity.ports) {
    if (use.read + use.written > Bytes()) visit(use.port, use.read, use.written);
  }
  const bool moves = activity.kind != ActivityKind::compute && activity.bytes > Bytes();
  if (!moves || activity.engine == Activity::kNoEngine) return;
  if (list.engines[activity.engine].bandwidth == 0) return;
  const std::size_t port = list.ports.size() + activity.engine;
  visit(static_cast<std::uint32_t>(port), activity.bytes, Bytes());
}

/// Plays the flows of a run again and, whenever one of those that share a port begins, ends or
/// changes its speed, sums up there what they have moved.
class FlowReplay {
 public:
  FlowReplay(const ActivityList& list, const IdMap<ActivityId, ActivityTime>& times)
      : list_(list),
        times_(times),
        flows_(list, list.contention),
        states_(list.activities.size()),
        ports_(list.ports.size() + list.engines.size()) {}

  std::vector<PortCurve> run() {
    const auto begins = listFlows();
    auto next = begins.begin();
    for (SimTime now; next != begins.end() || !flows_.empty();) {
      const SimTime ends = flows_.empty() ? kMaxTime : flows_.nextEnd(now);
      now = next == begins.end() ? ends : std::min(ends, next->first);
      endAll(now);
      for (; next != begins.end() && next->first == now; ++next) begin(next->second, now);
      takeSpeeds(now);
      closeSteps(now);
    }
    return curves();
  }

 private:
  struct FlowState {
    Wide length = 0;  ///< At full speed kFullSpeed of it passes in a picosecond.
    Wide done = 0;    ///< Of it, until `since`.
    Wide speed = 0;
    SimTime since{};
  };
  struct Member {
    ActivityId id{};
    Bytes bytes{};
    Wide counted = 0;  ///< Parts of them that are in steps.
  };
  struct PortState {
    PortCurve curve{};
    std::vector<Member> members{};  ///< That flow now, in no order.
    SimTime since{};                ///< When the step under way began.
    Wide ended = 0;                 ///< Parts in it of flows that are over.
    bool changed = false;
    bool unbounded = false;  ///< It was used in a direction that takes no time.
  };

  /// The begins of flows, in time. Counts bytes by the way.
  std::vector<std::pair<SimTime, ActivityId>> listFlows() {
    std::vector<std::pair<SimTime, ActivityId>> begins;
    for (const ActivityId id : list_.activities.keys()) {
      const Activity& activity = list_.activities[id];
      const SimTime begin = addTime(times_[id].start, activity.fixed);
      const bool flows = times_[id].flow > SimTime() && begin < times_[id].end;
      if (flows) begins.emplace_back(begin, id);
      visitPorts(list_, activity, [&](std::uint32_t index, Bytes read, Bytes written) {
        PortState& port = ports_[index];
        port.curve.bytes = addMoved(port.curve.bytes, read + written);
        if (!flows) port.curve.atOnce = addMoved(port.curve.atOnce, read + written);
        const bool engine = index >= list_.ports.size();
        raiseRoof(port, read,
                  engine ? list_.engines[activity.engine].bandwidth : list_.ports[index].read);
        raiseRoof(port, written, engine ? 0 : list_.ports[index].write);
      });
    }
    std::ranges::sort(begins);
    return begins;
  }

  static void raiseRoof(PortState& port, Bytes bytes, std::int64_t bandwidth) {
    if (bytes == Bytes()) return;
    port.unbounded |= bandwidth == 0;
    port.curve.roof = std::max(port.curve.roof, bandwidth);
  }

  void begin(ActivityId id, SimTime now) {
    const FlowShape shape = flowShape(flowNeed(list_, list_.activities[id]), list_.contention);
    flows_.begin(id, shape, now);
    states_[id] = {.length = Wide{shape.length.count()} * kFullSpeed, .since = now};
    visitPorts(list_, list_.activities[id], [&](std::uint32_t port, Bytes read, Bytes written) {
      ports_[port].members.push_back({id, read + written});
      touch(port);
    });
  }

  void endAll(SimTime now) {
    ended_.clear();
    flows_.takeEnded(now, ended_);
    for (const ActivityId id : ended_) {
      check(times_[id].end == now, "flows that end as they did in the run");
      visitPorts(list_, list_.activities[id], [&](std::uint32_t index, Bytes, Bytes) {
        PortState& port = ports_[index];
        const auto own = std::ranges::find(port.members, id, &Member::id);
        port.ended += Wide{own->bytes.count()} * kPartsPerByte - own->counted;
        *own = port.members.back();
        port.members.pop_back();
        touch(index);
      });
    }
  }

  /// Lets flows go on at the speeds that they have from now on.
  void takeSpeeds(SimTime now) {
    if (flows_.empty()) return;
    flows_.nextEnd(now);
    flows_.visitSpeeds([&](ActivityId id, Wide speed) {
      FlowState& flow = states_[id];
      if (flow.speed == speed) return;
      flow.done += Wide{(now - flow.since).count()} * flow.speed;
      flow.since = now;
      flow.speed = speed;
      visitPorts(list_, list_.activities[id],
                 [&](std::uint32_t port, Bytes, Bytes) { touch(port); });
    });
  }

  void touch(std::uint32_t port) {
    if (!ports_[port].changed) changed_.push_back(port);
    ports_[port].changed = true;
  }

  /// Parts of `bytes` that a flow has moved by now, rounded down; no product exceeds 127 bits.
  static Wide partsUntil(const FlowState& flow, Bytes bytes, SimTime now) {
    constexpr int kDigits = 62;  // Of the part that is done.
    Wide done = std::min(flow.done + Wide{(now - flow.since).count()} * flow.speed, flow.length);
    Wide length = flow.length;
    for (; length >> kDigits != 0; length >>= 1) done >>= 1;
    const Wide part = (done << kDigits) / length;
    return Wide{bytes.count()} * part / ((Wide{1} << kDigits) / kPartsPerByte);
  }

  void closeSteps(SimTime now) {
    for (const std::uint32_t index : changed_) {
      PortState& port = ports_[index];
      Wide parts = std::exchange(port.ended, 0);
      for (Member& member : port.members) {
        const Wide moved = partsUntil(states_[member.id], member.bytes, now);
        parts += moved - member.counted;
        member.counted = moved;
      }
      if (parts > 0) port.curve.steps.push_back({port.since, now, parts});
      port.since = now;
      port.changed = false;
    }
    changed_.clear();
  }

  std::vector<PortCurve> curves() {
    std::vector<PortCurve> curves;
    for (std::size_t i = 0; i < ports_.size(); ++i) {
      PortCurve& curve = ports_[i].curve;
      if (curve.bytes == Bytes()) continue;
      curve.port = static_cast<std::uint32_t>(i);
      if (ports_[i].unbounded) curve.roof = 0;
      curves.push_back(std::move(curve));
    }
    return curves;
  }

  const ActivityList& list_;
  const IdMap<ActivityId, ActivityTime>& times_;
  Flows flows_;
  IdMap<ActivityId, FlowState> states_;
  std::vector<PortState> ports_;
  std::vector<std::uint32_t> changed_;
  std::vector<ActivityId> ended_;
};

}  // namespace

double PortCurve::mean(SimTime time) const {
  if (time <= SimTime()) return 0;
  return bytes.real() * 1e12 / time.real();
}

double PortCurve::peak() const {
  double most = 0;
  for (const PortStep& step : steps) most = std::max(most, step.bytesPerSecond());
  return most;
}

std::optional<double> PortCurve::ofRoof(double bytesPerSecond) const {
  if (roof == 0) return std::nullopt;
  return bytesPerSecond / static_cast<double>(roof);
}

std::vector<PortCurve> portCurves(const ActivityList& list,
                                  const IdMap<ActivityId, ActivityTime>& times) {
  return FlowReplay(list, times).run();
}

std::vector<ActivityId> flowsAt(const ActivityList& list,
                                const IdMap<ActivityId, ActivityTime>& times, std::uint32_t port,
                                SimTime time) {
  std::vector<ActivityId> ids;
  for (const ActivityId id : times.keys()) {
    const Activity& activity = list.activities[id];
    if (time >= times[id].end || time < addTime(times[id].start, activity.fixed)) continue;
    visitPorts(list, activity, [&](std::uint32_t own, Bytes, Bytes) {
      if (own == port) ids.push_back(id);
    });
  }
  return ids;
}

const std::string& portName(const ActivityList& list, std::size_t port) {
  return port < list.ports.size() ? list.ports[port].name
                                  : list.engines[port - list.ports.size()].name;
}

}  // namespace hw
