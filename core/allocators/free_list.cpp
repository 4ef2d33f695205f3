#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/allocators/allocators.h"
#include "core/allocators/heap.h"
#include "core/allocators/offline.h"
#include "core/base/text.h"
#include "core/memory/chunk_map.h"
#include "core/plan/problem.h"

namespace hw {
namespace {

/// The free blocks of one pool, by size and by address.
class FreeBlocks {
 public:
  void add(const Chunk& chunk) { bySize_.insert({chunk.size, chunk.offset}); }
  void remove(const Chunk& chunk) { bySize_.erase({chunk.size, chunk.offset}); }
  bool empty() const { return bySize_.empty(); }

  /// A block of exactly `size`, the lowest that is aligned.
  std::optional<Bytes> exact(const Stay& stay) const {
    for (auto block = bySize_.lower_bound({stay.size, Bytes()});
         block != bySize_.end() && block->first == stay.size; ++block) {
      if (isAligned(block->second, stay.alignment)) return block->second;
    }
    return std::nullopt;
  }

  /// An address in the smallest block that is larger than the stay, lowest first.
  std::optional<Bytes> smallestLarger(const Stay& stay) const {
    for (auto block = bySize_.upper_bound({stay.size, kMaxBytes}); block != bySize_.end();
         ++block) {
      if (const auto at = placeIn(*block, stay)) return at;
    }
    return std::nullopt;
  }

  /// An address in the largest block that is larger than the stay, lowest first.
  std::optional<Bytes> largestLarger(const Stay& stay) const {
    for (auto above = bySize_.end(); above != bySize_.begin();) {
      const Bytes size = std::prev(above)->first;
      if (size <= stay.size) break;
      const auto group = bySize_.lower_bound({size, Bytes()});
      for (auto block = group; block != above; ++block) {
        if (const auto at = placeIn(*block, stay)) return at;
      }
      above = group;
    }
    return std::nullopt;
  }

  const std::set<std::pair<Bytes, Bytes>>& bySize() const { return bySize_; }

  /// The largest block, the highest if several. Not to be called when empty.
  Chunk largest() const {
    const auto& [size, offset] = *bySize_.rbegin();
    return {.offset = offset, .size = size};
  }

 private:
  static std::optional<Bytes> placeIn(const std::pair<Bytes, Bytes>& block, const Stay& stay) {
    const Bytes at = alignUp(block.second, stay.alignment);
    if (at + stay.size > block.second + block.first) return std::nullopt;
    return at;
  }

  std::set<std::pair<Bytes, Bytes>> bySize_;  ///< (size, offset).
};

constexpr std::string_view kPicks[] = {"largest", "best"};

constexpr ParamSpec kThreshold{.name = "threshold",
                               .type = ParamType::size,
                               .summary =
                                   "smaller buffers, and those of this size, never cut a "
                                   "free block: they take fresh memory",
                               .fallback = "0"};
constexpr ParamSpec kPick{.name = "pick",
                          .type = ParamType::choice,
                          .summary =
                              "which larger free block to split: the largest (as published) "
                              "or the best fit",
                          .fallback = "largest",
                          .choices = kPicks};
constexpr ParamSpec kParams[] = {kThreshold, kPick};

class FreeListHeap final : public Heap {
 public:
  /// `record` outlives the heap; null: nothing is recorded.
  FreeListHeap(const Problem& whole, Bytes threshold, bool best, MethodRecord* record = nullptr)
      : Heap(whole),
        free_(whole.pools.size()),
        threshold_(threshold),
        best_(best),
        recorder_(record),
        lists_(whole.pools.size()) {
    addLists();
  }

  /// Keeps account of how `stay` gets its place.
  void watch(StayId stay) { account_.stay = stay; }
  Decision takeAccount() { return std::move(account_); }

 private:
  std::optional<Choice> choose(StayId id) override {
    const Stay& stay = problem().stays[id];
    if (recorder_.on()) account_ = {.stay = id};
    for (const PoolId pool : problem().pools.keys()) {
      if (stay.pool && stay.pool != pool) continue;
      const auto choice = chooseIn(pool, stay);
      if (id == account_.stay) keepAccount(pool, stay, choice);
      if (choice) return choice;
    }
    if (recorder_.on()) {
      recordSearch();
      recorder_.tick(id, stay.steps.begin, "finds no place: out of memory");
    }
    return std::nullopt;
  }

