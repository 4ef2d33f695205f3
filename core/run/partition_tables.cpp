#include "core/run/partition_tables.h"

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

}  // namespace hw
