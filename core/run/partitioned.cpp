#include <fmt/format.h>

#include <algorithm>

#include "core/allocators/partition.h"
#include "core/run/partition_account.h"
#include "core/run/planner.h"

namespace hw {
namespace {

std::string_view kindName(UnitBlock::Kind kind) {
  return kind == UnitBlock::Kind::input      ? "graph input"
         : kind == UnitBlock::Kind::received ? "received"
                                             : "execution unit";
}

/// Plans the blocks of each device, and what shares a block inside it, and puts both together.
class PartitionedPlanner {
 public:
  PartitionedPlanner(Run& run, const RunContext& context)
      : run_(run),
        partition_(run.partition),
        nested_(nestedAllocator(run.config.allocator.params)),
        settings_(planSettings(run.config, context)),
        offsets_(partition_.residences.size()),
        addresses_(partition_.residences.size()) {
    settings_.progress = {};
    settings_.use = &use_;
  }

  Result<void> plan() {
    // A block's size is what its tenants need when they share it.
    std::vector<Bytes> sizes;
    for (const UnitBlock& block : partition_.blocks) {
      auto size = planInside(block);
      if (!size) return tl::unexpected(size.error());
      sizes.push_back(*size);
    }
    const auto& devices = run_.config.platform.devices;
    for (DeviceIndex device = 0; device < devices.size(); ++device) {
      if (auto planned = planDevice(device, sizes); !planned) return planned;
    }
    makeProblem();
    makeTables();
    keepAccount();
    return finish();
  }

 private:
  const Residence& residence(std::size_t index) const { return partition_.residences[index]; }
  Bytes sizeOf(const Residence& at) const {
    return alignUp(run_.storage.buffers[at.buffer].size, run_.alignment);
  }

  Result<Bytes> planInside(const UnitBlock& block) {
    Problem inside;
    inside.pools.add({"block", {}});
    inside.steps = block.steps.end;
    for (const std::size_t index : block.residences) {
      const Residence& at = residence(index);
      inside.stays.add({.buffer = at.buffer,
                        .steps = at.steps,
                        .size = sizeOf(at),
                        .alignment = run_.alignment});
    }
    auto plan = nested_.make()->plan(inside, settings_);
    if (!plan) return tl::unexpected(plan.error());
    for (const StayId id : inside.stays.keys()) {
      offsets_[block.residences[id.index()]] = *plan->flatOffset(id);
    }
    const Bytes size = plan->footprint(PoolId(0));
    plan->story.clear();
    account_.blocks.push_back({std::move(inside), std::move(*plan)});
    return size;
  }

  Result<void> planDevice(DeviceIndex device, const std::vector<Bytes>& sizes) {
    const DeviceSpec& spec = run_.config.platform.devices[device];
    Problem blocks;
    blocks.steps = std::max(run_.schedule.steps(), Step(1));
    for (std::size_t pool = 0; pool < spec.pools.size(); ++pool) {
      blocks.pools.add({spec.pools[pool].name, capacityOf(run_.config, spec, pool)});
    }
    std::vector<std::size_t> indices;
    for (std::size_t i = 0; i < partition_.blocks.size(); ++i) {
      const UnitBlock& block = partition_.blocks[i];
      if (block.device != device) continue;
      indices.push_back(i);
      blocks.stays.add({.buffer = BufferId(i),
                        .steps = block.steps,
                        .size = sizes[i],
                        .alignment = run_.alignment,
                        .outlives = block.outlives});
    }
    if (auto good = checkTotal(blocks); !good) return good;
    const auto traffic = [&] {
      IdMap<StayId, Bytes> moved;
      for (const std::size_t i : indices) {
        moved.add(sizes[i] * (1 + partition_.blocks[i].useCount()));
      }
      return moved;
    };
    auto plan =
        planProblem(blocks, {.allocator = nested_, .settings = settings_, .traffic = traffic});
    if (!plan) return tl::unexpected(plan.error());
    account_.devices.push_back({blocks, *plan, indices, PoolId(run_.problem.pools.size())});
    account_.devices.back().plan.story.clear();
    take(*plan, blocks, spec, indices);
    return {};
  }

