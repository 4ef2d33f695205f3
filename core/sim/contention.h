#pragma once

#include <span>
#include <vector>

#include "core/base/small_list.h"
#include "core/sim/activity.h"
#include "core/sim/cost_model.h"

namespace hw {

/// Speed of a flow that nothing slows down: others are fractions of it.
inline constexpr Wide kFullSpeed = Wide{1} << 40;

/// The need of an activity at one port: the time that the port would take for it alone.
struct PortNeed {
  std::uint32_t port = 0;  ///< Of the list; behind them, the engines with a bandwidth of their own.
  SimTime time{};
};

/// The needs of an activity once its fixed part is over.
struct FlowNeed {
  SimTime length{};  ///< The longest of its compute time and its ports' times: without contention.
  Bytes most{1};     ///< Bytes at the port that moves most of them.
  SmallList<PortNeed> ports{};  ///< Distinct; none of no length.
};
FlowNeed flowNeed(const ActivityList& list, const Activity& activity);

/// The part of a port that a flow takes at full speed, as a fraction of kFullSpeed.
struct PortShare {
  std::uint32_t port = 0;
  std::int64_t share = 0;
};

/// A flow as speeds are worked out from it: its need, in fractions.
struct FlowShape {
  SimTime length{};
  Wide pace = 0;  ///< How fast its speed rises with the level.
  SmallList<PortShare> shares{};
};
FlowShape flowShape(const FlowNeed& need, Contention contention);

/// So much earlier, at most, than a port needs for so many flows they may all be over: rounding
/// lets each end 1/1024 of a picosecond early. Who adds needs up to a bound takes it off.
constexpr SimTime earlyBy(std::size_t flows) {
  return SimTime(static_cast<std::int64_t>(flows / 1024));
}

/// Activities that flow together, and how fast: integers only, so that everybody who works it out
/// gets the same. Speeds are fractions of kFullSpeed.
///
/// Flows slow down at a port that is asked for more than it has. Progressive filling: a level rises
/// from 0, each flow's speed is level / pace; flows at a port that is full stay, the others go on,
/// at full speed they stop. The pace is 1 for all (proportional), or the bytes per second that a
/// flow asks for (fair: max-min, what round-robin arbiters do). In order, whoever is earlier in the
/// program takes what it can use, and those behind it what is left, which may be nothing.
class Flows {
 public:
  explicit Flows(const ActivityList& list, Contention contention);

  bool empty() const { return running_ == 0; }
  /// `id` flows from now on; its shape has a length.
  void begin(ActivityId id, const FlowShape& shape, SimTime now);
  /// When the first of them ends; kMaxTime at the latest. There has to be one. Works out speeds
  /// anew if flows began or ended.
  SimTime nextEnd(SimTime now);
  /// Takes out those that end then, in no order.
  void takeEnded(SimTime now, std::vector<ActivityId>& ended);
  /// Calls `visit(id, speed)` for each that flows, in no order: its speed as `nextEnd` left it.
  template <class Visit>
  void visitSpeeds(const Visit& visit) const {
    for (std::size_t i = 0; i < running_; ++i) visit(flows_[i].id, flows_[i].speed);
  }

 private:
  struct Flow {
    ActivityId id{};
    Wide rest = 0;  ///< As of `since`: full speed takes kFullSpeed of it a picosecond.
    Wide speed = 0;
    Wide pace = 0;
    Wide wanted = 0;  ///< The speed being worked out; 0 while it rises.
    SimTime since{};
    SimTime end{};
    SmallList<PortShare> shares{};
  };
  /// A port while speeds are worked out.
  struct Filling {
    Wide taken = 0;   ///< By flows that stopped.
    Wide rising = 0;  ///< What a unit of level takes.
    Wide level = 0;
  };

  std::span<Flow> flows() { return std::span(flows_).first(running_); }
  void workOut(SimTime now);
  bool allAtFullSpeed();
  void fillInOrder();
  void fill();
  Wide leastLevel();
  void stop(Wide least);

  Contention contention_;
  bool changed_ = false;
  /// Those that are over stay behind the running ones: their memory is used again.
  std::vector<Flow> flows_;
  std::size_t running_ = 0;
  std::vector<Filling> ports_;
  std::vector<Flow*> order_;  ///< By number.
};

}  // namespace hw
