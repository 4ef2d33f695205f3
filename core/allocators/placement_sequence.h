#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/base/id.h"
#include "core/base/interval.h"
#include "core/base/quantity.h"

/// What a placement sequence is made of: docs/methods.md §5.
namespace hw::sequences {

/// In order of preference among placements that lead to equal areas.
enum class Kind : std::uint8_t { overlay, gap, above, below };

inline std::string_view kindName(Kind kind) {
  constexpr std::string_view kNames[] = {"overlay", "in a gap", "grow above", "grow below"};
  return kNames[static_cast<std::size_t>(kind)];
}

/// The bytes in use so far, gaps included. Addresses may be negative: growing below moves `begin`.
using Area = Interval<Bytes>;

/// One way to place a tensor after those before it.
struct Placement {
  Kind kind{};
  Bytes offset{};
  Bytes slack{};   ///< Of the gap it is in, or of the block it lies over.
  Area area{};     ///< That it leads to.
  Bytes held{};    ///< What it keeps others off: its size, or the whole block it lies over.
  StayId under{};  ///< The input it lies over.
};

/// docs/methods.md §5: smaller area, then kind, then tighter gap, then lower address.
inline auto priority(const Placement& p) {
  return std::tuple(p.area.length(), p.kind, p.slack, p.offset);
}

/// The multiple of `alignment` next to `value`, which may be negative.
inline Bytes alignBelow(Bytes value, Bytes alignment) {
  const std::int64_t rest = value.count() % alignment.count();
  return Bytes(value.count() - (rest < 0 ? rest + alignment.count() : rest));
}
inline Bytes alignAbove(Bytes value, Bytes alignment) {
  return alignBelow(value + alignment - Bytes(1), alignment);
}

/// The blocks that are live at the stay being placed, in address order.
class LiveBlocks {
 public:
  struct Block {
    Interval<Bytes> bytes{};
    Step end{};
  };

  void clear() { blocks_.clear(); }
  void add(const Block& block) {
    blocks_.insert(std::ranges::upper_bound(blocks_, block.bytes, {}, &Block::bytes), block);
  }
  void dropEnded(Step now) {
    std::erase_if(blocks_, [&](const Block& block) { return block.end <= now; });
  }
  const std::vector<Block>& blocks() const { return blocks_; }

 private:
  std::vector<Block> blocks_;
};

}  // namespace hw::sequences
