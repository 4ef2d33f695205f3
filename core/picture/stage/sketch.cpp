#include "core/picture/stage/sketch.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

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

/// Number of byte cells that `bytesWords` has said.
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

namespace {

/// Undoes the tick's changes of one list.
std::vector<MethodRow> rowsBefore(std::vector<MethodRow> rows,
                                  std::vector<const MethodChange*> changes) {
  std::ranges::reverse(changes);
  for (const MethodChange* each : changes) {
    const MethodChange& change = *each;
    const auto at = rows.begin() + static_cast<std::ptrdiff_t>(change.at);
    if (change.before.empty()) {
      rows.erase(at);
    } else if (change.after.empty()) {
      rows.insert(at, change.before);
    } else {
      *at = change.before;
    }
  }
  return rows;
}

/// Place of row `at` of the list among `rows`, of which some are gone.
std::size_t placeOf(const std::vector<MarkedRow>& rows, std::size_t at) {
  std::size_t place = 0;
  for (; place < rows.size(); ++place) {
    if (rows[place].mark == Mark::gone) continue;
    if (at-- == 0) break;
  }
  return place;
}

void put(std::vector<MarkedRow>& rows, const MethodChange& change) {
  const auto at = rows.begin() + static_cast<std::ptrdiff_t>(placeOf(rows, change.at));
  const auto back = rows.insert(at, {.row = change.after, .mark = Mark::put});
  const auto same = std::ranges::find_if(rows, [&](const MarkedRow& row) {
    return row.mark == Mark::gone && row.row == change.after;
  });
  if (same == rows.end()) return;
  back->mark = Mark::none;
  rows.erase(same);
}

void follow(std::vector<MarkedRow>& rows, const MethodChange& change) {
  if (change.before.empty()) {
    put(rows, change);
    return;
  }
  const auto at = rows.begin() + static_cast<std::ptrdiff_t>(placeOf(rows, change.at));
  if (!change.after.empty()) {
    if (at->mark == Mark::none) {
      at->mark = Mark::changed;
      at->before = at->row;
    }
    at->row = change.after;
  } else if (at->mark == Mark::put) {
    rows.erase(at);  // Came and went within the tick.
  } else {
    if (at->mark == Mark::changed) at->row = at->before;
    at->mark = Mark::gone;
  }
}

std::size_t linesOf(const std::set<std::size_t>& chosen, std::size_t count) {
  std::size_t lines = chosen.size();
  std::size_t next = 0;
  for (const std::size_t row : chosen) {
    lines += row > next ? 1 : 0;
    next = row + 1;
  }
  return lines + (next < count ? 1 : 0);
}

}  // namespace

std::vector<MarkedRow> markedRows(const MethodRecord& record, const MethodPlayer& player,
                                  std::uint32_t list) {
  std::vector<const MethodChange*> changes;
  if (player.at() > 0) {
    for (const MethodChange& change : record.changesOf(player.at() - 1)) {
      if (change.list == list) changes.push_back(&change);
    }
  }
  std::vector<MarkedRow> rows;
  for (MethodRow& row : rowsBefore(player.state()[list], changes)) {
    rows.push_back({.row = std::move(row)});
  }
  for (const MethodChange* change : changes) follow(rows, *change);
  std::uint32_t at = 0;
  for (MarkedRow& row : rows) {
    row.at = at;
    at += row.mark == Mark::gone ? 0 : 1;
  }
  return rows;
}

bool isChosen(const MethodRow& row) {
  return std::ranges::find(row, MethodCell(std::string("chosen"))) != row.end();
}

