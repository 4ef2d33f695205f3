#include "core/picture/stage/row_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"

namespace hw::stage {
namespace {

using Role = MethodList::Role;

/// "16 B", "0–16 B" where they begin and end, "16 B at 24".
std::string bytesWords(Role role, const RowCells& cells) {
  const auto size = [&](std::size_t at) { return formatBytes(cells.byte(at)); };
  switch (role) {
    case Role::used:
    case Role::frames:
      return fmt::format("{} at {}", size(1), size(0));
    case Role::free:
      return size(1);
    case Role::placed:
    case Role::candidates:
      return size(0);
    case Role::upwards:
    case Role::downwards:
      return fmt::format("{} to {}", size(0), size(1));
    default:
      return cells.bytes.empty() ? std::string() : size(0);
  }
}

/// How many byte cells `bytesWords` has said.
std::size_t bytesSaid(Role role) {
  switch (role) {
    case Role::used:
    case Role::frames:
    case Role::free:
    case Role::upwards:
    case Role::downwards:
      return 2;
    default:
      return 1;
  }
}

std::string partWord(const Run& run, const StayPart& part) {
  return printable(displayName(run.graph(), part.tensor), 60);
}

void addWord(std::string& text, const std::string& word) {
  if (word.empty()) return;
  if (!text.empty()) text += ", ";
  text += word;
}

}  // namespace

std::string usesText(std::int64_t uses) {
  return fmt::format("{} {}", groupDigits(uses), uses == 1 ? "use" : "uses");
}

RowCells::RowCells(const MethodRow& row) {
  for (const MethodCell& cell : row) {
    if (const auto* id = std::get_if<StayId>(&cell)) {
      if (!stay) stay = *id;
    } else if (const auto* its = std::get_if<StayPart>(&cell)) {
      if (!stay) part = *its;
      if (!stay) stay = its->stay;
    } else if (const auto* size = std::get_if<Bytes>(&cell)) {
      bytes.push_back(*size);
    } else if (const auto* number = std::get_if<std::int64_t>(&cell)) {
      numbers.push_back(*number);
    } else {
      texts.push_back(std::get<std::string>(cell));
    }
  }
}

bool isStay(const Run& run, StayId stay) { return stay && run.problem.stays.contains(stay); }

std::string stayWord(const Run& run, StayId stay) {
  return isStay(run, stay) ? printable(run.stayName(stay), 60) : std::string("-");
}

std::string stayWord(const Run& run, const RowCells& cells) {
  return cells.part ? partWord(run, *cells.part) : stayWord(run, cells.stay);
}

std::string stayWord(const Run& run, const MethodTick& tick) {
  return tick.part ? partWord(run, *tick.part) : stayWord(run, tick.stay);
}

Bytes sizeOf(const Run& run, StayId stay, const std::optional<StayPart>& part) {
  if (part) return part->size;
  return isStay(run, stay) ? run.problem.stays[stay].size : Bytes();
}

Interval<Step> stepsOf(const Run& run, StayId stay, const std::optional<StayPart>& part) {
  if (part) return part->steps;
  return isStay(run, stay) ? run.problem.stays[stay].steps : Interval<Step>();
}

/// The first cell names the row; numbers say what they count, for a bare number says nothing.
RowWords wordsOf(const Run& run, const MethodList& list, const MethodRow& row) {
  const RowCells cells(row);
  RowWords words;
  if (list.role == Role::frames) {
    words.name = cells.texts.empty() ? std::string("-") : printable(cells.texts[0], 60);
    words.rest = fmt::format("{}, {}", usesText(cells.number(0)), bytesWords(list.role, cells));
    return words;
  }
  if (list.role == Role::free) words.name = fmt::format("at {}", formatBytes(cells.byte(0)));
  bool bytesTold = false;
  std::size_t bytesSeen = 0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    std::string word;
    const std::string title = i < list.columns.size() ? list.columns[i] : std::string();
    if (const auto* stay = std::get_if<StayId>(&row[i])) {
      word = stayWord(run, *stay);
    } else if (const auto* part = std::get_if<StayPart>(&row[i])) {
      word = partWord(run, *part);
    } else if (const auto* number = std::get_if<std::int64_t>(&row[i])) {
      word = fmt::format("{} {}", title, groupDigits(*number));
    } else if (const auto* text = std::get_if<std::string>(&row[i])) {
      word = printable(*text, 120);
      if (word == "yes") word = title;
    } else if (!bytesTold) {
      word = bytesWords(list.role, cells);
      bytesTold = true;
      ++bytesSeen;
    } else if (++bytesSeen > bytesSaid(list.role)) {
      word = fmt::format("{} {}", title, formatBytes(std::get<Bytes>(row[i])));
    }
    if (words.name.empty()) {
      words.name = std::move(word);
    } else {
      addWord(words.rest, word);
    }
  }
  return words;
}

void cover(std::optional<Interval<Bytes>>& all, Interval<Bytes> bytes) {
  if (!all) all = bytes;
  all = {std::min(all->begin, bytes.begin), std::max(all->end, bytes.end)};
}

}  // namespace hw::stage
