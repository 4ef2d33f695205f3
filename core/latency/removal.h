#pragma once

#include <random>
#include <vector>

#include "core/latency/stay_times.h"

namespace hw {

/// Chooses which stays a search takes out of a plan, and in what order they are put back: one to
/// some thirty, around a critical reuse most of the time.
class Removal {
 public:
  static constexpr std::size_t kMost = 30;

  /// Keeps references.
  Removal(const TimedWork& work, std::mt19937_64& random);

  /// Never a pinned one; may be none. Valid until the next call.
  const std::vector<std::uint32_t>& choose(const std::vector<Bytes>& offsets,
                                           const std::vector<ReusePair>& critical);

 private:
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }
  void take(std::uint32_t stay);
  std::uint32_t seed(const std::vector<ReusePair>& critical);
  void takeAlive(std::uint32_t seed, std::size_t count);
  void takeWalk(std::uint32_t seed, std::size_t count);
  void takeOpenedAround(std::uint32_t seed, std::size_t count);
  void takeTenants(std::uint32_t seed, std::size_t count, const std::vector<Bytes>& offsets);
  void order();

  const TimedWork& work_;
  std::mt19937_64& random_;
  std::vector<std::uint32_t> opening_;  ///< By stay: its place in `work.byOpening`.
  std::vector<std::uint32_t> taken_;
  std::vector<char> isTaken_;
  std::vector<std::uint32_t> found_;
};

}  // namespace hw
