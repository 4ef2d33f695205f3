#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/solver/exact/level_bound.h"

namespace hw::exact {

/// 128 bits that stand for what is left to place: the boxes, the lowest offset of each and whether
/// it was passed over. Everything a search does from there on follows from these.
struct StateKey {
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  friend bool operator==(const StateKey&, const StateKey&) = default;
};

/// Spreads 64 bits (the finalizer of splitmix64, Steele, Lea and Flood 2014).
constexpr std::uint64_t scramble(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15ULL;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

/// A sum over the boxes, so that it does not depend on their order.
template <class Value>
StateKey keyOf(std::span<const OpenBox<Value>> open, const Passed<Value>& passed) {
  StateKey key;
  for (const OpenBox<Value>& each : open) {
    const auto where = static_cast<std::uint64_t>(each.lowest) << 1;
    const std::uint64_t word = scramble(scramble(where | (passed.covers(each) ? 1 : 0)) + each.box);
    key.a += word;
    key.b += scramble(word);
  }
  return key;
}

/// States known to have no completion: the latest ones, in a table that forgets.
class DeadStates {
 public:
  bool contains(const StateKey& key) const { return table_[slotOf(key)] == key; }
  void add(const StateKey& key) { table_[slotOf(key)] = key; }
  void clear() { table_.assign(table_.size(), {}); }

 private:
  static constexpr int kBits = 14;
  static std::size_t slotOf(const StateKey& key) { return key.a >> (64 - kBits); }

  std::vector<StateKey> table_ = std::vector<StateKey>(std::size_t{1} << kBits);
};

}  // namespace hw::exact
