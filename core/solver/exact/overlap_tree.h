#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/plan/problem.h"
#include "core/solver/neighbours.h"

namespace hw::exact {

/// Whether the stays of one pool, some of which may overlap the stay that they are made of, fit
/// into a capacity: a search with proof.
///
/// Pushed down as far as it goes, a plan has every stay at 0 or as near above another as it may be,
/// so placing stays by ascending offset, each as low as those below it let it, finds a plan if
/// there is one. Three things keep the tree small: what is small enough to find a place wherever
/// its neighbours lie is left for last; what is left falls into parts that have no step in common;
/// and what could be dropped beneath another without being in its way comes first.
class OverlapTree {
 public:
  enum class Answer : std::uint8_t { fits, cannot, open };

  /// Keeps a reference to `problem`, which has no pins in `pool`.
  OverlapTree(const Problem& problem, PoolId pool);

  /// Looks at `nodes` placements at most, and now and then whether it is `stopped`.
  Answer ask(Bytes capacity, std::int64_t nodes, const std::function<bool()>& stopped);
  /// Placements looked at by all questions.
  std::int64_t nodes() const { return looked_; }
  /// After `fits`: by stay.
  const IdMap<StayId, Bytes>& offsets() const { return offsets_; }

 private:
  /// Another that is live together with one, and how far from it that one begins.
  struct Link {
    std::uint32_t other = 0;
    Apart apart{};
  };
  struct Item {
    StayId stay{};
    Bytes size{};
    Bytes alignment{};
    std::vector<Link> links{};
  };
  /// What is live at one step, and what overlaps can save there.
  struct Section {
    std::vector<std::uint32_t> items{};
    Bytes saved{};
  };
  enum class State : std::uint8_t { out, waiting, placed };

  void linkItems();
  void findSections();
  std::vector<std::uint32_t> leaveOut(Bytes capacity);
  std::vector<std::vector<std::uint32_t>> parts() const;
  bool search(const std::vector<std::uint32_t>& part, std::size_t placed, Bytes front,
              std::uint32_t last);
  bool place(std::uint32_t item, std::vector<std::pair<std::uint32_t, Bytes>>& before);
  bool sectionsFit(std::uint32_t item) const;
  bool linked(std::uint32_t a, std::uint32_t b) const;
  void dropIn(std::uint32_t item);

  const Problem& problem_;
  std::vector<Item> items_;
  std::vector<Section> sections_;
  std::vector<std::vector<std::uint32_t>> sectionsOf_;
  std::vector<State> states_;
  std::vector<Bytes> low_;  ///< Where an item is, or the lowest that it may be.
  Bytes capacity_;
  std::int64_t looked_ = 0;
  std::int64_t until_ = 0;
  bool open_ = false;
  const std::function<bool()>* stopped_ = nullptr;
  IdMap<StayId, Bytes> offsets_;
};

}  // namespace hw::exact
