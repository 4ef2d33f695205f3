#include "core/plan_file/events_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <tuple>

#include "core/plan_file/tensor_names.h"
#include "core/storage/parts.h"

namespace hw {
namespace {

bool takesMemory(Happening happening) {
  return happening != Happening::release && happening != Happening::merge;
}

/// One past the last entry from `next` on that has to happen before the op of `step` starts.
std::size_t lastNeededBy(const std::vector<TimelineEntry>& timeline, std::size_t next, Step step) {
  std::size_t end = next;
  for (std::size_t i = next; i < timeline.size() && timeline[i].step <= step; ++i) {
    if (takesMemory(timeline[i].happening) || timeline[i].step < step) end = i + 1;
  }
  return end;
}

}  // namespace

const Columns<EventRow>& eventColumns() {
  using enum ColumnKind;
  using E = EventRow;
  static const Columns<E> kColumns = {
      {"seq", "#", count, &E::seq, "From 0, without holes"},
      {"time_ps", "time", time, &E::time, "Simulated"},
      {"step", "step", step, &E::step, "The op around which it happens"},
      {"pool", "pool", text, &E::pool, "Empty for ops"},
      {"event", "event", text, &E::event, "What happens to memory, or that an op starts or ends"},
      {"tensor", "tensor or op", text, &E::tensor, "Whose memory it is; for ops, the op"},
      {"offset", "offset", address, &E::offset, "From the start of the pool"},
      {"size", "size", bytes, &E::size, "For a merge, of the joined block"},
      {"detail", "why", text, &E::detail, "Why and how"}};
  return kColumns;
}

EventList::EventList(const Run& run, EventWords words, bool bySteps)
    : run_(run), words_(std::move(words)), order_(run.timeline, bySteps) {
  if (!words_.name) {
    words_.name = [&run, names = std::make_shared<const TensorNames>(run.graph())](StayId stay) {
      return names->of(run.stayTensor(stay));
    };
  }
  for (const PoolId pool : run.plan.regions.keys()) regionStarts_.add(run.plan.regionStarts(pool));
  findAliases();
  places_.reserve(run.timeline.size() + 2 * run.timing.ops.size());
  if (run.timing.activities.sequential())
    addBySteps();
  else
    addByTime();
  addMemoryUntil(run.timeline.size());
  if (!bySteps || run.timing.activities.sequential()) return;
  std::ranges::stable_sort(places_, {}, [this](const Place& place) { return stepOf(place); });
}

/// Of a buffer that moves, the stay that is there when the tensor begins.
void EventList::findAliases() {
  const Storage& storage = run_.storage;
  for (const StayId id : run_.problem.stays.keys()) {
    const Stay& stay = run_.problem.stays[id];
    if (storage.isIdentity() || !storage.buffers.contains(stay.buffer)) continue;
    const Buffer& buffer = storage.buffers[stay.buffer];
    if (buffer.tensors.size() < 2 || !run_.plan.addresses[id]) continue;
    for (const TensorId tensor : buffer.tensors) {
      const Step begin = storage.lifetimes[tensor].begin;
      if (!stay.steps.contains(begin)) continue;
      if (partText(run_.graph(), storage, tensor).empty()) continue;
      aliases_.push_back({begin, tensor, id});
    }
  }
  std::ranges::stable_sort(aliases_, {},
                           [](const Alias& alias) { return std::pair(alias.step, alias.tensor); });
}

void EventList::addOther(std::size_t index, Kind kind) {
  const std::size_t moment = places_.empty() ? 0 : places_.back().moment;
  places_.push_back({moment, static_cast<std::uint32_t>(index), kind});
}

/// Adds events that follow one another: what is sent to a device at `step`, then its operands.
void EventList::addDispatched(Step step) {
  const auto& functions = run_.partition.subFunctions;
  const auto function = std::ranges::lower_bound(
      functions, step, {}, [](const SubFunction& each) { return each.steps.begin; });
  if (function != functions.end() && function->steps.begin == step) {
    addOther(static_cast<std::size_t>(function - functions.begin()), Kind::dispatch);
  }
  const auto& transfers = run_.timing.transfers;
  for (std::size_t i = firstTransfer(step); i < transfers.size() && transfers[i].step == step;
       ++i) {
    addOther(i, Kind::copyStart);
    addOther(i, Kind::copyEnd);
  }
}

/// The first of `step` or later.
std::size_t EventList::firstTransfer(Step step) const {
  const auto& transfers = run_.timing.transfers;
  const auto at = std::ranges::lower_bound(transfers, step, {}, &TransferTiming::step);
  return static_cast<std::size_t>(at - transfers.begin());
}

/// With the first of its operators, or of the copies that these wait for.
SimTime EventList::dispatchTime(const SubFunction& function) const {
  const Step step = function.steps.begin;
  SimTime time = run_.timing.ops[static_cast<std::size_t>(step.count())].time.begin;
  const auto& transfers = run_.timing.transfers;
  for (std::size_t i = firstTransfer(step); i < transfers.size() && transfers[i].step == step;
       ++i) {
    time = std::min(time, transfers[i].time.begin);
  }
  return time;
}

void EventList::addOp(std::size_t step, Kind kind) {
  const std::size_t moment = places_.empty() ? 0 : places_.back().moment;
  if (kind == Kind::opStart) {
    const Step at(static_cast<std::int64_t>(step));
    auto alias = std::ranges::lower_bound(aliases_, at, {}, &Alias::step);
    for (; alias != aliases_.end() && alias->step == at; ++alias) {
      const auto index = static_cast<std::uint32_t>(alias - aliases_.begin());
      places_.push_back({moment, index, Kind::alias});
    }
  }
  places_.push_back({moment, static_cast<std::uint32_t>(step), kind});
}

void EventList::addBySteps() {
  for (std::size_t op = 0; op < run_.timing.ops.size(); ++op) {
    const Step step(static_cast<std::int64_t>(op));
    addMemoryUntil(lastNeededBy(run_.timeline, next_, step));
    addDispatched(step);
    addOp(op, Kind::opStart);
    addOp(op, Kind::opEnd);
  }
}

/// Adds events of ops that run side by side: ends before what memory does at their time, starts
/// after it.
void EventList::addByTime() {
  struct Edge {
    SimTime time{};
    int rank = 0;  ///< Of no length: it ends behind its start.
    Step step{};
    Kind kind{};
    std::size_t index = 0;
  };
  std::vector<Edge> edges;
  const auto addBoth = [&](const Interval<SimTime>& time, Step step, Kind starts, Kind ends,
                           std::size_t index) {
    edges.push_back({time.begin, 1, step, starts, index});
    edges.push_back({time.end, time.empty() ? 1 : 0, step, ends, index});
  };
  const auto& functions = run_.partition.subFunctions;
  for (std::size_t i = 0; i < functions.size(); ++i) {
    edges.push_back({dispatchTime(functions[i]), 1, functions[i].steps.begin, Kind::dispatch, i});
  }
  for (std::size_t i = 0; i < run_.timing.transfers.size(); ++i) {
    const TransferTiming& transfer = run_.timing.transfers[i];
    addBoth(transfer.time, transfer.step, Kind::copyStart, Kind::copyEnd, i);
  }
  for (std::size_t step = 0; step < run_.timing.ops.size(); ++step) {
    addBoth(run_.timing.ops[step].time, Step(static_cast<std::int64_t>(step)), Kind::opStart,
            Kind::opEnd, step);
  }
  std::ranges::stable_sort(
      edges, {}, [](const Edge& edge) { return std::tuple(edge.time, edge.rank, edge.step); });
  for (const Edge& edge : edges) {
    std::size_t end = next_;
    for (; end < run_.timeline.size(); ++end) {
      const SimTime time = run_.trace.timeOf(run_.timeline[end].firstEvent);
      if (time > edge.time || (time == edge.time && edge.rank == 0)) break;
    }
    addMemoryUntil(end);
    if (edge.kind == Kind::opStart || edge.kind == Kind::opEnd) {
      addOp(edge.index, edge.kind);
    } else {
      addOther(edge.index, edge.kind);
    }
  }
}

void EventList::addMemoryUntil(std::size_t end) {
  for (; next_ < end; ++next_) {
    places_.push_back(
        {run_.timeline[next_].lastEvent, static_cast<std::uint32_t>(next_), Kind::memory});
  }
}

StayId EventList::stay(std::size_t seq) const {
  if (kind(seq) == Kind::alias) return aliases_[places_[seq].index].stay;
  if (isCopy(seq)) return run_.timing.transfers[places_[seq].index].to;
  return isOp(seq) ? StayId() : entry(seq).stay;
}

TensorId EventList::alias(std::size_t seq) const {
  return kind(seq) == Kind::alias ? aliases_[places_[seq].index].tensor : TensorId();
}

bool EventList::isBy(std::size_t seq, std::size_t moment, Step step) const {
  if (!order_.isByStep()) return this->moment(seq) <= moment;
  return std::tuple(this->step(seq), this->moment(seq)) <= std::tuple(step, moment);
}

Step EventList::stepOf(const Place& place) const {
  const std::uint32_t index = place.index;
  switch (place.kind) {
    case Kind::memory:
      return run_.timeline[index].step;
    case Kind::alias:
      return aliases_[index].step;
    case Kind::dispatch:
      return run_.partition.subFunctions[index].steps.begin;
    case Kind::copyStart:
    case Kind::copyEnd:
      return run_.timing.transfers[index].step;
    case Kind::opStart:
    case Kind::opEnd:
      break;
  }
  return Step(index);
}

EventRow EventList::row(std::size_t seq) const {
  const std::uint32_t index = places_[seq].index;
  EventRow row = kind(seq) == Kind::memory     ? memoryRow(entry(seq))
                 : kind(seq) == Kind::alias    ? aliasRow(index)
                 : kind(seq) == Kind::dispatch ? dispatchRow(index)
                 : isCopy(seq)                 ? copyRow(index, kind(seq) == Kind::copyStart)
                                               : opRow(index, kind(seq) == Kind::opStart);
  row.seq = seq;
  return row;
}

EventRow EventList::memoryRow(const TimelineEntry& entry) const {
  const ProblemPool& first = run_.problem.pools[PoolId(0)];
  DetailNames words{
      .firstPool = first.name, .firstCapacity = first.capacity, .sizeText = words_.size};
  if (run_.problem.stays[entry.stay].pool) words.firstPool.clear();  // Its pool was given.
  if (entry.formerTenant) words.formerTenant = words_.name(entry.formerTenant);
  const bool known =
      regionStarts_.contains(entry.pool) && entry.region.index() < regionStarts_[entry.pool].size();
  const Bytes start = known ? regionStarts_[entry.pool][entry.region.index()] : Bytes();
  return {.time = run_.trace.timeOf(entry.firstEvent),
          .step = entry.step,
          .pool = run_.problem.pools[entry.pool].name,
          .event = happeningName(entry.happening),
          .tensor = words_.name(entry.stay),
          .offset = start + entry.offset,
          .size = entry.size,
          .detail = detailText(entry, words)};
}

EventRow EventList::aliasRow(std::size_t index) const {
  const auto& [step, tensor, stay] = aliases_[index];
  const Address& address = *run_.plan.addresses[stay];
  return {.time = run_.timing.ops[static_cast<std::size_t>(step.count())].time.begin,
          .step = step,
          .pool = run_.problem.pools[address.pool].name,
          .event = "alias",
          .tensor = displayName(run_.graph(), tensor),
          .offset = regionStarts_[address.pool][address.region.index()] + address.offset +
                    run_.storage.offsetOf(tensor),
          .size = run_.graph().tensors[tensor].bytes,
          .detail = partText(run_.graph(), run_.storage, tensor)};
}

EventRow EventList::dispatchRow(std::size_t index) const {
  const SubFunction& function = run_.partition.subFunctions[index];
  return {.time = dispatchTime(function),
          .step = function.steps.begin,
          .event = "dispatch",
          .tensor = fmt::format("sub-function {}", index),
          .detail = fmt::format(
              "to {}: {} {}, steps {}–{}", run_.request.platform.devices[function.device].name,
              function.ops.size(), function.ops.size() == 1 ? "operator" : "operators",
              function.steps.begin.count(), function.steps.end.count() - 1)};
}

EventRow EventList::copyRow(std::size_t index, bool starts) const {
  const TransferTiming& transfer = run_.timing.transfers[index];
  const SimTime length = transfer.time.length();
  const Address& from = *run_.plan.addresses[transfer.from];
  const Address& to = *run_.plan.addresses[transfer.to];
  const std::string took = words_.time ? words_.time(length) : fmt::format("{} ps", length.count());
  return {.time = starts ? transfer.time.begin : transfer.time.end,
          .step = transfer.step,
          .pool = run_.problem.pools[to.pool].name,
          .event = starts ? "copy-start" : "copy-end",
          .tensor = words_.name(transfer.to),
          .offset = regionStarts_[to.pool][to.region.index()] + to.offset,
          .size = transfer.bytes,
          .detail = starts ? "from " + run_.problem.pools[from.pool].name : took};
}

EventRow EventList::opRow(std::size_t step, bool starts) const {
  const OpTiming& timing = run_.timing.ops[step];
  const OpId op = run_.schedule.opAt(Step(static_cast<std::int64_t>(step)));
  const SimTime length = timing.time.length();
  const std::string took = words_.time ? words_.time(length) : fmt::format("{} ps", length.count());
  const std::string why =
      timing.bottleneck == Bottleneck()
          ? "moves and computes nothing"
          : fmt::format("limited by {}", bottleneckName(timing.bottleneck, run_.problem.pools));
  return {.time = starts ? timing.time.begin : timing.time.end,
          .step = Step(static_cast<std::int64_t>(step)),
          .event = starts ? "op-start" : "op-end",
          .tensor = displayName(run_.graph(), op),
          .detail = starts ? run_.graph().ops[op].type : took + ", " + why};
}

void writeEvents(const Run& run, EventsFormat format, std::ostream& out) {
  const Columns<EventRow>& columns = eventColumns();
  const EventList events(run);
  if (format == EventsFormat::csv) out << csvHeader(columns);
  for (std::size_t seq = 0; seq < events.size(); ++seq) {
    const EventRow row = events.row(seq);
    if (format == EventsFormat::csv) {
      out << csvRow(columns, row);
    } else {
      out << jsonLine(jsonRow(columns, row)) << '\n';
    }
  }
}

}  // namespace hw
