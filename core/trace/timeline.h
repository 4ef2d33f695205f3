#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace/trace.h"

namespace hw {

/// The kinds of events that a person sees, read off the undoable pairs (docs/formats/events.md).
enum class Happening : std::uint8_t {
  fresh,    ///< Memory no stay has ever owned.
  reuse,    ///< A free block of exactly the right size.
  split,    ///< Part of a free block.
  extend,   ///< A free block at the frontier, made larger.
  release,  ///< The owner is done.
  merge,    ///< The freed block joined free neighbours; the interval is the joined block.
};

std::string_view happeningName(Happening happening);

struct TimelineEntry {
  Happening happening{};
  std::size_t firstEvent = 0;  ///< Events [firstEvent, lastEvent) of the trace make it up.
  std::size_t lastEvent = 0;
  Step step{};
  PoolId pool{};
  RegionId region{};
  StayId stay{};
  Bytes offset{};  ///< Inside the region; of the stay, or of the joined block for a merge.
  Bytes size{};
  Reason reason = Reason::none;
  /// The free block this started from, 0 when fresh: what was cut, or what was there of an extended
  /// one; for a merge, the free neighbours that the released block joined.
  Bytes freeBefore{};
  StayId formerTenant{};  ///< The last owner of the first byte, if any; for "reuses x".

  // Pool 0 just before, for entries that landed in a later pool: why it was not taken.
  Bytes largestHole{};  ///< The largest free chunk.
  Bytes holes{};        ///< All free chunks.
  Bytes frontier{};     ///< Its footprint: memory from here on was never used.
  Bytes tailHole{};     ///< The free chunk that ends at the frontier, 0 if there is none.
};

/// Groups a story into what people call events. Reads only the story: an `alloc` and what made room
/// for it is one entry, a `free` is one, and the merges after it are one more. O(n log n).
std::vector<TimelineEntry> describe(const std::vector<MemoryEvent>& story, std::size_t pools);

/// Names that `detailText` puts into its words.
struct DetailNames {
  std::string formerTenant{};            ///< Of the entry's former tenant, if it has one.
  std::string firstPool{"L2"};           ///< Of pool 0; empty when it was never an option.
  std::optional<Bytes> firstCapacity{};  ///< What may be planned of pool 0.
  /// The way sizes are written; null: as plain numbers of bytes.
  std::string (*sizeText)(Bytes) = nullptr;

  std::string size(Bytes bytes) const;
};

/// Why and how, in a few words: the `detail` column of docs/formats/events.md. "exact fit, reuses
/// t0"; "L2 full: largest hole 12 of 40 free; new memory".
std::string detailText(const TimelineEntry& entry, const DetailNames& names);

/// The order in which the entries of a timeline are gone through: that of the timeline, which is
/// time, or by step, those of one step by time. Both are the same unless steps run side by side.
/// The place of an entry in it, counted from 1, is its number. Immutable.
class EventOrder {
 public:
  EventOrder() = default;
  /// `timeline` outlives it. O(n log n) where steps run side by side, else O(n).
  EventOrder(const std::vector<TimelineEntry>& timeline, bool bySteps);

  std::size_t size() const { return timeline_ == nullptr ? 0 : timeline_->size(); }
  /// From 0.
  const TimelineEntry& entry(std::size_t place) const { return (*timeline_)[indexOf(place)]; }
  bool isByStep() const { return bySteps_; }

  /// The number of entries up to a moment of `step`: by time those among the first `moment` events
  /// of the trace; by step those of earlier steps, and of this one those among these events.
  /// O(log entries).
  std::size_t happened(std::size_t moment, Step step) const;

 private:
  std::size_t indexOf(std::size_t place) const {
    return indices_.empty() ? place : indices_[place];
  }

  const std::vector<TimelineEntry>* timeline_ = nullptr;
  bool bySteps_ = false;
  std::vector<std::uint32_t> indices_;  ///< By place; empty where both orders are the same.
};

}  // namespace hw
