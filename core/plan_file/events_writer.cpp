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

EventList::EventList(const Run& run, EventWords words) : run_(run), words_(std::move(words)) {
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
    addMemoryUntil(lastNeededBy(run_.timeline, next_, Step(static_cast<std::int64_t>(op))));
    addOp(op, Kind::opStart);
    addOp(op, Kind::opEnd);
  }
}

/// Where ops run side by side: ends before what memory does at their time, starts after it.
void EventList::addByTime() {
  struct Edge {
    SimTime time{};
    int rank = 0;  ///< Of no length: it ends behind its start.
    std::size_t step = 0;
    Kind kind{};
  };
  std::vector<Edge> edges;
  for (std::size_t step = 0; step < run_.timing.ops.size(); ++step) {
    const Interval<SimTime>& time = run_.timing.ops[step].time;
    edges.push_back({time.begin, 1, step, Kind::opStart});
    edges.push_back({time.end, time.empty() ? 1 : 0, step, Kind::opEnd});
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
    addOp(edge.step, edge.kind);
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
  return isOp(seq) ? StayId() : entry(seq).stay;
}

TensorId EventList::alias(std::size_t seq) const {
  return kind(seq) == Kind::alias ? aliases_[places_[seq].index].tensor : TensorId();
}

Step EventList::step(std::size_t seq) const {
  if (kind(seq) == Kind::alias) return aliases_[places_[seq].index].step;
  return isOp(seq) ? Step(places_[seq].index) : entry(seq).step;
}

EventRow EventList::row(std::size_t seq) const {
  EventRow row = kind(seq) == Kind::memory  ? memoryRow(entry(seq))
                 : kind(seq) == Kind::alias ? aliasRow(places_[seq].index)
                                            : opRow(places_[seq].index, kind(seq) == Kind::opStart);
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
