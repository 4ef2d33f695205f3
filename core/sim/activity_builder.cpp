#include "core/sim/activity_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "core/base/text.h"
#include "core/graph/tiling.h"
#include "core/import/plans/unknown_parts.h"
#include "core/machine/memory_model.h"
#include "core/ops/constant_reads.h"
#include "core/ops/op_table.h"
#include "core/sim/cost_model.h"

namespace hw {
namespace {

/// Bytes that go through a pool, in whole bursts.
struct PoolUse {
  Bytes read{};
  Bytes written{};
};

/// The work of one op on the machine.
struct OpWork {
  OpTiming timing{};  ///< As if it started at time 0, without contention.
  bool idle = false;  ///< It only aliases, or is folded: it does nothing.
  std::vector<Access> accesses{};
  std::vector<TensorUse> operands{};
};

/// Causes of what could not be timed: one sentence a cause, with how often and the first case.
class TimingNotes {
 public:
  /// `what` without its number: "ops ...".
  void add(const std::string& what, const std::string& first);
  std::vector<std::string> sentences() const;

 private:
  struct Cause {
    std::string what{};
    std::string first{};
    std::size_t count = 0;
  };
  std::vector<Cause> causes_;
};

/// Says what ops ask of the machine. Every distinct tensor an op reads moves once, and every output
/// once, in the pool where its device finds it; of a weight only what ConstantReads says. Weights
/// and what lives outside the plan move in the device's last pool. A concat or split moves only
/// what its storage still copies; an op that only aliases, or is folded, moves nothing. `input` and
/// `places` outlive it.
class OpWorker {
 public:
  OpWorker(const SimulationInput& input, const TensorPlaces& places, TimingNotes& notes);

  OpWork work(OpId op, Step step);
  /// Of the op asked for last, by pool.
  const IdMap<PoolId, Traffic>& traffic() const { return traffic_; }
  const IdMap<PoolId, PoolUse>& uses() const { return uses_; }

  /// The class of traffic that bytes of `tensor` belong to, where an op moves them.
  TrafficClass classOf(TensorId tensor) const;

 private:
  struct At {
    Step step{};
    std::uint32_t device = 0;
  };

  const DeviceSpec& device(const At& at) const { return input_.platform.devices[at.device]; }
  void begin(OpTiming& timing);
  void addTraffic(OpId op, const At& at, OpWork& work);
  /// Returns how many elements are copied.
  std::int64_t addCopies(OpId op, const At& at, OpWork& work);
  /// Returns `elements` and those written.
  std::int64_t addOwnOutputs(OpId op, const At& at, std::int64_t elements, OpWork& work);
  void move(TensorId tensor, Interval<Bytes> bytes, bool write, const At& at, OpWork& work);
  Bytes sizeOf(TensorId tensor) const;
  /// With those of `tensor`, as long as they can be counted.
  std::int64_t elementsWith(std::int64_t elements, TensorId tensor) const;
  std::uint32_t unitFor(const std::string& type, const At& at);
  void addRows(Bytes bytes, Bytes row, bool write, TrafficClass kind, PoolId pool);
  void addTotals(OpTiming& timing) const;
  void addMemoryTime(OpTiming& timing);

