#pragma once

#include <optional>

#include "core/latency/lane_mixes.h"

namespace hw {

/// One activity, `before`, ends before another starts; it is earlier in the program, too.
struct ActivityOrder {
  std::uint32_t before = 0;
  std::uint32_t after = 0;
};

/// Orders that hold whatever the addresses, of activities that end before others start: those that
/// waits ask for, and those that the capacities add (see `capacityBound`). Not for several threads
/// at once.
class ForcedOrders {
 public:
  /// Keeps references. `capacities` by pool; nothing: unbounded.
  ForcedOrders(const TimedWork& work, std::span<const std::optional<Bytes>> capacities);

  /// No run is shorter in which the orders `given` hold: the longest path once everything that
  /// follows from them and the capacities is ordered, where nothing starts before every port, and a
  /// lane of moves together with a chain of computes, can have done what has to end before.
  SimTime bound(std::span<const ActivityOrder> given = {});

  /// The same for runs that go on like the last one of `timer` up to `moment`, which is no earlier
  /// than 0.
  SimTime boundAfter(SimTime moment);

  /// The orders of the last bound, those given among them.
  const std::vector<ActivityOrder>& orders() const { return orders_; }
  /// True if they and all waits have `other` end before `activity` starts.
  bool isBefore(std::uint32_t other, std::uint32_t activity) const {
    return related_.isBefore(other, activity);
  }
  /// A timer in which everybody waits as the last bound has it.
  ReuseTimer& timer() { return timer_; }

 private:
  void order(std::uint32_t other, std::uint32_t activity);
  bool forceAll();
  bool force(std::uint32_t activity);
  std::uint32_t lastForced(std::uint32_t activity, const std::vector<std::uint32_t>& path);
  SimTime pathWithPorts(SimTime moment);
  SimTime portsDone(const std::vector<SimTime>& starts);
  std::size_t latestLane(const std::vector<SimTime>& starts) const;
  SimTime move(std::uint32_t activity);
  bool isOpen(std::uint32_t stay, std::uint32_t activity) const;
  bool isNeeded(std::uint32_t stay, std::uint32_t activity) const;
  void sumOpenAt();
  bool tooMuchWith(std::uint32_t activity, std::uint32_t other);
  bool tooMuch(std::uint32_t activity, std::uint32_t last, std::uint32_t next);
  std::vector<std::uint32_t> longestChain() const;

  const TimedWork& work_;
  std::span<const std::optional<Bytes>> capacities_;
  std::size_t lanes_;
  ReuseTimer timer_;
  LaneOrders related_;
  LaneMixes mixes_;
  std::vector<ActivityOrder> orders_;
  std::vector<std::int64_t> lastIn_;     ///< By stay and lane: its last exit there; -1: none.
  std::vector<std::uint32_t> lastExit_;  ///< By stay.
  /// Lists of activities that end one after the other: every lane, and the longest chain of waits
  /// that leads through several lanes.
  std::vector<std::vector<std::uint32_t>> paths_;
  std::vector<std::uint32_t> nearby_;  ///< Stays that may be open just then, as they are opened.
  std::vector<Bytes> openAt_;          ///< By activity and pool: certainly, while it runs.
  std::vector<std::uint32_t> firstLoose_;  ///< By activity: all before that one end before it.
  std::vector<Bytes> used_;
  std::vector<std::uint32_t> ended_;
  std::vector<SimTime> moved_;  ///< By port.
  LaneMixes::Weights mixed_{};  ///< By mix.
  std::int64_t looks_ = 0;
};

}  // namespace hw
