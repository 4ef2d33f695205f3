#pragma once

#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/columns.h"
#include "core/run/run.h"
#include "core/trace/timeline.h"

namespace hw {

/// The formats of events of memory and ops, in time order: docs/formats/events.md.
enum class EventsFormat { csv, jsonLines };

/// One such event; nothing where a column does not apply.
struct EventRow {
  std::size_t seq = 0;
  SimTime time{};
  std::optional<Step> step{};
  std::string pool{};  ///< Empty for what ops do.
  std::string_view event{};
  std::string tensor{};  ///< Or the operator.
  std::optional<Bytes> offset{};
  std::optional<Bytes> size{};
  std::string detail{};
};

const Columns<EventRow>& eventColumns();

/// The form of events; by default with the names and numbers of files.
struct EventWords {
  std::function<std::string(StayId)> name{};
  std::string (*size)(Bytes) = nullptr;
  std::string (*time)(SimTime) = nullptr;
};

/// All events of a run in order. Makes texts when asked: 16 bytes an event. An op starts when it
/// has all its memory, and gives up memory when it has ended: at equal times the order is end,
/// release, allocate, start. What it writes into bytes that another tensor has already is told just
/// before it starts. Of a graph that is dealt out to devices, what is dispatched and copied is told
/// between what memory does and the op that it is for.
class EventList {
 public:
  enum class Kind : std::uint32_t { memory, alias, opStart, opEnd, dispatch, copyStart, copyEnd };

  /// `run` outlives the list. In order of time; or by step, what is of one step by time.
  explicit EventList(const Run& run, EventWords words = {}, bool bySteps = false);

  std::size_t size() const { return places_.size(); }
  EventRow row(std::size_t seq) const;
  /// An op or, when it is dispatched, a run of them: nobody's memory.
  bool isOp(std::size_t seq) const {
    return kind(seq) == Kind::opStart || kind(seq) == Kind::opEnd || kind(seq) == Kind::dispatch;
  }
  bool isCopy(std::size_t seq) const {
    return kind(seq) == Kind::copyStart || kind(seq) == Kind::copyEnd;
  }
  Kind kind(std::size_t seq) const { return places_[seq].kind; }
  /// Of the run's timeline; of memory's events only.
  const TimelineEntry& entry(std::size_t seq) const { return run_.timeline[places_[seq].index]; }
  /// Whose memory it is; of an alias the stay that it lies in, of a copy the one that it fills;
  /// none of an op.
  StayId stay(std::size_t seq) const;
  /// The tensor that begins in bytes which are there; none of other events.
  TensorId alias(std::size_t seq) const;
  Step step(std::size_t seq) const { return stepOf(places_[seq]); }
  /// Events of the trace that have happened by then. Never falls in order of time, nor in a step.
  std::size_t moment(std::size_t seq) const { return places_[seq].moment; }
  /// Events of memory that have happened by then, in the order of the list. O(log events).
  std::size_t number(std::size_t seq) const { return order_.happened(moment(seq), step(seq)); }
  /// True if `seq` has happened at a moment of `step`, in the order of the list.
  bool isBy(std::size_t seq, std::size_t moment, Step step) const;

 private:
  struct Place {
    std::size_t moment = 0;
    /// Into the timeline, the step, or of `aliases_`, of sub-functions or of transfers.
    std::uint32_t index = 0;
    Kind kind = Kind::memory;
  };

  Step stepOf(const Place& place) const;
  void addBySteps();
  void addByTime();
  void addMemoryUntil(std::size_t end);
  void addOp(std::size_t step, Kind kind);
  void addOther(std::size_t index, Kind kind);
  void addDispatched(Step step);
  void findAliases();
  std::size_t firstTransfer(Step step) const;
  SimTime dispatchTime(const SubFunction& function) const;
  EventRow memoryRow(const TimelineEntry& entry) const;
  EventRow opRow(std::size_t step, bool starts) const;
  EventRow aliasRow(std::size_t index) const;
  EventRow dispatchRow(std::size_t index) const;
  EventRow copyRow(std::size_t index, bool starts) const;

  const Run& run_;
  EventWords words_;
  IdMap<PoolId, std::vector<Bytes>> regionStarts_;
  /// A tensor that begins in bytes that are there already, with the stay it lies in; by step.
  struct Alias {
    Step step{};
    TensorId tensor{};
    StayId stay{};
  };

  EventOrder order_;
  std::vector<Place> places_;
  std::vector<Alias> aliases_;
  std::size_t next_ = 0;  ///< The timeline entry to add next.
};

void writeEvents(const Run& run, EventsFormat format, std::ostream& out);

}  // namespace hw