  const SimulationInput& input_;
  const TensorPlaces& places_;
  TimingNotes& notes_;
  IdMap<OpId, std::vector<CopyNote>> copiesOf_;
  ConstantReads constants_;
  IdMap<PoolId, Traffic> traffic_;
  IdMap<PoolId, Traffic> inRows_;  ///< The part of it that belongs to pieces in several rows.
  IdMap<PoolId, PoolUse> uses_;    ///< In whole bursts: before addMemoryTime of those rows alone.
};

/// The offsets of parts that lie one behind the other, in the order of their listing, and their
/// end.
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

SimTime slowestPart(const OpTiming& timing) {
  SimTime longest = timing.compute;
  for (const SimTime memory : timing.memory) longest = std::max(longest, memory);
  return longest;
}

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
      constants_(input.graph),
      traffic_(places.machine().pools.size()),
      inRows_(places.machine().pools.size()),
      uses_(places.machine().pools.size()) {
  for (const CopyNote& copy : input.storage.copies) copiesOf_[copy.op].push_back(copy);
}

OpWork OpWorker::work(OpId id, Step step) {
  const Op& op = input_.graph.ops[id];
  const At at{step, input_.deviceOf(id)};
  OpWork work;
  OpTiming& timing = work.timing;
  begin(timing);
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
  }
  addTotals(timing);
  if (work.idle) return work;
  timing.macs = asked.macs;
  timing.elements = countedElements(unit, asked);
  const CostedOp costed = costedOp(input_.graph, id, timing);
  const UnitCycles cycles = unitCycles(unit, asked, costed);
  timing.byModel = cycles.byModel;
  timing.compute = computeTime(unit, cycles.count);
  if (const std::string lacks = withoutLaw(unit, asked, costed); !lacks.empty()) {
    notes_.add(lacks, printable(displayName(input_.graph, id)));
  }
  addMemoryTime(timing);
  timing.bottleneck = bottleneckOf(timing);
  timing.time.end = addTime(slowestPart(timing), timing.latency);
  return work;
}

void OpWorker::begin(OpTiming& timing) {
  timing.memory = IdMap<PoolId, SimTime>(traffic_.size());
  timing.moved = IdMap<PoolId, Bytes>(traffic_.size());
  for (Traffic& traffic : traffic_) traffic = {};
  for (Traffic& traffic : inRows_) traffic = {};
  for (PoolUse& use : uses_) use = {};
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
  const std::vector<TensorId> reads = input_.graph.reads(op);
  const std::size_t most = reads.size() + input_.graph.ops[op].outputs.size();
  work.operands.reserve(most);
  work.accesses.reserve(most);
  for (const TensorId tensor : reads) {
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
  TensorUse& use = work.operands.emplace_back(
      TensorUse{.tensor = tensor, .write = write, .loose = !place.stay && !write});
  if (bytes.empty()) return;
  if (!place.stay && place.planned) {
    notes_.add("uses of tensors without an address are timed as if they lived in " +
                   places_.spec(place.pool).name,
               name());
  }
  use.moved = bytes.length();
  if (kind == TrafficClass::weight) {
    const UnitSpec& unit = device(at).units[work.timing.unit];
    use.moved = storedBytes(unit, input_.graph.tensors[tensor], use.moved);
  }
  Traffic& traffic = traffic_[place.pool];
  Bytes& moved = (write ? traffic.written : traffic.read)[static_cast<std::size_t>(kind)];
  moved = addMoved(moved, use.moved);
  const bool isPiece = pieceOf(input_.graph, tensor) != nullptr;
  if (isPiece) addRows(use.moved, stretchLength(input_.graph, tensor), write, kind, place.pool);
  if (!input_.storage.bufferOf(tensor)) return;
  const Bytes slot = input_.storage.offsetOf(tensor);
  // A piece may lie in many stretches: nobody else touches what is between its ends.
  if (isPiece) bytes = {Bytes(), extentOf(input_.graph, tensor).length()};
  use.inBuffer = {slot + bytes.begin, slot + bytes.end};
  if (!place.stay) return;
  work.accesses.push_back({place.stay, use.inBuffer, write, places_.lifeAt(place.stay, at.step)});
}

/// Bytes in rows of `row` are moved row by row.
void OpWorker::addRows(Bytes bytes, Bytes row, bool write, TrafficClass kind, PoolId pool) {
  if (row >= bytes) return;
  const auto add = [](Bytes& sum, Bytes more) { sum = addMoved(sum, more); };
  add((write ? inRows_[pool].written : inRows_[pool].read)[static_cast<std::size_t>(kind)], bytes);
  const std::int64_t rows = alignUp(bytes, row).count() / row.count();
  add(write ? uses_[pool].written : uses_[pool].read,
      Bytes(checkedMul(rows, alignUp(row, places_.spec(pool).burst).count())
                .value_or(kMaxTraffic.count())));
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

void OpWorker::addTotals(OpTiming& timing) const {
  for (const PoolId id : traffic_.keys()) {
    timing.moved[id] = traffic_[id].total();
    for (const TrafficClass kind : kEveryTrafficClass) {
      Bytes& read = kind == TrafficClass::weight ? timing.weights : timing.inputs;
      read = addMoved(read, traffic_[id].read[static_cast<std::size_t>(kind)]);
    }
    for (const Bytes written : traffic_[id].written) {
      timing.outputs = addMoved(timing.outputs, written);
    }
  }
}

void OpWorker::addMemoryTime(OpTiming& timing) {
  for (const PoolId id : timing.memory.keys()) {
    const PoolSpec& pool = places_.spec(id);
    auto& [read, written] = uses_[id];
    for (std::size_t i = 0; i < kTrafficClasses; ++i) {
      read = addMoved(read, alignUp(traffic_[id].read[i] - inRows_[id].read[i], pool.burst));
      written =
          addMoved(written, alignUp(traffic_[id].written[i] - inRows_[id].written[i], pool.burst));
    }
    const SimTime reading = transferTime(read, pool.readBandwidth);
    const SimTime writing = transferTime(written, pool.writeBandwidth);
    timing.memory[id] = pool.fullDuplex ? std::max(reading, writing) : addTime(reading, writing);
    const SimTime toRead = read > Bytes() ? pool.readLatency : SimTime();
    const SimTime toWrite = written > Bytes() ? pool.writeLatency : SimTime();
    timing.latency = addTime(timing.latency, std::max(toRead, toWrite));
  }
}

class ActivityBuilder {
 public:
  explicit ActivityBuilder(const SimulationInput& input)
      : input_(input), places_(input), worker_(input, places_, notes_) {
    hasState_ = std::ranges::any_of(input.graph.tensors, &Tensor::persistent);
    result_.traffic = IdMap<PoolId, Traffic>(places_.machine().pools.size());
    result_.list.contention = input.platform.contention;
  }

  PlannedWork run() {
    if (!input_.schedule.order.empty() && namesOperators(input_.graph)) {
      addMachine();
      placeStays();
      addAll();
    } else {
      // A bare problem may have fewer pools than the machine, and moves nothing in any. Nor does
      // a plan whose steps are operators that nobody knows.
      result_.traffic = IdMap<PoolId, Traffic>(input_.problem.pools.size());
    }
    result_.notes = notes_.sentences();
    return std::move(result_);
  }

 private:
  /// A move, where it stands in the program.
  struct MoveAt {
    Move move{};
    bool copy = false;
    bool store = false;
    std::size_t depth = 0;

    auto key() const {
      return std::tuple(move.step, store, depth, move.buffer, move.to ? move.to : move.from);
    }
  };

  ActivityList& list() { return result_.list; }
  const Platform& platform() const { return input_.platform; }
  std::size_t devices() const { return places_.machine().ofDevice.size(); }
  /// A part's own name, with its device's where there are several.
  std::string nameOf(std::size_t device, const std::string& part) const {
    return devices() > 1 ? platform().devices[device].name + "/" + part : part;
  }

  void addMachine() {
    for (const auto& [spec, device] : places_.machine().pools) {
      const PoolId pool(firstPort_.size());
      const std::string name = spec->shared ? spec->name : nameOf(device, spec->name);
      firstPort_.push_back(static_cast<std::uint32_t>(list().ports.size()));
      if (spec->fullDuplex) {
        list().ports.push_back({name + " read", spec->readBandwidth, 0, pool});
        list().ports.push_back({name + " write", 0, spec->writeBandwidth, pool});
      } else {
        list().ports.push_back({name, spec->readBandwidth, spec->writeBandwidth, pool});
      }
    }
    for (std::uint32_t i = 0; i < devices(); ++i) {
      const DeviceSpec& device = platform().devices[i];
      list().devices.push_back({device.name, device.issue});
      firstEngine_.push_back(static_cast<std::uint32_t>(list().engines.size()));
      for (const UnitSpec& unit : device.units) {
        list().engines.push_back({nameOf(i, unit.name), false, unit.count, 0, i});
      }
      for (const DmaSpec& dma : device.dma) {
        list().engines.push_back({nameOf(i, dma.name), true, dma.channels, dma.bandwidth, i});
      }
    }
  }

  void placeStays() {
    const auto flat = input_.plan.flatOffsets();
    list().stays = IdMap<StayId, PlacedStay>(input_.problem.stays.size());
    for (const StayId id : input_.problem.stays.keys()) {
      const Stay& stay = input_.problem.stays[id];
      PlacedStay& placed = list().stays[id];
      placed.outlives = stay.outlives;
      placed.steps = stay.steps;
      if (!flat[id]) continue;
      placed.pool = input_.plan.addresses[id]->pool;
      placed.bytes = {*flat[id], *flat[id] + stay.size};
      if (!input_.problem.overlays.empty()) {
        placed.over = input_.plan.inputUnder(input_.problem, id);
      }
    }
  }

  void addAll() {
    const std::vector<MoveAt> moves = sortedMoves();
    lastStore_ = IdMap<BufferId, ActivityId>(input_.storage.buffers.size());
    writerOf_ = IdMap<OpId, ActivityId>(input_.graph.ops.size());
    const std::size_t steps = input_.schedule.order.size();
    list().activities.reserve(steps + moves.size());
    result_.activityAt.reserve(steps);
    result_.operands.reserve(steps);
    result_.ops.reserve(steps);
    auto next = moves.begin();
    for (const OpId op : input_.schedule.order) {
      const Step step = input_.schedule.stepOf[op];
      for (; next != moves.end() && isBefore(*next, step); ++next) addMove(*next);
      addOp(op, step);
    }
    for (; next != moves.end(); ++next) addMove(*next);
  }

  static bool isBefore(const MoveAt& at, Step step) {
    return at.move.step < step || (at.move.step == step && !at.store);
  }

  std::vector<MoveAt> sortedMoves() {
    std::vector<MoveAt> moves;
    for (const Move& move : input_.problem.moves) {
      const auto [from, to] = poolsOf(move);
      if (!from || !to) continue;
      const auto device = places_.deviceWith(from, to);
      const bool store = device && places_.rankOf(from, *device) < places_.rankOf(to, *device);
      moves.push_back({move, !device, store});
    }
    if (input_.partition != nullptr) {
      for (const DeviceTransfer& transfer : input_.partition->transfers) {
        const auto [from, to] = places_.endsOf(transfer);
        if (from && to) {
          moves.push_back({{transfer.buffer, from, to, transfer.step}, true});
        } else {
          const TensorId tensor = input_.storage.rootOf(transfer.buffer);
          notes_.add("transfers have no address to copy from or to and are not timed",
                     printable(displayName(input_.graph, tensor)));
        }
      }
    }
    setDepths(moves);
    std::ranges::stable_sort(moves, {}, &MoveAt::key);
    return moves;
  }

  /// One more than a move of the same step and phase that opens what it reads.
  static void setDepths(std::vector<MoveAt>& moves) {
    const auto opened = [](const MoveAt& at) { return std::tuple(at.move.to, at.move.step); };
    std::vector<std::size_t> byOpened(moves.size());
    for (std::size_t i = 0; i < moves.size(); ++i) byOpened[i] = i;
    std::ranges::sort(byOpened, {}, [&](std::size_t i) { return opened(moves[i]); });
    // A chain is no longer than there are levels of memory; this many rounds settle it.
    for (bool changed = true; changed;) {
      changed = false;
      for (MoveAt& at : moves) {
        if (!at.move.from) continue;
        const auto opener =
            std::ranges::lower_bound(byOpened, std::tuple(at.move.from, at.move.step), {},
                                     [&](std::size_t i) { return opened(moves[i]); });
        if (opener == byOpened.end()) continue;
        const MoveAt& before = moves[*opener];
        const bool opens = before.move.to == at.move.from && before.move.step == at.move.step &&
                           before.store == at.store;
        if (!opens || at.depth > before.depth || at.depth > moves.size()) continue;
        at.depth = before.depth + 1;
        changed = true;
      }
    }
  }

  /// Between which pools it goes; none where a stay has no address.
  std::pair<PoolId, PoolId> poolsOf(const Move& move) {
    const auto own = [&](StayId stay) { return stay ? list().stays[stay].pool : PoolId(); };
    PoolId from = own(move.from);
    PoolId to = own(move.to);
    const auto farOf = [&](PoolId pool) {
      return pool ? places_.farPool(places_.machine().pools[pool].device) : PoolId();
    };
    if (!move.from) from = farOf(to);
    if (!move.to) to = farOf(from);
    if (!from || !to) {
      notes_.add("moves have no address to go from or to and are not timed",
                 printable(displayName(input_.graph, input_.storage.rootOf(move.buffer))));
    }
    return {from, to};
  }

  void addOp(OpId op, Step step) {
    OpWork work = worker_.work(op, step);
    const std::uint32_t device = input_.deviceOf(op);
    ActivityId id;
    if (!work.idle) {
      Activity activity{.kind = ActivityKind::compute,
                        .device = device,
                        .engine = firstEngine_[device] + work.timing.unit,
                        .step = step,
                        .op = op,
                        .fixed = work.timing.latency,
                        .compute = work.timing.compute,
                        .accesses = std::move(work.accesses)};
      activity.ports.reserve(worker_.uses().size());
      for (const PoolId pool : worker_.uses().keys()) {
        usePorts(activity, pool, worker_.uses()[pool]);
      }
      for (const TensorUse& use : work.operands) {
        if (use.loose) addMakers(use.tensor, activity.after);
      }
      followState(op, activity.after);
      id = add(std::move(activity));
      writerOf_[op] = id;
      for (const TensorId state : stateOf(op)) lastUser_[state] = id;
    }
    for (const PoolId pool : worker_.traffic().keys()) {
      result_.traffic[pool] += worker_.traffic()[pool];
    }
    result_.activityAt.push_back(id);
    result_.operands.push_back(std::move(work.operands));
    result_.ops.push_back(std::move(work.timing));
  }

  void usePorts(Activity& activity, PoolId pool, const PoolUse& use) {
    const std::uint32_t port = firstPort_[pool.index()];
    const auto push = [&](std::uint32_t at, Bytes read, Bytes written) {
      if (read + written > Bytes()) activity.ports.push_back({at, read, written});
    };
    if (places_.spec(pool).fullDuplex) {
      push(port, use.read, Bytes());
      push(port + 1, Bytes(), use.written);
    } else {
      push(port, use.read, use.written);
    }
  }

  /// Adds the makers of a tensor without an address: its op, or those behind one that only aliases,
  /// and the last store of it.
  void addMakers(TensorId tensor, std::vector<ActivityId>& makers) const {
    if (input_.graph.tensors[tensor].constant) return;
    const auto add = [&](ActivityId maker) {
      if (maker && std::ranges::find(makers, maker) == makers.end()) makers.push_back(maker);
    };
    if (const BufferId buffer = input_.storage.bufferOf(tensor)) add(lastStore_[buffer]);
    std::set<OpId> seen;
    std::vector<OpId> open{input_.graph.tensors[tensor].producer};
    while (!open.empty()) {
      const OpId op = open.back();
      open.pop_back();
      if (!op || !seen.insert(op).second || input_.graph.ops[op].folded) continue;
      add(writerOf_[op]);
      if (writerOf_[op]) continue;
      for (const TensorId in : input_.graph.reads(op)) {
        open.push_back(input_.graph.tensors[in].producer);
      }
    }
    std::ranges::sort(makers);
  }

  /// State that an op touches.
  std::vector<TensorId> stateOf(OpId op) const {
    if (!hasState_) return {};
    std::vector<TensorId> state = input_.graph.reads(op);
    const auto& outputs = input_.graph.ops[op].outputs;
    state.insert(state.end(), outputs.begin(), outputs.end());
    std::erase_if(state, [&](TensorId id) { return !id || !input_.graph.tensors[id].persistent; });
    return state;
  }

  /// Whoever touches state comes behind the one before that did: values are not known to stay.
  void followState(OpId op, std::vector<ActivityId>& after) const {
    for (const TensorId state : stateOf(op)) {
      const auto last = lastUser_.find(state);
      if (last == lastUser_.end()) continue;
      if (std::ranges::find(after, last->second) == after.end()) after.push_back(last->second);
    }
    std::ranges::sort(after);
  }

  /// Bytes of a buffer that a move takes: of weights as many as a unit of the device stores.
  Bytes onTheWay(BufferId buffer, std::uint32_t device) const {
    const Buffer& of = input_.storage.buffers[buffer];
    const Tensor& root = input_.graph.tensors[of.root];
    if (!root.constant) return of.size;
    for (const UnitSpec& unit : platform().devices[device].units) {
      const Bytes stored = storedBytes(unit, root, of.size);
      if (stored != of.size) return stored;
    }
    return of.size;
  }

  void addMove(const MoveAt& at) {
    const Move& move = at.move;
    const auto [from, to] = poolsOf(move);
    const PoolSpec& source = places_.spec(from);
    const PoolSpec& target = places_.spec(to);
    const auto device = places_.deviceWith(from, to);
    Activity activity{.kind = at.copy    ? ActivityKind::copy
                              : at.store ? ActivityKind::store
                                         : ActivityKind::load,
                      .device = device.value_or(places_.machine().pools[to].device),
                      .step = move.step,
                      .buffer = move.buffer,
                      .from = move.from,
                      .to = move.to,
                      .fixed = addTime(source.readLatency, target.writeLatency)};
    activity.bytes = onTheWay(move.buffer, activity.device);
    chooseEngine(activity, from, to);
    addMoveTraffic(activity, from, to);
    const Interval<Bytes> whole{Bytes(), input_.storage.buffers[move.buffer].size};
    const auto access = [&](StayId stay, bool write) {
      if (stay) activity.accesses.push_back({stay, whole, write, places_.lifeAt(stay, move.step)});
    };
    access(move.from, false);
    access(move.to, true);
    if (!move.from) addMakers(input_.storage.rootOf(move.buffer), activity.after);
    const bool outside = !move.to;
    const ActivityId id = add(std::move(activity));
    if (outside) lastStore_[move.buffer] = id;
  }

  /// The first engine of the platform that serves the pair.
  void chooseEngine(Activity& activity, PoolId from, PoolId to) {
    bool any = false;
    for (std::uint32_t device = 0; device < devices(); ++device) {
      const DeviceSpec& spec = platform().devices[device];
      for (std::size_t i = 0; i < spec.dma.size(); ++i) {
        any |= device == activity.device;
        const bool serves = std::ranges::any_of(spec.dma[i].moves, [&](const auto& pair) {
          const bool there = pair.from.device < devices() && pair.to.device < devices();
          return there && places_.machine().at(pair.from) == from &&
                 places_.machine().at(pair.to) == to;
        });
        if (!serves) continue;
        activity.engine = firstEngine_[device] + static_cast<std::uint32_t>(spec.units.size() + i);
        activity.fixed = addTime(activity.fixed, spec.dma[i].setup);
        return;
      }
    }
    const std::string why =
        any ? fmt::format("no engine serves {}>{}", places_.spec(from).name, places_.spec(to).name)
            : fmt::format("'{}' has no DMA engine",
                          printable(platform().devices[activity.device].name));
    notes_.add("moves need the pools alone: " + why,
               printable(displayName(input_.graph, input_.storage.rootOf(activity.buffer))));
  }

  void addMoveTraffic(Activity& activity, PoolId from, PoolId to) {
    const auto kind = static_cast<std::size_t>(classOf(activity));
    Bytes& read = result_.traffic[from].read[kind];
    Bytes& written = result_.traffic[to].written[kind];
    read = addMoved(read, activity.bytes);
    written = addMoved(written, activity.bytes);
    PoolUse source{.read = alignUp(activity.bytes, places_.spec(from).burst)};
    PoolUse target{.written = alignUp(activity.bytes, places_.spec(to).burst)};
    if (from == to) source.written = std::exchange(target.written, Bytes());
    usePorts(activity, from, source);
    if (from != to) usePorts(activity, to, target);
  }

  TrafficClass classOf(const Activity& activity) {
    const TrafficClass own = worker_.classOf(input_.storage.rootOf(activity.buffer));
    if (activity.kind == ActivityKind::store) {
      return input_.storage.buffers[activity.buffer].graphOutput ? TrafficClass::output
                                                                 : TrafficClass::spill;
    }
    if (activity.kind == ActivityKind::copy) return own;
    if (own == TrafficClass::weight) return TrafficClass::prefetch;
    const bool first = own == TrafficClass::input && fetched_.insert(activity.buffer).second;
    return first ? TrafficClass::input : TrafficClass::fill;
  }

  ActivityId add(Activity activity) { return list().activities.add(std::move(activity)); }

  const SimulationInput& input_;
  TensorPlaces places_;
  TimingNotes notes_;
  OpWorker worker_;
  std::vector<std::uint32_t> firstPort_;    ///< By pool.
  std::vector<std::uint32_t> firstEngine_;  ///< By device.
  IdMap<BufferId, ActivityId> lastStore_;   ///< To where there is no address.
  IdMap<OpId, ActivityId> writerOf_;
  bool hasState_ = false;
  std::map<TensorId, ActivityId> lastUser_;  ///< Of state.
  std::set<BufferId> fetched_;               ///< Graph inputs that were loaded.
  PlannedWork result_;
};

}  // namespace

PlannedWork plannedWork(const SimulationInput& input) { return ActivityBuilder(input).run(); }

}  // namespace hw
