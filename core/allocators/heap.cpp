#include "core/allocators/heap.h"

#include <algorithm>

#include "core/base/check.h"
#include "core/plan/constraint_use.h"
#include "core/plan/frames.h"

namespace hw {
namespace {

/// The changes of memory between the ops of two steps, in this order. A stay that is written over
/// an input gets its bytes as the op is done, when the input has given them up.
enum class Phase : std::uint8_t { release, takeOver, releaseHeir, acquire };

/// An acquisition or a release of a stay, ordered as a heap hears of them.
struct Moment {
  Step step{};  ///< All but acquisitions belong to the step that begins as they happen.
  Phase phase{};
  std::uint32_t rank = 0;
  StayId stay{};
  Interval<Bytes> piece{};  ///< Not empty: of these of its bytes alone.

  friend auto operator<=>(const Moment&, const Moment&) = default;
};

/// `heir`: the stay is written over an input.
void addMoments(const Problem& problem, StayId id, Interval<Step> live, bool heir,
                std::vector<Moment>& moments) {
  const Stay& stay = problem.stays[id];
  heir = heir && live.begin == stay.steps.begin;
  const Step handOver = live.begin + Step(1);
  moments.push_back(heir ? Moment{handOver, Phase::takeOver, 0, id}
                         : Moment{live.begin, Phase::acquire, 0, id});
  if (stay.outlives && live.end == stay.steps.end) return;
  const Phase phase = heir && live.end == handOver ? Phase::releaseHeir : Phase::release;
  moments.push_back({live.end, phase, stay.releaseRank, id});
}

/// A stay in a block that is taken as a whole keeps its bytes until the block is given back.
void addHeld(const Problem& problem, StayId id, const Hold& hold, std::vector<Moment>& moments) {
  const Stay& stay = problem.stays[id];
  moments.push_back({stay.steps.begin, Phase::acquire, 0, id});
  if (hold.kept) return;
  moments.push_back({hold.until, Phase::release, stay.releaseRank, id});
}

OutOfMemory describeFailure(const Problem& problem, const Heap& heap, StayId id) {
  OutOfMemory failure{
      .stay = id, .step = problem.stays[id].steps.begin, .wanted = problem.stays[id].size};
  for (const PoolId pool : problem.pools.keys()) {
    if (problem.stays[id].pool && problem.stays[id].pool != pool) continue;
    const ChunkMap& chunks = heap.chunks(pool);
    OutOfMemory::PoolState state{.pool = pool,
                                 .capacity = problem.pools[pool].capacity.value_or(kMaxBytes),
                                 .live = chunks.inUse()};
    state.freeBytes = state.capacity - state.live;
    const Bytes unused = state.capacity - chunks.footprint();
    state.largestFree = unused;
    for (std::size_t region = 0; region < chunks.regionCount(); ++region) {
      for (const Chunk& chunk : chunks.chunks(RegionId(region))) {
        const bool atFrontier = chunk.end() == chunks.regionSize(RegionId(region));
        const Bytes size = atFrontier ? chunk.size + unused : chunk.size;
        if (chunk.isFree()) state.largestFree = std::max(state.largestFree, size);
      }
    }
    failure.pools.push_back(state);
  }
  return failure;
}

void addPieces(const Problem& problem, StayId id, const std::vector<OwnPiece>& pieces,
               std::vector<Moment>& moments) {
  const Stay& stay = problem.stays[id];
  for (const OwnPiece& piece : pieces) {
    moments.push_back({piece.steps.begin, Phase::acquire, 0, id, piece.bytes});
    if (stay.outlives && piece.steps.end == stay.steps.end) continue;
    moments.push_back({piece.steps.end, Phase::release, stay.releaseRank, id, piece.bytes});
  }
}

/// All moments of a plan, in order.
std::vector<Moment> momentsOf(const Problem& problem, const Plan& plan) {
  const IdMap<StayId, Hold> holds = holdsOf(problem, plan);
  const auto pieces = ownPieces(problem, plan);
  std::vector<Moment> moments;
  moments.reserve(problem.stays.size() * 2);
  for (const StayId id : problem.stays.keys()) {
    if (!plan.addresses[id]) continue;
    if (!pieces.empty() && pieces[id]) {
      addPieces(problem, id, *pieces[id], moments);
      continue;
    }
    if (!holds.empty()) {
      addHeld(problem, id, holds[id], moments);
      continue;
    }
    const bool heir = bool(plan.inputUnder(problem, id));
    if (problem.gaps.empty()) {
      addMoments(problem, id, problem.stays[id].steps, heir, moments);
      continue;
    }
    for (const Interval<Step>& live : problem.liveSteps(id)) {
      addMoments(problem, id, live, heir, moments);
    }
  }
  std::ranges::sort(moments);
  return moments;
}

}  // namespace

Heap::Heap(const Problem& problem)
    : problem_(problem), chunks_(problem.pools.size()), addresses_(problem.stays.size()) {
  story_.reserve(problem.stays.size() * 4);
}

bool Heap::acquire(StayId id, Step step) {
  const std::optional<Choice> choice = choose(id);
  if (!choice) return false;
  addresses_[id] = choice->address;
  if (const Overlap* overlap = problem_.overlapOf(id)) makeWay(*overlap, step);
  take(id, choice->address.offset, problem_.stays[id].size, step, choice->reason);
  acquired(id, *choice);
  return true;
}

void Heap::release(StayId id, Step step) {
  const Bytes offset = addresses_[id]->offset;
  const auto shrunk = rests_.find(id);
  if (shrunk == rests_.end()) {
    giveBack(id, {offset, offset + problem_.stays[id].size}, step);
  } else {
    for (const Interval<Bytes>& part : shrunk->second) giveBack(id, part, step);
    rests_.erase(shrunk);
  }
  released(id, *addresses_[id]);
}

void Heap::acquirePiece(StayId id, const Address& place, Interval<Bytes> bytes, Step step) {
  addresses_[id] = place;
  take(id, bytes.begin, bytes.length(), step, Reason::planned);
}

/// The input gives up its bytes and comes back to what the output leaves of them.
void Heap::makeWay(const Overlap& overlap, Step step) {
  const auto& input = addresses_[overlap.under];
  const auto& output = addresses_[overlap.over];
  if (!input || input->pool != output->pool || input->region != output->region) return;
  const Interval<Bytes> under{input->offset, input->offset + problem_.stays[overlap.under].size};
  const Interval<Bytes> over{output->offset, output->offset + problem_.stays[overlap.over].size};
  if (!under.overlaps(over)) return;
  giveBack(overlap.under, under, step);
  std::vector<Interval<Bytes>>& rest = rests_[overlap.under];
  if (under.begin < over.begin) rest.push_back({under.begin, over.begin});
  if (over.end < under.end) rest.push_back({over.end, under.end});
  for (const Interval<Bytes>& part : rest) {
    take(overlap.under, part.begin, part.length(), step, Reason::planned);
  }
}

MemoryEvent Heap::eventOf(StayId id, Step step) const {
  return {.step = static_cast<std::int32_t>(step.count()),
          .stay = id,
          .region = addresses_[id]->region,
          .pool = static_cast<std::uint8_t>(addresses_[id]->pool.index())};
}

void Heap::take(StayId id, Bytes offset, Bytes size, Step step, Reason reason) {
  MemoryEvent event = eventOf(id, step);
  event.reason = reason;
  const PoolId pool = event.poolId();
  const RegionId regionId = event.region;
  const ChunkMap& chunks = chunks_[pool];
  const auto emit = [&](EventKind kind, Bytes at, Bytes length) {
    event.kind = kind;
    event.offset = at;
    event.size = length;
    record(event);
  };

  const Bytes end = offset + size;
  Chunk hole;
  if (const Bytes frontier = chunks.regionSize(regionId); frontier < end) {
    const auto tail = chunks.lastChunk(regionId);
    hole = tail && tail->isFree() ? *tail : Chunk{.offset = frontier};
    if (hole.size > Bytes()) freeChunkRemoved(pool, regionId, hole);
    emit(EventKind::extend, frontier, end - frontier);
    if (hole.size > Bytes()) emit(EventKind::merge, frontier, end - frontier);
    hole.size = end - hole.offset;
  } else {
    const auto found = chunks.chunkAt(regionId, offset);
    check(found && found->isFree() && end <= found->end(), "a heap to choose memory that is free");
    hole = *found;
    freeChunkRemoved(pool, regionId, hole);
  }
  if (hole.offset < offset) {
    emit(EventKind::split, offset, hole.end() - offset);
    freeChunkAdded(pool, regionId, {.offset = hole.offset, .size = offset - hole.offset});
  }
  if (end < hole.end()) {
    emit(EventKind::split, end, hole.end() - end);
    freeChunkAdded(pool, regionId, {.offset = end, .size = hole.end() - end});
  }
  emit(EventKind::alloc, offset, size);
}

void Heap::giveBack(StayId id, Interval<Bytes> bytes, Step step) {
  MemoryEvent event = eventOf(id, step);
  const PoolId pool = event.poolId();
  const RegionId regionId = event.region;
  const ChunkMap& chunks = chunks_[pool];
  Chunk joined{.offset = bytes.begin, .size = bytes.length()};
  event.offset = joined.offset;
  event.size = joined.size;
  event.kind = EventKind::free;
  record(event);

  event.kind = EventKind::merge;
  // Above first: the chunk begins at `offset` until the one below joins it.
  if (const auto above = chunks.chunkAt(regionId, joined.end()); above && above->isFree()) {
    event.offset = above->offset;
    event.size = above->size;
    record(event);
    freeChunkRemoved(pool, regionId, *above);
    joined.size += above->size;
  }
  if (bytes.begin > Bytes()) {
    const auto below = chunks.chunkAt(regionId, bytes.begin - Bytes(1));
    if (below && below->isFree()) {
      event.offset = bytes.begin;
      event.size = joined.size;
      record(event);
      freeChunkRemoved(pool, regionId, *below);
      joined = {.offset = below->offset, .size = below->size + joined.size};
    }
  }
  freeChunkAdded(pool, regionId, joined);
}

void Heap::record(const MemoryEvent& event) {
  chunks_[event.poolId()].apply(event);
  story_.push_back(event);
}

Plan replay(const Problem& problem, Heap& heap) {
  std::vector<Moment> moments;
  moments.reserve(problem.stays.size() * 2);
  for (const StayId id : problem.stays.keys()) {
    addMoments(problem, id, problem.stays[id].steps, false, moments);
  }
  std::ranges::sort(moments);

  Plan plan;
  for (const Moment& moment : moments) {
    if (moment.phase != Phase::acquire) {
      heap.release(moment.stay, moment.step - Step(1));
    } else if (!heap.acquire(moment.stay, moment.step)) {
      plan.outOfMemory = describeFailure(problem, heap, moment.stay);
      plan.status = PlanStatus::overBudget;
      break;
    }
  }
  plan.addresses.reserve(problem.stays.size());
  for (const StayId id : problem.stays.keys()) plan.addresses.add(heap.addressOf(id));
  plan.story = heap.takeStory();
  return plan;
}

std::vector<MemoryEvent> narrate(const Problem& problem, const Plan& plan) {
  /// Puts every stay where the plan has it.
  class Oracle final : public Heap {
   public:
    Oracle(const Problem& whole, const Plan& decided) : Heap(whole), plan_(decided) {}

   private:
    std::optional<Choice> choose(StayId stay) override {
      return Choice{*plan_.addresses[stay], Reason::planned};
    }
    const Plan& plan_;
  } oracle(problem, plan);

  for (const Moment& moment : momentsOf(problem, plan)) {
    const Step before = moment.step - Step(1);
    if (!moment.piece.empty()) {
      if (moment.phase == Phase::release) {
        oracle.releasePiece(moment.stay, moment.piece, before);
      } else {
        oracle.acquirePiece(moment.stay, *plan.addresses[moment.stay], moment.piece, moment.step);
      }
      continue;
    }
    if (moment.phase == Phase::release || moment.phase == Phase::releaseHeir) {
      oracle.release(moment.stay, before);
    } else {
      const Step step = moment.phase == Phase::takeOver ? before : moment.step;
      check(oracle.acquire(moment.stay, step), "an oracle to know every address");
    }
  }
  return oracle.takeStory();
}

}  // namespace hw
