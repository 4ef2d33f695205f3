#include "core/run/partitioned.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/run/partition_story.h"

namespace hw {
namespace {

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
        reasons_(partition_.residences.size(), Reason::planned),
        stayOf_(partition_.residences.size()),
        machine_(machinePools(request.platform, request.platform.devices.size())),
        places_(partition_.blocks.size()) {
    settings_.progress = {};
    settings_.search = {};
    settings_.use = &use_;
  }

  Result<Planned> plan(Step steps) {
    result_.problem.steps = steps;
    // A block's size is what its tenants need when they share it.
    for (const UnitBlock& block : partition_.blocks) HW_DO(planInside(block));
    for (DeviceIndex device = 0; device < request_.platform.devices.size(); ++device) {
      HW_DO(planDevice(device));
    }
    placeTensors();
    holdBlocks();
    std::vector<std::string> names;
    for (std::size_t i = 0; i < partition_.blocks.size(); ++i) names.push_back(blockName(i));
    const auto tables =
        partitionTables(graph_, storage_, request_.platform, partition_, names, places_);
    result_.plan.tables.insert(result_.plan.tables.begin(), tables.begin(), tables.end());
    result_.plan = finishPlan(result_.problem, std::move(result_.plan), settings_.story);
    giveReasons();
    // A block is reserved as a whole, its unused end included.
    for (const PoolId pool : result_.problem.pools.keys()) {
      auto& regions = result_.plan.regions[pool];
      regions.resize(footprints_[pool].size());
      for (const RegionId region : regions.keys()) {
        regions[region] = std::max(regions[region], footprints_[pool][region]);
      }
    }
    if (settings_.record) tellRecord();
    return std::move(result_);
  }

  PartitionAccount takeAccount() {
    for (std::size_t i = 0; i < partition_.blocks.size(); ++i) {
      account_.blockNames.push_back(
          fmt::format("{} block '{}'", blockKindName(partition_.blocks[i].kind), blockName(i)));
    }
    return std::move(account_);
  }

 private:
  const Residence& residence(std::size_t index) const { return partition_.residences[index]; }

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

  /// One that no other block has: a copy is told from what it is a copy of.
  std::string ownName(std::size_t index) const {
    const bool received = partition_.blocks[index].kind == UnitBlock::Kind::received;
    return (received ? "received " : "") + blockName(index);
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
    const bool alone = block.residences.size() == 1;
    PlanContext settings = settings_;
    settings.record = settings_.record && !alone && changes_ < kMostMethodChanges;
    HW_TRY(plan, request_.allocator.make()->plan(inside.problem, settings));
    for (const StayId id : inside.problem.stays.keys()) {
      offsets_[block.residences[id.index()]] = *plan.flatOffset(id);
    }
    for (const MemoryEvent& event : plan.story) {
      if (event.kind != EventKind::alloc || alone) continue;
      reasons_[block.residences[event.stay.index()]] = event.reason;
    }
    for (const MethodRecord& record : plan.records) changes_ += record.changes.size();
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
    for (const MemoryEvent& event : planned.plan.story) {
      const std::size_t block = account.blocks[event.stay.index()];
      const std::size_t first = partition_.blocks[block].residences.front();
      if (event.kind == EventKind::alloc && reasons_[first] == Reason::planned) {
        reasons_[first] = event.reason;
      }
    }
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
    const auto& [problem, plan, weights, notes] = device.planned;
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
      const Buffer& buffer = storage_.buffers[at.buffer];
      stay.outlives =
          !at.received && buffer.graphOutput && buffer.steps.end == result_.problem.steps;
      if (address) stay.pool = address->pool;
      const StayId id = result_.problem.stays.add(stay);
      plan.addresses.add(address);
      account_.residenceOf.add(i);
      stayOf_[i] = id;
      if (!account_.firstStays[at.block]) account_.firstStays[at.block] = id;
      if (plan.outOfMemory && at.block == failedBlock_) plan.outOfMemory->stay = id;
    }
  }

