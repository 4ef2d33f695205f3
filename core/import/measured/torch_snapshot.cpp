#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>

#include "core/base/refusal.h"
#include "core/base/text.h"
#include "core/import/formats.h"
#include "core/import/measured/recorded_trace.h"
#include "core/import/measured/torch_fold.h"

// A snapshot of PyTorch's caching allocator, as torch.cuda.memory._dump_snapshot writes it: what
// lies in its segments, and on each device the last so many things that it did.

namespace hw {
namespace {

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
                    groupDigits(static_cast<std::int64_t>(events.count)),
                    groupDigits(static_cast<std::int64_t>(kMostRead))));
    events.first += events.count - kMostRead;
    events.count = kMostRead;
  }

  /// What the segments that are there at the end came to before, event by event backwards.
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
          // Who frees it says nothing of who asked for it.
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

  /// What the segment holds at the end and no event told of was there all the time.
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
      if (count > 0) {
        notes_.push_back(fmt::format("{} {}", groupDigits(static_cast<std::int64_t>(count)), what));
      }
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
          fmt::format("it ran out of memory {} times; the largest wish that failed "
                      "was {} bytes",
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
    parts.push_back({key, fmt::format("device {}, {} events", key,
                                      groupDigits(static_cast<std::int64_t>(each->second.count)))});
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
