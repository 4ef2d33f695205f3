#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "core/base/text.h"
#include "core/import/formats.h"
#include "core/import/plans/planned_rows.h"

// The dump of a module by XLA: *-buffer-assignment.txt,
//
//   allocation 5: size 4096, preallocated-temp:         older: allocation 5: 0x7f00, size 4096, …
//    value: <12 fusion.1{0} @0> (size=1024,offset=2048): f32[16,16]{1,0}
//
// and *-live-range.txt, whose lines "name{index}:start-end" (inclusive) follow "BufferLiveRange:".
// Each allocation is a memory of its own. Both files, one after the other, are read as one.

namespace hw {
namespace {

struct XlaValue {
  std::string name{};  ///< "fusion.1{0}".
  Bytes size{};
  Bytes offset{};
};

struct XlaAllocation {
  std::string number{};
  std::string kind{};
  Bytes size{};
  std::vector<XlaValue> values{};
};

constexpr std::string_view kSizeWord = " size ";

/// The number between two marks of a line.
std::optional<std::int64_t> xlaNumber(std::string_view line, std::string_view before,
                                      std::string_view ends) {
  const std::size_t at = line.find(before);
  if (at == std::string_view::npos) return std::nullopt;
  line.remove_prefix(at + before.size());
  return parseInteger(line.substr(0, line.find_first_of(ends)));
}

class XlaReader {
 public:
  Result<Model> read(std::string_view text, const std::string& wanted) {
    for (line_ = 1; !text.empty(); ++line_) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      HW_DO(readLine(text.substr(0, end)));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    std::erase_if(allocations_, [](const XlaAllocation& all) { return all.values.empty(); });
    if (allocations_.empty()) return fail(ErrorCode::malformed, "no allocation holds a value");
    return choose(wanted);
  }

 private:
  tl::unexpected<Error> refuseLine(const std::string& what) const {
    return fail(ErrorCode::malformed, what, fmt::format("line {}", line_));
  }

  Result<void> readLine(std::string_view line) {
    const std::string_view text = trimText(line);
    if (line.starts_with("allocation ")) return readAllocation(line);
    if (text.starts_with("value: <")) return readValue(text);
    if (text == "BufferLiveRange:") {
      ranges_ = true;
    } else if (ranges_ && !readRange(text)) {
      ranges_ = text.empty();
    }
    return {};
  }

  Result<void> readAllocation(std::string_view line) {
    ranges_ = false;
    const std::size_t colon = line.find(": ");
    const auto size = xlaNumber(line, kSizeWord, ",:");
    if (colon == std::string_view::npos || !size || *size < 0 || Bytes(*size) > kMaxBytes) {
      return refuseLine("expected 'allocation N: size S, …:'");
    }
    constexpr std::string_view kWord = "allocation ";
    XlaAllocation allocation{.number = std::string(line.substr(kWord.size(), colon - kWord.size())),
                             .size = Bytes(*size)};
    const std::size_t comma = line.find(',', line.find(kSizeWord));
    if (comma != std::string_view::npos) {
      std::string_view kind = trimText(line.substr(comma + 1));
      if (kind.ends_with(':')) kind.remove_suffix(1);
      allocation.kind = std::string(kind);
    }
    allocations_.push_back(std::move(allocation));
    return {};
  }

  Result<void> readValue(std::string_view text) {
    // "Used values:" behind the allocations have no size.
    const auto size = xlaNumber(text, "(size=", ",");
    const auto offset = xlaNumber(text, ",offset=", ")");
    if (!size || !offset) return {};
    const std::size_t space = text.find(' ', text.find('<'));
    const std::size_t at = text.find(" @", space + 1);
    if (allocations_.empty() || space == std::string_view::npos || at == std::string_view::npos ||
        *size < 0 || *offset < 0 || Bytes(*size) > kMaxBytes || Bytes(*offset) > kMaxBytes) {
      return refuseLine(
          "expected ' value: <id name @0> (size=S,offset=O): shape' of an allocation");
    }
    XlaValue value{.name = std::string(text.substr(space + 1, at - space - 1)),
                   .size = Bytes(*size),
                   .offset = Bytes(*offset)};
    // A value outside of tuples has no index here, and an empty one among the live ranges.
    if (!value.name.ends_with('}')) value.name += "{}";
    allocations_.back().values.push_back(std::move(value));
    return {};
  }

  /// "name{index}:start-end".
  bool readRange(std::string_view text) {
    const std::size_t colon = text.rfind(':');
    const std::size_t dash = text.rfind('-');
    if (colon == std::string_view::npos || dash == std::string_view::npos || dash < colon) {
      return false;
    }
    const auto first = parseInteger(text.substr(colon + 1, dash - colon - 1));
    const auto last = parseInteger(text.substr(dash + 1));
    if (!first || !last || *first < 0 || *last < *first) return false;
    lives_.try_emplace(std::string(text.substr(0, colon)), std::pair(*first, *last));
    end_ = std::max(end_, *last);
    return true;
  }

  Result<Model> choose(const std::string& wanted) {
    PlannedRows plan{.format = "xla-dump", .unknown = {"operators"}};
    for (const XlaAllocation& allocation : allocations_) {
      plan.pools.push_back({allocation.number, fmt::format("allocation {}: {}", allocation.number,
                                                           printable(allocation.kind, 60))});
    }
    // Temporaries are what was planned; parameters and constants are one value each.
    const auto most = std::ranges::max_element(
        allocations_, {}, [](const XlaAllocation& each) { return each.values.size(); });
    HW_TRY(chosen, choosePool(plan, wanted, static_cast<std::size_t>(most - allocations_.begin())));
    const XlaAllocation& allocation = allocations_[chosen];
    std::size_t unknown = 0;
    for (const XlaValue& value : allocation.values) {
      const auto lived = lives_.find(value.name);
      PlannedRow row{.name = value.name, .last = end_, .size = value.size, .offset = value.offset};
      if (lived != lives_.end()) std::tie(row.first, row.last) = lived->second;
      row.lifeUnknown = lived == lives_.end();
      if (row.lifeUnknown) ++unknown;
      plan.rows.push_back(std::move(row));
    }
    plan.notes.push_back(fmt::format(
        "allocation {} ({}) takes {} bytes, as the dump says", printable(allocation.number, 20),
        printable(allocation.kind, 60), groupDigits(allocation.size.count())));
    if (unknown > 0) {
      plan.notes.push_back(
          fmt::format("{} values have no live range, and are taken to live all the time: append "
                      "the dump's *-live-range.txt to this file",
                      unknown));
    }
    return planModel(std::move(plan));
  }

  std::vector<XlaAllocation> allocations_;
  std::unordered_map<std::string, std::pair<std::int64_t, std::int64_t>> lives_;
  std::int64_t end_ = 0;
  std::size_t line_ = 0;
  bool ranges_ = false;
};

}  // namespace

bool acceptsXlaDump(std::string_view bytes) {
  constexpr std::size_t kLookedAt = 1024 * 1024;
  const std::string_view text = bytes.substr(0, kLookedAt);
  const std::size_t at = std::min(text.find("allocation 0: size "), text.find("allocation 0: 0x"));
  return text.starts_with("BufferAssignment:") ||
         (at != std::string_view::npos && (at == 0 || text[at - 1] == '\n') &&
          text.find(" value: <") != std::string_view::npos);
}

Result<Model> readXlaDump(std::string_view bytes, const ImportOptions& options) {
  return XlaReader().read(bytes, options.subgraph);
}

}  // namespace hw
