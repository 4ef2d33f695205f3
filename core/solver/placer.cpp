#include "core/solver/placer.h"

#include <algorithm>
#include <optional>

namespace hw {
namespace {

Bytes chooseOffset(const Stay& stay, const std::vector<Placer::Other>& others, FitRule rule) {
  Bytes top;  // No byte at or above it is taken by what has been looked at.
  std::optional<Bytes> best;
  Bytes bestSlack;
  for (const Placer::Other& other : others) {
    const Bytes at = alignUp(top, stay.alignment);
    const Bytes slack = other.bytes.begin - at - stay.size;
    if (slack >= Bytes() && rule != FitRule::stacked) {
      if (rule == FitRule::first) return at;
      if (!best || slack < bestSlack) {
        best = at;
        bestSlack = slack;
      }
    }
    top = std::max(top, other.bytes.end);
  }
  return best.value_or(alignUp(top, stay.alignment));
}

}  // namespace

Placer::Placer(const Problem& problem, PoolId pool)
    : problem_(problem), neighbours_(problem, pool), offsets_(problem.stays.size()) {}

void Placer::fix(StayId stay, Bytes offset) {
  offsets_[stay.index()] = offset;
  neighbours_.insert(stay);
  peak_ = std::max(peak_, offset + problem_.stays[stay].size);
}

Bytes Placer::place(StayId id, FitRule rule) {
  neighbours_.query(id, together_);
  others_.clear();
  for (const StayId other : together_) {
    const Bytes offset = offsets_[other.index()];
    others_.push_back({{offset, offset + problem_.stays[other].size}, other});
  }
  std::ranges::sort(others_);
  const Bytes offset = chooseOffset(problem_.stays[id], others_, rule);
  fix(id, offset);
  return offset;
}

void Placer::clear() {
  neighbours_.clear();
  peak_ = Bytes();
}

bool placeInOrder(Placer& placer, const Problem& problem, const std::vector<StayId>& order,
                  FitRule rule, const std::function<bool()>& stopped) {
  for (const StayId id : placer.stays()) {
    if (problem.stays[id].pinned) placer.fix(id, *problem.stays[id].pinned);
  }
  std::size_t done = 0;
  for (const StayId id : order) {
    if (problem.stays[id].pinned) continue;
    if (++done % 1024 == 0 && stopped()) return false;
    placer.place(id, rule);
  }
  return true;
}

}  // namespace hw
