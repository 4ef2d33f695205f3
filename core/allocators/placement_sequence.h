#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/base/id.h"
#include "core/base/interval.h"
#include "core/base/quantity.h"
#include "core/plan/decision.h"
#include "core/plan/method_record.h"
#include "core/plan/problem.h"

/// What a placement sequence is made of: docs/methods.md §5.
namespace hw::sequences {

/// In order of preference among placements that lead to equal areas.
enum class Kind : std::uint8_t { overlay, gap, above, below };

inline std::string_view kindName(Kind kind) {
  constexpr std::string_view kNames[] = {"overlay", "in a gap", "grow above", "grow below"};
  return kNames[static_cast<std::size_t>(kind)];
}

/// The bytes in use so far, gaps included. Addresses may be negative: growing below moves `begin`.
using Area = Interval<Bytes>;

/// One way to place a tensor after those before it.
struct Placement {
  Kind kind{};
  Bytes offset{};
  Bytes slack{};   ///< Of the gap it is in, or of the block it lies over.
  Area area{};     ///< That it leads to.
  Bytes held{};    ///< What it keeps others off: its size, or the whole block it lies over.
  StayId under{};  ///< The input it lies over.
};

/// docs/methods.md §5: smaller area, then kind, then tighter gap, then lower address.
inline auto priority(const Placement& p) {
  return std::tuple(p.area.length(), p.kind, p.slack, p.offset);
}

/// The multiple of `alignment` next to `value`, which may be negative.
inline Bytes alignBelow(Bytes value, Bytes alignment) {
  const std::int64_t rest = value.count() % alignment.count();
  return Bytes(value.count() - (rest < 0 ? rest + alignment.count() : rest));
}
inline Bytes alignAbove(Bytes value, Bytes alignment) {
  return alignBelow(value + alignment - Bytes(1), alignment);
}

/// Adds `stay` at both ends of a free gap. False when it is too small.
inline bool addGaps(Interval<Bytes> gap, const Stay& stay, const Area& area,
                    std::vector<Placement>& options) {
  const Bytes low = alignAbove(gap.begin, stay.alignment);
  const Bytes high = alignBelow(gap.end - stay.size, stay.alignment);
  if (high < low) return false;
  const Bytes slack = gap.length() - stay.size;
  options.push_back({Kind::gap, low, slack, area, stay.size});
  if (high != low) options.push_back({Kind::gap, high, slack, area, stay.size});
  return true;
}

/// The first criterion of `priority` by which `lower` comes after `chosen`.
inline std::string whyLower(const Placement& lower, const Placement& chosen) {
  const Bytes more = lower.area.length() - chosen.area.length();
  if (more > Bytes()) return fmt::format(", {} more", countBytes(more));
  if (lower.kind != chosen.kind) return "; its kind comes later";
  if (lower.slack != chosen.slack) return "; a looser gap";
  return "; a higher address";
}

/// The blocks that are live at the stay being placed, in address order.
class LiveBlocks {
 public:
  struct Block {
    Interval<Bytes> bytes{};
    Step end{};
  };

  void clear() { blocks_.clear(); }
  void add(const Block& block) {
    blocks_.insert(std::ranges::upper_bound(blocks_, block.bytes, {}, &Block::bytes), block);
  }
  void dropEnded(Step now) {
    std::erase_if(blocks_, [&](const Block& block) { return block.end <= now; });
  }
  const std::vector<Block>& blocks() const { return blocks_; }

