#include "core/exchange/tflm/arena.h"

#include <algorithm>

namespace hw {
namespace {

struct Placed {
  Bytes offset{};
  const TflmBuffer* buffer = nullptr;
};

bool meet(const TflmBuffer& a, const TflmBuffer& b) {
  return a.first <= b.last && b.first <= a.last;
}

/// The lowest place above 0 at which `wanted` runs into nobody; `placed` ascend by offset.
Bytes lowestGap(const std::vector<Placed>& placed, const TflmBuffer& wanted) {
  Bytes candidate;
  for (const Placed& other : placed) {
    if (!meet(*other.buffer, wanted)) continue;
    if (other.offset - candidate >= wanted.size) break;
    candidate = std::max(candidate, other.offset + other.buffer->size);
  }
  return candidate;
}

/// A buffer more, in order of offsets.
void insert(std::vector<Placed>& placed, Bytes offset, const TflmBuffer& buffer) {
  placed.insert(std::ranges::upper_bound(placed, offset, {}, &Placed::offset), {offset, &buffer});
}

}  // namespace

bool placeInOrder(const TflmProgram& program, const std::vector<std::size_t>& order,
                  std::vector<std::int32_t>& offsets) {
  std::vector<Placed> placed;
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    const TflmBuffer& tensor = program.tensors[i];
    if (offsets[i] >= 0 && tensor.size > Bytes()) placed.push_back({Bytes(offsets[i]), &tensor});
  }
  std::ranges::stable_sort(placed, {}, &Placed::offset);
  for (const std::size_t i : order) {
    const Bytes offset = lowestGap(placed, program.tensors[i]);
    if (offset > Bytes(INT32_MAX)) return false;
    offsets[i] = static_cast<std::int32_t>(offset.count());
    insert(placed, offset, program.tensors[i]);
  }
  return true;
}

TflmArena tflmArena(const TflmProgram& program, const std::vector<std::int32_t>& offsets) {
  std::vector<const TflmBuffer*> all;
  for (const TflmBuffer& tensor : program.tensors) all.push_back(&tensor);
  for (const TflmBuffer& scratch : program.scratch) all.push_back(&scratch);
  TflmArena arena{.offsets = std::vector<std::optional<Bytes>>(all.size())};
  std::vector<std::size_t> open;
  std::vector<Placed> placed;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i]->size == Bytes()) continue;
    if (i < offsets.size() && offsets[i] >= 0) {
      arena.offsets[i] = Bytes(offsets[i]);
      placed.push_back({Bytes(offsets[i]), all[i]});
    } else {
      open.push_back(i);
    }
  }
  std::ranges::stable_sort(placed, {}, &Placed::offset);
  // Of equals the last one goes first.
  std::ranges::reverse(open);
  std::ranges::stable_sort(open, [&](auto a, auto b) { return all[a]->size > all[b]->size; });
  for (const std::size_t i : open) {
    const Bytes offset = lowestGap(placed, *all[i]);
    arena.offsets[i] = offset;
    insert(placed, offset, *all[i]);
  }
  for (const Placed& each : placed)
    arena.head = std::max(arena.head, each.offset + each.buffer->size);
  return arena;
}

}  // namespace hw
