#include "core/memory/chunk_map.h"

#include <algorithm>

#include "core/base/check.h"

namespace hw {
namespace {

/// `check` without a call when all is well.
inline void expect(bool condition, std::string_view expectation) {
  if (!condition) [[unlikely]]
    check(false, expectation);
}

/// The index of the last element whose key is not above (region, offset); the first element's must
/// not be. Without branches to mispredict: this is where replaying spends its time.
template <class Keyed>
std::size_t lastNotAbove(const Keyed* first, std::size_t count, RegionId region, Bytes offset) {
  const Keyed* at = first;
  while (count > 1) {
    const std::size_t half = count / 2;
    const Keyed& middle = at[half];
    const bool notAbove =
        (middle.region < region) | ((middle.region == region) & (middle.offset <= offset));
    at += notAbove ? half : 0;
    count -= half;
  }
  return static_cast<std::size_t>(at - first);
}

/// The same among boundaries of one region.
template <class Keyed>
std::size_t lastNotAbove(const Keyed* first, std::size_t count, Bytes offset) {
  const Keyed* at = first;
  while (count > 1) {
    const std::size_t half = count / 2;
    at += at[half].offset <= offset ? half : 0;
    count -= half;
  }
  return static_cast<std::size_t>(at - first);
}

}  // namespace

void ChunkMap::apply(const MemoryEvent& event) { change(event.kind, event); }

void ChunkMap::revert(const MemoryEvent& event) { change(inverse(event.kind), event); }

void ChunkMap::change(EventKind kind, const MemoryEvent& event) {
  switch (kind) {
    case EventKind::extend:
      return extend(event);
    case EventKind::shrink:
      return shrink(event);
    case EventKind::split:
      return split(event);
    case EventKind::merge:
      return merge(event);
    case EventKind::alloc:
      return setOwner(event, StayId(), event.stay);
    case EventKind::free:
      return setOwner(event, event.stay, StayId());
  }
}

void ChunkMap::extend(const MemoryEvent& event) {
  expect(event.offset == regionSize(event.region) && event.size > Bytes(),
         "a region to be extended at its end");
  if (event.region.index() >= regionSizes_.size()) regionSizes_.resize(event.region.index() + 1);
  Place place;
  if (startsBefore(event.region, event.offset)) {
    place = locate(event.region, event.offset);
    ++place.index;
  }
  insertAt(place, {event.offset, event.region, StayId()});
  regionSizes_[event.region.index()] += event.size;
  footprint_ += event.size;
}

void ChunkMap::shrink(const MemoryEvent& event) {
  const Place place = placeOf(event);
  expect(!at(place).owner && event.offset + event.size == regionSize(event.region),
         "a region to shrink by the free chunk at its end");
  erase(place);
  regionSizes_[event.region.index()] -= event.size;
  footprint_ -= event.size;
  while (!regionSizes_.empty() && regionSizes_.back() == Bytes()) regionSizes_.pop_back();
}

void ChunkMap::split(const MemoryEvent& event) {
  expect(startsBefore(event.region, event.offset), "a split inside a region");
  Place place = locate(event.region, event.offset);
  const Boundary& around = at(place);
  expect(around.region == event.region && around.offset < event.offset && !around.owner &&
             endOf(place) == event.offset + event.size && event.size > Bytes(),
         "a split inside a free chunk");
  ++place.index;
  insertAt(place, {event.offset, event.region, StayId()});
}

void ChunkMap::merge(const MemoryEvent& event) {
  const Place place = placeOf(event);
  const Boundary* below = previous(place);
  expect(!at(place).owner && below != nullptr && below->region == event.region && !below->owner,
         "a merge of two free chunks");
  erase(place);
}

void ChunkMap::setOwner(const MemoryEvent& event, StayId from, StayId to) {
  const Place place = placeOf(event);
  Boundary& boundary = slot(place.block)[place.index];
  expect(boundary.owner == from && from != to, "an alloc of a free chunk, or a free by its owner");
  boundary.owner = to;
  if (to) {
    inUse_ += event.size;
  } else {
    inUse_ -= event.size;
  }
}

Bytes ChunkMap::regionSize(RegionId region) const {
  return region.index() < regionSizes_.size() ? regionSizes_[region.index()] : Bytes();
}

std::vector<Chunk> ChunkMap::chunks(RegionId region) const {
  std::vector<Chunk> found;
  if (regionSize(region) == Bytes()) return found;
  for (Place place = locate(region, Bytes()); place.block < directory_.size();) {
    if (at(place).region != region) break;
    found.push_back(chunkOf(place));
    if (++place.index == directory_[place.block].count) place = {place.block + 1, 0};
  }
  return found;
}

std::optional<Chunk> ChunkMap::chunkAt(RegionId region, Bytes offset) const {
  if (offset < Bytes() || offset >= regionSize(region)) return std::nullopt;
  return chunkOf(locate(region, offset));
}

std::optional<Chunk> ChunkMap::lastChunk(RegionId region) const {
  const Bytes size = regionSize(region);
  return size == Bytes() ? std::nullopt : chunkAt(region, size - Bytes(1));
}

void ChunkMap::pack(std::vector<Boundary>& boundaries, std::vector<Bytes>& regionSizes) const {
  for (std::size_t block = 0; block < directory_.size(); ++block) {
    const Boundary* const first = slot(block);
    boundaries.insert(boundaries.end(), first, first + directory_[block].count);
  }
  regionSizes.insert(regionSizes.end(), regionSizes_.begin(), regionSizes_.end());
}

ChunkMap ChunkMap::unpack(const View& view) {
  // Three quarters full: room to grow without cutting a block at once.
  constexpr std::size_t kFill = kBlock * 3 / 4;
  const std::span<const Boundary> all = view.boundaries;
  ChunkMap map;
  map.regionSizes_.assign(view.regionSizes.begin(), view.regionSizes.end());
  for (const Bytes size : map.regionSizes_) map.footprint_ += size;
  const std::size_t blocks = (all.size() + kFill - 1) / kFill;
  map.directory_.reserve(blocks);
  map.slab_.resize(blocks * kBlock);
  for (std::size_t begin = 0; begin < all.size(); begin += kFill) {
    const auto run = all.subspan(begin, std::min(kFill, all.size() - begin));
    const auto slotIndex = static_cast<std::uint32_t>(map.directory_.size());
    map.directory_.push_back(
        {run[0].offset, run[0].region, slotIndex, static_cast<std::uint32_t>(run.size())});
    std::ranges::copy(run, map.slot(slotIndex));
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i].owner) continue;
    const bool last = i + 1 == all.size() || all[i + 1].region != all[i].region;
    const Bytes end = last ? map.regionSizes_[all[i].region.index()] : all[i + 1].offset;
    map.inUse_ += end - all[i].offset;
  }
  map.chunkCount_ = all.size();
  return map;
}