 private:
  std::vector<Block> blocks_;
};

/// What the lists of a placement search go through. Does nothing without a record.
class SequenceRecord {
 public:
  /// All of them outlive it; `order` may be filled in later. `record` null: nothing is recorded.
  SequenceRecord(MethodRecord* record, const Problem& problem, const std::vector<StayId>& order)
      : recorder_(record), problem_(problem), order_(order) {
    const std::vector<std::string> columns = {"tensor", "kind", "offset", "area"};
    stack_ = recorder_.addList({.name = "stack",
                                .summary = "placements not taken, with the area they lead to",
                                .kind = MethodList::Kind::stack,
                                .columns = columns});
    sequence_ = recorder_.addList({.name = "sequence",
                                   .summary = "placements taken, one a tensor",
                                   .columns = columns,
                                   .role = MethodList::Role::placed});
    candidates_ = recorder_.addList({.name = "candidates",
                                     .summary = "of the tensor being placed, by priority",
                                     .columns = {"kind", "offset", "area"},
                                     .role = MethodList::Role::candidates});
    counts_ = recorder_.addList({.name = "counts",
                                 .summary = "what became of sequences and placements",
                                 .kind = MethodList::Kind::table,
                                 .columns = {"what", "count"}});
    for (const char* what : {"completed", "given up", "pruned", "dropped"}) {
      recorder_.append(counts_, {std::string(what), std::int64_t{0}});
    }
    best_ = recorder_.addList({.name = "best",
                               .summary = "complete sequences that were smaller than all before",
                               .columns = {"sequence", "area"}});
  }

  void pushed(std::size_t i, const Placement& placement) {
    if (recorder_.on()) recorder_.append(stack_, rowOf(i, placement));
  }
  void popped() {
    if (recorder_.on()) recorder_.erase(stack_, recorder_.rows(stack_) - 1);
  }
  /// The bottom of the stack, which was full.
  void dropped() {
    if (!recorder_.on()) return;
    recorder_.erase(stack_, 0);
    count(kDropped);
  }
  /// A placement that leads to no smaller area than the best is not worth a place on the stack.
  void pruned() { count(kPruned); }
  void worthless(std::size_t i) {
    if (!recorder_.on()) return;
    pruned();
    tick(i, "comes off the stack and is dropped: no better than the best");
  }
  void givenUp(std::size_t i) {
    if (!recorder_.on()) return;
    count(kGivenUp);
    tick(i, "the sequence is given up: its area is no smaller than the best");
  }

  /// A sequence begins with the first `depth` placements of the one before.
  void cutTo(std::size_t depth) {
    while (recorder_.on() && recorder_.rows(sequence_) > depth) {
      recorder_.erase(sequence_, recorder_.rows(sequence_) - 1);
    }
  }

  void looked(const std::vector<Placement>& options) {
    if (!recorder_.on()) return;
    while (recorder_.rows(candidates_) > 0) recorder_.erase(candidates_, 0);
    for (const Placement& each : options) {
      recorder_.append(candidates_,
                       {std::string(kindName(each.kind)), each.offset, each.area.length()});
    }
  }

  void took(std::size_t i, const Placement& chosen, bool byPriority) {
    if (!recorder_.on()) return;
    recorder_.append(sequence_, rowOf(i, chosen));
    tick(i,
         fmt::format("{}: {} at {}, an area of {} bytes",
                     byPriority ? "the first by priority" : "an alternative off the stack",
                     kindName(chosen.kind), chosen.offset.count(), chosen.area.length().count()));
  }

  void completed(std::int64_t sequence, Bytes area) {
    if (!recorder_.on()) return;
    recorder_.append(best_, {sequence, area});
    count(kCompleted);
    recorder_.tick(
        {}, problem_.steps - Step(1),
        fmt::format("sequence {} is complete: {} bytes, the best so far", sequence, area.count()));
  }

  void tick(std::size_t i, std::string what) {
    if (!recorder_.on()) return;
    recorder_.tick(order_[i], problem_.stays[order_[i]].steps.begin, std::move(what));
  }

 private:
  enum Count : std::size_t { kCompleted, kGivenUp, kPruned, kDropped };  ///< Rows of the table.

  void count(Count row) {
    if (!recorder_.on()) return;
    MethodRow more = recorder_.row(counts_, row);
    ++std::get<std::int64_t>(more[1]);
    recorder_.replace(counts_, row, std::move(more));
  }

  MethodRow rowOf(std::size_t i, const Placement& placement) const {
    return {order_[i], std::string(kindName(placement.kind)), placement.offset,
            placement.area.length()};
  }

  MethodRecorder recorder_;
  const Problem& problem_;
  const std::vector<StayId>& order_;
  std::size_t stack_ = 0;  ///< Of the record, like the next.
  std::size_t sequence_ = 0;
  std::size_t candidates_ = 0;
  std::size_t counts_ = 0;
  std::size_t best_ = 0;
};

}  // namespace hw::sequences
