#include "core/pairs/pair_packing.h"

#include <algorithm>
#include <limits>

namespace hw {

namespace {

/// Blocks of which each two have to be apart, with the bytes that each at least takes.
struct CrowdedBlocks {
  std::vector<std::uint32_t> members{};
  std::vector<std::int64_t> bytes{};
};

const PairField::Edge* hardEdge(const PairField& field, std::uint32_t block, std::uint32_t other) {
  const auto& edges = field.edges[block];
  const auto found =
      std::lower_bound(edges.begin(), edges.end(), other,
                       [](const auto& edge, std::uint32_t number) { return edge.other < number; });
  return found != edges.end() && found->other == other && found->hard ? &*found : nullptr;
}

/// A maximal set around a block; the largest first.
CrowdedBlocks crowdedAround(const PairField& field, std::uint32_t block) {
  std::vector<std::uint32_t> others;
  for (const PairField::Edge& edge : field.edges[block]) {
    if (edge.hard && !field.fixed[edge.other]) others.push_back(edge.other);
  }
  std::stable_sort(others.begin(), others.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return field.size[a] > field.size[b]; });
  CrowdedBlocks crowd{.members = {block}};
  for (const std::uint32_t other : others) {
    const bool all = std::all_of(crowd.members.begin(), crowd.members.end(), [&](std::uint32_t m) {
      return hardEdge(field, other, m) != nullptr;
    });
    if (all) crowd.members.push_back(other);
  }
  std::sort(crowd.members.begin(), crowd.members.end());
  for (const std::uint32_t member : crowd.members) {
    std::int64_t least = field.size[member];
    for (const std::uint32_t other : crowd.members) {
      if (other != member) least = std::min(least, hardEdge(field, member, other)->below);
    }
    crowd.bytes.push_back(least);
  }
  return crowd;
}

std::vector<CrowdedBlocks> crowdsOf(const PairField& field) {
  constexpr std::size_t kMostCrowds = 48;
  std::vector<CrowdedBlocks> crowds;
  std::vector<char> covered(field.count(), 0);
  for (std::uint32_t block = 0; block < field.count(); ++block) {
    if (covered[block] || field.fixed[block]) continue;
    crowds.push_back(crowdedAround(field, block));
    for (const std::uint32_t member : crowds.back().members) covered[member] = 1;
  }
  const auto weight = [](const CrowdedBlocks& crowd) {
    double sum = 0;
    for (const std::int64_t bytes : crowd.bytes) sum += static_cast<double>(bytes);
    return sum;
  };
  std::stable_sort(crowds.begin(), crowds.end(),
                   [&](const auto& a, const auto& b) { return weight(a) > weight(b); });
  if (crowds.size() > kMostCrowds) crowds.resize(kMostCrowds);
  return crowds;
}

class AscendingPacker {
 public:
  AscendingPacker(const PairField& field, PairBudget& budget)
      : field_(field),
        budget_(budget),
        twins_(twinsOf(field)),
        crowds_(crowdsOf(field)),
        low_(field.count(), 0),
        placed_(field.count(), 0),
        open_(field.count(), 0) {}

  PairPacking run() {
    for (std::uint32_t block = 0; block < field_.count(); ++block) {
      low_[block] = field_.lowest(block, 0);
      if (low_[block] == PairField::kNowhere) return {PairPacking::Outcome::impossible, {}};
      if (field_.fixed[block]) placed_[block] = 1;
    }
    for (std::uint32_t block = 0; block < field_.count(); ++block) {
      if (placed_[block]) continue;
      for (const PairField::Edge& edge : field_.edges[block]) {
        if (edge.hard && !placed_[edge.other]) ++open_[block];
      }
    }
    if (extend(0, 0)) return {PairPacking::Outcome::packed, low_};
    return {budget_.isSpent() ? PairPacking::Outcome::stopped : PairPacking::Outcome::impossible,
            {}};
  }

 private:
  struct Raised {
    std::uint32_t block = 0;
    std::int64_t before = 0;
  };
  struct Choice {
    std::int64_t offset = 0;
    std::uint32_t block = 0;
  };

  /// The farthest below others that a block may have to begin, of those not placed yet.
  std::int64_t reach(std::uint32_t block) const {
    std::int64_t most = 0;
    for (const PairField::Edge& edge : field_.edges[block]) {
      if (edge.hard && !placed_[edge.other]) most = std::max(most, edge.below);
    }
    return most;
  }

  /// Blocks that may come next: at or above the place of the last one, and below the first offset
  /// at which another block could lie beneath everything that is still to come.
  std::vector<Choice> choices(std::int64_t position, std::uint32_t from) const {
    std::vector<Choice> found;
    std::int64_t end = std::numeric_limits<std::int64_t>::max();
    for (std::uint32_t block = 0; block < field_.count(); ++block) {
      if (placed_[block] || open_[block] == 0) continue;
      end = std::min(end, low_[block] + reach(block));
      if (low_[block] < position || (low_[block] == position && block < from)) continue;
      const std::uint32_t twin = twins_[block];
      if (twin != kNoTwin && !placed_[twin]) continue;
      found.push_back({low_[block], block});
    }
    std::erase_if(found, [&](const Choice& choice) { return choice.offset >= end; });
    std::sort(found.begin(), found.end(), [&](const Choice& a, const Choice& b) {
      if (a.offset != b.offset) return a.offset < b.offset;
      if (field_.size[a.block] != field_.size[b.block]) {
        return field_.size[a.block] > field_.size[b.block];
      }
      return a.block < b.block;
    });
    return found;
  }

