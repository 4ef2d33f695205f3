#pragma once

#include <cstdint>
#include <memory>
#include <span>
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

  /// Begins anew and breaks ties by `order`, a permutation of the boxes.
  virtual void start(std::span<const std::uint32_t> order) = 0;

  /// Looks at about `nodes` more placements.
  virtual SearchOutcome run(std::int64_t nodes) = 0;

  /// Placements looked at so far, over all starts.
  virtual std::int64_t nodes() const = 0;
  /// By box, in units; those of a solution once `run` returned `found`.
  virtual std::vector<std::int64_t> offsets() const = 0;
  /// By section: how often it had no room for what was left, since the last start.
  virtual const std::vector<std::uint32_t>& failures() const = 0;
};

/// True if a search of so many boxes would take more memory than it may, unless what is left falls
/// into parts.
bool isTooLarge(const Boxes& boxes);

/// A search that has not been started. Keeps a reference to `boxes`.
std::unique_ptr<Search> makeSearch(const Boxes& boxes, Bytes capacity);

}  // namespace hw::exact
