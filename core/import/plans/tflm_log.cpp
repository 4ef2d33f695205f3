#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/base/text.h"
#include "core/import/formats.h"
#include "core/import/plans/planned_rows.h"

// The log of tflite-micro's planners: a line for each buffer,
//
//   c (id=12): size=64, offset=576, first_used=3 last_used=4
//
// and, of RecordingMicroAllocator, what the arena takes in all. Logs have other lines, too.

namespace hw {
namespace {

/// Reads a line piece by piece.
class LinePieces {
 public:
  explicit LinePieces(std::string_view line) : rest_(line) {}

  bool skip(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }
  std::optional<std::int64_t> number() {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc()) return std::nullopt;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }
  std::optional<std::int64_t> numberAfter(std::string_view text) {
    return skip(text) ? number() : std::nullopt;
  }

 private:
  std::string_view rest_;
};

struct LogLine {
  std::int64_t id = 0, size = 0, offset = 0, first = 0, last = 0;
};

/// A buffer's line, wherever in the line a log's own prefix ends.
std::optional<LogLine> logLine(std::string_view line) {
  const std::size_t at = line.find(" (id=");
  if (at == std::string_view::npos) return std::nullopt;
  LinePieces pieces(line.substr(at));
  const auto id = pieces.numberAfter(" (id=");
  const auto size = id ? pieces.numberAfter("): size=") : std::nullopt;
  const auto offset = size ? pieces.numberAfter(", offset=") : std::nullopt;
  const auto first = offset ? pieces.numberAfter(", first_used=") : std::nullopt;
  if (!first) return std::nullopt;
  // The linear planner and the greedy one punctuate differently.
  pieces.skip(",");
  const auto last = pieces.numberAfter(" last_used=");
  if (!last) return std::nullopt;
  return LogLine{*id, *size, *offset, *first, *last};
}

/// "[RecordingMicroAllocator] Arena allocation head 672 bytes" and its like.
std::optional<std::string> arenaLine(std::string_view line) {
  constexpr std::string_view kMark = "Arena allocation ";
  const std::size_t at = line.find(kMark);
  if (at == std::string_view::npos) return std::nullopt;
  LinePieces pieces(line.substr(at + kMark.size()));
  for (const std::string_view part : {"head", "tail", "total"}) {
    if (!pieces.skip(part)) continue;
    const auto bytes = pieces.numberAfter(" ");
    if (!bytes) return std::nullopt;
    return fmt::format("{} {}", part, groupDigits(*bytes));
  }
  return std::nullopt;
}

template <class Visit>
void forEachLogLine(std::string_view text, const Visit& visit) {
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (!visit(text.substr(0, end), number)) return;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

/// The first of the plans in a log.
struct PlannerLog {
  std::vector<LogLine> lines{};
  std::vector<std::string> arena{};
  std::size_t plans = 0;
};

Result<PlannerLog> plannerLog(std::string_view bytes) {
  PlannerLog log;
  std::string wrong;
  std::size_t wrongAt = 0;
  forEachLogLine(bytes, [&](std::string_view line, std::size_t number) {
    if (const auto said = arenaLine(line); said && log.arena.size() < 3) log.arena.push_back(*said);
    const auto buffer = logLine(line);
    if (!buffer) return true;
    if (buffer->id == 0) ++log.plans;
    if (log.plans > 1) return true;
    const auto count = static_cast<std::int64_t>(log.lines.size());
    if (buffer->id != count) {
      wrong =
          fmt::format("buffer {} follows buffer {}: the log is not whole", buffer->id, count - 1);
    } else if (buffer->size < 0 || buffer->last < buffer->first || buffer->first < -1 ||
               buffer->offset < -1) {
      wrong = fmt::format("buffer {} has a size, an offset or steps that cannot be", buffer->id);
    }
    wrongAt = number;
    log.lines.push_back(*buffer);
    return wrong.empty();
  });
  if (wrong.empty()) return log;
  return fail(ErrorCode::malformed, wrong, fmt::format("line {}", wrongAt));
}

}  // namespace

bool acceptsTflmLog(std::string_view bytes) {
  constexpr std::size_t kLookedAt = 256 * 1024;
  bool found = false;
  forEachLogLine(bytes.substr(0, kLookedAt), [&](std::string_view line, std::size_t) {
    found = logLine(line).has_value();
    return !found;
  });
  return found;
}

Result<Model> readTflmLog(std::string_view bytes, const ImportOptions& options) {
  PlannedRows plan{.format = "tflm-log", .unknown = {"names", "operators"}};
  HW_TRY(log, plannerLog(bytes));
  if (!options.subgraph.empty()) {
    return fail(ErrorCode::invalidArgument, "a planner's log has one memory: leave out --subgraph");
  }
  // A buffer that nobody ever touches has -1 for its steps, all of it at once.
  const bool idle =
      std::ranges::any_of(log.lines, [](const LogLine& line) { return line.first < 0; });
  const std::int64_t shift = idle ? 1 : 0;
  for (const LogLine& line : log.lines) {
    PlannedRow row{.name = fmt::format("buffer {}", line.id),
                   .first = line.first + shift,
                   .last = line.last + shift,
                   .size = Bytes(line.size)};
    if (line.offset >= 0) row.offset = Bytes(line.offset);
    plan.rows.push_back(std::move(row));
  }
  plan.notes.emplace_back(
      "buffers of tflite-micro's log are tensors of all subgraphs, then scratch, and steps are its "
      "scopes, 0 for the inputs and one for each operator");
  if (idle) plan.notes.emplace_back("step 0 holds what no operator touches; scopes begin at 1");
  if (log.plans > 1)
    plan.notes.push_back(fmt::format("the first of {} plans in the log", log.plans));
  if (!log.arena.empty()) {
    plan.notes.push_back(
        fmt::format("of the arena the log says, in bytes: {}", fmt::join(log.arena, ", ")));
  }
  return planModel(std::move(plan));
}

}  // namespace hw