  /// Makes tenants of a block hold their bytes as long as the whole block is in use.
  void holdBlocks() {
    for (std::size_t i = 0; i < partition_.blocks.size(); ++i) {
      const UnitBlock& block = partition_.blocks[i];
      if (!places_[i]) continue;
      HeldBlock held{.name = ownName(i),
                     .place = *places_[i],
                     .size = sizeOf(i),
                     .steps = block.steps,
                     .outlives = block.outlives};
      for (const std::size_t residence : block.residences) {
        held.tenants.push_back(stayOf_[residence]);
      }
      result_.plan.blocks.push_back(std::move(held));
    }
  }

  Bytes sizeOf(std::size_t block) const { return account_.blocks[block].plan.footprint(PoolId(0)); }

  /// The story is that of addresses known beforehand; why they were chosen the allocators know.
  void giveReasons() {
    for (MemoryEvent& event : result_.plan.story) {
      if (event.reason != Reason::planned) continue;
      event.reason = reasons_[account_.residenceOf[event.stay]];
    }
  }

  /// The record of the blocks, then those that the allocator made of each device and each block.
  void tellRecord() {
    std::vector<std::string> names;
    std::vector<Bytes> sizes;
    std::vector<Bytes> begins;
    for (std::size_t i = 0; i < partition_.blocks.size(); ++i) {
      names.push_back(ownName(i));
      sizes.push_back(sizeOf(i));
      const auto& at = places_[i];
      begins.push_back(at ? result_.plan.regionStart(at->pool, at->region) + at->offset : Bytes());
    }
    auto& records = result_.plan.records;
    records.push_back(partitionRecord({request_.platform, partition_, result_.problem, stayOf_,
                                       offsets_, names, sizes, places_, begins}));
    for (std::size_t device = 0; device < account_.devices.size(); ++device) {
      const DeviceAccount& each = account_.devices[device];
      const std::string& name = request_.platform.devices[device].name;
      for (const MethodRecord& record : each.planned.plan.records) {
        records.push_back(translated(record, name, [&](StayId stay) {
          return partition_.blocks[each.blocks[stay.index()]].residences.front();
        }));
        for (MethodList& list : records.back().lists) {
          if (list.pool) list.pool = each.pools[list.pool.index()];
        }
      }
    }
    for (std::size_t i = 0; i < partition_.blocks.size(); ++i) {
      for (const MethodRecord& record : account_.blocks[i].plan.records) {
        records.push_back(translated(record, names[i], [&](StayId stay) {
          return partition_.blocks[i].residences[stay.index()];
        }));
        // Its addresses are the block's own, and no pool's.
        for (MethodList& list : records.back().lists) list.role = MethodList::Role::words;
      }
    }
  }

  /// `record` of a part of the plan, with its stays as those of the run.
  template <class ResidenceOf>
  MethodRecord translated(MethodRecord record, const std::string& where,
                          const ResidenceOf& residenceOf) const {
    record.name = fmt::format("{}: {}", where, record.name);
    const auto turn = [&](StayId& stay) {
      if (stay) stay = stayOf_[residenceOf(stay)];
    };
    for (MethodTick& tick : record.ticks) turn(tick.stay);
    for (MethodChange& change : record.changes) {
      for (MethodRow* row : {&change.before, &change.after}) {
        for (MethodCell& cell : *row) {
          if (auto* stay = std::get_if<StayId>(&cell)) turn(*stay);
        }
      }
    }
    return record;
  }

  const Graph& graph_;
  const Storage& storage_;
  const Partition& partition_;
  const RunRequest& request_;
  Bytes alignment_;
  SearchUse use_;  ///< Over all blocks and devices.
  PlanContext settings_;
  std::vector<Bytes> offsets_;   ///< Of each residence, inside its block.
  std::vector<Reason> reasons_;  ///< Likewise: why it or its block is there.
  std::vector<StayId> stayOf_;   ///< Likewise.
  std::size_t changes_ = 0;      ///< In the records of blocks.
  MachinePools machine_;
  std::vector<std::optional<Address>> places_;  ///< Of each block.
  IdMap<PoolId, IdMap<RegionId, Bytes>> footprints_;
  std::size_t failedBlock_ = 0;
  Planned result_;
  PartitionAccount account_;
};

/// The copies of `plan` that nobody needs: what they copy lies where their reader can reach it.
std::vector<SharedRead> sharedReads(const PartitionedPlan& plan, const MachinePools& machine) {
  const auto& [problem, answer, weights, notes] = plan.planned;
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
