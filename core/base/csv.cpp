#include "core/base/csv.h"

namespace hw {
namespace {

/// Reads one field at `at` and leaves `at` on what ends it: a comma, a newline or the end.
std::string readField(std::string_view text, std::size_t& at, std::size_t& line) {
  std::string field;
  bool quoted = at < text.size() && text[at] == '"';
  if (quoted) ++at;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (quoted && c == '"') {
      const bool doubled = at + 1 < text.size() && text[at + 1] == '"';
      if (!doubled) {
        quoted = false;
        continue;
      }
      ++at;
    } else if (!quoted && (c == ',' || c == '\n')) {
      break;
    } else if (!quoted && c == '\r' && (at + 1 == text.size() || text[at + 1] == '\n')) {
      continue;  // A line of Windows.
    } else if (c == '\n') {
      ++line;
    }
    field += c;
  }
  return field;
}

}  // namespace

std::string csvField(std::string_view text) {
  const bool blank = !text.empty() && (text.front() == ' ' || text.back() == ' ');
  if (!blank && text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::vector<CsvLine> csvLines(std::string_view text) {
  std::vector<CsvLine> lines;
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  std::size_t number = 1;
  for (std::size_t at = 0; at < text.size();) {
    CsvLine line{.number = number, .fields = {}};
    for (;;) {
      std::string field = readField(text, at, number);
      const bool more = at < text.size() && text[at] == ',';
      line.fields.push_back(std::move(field));
      ++at;
      if (!more) break;
    }
    ++number;
    if (line.fields.size() > 1 || !line.fields[0].empty()) lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace hw
