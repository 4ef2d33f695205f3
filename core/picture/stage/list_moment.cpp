#include "core/picture/stage/list_moment.h"

#include <algorithm>
#include <set>

namespace hw::stage {
namespace {

/// Undoes the tick's changes of one list.
std::vector<MethodRow> rowsBefore(std::vector<MethodRow> rows,
                                  const std::vector<const MethodChange*>& changes) {
  for (auto each = changes.rbegin(); each != changes.rend(); ++each) {
    const MethodChange& change = **each;
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

/// Where row `at` of the list is among `rows`, of which some are gone.
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
  // What was chosen, what came or changed, then what has gone, then the ends.
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

}  // namespace hw::stage