std::vector<std::size_t> chosenRows(const std::vector<MarkedRow>& rows, std::size_t room) {
  std::vector<std::size_t> all(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) all[i] = i;
  if (rows.size() <= room) return all;
  // The chosen one first, then rows that came or changed, then those gone, then the ends.
  std::vector<std::size_t> wishes;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].mark != Mark::gone && isChosen(rows[i].row)) wishes.push_back(i);
  }
  for (const bool gone : {false, true}) {
    for (std::size_t i = 0; i < rows.size() && wishes.size() < 2 * room; ++i) {
      const Mark mark = rows[i].mark;
      if (mark != Mark::none && (mark == Mark::gone) == gone) wishes.push_back(i);
    }
  }
  for (std::size_t i = 0; i < room && i < rows.size(); ++i) {
    wishes.push_back(i);
    wishes.push_back(rows.size() - 1 - i);
  }
  if (room == 1) return {wishes.front()};
  std::set<std::size_t> chosen;
  for (const std::size_t wish : wishes) {
    const auto [at, fresh] = chosen.insert(wish);
    if (fresh && linesOf(chosen, rows.size()) > room) chosen.erase(at);
  }
  return {chosen.begin(), chosen.end()};
}

StageItem& Sketch::rectangle(const Box& box, Part part, const Look& look, StayId stay,
                             std::string tooltip) {
  items_.push_back(
      {.part = part, .box = inside(box), .look = look, .text = std::move(tooltip), .stay = stay});
  return items_.back();
}

void Sketch::hatch(const Box& box, Part part, Fill fill) {
  const Box shown = inside(box);
  if (shown.width < 1 || shown.height < 1) return;
  items_.push_back(
      {.shape = StageItem::Shape::hatch, .part = part, .box = shown, .look = {.fill = fill}});
}

void Sketch::line(Point from, Point to, const Stroke& stroke) {
  items_.push_back({.shape = StageItem::Shape::line,
                    .box = inside(Box::between(from.x, from.y, to.x, to.y)),
                    .look = {.edge = stroke}});
}

/// Empty at the nearest edge when none of it is inside.
Box Sketch::inside(const Box& box) const {
  const auto clampedX = [&](double x) { return std::clamp(x, bounds_.left, bounds_.right()); };
  const auto clampedY = [&](double y) { return std::clamp(y, bounds_.top, bounds_.bottom()); };
  return Box::between(clampedX(box.left), clampedY(box.top), clampedX(box.right()),
                      clampedY(box.bottom()));
}

bool Sketch::words(const Box& room, std::string_view text, const Lettering& lettering, Part part,
                   std::size_t least, bool middle) {
  if (room.height < ruler_.height() - 0.01 || room.width <= 0 || text.empty()) return false;
  const std::string shown = elided(ruler_, text, room.width, middle, lettering.bold);
  const auto letters = static_cast<std::size_t>(
      std::ranges::count_if(shown, [](char c) { return (c & 0xC0) != 0x80; }));
  // The ellipsis is no letter.
  if (shown != text && letters < least + 1) return false;
  const double width = ruler_.width(shown, lettering.bold);
  if (width > room.width) return false;
  const double left = lettering.anchor == Anchor::start    ? room.left
                      : lettering.anchor == Anchor::middle ? room.left + (room.width - width) / 2
                                                           : room.right() - width;
  const Box box{left, room.top + (room.height - ruler_.height()) / 2, width, ruler_.height()};
  const Box seen = inside(box);
  if (seen.height < box.height - 0.01 || seen.width < box.width - 0.01) return false;
  if (box.meetsAny(words_)) return false;
  words_.push_back(box);
  items_.push_back({.shape = StageItem::Shape::text,
                    .part = part,
                    .box = box,
                    .lettering = lettering,
                    .text = shown});
  return true;
}

bool Sketch::wordsAt(double x, const Box& room, std::string_view text, Ink ink) {
  const double width = std::min(room.width, ruler_.width(text));
  const double left =
      std::clamp(x - width / 2, room.left, std::max(room.left, room.right() - width));
  // A hair more than it takes: rounding must not cost a letter.
  return words({left, room.top, width + 0.01, room.height}, text, {.ink = ink});
}

Box columnOf(const Box& box, double from, double to) {
  return {box.left + box.width * from, box.top, box.width * (to - from), box.height};
}

}  // namespace hw::stage
