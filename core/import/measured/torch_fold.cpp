#include "core/import/measured/torch_fold.h"

#include <fmt/format.h>

#include <array>

#include "core/base/refusal.h"
#include "core/base/text.h"
#include "core/import/measured/recorded_trace.h"

namespace hw {
namespace {

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

}  // namespace

std::int64_t TorchFold::count(const PickleValue& value, std::string_view what) const {
  if (value.kind != PickleValue::Kind::whole || value.number < 0 ||
      value.number > RecordedTrace::kMostAddress) {
    refuse(fmt::format("the snapshot has a {} that cannot be", what),
           fmt::format("event {}, block {}, segment {}", events_.size(), blocks_.size(),
                       segments_.size()));
  }
  return value.number;
}

std::uint32_t TorchFold::stackOf(const PickleValue& value) {
  const bool stack = value.kind == PickleValue::Kind::record && value.size == kStack;
  return stack ? static_cast<std::uint32_t>(value.number) : 0;
}

std::optional<PickleValue> TorchFold::dict(std::span<const Entry> entries) {
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
  // Who had a block before, as older versions tell: the traces tell it better.
  if (history) return record(kStack, 0);
  return std::nullopt;
}

PickleValue TorchFold::eventRecord(std::span<const Entry> entries) {
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

PickleValue TorchFold::blockRecord(std::span<const Entry> entries) {
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

PickleValue TorchFold::segmentRecord(std::span<const Entry> entries) {
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

PickleValue TorchFold::frameRecord(std::span<const Entry> entries) {
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
PickleValue TorchFold::stackRecord(std::optional<PickleValue> before,
                                   std::span<const PickleValue> items) {
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
PickleValue TorchFold::runRecord(Record kind, Record of, std::optional<PickleValue> before,
                                 std::span<const PickleValue> items) {
  if (!before) {
    runs_.push_back({static_cast<std::size_t>(items.front().number), 0});
  }
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

std::optional<PickleValue> TorchFold::list(std::optional<PickleValue> before,
                                           std::span<const PickleValue> items) {
  if (items.front().kind != PickleValue::Kind::record && !before) return std::nullopt;
  const std::uint32_t kind = before ? before->size : items.front().size;
  if (kind == (before ? kEvents : kEvent)) return runRecord(kEvents, kEvent, before, items);
  if (kind == (before ? kBlocks : kBlock)) return runRecord(kBlocks, kBlock, before, items);
  if (kind == (before ? kStack : kFrame)) return stackRecord(before, items);
  return std::nullopt;
}

std::optional<TorchEvents> TorchFold::eventsOf(const PickleValue& list) const {
  if (list.kind != PickleValue::Kind::record || list.size != kEvents) return std::nullopt;
  return runs_[static_cast<std::size_t>(list.number)];
}

std::string TorchFold::frameText(std::uint32_t frame) const {
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

}  // namespace hw