bool operator==(const ChunkMap& a, const ChunkMap& b) {
  if (a.chunkCount_ != b.chunkCount_ || a.inUse_ != b.inUse_) return false;
  if (a.regionSizes_ != b.regionSizes_) return false;
  // Blocks may be cut at different places: walk both lists side by side.
  ChunkMap::Place left;
  ChunkMap::Place right;
  for (std::size_t i = 0; i < a.chunkCount_; ++i) {
    const ChunkMap::Boundary& x = a.at(left);
    const ChunkMap::Boundary& y = b.at(right);
    if (x.offset != y.offset || x.region != y.region || x.owner != y.owner) return false;
    if (++left.index == a.directory_[left.block].count) left = {left.block + 1, 0};
    if (++right.index == b.directory_[right.block].count) right = {right.block + 1, 0};
  }
  return true;
}

/// True when some boundary is not above (region, offset), so that `locate` has an answer.
bool ChunkMap::startsBefore(RegionId region, Bytes offset) const {
  if (directory_.empty()) return false;
  const Block& first = directory_.front();
  return first.region < region || (first.region == region && first.offset <= offset);
}

/// The last boundary not above (region, offset).
ChunkMap::Place ChunkMap::locate(RegionId region, Bytes offset) const {
  const std::size_t block = lastNotAbove(directory_.data(), directory_.size(), region, offset);
  const Boundary* const first = slot(block);
  const std::size_t count = directory_[block].count;
  // Most blocks lie in one region: then offsets alone decide, at half the work.
  if (first->region == region && first[count - 1].region == region) {
    return {block, lastNotAbove(first, count, offset)};
  }
  return {block, lastNotAbove(first, count, region, offset)};
}

/// The chunk that is exactly the event's interval.
ChunkMap::Place ChunkMap::placeOf(const MemoryEvent& event) const {
  expect(startsBefore(event.region, event.offset), "an event inside a region");
  const Place place = locate(event.region, event.offset);
  const Boundary& boundary = at(place);
  expect(boundary.region == event.region && boundary.offset == event.offset &&
             endOf(place) == event.offset + event.size,
         "an event about exactly one chunk");
  return place;
}

