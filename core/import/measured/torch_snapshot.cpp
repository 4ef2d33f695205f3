#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/base/result.h"
#include "core/base/text.h"
#include "core/import/formats.h"
#include "core/import/measured/pickle.h"
#include "core/import/measured/recorded_trace.h"

// A snapshot of PyTorch's caching allocator, as torch.cuda.memory._dump_snapshot writes it: what
// lies in its segments, and on each device the last so many things that it did.

namespace hw {
namespace {

/// The actions of PyTorch's allocator.
enum class TorchAction : std::uint8_t {
  alloc,
  freed,  ///< free_completed: another stream may have needed it longer than who asked.
  segmentTaken,
  segmentGiven,
  outOfMemory,
  other,  ///< free_requested, snapshot, and what later versions may write.
};

struct TorchEvent {
  std::int64_t address = 0;
  std::int64_t size = 0;
  std::uint32_t frame = 0;  ///< Who asked: see `TorchFold::frameText`.
  TorchAction action = TorchAction::other;
};

struct TorchBlock {
  std::int64_t address = -1;    ///< Negative: behind the one before it.
  std::int64_t size = 0;        ///< Rounded up.
  std::int64_t requested = -1;  ///< Negative: not told.
  std::uint32_t frame = 0;
  bool taken = false;
};

/// Neighbours in the list of all events, or of all blocks.
struct TorchEvents {
  std::size_t first = 0;
  std::size_t count = 0;
};

struct TorchSegment {
  std::int64_t address = 0;
  std::int64_t size = 0;
  std::int64_t device = 0;
  TorchEvents blocks{};
};

constexpr std::array<std::pair<std::string_view, TorchAction>, 7> kTorchActions = {
    {{"alloc", TorchAction::alloc},
     {"free_completed", TorchAction::freed},
     {"segment_alloc", TorchAction::segmentTaken},
     {"segment_map", TorchAction::segmentTaken},
     {"segment_free", TorchAction::segmentGiven},
     {"segment_unmap", TorchAction::segmentGiven},
     {"oom", TorchAction::outOfMemory}}};

TorchAction torchAction(std::string_view word) {
  for (const auto& [name, action] : kTorchActions) {
    if (name == word) return action;
  }
  return TorchAction::other;
}

std::string_view lastPart(std::string_view path) {
  return path.substr(path.find_last_of("/\\") + 1);
}

/// Keeps of a snapshot what is needed, 24 bytes an event, while its pickle is read. Refuses numbers
/// that cannot be.
class TorchFold : public PickleFold {
 public:
  /// `bytes`: those of the pickle.
  explicit TorchFold(std::string_view bytes) : bytes_(bytes) { frames_.push_back({}); }

  std::optional<PickleValue> dict(std::span<const Entry> entries) override {
    bool action = false, state = false, segment = false, line = false, history = false;
    for (const auto& [key, value] : entries) {
      const std::string_view name = text(key);
      action |= name == "action" && value.kind == PickleValue::Kind::text;
      state |= name == "state";
      segment |= name == "total_size";
      line |= name == "filename";
      history |= name == "real_size";
    }
    if (action) return eventRecord(entries);
    if (segment) return segmentRecord(entries);
    if (state) return blockRecord(entries);
    if (line) return frameRecord(entries);
    // Earlier owners of a block, as older versions tell: the traces tell it better.
    if (history) return record(kStack, 0);
    return std::nullopt;
  }

  std::optional<PickleValue> list(std::optional<PickleValue> before,
                                  std::span<const PickleValue> items) override {
    if (items.front().kind != PickleValue::Kind::record && !before) return std::nullopt;
    const std::uint32_t kind = before ? before->size : items.front().size;
    if (kind == (before ? kEvents : kEvent)) return runRecord(kEvents, kEvent, before, items);
    if (kind == (before ? kBlocks : kBlock)) return runRecord(kBlocks, kBlock, before, items);
    if (kind == (before ? kStack : kFrame)) return stackRecord(before, items);
    return std::nullopt;
  }

  const std::vector<TorchEvent>& events() const { return events_; }
  const std::vector<TorchBlock>& blocks() const { return blocks_; }
  const std::vector<TorchSegment>& segments() const { return segments_; }
  /// Of a list that was folded; nothing for all else. An empty list has no events.
  std::optional<TorchEvents> eventsOf(const PickleValue& list) const {
    if (list.kind != PickleValue::Kind::record || list.size != kEvents) return std::nullopt;
    return runs_[static_cast<std::size_t>(list.number)];
  }

  /// "forward layers.py:12"; empty where nobody is known.
  std::string frameText(std::uint32_t frame) const {
    if (frame == 0) return {};
    const Frame& said = frames_[frame];
    std::string words(text(said.function));
    const std::string_view file = lastPart(text(said.file));
    if (!file.empty() && file != "??") {
      words += (words.empty() ? "" : " ") + std::string(file);
      if (said.line > 0) words += fmt::format(":{}", said.line);
    }
    return printable(words, 60);
  }

