#pragma once

#include <functional>
#include <span>
#include <vector>

#include "core/solver/fast/rectangles.h"
#include "core/solver/fast/unplaced.h"

namespace hw {

/// Packs rectangles from the bottom up without neighbour lists.
///
/// The skyline is how high memory is filled at each step: level pieces side by side. A piece lower
/// than both its neighbours is a valley. Whatever begins and ends inside a valley can rest on its
/// floor, so the one of highest priority is put there, and its top becomes a piece of its own. A
/// valley that nothing fits into is raised to its lower neighbour: what lies below is lost.
///
///          |~~~~|   a valley       |~~~~|   b was put there     |~~~~|   nothing fits left of b
///          |    |____    ____      |    |____  __  ____         |    |____  __  ____
///      ____|         |__|          |____     |_|b|_|        ____|         |b|
///
/// Valleys do not depend on each other, so the order in which they are filled changes nothing; the
/// nearest one is taken, which keeps the work local. Every packing in which each rectangle rests on
/// another or on the ground comes out under some priorities, an optimal one among them.
///
/// O(n) valleys, each a question to `Unplaced`. Pins are ceilings until the skyline reaches them.
class Skyline {
 public:
  struct Result {
    Bytes peak{};          ///< Of what was placed.
    std::size_t placed{};  ///< Rectangles placed.
    bool complete = false;
  };
  struct Limits {
    /// Tops above it are noted in `tooHigh`.
    Bytes height = kMaxBytes;
    /// Whether to give up at the first of them.
    bool giveUp = false;
    /// Asked now and then; ends the packing.
    std::function<bool()> stopped{};
  };

  /// Keeps a reference to `rectangles`.
  explicit Skyline(const Rectangles& rectangles) : rectangles_(rectangles) {}

  /// Packs everything anew. Priorities, by position, are above zero.
  Result pack(std::span<const float> priorities, const Limits& limits);

  /// By position, of the last packing.
  const std::vector<Bytes>& offsets() const { return offsets_; }

  /// The positions that ended above the limit in the last packing.
  const std::vector<std::uint32_t>& tooHigh() const { return tooHigh_; }

 private:
  /// [begin, begin of next) filled up to `height`.
  struct Piece {
    Bytes height{};
    std::uint32_t begin = 0;  ///< Rank.
    std::uint32_t previous = 0;
    std::uint32_t next = 0;
  };
  static constexpr Bytes kWall{std::int64_t{1} << 62};  ///< Height before and after everything.

  void start(std::span<const float> priorities);
  std::uint32_t insertAfter(std::uint32_t piece, std::uint32_t begin, Bytes height);
  void remove(std::uint32_t piece);
  bool walkToValley(std::uint32_t& piece);
  std::uint32_t choose(std::uint32_t begin, std::uint32_t end, Bytes floor);
  void noteCeilings(std::uint32_t begin, std::uint32_t end, Bytes floor);
  bool raise(std::uint32_t valley);
  void cover(std::uint32_t valley, Interval<std::uint32_t> steps, Bytes height);
  Bytes restingPlace(std::uint32_t position, Bytes floor) const;

  const Rectangles& rectangles_;
  Unplaced unplaced_;
  std::vector<Piece> pieces_;
  std::vector<std::uint32_t> spare_;         ///< Pieces that may be used again.
  std::vector<Rectangles::Pin> ceilings_;    ///< Pins above the valley being filled.
  std::vector<std::uint32_t> latestPinEnd_;  ///< By pin: of it and those before it.
  std::vector<Bytes> offsets_;
  std::vector<std::uint32_t> tooHigh_;
};

}  // namespace hw
