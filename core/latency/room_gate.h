#pragma once

#include <span>
#include <vector>

#include "core/latency/timed_work.h"

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

}  // namespace hw