  /// Puts a device's plan behind those before it.
  void take(Plan& plan, const Problem& blocks, const DeviceSpec& spec,
            const std::vector<std::size_t>& indices) {
    const std::size_t base = run_.problem.pools.size();
    const bool several = run_.config.platform.devices.size() > 1;
    for (const PoolId pool : blocks.pools.keys()) {
      ProblemPool named = blocks.pools[pool];
      if (several) named.name = fmt::format("{}/{}", spec.name, named.name);
      run_.problem.pools.add(named);
      footprints_.push_back(plan.footprint(pool));
    }
    for (const StayId id : blocks.stays.keys()) {
      const auto& address = plan.addresses[id];
      blockAt_.resize(partition_.blocks.size());
      if (!address) continue;
      const Address flat{PoolId(base + address->pool.index()), RegionId(0), *plan.flatOffset(id)};
      blockAt_[indices[id.index()]] = flat;
      for (const std::size_t index : partition_.blocks[indices[id.index()]].residences) {
        addresses_[index] = Address{flat.pool, flat.region, flat.offset + offsets_[index]};
      }
    }
    if (plan.outOfMemory && !run_.plan.outOfMemory) {
      OutOfMemory failure = *plan.outOfMemory;
      failedBlock_ = indices[failure.stay.index()];
      for (auto& pool : failure.pools) pool.pool = PoolId(base + pool.pool.index());
      run_.plan.outOfMemory = failure;
    }
    if (plan.status == PlanStatus::overBudget) run_.plan.status = plan.status;
    for (std::string& note : plan.notes) {
      run_.plan.notes.push_back(fmt::format("{}: {}", spec.name, note));
    }
    for (MethodTable& table : plan.tables) {
      table.name = fmt::format("{} {}", spec.name, table.name);
      renameBlocks(table, indices);
      run_.plan.tables.push_back(std::move(table));
    }
  }

  /// The nested allocator wrote of blocks; readers know them by what is in them.
  void renameBlocks(MethodTable& table, const std::vector<std::size_t>& indices) const {
    for (auto& row : table.rows) {
      for (MethodCell& cell : row) {
        if (const auto* stay = std::get_if<StayId>(&cell)) {
          cell = blockName(indices[stay->index()]);
        }
      }
    }
  }

  std::string blockName(std::size_t index) const {
    const UnitBlock& block = partition_.blocks[index];
    const Residence& first = residence(block.residences.front());
    std::string name = displayName(run_.graph(), run_.storage.buffers[first.buffer].root);
    if (block.kind != UnitBlock::Kind::unit) return name;
    return fmt::format("unit {} ({}{})", block.executionUnit, name,
                       block.residences.size() > 1 ? ", …" : "");
  }

