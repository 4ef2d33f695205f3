#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/solver/exact/boxes.h"

namespace hw::exact {

enum class SearchOutcome : std::uint8_t {
  found,      ///< Every box has an offset.
  exhausted,  ///< Proved: the boxes do not fit.
  paused,     ///< Its nodes are spent; `run` goes on from there.
  abandoned,  ///< Would take more memory than it may: says nothing.
};

/// A depth-first search for offsets that keep all boxes within a capacity. It can be paused after
/// any number of nodes and goes on where it was. docs/solver.md describes it.
class Search {
 public:
  virtual ~Search() = default;

  /// Looks at about `nodes` more placements.
  virtual SearchOutcome run(std::int64_t nodes) = 0;

  /// Placements looked at so far.
  virtual std::int64_t nodes() const = 0;
  /// By box, in units; those of a solution once `run` returned `found`.
  virtual std::vector<std::int64_t> offsets() const = 0;
};

/// A search that breaks ties by `order`, a permutation of the boxes. Keeps a reference to `boxes`.
std::unique_ptr<Search> makeSearch(const Boxes& boxes, const std::vector<std::uint32_t>& order,
                                   Bytes capacity);

}  // namespace hw::exact