  std::optional<Choice> chooseIn(PoolId pool, const Stay& stay) const {
    const FreeBlocks& blocks = free_[pool];
    const auto at = [&](Bytes offset, Reason reason) {
      return Choice{{pool, kArena, offset}, reason};
    };
    const bool large = stay.size > threshold_;
    const Bytes frontier = chunks(pool).regionSize(kArena);
    if (large && !blocks.empty()) {
      if (const auto reuse = blocks.exact(stay)) return at(*reuse, Reason::exactFit);
      const auto split = best_ ? blocks.smallestLarger(stay) : blocks.largestLarger(stay);
      if (split) return at(*split, best_ ? Reason::bestFit : Reason::largestFree);
      const Chunk tail = blocks.largest();
      const Bytes start = alignUp(tail.offset, stay.alignment);
      if (tail.end() == frontier && hasRoom(pool, start + stay.size)) {
        return at(start, Reason::tailExtension);
      }
    }
    const Bytes fresh = alignUp(frontier, stay.alignment);
    if (!hasRoom(pool, fresh + stay.size)) return std::nullopt;
    return at(fresh, large ? Reason::frontier : Reason::belowThreshold);
  }

  bool hasRoom(PoolId pool, Bytes end) const {
    const auto& capacity = problem().pools[pool].capacity;
    return !capacity || end <= *capacity;
  }

  void freeChunkAdded(PoolId pool, RegionId, const Chunk& chunk) override {
    free_[pool].add(chunk);
    if (!recorder_.on()) return;
    const std::size_t list = lists_[pool].free;
    std::size_t at = 0;
    while (at < recorder_.rows(list) && offsetOf(list, at) < chunk.offset) ++at;
    recorder_.insert(list, at, {chunk.offset, chunk.size});
  }
  void freeChunkRemoved(PoolId pool, RegionId, const Chunk& chunk) override {
    free_[pool].remove(chunk);
    if (recorder_.on()) recorder_.eraseKey(lists_[pool].free, chunk.offset);
  }
  void acquired(StayId id, const Choice& choice) override {
    if (!recorder_.on()) return;
    const auto& [pool, region, offset] = choice.address;
    recordSearch();
    recorder_.append(lists_[pool].allocated, {id, offset, problem().stays[id].size});
    recorder_.tick(
        id, problem().stays[id].steps.begin,
        fmt::format("{} {}: {}", howTaken(choice),
                    rangeText(offset, offset + problem().stays[id].size), account_.decided));
  }
  void released(StayId id, const Address& address) override {
    if (!recorder_.on()) return;
    recorder_.eraseKey(lists_[address.pool].allocated, id);
    const auto joined = chunks(address.pool).chunkAt(address.region, address.offset);
    const Bytes size = problem().stays[id].size;
    std::string what =
        fmt::format("is released: {} falls free", rangeText(address.offset, address.offset + size));
    if (joined && joined->size > size) {
      what += fmt::format(" and joins its free neighbours to {}",
                          rangeText(joined->offset, joined->end()));
    }
    recorder_.tick(id, problem().stays[id].steps.end - Step(1), std::move(what));
  }

  static std::string rangeText(Bytes begin, Bytes end) {
    return fmt::format("[{}, {})", groupDigits(begin.count()), groupDigits(end.count()));
  }

  /// The places that the last request looked at, in that order; those beyond the limit are counted.
  void recordSearch() {
    for (const Lists& lists : lists_) {
      while (recorder_.rows(lists.search) > 0) recorder_.erase(lists.search, 0);
    }
    PoolId last{0};
    for (const Candidate& each : account_.candidates) {
      last = each.address->pool;
      recorder_.append(lists_[last].search, {each.kind, each.address->offset,
                                             std::string(verdictName(each.verdict)), each.reason});
    }
    if (account_.leftOut == 0) return;
    recorder_.append(lists_[last].search, {fmt::format("{} more", account_.leftOut), Bytes(),
                                           std::string(), std::string("too many to list")});
  }

  /// Of a row of a free list.
  Bytes offsetOf(std::size_t list, std::size_t at) const {
    return std::get<Bytes>(recorder_.row(list, at).front());
  }

