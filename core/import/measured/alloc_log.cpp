#include <fmt/format.h>

#include <array>
#include <charconv>
#include <unordered_map>

#include "core/base/csv.h"
#include "core/base/text.h"
#include "core/import/formats.h"
#include "core/import/measured/recorded_trace.h"

// The log of an allocator as CSV: time,event,id,size[,address]. The unit of time is its writer's.

namespace hw {
namespace {

enum LogField : std::size_t { kLogId, kLogTime, kLogEvent, kLogSize, kLogAddress, kLogColumns };
constexpr std::array<std::string_view, kLogColumns> kLogNames = {"id", "time", "event", "size",
                                                                 "address"};

/// Decimal, or hexadecimal behind 0x; nothing where it is neither.
std::optional<std::int64_t> logAddress(std::string_view text) {
  std::int64_t value = 0;
  const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  if (hexadecimal) text.remove_prefix(2);
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, hexadecimal ? 16 : 10);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  if (value > RecordedTrace::kMostAddress) return std::nullopt;
  return value;
}

/// Takes the rows one by one.
class AllocLogReader {
 public:
  Result<void> add(const CsvTable& row) {
    HW_DO(checkTime(row));
    const std::string_view event = row.field(kLogEvent);
    if (row.field(kLogId).empty()) {
      return fail(ErrorCode::malformed, "an event has an empty id", row.where());
    }
    if (event == "alloc") return allocate(row);
    if (event == "free") return release(row);
    return row.refuse(fmt::format("has event '{}'; expected alloc or free", printable(event, 40)));
  }

  Result<Model> finish() && { return std::move(trace_).model("alloc-log", {}); }

 private:
  /// The block that a name stands for just now, and the number of blocks that have had it.
  struct Named {
    std::optional<RecordedTrace::Handle> block{};
    std::size_t lives = 0;
  };

  Result<void> checkTime(const CsvTable& row) {
    const auto time = parseNumber(row.field(kLogTime));
    if (!time) return row.refuse("has a time that is no number");
    if (any_ && *time < time_) return row.refuse("has a time before that of the row above it");
    any_ = true;
    time_ = *time;
    return {};
  }

  Result<void> allocate(const CsvTable& row) {
    HW_TRY(size, row.number(kLogSize, 0, RecordedTrace::kMostAddress));
    if (!size) return row.refuse("is allocated without a size");
    std::optional<std::uint64_t> address;
    if (!row.field(kLogAddress).empty()) {
      const auto read = logAddress(row.field(kLogAddress));
      if (!read) {
        return row.refuse(fmt::format("has address '{}'; expected a whole number, or 0x and digits",
                                      printable(row.field(kLogAddress), 40)));
      }
      address = static_cast<std::uint64_t>(*read);
    }
    std::string name(row.field(kLogId));
    Named& named = named_[name];
    if (named.block) return row.refuse("is allocated again before it is freed");
    if (++named.lives > 1) name += fmt::format(" ({})", named.lives);
    named.block = trace_.allocate(std::move(name), Bytes(*size), address);
    return {};
  }

  Result<void> release(const CsvTable& row) {
    const auto found = named_.find(std::string(row.field(kLogId)));
    if (found == named_.end() || !found->second.block) {
      return row.refuse("is freed, and is not allocated");
    }
    trace_.free(*found->second.block);
    found->second.block.reset();
    return {};
  }

  RecordedTrace trace_{false};
  std::unordered_map<std::string, Named> named_;
  double time_ = 0;
  bool any_ = false;
};

CsvLayout logLayout() {
  return {.names = kLogNames,
          .required = {kLogTime, kLogEvent, kLogId, kLogSize},
          .expected = "time,event,id,size[,address]",
          .row = "block"};
}

}  // namespace

bool acceptsAllocLog(std::string_view bytes) {
  return hasCsvColumn(bytes, "event") && hasCsvColumn(bytes, "id") && hasCsvColumn(bytes, "size");
}

Result<Model> readAllocLog(std::string_view bytes, const ImportOptions&) {
  CsvTable table(bytes, logLayout());
  HW_TRY(hasHeader, table.readHeader());
  if (!hasHeader) return fail(ErrorCode::malformed, "the file has no header", "line 1");
  AllocLogReader reader;
  while (true) {
    HW_TRY(any, table.next());
    if (!any) break;
    HW_DO(reader.add(table));
  }
  return std::move(reader).finish();
}

}  // namespace hw
