#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "core/import/measured/pickle.h"

namespace hw {

/// What PyTorch's allocator did.
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

/// Keeps of a snapshot what is needed, 24 bytes an event, while its pickle is read. Refuses numbers
/// that cannot be.
class TorchFold : public PickleFold {
 public:
  /// `bytes`: those of the pickle.
  explicit TorchFold(std::string_view bytes) : bytes_(bytes) { frames_.push_back({}); }

  std::optional<PickleValue> dict(std::span<const Entry> entries) override;
  std::optional<PickleValue> list(std::optional<PickleValue> before,
                                  std::span<const PickleValue> items) override;

  const std::vector<TorchEvent>& events() const { return events_; }
  const std::vector<TorchBlock>& blocks() const { return blocks_; }
  const std::vector<TorchSegment>& segments() const { return segments_; }
  /// Of a list that was folded; nothing for all else. An empty list has no events.
  std::optional<TorchEvents> eventsOf(const PickleValue& list) const;
  /// "forward layers.py:12"; empty where nobody is known.
  std::string frameText(std::uint32_t frame) const;

 private:
  /// What a record is: `PickleValue::size` of it.
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
  std::int64_t count(const PickleValue& value, std::string_view what) const;
  PickleValue eventRecord(std::span<const Entry> entries);
  PickleValue blockRecord(std::span<const Entry> entries);
  PickleValue segmentRecord(std::span<const Entry> entries);
  PickleValue frameRecord(std::span<const Entry> entries);
  PickleValue stackRecord(std::optional<PickleValue> before, std::span<const PickleValue> items);
  PickleValue runRecord(Record kind, Record of, std::optional<PickleValue> before,
                        std::span<const PickleValue> items);
  static std::uint32_t stackOf(const PickleValue& value);

  std::string_view bytes_;
  std::vector<TorchEvent> events_;
  std::vector<TorchBlock> blocks_;
  std::vector<TorchSegment> segments_;
  std::vector<TorchEvents> runs_;  ///< Lists of events and of blocks.
  std::vector<Frame> frames_;      ///< The first stands for nobody.
  std::unordered_map<std::string, std::uint32_t> frameIds_;
};

}  // namespace hw
