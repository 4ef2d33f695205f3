#include "core/residency/partition.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/base/text.h"
#include "core/graph/tiling.h"

namespace hw {
namespace {

/// The first device listed that supports `op`; the end if none does.
std::vector<DeviceSpec>::const_iterator deviceFor(const Op& op, const Platform& platform) {
  return std::ranges::find_if(platform.devices,
                              [&](const DeviceSpec& spec) { return coversOp(spec.ops, op.type); });
}

/// Derives everything from the schedule, front to back.
class Partitioner {
 public:
  Partitioner(const Graph& graph, const Schedule& schedule, const Storage& storage,
              const Platform& platform, const std::vector<SharedRead>& shared)
      : graph_(graph),
        schedule_(schedule),
        storage_(storage),
        platform_(platform),
        shared_(shared),
        unitOf_(graph.ops.size(), kNone) {}

  Result<Partition> run() {
    HW_DO(assignOps());
    for (const BufferId buffer : storage_.buffers.keys()) settle(buffer);
    makeBlocks();
    return std::move(result_);
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  Result<void> assignOps() {
    result_.deviceOf = IdMap<OpId, DeviceIndex>(graph_.ops.size(), 0);
    for (const OpId id : schedule_.order) {
      const Op& op = graph_.ops[id];
      if (op.folded) continue;
      const auto device = deviceFor(op, platform_);
      if (device == platform_.devices.end()) {
        return fail(
            ErrorCode::unsupported,
            fmt::format("operator '{}' of type '{}' is supported by no device of platform '{}'",
                        printable(displayName(graph_, id)), printable(op.type), platform_.name));
      }
      const auto unit = std::ranges::find_if(
          device->units, [&](const UnitSpec& spec) { return coversOp(spec.ops, op.type); });
      if (unit == device->units.end()) {
        return fail(
            ErrorCode::unsupported,
            fmt::format("operator '{}' of type '{}' runs on device '{}', but on none of its units",
                        printable(displayName(graph_, id)), printable(op.type), device->name));
      }
      enroll(id, static_cast<DeviceIndex>(device - platform_.devices.begin()),
             static_cast<std::uint32_t>(unit - device->units.begin()));
    }
    return {};
  }

  void enroll(OpId op, DeviceIndex device, std::uint32_t unit) {
    const Step step = schedule_.stepOf[op];
    auto& functions = result_.subFunctions;
    auto& units = result_.units;
    result_.deviceOf[op] = device;
    // An inference does not go on with the block of the one before it.
    const bool next =
        !functions.empty() && batchOf(graph_, functions.back().ops.back()) != batchOf(graph_, op);
    if (functions.empty() || functions.back().device != device || next) {
      functions.push_back({.device = device, .steps = {step, step}});
    }
    const std::size_t function = functions.size() - 1;
    if (units.empty() || units.back().subFunction != function || units.back().unit != unit) {
      units.push_back(
          {.device = device, .unit = unit, .subFunction = function, .steps = {step, step}});
    }
    functions.back().ops.push_back(op);
    functions.back().steps.end = step + Step(1);
    units.back().ops.push_back(op);
    units.back().steps.end = step + Step(1);
    unitOf_[op] = units.size() - 1;
  }

  /// The ops that write or read a tensor, as far as they run.
  std::vector<OpId> touching(TensorId id) const {
    const Tensor& tensor = graph_.tensors[id];
    std::vector<OpId> ops;
    if (tensor.producer) ops.push_back(tensor.producer);
    ops.insert(ops.end(), tensor.consumers.begin(), tensor.consumers.end());
    std::erase_if(ops, [&](OpId op) { return unitOf_[op] == kNone; });
    return ops;
  }

  /// The tensor whose bytes are the first of the buffer to be there; of equals the first.
  TensorId opener(BufferId buffer) const {
    const std::vector<TensorId> tensors = storage_.tensorsOf(buffer);
    return *std::ranges::min_element(tensors, {},
                                     [&](TensorId id) { return storage_.lifetimes[id].begin; });
  }

  /// Of several tensors: as a whole where they all are.
  void settleTogether(BufferId buffer) {
    DeviceIndex home = 0;
    for (const TensorId id : storage_.buffers[buffer].tensors) {
      for (const OpId op : touching(id)) home = result_.deviceOf[op];
    }
    result_.residences.push_back(
        {.buffer = buffer, .device = home, .steps = storage_.buffers[buffer].steps});
  }

  /// Decides the memory and the life of a buffer; makes its transfers.
  void settle(BufferId buffer) {
    if (storage_.buffers[buffer].tensors.size() > 1) {
      settleTogether(buffer);
      return;
    }
    const TensorId id = storage_.buffers[buffer].root;
    const Tensor& tensor = graph_.tensors[id];
    const Step begin = storage_.buffers[buffer].steps.begin;
    std::map<DeviceIndex, std::vector<OpId>> readers;
    for (const OpId reader : tensor.consumers) {
      if (unitOf_[reader] != kNone) readers[result_.deviceOf[reader]].push_back(reader);
    }
    const auto first = std::ranges::min_element(
        tensor.consumers, {}, [&](OpId reader) { return schedule_.stepOf[reader]; });
    DeviceIndex home = 0;
    if (tensor.producer) {
      home = result_.deviceOf[tensor.producer];
    } else if (first != tensor.consumers.end()) {
      home = result_.deviceOf[*first];
    }
    Residence own{.buffer = buffer, .device = home, .steps = {begin, begin + Step(1)}};
    const auto until = [&](Residence& residence, Step step) {
      residence.steps.end = std::max(residence.steps.end, step + Step(1));
    };
    for (const OpId reader : readers[home]) until(own, schedule_.stepOf[reader]);
    if (tensor.graphOutput) own.steps.end = storage_.buffers[buffer].steps.end;
    std::vector<Residence> copies;
    for (const auto& [device, ops] : readers) {
      if (device == home) continue;
      if (isShared({buffer, device})) {
        for (const OpId reader : ops) until(own, schedule_.stepOf[reader]);
        continue;
      }
      // Readers are ascending, so the first belongs to the first sub-function that needs it.
      const std::size_t function = result_.units[unitOf_[ops.front()]].subFunction;
      const Step step = result_.subFunctions[function].steps.begin;
      Residence copy{
          .buffer = buffer, .device = device, .steps = {step, step + Step(1)}, .received = true};
      for (const OpId reader : ops) until(copy, schedule_.stepOf[reader]);
      until(own, step);
      copies.push_back(copy);
      result_.transfers.push_back({buffer, home, device, step});
    }
    result_.residences.push_back(own);
    result_.residences.insert(result_.residences.end(), copies.begin(), copies.end());
  }

  void makeBlocks() {
    std::map<std::size_t, std::size_t> blockOfUnit;
    for (std::size_t i = 0; i < result_.residences.size(); ++i) {
      Residence& residence = result_.residences[i];
      const OpId producer = graph_.tensors[opener(residence.buffer)].producer;
      std::size_t unit = kNone;
      if (!residence.received && producer) unit = unitOf_[producer];
      if (unit != kNone && blockOfUnit.contains(unit)) {
        residence.block = blockOfUnit[unit];
      } else {
        UnitBlock block{.kind = residence.received ? UnitBlock::Kind::received
                                : unit == kNone    ? UnitBlock::Kind::input
                                                   : UnitBlock::Kind::unit,
                        .device = residence.device,
                        .steps = residence.steps};
        if (unit != kNone) {
          block.executionUnit = unit;
          block.steps = result_.units[unit].steps;
          blockOfUnit[unit] = result_.blocks.size();
        }
        residence.block = result_.blocks.size();
        result_.blocks.push_back(block);
      }
      result_.blocks[residence.block].residences.push_back(i);
    }
    for (UnitBlock& block : result_.blocks) countUses(block);
    orderBlocks();
  }

  void countUses(UnitBlock& block) const {
    std::set<std::size_t> users;
    for (const std::size_t index : block.residences) {
      const Residence& residence = result_.residences[index];
      for (const TensorId id : storage_.tensorsOf(residence.buffer)) {
        countUses(block, residence, id, users);
      }
      if (!residence.received) {
        for (const DeviceTransfer& transfer : transfersOf(residence.buffer)) {
          ++block.transfers;
          block.steps.end = std::max(block.steps.end, transfer.step + Step(1));
        }
      }
      block.steps.end = std::max(block.steps.end, residence.steps.end);
    }
    // A block is held until the last unit that uses it has ended.
    for (const std::size_t unit : users) {
      block.steps.end = std::max(block.steps.end, result_.units[unit].steps.end);
    }
    block.users.assign(users.begin(), users.end());
  }

  void countUses(UnitBlock& block, const Residence& residence, TensorId id,
                 std::set<std::size_t>& users) const {
    for (const OpId op : touching(id)) {
      // A writer into bytes that another unit has opened uses its block; a copy has no writer.
      const DeviceIndex device = result_.deviceOf[op];
      const bool there = device == block.device || isShared({residence.buffer, device});
      if (!there || (residence.received && op == graph_.tensors[id].producer)) continue;
      const std::size_t unit = unitOf_[op];
      // A copy serves the readers after it came, which are all of the device.
      if (block.kind != UnitBlock::Kind::unit || unit != block.executionUnit) users.insert(unit);
    }
    // Outputs of an inference before the last are taken as it ends.
    const bool toTheEnd = storage_.buffers[residence.buffer].steps.end >= schedule_.steps();
    if (residence.received || !graph_.tensors[id].graphOutput || !toTheEnd) return;
    ++block.outputs;
    block.outlives = true;
  }

  std::vector<DeviceTransfer> transfersOf(BufferId buffer) const {
    // Grouped by buffer, in the order in which buffers were settled. clang 14 cannot read the
    // subrange that std::ranges::equal_range returns.
    auto first = std::ranges::lower_bound(result_.transfers, buffer, {}, &DeviceTransfer::buffer);
    std::vector<DeviceTransfer> found;
    for (; first != result_.transfers.end() && first->buffer == buffer; ++first) {
      found.push_back(*first);
    }
    return found;
  }

  /// Graph inputs, then at each step what is received, by tensor, then the unit's own block.
  void orderBlocks() {
    std::vector<std::size_t> order(result_.blocks.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    const auto key = [&](std::size_t i) {
      const UnitBlock& block = result_.blocks[i];
      return std::tuple(block.steps.begin, block.kind,
                        root(result_.residences[block.residences[0]]));
    };
    std::ranges::sort(order, {}, key);
    std::vector<UnitBlock> sorted;
    for (const std::size_t i : order) {
      for (const std::size_t residence : result_.blocks[i].residences) {
        result_.residences[residence].block = sorted.size();
      }
      sorted.push_back(result_.blocks[i]);
    }
    result_.blocks = std::move(sorted);
  }

  bool isShared(const SharedRead& read) const { return std::ranges::binary_search(shared_, read); }

  TensorId root(const Residence& residence) const {
    return storage_.buffers[residence.buffer].root;
  }

  const Graph& graph_;
  const Schedule& schedule_;
  const Storage& storage_;
  const Platform& platform_;
  const std::vector<SharedRead>& shared_;
  IdMap<OpId, std::size_t> unitOf_;
  Partition result_;
};

}  // namespace

IdMap<TensorId, DeviceIndex> homesOf(const Graph& graph, const Platform& platform) {
  IdMap<TensorId, std::set<DeviceIndex>> devices(graph.tensors.size());
  for (const OpId id : graph.ops.keys()) {
    const Op& op = graph.ops[id];
    const auto device = deviceFor(op, platform);
    if (op.folded || device == platform.devices.end()) continue;
    const auto index = static_cast<DeviceIndex>(device - platform.devices.begin());
    // Tensors that a branch captures are read, too.
    std::vector<TensorId> tensors = graph.reads(id);
    tensors.insert(tensors.end(), op.outputs.begin(), op.outputs.end());
    for (const TensorId tensor : tensors) {
      if (tensor) devices[tensor].insert(index);
    }
  }
  IdMap<TensorId, DeviceIndex> homes(graph.tensors.size(), 0);
  for (const TensorId id : homes.keys()) {
    if (!devices[id].empty()) homes[id] = *devices[id].begin();
    if (devices[id].size() > 1) homes[id] = StorageOptions::kManyHomes;
  }
  return homes;
}

Result<Partition> partitionGraph(const Graph& graph, const Schedule& schedule,
                                 const Storage& storage, const Platform& platform,
                                 const std::vector<SharedRead>& shared) {
  return Partitioner(graph, schedule, storage, platform, shared).run();
}

}  // namespace hw