 private:
  /// The kind of a record: `PickleValue::size` of it.
  enum Record : std::uint32_t { kEvent, kBlock, kSegment, kFrame, kStack, kEvents, kBlocks };
  struct Frame {
    PickleValue file{};
    PickleValue function{};
    std::int64_t line = 0;
    bool python = false;  ///< Of a file of Python's.
  };

  static PickleValue record(Record kind, std::size_t number) {
    return {PickleValue::Kind::record, kind, static_cast<std::int64_t>(number)};
  }
  std::string_view text(const PickleValue& value) const { return Pickle::textOf(bytes_, value); }
  std::int64_t count(const PickleValue& value, std::string_view what) const {
    if (value.kind != PickleValue::Kind::whole || value.number < 0 ||
        value.number > RecordedTrace::kMostAddress) {
      refuse(fmt::format("the snapshot has a {} that cannot be", what),
             fmt::format("event {}, block {}, segment {}", events_.size(), blocks_.size(),
                         segments_.size()));
    }
    return value.number;
  }

  PickleValue eventRecord(std::span<const Entry> entries) {
    TorchEvent event;
    bool address = false, size = false;
    for (const auto& [key, value] : entries) {
      const std::string_view name = text(key);
      if (name == "action") {
        event.action = torchAction(text(value));
      } else if (name == "addr") {
        event.address = count(value, "address");
        address = true;
      } else if (name == "size") {
        event.size = count(value, "size");
        size = true;
      } else if (name == "frames") {
        event.frame = stackOf(value);
      }
    }
    const bool places =
        event.action != TorchAction::other && event.action != TorchAction::outOfMemory;
    if (places && !(address && size)) {
      refuse("the snapshot has an event without address or size",
             fmt::format("event {}", events_.size()));
    }
    events_.push_back(event);
    return record(kEvent, events_.size() - 1);
  }

  PickleValue blockRecord(std::span<const Entry> entries) {
    TorchBlock block;
    for (const auto& [key, value] : entries) {
      const std::string_view name = text(key);
      if (name == "address") block.address = count(value, "address");
      if (name == "size") block.size = count(value, "size");
      if (name == "requested_size") block.requested = count(value, "size");
      if (name == "frames") block.frame = stackOf(value);
      // "active_allocated", and "active_pending_free" while another stream needs it.
      if (name == "state") block.taken = text(value).starts_with("active");
    }
    blocks_.push_back(block);
    return record(kBlock, blocks_.size() - 1);
  }

  PickleValue segmentRecord(std::span<const Entry> entries) {
    TorchSegment segment;
    for (const auto& [key, value] : entries) {
      const std::string_view name = text(key);
      if (name == "address") segment.address = count(value, "address");
      if (name == "total_size") segment.size = count(value, "size");
      if (name == "device") segment.device = count(value, "device");
      const bool run = value.kind == PickleValue::Kind::record && value.size == kBlocks;
      if (name == "blocks" && run) segment.blocks = runs_[static_cast<std::size_t>(value.number)];
    }
    segments_.push_back(segment);
    return record(kSegment, segments_.size() - 1);
  }

  PickleValue frameRecord(std::span<const Entry> entries) {
    Frame frame;
    for (const auto& [key, value] : entries) {
      const std::string_view name = text(key);
      if (name == "filename") frame.file = value;
      if (name == "name") frame.function = value;
      if (name == "line" && value.kind == PickleValue::Kind::whole) frame.line = value.number;
    }
    // The same few lines ask again and again; some versions write them down each time.
    std::string key = fmt::format("{}\n", frame.line);
    key += text(frame.file);
    key += '\n';
    key += text(frame.function);
    const auto [found, added] =
        frameIds_.try_emplace(std::move(key), static_cast<std::uint32_t>(frames_.size()));
    frame.python = text(frame.file).ends_with(".py");
    if (added) frames_.push_back(frame);
    return record(kFrame, found->second);
  }

  /// The innermost frame of Python's, or the innermost at all.
  PickleValue stackRecord(std::optional<PickleValue> before, std::span<const PickleValue> items) {
    std::uint32_t best = before ? stackOf(*before) : 0;
    for (const PickleValue& item : items) {
      if (frames_[best].python) break;
      if (item.kind != PickleValue::Kind::record || item.size != kFrame) {
        refuse("the snapshot has a list of different things",
               fmt::format("event {}", events_.size()));
      }
      const auto frame = static_cast<std::uint32_t>(item.number);
      if (best == 0 || frames_[frame].python) best = frame;
    }
    return record(kStack, best);
  }

