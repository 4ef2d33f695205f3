#include "core/run/partition_story.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace hw {
namespace {

/// A row of a table of runs of ops: its number, what comes first, its steps, its ops.
template <class Run>
void addOps(const Graph& graph, MethodTable& table, const Run& run, std::vector<MethodCell> where) {
  std::string names;
  for (const OpId op : run.ops) {
    const bool more = names.size() > 80;
    names += (names.empty() ? "" : ", ") + (more ? "…" : displayName(graph, op));
    if (more) break;
  }
  where.insert(where.begin(), static_cast<std::int64_t>(table.rows.size()));
  where.insert(where.end(), {run.steps.begin.count(), run.steps.end.count() - 1, names});
  table.rows.push_back(std::move(where));
}

MethodTable functionTable(const Graph& graph, const Platform& platform,
                          const Partition& partition) {
  MethodTable table{.name = "sub-functions",
                    .summary = "maximal runs of ops on one device, dispatched at once",
                    .columns = {"sub-function", "device", "first step", "last step", "ops"}};
  for (const SubFunction& each : partition.subFunctions) {
    addOps(graph, table, each, {platform.devices[each.device].name});
  }
  return table;
}

MethodTable unitTable(const Graph& graph, const Platform& platform, const Partition& partition) {
  MethodTable table{
      .name = "execution units",
      .summary = "maximal runs on one compute unit: memory is managed by them",
      .columns = {"unit", "device", "compute unit", "first step", "last step", "ops"}};
  for (const ExecutionUnit& each : partition.units) {
    const DeviceSpec& device = platform.devices[each.device];
    addOps(graph, table, each, {device.name, device.units[each.unit].name});
  }
  return table;
}

MethodTable blockTable(const Platform& platform, const Partition& partition,
                       const std::vector<std::string>& names,
                       const std::vector<std::optional<Address>>& places) {
  MethodTable table{.name = "blocks",
                    .summary = "one allocation each; at use count 0 the block may be reused",
                    .columns = {"block", "kind", "device", "offset", "first step", "last step",
                                "use count", "by units", "by transfers", "as outputs"}};
  for (std::size_t i = 0; i < partition.blocks.size(); ++i) {
    const UnitBlock& b = partition.blocks[i];
    const MethodCell offset = places[i] ? MethodCell(places[i]->offset) : MethodCell("none");
    addRow(table,
           {names[i], std::string(blockKindName(b.kind)), platform.devices[b.device].name, offset,
            b.steps.begin.count(), b.steps.end.count() - 1, std::int64_t{b.useCount()},
            std::int64_t{b.units()}, std::int64_t{b.transfers}, std::int64_t{b.outputs}});
  }
  return table;
}

MethodTable transferTable(const Graph& graph, const Storage& storage, const Platform& platform,
                          const Partition& partition) {
  MethodTable table{.name = "transfers",
                    .summary = "copies between devices, at the first step that needs them",
                    .columns = {"tensor", "from", "to", "step", "bytes"}};
  for (const DeviceTransfer& t : partition.transfers) {
    const Buffer& buffer = storage.buffers[t.buffer];
    addRow(table, {displayName(graph, buffer.root), platform.devices[t.from].name,
                   platform.devices[t.to].name, t.step.count(), buffer.size});
  }
  return table;
}

/// Plays a finished partition from the first step to the last.
class PartitionTeller {
 public:
  PartitionTeller(const PartitionParts& parts, MethodRecord& record)
      : parts_(parts), partition_(parts.partition), recorder_(&record) {
    for (const UnitBlock& block : partition_.blocks) uses_.push_back(block.useCount());
    addLists();
    sortByStep();
  }

  void tell() {
    for (const auto& [step, now] : moments_) {
      for (const std::size_t function : now.functions) dispatch(function, step);
      for (const std::size_t unit : now.units) begin(unit, step);
      for (const std::size_t block : now.blocks) take(block, step);
      for (const std::size_t transfer : now.transfers) copy(transfer, step);
      for (const std::size_t residence : now.residences) settle(residence, step);
      for (const std::size_t transfer : now.transfers) finishCopy(transfer, step);
      for (const std::size_t unit : now.unitEnds) end(unit, step);
      for (const std::size_t block : now.blockEnds) give(block, step);
    }
  }

 private:
  /// The events before the op of a step, and after it; indices into the partition.
  struct Moment {
    std::vector<std::size_t> functions{}, units{}, blocks{}, transfers{}, residences{};
    std::vector<std::size_t> unitEnds{}, blockEnds{};
  };
  struct Lists {
    std::size_t blocks = 0;
    std::size_t tensors = 0;
  };