  bool isCrowdTooHigh(const CrowdedBlocks& crowd, std::int64_t position) const {
    std::int64_t floor = std::numeric_limits<std::int64_t>::max();
    std::int64_t room = field_.capacity;
    for (std::size_t i = 0; i < crowd.members.size(); ++i) {
      if (placed_[crowd.members[i]]) continue;
      floor = std::min(floor, std::max(low_[crowd.members[i]], position));
      room -= crowd.bytes[i];
      if (room < 0) return true;
    }
    return floor != std::numeric_limits<std::int64_t>::max() && floor > room;
  }

  /// False if some block finds no place any more.
  bool place(const Choice& choice, std::vector<Raised>& raised) {
    placed_[choice.block] = 1;
    bool fits = true;
    for (const PairField::Edge& edge : field_.edges[choice.block]) {
      if (!edge.hard || placed_[edge.other]) continue;
      --open_[edge.other];
      if (!fits) continue;
      const std::int64_t least = choice.offset + edge.below;
      if (low_[edge.other] >= least) continue;
      const std::int64_t low = field_.lowest(edge.other, least);
      if (low == PairField::kNowhere) {
        fits = false;
      } else {
        raised.push_back({edge.other, low_[edge.other]});
        low_[edge.other] = low;
      }
    }
    return fits;
  }

  void takeBack(const Choice& choice, const std::vector<Raised>& raised) {
    for (const Raised& one : raised) low_[one.block] = one.before;
    placed_[choice.block] = 0;
    for (const PairField::Edge& edge : field_.edges[choice.block]) {
      if (edge.hard && !placed_[edge.other]) ++open_[edge.other];
    }
  }

  /// Places the rest, none before (position, from); blocks without open neighbours are placed.
  bool extend(std::int64_t position, std::uint32_t from) {
    if (budget_.spend()) return false;
    for (const CrowdedBlocks& crowd : crowds_) {
      if (isCrowdTooHigh(crowd, position)) return false;
    }
    bool open = false;
    for (std::uint32_t block = 0; block < field_.count(); ++block) {
      if (!placed_[block] && open_[block] > 0) open = true;
    }
    if (!open) return true;
    for (const Choice& choice : choices(position, from)) {
      std::vector<Raised> raised;
      if (place(choice, raised) && extend(choice.offset, choice.block)) return true;
      takeBack(choice, raised);
      if (budget_.isSpent()) return false;
    }
    return false;
  }

  const PairField& field_;
  PairBudget& budget_;
  std::vector<std::uint32_t> twins_;
  std::vector<CrowdedBlocks> crowds_;
  std::vector<std::int64_t> low_;
  std::vector<char> placed_;
  std::vector<std::int32_t> open_;  ///< Hard edges to blocks that are not placed.
};

bool areTwins(const PairField& field, std::uint32_t a, std::uint32_t b) {
  if (field.size[a] != field.size[b] || field.alignment[a] != field.alignment[b]) return false;
  if (field.edges[a].size() != field.edges[b].size() || field.fixed[a] || field.fixed[b]) {
    return false;
  }
  const auto skip = [](const auto& edges, std::size_t i, std::uint32_t other) {
    return i < edges.size() && edges[i].other == other ? i + 1 : i;
  };
  std::size_t i = 0;
  std::size_t j = 0;
  while (true) {
    i = skip(field.edges[a], i, b);
    j = skip(field.edges[b], j, a);
    if (i >= field.edges[a].size() || j >= field.edges[b].size()) break;
    const PairField::Edge& one = field.edges[a][i++];
    const PairField::Edge& two = field.edges[b][j++];
    if (one.other != two.other || one.below != two.below || one.above != two.above) return false;
    if (one.hard != two.hard || one.cost != two.cost) return false;
  }
  for (const PairField::Edge& edge : field.edges[a]) {
    if (edge.other == b && edge.below != edge.above) return false;
  }
  return i == field.edges[a].size() && j == field.edges[b].size();
}

}  // namespace

std::vector<std::uint32_t> twinsOf(const PairField& field) {
  std::vector<std::uint32_t> twins(field.count(), kNoTwin);
  constexpr std::uint32_t kFarthest = 2'000;  // Keeps it quick where there are very many blocks.
  for (std::uint32_t block = 1; block < field.count(); ++block) {
    for (std::uint32_t back = 1; back <= std::min(block, kFarthest); ++back) {
      if (!areTwins(field, block - back, block)) continue;
      twins[block] = block - back;
      break;
    }
  }
  return twins;
}

PairPacking packPairs(const PairField& field, std::int64_t height, PairBudget& budget) {
  constexpr std::uint32_t kDeepest = 10'000;  // A call for each block.
  if (field.count() > kDeepest) return {};
  if (height >= field.capacity) return AscendingPacker(field, budget).run();
  PairField lower = field;
  lower.capacity = height;
  return AscendingPacker(lower, budget).run();
}

}  // namespace hw
