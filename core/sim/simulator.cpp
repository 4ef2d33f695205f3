#include "core/sim/simulator.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>

#include "core/base/check.h"
#include "core/sim/cost_model.h"
#include "core/sim/event_queue.h"

namespace hw {
namespace {

/// 64-bit FNV-1a, over whole words instead of bytes: the stream is made of words.
class Digest {
 public:
  void add(std::uint64_t word) {
    hash_ = (hash_ ^ word) * 0x100000001B3ULL;
    hash_ ^= hash_ >> 32;  // A product carries upwards only.
  }
  void add(SimTime time) { add(static_cast<std::uint64_t>(time.count())); }
  void add(const MemoryEvent& event) {
    add(static_cast<std::uint64_t>(event.offset.count()));
    add(static_cast<std::uint64_t>(event.size.count()));
    add(std::uint64_t{event.stay.index()} << 32 | static_cast<std::uint32_t>(event.step));
    add(std::uint64_t{event.region.index()} << 32 | std::uint64_t{event.pool} << 8 |
        static_cast<std::uint8_t>(event.kind));
  }
  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0xCBF29CE484222325ULL;
};

/// The event loop. Each step is a chain: its allocations and the start of its op, then the op's
/// end, which brings on its releases and the next step. Steps without an op take no time; steps
/// where nothing at all happens are skipped, for a problem may have billions.
class DirectRun {
 public:
  explicit DirectRun(const SimulationInput& input)
      : input_(input),
        story_(input.plan.story),
        timer_(input),
        builder_(input.problem.pools.size()) {
    builder_.reserve(story_.size());
    timing_.ops.reserve(input.schedule.order.size());
    timing_.traffic = IdMap<PoolId, Traffic>(poolsOf(input).size());
    if (input.partition != nullptr) {
      transfers_ = input.partition->transfers;
      std::ranges::stable_sort(transfers_, {}, &DeviceTransfer::step);
    }
  }

  Simulation run() {
    if (const auto first = nextStep(Step(-1))) open(*first, SimTime());
    while (!queue_.empty()) handle(queue_.pop());
    check(next_ == story_.size(), "a story whose steps do not go backwards");
    finish();
    return {std::move(timing_), std::move(builder_).finish()};
  }

 private:
  /// The next step with an op or an event; nothing at the end.
  std::optional<Step> nextStep(Step after) const {
    const Step next = after + Step(1);
    if (next < input_.schedule.steps()) return next;
    if (next_ == story_.size()) return std::nullopt;
    return Step(story_[next_].step);
  }

  /// Schedules the story's events of `step` that come before (or after) its op.
  void scheduleEvents(Step step, SimTime now, Phase phase) {
    for (; next_ < story_.size() && story_[next_].step == step.count(); ++next_) {
      // The frees of a step, and what follows from them, happen when its op is done.
      if (phase == Phase::alloc && story_[next_].kind == EventKind::free) return;
      queue_.push(SimEvent(now, phase, 0, static_cast<std::uint32_t>(next_)));
    }
  }

  void open(Step step, SimTime now) {
    scheduleEvents(step, now, Phase::alloc);
    transferOrStart(step, now);
  }

  /// The next copy that the step waits for, or its op.
  void transferOrStart(Step step, SimTime now) {
    const bool waits = nextTransfer_ < transfers_.size() && transfers_[nextTransfer_].step <= step;
    const Phase phase = waits ? Phase::transferIssue : Phase::computeStart;
    queue_.push(SimEvent(now, phase, 0, static_cast<std::uint32_t>(step.count())));
  }

  void startTransfer(Step step, SimTime now) {
    TransferTiming transfer = timer_.time(transfers_[nextTransfer_++], timing_.traffic);
    transfer.time = {now, addTime(now, transfer.time.end)};
    queue_.push(SimEvent(transfer.time.end, Phase::transferEnd, 0,
                         static_cast<std::uint32_t>(step.count())));
    timing_.makespan = transfer.time.end;
    timing_.transfers.push_back(transfer);
  }