  void addLists() {
    for (const PoolId pool : lists_.keys()) {
      const std::string& name = problem().pools[pool].name;
      lists_[pool].allocated = recorder_.addList({.name = "allocated list " + name,
                                                  .summary = "blocks in use, the oldest first",
                                                  .columns = {"tensor", "offset", "bytes"},
                                                  .role = MethodList::Role::used,
                                                  .pool = pool});
      lists_[pool].free = recorder_.addList({.name = "free list " + name,
                                             .summary = "blocks that were released, by address",
                                             .columns = {"offset", "bytes"},
                                             .role = MethodList::Role::free,
                                             .pool = pool});
      lists_[pool].search =
          recorder_.addList({.name = "search " + name,
                             .summary = "what the last request looked at, in order",
                             .columns = {"candidate", "offset", "verdict", "why"},
                             .role = MethodList::Role::candidates,
                             .pool = pool});
    }
  }

  /// Every free block of the pool, by address, then the frontier.
  void keepAccount(PoolId pool, const Stay& stay, const std::optional<Choice>& choice) {
    account_.when = fmt::format("allocated at step {}", stay.steps.begin.count());
    std::map<Bytes, Bytes> byAddress;
    for (const auto& [size, offset] : free_[pool].bySize()) byAddress[offset] = size;
    for (const auto& [offset, size] : byAddress) {
      addCandidate(account_, blockCandidate(pool, {.offset = offset, .size = size}, stay, choice));
    }
    addCandidate(account_, frontierCandidate(pool, stay, choice));
    if (!account_.decided.empty()) account_.decided += "; ";
    account_.decided += problem().pools.size() > 1 ? problem().pools[pool].name + ": " : "";
    account_.decided += choice ? decided(choice->reason, stay) : "no room";
  }

  Candidate blockCandidate(PoolId pool, const Chunk& block, const Stay& stay,
                           const std::optional<Choice>& choice) const {
    const Bytes at = alignUp(block.offset, stay.alignment);
    Candidate candidate{
        .kind = "free block", .address = Address{pool, kArena, at}, .room = block.size};
    const auto below = block.offset > Bytes()
                           ? chunks(pool).chunkAt(kArena, block.offset - Bytes(1))
                           : std::nullopt;
    const auto above = chunks(pool).chunkAt(kArena, block.end());
    for (const auto& wall : {below, above}) {
      if (wall && !wall->isFree()) candidate.because.push_back(wall->owner);
    }
    const auto say = [&](Verdict verdict, std::string reason) {
      candidate.verdict = verdict;
      candidate.reason = std::move(reason);
      return candidate;
    };
    const bool atFrontier = block.end() == chunks(pool).regionSize(kArena);
    const Bytes missing = at + stay.size - block.end();
    if (choice && takes(*choice, pool, block)) {
      return say(Verdict::chosen,
                 missing > Bytes() ? "extended by " + countBytes(missing)
                 : missing == Bytes()
                     ? std::string("taken whole")
                     : fmt::format("cut: {} stay free above", countBytes(Bytes() - missing)));
    }
    if (stay.size <= threshold_) {
      return say(Verdict::notAllowed, "the tensor is not above the threshold of " +
                                          countBytes(threshold_) + ": it may not cut a free block");
    }
    if (missing > Bytes()) {
      std::string reason = countBytes(missing) + " too small";
      if (at > block.offset) reason += " once aligned";
      const bool mayExtend = block.offset == free_[pool].largest().offset;
      if (!atFrontier || !mayExtend) {
        return say(Verdict::tooSmall, reason + (atFrontier ? "; only the largest may grow" : ""));
      }
      if (hasRoom(pool, at + stay.size)) return say(Verdict::tooSmall, reason);
      return say(Verdict::overCapacity, reason + ", and no room to grow: it would end " +
                                            beyondCapacity(pool, at + stay.size));
    }
    return say(Verdict::lessGood, whyLess(pool, block, stay, *choice));
  }

  static bool isFresh(const Choice& choice) {
    return choice.reason == Reason::frontier || choice.reason == Reason::belowThreshold;
  }

  bool takes(const Choice& choice, PoolId pool, const Chunk& block) const {
    if (isFresh(choice)) return false;
    if (choice.reason == Reason::tailExtension) return block.offset == free_[pool].largest().offset;
    return block.offset <= choice.address.offset && choice.address.offset < block.end();
  }

