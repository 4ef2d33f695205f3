#include "core/report/text/text_table.h"

#include <fmt/format.h>

#include <limits>

#include "core/base/text.h"

namespace hw {
namespace {

bool startsCodePoint(char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }

/// The first `count` code points of valid UTF-8.
std::string_view firstCodePoints(std::string_view text, std::size_t count) {
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    if (startsCodePoint(text[at]) && count-- == 0) break;
  }
  return text.substr(0, at);
}

std::string emphasised(const Paint& paint, TextTable::Emphasis emphasis, std::string line) {
  switch (emphasis) {
    case TextTable::Emphasis::good:
      return paint.good(line);
    case TextTable::Emphasis::bad:
      return paint.bad(line);
    case TextTable::Emphasis::dim:
      return paint.dim(line);
    case TextTable::Emphasis::none:
      break;
  }
  return line;
}

}  // namespace

std::string Paint::wrap(std::string_view code, std::string_view text) const {
  if (!on) return std::string(text);
  return "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m";
}

void TextTable::add(std::vector<std::string> cells, Emphasis emphasis) {
  cells.resize(columns_.size());
  rows_.push_back({std::move(cells), emphasis});
}

std::string TextTable::line(const std::vector<std::string>& cells,
                            const std::vector<std::size_t>& shown,
                            const std::vector<std::size_t>& widths) const {
  std::string text;
  for (const std::size_t i : shown) {
    const std::string padding(widths[i] - displayWidth(cells[i]), ' ');
    text += "  ";
    text += columns_[i].align == Align::left ? cells[i] + padding : padding + cells[i];
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

std::vector<std::size_t> TextTable::widths() const {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    widths.push_back(displayWidth(columns_[i].title));
    for (const Row& row : rows_) widths[i] = std::max(widths[i], displayWidth(row.cells[i]));
  }
  return widths;
}

std::string TextTable::text(const Paint& paint, const std::vector<std::size_t>& shown) const {
  std::vector<std::string> titles;
  for (const Column& column : columns_) titles.push_back(column.title);
  const std::vector<std::size_t> wide = widths();
  std::string text;
  const bool titled = std::ranges::any_of(titles, [](const auto& title) { return !title.empty(); });
  if (titled) text += paint.bold(line(titles, shown, wide)) + '\n';
  for (const Row& row : rows_) {
    text += emphasised(paint, row.emphasis, line(row.cells, shown, wide)) + '\n';
  }
  return text;
}

std::string TextTable::text(const Paint& paint) const {
  return folded(paint, std::numeric_limits<std::size_t>::max(), 0);
}

std::string TextTable::folded(const Paint& paint, std::size_t width, std::size_t keys) const {
  const std::vector<std::size_t> wide = widths();
  std::vector<std::size_t> first;
  std::size_t keyWidth = 0;
  for (std::size_t i = 0; i < keys; ++i) {
    first.push_back(i);
    keyWidth += 2 + wide[i];
  }
  std::string all;
  std::vector<std::size_t> shown = first;
  std::size_t used = keyWidth;
  for (std::size_t i = keys; i < columns_.size(); ++i) {
    if (used + 2 + wide[i] > width && shown.size() > keys) {
      all += text(paint, shown) + '\n';
      shown = first;
      used = keyWidth;
    }
    shown.push_back(i);
    used += 2 + wide[i];
  }
  return all + text(paint, shown);
}

std::size_t displayWidth(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, startsCodePoint));
}

std::string bytesText(Bytes bytes) {
  const std::string exact = groupDigits(bytes.count()) + " B";
  return bytes < Bytes(1024) ? exact : exact + " (" + formatBytes(bytes) + ")";
}

std::string cellName(std::string_view name, std::size_t width) {
  const std::string safe = printable(name, 4096);
  const std::size_t length = displayWidth(safe);
  if (length <= width) return safe;
  const std::size_t head = (width - 1) / 2;
  const std::size_t tail = width - 1 - head;
  const std::string_view start = firstCodePoints(safe, head);
  const std::string_view rest = firstCodePoints(safe, length - tail);
  return std::string(start) + "…" + safe.substr(rest.size());
}

std::string cellText(const Value& value, ColumnKind kind, std::size_t width,
                     std::string_view dash) {
  if (value.isNone()) return std::string(dash);
  if (value.text() != nullptr) return cellName(*value.text(), width);
  const double number = value.number().value_or(0);
  switch (kind) {
    case ColumnKind::amount:
      return formatBytes(Bytes(*value.whole()));
    case ColumnKind::time:
      return formatTime(SimTime(*value.whole()));
    case ColumnKind::seconds:
      return formatTime(SimTime(static_cast<std::int64_t>(number * 1e12)));
    case ColumnKind::ratio:
      return fmt::format("{:.1f} %", number * 100);
    case ColumnKind::excess:
      return formatPercent(number);
    case ColumnKind::flag:
      return value.exact() == "true" ? "yes" : "";
    default:
      return value.whole() ? groupDigits(*value.whole()) : fmt::format("{:.3g}", number);
  }
}

std::string countText(std::size_t count, std::string_view noun) {
  std::string text = groupDigits(count) + " " + std::string(noun);
  return count == 1 ? text : text + "s";
}

std::string section(const Paint& paint, const std::string& title, std::size_t rows,
                    const std::string& body, std::size_t shown) {
  if (rows == 0) return {};
  const std::string count = groupDigits(rows);
  std::string text =
      fmt::format("\n{} {}\n{}", paint.bold(title), paint.dim("(" + count + ")"), body);
  if (rows > shown) {
    const auto more = groupDigits(rows - shown);
    text += paint.dim(fmt::format("  … {} more; --all shows them", more)) + "\n";
  }
  return text;
}

std::string notesText(const Paint& paint,
                      const std::vector<const std::vector<std::string>*>& lists) {
  std::vector<std::string> notes;
  for (const auto* list : lists) {
    for (const std::string& note : *list) {
      if (std::ranges::find(notes, note) == notes.end()) notes.push_back(note);
    }
  }
  std::string text;
  for (const std::string& note : notes) text += "  " + printable(note, 1000) + "\n";
  return section(paint, "notes", notes.size(), text, notes.size());
}

}  // namespace hw
