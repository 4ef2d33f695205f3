#include "core/sim/op_timing.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/check.h"
#include "core/base/text.h"
#include "core/machine/op_list.h"
#include "core/ops/op_table.h"
#include "core/sim/cost_model.h"

namespace hw {
namespace {

/// `bytes` as a memory moves them: whole bursts.
Bytes inBursts(Bytes bytes, Bytes burst) { return alignUp(bytes, burst); }

Bottleneck bottleneckOf(const OpTiming& timing, PoolId near) {
  Bottleneck worst = Bottleneck::nothing;
  SimTime most;
  const auto consider = [&](SimTime time, Bottleneck kind) {
    if (time <= most) return;
    most = time;
    worst = kind;
  };
  consider(timing.compute, Bottleneck::compute);
  for (const PoolId pool : timing.memory.keys()) {
    consider(timing.memory[pool], pool == near ? Bottleneck::l2 : Bottleneck::l3);
  }
  return worst;
}

}  // namespace

std::string_view trafficClassName(TrafficClass kind) {
  constexpr std::array<std::string_view, kTrafficClasses> kNames = {"input", "output",
                                                                    "intermediate", "weight"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view bottleneckName(Bottleneck bottleneck) {
  constexpr std::array<std::string_view, 4> kNames = {"nothing", "compute", "L2", "L3"};
  return kNames[static_cast<std::size_t>(bottleneck)];
}

Bytes addMoved(Bytes a, Bytes b) { return std::min(a + b, kMaxTraffic); }

Bytes Traffic::total() const {
  Bytes sum;
  for (const Bytes bytes : read) sum = addMoved(sum, bytes);
  for (const Bytes bytes : written) sum = addMoved(sum, bytes);
  return sum;
}

Traffic& Traffic::operator+=(const Traffic& other) {
  for (std::size_t i = 0; i < kTrafficClasses; ++i) {
    read[i] = addMoved(read[i], other.read[i]);
    written[i] = addMoved(written[i], other.written[i]);
  }
  return *this;
}

std::vector<PoolSpec> poolsOf(const SimulationInput& input) {
  const std::size_t devices = input.partition == nullptr ? 1 : input.platform.devices.size();
  std::vector<PoolSpec> pools;
  for (const auto& pool : machinePools(input.platform, devices).pools) pools.push_back(*pool.spec);
  return pools;
}

OpTimer::OpTimer(const SimulationInput& input)
    : input_(input),
      pools_(poolsOf(input)),
      device_(&input.platform.devices.front()),
      far_(device_->pools.size() - 1),
      staysOf_(input.storage.buffers.size()),
      copiesOf_(input.graph.ops.size()) {
  check(input.problem.pools.size() <= pools_.size(), "devices with the problem's pools");
  for (const StayId id : input.problem.stays.keys()) {
    const BufferId buffer = input.problem.stays[id].buffer;
    if (staysOf_.contains(buffer)) staysOf_[buffer].push_back(id);
  }
  for (const CopyNote& copy : input.storage.copies) copiesOf_[copy.op].push_back(copy);
}

OpTiming OpTimer::time(OpId id, Step step) {
  const Op& op = input_.graph.ops[id];
  OpTiming timing;
  enterDevice(id);
  timing.memory = IdMap<PoolId, SimTime>(pools_.size());
  timing.traffic = IdMap<PoolId, Traffic>(pools_.size());
  timing.unit = unitFor(op.type);
  if (op.folded || (input_.storage.free.contains(id) && input_.storage.free[id])) return timing;
  if (copiesOf_[id].empty()) {
    const Work work = workOf(input_.graph, id);
    if (!work.unknown.empty()) {
      note("ops have no compute time",
           fmt::format("{}: {}", printable(displayName(input_.graph, id)), work.unknown));
    }
    timing.macs = work.macs;
    timing.elements = work.elements;
    timing.compute = computeTime(device_->units[timing.unit], work);
    addTraffic(id, step, timing);
  } else {
    addCopies(id, step, timing);
  }
  addMemoryTime(timing);
  timing.bottleneck = bottleneckOf(timing, PoolId(firstPool_));
  SimTime longest = timing.compute;
  for (const SimTime memory : timing.memory) longest = std::max(longest, memory);
  timing.time.end = addTime(longest, timing.latency);
  return timing;
}

void OpTimer::addTraffic(OpId id, Step step, OpTiming& timing) {
  for (const TensorId tensor : input_.graph.reads(id)) {
    move(tensor, input_.graph.tensors[tensor].bytes.value_or(Bytes()), step, false, timing);
  }
  for (const TensorId tensor : input_.graph.ops[id].outputs) {
    if (!tensor) continue;
    move(tensor, input_.graph.tensors[tensor].bytes.value_or(Bytes()), step, true, timing);
  }
}

/// A concat gathers its copied inputs in its output, a split or reshape fills its copied outputs
/// from its input.
void OpTimer::addCopies(OpId id, Step step, OpTiming& timing) {
  const Op& op = input_.graph.ops[id];
  for (const CopyNote& copy : copiesOf_[id]) {
    const bool intoOutput = std::ranges::find(op.outputs, copy.tensor) == op.outputs.end();
    const TensorId from = intoOutput ? copy.tensor : dataInput(op);
    const TensorId to = intoOutput ? op.outputs[0] : copy.tensor;
    move(from, copy.bytes, step, false, timing);
    move(to, copy.bytes, step, true, timing);
  }
}

void OpTimer::move(TensorId tensor, Bytes bytes, Step step, bool write, OpTiming& timing) {
  const TrafficClass kind = classOf(tensor);
  if (kind == TrafficClass::weight && !input_.streamWeights) return;
  if (!input_.graph.tensors[tensor].bytes) {
    note("tensors of unknown size move no bytes", printable(displayName(input_.graph, tensor)));
  }
  if (bytes == Bytes()) return;
  Traffic& traffic = timing.traffic[poolOf(tensor, step)];
  Bytes& moved = (write ? traffic.written : traffic.read)[static_cast<std::size_t>(kind)];
  moved = addMoved(moved, bytes);
}

PoolId OpTimer::poolOf(TensorId tensor, Step step) {
  const BufferId buffer = input_.storage.bufferOf(tensor);
  if (!buffer) return far_;
  for (const StayId id : staysOf_[buffer]) {
    if (!input_.problem.stays[id].steps.contains(step)) continue;
    const auto& address = input_.plan.addresses[id];
    if (address && !onDevice(address->pool)) continue;  // Another device's copy.
    if (address) return address->pool;
    note("uses of tensors without an address are timed as if they lived in " +
             pools_[far_.index()].name,
         printable(displayName(input_.graph, tensor)));
    return far_;
  }
  return far_;
}

/// From now on, ops are timed on the device that runs `op`.
void OpTimer::enterDevice(OpId op) {
  if (input_.partition == nullptr) return;
  const DeviceIndex device = input_.partition->deviceOf[op];
  const auto& devices = input_.platform.devices;
  firstPool_ = 0;
  for (DeviceIndex i = 0; i < device; ++i) firstPool_ += devices[i].pools.size();
  device_ = &devices[device];
  far_ = PoolId(firstPool_ + device_->pools.size() - 1);
}

bool OpTimer::onDevice(PoolId pool) const {
  return pool.index() >= firstPool_ && pool.index() < firstPool_ + device_->pools.size();
}

/// The stay of `buffer` on `device` at `step`; none when there is none.
StayId OpTimer::stayOn(BufferId buffer, DeviceIndex device, Step step) const {
  std::size_t first = 0;
  for (DeviceIndex i = 0; i < device; ++i) first += input_.platform.devices[i].pools.size();
  const std::size_t last = first + input_.platform.devices[device].pools.size();
  for (const StayId id : staysOf_[buffer]) {
    const auto& address = input_.plan.addresses[id];
    if (!address || !input_.problem.stays[id].steps.contains(step)) continue;
    if (address->pool.index() >= first && address->pool.index() < last) return id;
  }
  return {};
}

TransferTiming OpTimer::time(const DeviceTransfer& transfer, IdMap<PoolId, Traffic>& traffic) {
  const TensorId tensor = input_.storage.buffers[transfer.buffer].root;
  TransferTiming timing{.from = stayOn(transfer.buffer, transfer.from, transfer.step),
                        .to = stayOn(transfer.buffer, transfer.to, transfer.step),
                        .step = transfer.step,
                        .bytes = input_.storage.buffers[transfer.buffer].size};
  if (!timing.from || !timing.to) {
    note("transfers have no address to copy from or to and are not timed",
         printable(displayName(input_.graph, tensor)));
    return timing;
  }
  const PoolId source = input_.plan.addresses[timing.from]->pool;
  const PoolId target = input_.plan.addresses[timing.to]->pool;
  const PoolSpec& from = pools_[source.index()];
  const PoolSpec& to = pools_[target.index()];
  const auto kind = static_cast<std::size_t>(classOf(tensor));
  Bytes& read = traffic[source].read[kind];
  Bytes& written = traffic[target].written[kind];
  read = addMoved(read, timing.bytes);
  written = addMoved(written, timing.bytes);
  const SimTime reading = transferTime(inBursts(timing.bytes, from.burst), from.readBandwidth);
  const SimTime writing = transferTime(inBursts(timing.bytes, to.burst), to.writeBandwidth);
  timing.time.end = addTime(std::max(reading, writing), addTime(from.readLatency, to.writeLatency));
  return timing;
}

TrafficClass OpTimer::classOf(TensorId id) const {
  const Tensor& tensor = input_.graph.tensors[id];
  if (tensor.constant) return TrafficClass::weight;
  if (tensor.graphInput) return TrafficClass::input;
  return tensor.graphOutput ? TrafficClass::output : TrafficClass::intermediate;
}

/// The first unit that runs `type`.
std::uint32_t OpTimer::unitFor(const std::string& type) {
  for (std::size_t i = 0; i < device_->units.size(); ++i) {
    if (coversOp(device_->units[i].ops, type)) return static_cast<std::uint32_t>(i);
  }
  note(fmt::format("ops are of a type that no unit of '{}' runs and are timed on '{}'",
                   printable(device_->name), printable(device_->units.front().name)),
       printable(type));
  return 0;
}

void OpTimer::addMemoryTime(OpTiming& timing) const {
  for (const PoolId id : timing.memory.keys()) {
    const PoolSpec& pool = pools_[id.index()];
    Bytes read;
    Bytes written;
    for (std::size_t i = 0; i < kTrafficClasses; ++i) {
      read = addMoved(read, inBursts(timing.traffic[id].read[i], pool.burst));
      written = addMoved(written, inBursts(timing.traffic[id].written[i], pool.burst));
    }
    timing.memory[id] =
        addTime(transferTime(read, pool.readBandwidth), transferTime(written, pool.writeBandwidth));
    const SimTime toRead = read > Bytes() ? pool.readLatency : SimTime();
    const SimTime toWrite = written > Bytes() ? pool.writeLatency : SimTime();
    timing.latency = addTime(timing.latency, std::max(toRead, toWrite));
  }
}

void OpTimer::note(const std::string& what, const std::string& first) {
  auto cause = std::ranges::find(causes_, what, &Cause::what);
  if (cause == causes_.end()) {
    causes_.push_back({what, first, 0});
    cause = std::prev(causes_.end());
  }
  ++cause->count;
}

std::vector<std::string> OpTimer::notes() const {
  std::vector<std::string> sentences;
  for (const Cause& cause : causes_) {
    sentences.push_back(fmt::format("{} {} (first: {})", cause.count, cause.what, cause.first));
  }
  return sentences;
}

}  // namespace hw
