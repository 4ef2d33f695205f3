// Event queue alone, with chunk map and trace behind it, and runs of many activities, on one core.

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <vector>

#include "core/sim/event_queue.h"
#include "core/sim/execute.h"
#include "core/trace/trace.h"
#include "tests/bench/cpu_timer.h"
#include "tests/bench/whole_process.h"
#include "tests/support/large_models.h"

using namespace hw;

namespace {

/// Holds `pending` events: every event that leaves makes another, some time later.
void queueAlone(std::size_t pending, std::size_t count) {
  std::mt19937_64 random(1);
  std::vector<std::int64_t> delays(4096);
  for (std::int64_t& delay : delays) delay = static_cast<std::int64_t>(random() % 1'000);
  EventQueue queue;
  for (std::size_t i = 0; i < pending; ++i) {
    queue.push(SimEvent(SimTime(delays[i]), Phase::alloc, 0, static_cast<std::uint32_t>(i)));
  }
  std::uint64_t sum = 0;
  const bench::CpuTimer timer;
  for (std::size_t i = 0; i < count; ++i) {
    const SimEvent event = queue.pop();
    sum += event.entity();
    queue.push(SimEvent(event.time() + SimTime(delays[i % 4096]), Phase::alloc, 0, event.entity()));
  }
  const double time = timer.seconds();
  fmt::print("event queue, {} pending: {:.1f} M events/s (check {})\n", pending,
             static_cast<double>(count) / time / 1e6, sum % 1000);
}

/// Owners come and go in an arena that is cut into `slots`; each change is an event on the queue,
/// a change of the chunk map and an entry in the trace.
void queueMapAndTrace(std::size_t slots, std::size_t count) {
  std::mt19937_64 random(2);
  std::vector<std::int64_t> delays(4096);
  for (std::int64_t& delay : delays) delay = 1 + static_cast<std::int64_t>(random() % 1'000);
  Trace::Builder builder(2);
  builder.reserve(count + 2 * slots);
  const Bytes size(64);
  const auto slotEvent = [&](std::size_t slot, EventKind kind) {
    return MemoryEvent{.offset = size * static_cast<std::int64_t>(slot),
                       .size = size,
                       .stay = StayId(slot),
                       .region = RegionId(0),
                       .kind = kind};
  };
  EventQueue queue;
  for (std::size_t slot = 0; slot < slots; ++slot) {
    builder.add(SimTime(), slotEvent(slot, EventKind::extend));
    queue.push(
        SimEvent(SimTime(delays[slot % 4096]), Phase::alloc, 0, static_cast<std::uint32_t>(slot)));
  }
  const bench::CpuTimer timer;
  for (std::size_t i = 0; i < count; ++i) {
    const SimEvent event = queue.pop();
    const bool alloc = event.phase() == Phase::alloc;
    builder.add(event.time(),
                slotEvent(event.entity(), alloc ? EventKind::alloc : EventKind::free));
    queue.push(SimEvent(event.time() + SimTime(delays[i % 4096]),
                        alloc ? Phase::free : Phase::alloc, 0, event.entity()));
  }
  const double time = timer.seconds();
  const Trace trace = std::move(builder).finish();
  fmt::print("queue, chunk map and trace, {} pending: {:.1f} M events/s ({} keyframes)\n", slots,
             static_cast<double>(count) / time / 1e6, trace.keyframeCount());
}

/// `ops` ops in a row, each with a weight that is loaded beside the op before it, in an arena of a
/// few slots: stays that thousands of others had before them.
void manyActivities(std::size_t ops) {
  ActivityList list;
  list.ports = {{"L2", 8'000'000'000, 8'000'000'000}, {"L3", 4'000'000'000, 4'000'000'000}};
  list.engines = {{"mac"}, {"dma", true, 2}};
  list.devices = {{"npu", Issue::parallel}};
  std::mt19937_64 random(3);
  const Bytes size(4096);
  const auto stay = [&](std::size_t slot) {
    const Bytes at = size * static_cast<std::int64_t>(slot);
    return list.stays.add({.pool = PoolId(0), .bytes = {at, at + size}});
  };
  const auto touch = [&](Activity& activity, StayId id, bool write) {
    activity.accesses.push_back({id, {Bytes(), size}, write});
  };
  StayId before = stay(0);
  for (std::size_t i = 0; i < ops; ++i) {
    const StayId weight = stay(2 + i % 3);
    const StayId made = stay((i + 1) % 2);
    Activity load{.kind = ActivityKind::load, .engine = 1, .fixed = SimTime(1'000), .bytes = size};
    load.ports = {{0, Bytes(), size}, {1, size, Bytes()}};
    touch(load, weight, true);
    list.activities.add(std::move(load));
    Activity op{.engine = 0, .compute = SimTime(static_cast<std::int64_t>(random() % 2'000'000))};
    op.ports = {{0, size * 2, size}};
    touch(op, before, false);
    touch(op, weight, false);
    touch(op, made, true);
    list.activities.add(std::move(op));
    before = made;
  }
  const bench::CpuTimer timer;
  const Waits waits = hazardsOf(list);
  const double hazards = timer.seconds();
  const Execution run = execute(list, waits, list.contention);
  fmt::print("{} ops with DMA: {:.2f} s, of it hazards {:.2f} ({} waits, makespan {} ps)\n", ops,
             timer.seconds(), hazards, waits.size(), run.makespan.count());
}

/// A million operators as a whole process: what simulating them costs beside reading them, which is
/// to be 5 s and, with all that, 3 GB at most.
void wholeProcess(int operators) {
  const auto path = std::filesystem::temp_directory_path() / "highwater_sim_bench.tflite";
  std::ofstream(path, std::ios::binary) << chainTflite(operators);
  const bench::ProcessCost read = bench::runWhole({"info", path.string()}, "/dev/null");
  const bench::ProcessCost all =
      bench::runWhole({"simulate", path.string(), "-a", "greedy-by-size", "--quiet"}, "/dev/null");
  fmt::print(
      "{} operators: {:.2f} s of processor time to simulate, {:.2f} with reading; {:.0f} MB "
      "resident{}\n",
      operators, all.cpu - read.cpu, all.cpu, static_cast<double>(all.resident) / 1e6,
      all.status == 0 ? "" : ", FAILED");
  std::filesystem::remove(path);
}

}  // namespace

int main() {
  queueAlone(64, 20'000'000);
  queueAlone(4096, 5'000'000);
  queueMapAndTrace(64, 4'000'000);
  queueMapAndTrace(20'000, 4'000'000);
  manyActivities(100'000);
  wholeProcess(1'000'000);
}
