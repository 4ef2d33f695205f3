#include "core/pairs/pair_sharing.h"

#include <algorithm>

namespace hw {

namespace {

/// Bytes that a pair shares at most although it is apart.
std::int64_t sharedApart(const PairField& field, std::uint32_t block, const PairField::Edge& edge) {
  const std::int64_t one = field.size[block] - edge.below;
  const std::int64_t two = field.size[edge.other] - edge.above;
  const std::int64_t least = std::min(field.size[block], field.size[edge.other]);
  return std::clamp<std::int64_t>(std::max(one, two), 0, least);
}

}  // namespace

PairSharing::PairSharing(const PairField& field, const std::vector<std::uint32_t>& blocks)
    : count_(blocks.size()), entries_(blocks.size() * blocks.size()) {
  constexpr std::uint32_t kOutside = ~std::uint32_t{0};
  std::vector<std::uint32_t> numbers(field.count(), kOutside);
  for (std::uint32_t i = 0; i < blocks.size(); ++i) numbers[blocks[i]] = i;
  for (std::uint32_t i = 0; i < blocks.size(); ++i) {
    for (std::uint32_t j = 0; j < blocks.size(); ++j) {
      entry(i, j).free = std::min(field.size[blocks[i]], field.size[blocks[j]]);
    }
    for (const PairField::Edge& edge : field.edges[blocks[i]]) {
      if (numbers[edge.other] == kOutside) continue;
      Entry& found = entry(i, numbers[edge.other]);
      const std::int64_t apart = sharedApart(field, blocks[i], edge);
      // A pair may be listed several times: whoever pays the cheapest once may share the most.
      const std::int64_t most = found.free + found.gain;
      const std::int64_t allowed = edge.hard ? std::min(most, apart) : most;
      found.free = std::min(found.free, apart);
      found.gain = allowed - found.free;
      if (edge.hard) continue;
      found.cost = found.cost == 0 ? edge.cost : std::min(found.cost, edge.cost);
    }
  }
  for (std::uint32_t i = 0; i < blocks.size(); ++i) {
    for (std::uint32_t j = i + 1; j < blocks.size(); ++j) {
      if (entry(i, j).gain == 0) continue;
      entry(i, j).pair = entry(j, i).pair = static_cast<std::uint32_t>(costs_.size());
      costs_.push_back(entry(i, j).cost);
    }
  }
}

PairSharing::Wide PairSharing::forced(Wide total, std::int64_t room) {
  if (room <= 0 || total <= room) return 0;
  const Wide layers = total / room;
  return layers * (layers - 1) / 2 * room + layers * (total % room);
}

}  // namespace hw