  /// Why another free block than `block` was taken, in which the stay would have fitted.
  std::string whyLess(PoolId pool, const Chunk& block, const Stay& stay,
                      const Choice& choice) const {
    if (choice.reason == Reason::exactFit) {
      return block.size == stay.size ? "the same size, but higher"
                                     : "a block of exactly the size is taken before a larger one";
    }
    const auto taken = chunks(pool).chunkAt(kArena, choice.address.offset);
    if (block.size == taken->size) return "the same size, but higher";
    return fmt::format("{}: the {} is taken, {}", best_ ? "a looser fit" : "not the largest",
                       best_ ? "tightest" : "largest", countBytes(taken->size));
  }

  Candidate frontierCandidate(PoolId pool, const Stay& stay,
                              const std::optional<Choice>& choice) const {
    const Bytes at = alignUp(chunks(pool).regionSize(kArena), stay.alignment);
    Candidate candidate{.kind = "frontier", .address = Address{pool, kArena, at}};
    if (const auto& capacity = problem().pools[pool].capacity) {
      candidate.room = std::max(Bytes(), *capacity - at);
    }
    if (choice && isFresh(*choice)) {
      candidate.reason = "memory never used before";
    } else if (choice) {
      candidate.verdict = Verdict::lessGood;
      candidate.reason = "free blocks come before memory never used";
    } else {
      candidate.verdict = Verdict::overCapacity;
      candidate.reason = "would end " + beyondCapacity(pool, at + stay.size);
    }
    return candidate;
  }

  std::string beyondCapacity(PoolId pool, Bytes end) const {
    const Bytes capacity = *problem().pools[pool].capacity;
    return fmt::format("{} above the capacity of {}", countBytes(end - capacity),
                       countBytes(capacity));
  }

  std::string decided(Reason reason, const Stay& stay) const {
    switch (reason) {
      case Reason::exactFit:
        return "a free block of exactly the size, the lowest of them";
      case Reason::largestFree:
        return "no free block has exactly the size: the largest is cut, the lowest of them";
      case Reason::bestFit:
        return "no free block has exactly the size: the smallest larger one is cut";
      case Reason::tailExtension:
        return "no free block is large enough: the largest ends at the frontier and is extended";
      case Reason::belowThreshold:
        return fmt::format("{} are not above the threshold of {}: fresh memory",
                           countBytes(stay.size), countBytes(threshold_));
      default:
        return "no free block is large enough, nor can the largest be extended: fresh memory";
    }
  }

  /// One word for the change of the free block, if one is taken.
  std::string_view howTaken(const Choice& choice) const {
    const bool spilled = choice.address.pool != PoolId(0);
    switch (choice.reason) {
      case Reason::exactFit:
        return spilled ? "spills: reuses" : "reuses";
      case Reason::largestFree:
      case Reason::bestFit:
        return spilled ? "spills: splits off" : "splits off";
      case Reason::tailExtension:
        return spilled ? "spills: extends the tail to" : "extends the tail to";
      default:
        return spilled ? "spills: takes fresh" : "takes fresh";
    }
  }

  static constexpr RegionId kArena{0};
  IdMap<PoolId, FreeBlocks> free_;
  Bytes threshold_;
  bool best_;
  Decision account_;
  MethodRecorder recorder_;
  /// Of the record, by pool.
  struct Lists {
    std::size_t allocated = 0;
    std::size_t free = 0;
    std::size_t search = 0;
  };
  IdMap<PoolId, Lists> lists_;
};

class FreeList final : public Allocator {
 public:
  explicit FreeList(const Params& params)
      : threshold_(params.size(kThreshold)), best_(params.text(kPick) == "best") {}

 private:
  Result<Plan> solve(const Problem& problem, const PlanContext& context) const override {
    HW_DO(refusePins(problem, "free-list"));
    MethodRecord record{.name = "free-list"};
    FreeListHeap heap(problem, threshold_, best_, context.record ? &record : nullptr);
    Plan plan = replay(problem, heap);
    if (!record.ticks.empty()) plan.records.push_back(std::move(record));
    return plan;
  }

  std::optional<Decision> recount(const Problem& problem, const Plan&, StayId stay) const override {
    FreeListHeap heap(problem, threshold_, best_);
    heap.watch(stay);
    replay(problem, heap);
    return heap.takeAccount();
  }

  Bytes threshold_;
  bool best_;
};

}  // namespace

std::span<const ParamSpec> freeListParams() { return kParams; }

std::unique_ptr<Allocator> makeFreeList(const Params& params) {
  return std::make_unique<FreeList>(params);
}

}  // namespace hw
