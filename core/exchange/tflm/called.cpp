#include "core/exchange/tflm/called.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "core/exchange/tflm/arena.h"

namespace hw {
namespace {

bool isCalled(const TflmProgram& program, const TflmBuffer& tensor) {
  return tensor.subgraph > 0 && program.runs[tensor.subgraph] && tensor.size > Bytes() &&
         tensor.last != TflmBuffer::kNever;
}

std::int64_t scopesOf(const TflmBuffer& buffer) { return buffer.last - buffer.first + 1; }

/// Of more tensors only one order is tried: each takes a look at all places for each tensor.
constexpr std::size_t kMostTried = 4096;

/// What comes first in an order comes first to a place. Each is by a pair of figures, the larger
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

void placeCalled(const TflmProgram& program, std::vector<std::int32_t>& offsets) {
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    if (offsets[i] < 0 && isCalled(program, program.tensors[i])) open.push_back(i);
  }
  if (open.empty()) return;
  // What the runtime would do; its offsets are as good as any where they fit the format.
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
