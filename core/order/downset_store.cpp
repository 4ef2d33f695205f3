#include "core/order/downset_store.h"

#include <algorithm>

namespace hw {

DownsetStore::Index DownsetStore::enter(const DownsetWalk& walk, Index parent, Bytes peak) {
  if (states_.size() * 2 >= table_.size()) grow();
  const std::size_t slot = slotOf(walk.done().data());
  Index index = table_[slot];
  if (index != kNone && states_[index].peak <= peak) return kNone;
  if (index == kNone) {
    index = table_[slot] = static_cast<Index>(states_.size());
    states_.emplace_back();
    bits_.insert(bits_.end(), walk.done().begin(), walk.done().end());
  }
  const std::size_t begin = paths_.size();
  paths_.insert(paths_.end(), walk.path().begin(), walk.path().end());
  states_[index] = {.peak = peak,
                    .live = walk.live(),
                    .parent = parent,
                    .begin = begin,
                    .end = paths_.size(),
                    .done = static_cast<std::uint32_t>(walk.doneCount())};
  return index;
}

std::vector<std::uint32_t> DownsetStore::wayTo(Index index) const {
  std::vector<std::uint32_t> way;
  for (; index != kNone; index = states_[index].parent) {
    const State& state = states_[index];
    for (std::size_t i = state.end; i > state.begin; --i) way.push_back(paths_[i - 1]);
  }
  std::ranges::reverse(way);
  return way;
}

std::size_t DownsetStore::slotOf(const std::uint64_t* downset) const {
  // What scrambles bits well: the constants are those of MurmurHash3's finalizer.
  std::uint64_t hash = 0;
  for (std::size_t word = 0; word < words_; ++word) {
    hash = (hash ^ downset[word]) * 0xff51afd7ed558ccdULL;
    hash = (hash ^ (hash >> 33)) * 0xc4ceb9fe1a85ec53ULL;
    hash ^= hash >> 33;
  }
  const std::size_t mask = table_.size() - 1;
  std::size_t slot = hash & mask;
  while (table_[slot] != kNone &&
         !std::equal(downset, downset + words_, this->downset(table_[slot]))) {
    slot = (slot + 1) & mask;
  }
  return slot;
}

void DownsetStore::grow() {
  table_.assign(table_.size() * 2, kNone);
  for (Index index = 0; index < states_.size(); ++index) table_[slotOf(downset(index))] = index;
}

}  // namespace hw
