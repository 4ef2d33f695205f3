#pragma once

#include "core/order/downset_walk.h"

namespace hw {

/// The downsets that a search has come to, each once, with the best way there that it knows.
class DownsetStore {
 public:
  using Index = std::uint32_t;
  static constexpr Index kNone = 0xFFFFFFFF;

  struct State {
    Bytes peak{};           ///< Most bytes live on the way.
    Bytes live{};           ///< Behind it.
    Index parent = kNone;   ///< Where the way comes from,
    std::size_t begin = 0;  ///< and what it runs from there: a part of all paths.
    std::size_t end = 0;
    std::uint32_t done = 0;  ///< How many ops have run.
  };

  explicit DownsetStore(std::size_t ops) : words_((ops + 63) / 64), table_(1024, kNone) {}

  /// Enters where `walk` is, reached from `parent` by its path with `peak`. Nothing where the store
  /// knows a way there that is as good.
  Index enter(const DownsetWalk& walk, Index parent, Bytes peak);

  const State& operator[](Index index) const { return states_[index]; }
  const std::uint64_t* downset(Index index) const { return bits_.data() + index * words_; }
  std::size_t size() const { return states_.size(); }
  /// What runs on the way to a state from the very first.
  std::vector<std::uint32_t> wayTo(Index index) const;

 private:
  std::size_t slotOf(const std::uint64_t* downset) const;
  void grow();

  std::size_t words_;
  std::vector<State> states_;
  std::vector<std::uint64_t> bits_;
  std::vector<std::uint32_t> paths_;
  std::vector<Index> table_;  ///< Open addressing by hash; a power of two.
};

}  // namespace hw
