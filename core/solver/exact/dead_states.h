#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/dice.h"
#include "core/solver/exact/level_bound.h"

namespace hw::exact {

/// 128 bits that stand for what is left to place: the boxes, the lowest offset of each and whether
/// it was passed over. Everything a search does from there on follows from these.
struct StateKey {
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  friend bool operator==(const StateKey&, const StateKey&) = default;
};

/// States known to have no completion: the latest ones, in a table that forgets.
///
/// A key is a sum of one product for each open box, of what is to be known of it and of a number
/// of its own, once for each half: multilinear hashing (Carter and Wegman 1979). Two states share
/// a key by chance once in some 2^120 pairs.
class DeadStates {
 public:
  /// Forgets everything; keys are of `boxes` boxes.
  void reset(std::uint32_t boxes) {
    table_.assign(table_.size(), {});
    for (std::uint64_t box = factors_.size(); box < boxes; ++box) {
      factors_.push_back({scramble(2 * box) | 1, scramble(2 * box + 1) | 1});
    }
  }

  template <class Value>
  StateKey keyOf(std::span<const OpenBox<Value>> open, const Passed<Value>& passed) const {
    StateKey key;
    for (const OpenBox<Value>& each : open) {
      const auto lowest = static_cast<std::uint64_t>(each.lowest);
      const std::uint64_t known = 2 * lowest + (passed.covers(each) ? 2 : 1);
      key.a += known * factors_[each.box].a;
      key.b += known * factors_[each.box].b;
    }
    return key;
  }

  bool contains(const StateKey& key) const { return table_[slotOf(key)] == key; }
  void add(const StateKey& key) { table_[slotOf(key)] = key; }

 private:
  static constexpr int kBits = 13;
  static std::size_t slotOf(const StateKey& key) { return key.a >> (64 - kBits); }

  std::vector<StateKey> factors_;  ///< By box.
  std::vector<StateKey> table_ = std::vector<StateKey>(std::size_t{1} << kBits);
};

}  // namespace hw::exact
