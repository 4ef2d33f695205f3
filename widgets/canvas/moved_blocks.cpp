#include "widgets/canvas/moved_blocks.h"

#include <algorithm>

namespace hw {
namespace {

/// Bytes that the reference has at one place for a while.
struct Place {
  std::size_t owner = 0;  ///< Of the bytes: a buffer of the reference, or a stay of a problem.
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
      places_.push_back(
          {ownerOf(blocks.stay(i)), blocks.lowByte(i), blocks.beginStep(i), blocks.endStep(i)});
    }
    std::ranges::stable_sort(places_, {}, &Place::owner);
  }

  /// Block `index` of `run` lies where the reference has the same bytes.
  bool have(const Run& run, const BlockStore& blocks, std::size_t index) const {
    std::size_t owner = blocks.stay(index).index();
    std::int64_t low = blocks.lowByte(index);
    if (!run.model->problem) {
      // The reference may keep the tensor inside a larger buffer.
      const auto& slot = reference_.storage.slots[run.stayTensor(blocks.stay(index))];
      if (!slot) return false;
      owner = slot->buffer.index();
      low -= slot->offset.count();
    }
    const auto same = std::ranges::equal_range(places_, owner, {}, &Place::owner);
    return std::ranges::any_of(same, [&](const Place& place) {
      return place.low == low && place.begin < blocks.endStep(index) &&
             place.end > blocks.beginStep(index);
    });
  }

 private:
  std::size_t ownerOf(StayId stay) const {
    return reference_.model->problem ? stay.index() : reference_.problem.stays[stay].buffer.index();
  }

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
