#include "core/run/partitioned.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

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
  PartitionedPlanner(const Graph& graph, const Storage& storage, const Partition& partition,
                     const RunRequest& request, Bytes alignment, PlanContext settings)
      : graph_(graph),
        storage_(storage),
        partition_(partition),
        request_(request),
        alignment_(alignment),
        settings_(std::move(settings)),
        offsets_(partition_.residences.size()),
        machine_(machinePools(request.platform, request.platform.devices.size())),
        places_(partition_.blocks.size()) {
    settings_.progress = {};
    settings_.search = {};
    settings_.use = &use_;
  }

  Result<Planned> plan(Step steps) {
    result_.problem.steps = steps;
    // A block's size is what its tenants need when they share it.
    for (const UnitBlock& block : partition_.blocks) {
      HW_DO(planInside(block));
    }
    for (DeviceIndex device = 0; device < request_.platform.devices.size(); ++device) {
      HW_DO(planDevice(device));
    }
    placeTensors();
    std::vector<MethodTable> tables = opTables();
    tables.push_back(blockTable());
    tables.push_back(transferTable());
    result_.plan.tables.insert(result_.plan.tables.begin(), tables.begin(), tables.end());
    result_.plan = finishPlan(result_.problem, std::move(result_.plan), settings_.story);
    // A block is reserved as a whole, its unused end included.
    for (const PoolId pool : result_.problem.pools.keys()) {
      auto& regions = result_.plan.regions[pool];
      regions.resize(footprints_[pool].size());
      for (const RegionId region : regions.keys()) {
        regions[region] = std::max(regions[region], footprints_[pool][region]);
      }
    }
    return std::move(result_);
  }

  PartitionAccount takeAccount() {
    for (std::size_t i = 0; i < partition_.blocks.size(); ++i) {
      account_.blockNames.push_back(
          fmt::format("{} block '{}'", kindName(partition_.blocks[i].kind), blockName(i)));
    }
    return std::move(account_);
  }

 private:
  const Residence& residence(std::size_t index) const { return partition_.residences[index]; }
  const DeviceSpec& device(const auto& at) const { return request_.platform.devices[at.device]; }

  std::string nameOf(BufferId buffer) const {
    return displayName(graph_, storage_.buffers[buffer].root);
  }

  std::string blockName(std::size_t index) const {
    const UnitBlock& block = partition_.blocks[index];
    const std::string name = nameOf(residence(block.residences.front()).buffer);
    if (block.kind != UnitBlock::Kind::unit) return name;
    return fmt::format("unit {} ({}{})", block.executionUnit, name,
                       block.residences.size() > 1 ? ", …" : "");
  }

  /// A row of a table of runs of ops: its number, what comes first, its steps, its ops.
  template <class Run>
  void addOps(MethodTable& table, const Run& run, std::vector<MethodCell> where) const {
    std::string names;
    for (const OpId op : run.ops) {
      const bool more = names.size() > 80;
      names += (names.empty() ? "" : ", ") + (more ? "…" : displayName(graph_, op));
      if (more) break;
    }
    where.insert(where.begin(), static_cast<std::int64_t>(table.rows.size()));
    where.insert(where.end(), {run.steps.begin.count(), run.steps.end.count() - 1, names});
    table.rows.push_back(std::move(where));
  }

  std::vector<MethodTable> opTables() const {
    MethodTable functions{.name = "sub-functions",
                          .summary = "maximal runs of ops on one device, dispatched at once",
                          .columns = {"sub-function", "device", "first step", "last step", "ops"}};
    for (const SubFunction& f : partition_.subFunctions) addOps(functions, f, {device(f).name});
    MethodTable units{
        .name = "execution units",
        .summary = "maximal runs on one compute unit: memory is managed by them",
        .columns = {"unit", "device", "compute unit", "first step", "last step", "ops"}};
    for (const ExecutionUnit& u : partition_.units) {
      addOps(units, u, {device(u).name, device(u).units[u.unit].name});
    }
    return {std::move(functions), std::move(units)};
  }

  MethodTable blockTable() const {
    MethodTable table{.name = "blocks",
                      .summary = "one allocation each; at use count 0 the block may be reused",
                      .columns = {"block", "kind", "device", "offset", "first step", "last step",
                                  "use count", "by units", "by transfers", "as outputs"}};
    for (std::size_t i = 0; i < partition_.blocks.size(); ++i) {
      const UnitBlock& b = partition_.blocks[i];
      const MethodCell offset = places_[i] ? MethodCell(places_[i]->offset) : MethodCell("none");
      addRow(table, {blockName(i), std::string(kindName(b.kind)), device(b).name, offset,
                     b.steps.begin.count(), b.steps.end.count() - 1, std::int64_t{b.useCount()},
                     std::int64_t{b.units}, std::int64_t{b.transfers}, std::int64_t{b.outputs}});
    }
    return table;
  }

  MethodTable transferTable() const {
    MethodTable table{.name = "transfers",
                      .summary = "copies between devices, at the first step that needs them",
                      .columns = {"tensor", "from", "to", "step", "bytes"}};
    const auto& devices = request_.platform.devices;
    for (const DeviceTransfer& t : partition_.transfers) {
      addRow(table, {nameOf(t.buffer), devices[t.from].name, devices[t.to].name, t.step.count(),
                     storage_.buffers[t.buffer].size});
    }
    return table;
  }

  Stay stayFor(const Residence& at) const {
    return {.buffer = at.buffer,
            .steps = at.steps,
            .size = alignUp(storage_.buffers[at.buffer].size, alignment_),
            .alignment = alignment_};
  }

  Result<void> planInside(const UnitBlock& block) {
    Planned inside;
    inside.problem.pools.add({.name = "block"});
    inside.problem.steps = block.steps.end;
    for (const std::size_t index : block.residences) {
      inside.problem.stays.add(stayFor(residence(index)));
    }
    HW_TRY(plan, request_.allocator.make()->plan(inside.problem, settings_));
    for (const StayId id : inside.problem.stays.keys()) {
      offsets_[block.residences[id.index()]] = *plan.flatOffset(id);
    }
    inside.plan = std::move(plan);
    inside.plan.story.clear();
    account_.blocks.push_back(std::move(inside));
    return {};
  }

  Result<void> planDevice(DeviceIndex device) {
    Problem problem;
    problem.steps = result_.problem.steps;
    problem.pools = plannedPools(request_, request_.platform.devices[device]);
    DeviceAccount account{.pools = machine_.ofDevice[device]};
    for (const PoolId id : problem.pools.keys()) leaveRoom(account, id, problem.pools[id]);
    IdMap<StayId, Bytes> traffic;
    for (std::size_t i = 0; i < partition_.blocks.size(); ++i) {
      const UnitBlock& block = partition_.blocks[i];
      if (block.device != device) continue;
      const Bytes size = account_.blocks[i].plan.footprint(PoolId(0));
      account.blocks.push_back(i);
      problem.stays.add({.buffer = BufferId(i),
                         .steps = block.steps,
                         .size = size,
                         .alignment = alignment_,
                         .outlives = block.outlives});
      traffic.add(size * (1 + block.useCount()));
    }
    HW_TRY(planned,
           planProblem(std::move(problem), {.allocator = request_.allocator,
                                            .settings = settings_,
                                            .traffic = [&](const Problem&) { return traffic; }}));
    account.planned = std::move(planned);
    account.planned.plan.story.clear();
    take(account, request_.platform.devices[device].name);
    account_.devices.push_back(std::move(account));
    return {};
  }

  bool isShared(PoolId pool) const { return machine_.pools[pool].spec->shared; }

  /// The next region of the device's pool `id`, and of its capacity what other devices leave.
  void leaveRoom(DeviceAccount& account, PoolId id, ProblemPool& pool) const {
    const PoolId shared = account.pools[id.index()];
    std::size_t region = 0;
    if (footprints_.contains(shared)) {
      region = footprints_[shared].size();
      for (const Bytes taken : footprints_[shared]) {
        if (pool.capacity) pool.capacity = std::max(*pool.capacity - taken, Bytes());
      }
    }
    account.regions.emplace_back(region);
  }

  /// Puts a device's plan behind those before it.
  void take(const DeviceAccount& device, const std::string& name) {
    const auto& [problem, plan, weights] = device.planned;
    const auto poolOf = [&](PoolId pool) { return device.pools[pool.index()]; };
    for (const PoolId id : problem.pools.keys()) {
      if (!result_.problem.pools.contains(poolOf(id))) {
        ProblemPool pool = problem.pools[id];
        const bool own = request_.platform.devices.size() > 1 && !isShared(poolOf(id));
        if (own) pool.name = fmt::format("{}/{}", name, pool.name);
        result_.problem.pools.add(pool);
        footprints_.add({});
      }
      // Regions lie side by side: each starts where addresses may.
      footprints_[poolOf(id)].add(
          alignUp(plan.footprint(id), isShared(poolOf(id)) ? alignment_ : Bytes(1)));
    }
    for (const StayId id : problem.stays.keys()) {
      const auto& address = plan.addresses[id];
      if (!address) continue;
      places_[device.blocks[id.index()]] = Address{
          poolOf(address->pool), device.regions[address->pool.index()], *plan.flatOffset(id)};
    }
    Plan& all = result_.plan;
    if (plan.outOfMemory && !all.outOfMemory) {
      all.outOfMemory = plan.outOfMemory;
      failedBlock_ = device.blocks[plan.outOfMemory->stay.index()];
      for (auto& pool : all.outOfMemory->pools) pool.pool = poolOf(pool.pool);
    }
    if (plan.status == PlanStatus::overBudget) all.status = plan.status;
    for (const std::string& note : plan.notes) all.notes.push_back(name + ": " + note);
    for (MethodTable table : plan.tables) {
      table.name = name + " " + table.name;
      renameBlocks(table, device.blocks);
      all.tables.push_back(std::move(table));
    }
  }

  /// The nested allocator wrote of blocks; readers know them by what is in them.
  void renameBlocks(MethodTable& table, const std::vector<std::size_t>& indices) const {
    for (auto& row : table.rows) {
      for (MethodCell& cell : row) {
        const auto* stay = std::get_if<StayId>(&cell);
        if (stay) cell = blockName(indices[stay->index()]);
      }
    }
  }

  /// One stay per residence, in the order in which they come to be.
  void placeTensors() {
    std::vector<std::size_t> order(partition_.residences.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) {
      return std::pair(residence(i).steps.begin, residence(i).block);
    });
    Plan& plan = result_.plan;
    account_.firstStays.resize(partition_.blocks.size());
    for (const std::size_t i : order) {
      const Residence& at = residence(i);
      std::optional<Address> address = places_[at.block];
      if (address) address->offset += offsets_[i];
      Stay stay = stayFor(at);
      stay.outlives = !at.received && storage_.buffers[at.buffer].graphOutput;
      if (address) stay.pool = address->pool;
      const StayId id = result_.problem.stays.add(stay);
      plan.addresses.add(address);
      account_.residenceOf.add(i);
      if (!account_.firstStays[at.block]) account_.firstStays[at.block] = id;
      if (plan.outOfMemory && at.block == failedBlock_) plan.outOfMemory->stay = id;
    }
  }

  const Graph& graph_;
  const Storage& storage_;
  const Partition& partition_;
  const RunRequest& request_;
  Bytes alignment_;
  SearchUse use_;  ///< Over all blocks and devices.
  PlanContext settings_;
  std::vector<Bytes> offsets_;  ///< Of each residence, inside its block.
  MachinePools machine_;
  std::vector<std::optional<Address>> places_;  ///< Of each block.
  IdMap<PoolId, IdMap<RegionId, Bytes>> footprints_;
  std::size_t failedBlock_ = 0;
  Planned result_;
  PartitionAccount account_;
};

}  // namespace