  void addLists() {
    dispatched_ = recorder_.addList({.name = "dispatched",
                                     .summary = "sub-functions, each sent to its device at once",
                                     .columns = {"sub-function", "device", "first", "last"}});
    running_ = recorder_.addList({.name = "running",
                                  .summary = "the execution unit that each device is at",
                                  .kind = MethodList::Kind::table,
                                  .columns = {"device", "unit", "compute unit", "last"}});
    transfers_ = recorder_.addList({.name = "transfers",
                                    .summary = "copies between devices, under way",
                                    .columns = {"tensor", "from", "to", "bytes"}});
    for (const PoolId pool : parts_.problem.pools.keys()) {
      const std::string& name = parts_.problem.pools[pool].name;
      Lists lists;
      lists.blocks =
          recorder_.addList({.name = "blocks " + name,
                             .summary = "allocations, each with how often it is needed yet",
                             .kind = MethodList::Kind::table,
                             .columns = {"block", "offset", "bytes", "use count"},
                             .role = MethodList::Role::frames,
                             .pool = pool});
      lists.tensors = recorder_.addList({.name = "tensors " + name,
                                         .summary = "what lies in them, until its block goes",
                                         .kind = MethodList::Kind::table,
                                         .columns = {"tensor", "block", "offset", "bytes"},
                                         .role = MethodList::Role::used,
                                         .pool = pool});
      lists_.add(lists);
    }
  }

  void sortByStep() {
    const auto last = [](const Interval<Step>& steps) { return steps.end - Step(1); };
    for (std::size_t i = 0; i < partition_.subFunctions.size(); ++i) {
      moments_[partition_.subFunctions[i].steps.begin].functions.push_back(i);
    }
    for (std::size_t i = 0; i < partition_.units.size(); ++i) {
      moments_[partition_.units[i].steps.begin].units.push_back(i);
      moments_[last(partition_.units[i].steps)].unitEnds.push_back(i);
    }
    for (std::size_t i = 0; i < partition_.blocks.size(); ++i) {
      if (!parts_.places[i]) continue;
      const UnitBlock& block = partition_.blocks[i];
      moments_[block.steps.begin].blocks.push_back(i);
      if (!block.outlives) moments_[last(block.steps)].blockEnds.push_back(i);
      for (const std::size_t residence : block.residences) {
        moments_[partition_.residences[residence].steps.begin].residences.push_back(residence);
      }
      for (const std::size_t user : block.users) usedBy_[user].push_back(i);
    }
    for (std::size_t i = 0; i < partition_.transfers.size(); ++i) {
      moments_[partition_.transfers[i].step].transfers.push_back(i);
    }
  }

  const std::string& deviceName(DeviceIndex device) const {
    return parts_.platform.devices[device].name;
  }
  std::string unitName(std::size_t unit) const {
    const ExecutionUnit& at = partition_.units[unit];
    return parts_.platform.devices[at.device].units[at.unit].name;
  }
  const std::string& name(std::size_t block) const { return parts_.blockNames[block]; }
  StayId firstStay(std::size_t block) const {
    return parts_.stayOf[partition_.blocks[block].residences.front()];
  }

  void dispatch(std::size_t function, Step step) {
    const SubFunction& at = partition_.subFunctions[function];
    const auto number = static_cast<std::int64_t>(function);
    recorder_.append(dispatched_, {number, deviceName(at.device), at.steps.begin.count(),
                                   at.steps.end.count() - 1});
    recorder_.tick({}, step,
                   fmt::format("sub-function {} is dispatched to {}: {} operators", function,
                               deviceName(at.device), at.ops.size()));
  }

  void begin(std::size_t unit, Step step) {
    const ExecutionUnit& at = partition_.units[unit];
    recorder_.append(running_, {deviceName(at.device), static_cast<std::int64_t>(unit),
                                unitName(unit), at.steps.end.count() - 1});
    recorder_.tick(
        {}, step,
        fmt::format("unit {} begins on {}, {}", unit, deviceName(at.device), unitName(unit)));
  }

  const Lists& listsOf(std::size_t block) const { return lists_[parts_.places[block]->pool]; }
  /// In the flat address space of its pool.
  Bytes beginOf(std::size_t block) const { return parts_.begins[block]; }

  MethodRow blockRow(std::size_t block) const {
    return {name(block), beginOf(block), parts_.sizes[block], std::int64_t{uses_[block]}};
  }

  void take(std::size_t block, Step step) {
    const UnitBlock& at = partition_.blocks[block];
    const Bytes offset = beginOf(block);
    recorder_.append(listsOf(block).blocks, blockRow(block));
    recorder_.tick(firstStay(block), step,
                   fmt::format("block {} takes [{}, {}) of {}, use count {}: {} by units, {} by "
                               "transfers, {} as outputs",
                               name(block), offset.count(), (offset + parts_.sizes[block]).count(),
                               parts_.problem.pools[parts_.places[block]->pool].name, at.useCount(),
                               at.units(), at.transfers, at.outputs));
  }

