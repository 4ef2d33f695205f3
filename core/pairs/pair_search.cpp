#include "core/pairs/pair_search.h"

#include <algorithm>
#include <limits>

#include "core/pairs/pair_allowance.h"

namespace hw {
namespace {

bool areApart(const std::vector<Bytes>& offsets, std::size_t block, const PairModel::Apart& apart) {
  const Bytes distance = offsets[block] - offsets[apart.other];
  return distance <= Bytes() - apart.below || distance >= apart.above;
}

bool isAllowed(const PairModel& model, std::size_t block, Bytes offset) {
  const PairModel::Block& asked = model.blocks[block];
  if (asked.fixed && offset != *asked.fixed) return false;
  if (offset < Bytes() || offset > model.capacity.value_or(kMaxBytes) - asked.size) return false;
  if (!asked.fixed && !isAligned(offset, asked.alignment)) return false;
  const Interval<Bytes> taken{offset, offset + asked.size};
  return std::none_of(model.reserved.begin(), model.reserved.end(),
                      [&](const Interval<Bytes>& range) { return range.overlaps(taken); });
}

}  // namespace

std::int64_t pairCost(const PairModel& model, const std::vector<Bytes>& offsets) {
  std::int64_t sum = 0;
  for (std::size_t block = 0; block < offsets.size(); ++block) {
    for (const PairModel::Penalty& penalty : model.penalties[block]) {
      if (penalty.apart.other > block || areApart(offsets, block, penalty.apart)) continue;
      const auto next = checkedAdd(sum, penalty.cost);
      if (!next) return std::numeric_limits<std::int64_t>::max();
      sum = *next;
    }
  }
  return sum;
}

Bytes pairPeak(const PairModel& model, const std::vector<Bytes>& offsets) {
  Bytes peak;
  for (std::size_t block = 0; block < offsets.size(); ++block) {
    peak = std::max(peak, offsets[block] + model.blocks[block].size);
  }
  return peak;
}

bool pairFits(const PairModel& model, const std::vector<Bytes>& offsets) {
  if (offsets.size() != model.blocks.size()) return false;
  for (std::size_t block = 0; block < offsets.size(); ++block) {
    if (!isAllowed(model, block, offsets[block])) return false;
    for (const PairModel::Apart& apart : model.conflicts[block]) {
      if (!areApart(offsets, block, apart)) return false;
    }
  }
  return true;
}

}  // namespace hw
