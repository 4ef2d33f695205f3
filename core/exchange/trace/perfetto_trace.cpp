#include <algorithm>
#include <map>
#include <tuple>

#include "core/base/json.h"
#include "core/exchange/trace/trace_writer.h"
#include "core/exchange/trace/tracks.h"

namespace hw {
namespace {

/// A message of protocol buffers while it is put together.
class PacketBody {
 public:
  PacketBody& number(std::uint32_t field, std::uint64_t value) {
    varint(std::uint64_t{field} << 3);
    varint(value);
    return *this;
  }
  PacketBody& fixed(std::uint32_t field, std::uint64_t value) {
    varint(std::uint64_t{field} << 3 | 1);
    for (int shift = 0; shift < 64; shift += 8) bytes_ += static_cast<char>(value >> shift & 0xff);
    return *this;
  }
  PacketBody& text(std::uint32_t field, std::string_view value) {
    varint(std::uint64_t{field} << 3 | 2);
    varint(value.size());
    bytes_ += value;
    return *this;
  }
  PacketBody& message(std::uint32_t field, const PacketBody& value) {
    return text(field, value.bytes_);
  }

  const std::string& bytes() const { return bytes_; }

 private:
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

/// A name as the format has it: invalid UTF-8 becomes U+FFFD.
std::string utf8(const std::string& name) {
  return Json::parse(jsonLine(Json(name))).get<std::string>();
}

// Numbers of fields, as documented. Of Trace and TracePacket:
constexpr std::uint32_t kPacket = 1;
constexpr std::uint32_t kTimestamp = 8;
constexpr std::uint32_t kSequence = 10;
constexpr std::uint32_t kTrackEvent = 11;
constexpr std::uint32_t kSequenceFlags = 13;
constexpr std::uint32_t kTrackDescriptor = 60;
// Of TrackDescriptor, ProcessDescriptor and CounterDescriptor:
constexpr std::uint32_t kUuid = 1;
constexpr std::uint32_t kTrackName = 2;
constexpr std::uint32_t kProcess = 3;
constexpr std::uint32_t kParent = 5;
constexpr std::uint32_t kCounter = 8;
constexpr std::uint32_t kPid = 1;
constexpr std::uint32_t kProcessName = 6;
constexpr std::uint32_t kUnit = 3;
constexpr std::uint64_t kSizeBytes = 3;
// Of TrackEvent and DebugAnnotation:
constexpr std::uint32_t kAnnotation = 4;
constexpr std::uint32_t kType = 9;
constexpr std::uint32_t kTrack = 11;
constexpr std::uint32_t kCategory = 22;
constexpr std::uint32_t kName = 23;
constexpr std::uint32_t kCounterValue = 30;
constexpr std::uint32_t kFlow = 47;
constexpr std::uint32_t kLastOfFlow = 48;
constexpr std::uint64_t kSliceBegin = 1;
constexpr std::uint64_t kSliceEnd = 2;
constexpr std::uint64_t kCounterType = 4;
constexpr std::uint32_t kIntValue = 4;
constexpr std::uint32_t kTextValue = 6;
constexpr std::uint32_t kKey = 10;

class PerfettoTrace {
 public:
  PerfettoTrace(const Run& run, std::ostream& out)
      : run_(run), tracks_(traceTracks(run)), out_(out) {}

  void write() {
    writeTracks();
    const auto& times = run_.timing.times;
    for (const ActivityId id : times.keys()) {
      if (times[id].cause) waiting_.emplace(times[id].cause->activity, id);
    }
    for (const Turn& turn : turns()) {
      if (turn.rank == kLevel) {
        writeLevel(tracks_.levels[turn.index]);
      } else if (turn.rank == kEnd) {
        writeEnd(tracks_.slices[turn.index]);
      } else {
        writeBegin(tracks_.slices[turn.index]);
        if (tracks_.slices[turn.index].time.empty()) writeEnd(tracks_.slices[turn.index]);
      }
    }
  }

 private:
  // At one instant slices end first, then levels change, then slices begin.
  static constexpr int kEnd = 0;
  static constexpr int kLevel = 1;
  static constexpr int kBegin = 2;
  struct Turn {
    SimTime time{};
    int rank = kBegin;
    std::size_t index = 0;
  };

  std::vector<Turn> turns() const {
    std::vector<Turn> turns;
    for (std::size_t i = 0; i < tracks_.slices.size(); ++i) {
      const Interval<SimTime>& time = tracks_.slices[i].time;
      turns.push_back({time.begin, kBegin, i});
      if (!time.empty()) turns.push_back({time.end, kEnd, i});
    }
    for (std::size_t i = 0; i < tracks_.levels.size(); ++i) {
      turns.push_back({tracks_.levels[i].time, kLevel, i});
    }
    std::ranges::sort(
        turns, {}, [](const Turn& turn) { return std::tuple(turn.time, turn.rank, turn.index); });
    return turns;
  }

