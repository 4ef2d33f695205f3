#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "core/allocators/allocators.h"
#include "core/allocators/heap.h"
#include "core/allocators/offline.h"
#include "core/base/text.h"

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
  /// `record` outlives the heap; null: nothing is recorded.
  BlockIdHeap(const Problem& whole, Pick pick, MethodRecord* record = nullptr)
      : Heap(whole), pools_(whole.pools.size()), pick_(pick), recorder_(record) {
    addLists();
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

  /// Keeps account of how `stay` gets its block.
  void watch(StayId stay) { account_.stay = stay; }
  Decision takeAccount() { return std::move(account_); }

 private:
  struct Blocks {
    std::vector<Bytes> capacities;
    std::deque<std::size_t> idle;
    std::size_t idleList = 0;  ///< Of the record, like the next.
    std::size_t generalList = 0;
  };

  void addLists() {
    for (const PoolId pool : pools_.keys()) {
      const std::string where = " " + problem().pools[pool].name;
      pools_[pool].idleList =
          recorder_.addList({.name = "idle list" + where,
                             .summary = "blocks that nobody holds, the first to fall idle first",
                             .columns = {"block", "capacity"},
                             .role = MethodList::Role::idle,
                             .pool = pool});
      pools_[pool].generalList = recorder_.addList({.name = "general list" + where,
                                                    .summary = "every block there is",
                                                    .columns = {"block", "capacity"},
                                                    .role = MethodList::Role::blocks,
                                                    .pool = pool});
    }
    mappingList_ = recorder_.addList({.name = "mapping table",
                                      .summary = "which block each tensor was given",
                                      .kind = MethodList::Kind::table,
                                      .columns = {"tensor", "bytes", "block"},
                                      .role = MethodList::Role::mapping});
  }

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
      if (id == account_.stay) accountForIdle(pool, stay, block);
      blocks.idle.erase(taken);
      how = blocks.capacities[block] < stay.size ? "reused, expanded" : "reused";
      blocks.capacities[block] = std::max(blocks.capacities[block], stay.size);
    }
    if (id == account_.stay) accountForNew(pool, stay, how == "new");
    recordTake(id, blocks, block, how);
    addRow(mapping_, [&] {
      return MethodRow{stay.steps.begin.count(),
                       id,
                       stay.size,
                       static_cast<std::int64_t>(block),
                       how,
                       blocks.capacities[block],
                       idleText(blocks)};
    });
    return Choice{{pool, RegionId(block), Bytes()},
                  how == "new" ? Reason::newBlock : Reason::idleBlock};
  }

  /// The lists as they are after `id` has got `block`.
  void recordTake(StayId id, const Blocks& blocks, std::size_t block, const std::string& how) {
    if (!recorder_.on()) return;
    const auto number = static_cast<std::int64_t>(block);
    const MethodRow row = {number, blocks.capacities[block]};
    const Step step = problem().stays[id].steps.begin;
    if (how == "new") {
      recorder_.append(blocks.generalList, row);
    } else {
      recorder_.eraseKey(blocks.idleList, number);
    }
    recorder_.append(mappingList_, {id, problem().stays[id].size, number});
    recorder_.tick(id, step,
                   how == "new" ? fmt::format("takes a new block, {}, for none is idle", block)
                                : fmt::format("takes idle block {}", block));
    const auto before = std::get<Bytes>(recorder_.row(blocks.generalList, block)[1]);
    if (before == blocks.capacities[block]) return;
    recorder_.replace(blocks.generalList, block, row);
    recorder_.tick(id, step,
                   fmt::format("block {} grows from {} to {}", block, groupDigits(before.count()),
                               countBytes(blocks.capacities[block])));
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

  /// The idle list, in its order.
  void accountForIdle(PoolId pool, const Stay& stay, std::size_t taken) {
    const Blocks& blocks = pools_[pool];
    for (const std::size_t block : blocks.idle) {
      const Bytes capacity = blocks.capacities[block];
      Candidate candidate{.kind = fmt::format("idle block {}", block),
                          .address = Address{pool, RegionId(block), Bytes()},
                          .room = capacity,
                          .verdict = block == taken ? Verdict::chosen : Verdict::lessGood};
      candidate.reason = capacity < stay.size
                             ? fmt::format("would grow by {}", countBytes(stay.size - capacity))
                             : fmt::format("{} to spare", countBytes(capacity - stay.size));
      if (block == taken && capacity < stay.size) {
        candidate.reason = fmt::format("expanded by {}", countBytes(stay.size - capacity));
      } else if (block != taken && pick_ != Pick::best) {
        candidate.reason += pick_ == Pick::fifo ? "; fell idle later" : "; fell idle earlier";
      }
      addCandidate(account_, std::move(candidate));
    }
    account_.decided = pick_ == Pick::fifo   ? "the front of the idle list is taken"
                       : pick_ == Pick::lifo ? "the back of the idle list is taken"
                       : blocks.capacities[taken] >= stay.size
                           ? "the smallest idle block that is large enough is taken"
                           : "no idle block is large enough: the largest is taken";
  }

  void accountForNew(PoolId pool, const Stay& stay, bool taken) {
    const std::size_t next = pools_[pool].capacities.size() - (taken ? 1 : 0);
    account_.when = fmt::format("mapped at step {}", stay.steps.begin.count());
    Candidate candidate{.kind = fmt::format("new block {}", next)};
    if (taken) {
      candidate.address = Address{pool, RegionId(next), Bytes()};
      candidate.reason = "created with " + countBytes(stay.size);
      account_.decided =
          fmt::format("the idle list is empty, so a block is created: all {} are busy", next);
      if (next == 0) account_.decided = "the first block: there is none yet";
    } else {
      candidate.verdict = Verdict::notAllowed;
      candidate.reason = "only when no block is idle";
    }
    addCandidate(account_, std::move(candidate));
  }

  void released(StayId id, const Address& address) override {
    Blocks& blocks = pools_[problem().poolOf(id)];
    const std::size_t block = address.region.index();
    blocks.idle.push_back(block);
    if (!recorder_.on()) return;
    recorder_.append(blocks.idleList, {static_cast<std::int64_t>(block), blocks.capacities[block]});
    recorder_.tick(id, problem().stays[id].steps.end - Step(1),
                   fmt::format("is read for the last time: block {} falls idle", block));
  }

  static std::string idleText(const Blocks& blocks) {
    std::string text;
    for (const std::size_t block : blocks.idle) {
      // A cell of a table: the first few say enough.
      if (text.size() > 60) return text + " …";
      text += fmt::format("{}{}", text.empty() ? "" : " ", block);
    }
    return text;
  }

  IdMap<PoolId, Blocks> pools_;
  Pick pick_;
  MethodTable mapping_;
  Decision account_;
  MethodRecorder recorder_;
  std::size_t mappingList_ = 0;  ///< Of the record.
};

class BlockIds final : public Allocator {
 public:
  explicit BlockIds(Pick pick) : pick_(pick) {}

 private:
  Result<Plan> solve(const Problem& problem, const PlanContext& context) const override {
    HW_DO(refusePins(problem, "block-id"));
    MethodRecord record{.name = "block-id"};
    BlockIdHeap heap(problem, pick_, context.record ? &record : nullptr);
    Plan plan = replay(problem, heap);
    plan.tables = heap.tables();
    plan.regionsAreBlocks = true;
    if (!record.ticks.empty()) plan.records.push_back(std::move(record));
    return plan;
  }

  std::optional<Decision> recount(const Problem& problem, const Plan&, StayId stay) const override {
    BlockIdHeap heap(problem, pick_);
    heap.watch(stay);
    replay(problem, heap);
    return heap.takeAccount();
  }

  Pick pick_;
};

}  // namespace

std::span<const ParamSpec> blockIdParams() { return kParams; }

std::unique_ptr<Allocator> makeBlockIds(const Params& params) {
  const std::string pick = params.text(kPick);
  return std::make_unique<BlockIds>(pick == "lifo"   ? Pick::lifo
                                    : pick == "best" ? Pick::best
                                                     : Pick::fifo);
}

}  // namespace hw
