#include "core/report/events_writer.h"

#include <fmt/format.h>

#include <array>

#include "core/base/csv.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/report/tensor_names.h"

namespace hw {
namespace {

class RowWriter {
 public:
  RowWriter(EventsFormat format, std::ostream& out) : format_(format), out_(out) {
    if (format_ == EventsFormat::csv) {
      out_ << "seq,time_ps,step,pool,event,tensor,offset,size,detail\n";
    }
  }

  void write(const EventRow& row) { format_ == EventsFormat::csv ? writeCsv(row) : writeJson(row); }

 private:
  void writeCsv(const EventRow& row) {
    out_ << row.seq << ',' << row.time.count() << ',' << count(row.step) << ','
         << csvField(row.pool) << ',' << row.event << ',' << csvField(row.tensor) << ','
         << count(row.offset) << ',' << count(row.size) << ',' << csvField(row.detail) << '\n';
  }

  void writeJson(const EventRow& row) {
    const auto number = [](const auto& quantity) {
      return quantity ? Json(quantity->count()) : Json(nullptr);
    };
    const auto text = [](const std::string& word) {
      return word.empty() ? Json(nullptr) : Json(word);
    };
    out_ << jsonLine(Json{{"seq", row.seq},
                          {"time_ps", row.time.count()},
                          {"step", number(row.step)},
                          {"pool", text(row.pool)},
                          {"event", std::string(row.event)},
                          {"tensor", text(row.tensor)},
                          {"offset", number(row.offset)},
                          {"size", number(row.size)},
                          {"detail", text(row.detail)}})
         << '\n';
  }

  template <class Unit>
  static std::string count(const std::optional<Quantity<Unit>>& quantity) {
    return quantity ? std::to_string(quantity->count()) : std::string();
  }

  EventsFormat format_;
  std::ostream& out_;
};

bool takesMemory(Happening happening) {
  return happening != Happening::release && happening != Happening::merge;
}

class EventTeller {
 public:
  EventTeller(const Run& run, const std::function<void(const EventRow&)>& visit)
      : run_(run), visit_(visit), names_(run.graph()) {
    // Flat offsets: regions lie one after the other.
    for (const PoolId pool : run.plan.regions.keys()) {
      IdMap<RegionId, Bytes> starts;
      Bytes start;
      for (const Bytes size : run.plan.regions[pool]) {
        starts.add(start);
        start += size;
      }
      regionStarts_.add(std::move(starts));
    }
  }

  /// An op starts when it has all its memory, and gives up memory when it has ended: at equal times
  /// the order is end, release, allocate, start.
  void tell() {
    for (std::size_t step = 0; step < run_.timing.ops.size(); ++step) {
      tellMemoryUntil(lastNeededBy(Step(static_cast<std::int64_t>(step))));
      tellOp(step);
    }
    tellMemoryUntil(run_.timeline.size());
  }

 private:
  /// One past the last entry that has to happen before the op of `step` starts.
  std::size_t lastNeededBy(Step step) const {
    std::size_t end = next_;
    for (std::size_t i = next_; i < run_.timeline.size() && run_.timeline[i].step <= step; ++i) {
      if (takesMemory(run_.timeline[i].happening) || run_.timeline[i].step < step) end = i + 1;
    }
    return end;
  }

  void tellMemoryUntil(std::size_t end) {
    for (; next_ < end; ++next_) tellMemory(run_.timeline[next_]);
  }

  void tellMemory(const TimelineEntry& entry) {
    const ProblemPool& first = run_.problem.pools[PoolId(0)];
    DetailNames words{.firstPool = first.name, .firstCapacity = first.capacity};
    if (run_.problem.stays[entry.stay].pool) words.firstPool.clear();  // Its pool was given.
    if (entry.formerTenant) words.formerTenant = nameOf(entry.formerTenant);
    tellRow({.time = run_.trace.timeOf(entry.firstEvent),
             .step = entry.step,
             .pool = run_.problem.pools[entry.pool].name,
             .event = happeningName(entry.happening),
             .tensor = nameOf(entry.stay),
             .offset = startOf(entry) + entry.offset,
             .size = entry.size,
             .detail = detailText(entry, words)});
  }

  Bytes startOf(const TimelineEntry& entry) const {
    const bool known =
        regionStarts_.contains(entry.pool) && regionStarts_[entry.pool].contains(entry.region);
    return known ? regionStarts_[entry.pool][entry.region] : Bytes();
  }

  const std::string& nameOf(StayId stay) const { return names_.of(run_.stayTensor(stay)); }

  void tellRow(EventRow row) {
    row.seq = sequence_++;
    visit_(row);
  }

  void tellOp(std::size_t step) {
    const OpTiming& timing = run_.timing.ops[step];
    const OpId op = run_.schedule.opAt(Step(static_cast<std::int64_t>(step)));
    EventRow row{.time = timing.time.begin,
                 .step = Step(static_cast<std::int64_t>(step)),
                 .event = "op-start",
                 .tensor = displayName(run_.graph(), op),
                 .detail = run_.graph().ops[op].type};
    tellRow(row);
    row.time = timing.time.end;
    row.event = "op-end";
    row.detail = fmt::format("{} ps, {}", timing.time.length().count(),
                             timing.bottleneck == Bottleneck::nothing
                                 ? "moves and computes nothing"
                                 : fmt::format("limited by {}", bottleneckName(timing.bottleneck)));
    tellRow(row);
  }

  const Run& run_;
  const std::function<void(const EventRow&)>& visit_;
  std::size_t sequence_ = 0;
  TensorNames names_;
  IdMap<PoolId, IdMap<RegionId, Bytes>> regionStarts_;
  std::size_t next_ = 0;  ///< The timeline entry to tell next.
};

}  // namespace

void tellEvents(const Run& run, const std::function<void(const EventRow&)>& visit) {
  EventTeller(run, visit).tell();
}

void writeEvents(const Run& run, EventsFormat format, std::ostream& out) {
  RowWriter rows(format, out);
  tellEvents(run, [&](const EventRow& row) { rows.write(row); });
}

}  // namespace hw
