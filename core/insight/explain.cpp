#include "core/insight/explain.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/residency/residency.h"
#include "core/run/partitioned.h"
#include "core/storage/parts.h"

namespace hw {
namespace {

/// Bytes moved to and from a stay while it lives, per byte and step held: what residency goes by.
double worth(const Run& run, const IdMap<StayId, Bytes>& traffic, StayId id) {
  const Stay& stay = run.problem.stays[id];
  return traffic[id].real() / (stay.size.real() * stay.steps.length().real());
}

/// Way of a buffer that moves: how it came to the pool of the stay, and where it goes from there.
std::string movesOf(const Run& run, StayId id) {
  const auto poolOf = [&](StayId stay) {
    return stay ? run.problem.pools[run.problem.poolOf(stay)].name : std::string("outside");
  };
  const Interval<Step> steps = run.problem.stays[id].steps;
  std::string came = "it is there from the start";
  for (const StepUses& uses : run.problem.uses) {
    const bool written = std::ranges::find(uses.writes, id) != uses.writes.end();
    if (uses.step == steps.begin && written) came = "its own op writes it there";
  }
  std::string goes;
  for (const Move& move : run.problem.moves) {
    if (move.to == id && move.step == steps.begin) {
      came = fmt::format("it comes from {} at step {}", poolOf(move.from), move.step.count());
    } else if (move.to == id) {
      goes += fmt::format(", is written again from {} at step {}", poolOf(move.from),
                          move.step.count());
    }
    if (move.from == id) {
      goes += fmt::format(", goes to {} at step {}", poolOf(move.to), move.step.count());
    }
  }
  return came + goes;
}

/// For methods that are told the pool: what else the fast one held meanwhile.
std::string residencyOf(const Run& run, StayId id) {
  if (!run.problem.moves.empty()) return movesOf(run, id);
  const auto& capacity = run.problem.pools[PoolId(0)].capacity;
  const bool told = run.request.allocator.info != nullptr &&
                    !run.request.allocator.placer().info->choosesPools &&
                    run.problem.pools.size() > 1 && capacity && !run.partitionAccount;
  if (!told) return {};
  const std::string& fast = run.problem.pools[PoolId(0)].name;
  if (run.problem.poolOf(id) == PoolId(0)) {
    return fmt::format("it was given to {} before planning: there was room for it", fast);
  }
  const auto traffic = trafficOf(run.graph(), run.storage, run.problem);
  const double own = worth(run, traffic, id);
  Problem before;
  before.pools.add({});
  before.steps = run.problem.steps;
  for (const StayId other : run.problem.stays.keys()) {
    if (run.problem.poolOf(other) != PoolId(0)) continue;
    const double theirs = worth(run, traffic, other);
    if (theirs < own || (theirs == own && id < other)) continue;
    before.stays.add(run.problem.stays[other]);
    before.stays[StayId(before.stays.size() - 1)].pool = {};
  }
  const Interval<Step> steps = run.problem.stays[id].steps;
  const StepFunction held = liveBytes(before);
  Bytes most = held.at(steps.begin);
  Step when = steps.begin;
  for (const auto& piece : held.pieces) {
    if (!steps.contains(piece.from) || piece.value <= most) continue;
    most = piece.value;
    when = piece.from;
  }
  const Bytes size = run.problem.stays[id].size;
  const std::string why = fmt::format(
      "it was moved to L3 before planning: at step {} tensors that move more bytes for each byte "
      "held keep {} of {}'s {}",
      when.count(), countBytes(most), fast, countBytes(*capacity));
  if (most + size > *capacity)
    return fmt::format("{}, and {} more do not fit", why, countBytes(size));
  return why + ", and room was left for holes";
}

/// The stay ids of an account made for the blocks of a device, as those of the run.
void translate(Decision& decision, const PartitionAccount& account, const DeviceAccount& device) {
  for (Candidate& candidate : decision.candidates) {
    if (candidate.address) {
      const auto [pool, region, offset] = *candidate.address;
      const bool there = device.planned.plan.regions[pool].contains(region);
      const Bytes start = there ? device.planned.plan.regionStart(pool, region)
                                : device.planned.plan.footprint(pool);
      candidate.address =
          Address{device.pools[pool.index()], device.regions[pool.index()], start + offset};
    }
    for (StayId& wall : candidate.because) wall = account.firstStays[device.blocks[wall.index()]];
  }
}

/// Blocks are placed on their device, tensors inside their block.
PlaceExplanation explainPartitioned(const Run& run, StayId stay) {
  const PartitionAccount& account = *run.partitionAccount;
  const std::size_t blockIndex = run.partition.residences[account.residenceOf[stay]].block;
  const UnitBlock& block = run.partition.blocks[blockIndex];
  const auto allocator = run.request.allocator.make();
  const DeviceAccount& device = account.devices[block.device];
  const auto at = std::ranges::find(device.blocks, blockIndex) - device.blocks.begin();
  PlaceExplanation found{.stay = stay};
  found.decision = allocator->explain(device.planned.problem, device.planned.plan,
                                      StayId(static_cast<std::size_t>(at)));
  translate(found.decision, account, device);
  found.decision.stay = stay;
  found.block = fmt::format(
      "{} of {}, use count {}: {} by units, {} by transfers, {} as outputs",
      account.blockNames[blockIndex],
      countBytes(device.planned.problem.stays[StayId(static_cast<std::size_t>(at))].size),
      block.useCount(), block.units(), block.transfers, block.outputs);
  if (block.residences.size() < 2) return found;
  const Planned& inside = account.blocks[blockIndex];
  const auto tenant = std::ranges::find(block.residences, account.residenceOf[stay]);
  const StayId id(static_cast<std::size_t>(tenant - block.residences.begin()));
  found.inside = allocator->explain(inside.problem, inside.plan, id);
  for (Candidate& candidate : found.inside->candidates) {
    for (StayId& wall : candidate.because) wall = account.stayOf(block.residences[wall.index()]);
  }
  found.inside->stay = stay;
  return found;
}

std::string opText(const Run& run, OpId op) {
  return fmt::format("'{}' ({})", printable(displayName(run.graph(), op), 60),
                     printable(run.graph().ops[op].type, 40));
}

/// Reason why `tensor` is not the root of its buffer.
std::string aliasReason(const Run& run, TensorId tensor) {
  const Tensor& shown = run.graph().tensors[tensor];
  if (std::ranges::binary_search(run.storage.inPlace, tensor)) {
    return opText(run, shown.producer) + " writes it over its input";
  }
  const BufferId buffer = run.storage.bufferOf(tensor);
  const auto shares = [&](TensorId other) { return run.storage.bufferOf(other) == buffer; };
  // An op that copies some of its inputs is not free, and the others are parts of its output yet.
  const auto how = [&](OpId op) {
    return opText(run, op) + (run.storage.free[op] ? " moves no bytes" : " does not move it");
  };
  if (shown.producer && std::ranges::any_of(run.graph().ops[shown.producer].inputs, shares)) {
    return how(shown.producer) + ": its output is a view of its input";
  }
  for (const OpId op : shown.consumers) {
    if (!std::ranges::any_of(run.graph().ops[op].outputs, shares)) continue;
    return how(op) + ": its input is a part of its output";
  }
  return "it shares storage with what it is made from";
}

}  // namespace

PlaceExplanation explainPlace(const Run& run, StayId stay) {
  if (run.partitionAccount) return explainPartitioned(run, stay);
  // A plan that was made elsewhere has no allocator to ask.
  return {.stay = stay,
          .decision = run.request.allocator.info == nullptr
                          ? judgeDecision(run.problem, run.plan, stay)
                          : run.request.allocator.make()->explain(run.problem, run.plan, stay),
          .residency = residencyOf(run, stay)};
}

AliasExplanation explainAlias(const Run& run, TensorId tensor) {
  const BufferId buffer = run.storage.bufferOf(tensor);
  AliasExplanation found{.root = run.storage.rootOf(buffer),
                         .offset = run.storage.offsetOf(tensor),
                         .share = partText(run.graph(), run.storage, tensor)};
  std::ranges::remove_copy(run.storage.tensorsOf(buffer), std::back_inserter(found.others), tensor);
  if (tensor != found.root) found.reason = aliasReason(run, tensor);
  for (const CopyNote& copy : run.storage.copies) {
    const auto& outputs = run.graph().ops[copy.op].outputs;
    const bool made = std::ranges::find(outputs, tensor) != outputs.end();
    if (copy.tensor != tensor && !made) continue;
    found.refused.push_back(
        fmt::format("{} copies {} of '{}': {}", opText(run, copy.op), countBytes(copy.bytes),
                    printable(displayName(run.graph(), copy.tensor), 60), copy.reason));
  }
  return found;
}

std::vector<StayId> staysOf(const Run& run, TensorId tensor) {
  std::vector<StayId> stays;
  const BufferId buffer = run.storage.bufferOf(tensor);
  if (!buffer) return stays;
  for (const StayId id : run.problem.stays.keys()) {
    if (run.problem.stays[id].buffer == buffer) stays.push_back(id);
  }
  return stays;
}

}  // namespace hw