  void handle(const SimEvent& event) {
    digest_.add(event.time());
    digest_.add(std::uint64_t{event.entity()} << 8 | static_cast<std::uint8_t>(event.phase()));
    const Step step(event.entity());
    switch (event.phase()) {
      case Phase::alloc:
      case Phase::free: {
        const MemoryEvent& change = story_[event.entity()];
        digest_.add(change);
        builder_.add(event.time(), change);
        return;
      }
      case Phase::computeStart: {
        const SimTime end = addTime(event.time(), runOp(step, event.time()));
        queue_.push(SimEvent(end, Phase::computeEnd, 0, event.entity()));
        return;
      }
      case Phase::computeEnd:
        scheduleEvents(step, event.time(), Phase::free);
        if (const auto next = nextStep(step)) open(*next, event.time());
        return;
      case Phase::transferIssue:
        startTransfer(step, event.time());
        return;
      case Phase::transferEnd:
        transferOrStart(step, event.time());
        return;
    }
  }

  /// Times the op of `step`, if it has one; returns how long it takes.
  SimTime runOp(Step step, SimTime now) {
    if (step >= input_.schedule.steps()) return {};
    OpTiming op = timer_.time(input_.schedule.opAt(step), step);
    const SimTime duration = op.time.end;
    op.time = {now, addTime(now, duration)};
    timing_.makespan = op.time.end;
    timing_.macs = checkedAdd(timing_.macs, op.macs).value_or(kEndless);
    for (const PoolId pool : op.traffic.keys()) timing_.traffic[pool] += op.traffic[pool];
    timing_.ops.push_back(std::move(op));
    return duration;
  }

  void finish() {
    const std::vector<PoolSpec> pools = poolsOf(input_);
    bool endless = timing_.macs == kEndless;
    for (const PoolId pool : timing_.traffic.keys()) {
      const Bytes moved = timing_.traffic[pool].total();
      timing_.energyPicojoules +=
          static_cast<double>(moved.count()) * pools[pool.index()].picojoulesPerByte;
      endless |= moved == kMaxTraffic;
    }
    timing_.compulsory = compulsoryBytes();
    timing_.notes = timer_.notes();
    if (timing_.makespan == kMaxTime) {
      timing_.notes.emplace_back("the run takes longer than 53 days; times are cut off there");
    }
    if (endless) timing_.notes.emplace_back("MACs or bytes moved are too many to count in 62 bits");
    timing_.digest = digest_.value();
  }

  /// What has to move whatever the plan: every input, output and weight that some op touches.
  Bytes compulsoryBytes() const {
    std::set<TensorId> moved(input_.graph.inputs.begin(), input_.graph.inputs.end());
    moved.insert(input_.graph.outputs.begin(), input_.graph.outputs.end());
    for (const OpId op : input_.schedule.order) {
      if (input_.graph.ops[op].folded) continue;
      for (const TensorId tensor : input_.graph.reads(op)) {
        if (input_.graph.tensors[tensor].constant) moved.insert(tensor);
      }
    }
    Bytes sum;
    for (const TensorId tensor : moved) {
      if (input_.graph.tensors[tensor].constant && !input_.streamWeights) continue;
      sum = addMoved(sum, input_.graph.tensors[tensor].bytes.value_or(Bytes()));
    }
    return sum;
  }

  static constexpr std::int64_t kEndless = std::numeric_limits<std::int64_t>::max();

  const SimulationInput& input_;
  const std::vector<MemoryEvent>& story_;
  OpTimer timer_;
  EventQueue queue_;
  Trace::Builder builder_;
  Timing timing_;
  Digest digest_;
  std::size_t next_ = 0;                   ///< The story's first event that is not scheduled yet.
  std::vector<DeviceTransfer> transfers_;  ///< By step.
  std::size_t nextTransfer_ = 0;
};

}  // namespace

Simulation simulateDirect(const SimulationInput& input) { return DirectRun(input).run(); }

}  // namespace hw
