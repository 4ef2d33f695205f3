#include "core/plan/frames.h"

#include <algorithm>

namespace hw {
namespace {

/// The region of a stay, as the block that it lies in.
std::vector<Frame> regionFrames(const Problem& problem, const Plan& plan, PoolId pool) {
  std::vector<Frame> frames;
  const std::vector<Bytes> starts = plan.regionStarts(pool);
  for (const StayId id : plan.addresses.keys()) {
    const auto& address = plan.addresses[id];
    if (!address || address->pool != pool) continue;
    const std::size_t region = address->region.index();
    if (region + 1 >= starts.size()) continue;
    for (const Interval<Step>& live : problem.liveSteps(id)) {
      frames.push_back({{starts[region], starts[region + 1]}, live, id});
    }
  }
  return frames;
}

/// The bytes of a tenant in the frame's pool.
Interval<Bytes> tenantBytes(const Problem& problem, const Plan& plan, const Frame& frame,
                            StayId id) {
  Bytes begin = frame.bytes.begin;
  if (frame.block) begin += plan.addresses[id]->offset - frame.block->place.offset;
  return {begin, begin + problem.stays[id].size};
}

/// The parts of `whole` that none of `taken` covers.
std::vector<Interval<Bytes>> between(Interval<Bytes> whole, std::vector<Interval<Bytes>> taken) {
  std::ranges::sort(taken, {}, &Interval<Bytes>::begin);
  taken.push_back({whole.end, whole.end});
  std::vector<Interval<Bytes>> free;
  Bytes from = whole.begin;
  for (const Interval<Bytes>& each : taken) {
    if (from < each.begin) free.push_back({from, each.begin});
    from = std::max(from, each.end);
  }
  return free;
}

}  // namespace

std::vector<Frame> framesOf(const Problem& problem, const Plan& plan, PoolId pool) {
  if (plan.regionsAreBlocks) return regionFrames(problem, plan, pool);
  std::vector<Frame> frames;
  const std::vector<Bytes> starts = plan.regionStarts(pool);
  for (const HeldBlock& block : plan.blocks) {
    const std::size_t region = block.place.region.index();
    if (block.place.pool != pool || region + 1 >= starts.size()) continue;
    const Bytes begin = starts[region] + block.place.offset;
    frames.push_back({{begin, begin + block.size},
                      block.steps,
                      block.tenants.empty() ? StayId() : block.tenants.front(),
                      &block});
  }
  return frames;
}

std::vector<KeptPiece> keptOf(const Problem& problem, const Plan& plan, const Frame& frame) {
  std::vector<StayId> tenants{frame.tenant};
  if (frame.block) tenants = frame.block->tenants;
  std::vector<Step> edges{frame.steps.begin, frame.steps.end};
  for (const StayId id : tenants) {
    const Interval<Step>& steps = problem.stays[id].steps;
    for (const Step edge : {steps.begin, steps.end}) {
      if (frame.steps.contains(edge)) edges.push_back(edge);
    }
  }
  std::ranges::sort(edges);
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  std::vector<KeptPiece> kept;
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
    std::vector<Interval<Bytes>> taken;
    for (const StayId id : tenants) {
      if (!problem.stays[id].steps.contains(edges[i])) continue;
      taken.push_back(tenantBytes(problem, plan, frame, id));
    }
    for (const Interval<Bytes>& free : between(frame.bytes, std::move(taken))) {
      const auto same = std::ranges::find_if(kept, [&](const KeptPiece& piece) {
        return piece.bytes == free && piece.steps.end == edges[i];
      });
      if (same == kept.end()) {
        kept.push_back({free, {edges[i], edges[i + 1]}});
      } else {
        same->steps.end = edges[i + 1];
      }
    }
  }
  return kept;
}

IdMap<StayId, Hold> holdsOf(const Problem& problem, const Plan& plan) {
  IdMap<StayId, Hold> holds;
  if (plan.blocks.empty()) return holds;
  for (const Stay& stay : problem.stays) {
    holds.add({.until = stay.steps.end, .kept = stay.outlives});
  }
  for (const HeldBlock& block : plan.blocks) {
    for (const StayId id : block.tenants) {
      const auto bytes = [&](StayId of) {
        const Bytes begin = plan.addresses[of]->offset;
        return Interval<Bytes>{begin, begin + problem.stays[of].size};
      };
      Hold& hold = holds[id];
      hold = {.until = block.steps.end, .kept = block.outlives};
      for (const StayId other : block.tenants) {
        const Step begin = problem.stays[other].steps.begin;
        if (begin < problem.stays[id].steps.end || begin >= hold.until) continue;
        if (bytes(other).overlaps(bytes(id))) hold = {.next = other, .until = begin};
      }
    }
  }
  return holds;
}

}  // namespace hw