  void packet(PacketBody& body) {
    body.number(kSequence, 1);
    if (first_) body.number(kSequenceFlags, 1);  // Nothing is carried over from before.
    first_ = false;
    PacketBody trace;
    trace.message(kPacket, body);
    out_ << trace.bytes();
  }

  // Tracks are numbered from 1: groups, then lanes, then counters.
  std::uint64_t groupTrack(std::size_t group) const { return group + 1; }
  std::uint64_t laneTrack(std::size_t lane) const { return tracks_.groups.size() + lane + 1; }
  std::uint64_t levelTrack(PoolId pool) const {
    return tracks_.groups.size() + tracks_.lanes.size() + pool.index() + 1;
  }

  void track(const PacketBody& descriptor) {
    PacketBody body;
    packet(body.message(kTrackDescriptor, descriptor));
  }

  void writeTracks() {
    for (std::size_t i = 0; i < tracks_.groups.size(); ++i) {
      const std::string name = utf8(tracks_.groups[i]);
      track(PacketBody()
                .number(kUuid, groupTrack(i))
                .message(kProcess, PacketBody().number(kPid, i + 1).text(kProcessName, name)));
    }
    for (std::size_t i = 0; i < tracks_.lanes.size(); ++i) {
      track(PacketBody()
                .number(kUuid, laneTrack(i))
                .number(kParent, groupTrack(tracks_.lanes[i].group))
                .text(kTrackName, utf8(tracks_.lanes[i].name)));
    }
    for (const PoolId pool : run_.problem.pools.keys()) {
      track(PacketBody()
                .number(kUuid, levelTrack(pool))
                .number(kParent, groupTrack(tracks_.memories()))
                .text(kTrackName, utf8(run_.problem.pools[pool].name + " in use"))
                .message(kCounter, PacketBody().number(kUnit, kSizeBytes)));
    }
  }

  /// Nanoseconds: the format has nothing finer.
  void event(SimTime time, const PacketBody& event) {
    PacketBody body;
    body.number(kTimestamp, static_cast<std::uint64_t>(time.count() / 1000));
    packet(body.message(kTrackEvent, event));
  }

  void writeLevel(const TraceLevel& level) {
    event(level.time, PacketBody()
                          .number(kType, kCounterType)
                          .number(kTrack, levelTrack(level.pool))
                          .number(kCounterValue, static_cast<std::uint64_t>(level.inUse.count())));
  }

  void writeEnd(const TraceSlice& slice) {
    event(slice.time.end,
          PacketBody().number(kType, kSliceEnd).number(kTrack, laneTrack(slice.lane)));
  }

  static PacketBody annotation(const TraceNote& note) {
    PacketBody message;
    message.text(kKey, note.first);
    if (const auto* number = std::get_if<std::int64_t>(&note.second)) {
      message.number(kIntValue, static_cast<std::uint64_t>(*number));
    } else {
      message.text(kTextValue, utf8(std::get<std::string>(note.second)));
    }
    return message;
  }

  void writeBegin(const TraceSlice& slice) {
    PacketBody message;
    message.number(kType, kSliceBegin)
        .number(kTrack, laneTrack(slice.lane))
        .text(kName, utf8(sliceName(run_, slice)));
    for (const TraceNote& note : sliceNotes(run_, slice)) {
      message.message(kAnnotation, annotation(note));
    }
    if (slice.activity) {
      const Activity& activity = run_.timing.activities.activities[slice.activity];
      message.text(kCategory, kActivityKindNames[static_cast<std::size_t>(activity.kind)]);
      // A flow has the number of who waits.
      const auto [first, last] = waiting_.equal_range(slice.activity);
      for (auto waiter = first; waiter != last; ++waiter) {
        message.fixed(kFlow, waiter->second.index() + 1);
      }
      if (run_.timing.times[slice.activity].cause) {
        message.fixed(kLastOfFlow, slice.activity.index() + 1);
      }
    } else {
      message.text(kCategory, "buffer");
    }
    event(slice.time.begin, message);
  }

  const Run& run_;
  TraceTracks tracks_;
  std::ostream& out_;
  std::multimap<ActivityId, ActivityId> waiting_;  ///< For whom, and who.
  bool first_ = true;
};

}  // namespace

void writePerfettoTrace(const Run& run, std::ostream& out) { PerfettoTrace(run, out).write(); }

}  // namespace hw
