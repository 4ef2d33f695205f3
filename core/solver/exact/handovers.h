#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/solver/exact/boxes.h"

namespace hw::exact {

/// Boxes that were made one, because they fit together too well for it to be by chance: as one
/// they are fewer to search. What holds for them holds for the boxes they are made of; that none
/// of their plans fits says nothing.
struct Joined {
  Boxes boxes{};

  /// A box of the whole inside one that was joined.
  struct Place {
    std::uint32_t joined = 0;
    std::int64_t offset = 0;  ///< Inside it, in units.
  };
  std::vector<Place> places{};  ///< By box of the whole.
  /// The work of joining, in nodes of the search that take as long.
  std::int64_t work = 0;

  /// Offsets of the whole, in units, from those of the joined.
  std::vector<std::int64_t> offsetsOf(const std::vector<std::int64_t>& joined) const;
};

/// Joins, again and again: a box and the next that begins where it ends, both equally high (one
/// takes over the bytes of the other); and two to four that live side by side, of one length, where
/// a box as high as all of them, or two, end where they begin, or begin where they end; and four
/// around a middle, as in a wheel; and two of one life, where nothing else is left to join. Where
/// more than one way is open, what can be joined in one way only goes first. Half of the seeds do
/// so with what seems to be missing from `capacity`, too. Boxes that are aligned, pinned or have
/// gaps are left alone. Which of several equals are joined is drawn by `seed`, some times over; the
/// joining that leaves the fewest boxes is returned. Nothing is joined where there are more than
/// 5,000.
/// From about `most` nodes' worth of work on, no more is begun.
Joined joinHandovers(const Boxes& whole, Bytes capacity, std::uint64_t seed,
                     double most = std::numeric_limits<double>::infinity());

/// The number of kinds of joinings: a seed's remainder by it is its kind.
inline constexpr std::uint64_t kJoiningKinds = 12;

/// Seeds for joinings: every kind gets its share of the work, those that were any good a larger
/// one.
class JoiningTurns {
 public:
  JoiningTurns() { worth_.fill(1); }

  /// A capacity was asked for, so it may be that of the pool that all was cut from: kinds that join
  /// holes and twins, by steps, and leave no box alone, have a larger share from the start.
  void expectFull() { worth_[1] = worth_[11] = kGoodAtFirst; }

  /// Of the kind that has had the least for its share.
  std::uint64_t next();
  /// The joining of `seed`, and the search after it, took so many nodes.
  void pay(std::uint64_t seed, std::int64_t nodes) { paid_[seed % kJoiningKinds] += nodes; }
  /// The joining of `seed` found a plan.
  void reward(std::uint64_t seed) { worth_[seed % kJoiningKinds] += kReward; }

 private:
  static constexpr std::int64_t kReward = 2;
  static constexpr std::int64_t kGoodAtFirst = 3;

  std::uint64_t turns_ = 0;
  std::array<std::int64_t, kJoiningKinds> worth_{};
  std::array<std::int64_t, kJoiningKinds> paid_{};  ///< Nodes.
};

}  // namespace hw::exact