  /// One stay per residence, in the order in which they come to be.
  void makeProblem() {
    std::vector<std::size_t> order(partition_.residences.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::stable_sort(order, {}, [&](std::size_t i) {
      return std::pair(residence(i).steps.begin, residence(i).block);
    });
    run_.problem.steps = std::max(run_.schedule.steps(), Step(1));
    for (const std::size_t i : order) {
      const Residence& at = residence(i);
      const bool output = !at.received && run_.storage.buffers[at.buffer].graphOutput;
      const StayId id = run_.problem.stays.add({.buffer = at.buffer,
                                                .steps = at.steps,
                                                .size = sizeOf(at),
                                                .alignment = run_.alignment,
                                                .outlives = output});
      account_.residenceOf.add(i);
      if (addresses_[i]) run_.problem.stays[id].pool = addresses_[i]->pool;
      run_.plan.addresses.add(addresses_[i]);
      if (run_.plan.outOfMemory && at.block == failedBlock_) run_.plan.outOfMemory->stay = id;
    }
  }

  void keepAccount() {
    account_.firstStays.resize(partition_.blocks.size());
    for (const StayId id : account_.residenceOf.keys()) {
      StayId& first = account_.firstStays[residence(account_.residenceOf[id]).block];
      if (!first) first = id;
    }
    for (std::size_t i = 0; i < partition_.blocks.size(); ++i) {
      account_.blockNames.push_back(
          fmt::format("{} block '{}'", kindName(partition_.blocks[i].kind), blockName(i)));
    }
    run_.partitionAccount = std::make_shared<const PartitionAccount>(std::move(account_));
  }

  void makeTables() {
    const auto& devices = run_.config.platform.devices;
    const auto opNames = [&](const std::vector<OpId>& ops) {
      std::string text;
      for (const OpId op : ops) {
        if (text.size() > 80) return text + ", …";
        text += (text.empty() ? "" : ", ") + displayName(run_.graph(), op);
      }
      return text;
    };
    MethodTable functions{.name = "sub-functions",
                          .summary = "maximal runs of ops on one device, dispatched at once",
                          .columns = {"sub-function", "device", "first step", "last step", "ops"}};
    for (std::size_t i = 0; i < partition_.subFunctions.size(); ++i) {
      const SubFunction& f = partition_.subFunctions[i];
      addRow(functions, {static_cast<std::int64_t>(i), devices[f.device].name,
                         f.steps.begin.count(), f.steps.end.count() - 1, opNames(f.ops)});
    }
    MethodTable units{
        .name = "execution units",
        .summary = "maximal runs on one compute unit: memory is managed by them",
        .columns = {"unit", "device", "compute unit", "first step", "last step", "ops"}};
    for (std::size_t i = 0; i < partition_.units.size(); ++i) {
      const ExecutionUnit& u = partition_.units[i];
      addRow(units, {static_cast<std::int64_t>(i), devices[u.device].name,
                     devices[u.device].units[u.unit].name, u.steps.begin.count(),
                     u.steps.end.count() - 1, opNames(u.ops)});
    }
    run_.plan.tables.insert(run_.plan.tables.begin(),
                            {functions, units, blockTable(), transferTable()});
  }

  MethodTable blockTable() const {
    MethodTable table{.name = "blocks",
                      .summary = "one allocation each; at use count 0 the block may be reused",
                      .columns = {"block", "kind", "device", "offset", "first step", "last step",
                                  "use count", "by units", "by transfers", "as outputs"}};
    for (std::size_t i = 0; i < partition_.blocks.size(); ++i) {
      const UnitBlock& b = partition_.blocks[i];
      const MethodCell offset = blockAt_[i] ? MethodCell(blockAt_[i]->offset) : MethodCell("none");
      addRow(table, {blockName(i), std::string(kindName(b.kind)),
                     run_.config.platform.devices[b.device].name, offset, b.steps.begin.count(),
                     b.steps.end.count() - 1, std::int64_t{b.useCount()}, std::int64_t{b.units},
                     std::int64_t{b.transfers}, std::int64_t{b.outputs}});
    }
    return table;
  }

  MethodTable transferTable() const {
    MethodTable table{.name = "transfers",
                      .summary = "copies between devices, at the first step that needs them",
                      .columns = {"tensor", "from", "to", "step", "bytes"}};
    const auto& devices = run_.config.platform.devices;
    for (const DeviceTransfer& t : partition_.transfers) {
      addRow(table,
             {displayName(run_.graph(), run_.storage.buffers[t.buffer].root), devices[t.from].name,
              devices[t.to].name, t.step.count(), run_.storage.buffers[t.buffer].size});
    }
    return table;
  }

  Result<void> finish() {
    auto finished = finishPlan(run_.problem, std::move(run_.plan));
    run_.plan = std::move(finished);
    // A block is reserved as a whole, its unused end included.
    for (const PoolId pool : run_.problem.pools.keys()) {
      auto& regions = run_.plan.regions[pool];
      if (regions.empty()) regions.resize(1);
      regions[RegionId(0)] = std::max(regions[RegionId(0)], footprints_[pool.index()]);
    }
    return {};
  }

  Run& run_;
  const Partition& partition_;
  AllocatorChoice nested_;
  SearchUse use_;  ///< Over all blocks and devices.
  PlanContext settings_;
  std::vector<Bytes> offsets_;                     ///< Of each residence, inside its block.
  std::vector<std::optional<Address>> addresses_;  ///< Of each residence.
  std::vector<std::optional<Address>> blockAt_;
  std::vector<Bytes> footprints_;  ///< By pool.
  std::size_t failedBlock_ = 0;
  PartitionAccount account_;
};

}  // namespace

Result<void> planPartitioned(Run& run, const RunContext& context) {
  auto partition = partitionGraph(run.graph(), run.schedule, run.storage, run.config.platform);
  if (!partition) return tl::unexpected(partition.error());
  run.partition = std::move(*partition);
  return PartitionedPlanner(run, context).plan();
}

}  // namespace hw