Bytes ChunkMap::endOf(Place place) const {
  const RegionId region = at(place).region;
  const Boundary* next = nullptr;
  if (place.index + 1 < directory_[place.block].count) {
    next = slot(place.block) + place.index + 1;
  } else if (place.block + 1 < directory_.size()) {
    next = slot(place.block + 1);
  }
  if (next != nullptr && next->region == region) return next->offset;
  return regionSizes_[region.index()];
}

Chunk ChunkMap::chunkOf(Place place) const {
  const Boundary& boundary = at(place);
  return {boundary.offset, endOf(place) - boundary.offset, boundary.owner};
}

/// The boundary before `place`, in whatever region; nullptr for the very first.
const ChunkMap::Boundary* ChunkMap::previous(Place place) const {
  if (place.index > 0) return slot(place.block) + place.index - 1;
  if (place.block == 0) return nullptr;
  return slot(place.block - 1) + directory_[place.block - 1].count - 1;
}

void ChunkMap::insertAt(Place place, Boundary boundary) {
  if (directory_.empty()) addBlock(0);
  if (directory_[place.block].count == kBlock) place = makeRoom(place);
  Boundary* const first = slot(place.block);
  std::uint32_t& count = directory_[place.block].count;
  std::copy_backward(first + place.index, first + count, first + count + 1);
  first[place.index] = boundary;
  ++count;
  ++chunkCount_;
  if (place.index == 0) refreshKey(place.block);
}

void ChunkMap::erase(Place place) {
  Boundary* const first = slot(place.block);
  std::uint32_t& count = directory_[place.block].count;
  std::copy(first + place.index + 1, first + count, first + place.index);
  --count;
  --chunkCount_;
  if (count == 0) return dropBlock(place.block);
  if (place.index == 0) refreshKey(place.block);
  if (count >= kBlock / 4) return;
  // Neighbours that are both sparse become one, so that the map shrinks with its content.
  const auto sparse = [&](std::size_t block) {
    return block + 1 < directory_.size() &&
           directory_[block].count + directory_[block + 1].count <= kBlock / 2;
  };
  if (sparse(place.block)) return joinWithNext(place.block);
  if (place.block > 0 && sparse(place.block - 1)) joinWithNext(place.block - 1);
}

/// Cuts a full block; returns where `place` has moved. A block that is being appended to is left
/// full: growing upwards is the common case.
ChunkMap::Place ChunkMap::makeRoom(Place place) {
  const std::size_t keep = place.index == kBlock ? kBlock : kBlock / 2;
  addBlock(place.block + 1);
  Block& below = directory_[place.block];
  Block& above = directory_[place.block + 1];
  const Boundary* const source = slot(place.block);
  std::copy(source + keep, source + kBlock, slot(place.block + 1));
  below.count = static_cast<std::uint32_t>(keep);
  above.count = static_cast<std::uint32_t>(kBlock - keep);
  if (above.count > 0) refreshKey(place.block + 1);
  if (place.index < keep) return place;
  return {place.block + 1, place.index - keep};
}

/// Adds an empty block before the directory's entry `block`; the caller fills it.
void ChunkMap::addBlock(std::size_t block) {
  const auto slotIndex = static_cast<std::uint32_t>(directory_.size());
  directory_.insert(directory_.begin() + static_cast<std::ptrdiff_t>(block),
                    {Bytes(), RegionId(), slotIndex, 0});
  slab_.resize(directory_.size() * kBlock);
}

/// Removes a block; the last slot of the slab moves into its place, so that the slab stays dense.
void ChunkMap::dropBlock(std::size_t block) {
  const std::uint32_t hole = directory_[block].slot;
  const auto last = static_cast<std::uint32_t>(directory_.size() - 1);
  if (hole != last) {
    const auto mover = std::ranges::find(directory_, last, &Block::slot);
    std::copy_n(slab_.data() + last * kBlock, mover->count, slab_.data() + hole * kBlock);
    mover->slot = hole;
  }
  directory_.erase(directory_.begin() + static_cast<std::ptrdiff_t>(block));
  slab_.resize(directory_.size() * kBlock);
}

void ChunkMap::joinWithNext(std::size_t block) {
  const std::uint32_t count = directory_[block + 1].count;
  std::copy_n(slot(block + 1), count, slot(block) + directory_[block].count);
  directory_[block].count += count;
  dropBlock(block + 1);
}

void ChunkMap::refreshKey(std::size_t block) {
  directory_[block].offset = slot(block)->offset;
  directory_[block].region = slot(block)->region;
}

}  // namespace hw
