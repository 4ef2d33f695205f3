#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/id.h"
#include "core/base/quantity.h"
#include "core/plan/method_table.h"

namespace hw {

using MethodRow = std::vector<MethodCell>;

/// Something that a method keeps while it plans.
struct MethodList {
  enum class Kind : std::uint8_t {
    list,   ///< In an order that matters.
    stack,  ///< The top is the last row.
    table,  ///< Rows are found by what they are about.
  };
  /// The meaning of rows for memory, by the cells of each type in their order, whatever words stand
  /// between them. Pictures go by it, never by names.
  enum class Role : std::uint8_t {
    words,       ///< Nothing.
    blocks,      ///< Number, capacity: regions, one beside the other in this order.
    idle,        ///< Number: those of `blocks` that nobody holds.
    mapping,     ///< Stay, size, number: the last row of a block is who had it last.
    used,        ///< Stay, offset, size: in memory now.
    free,        ///< Offset, size: a hole.
    frames,      ///< Text, offset, size, use count: a block that keeps its bytes for several stays.
    placed,      ///< Stay, offset: for its whole life.
    candidates,  ///< Text, offset, text: where the tick's stay could go; "chosen": where it went.
    upwards,     ///< Stay, from, to, text when recycled: distances from an origin up,
    downwards,   ///< and down.
    boundaries,  ///< Two rows: how far `upwards` and `downwards` ever reached.
  };
  std::string name{};     ///< "idle L2", "stack", "mapping", ...
  std::string summary{};  ///< What it is for.
  Kind kind = Kind::list;
  std::vector<std::string> columns{};
  Role role = Role::words;
  PoolId pool{};  ///< Whose bytes its rows tell of; none: the record's only one, or of several.
};

/// "list", "stack", "table".
std::string_view listKindName(MethodList::Kind kind);

/// One row of one list is put in, taken out or replaced.
struct MethodChange {
  std::uint32_t list = 0;  ///< Of `MethodRecord::lists`.
  std::uint32_t at = 0;    ///< The row.
  MethodRow before{};      ///< Empty: the row is put in, and those behind it move up.
  MethodRow after{};       ///< Empty: it is taken out.
  friend bool operator==(const MethodChange&, const MethodChange&) = default;
};

/// One decision of a method: a tick of planning time.
struct MethodTick {
  StayId stay{};                   ///< Whom it is about; none: nobody alone.
  Step step{};                     ///< The step of the program that the method looks at.
  std::string what{};              ///< In words, the stay's name left out: "takes idle block 2".
  std::size_t changes = 0;         ///< How many there were up to here, this tick's included.
  std::optional<StayPart> part{};  ///< Of `stay`: whom it is about, if it is not the whole.
};

/// All that a method's lists went through while it planned, one after the other from nothing. Each
/// tick can be undone, so planning plays backwards as well as forwards.
struct MethodRecord {
  std::string name{};  ///< The method and what it plans: "block-id".
  std::vector<MethodList> lists{};
  std::vector<MethodTick> ticks{};
  std::vector<MethodChange> changes{};
  bool truncated = false;  ///< There was more; records stop at kMostMethodChanges.

  /// The changes of tick `tick`, in order.
  std::span<const MethodChange> changesOf(std::size_t tick) const;
};

inline constexpr std::size_t kMostMethodChanges = 100'000;

/// The rows of every list of a record at one time.
using MethodState = std::vector<std::vector<MethodRow>>;

/// Plays a record to and fro. The record must outlive it.
class MethodPlayer {
 public:
  explicit MethodPlayer(const MethodRecord& record);

  /// The number of ticks that have happened.
  std::size_t at() const { return at_; }
  /// To when `ticks` of them have. O(changes on the way).
  void seek(std::size_t ticks);
  const MethodState& state() const { return state_; }

 private:
  const MethodRecord& record_;
  std::size_t at_ = 0;
  MethodState state_;
};

/// Writes a record; with nowhere to write it does nothing, and whoever makes words for it should
/// ask first whether it is `on`.
class MethodRecorder {
 public:
  MethodRecorder() = default;
  /// `record` must outlive it; null: off.
  explicit MethodRecorder(MethodRecord* record) : record_(record) {}

  bool on() const { return record_ != nullptr && !record_->truncated; }

  /// Adds a list, empty; returns its number.
  std::size_t addList(MethodList list);
  std::size_t rows(std::size_t list) const { return on() ? state_[list].size() : 0; }
  const MethodRow& row(std::size_t list, std::size_t at) const { return state_[list][at]; }

  void insert(std::size_t list, std::size_t at, MethodRow row);
  void append(std::size_t list, MethodRow row) { insert(list, rows(list), std::move(row)); }
  void erase(std::size_t list, std::size_t at);
  void replace(std::size_t list, std::size_t at, MethodRow row);
  /// Takes out all rows whose first cell is `key`.
  void eraseKey(std::size_t list, const MethodCell& key);

  /// All changes since the last tick belong to this one.
  void tick(StayId stay, Step step, std::string what);

 private:
  void change(MethodChange change);

  MethodRecord* record_ = nullptr;
  MethodState state_;
};

}  // namespace hw
