#include "core/picture/moved_blocks.h"

#include <algorithm>

namespace hw {
namespace {

/// Bytes that the reference has at one place for a while.
struct Place {
  BufferId owner{};
  std::int64_t low = 0;
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

class Places {
 public:
  Places(const Run& reference, PoolId pool) : reference_(reference) {
    if (!reference.problem.pools.contains(pool)) return;
    const BlockStore blocks = BlockStore::ofPool(reference, pool);
    places_.reserve(blocks.size());
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      places_.push_back({reference.problem.stays[blocks.stay(i)].buffer, blocks.lowByte(i),
                         blocks.beginAt(i), blocks.endAt(i)});
    }
    std::ranges::stable_sort(places_, {}, &Place::owner);
  }

  /// Block `index` of `run` lies where the reference has the same bytes.
  bool have(const Run& run, const BlockStore& blocks, std::size_t index) const {
    // The reference may keep the tensor inside a larger buffer.
    const TensorId tensor = run.stayTensor(blocks.stay(index));
    const BufferId owner = reference_.storage.bufferOf(tensor);
    if (!owner) return false;
    const std::int64_t low = blocks.lowByte(index) - reference_.storage.offsetOf(tensor).count();
    // Clang 14 cannot use the subrange that std::ranges::equal_range returns.
    const auto first = std::ranges::lower_bound(places_, owner, {}, &Place::owner);
    const auto last = std::ranges::upper_bound(places_, owner, {}, &Place::owner);
    // By steps, which both runs share, also where blocks lie in time.
    const Interval<Step> steps = run.problem.stays[blocks.stay(index)].steps;
    return std::any_of(first, last, [&](const Place& place) {
      return place.low == low && place.begin < steps.end.count() && place.end > steps.begin.count();
    });
  }

 private:
  const Run& reference_;
  std::vector<Place> places_;
};

}  // namespace

MovedBlocks movedBlocks(const Run& run, PoolId pool, const BlockStore& blocks,
                        const Run& reference) {
  MovedBlocks result;
  const Places places(reference, pool);
  result.moved.resize(blocks.size());
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    result.moved[i] = !places.have(run, blocks, i);
    if (result.moved[i]) ++result.count;
  }
  return result;
}

}  // namespace hw
