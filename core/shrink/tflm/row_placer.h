#pragma once

#include <cstdint>
#include <vector>

#include "core/shrink/tflm/row_program.h"

namespace hw {

/// Offsets for blocks of memory whose live bytes change in time.
struct RowPlacement {
  /// Of row 0 of each block, a multiple of 16. Below 0 where no view has that row: no byte of a
  /// view lies below 0.
  std::vector<std::int64_t> offsets{};
  std::int64_t head = 0;  ///< One past the highest byte of any view, rounded up to 16.
};

/// No placement of the blocks has a lower head: the most bytes that are live at once.
std::int64_t rowBound(const std::vector<RowShape>& shapes);

/// Searches for offsets such that no two bytes that are live at the same time lie in one place.
///
/// Each pair of blocks that are live together rules out some distances between their offsets.
/// Blocks take the lowest offset that is left, one after the other in an order; the order is
/// improved by moving blocks that lie at the top further to the front, `tries` times, or until the
/// head is as low as the bound. Deterministic.
class RowPlacer {
 public:
  explicit RowPlacer(const std::vector<RowShape>& shapes);

  std::int64_t bound() const { return bound_; }
  RowPlacement place(std::size_t tries) const;

 private:
  class Climb;
  struct Range {  ///< Distances that are ruled out, both ends excluded.
    std::int64_t low = 0;
    std::int64_t high = 0;
  };
  struct Neighbour {
    std::size_t block = 0;
    std::vector<Range> ranges{};  ///< Of its offset above this one's.
  };

  void addPair(std::size_t a, std::size_t b);
  std::int64_t lowest(std::size_t block, const std::vector<std::int64_t>& offsets,
                      std::vector<Range>& taken) const;
  std::int64_t placeInOrder(const std::vector<std::size_t>& order,
                            std::vector<std::int64_t>& offsets) const;
  std::vector<std::vector<std::size_t>> firstOrders() const;

  const std::vector<RowShape>& shapes_;
  std::vector<std::vector<Neighbour>> neighbours_;
  std::int64_t bound_ = 0;
};

}  // namespace hw