  /// The residence of the transfer's buffer on one of its devices.
  std::size_t residenceOf(const DeviceTransfer& transfer, bool received) const {
    const DeviceIndex device = received ? transfer.to : transfer.from;
    const auto at = std::ranges::find_if(partition_.residences, [&](const Residence& residence) {
      return residence.buffer == transfer.buffer && residence.device == device &&
             residence.received == received;
    });
    return static_cast<std::size_t>(at - partition_.residences.begin());
  }

  void copy(std::size_t transfer, Step step) {
    const DeviceTransfer& at = partition_.transfers[transfer];
    const StayId stay = parts_.stayOf[residenceOf(at, false)];
    recorder_.append(transfers_, {stay, deviceName(at.from), deviceName(at.to),
                                  parts_.problem.stays[stay].size});
    recorder_.tick(stay, step,
                   fmt::format("is copied from {} to {}", deviceName(at.from), deviceName(at.to)));
  }

  void settle(std::size_t residence, Step step) {
    const Residence& at = partition_.residences[residence];
    const StayId stay = parts_.stayOf[residence];
    const Bytes offset = parts_.offsets[residence];
    const Bytes size = parts_.problem.stays[stay].size;
    recorder_.append(listsOf(at.block).tensors,
                     {stay, name(at.block), beginOf(at.block) + offset, size});
    recorder_.tick(stay, step,
                   fmt::format("lies in block {}, bytes [{}, {}) of it", name(at.block),
                               offset.count(), (offset + size).count()));
  }

  void finishCopy(std::size_t transfer, Step step) {
    const DeviceTransfer& at = partition_.transfers[transfer];
    const std::size_t source = residenceOf(at, false);
    if (recorder_.rows(transfers_) > 0) recorder_.erase(transfers_, 0);
    countDown(partition_.residences[source].block, step, fmt::format("is at {}", deviceName(at.to)),
              parts_.stayOf[source]);
  }

  void end(std::size_t unit, Step step) {
    recorder_.eraseKey(running_, deviceName(partition_.units[unit].device));
    recorder_.tick({}, step, fmt::format("unit {} is through", unit));
    for (const std::size_t block : usedBy_[unit]) {
      countDown(block, step, fmt::format("unit {} needs it no more", unit), firstStay(block));
    }
  }

  /// One use less: "unit 1 (b): 2 → 1".
  void countDown(std::size_t block, Step step, const std::string& why, StayId stay) {
    const int before = uses_[block]--;
    if (!parts_.places[block]) return;
    const std::size_t list = listsOf(block).blocks;
    for (std::size_t at = 0; at < recorder_.rows(list); ++at) {
      if (recorder_.row(list, at).front() == MethodCell(name(block))) {
        recorder_.replace(list, at, blockRow(block));
      }
    }
    recorder_.tick(stay, step,
                   fmt::format("{}: {} → {}, for {}", name(block), before, uses_[block], why));
  }

  void give(std::size_t block, Step step) {
    const UnitBlock& at = partition_.blocks[block];
    recorder_.eraseKey(listsOf(block).blocks, name(block));
    for (const std::size_t residence : at.residences) {
      recorder_.eraseKey(listsOf(block).tensors, parts_.stayOf[residence]);
    }
    recorder_.tick(firstStay(block), step,
                   fmt::format("block {} may be reused: nobody needs it", name(block)));
  }

  const PartitionParts& parts_;
  const Partition& partition_;
  MethodRecorder recorder_;
  std::map<Step, Moment> moments_;
  std::map<std::size_t, std::vector<std::size_t>> usedBy_;  ///< Blocks by unit.
  std::vector<int> uses_;                                   ///< Of blocks, yet to come.
  IdMap<PoolId, Lists> lists_;                              ///< Of the record.
  std::size_t dispatched_ = 0;
  std::size_t running_ = 0;
  std::size_t transfers_ = 0;
};

}  // namespace

std::string_view blockKindName(UnitBlock::Kind kind) {
  return kind == UnitBlock::Kind::input      ? "graph input"
         : kind == UnitBlock::Kind::received ? "received"
                                             : "execution unit";
}

std::vector<MethodTable> partitionTables(const Graph& graph, const Storage& storage,
                                         const Platform& platform, const Partition& partition,
                                         const std::vector<std::string>& names,
                                         const std::vector<std::optional<Address>>& places) {
  return {functionTable(graph, platform, partition), unitTable(graph, platform, partition),
          blockTable(platform, partition, names, places),
          transferTable(graph, storage, platform, partition)};
}

MethodRecord partitionRecord(const PartitionParts& parts) {
  MethodRecord record{.name = "partition"};
  PartitionTeller(parts, record).tell();
  return record;
}

}  // namespace hw
