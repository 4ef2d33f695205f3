#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "core/allocators/allocators.h"
#include "core/allocators/heap.h"
#include "core/allocators/offline.h"

namespace hw {
namespace {

constexpr std::string_view kPicks[] = {"fifo", "lifo", "best"};
constexpr ParamSpec kPick{.name = "pick",
                          .type = ParamType::choice,
                          .summary =
                              "which idle block to take: the first that fell idle, the last, "
                              "or the smallest that is large enough (else the largest)",
                          .fallback = "fifo",
                          .choices = kPicks};
constexpr ParamSpec kParams[] = {kPick};

enum class Pick { fifo, lifo, best };

/// A region per block id, every stay at its start. The general list is the list of regions.
class BlockIdHeap final : public Heap {
 public:
  BlockIdHeap(const Problem& whole, Pick pick)
      : Heap(whole), pools_(whole.pools.size()), pick_(pick) {
    mapping_ = {.name = "mapping",
                .summary = "which block each tensor was given, and the idle list afterwards",
                .columns = {"step", "tensor", "bytes", "block", "how", "capacity", "idle after"}};
  }

  std::vector<MethodTable> tables() const {
    MethodTable capacity{.name = "capacity",
                         .summary = "the general list: the blocks to create before the run",
                         .columns = {"pool", "block", "capacity"}};
    for (const PoolId pool : pools_.keys()) {
      for (std::size_t block = 0; block < pools_[pool].capacities.size(); ++block) {
        addRow(capacity, {problem().pools[pool].name, static_cast<std::int64_t>(block),
                          pools_[pool].capacities[block]});
      }
    }
    return {mapping_, capacity};
  }

 private:
  struct Blocks {
    std::vector<Bytes> capacities;
    std::deque<std::size_t> idle;
  };

  std::optional<Choice> choose(StayId id) override {
    const Stay& stay = problem().stays[id];
    const PoolId pool = problem().poolOf(id);
    Blocks& blocks = pools_[pool];
    std::size_t block = blocks.capacities.size();
    std::string how = "new";
    if (blocks.idle.empty()) {
      blocks.capacities.push_back(stay.size);
    } else {
      const auto taken = pickIdle(blocks, stay.size);
      block = *taken;
      blocks.idle.erase(taken);
      how = blocks.capacities[block] < stay.size ? "reused, expanded" : "reused";
      blocks.capacities[block] = std::max(blocks.capacities[block], stay.size);
    }
    addRow(mapping_, {stay.steps.begin.count(), id, stay.size, static_cast<std::int64_t>(block),
                      how, blocks.capacities[block], idleText(blocks)});
    return Choice{{pool, RegionId(block), Bytes()},
                  how == "new" ? Reason::newBlock : Reason::idleBlock};
  }

  std::deque<std::size_t>::iterator pickIdle(Blocks& blocks, Bytes size) const {
    if (pick_ == Pick::fifo) return blocks.idle.begin();
    if (pick_ == Pick::lifo) return std::prev(blocks.idle.end());
    const auto capacity = [&](auto at) { return blocks.capacities[*at]; };
    auto best = blocks.idle.begin();
    for (auto at = std::next(best); at != blocks.idle.end(); ++at) {
      const bool enough = capacity(at) >= size;
      const bool bestEnough = capacity(best) >= size;
      const bool better = enough && bestEnough   ? capacity(at) < capacity(best)
                          : enough == bestEnough ? capacity(at) > capacity(best)
                                                 : enough;
      if (better) best = at;
    }
    return best;
  }

  void released(StayId id, const Address& address) override {
    pools_[problem().poolOf(id)].idle.push_back(address.region.index());
  }

  static std::string idleText(const Blocks& blocks) {
    std::string text;
    for (const std::size_t block : blocks.idle) {
      if (text.size() > 60) return text + " …";
      text += fmt::format("{}{}", text.empty() ? "" : " ", block);
    }
    return text;
  }

  IdMap<PoolId, Blocks> pools_;
  Pick pick_;
  MethodTable mapping_;
};

class BlockIds final : public Allocator {
 public:
  explicit BlockIds(Pick pick) : pick_(pick) {}

 private:
  Result<Plan> solve(const Problem& problem, const PlanContext&) const override {
    if (auto good = refusePins(problem, "block-id"); !good) return tl::unexpected(good.error());
    BlockIdHeap heap(problem, pick_);
    Plan plan = replay(problem, heap);
    plan.tables = heap.tables();
    return plan;
  }

  Pick pick_;
};

}  // namespace

std::span<const ParamSpec> blockIdParams() { return kParams; }

std::unique_ptr<Allocator> makeBlockIds(const Params& params) {
  const std::string pick = params.choice(kPick);
  return std::make_unique<BlockIds>(pick == "lifo"   ? Pick::lifo
                                    : pick == "best" ? Pick::best
                                                     : Pick::fifo);
}

}  // namespace hw
