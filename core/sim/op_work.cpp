#include "core/sim/op_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/base/text.h"
#include "core/graph/tiling.h"
#include "core/machine/memory_model.h"
#include "core/ops/op_table.h"
#include "core/sim/cost_model.h"

namespace hw {
namespace {

/// Where parts begin that lie one behind the other, each where it is listed first, and their end.
struct PartPlaces {
  std::map<TensorId, Bytes> begins{};
  Bytes end{};

  template <class SizeOf>
  PartPlaces(const std::vector<TensorId>& parts, const SizeOf& sizeOf) {
    for (const TensorId part : parts) {
      begins.emplace(part, end);
      end += sizeOf(part);
    }
  }
};

Bottleneck bottleneckOf(const OpTiming& timing) {
  Bottleneck worst;
  SimTime most;
  const auto consider = [&](SimTime time, Bottleneck what) {
    if (time <= most) return;
    most = time;
    worst = what;
  };
  consider(timing.compute, {.kind = Bottleneck::Kind::compute});
  for (const PoolId pool : timing.memory.keys()) {
    consider(timing.memory[pool], {.kind = Bottleneck::Kind::memory, .pool = pool});
  }
  return worst;
}

}  // namespace

void TimingNotes::add(const std::string& what, const std::string& first) {
  auto cause = std::ranges::find(causes_, what, &Cause::what);
  if (cause == causes_.end()) {
    causes_.push_back({what, first, 0});
    cause = std::prev(causes_.end());
  }
  ++cause->count;
}

std::vector<std::string> TimingNotes::sentences() const {
  std::vector<std::string> sentences;
  for (const Cause& cause : causes_) {
    sentences.push_back(fmt::format("{} {} (first: {})", cause.count, cause.what, cause.first));
  }
  return sentences;
}

OpWorker::OpWorker(const SimulationInput& input, const TensorPlaces& places, TimingNotes& notes)
    : input_(input),
      places_(places),
      notes_(notes),
      copiesOf_(input.graph.ops.size()),
      constants_(input.graph) {
  for (const CopyNote& copy : input.storage.copies) copiesOf_[copy.op].push_back(copy);
}

OpWork OpWorker::work(OpId id, Step step) {
  const Op& op = input_.graph.ops[id];
  const At at{step, input_.deviceOf(id)};
  const std::size_t pools = places_.machine().pools.size();
  OpWork work;
  OpTiming& timing = work.timing;
  timing.memory = IdMap<PoolId, SimTime>(pools);
  timing.traffic = IdMap<PoolId, Traffic>(pools);
  if (op.domain != kTileDomain) timing.unit = unitFor(op.type, at);
  work.idle = op.folded || isSeam(op);
  if (work.idle) return work;
  const UnitSpec& unit = device(at).units[timing.unit];
  Work asked;
  const bool aliases = input_.storage.free.contains(id) && input_.storage.free[id];
  if (!aliases && copiesOf_[id].empty()) {
    asked = workOf(input_.graph, id);
    if (!asked.unknown.empty()) {
      notes_.add("ops have no compute time",
                 fmt::format("{}: {}", printable(displayName(input_.graph, id)), asked.unknown));
    }
    addTraffic(id, at, work);
  } else {
    asked.written = addOwnOutputs(id, at, addCopies(id, at, work), work);
    work.idle = aliases && work.accesses.empty();
    if (work.idle) return work;
  }
  timing.macs = asked.macs;
  timing.elements = countedElements(unit, asked);
  timing.compute = computeTime(unit, asked);
  addMemoryTime(work);
  timing.bottleneck = bottleneckOf(timing);
  SimTime longest = timing.compute;
  for (const SimTime memory : timing.memory) longest = std::max(longest, memory);
  timing.time.end = addTime(longest, timing.latency);
  return work;
}

Bytes OpWorker::sizeOf(TensorId tensor) const {
  return tensor ? input_.graph.tensors[tensor].bytes.value_or(Bytes()) : Bytes();
}

std::int64_t OpWorker::elementsWith(std::int64_t elements, TensorId tensor) const {
  const auto& shape = input_.graph.tensors[tensor].shape;
  const std::int64_t more = shape ? elementCount(*shape).value_or(0) : 0;
  return checkedAdd(elements, more).value_or(elements);
}

void OpWorker::addTraffic(OpId op, const At& at, OpWork& work) {
  for (const TensorId tensor : input_.graph.reads(op)) {
    const bool constant = input_.graph.tensors[tensor].constant;
    const Bytes bytes = constant ? constants_.of(op, tensor) : sizeOf(tensor);
    move(tensor, {Bytes(), bytes}, false, at, work);
  }
  for (const TensorId tensor : input_.graph.ops[op].outputs) {
    // Scratch of an op that does not run over its input is not there.
    if (!tensor || (isScratch(input_.graph, tensor) && !input_.storage.bufferOf(tensor))) continue;
    move(tensor, {Bytes(), sizeOf(tensor)}, true, at, work);
  }
}

/// A concat gathers its copied inputs in its output, a split or reshape fills its copied outputs
/// from its input: parts of the whole one behind the other, or, where they interleave, all of it.
std::int64_t OpWorker::addCopies(OpId id, const At& at, OpWork& work) {
  const Op& op = input_.graph.ops[id];
  if (copiesOf_[id].empty()) return 0;
  const auto size = [this](TensorId part) { return sizeOf(part); };
  const PartPlaces outputs(op.outputs, size);
  const PartPlaces inputs(op.inputs, size);
  std::int64_t elements = 0;
  for (const CopyNote& copy : copiesOf_[id]) {
    const bool gathers = !outputs.begins.contains(copy.tensor);
    const TensorId whole = gathers ? op.outputs[0] : dataInput(op);
    const PartPlaces& places = gathers ? inputs : outputs;
    const auto place = places.begins.find(copy.tensor);
    const Bytes begin = place == places.begins.end() ? places.end : place->second;
    const Interval<Bytes> there{
        std::min(begin, std::max(sizeOf(whole) - copy.bytes, Bytes())),
        std::min(begin, std::max(sizeOf(whole) - copy.bytes, Bytes())) + copy.bytes};
    const Interval<Bytes> here{Bytes(), copy.bytes};
    move(gathers ? copy.tensor : whole, gathers ? here : there, false, at, work);
    move(gathers ? whole : copy.tensor, gathers ? there : here, true, at, work);
    elements = elementsWith(elements, copy.tensor);
  }
  return elements;
}

/// Outputs that neither lie in what it reads nor were copied: the mask beside the view that Dropout
/// is.
std::int64_t OpWorker::addOwnOutputs(OpId id, const At& at, std::int64_t elements, OpWork& work) {
  const std::vector<TensorId> reads = input_.graph.reads(id);
  const auto isShared = [&](TensorId output) {
    const BufferId buffer = input_.storage.bufferOf(output);
    return !buffer || std::ranges::any_of(reads, [&](TensorId in) {
      return input_.storage.bufferOf(in) == buffer;
    });
  };
  for (const TensorId output : input_.graph.ops[id].outputs) {
    if (!output || isShared(output)) continue;
    const StayId stay = places_.find(output, at.device, at.step).stay;
    const bool known =
        !stay || std::ranges::find(work.accesses, stay, &Access::stay) != work.accesses.end();
    if (known) continue;
    move(output, {Bytes(), sizeOf(output)}, true, at, work);
    elements = elementsWith(elements, output);
  }
  return elements;
}

/// `bytes` from the beginning of the tensor.
void OpWorker::move(TensorId tensor, Interval<Bytes> bytes, bool write, const At& at,
                    OpWork& work) {
  const TrafficClass kind = classOf(tensor);
  const TensorPlaces::Place place = places_.find(tensor, at.device, at.step);
  if (kind == TrafficClass::weight && !input_.streamWeights && !place.stay) return;
  const auto name = [&] { return printable(displayName(input_.graph, tensor)); };
  if (!input_.graph.tensors[tensor].bytes) {
    notes_.add("tensors of unknown size move no bytes", name());
  }
  if (!place.stay && !write) work.loose.push_back(tensor);
  if (bytes.empty()) return;
  if (!place.stay && place.planned) {
    notes_.add("uses of tensors without an address are timed as if they lived in " +
                   places_.spec(place.pool).name,
               name());
  }
  Traffic& traffic = work.timing.traffic[place.pool];
  Bytes& moved = (write ? traffic.written : traffic.read)[static_cast<std::size_t>(kind)];
  moved = addMoved(moved, bytes.length());
  if (!place.stay) return;
  const Bytes slot = input_.storage.offsetOf(tensor);
  // A piece may lie in many stretches: nobody else touches what is between its ends.
  if (pieceOf(input_.graph, tensor) != nullptr) {
    bytes = {Bytes(), extentOf(input_.graph, tensor).length()};
  }
  work.accesses.push_back({place.stay,
                           {slot + bytes.begin, slot + bytes.end},
                           write,
                           places_.lifeAt(place.stay, at.step)});
}

TrafficClass OpWorker::classOf(TensorId id) const {
  const Tensor& tensor = input_.graph.tensors[id];
  if (tensor.constant) return TrafficClass::weight;
  if (tensor.graphInput) return TrafficClass::input;
  return tensor.graphOutput ? TrafficClass::output : TrafficClass::intermediate;
}

/// The first unit that runs `type`.
std::uint32_t OpWorker::unitFor(const std::string& type, const At& at) {
  const auto& units = device(at).units;
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (coversOp(units[i].ops, type)) return static_cast<std::uint32_t>(i);
  }
  notes_.add(fmt::format("ops are of a type that no unit of '{}' runs and are timed on '{}'",
                         printable(device(at).name), printable(units.front().name)),
             printable(type));
  return 0;
}

void OpWorker::addMemoryTime(OpWork& work) const {
  OpTiming& timing = work.timing;
  work.uses = IdMap<PoolId, PoolUse>(timing.memory.size());
  for (const PoolId id : timing.memory.keys()) {
    const PoolSpec& pool = places_.spec(id);
    auto& [read, written] = work.uses[id];
    for (std::size_t i = 0; i < kTrafficClasses; ++i) {
      read = addMoved(read, alignUp(timing.traffic[id].read[i], pool.burst));
      written = addMoved(written, alignUp(timing.traffic[id].written[i], pool.burst));
    }
    const SimTime reading = transferTime(read, pool.readBandwidth);
    const SimTime writing = transferTime(written, pool.writeBandwidth);
    timing.memory[id] = pool.fullDuplex ? std::max(reading, writing) : addTime(reading, writing);
    const SimTime toRead = read > Bytes() ? pool.readLatency : SimTime();
    const SimTime toWrite = written > Bytes() ? pool.writeLatency : SimTime();
    timing.latency = addTime(timing.latency, std::max(toRead, toWrite));
  }
}

}  // namespace hw