  /// Events, or blocks, that stand in a list as they stand in the file.
  PickleValue runRecord(Record kind, Record of, std::optional<PickleValue> before,
                        std::span<const PickleValue> items) {
    if (!before) runs_.push_back({static_cast<std::size_t>(items.front().number), 0});
    const std::size_t number = before ? static_cast<std::size_t>(before->number) : runs_.size() - 1;
    TorchEvents& run = runs_[number];
    for (const PickleValue& item : items) {
      const bool same = item.kind == PickleValue::Kind::record && item.size == of;
      if (!same || static_cast<std::size_t>(item.number) != run.first + run.count) {
        refuse("the snapshot has a list of different things",
               fmt::format("event {}, block {}", events_.size(), blocks_.size()));
      }
      ++run.count;
    }
    return record(kind, number);
  }

  static std::uint32_t stackOf(const PickleValue& value) {
    const bool stack = value.kind == PickleValue::Kind::record && value.size == kStack;
    return stack ? static_cast<std::uint32_t>(value.number) : 0;
  }

  std::string_view bytes_;
  std::vector<TorchEvent> events_;
  std::vector<TorchBlock> blocks_;
  std::vector<TorchSegment> segments_;
  std::vector<TorchEvents> runs_;  ///< Lists of events and of blocks.
  std::vector<Frame> frames_;      ///< The first stands for nobody.
  std::unordered_map<std::string, std::uint32_t> frameIds_;
};

/// Of longer recordings the end is read: what lives before it is there when it begins.
constexpr std::size_t kMostRead = std::size_t{1} << 22;

/// The events of a device, played.
class SnapshotPlayer {
 public:
  SnapshotPlayer(const TorchFold& fold, std::int64_t device) : fold_(fold), device_(device) {}

  Result<Model> play(TorchEvents events) {
    skipBeginning(events);
    for (const TorchSegment& segment : fold_.segments()) {
      if (segment.device == device_) {
        trace_.reserve(static_cast<std::uint64_t>(segment.address), Bytes(segment.size));
        reserved_ = std::min(reserved_ + segment.size, kMaxBytes.count());
      }
    }
    mostReserved_ = reservedAtMost(events);
    for (std::size_t i = 0; i < events.count; ++i) step(fold_.events()[events.first + i]);
    for (const TorchSegment& segment : fold_.segments()) {
      if (segment.device == device_) addStanding(segment);
    }
    addNotes();
    return std::move(trace_).model("torch-snapshot", std::move(notes_));
  }

 private:
  void skipBeginning(TorchEvents& events) {
    if (events.count <= kMostRead) return;
    notes_.push_back(
        fmt::format("of {} events the last {} are read; what was there before them is at step 0",
                    groupDigits(events.count), groupDigits(kMostRead)));
    events.first += events.count - kMostRead;
    events.count = kMostRead;
  }

  /// The most that was reserved, from the segments at the end, event by event backwards.
  std::int64_t reservedAtMost(const TorchEvents& events) const {
    std::int64_t now = reserved_;
    std::int64_t most = now;
    for (std::size_t i = events.count; i-- > 0;) {
      const TorchEvent& event = fold_.events()[events.first + i];
      const bool taken = event.action == TorchAction::segmentTaken;
      if (taken) now -= std::min(now, event.size);
      const bool given = event.action == TorchAction::segmentGiven;
      if (given) now = std::min(now + event.size, kMaxBytes.count());
      most = std::max(most, now);
    }
    return most;
  }

  void step(const TorchEvent& event) {
    const auto address = static_cast<std::uint64_t>(event.address);
    switch (event.action) {
      case TorchAction::alloc: {
        const auto found = live_.find(event.address);
        if (found != live_.end()) {
          trace_.free(found->second);
          ++unrecorded_;
        }
        live_[event.address] = trace_.allocate(nameOf(event.frame), Bytes(event.size), address);
        break;
      }
      case TorchAction::freed: {
        const auto found = live_.find(event.address);
        if (found == live_.end()) {
          ++standing_;
          // The stack that frees it says nothing of the one that asked for it.
          trace_.free(trace_.standing(nameOf(0), Bytes(event.size), address));
        } else {
          trace_.free(found->second);
          live_.erase(found);
        }
        break;
      }
      case TorchAction::outOfMemory:
        ++failed_;
        wanted_ = std::max(wanted_, event.size);
        break;
      case TorchAction::segmentTaken:
      case TorchAction::segmentGiven:
        trace_.reserve(address, Bytes(event.size));
        break;
      case TorchAction::other:
        break;
    }
  }