namespace {

/// The copies of `plan` that nobody needs: what they copy lies where their reader can reach it.
std::vector<SharedRead> sharedReads(const PartitionedPlan& plan, const MachinePools& machine) {
  const auto& [problem, answer, weights] = plan.planned;
  std::vector<SharedRead> shared;
  for (const StayId id : problem.stays.keys()) {
    const Residence& source = plan.partition.residences[plan.account->residenceOf[id]];
    const auto& address = answer.addresses[id];
    if (source.received || !address || !machine.pools[address->pool].spec->shared) continue;
    for (DeviceIndex device = 0; device < machine.ofDevice.size(); ++device) {
      const bool reaches = std::ranges::count(machine.ofDevice[device], address->pool) > 0;
      if (device != source.device && reaches) shared.push_back({source.buffer, device});
    }
  }
  std::ranges::sort(shared);
  return shared;
}

}  // namespace

Result<PartitionedPlan> planPartitioned(const Graph& graph, const Schedule& schedule,
                                        const Storage& storage, const RunRequest& request,
                                        Bytes alignment, const PlanContext& settings) {
  const auto plan = [&](const std::vector<SharedRead>& shared) -> Result<PartitionedPlan> {
    HW_TRY(partition, partitionGraph(graph, schedule, storage, request.platform, shared));
    PartitionedPlanner planner(graph, storage, partition, request, alignment, settings);
    HW_TRY(planned, planner.plan(std::max(schedule.steps(), Step(1))));
    auto account = std::make_shared<const PartitionAccount>(planner.takeAccount());
    return PartitionedPlan{std::move(partition), std::move(planned), std::move(account)};
  };
  HW_TRY(copied, plan({}));
  const MachinePools machine = machinePools(request.platform, request.platform.devices.size());
  std::vector<SharedRead> shared = sharedReads(copied, machine);
  std::erase_if(shared, [&](const SharedRead& read) {
    return std::ranges::none_of(copied.partition.transfers, [&](const DeviceTransfer& transfer) {
      return transfer.buffer == read.buffer && transfer.to == read.by;
    });
  });
  if (shared.empty()) return std::move(copied);
  HW_TRY(fewer, plan(shared));
  // With fewer copies the plan is another one: what is read in place must still lie there.
  const std::vector<SharedRead> still = sharedReads(fewer, machine);
  const bool holds = std::ranges::includes(still, shared);
  return holds ? std::move(fewer) : std::move(copied);
}

}  // namespace hw
