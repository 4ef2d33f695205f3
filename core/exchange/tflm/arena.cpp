#include "core/exchange/tflm/arena.h"

#include <algorithm>
#include <array>
#include <numeric>

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

bool isCalled(const TflmProgram& program, const TflmBuffer& tensor) {
  return tensor.subgraph > 0 && program.runs[tensor.subgraph] && tensor.size > Bytes() &&
         tensor.last != TflmBuffer::kNever;
}

std::int64_t scopesOf(const TflmBuffer& buffer) { return buffer.last - buffer.first + 1; }

/// Of more tensors only one order is tried: each takes a look at all places for each tensor.
constexpr std::size_t kMostTried = 4096;

/// The rank of a buffer in an order: the first gets its place first. A pair of figures, the larger
/// first.
using Rank = std::pair<std::int64_t, std::int64_t> (*)(const TflmBuffer&);
constexpr std::array<Rank, 4> kRanks = {
    [](const TflmBuffer& buffer) { return std::pair(buffer.size.count(), scopesOf(buffer)); },
    [](const TflmBuffer& buffer) {
      return std::pair(buffer.size.count() * scopesOf(buffer), buffer.size.count());
    },
    [](const TflmBuffer& buffer) { return std::pair(scopesOf(buffer), buffer.size.count()); },
    [](const TflmBuffer& buffer) {
      return std::pair(-std::int64_t{buffer.first}, buffer.size.count());
    }};

/// One past the highest byte of those that have a place.
Bytes topOf(const TflmProgram& program, const std::vector<std::int32_t>& offsets) {
  Bytes top;
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    if (offsets[i] >= 0) top = std::max(top, Bytes(offsets[i]) + program.tensors[i].size);
  }
  return top;
}

/// A main subgraph that was planned without a look at what it calls may leave less room for that
/// than the runtime, which sees all at once: its places then, of all that runs.
std::vector<std::int32_t> ownPlaces(const TflmProgram& program, std::vector<std::int32_t> offsets) {
  const TflmArena own = tflmArena(program, {});
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    const auto& place = own.offsets[i];
    if (!place || !program.runs[program.tensors[i].subgraph]) continue;
    offsets[i] = *place <= Bytes(INT32_MAX) ? static_cast<std::int32_t>(place->count()) : -1;
  }
  return offsets;
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

void placeCalled(const TflmProgram& program, std::vector<std::int32_t>& offsets) {
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    if (offsets[i] < 0 && isCalled(program, program.tensors[i])) open.push_back(i);
  }
  if (open.empty()) return;
  // The runtime's own plan; its offsets are as good as any where they fit the format.
  const TflmArena own = tflmArena(program, offsets);
  std::vector<std::int32_t> best = offsets;
  for (const std::size_t i : open) {
    if (*own.offsets[i] <= Bytes(INT32_MAX)) {
      best[i] = static_cast<std::int32_t>(own.offsets[i]->count());
    }
  }
  Bytes head = tflmArena(program, best).head;
  if (head > own.head) best = offsets, head = own.head;
  for (const Rank rank : kRanks) {
    if (program.tensors.size() > kMostTried) break;
    std::vector<std::size_t> order = open;
    std::ranges::stable_sort(
        order, [&](auto a, auto b) { return rank(program.tensors[a]) > rank(program.tensors[b]); });
    std::vector<std::int32_t> tried = offsets;
    if (!placeInOrder(program, order, tried)) continue;
    const Bytes reached = tflmArena(program, tried).head;
    if (reached < head) best = std::move(tried), head = reached;
  }
  if (head > topOf(program, offsets)) {
    std::vector<std::int32_t> all = ownPlaces(program, offsets);
    if (tflmArena(program, all).head < head) best = std::move(all);
  }
  offsets = std::move(best);
}

}  // namespace hw