  /// Adds blocks that the segment holds at the end and no event told of: they were there all the
  /// time.
  void addStanding(const TorchSegment& segment) {
    std::int64_t address = segment.address;
    for (std::size_t i = 0; i < segment.blocks.count; ++i) {
      const TorchBlock& block = fold_.blocks()[segment.blocks.first + i];
      const std::int64_t at = block.address >= 0 ? block.address : address;
      if (at > RecordedTrace::kMostAddress) {
        refuse(fmt::format("a block lies at address {}, which cannot be", at));
      }
      address = at + block.size;
      if (!block.taken || live_.contains(at)) continue;
      const std::int64_t size = block.requested >= 0 ? block.requested : block.size;
      trace_.standing(nameOf(block.frame), Bytes(size), static_cast<std::uint64_t>(at));
      ++standing_;
    }
  }

  std::string nameOf(std::uint32_t frame) {
    const std::string said = fold_.frameText(frame);
    return said.empty() ? fmt::format("#{}", named_++) : fmt::format("#{} {}", named_++, said);
  }

  void addNotes() {
    const auto say = [&](std::size_t count, std::string_view what) {
      if (count > 0) notes_.push_back(fmt::format("{} {}", groupDigits(count), what));
    };
    notes_.emplace_back(
        "sizes are those that were asked for, which PyTorch rounds up to 512 and more");
    if (mostReserved_ > 0) {
      notes_.push_back(fmt::format("PyTorch reserved {} bytes at the most, and {} at the end",
                                   groupDigits(mostReserved_), groupDigits(reserved_)));
    }
    say(standing_, "blocks were there when recording began: they are live from step 0");
    say(unrecorded_, "blocks end where another begins at their address: nothing told of their end");
    if (failed_ > 0) {
      notes_.push_back(
          fmt::format("it ran out of memory {} times; the largest wish that failed was {} bytes",
                      failed_, groupDigits(wanted_)));
    }
  }

  const TorchFold& fold_;
  std::int64_t device_;
  RecordedTrace trace_{true};
  std::unordered_map<std::int64_t, RecordedTrace::Handle> live_;
  std::vector<std::string> notes_;
  std::int64_t reserved_ = 0;
  std::int64_t mostReserved_ = 0;
  std::int64_t wanted_ = 0;
  std::size_t named_ = 0;
  std::size_t standing_ = 0;
  std::size_t unrecorded_ = 0;
  std::size_t failed_ = 0;
};

/// By device: what it did; nothing where only segments tell of it.
std::map<std::int64_t, TorchEvents> devicesOf(const Pickle& pickle, const TorchFold& fold) {
  std::map<std::int64_t, TorchEvents> devices;
  for (const TorchSegment& segment : fold.segments()) devices[segment.device];
  for (const auto& [key, value] : pickle.entries(pickle.whole())) {
    if (pickle.text(key) != "device_traces") continue;
    std::int64_t device = 0;
    for (const PickleValue& trace : pickle.items(value)) {
      if (const auto events = fold.eventsOf(trace); events && events->count > 0) {
        devices[device] = *events;
      }
      ++device;
    }
  }
  return devices;
}

Result<Model> readSnapshotDevice(const Pickle& pickle, const TorchFold& fold,
                                 const std::string& wanted) {
  const auto devices = devicesOf(pickle, fold);
  if (devices.empty()) {
    refuse(
        "the pickle is no snapshot of PyTorch's memory: it has neither segments nor "
        "device_traces with something in them");
  }
  auto chosen = devices.begin();
  std::vector<ModelPart> parts;
  for (auto each = devices.begin(); each != devices.end(); ++each) {
    if (each->second.count > chosen->second.count) chosen = each;
    const std::string key = std::to_string(each->first);
    parts.push_back(
        {key, fmt::format("device {}, {} events", key, groupDigits(each->second.count))});
  }
  std::size_t part = static_cast<std::size_t>(std::distance(devices.begin(), chosen));
  if (!wanted.empty()) {
    const auto found = std::ranges::find(parts, wanted, &ModelPart::key);
    if (found == parts.end()) {
      refuse(fmt::format("the snapshot has no device '{}'; it has {} of them, the first is {}",
                         printable(wanted, 40), parts.size(), parts.front().key),
             {}, ErrorCode::invalidArgument);
    }
    part = static_cast<std::size_t>(found - parts.begin());
    chosen = std::next(devices.begin(), found - parts.begin());
  }
  Result<Model> model = SnapshotPlayer(fold, chosen->first).play(chosen->second);
  if (model && parts.size() > 1) {
    model->parts = std::move(parts);
    model->part = part;
  }
  return model;
}

}  // namespace

bool acceptsTorchSnapshot(std::string_view bytes) { return looksLikePickle(bytes); }

Result<Model> readTorchSnapshot(std::string_view bytes, const ImportOptions& options) {
  return unlessRefused([&] {
    TorchFold fold(bytes);
    const Pickle pickle(bytes, fold);
    return readSnapshotDevice(pickle, fold, options.subgraph);
  });
}

}  // namespace hw
