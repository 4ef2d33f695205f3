#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/solver/exact/jigsaw.h"

namespace hw::exact {

/// The sets of numbers, as bits, that add up to 0 while no fewer of them do; fewest first. Of at
/// most 20 numbers.
std::vector<std::uint32_t> leastSums(const std::vector<std::int64_t>& numbers);

/// Who lies against whom at a moment. What ends there and what begins there hand bytes over from
/// one side to the other: where the sizes of some that end add up to those of some that begin, and
/// no fewer of these do, they most likely lie on the two sides of one vertical *seam*.
class Seams {
 public:
  using Item = Jigsaw::Item;

  enum class Relation : std::uint8_t {
    apart,    ///< Each has a seam without the other.
    unknown,  ///< Too many begin and end there, or nothing adds up.
    loosely,  ///< All that begins and ends there is one seam, with something that was not found.
    together,
  };

  explicit Seams(const Jigsaw& jigsaw) : jigsaw_(jigsaw), known_(jigsaw.moments() + 1) {}

  /// Of two that begin, or end, at `moment`.
  Relation relation(std::uint32_t moment, Item a, Item b);
  /// On how many seams `item`, which begins or ends at `moment`, may lie; 0: unknown.
  std::size_t count(std::uint32_t moment, Item item);

 private:
  struct Known {
    std::optional<std::uint32_t> change{};  ///< The latest there when it was looked at.
    std::vector<Item> items{};              ///< The last stands for what was not found, if `open`.
    std::vector<std::uint32_t> sums{};      ///< Sets of items, fewest first.
    bool open = false;
  };
  const Known& look(std::uint32_t moment);

  const Jigsaw& jigsaw_;
  std::vector<Known> known_;
};

}  // namespace hw::exact
