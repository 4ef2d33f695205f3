#include "core/base/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/base/text.h"

namespace hw {
namespace {

/// True if a spreadsheet would take it for a formula, behind any number of apostrophes: one more
/// makes it a text there. Readers take one away.
bool looksLikeFormula(std::string_view text) {
  const std::size_t at = text.find_first_not_of('\'');
  return at != std::string_view::npos &&
         std::string_view("=+-@\t\r").find(text[at]) != std::string_view::npos;
}

std::string_view withoutApostrophe(std::string_view field) {
  if (field.starts_with('\'') && looksLikeFormula(field)) field.remove_prefix(1);
  return field;
}

/// In quotes if it needs them.
std::string quotedField(std::string_view text) {
  const bool blank = !text.empty() && (text.front() == ' ' || text.back() == ' ');
  if (!blank && text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace

std::string csvWord(std::string_view text) {
  std::string word;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = byte > 0x20 && byte != 0x7F && c != '%' && c != ':';
    word += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return word;
}

std::optional<std::string> csvWordText(std::string_view word) {
  std::string text;
  for (std::size_t at = 0; at < word.size(); ++at) {
    if (word[at] != '%') {
      text += word[at];
      continue;
    }
    unsigned char byte = 0;
    const char* const from = word.data() + at + 1;
    const char* const to = from + std::min<std::size_t>(2, word.size() - at - 1);
    if (std::from_chars(from, to, byte, 16).ptr != from + 2) return std::nullopt;
    text += static_cast<char>(byte);
    at += 2;
  }
  return text;
}

std::vector<std::string_view> csvWords(std::string_view field) {
  std::vector<std::string_view> words;
  for (const std::string_view word : splitText(field, ' ')) {
    if (!trimText(word).empty()) words.push_back(trimText(word));
  }
  return words;
}

std::string csvField(std::string_view text) {
  if (looksLikeFormula(text) && !parseNumber(text)) return quotedField("'" + std::string(text));
  return quotedField(text);
}

CsvReader::CsvReader(std::string_view text, const DocumentLimits& limits)
    : limits_(limits), size_(text.size()), rest_(withoutByteOrderMark(text)) {
  while (rest_.starts_with('#')) {
    rest_.remove_prefix(std::min(rest_.size(), rest_.find('\n')));
    if (!rest_.empty()) rest_.remove_prefix(1);
    ++following_;
  }
}

std::string CsvReader::where() const { return "line " + std::to_string(number_); }

Result<bool> CsvReader::next() {
  HW_DO(checkSize(limits_, size_));
  while (!rest_.empty()) {
    fields_.clear();
    unquoted_.clear();
    number_ = following_++;
    HW_DO(readLine());
    if (fields_.size() > 1 || !trimText(fields_[0]).empty()) return true;
  }
  return false;
}

Result<void> CsvReader::readLine() {
  for (;;) {
    if (rest_.starts_with('"')) {
      HW_DO(takeQuoted());
    } else {
      std::size_t end = 0;
      while (end < rest_.size() && rest_[end] != ',' && rest_[end] != '\n') ++end;
      std::string_view field = rest_.substr(0, end);
      const bool last = end == rest_.size() || rest_[end] == '\n';
      if (last && field.ends_with('\r')) field.remove_suffix(1);  // A line of Windows.
      fields_.push_back(withoutApostrophe(field));
      rest_.remove_prefix(end);
    }
    if (fields_.back().size() > limits_.text) return tooLongText(limits_, where());
    if (fields_.size() > limits_.values) return tooManyValues(limits_, where());
    if (rest_.empty()) return {};
    const bool more = rest_.front() == ',';
    rest_.remove_prefix(1);
    if (!more) return {};
  }
}

/// Takes one quoted field and leaves what ends it: a comma, a newline or nothing.
Result<void> CsvReader::takeQuoted() {
  std::string& field = unquoted_.emplace_back();
  for (rest_.remove_prefix(1);;) {
    const auto quote = rest_.find('"');
    if (quote == std::string_view::npos) {
      return fail(ErrorCode::malformed, "a quote is not closed", where());
    }
    field += rest_.substr(0, quote);
    rest_.remove_prefix(quote + 1);
    if (!rest_.starts_with('"')) break;
    field += '"';
    rest_.remove_prefix(1);
  }
  following_ += static_cast<std::size_t>(std::ranges::count(field, '\n'));
  if (rest_ == "\r" || rest_.starts_with("\r\n")) rest_.remove_prefix(1);
  if (!rest_.empty() && rest_.front() != ',' && rest_.front() != '\n') {
    return fail(ErrorCode::malformed, "text follows a closing quote; expected a comma", where());
  }
  fields_.push_back(withoutApostrophe(field));
  return {};
}

Result<bool> CsvTable::readHeader() {
  HW_TRY(any, reader_.next());
  places_.resize(layout_.names.size());
  if (!any) return false;
  for (const std::string_view field : reader_.fields()) {
    titles_.emplace_back(trimText(field));
    const auto other = layout_.others.find(titles_.back());
    const auto name = std::ranges::find(
        layout_.names, other == layout_.others.end() ? titles_.back() : other->second);
    if (name == layout_.names.end()) continue;
    auto& place = places_[static_cast<std::size_t>(name - layout_.names.begin())];
    if (place) {
      return fail(ErrorCode::malformed, "column '" + std::string(*name) + "' appears twice",
                  where());
    }
    place = titles_.size() - 1;
  }
  for (const std::size_t column : layout_.required) {
    if (has(column)) continue;
    return fail(
        ErrorCode::malformed,
        fmt::format("column '{}' is missing; expected {}", layout_.names[column], layout_.expected),
        where());
  }
  return true;
}

Result<bool> CsvTable::next() {
  HW_TRY(any, reader_.next());
  if (!any || reader_.fields().size() == titles_.size()) return any;
  return fail(
      ErrorCode::malformed,
      fmt::format("the row has {} fields; expected {}", reader_.fields().size(), titles_.size()),
      where());
}

std::string_view CsvTable::field(std::size_t column) const {
  return has(column) ? trimText(reader_.fields()[*places_[column]]) : std::string_view();
}

Result<std::optional<std::int64_t>> CsvTable::number(std::size_t column, std::int64_t least,
                                                     std::int64_t most) const {
  const std::string_view text = field(column);
  if (text.empty()) return std::nullopt;
  const auto value = parseInteger(text);
  if (value && *value >= least && *value <= most) return *value;
  return refuse(fmt::format("has {} '{}'; expected a whole number from {} to {}",
                            layout_.names[column], printable(text, 40), least, most));
}

tl::unexpected<Error> CsvTable::refuse(const std::string& what) const {
  return fail(ErrorCode::malformed,
              fmt::format("{} '{}' {}", layout_.row, printable(field(0)), what), where());
}

std::vector<CsvLine> csvLines(std::string_view text) {
  std::vector<CsvLine> lines;
  CsvReader reader(text);
  while (reader.next().value_or(false)) {
    lines.push_back({reader.number(), {reader.fields().begin(), reader.fields().end()}});
  }
  return lines;
}

bool hasCsvColumn(std::string_view text, std::string_view name) {
  constexpr std::size_t kLongestHeader = 4096;
  CsvReader line(text.substr(0, kLongestHeader));
  if (!line.next().value_or(false)) return false;
  return std::ranges::any_of(line.fields(),
                             [&](std::string_view field) { return trimText(field) == name; });
}

}  // namespace hw
