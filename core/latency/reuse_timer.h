#pragma once

#include <span>
#include <vector>

#include "core/latency/timed_work.h"
#include "core/sim/event_queue.h"

namespace hw {

/// Lets activities start only while there is room for what they open, wherever it may lie: a run in
/// which stays need bytes but no addresses. Whoever comes early may take room as long as all that
/// the program opens before it still finds some, so that nothing locks up (the banker's algorithm,
/// Dijkstra 1965). The capacities hold what is live together at every step.
class RoomGate {
 public:
  /// Keeps references. `capacities` by pool.
  RoomGate(const TimedWork& work, std::span<const Bytes> capacities);

  /// Nothing has started.
  void reset();
  /// Takes the room for what `activity` opens; false when there is not enough yet.
  bool take(std::uint32_t activity);
  /// `activity` has ended. Whether there may be room now for who had none.
  bool leave(std::uint32_t activity);

 private:
  using Profile = std::vector<Bytes>;  ///< By step: what is open then, in the order of the program.

  void add(std::uint32_t stay, Step begin, Step end, bool leaving);
  bool hasRoom(std::uint32_t stay) const;

  const TimedWork& work_;
  std::span<const Bytes> capacities_;
  std::vector<Profile> live_;     ///< By pool: as the program has it.
  std::vector<Profile> profile_;  ///< By pool: with what was opened early, without what is over.
  std::vector<std::uint32_t> inStep_;   ///< By step: so many activities.
  std::vector<std::uint32_t> unended_;  ///< By step: so many of them have not ended.
  std::vector<char> open_;              ///< By stay: has been opened.
  Step now_{};                          ///< The first step that has not ended.
};

/// The timer of a run whose stays lie at given offsets: it gives the same times to the
/// picosecond as `execute` gives with the hazards of these addresses, many times faster. Keeps a
/// reference to its work; not for several threads at once.
class ReuseTimer {
 public:
  /// The offset of a stay that has no place yet: nobody waits for it.
  static constexpr Bytes kNowhere{-1};

  explicit ReuseTimer(const TimedWork& work);

  /// Works out who waits for whom when stays lie there, by stay. Stays that are live together must
  /// not meet. O(n log n) for few tenants side by side.
  void place(std::span<const Bytes> offsets);
  /// Nothing is reused: as if every stay had bytes of its own.
  void placeApart();
  /// Lets `activity` wait for the end of `other`, too, which is earlier; until the next `place`.
  void order(std::uint32_t other, std::uint32_t activity);

  /// When the last activity ends if nobody slows anybody down. One pass.
  SimTime alone();
  /// When it ends with contention, as the machine has it.
  SimTime contended();
  /// The same with the waits there are and those for room, of which each activity takes what it
  /// opens: mostly after `placeApart`.
  SimTime gated(RoomGate& gate);

  /// Times of the activities, as the last of the two had them.
  SimTime startOf(std::uint32_t activity) const { return starts_[activity]; }
  SimTime endOf(std::uint32_t activity) const { return ends_[activity]; }

  /// Calls `visit` with whom `activity` waits for, the one before it in its lane among them.
  template <class Visit>
  void forEachWait(std::uint32_t activity, const Visit& visit) const {
    const std::uint32_t* slots = slots_.data() + activity * work_.lanes.size();
    for (std::size_t i = 0; i < work_.lanes.size(); ++i) {
      if (slots[i] > 0) visit(slots[i] - 1);
    }
    for (const std::uint32_t other : loose_.of(activity)) visit(other);
    for (std::uint32_t at = extraOf_[activity]; at != kNone; at = extra_[at].next) {
      visit(extra_[at].on);
    }
  }
  /// The same without those that reuse made.
  template <class Visit>
  void forEachOwnWait(std::uint32_t activity, const Visit& visit) const {
    const std::uint32_t* slots = own_.data() + activity * work_.lanes.size();
    for (std::size_t i = 0; i < work_.lanes.size(); ++i) {
      if (slots[i] > 0) visit(slots[i] - 1);
    }
    for (const std::uint32_t other : loose_.of(activity)) visit(other);
  }

 private:
  static constexpr std::uint32_t kNone = kNoActivity;
  static constexpr SimTime kNotYet{-1};

  /// From `begin` up to the next piece, `tenant` was the last to have the bytes.
  struct Piece {
    Bytes begin{};
    std::uint32_t tenant = 0;
  };
  struct Extra {
    std::uint32_t on = 0;
    std::uint32_t next = 0;
  };
  struct EngineState {
    std::uint32_t next = 0;  ///< Of its queue.
    std::uint32_t running = 0;
  };

  void moveIn(std::uint32_t stay, Bytes offset);
  void follow(std::uint32_t stay, std::uint32_t tenant);
  SimTime roomOn(std::uint32_t engine, SimTime start);

  void prepare();
  SimTime runAll();
  void examine(std::uint32_t activity);
  bool watches(std::uint32_t activity, std::uint32_t other);
  void examineNext(std::uint32_t engine);
  void wake(std::uint32_t& first);
  void startAll(SimTime now);
  void start(std::uint32_t activity, SimTime now);
  void endAll(SimTime now);
  void end(std::uint32_t activity, SimTime now);
  void askForRoom();

  const TimedWork& work_;
  /// By activity and lane: one more than the last that is waited for there; 0: none.
  std::vector<std::uint32_t> own_;
  std::vector<std::uint32_t> slots_;
  NumberLists loose_;                   ///< Waits for activities in no lane.
  std::vector<std::uint32_t> extraOf_;  ///< The same that reuse made: into `extra_`.
  std::vector<Extra> extra_;
  std::vector<std::vector<Piece>> pieces_;  ///< By pool.
  std::vector<SimTime> starts_;
  std::vector<SimTime> ends_;

  std::vector<std::vector<std::uint32_t>> queues_;  ///< By engine.
  std::vector<std::vector<SimTime>> latest_;        ///< By engine: its last ends, ascending.
  std::vector<EngineState> engines_;
  /// By activity: the first of those that were found to wait for its end, or its start; `next_` has
  /// the others. Each watches one that has not happened, until it has.
  std::vector<std::uint32_t> awaitsEnd_;
  std::vector<std::uint32_t> awaitsStart_;
  std::vector<std::uint32_t> next_;
  std::vector<std::uint32_t> able_;
  RoomGate* gate_ = nullptr;
  std::vector<std::uint32_t> roomless_;  ///< Who could start but for room.
  std::vector<ActivityId> ended_;
  Flows flows_;
  EventQueue fixed_;
};

}  // namespace hw
