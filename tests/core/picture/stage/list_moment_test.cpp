// Rows of a list at a tick: what came, what changed, what has gone; and which of them are drawn
// where not all have room.
#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "core/picture/stage/sketch.h"
#include "tests/support/problems.h"

using namespace hw;
using namespace hw::stage;

namespace {

MethodRow rowOf(std::int64_t key, std::int64_t value) { return {key, value}; }

/// A record of one list that is changed at random.
MethodRecord randomRecord(std::uint64_t seed) {
  test::Dice dice(seed);
  MethodRecord record{.name = "random"};
  MethodRecorder recorder(&record);
  const std::size_t list = recorder.addList({.name = "rows", .columns = {"key", "value"}});
  for (int tick = 0; tick < 30; ++tick) {
    for (std::int64_t change = dice.roll(0, 6); change > 0; --change) {
      const auto rows = static_cast<std::int64_t>(recorder.rows(list));
      const std::int64_t what = rows == 0 ? 0 : dice.roll(0, 3);
      const auto at = static_cast<std::size_t>(dice.roll(0, std::max<std::int64_t>(0, rows - 1)));
      if (what <= 1) {
        recorder.insert(list, at, rowOf(dice.roll(0, 5), dice.roll(0, 2)));
      } else if (what == 2) {
        recorder.erase(list, at);
      } else {
        recorder.replace(list, at, rowOf(dice.roll(0, 5), dice.roll(0, 2)));
      }
    }
    recorder.tick({}, Step(), "changes");
  }
  return record;
}

}  // namespace

TEST_CASE("marked rows are the state after a tick, and tell the one before", "[stage]") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    CAPTURE(seed);
    const MethodRecord record = randomRecord(seed);
    MethodPlayer player(record);
    std::vector<MethodRow> before;
    for (std::size_t tick = 1; tick <= record.ticks.size(); ++tick) {
      player.seek(tick);
      std::vector<MethodRow> now;
      std::vector<MethodRow> earlier;
      for (const MarkedRow& row : markedRows(record, player, 0)) {
        if (row.mark != Mark::gone) {
          CHECK(row.at == now.size());
          now.push_back(row.row);
        }
        if (row.mark == Mark::changed) {
          earlier.push_back(row.before);
        } else if (row.mark != Mark::put) {
          earlier.push_back(row.row);
        }
      }
      REQUIRE(now == player.state()[0]);
      // What was taken out and put in again may stand elsewhere.
      std::ranges::sort(earlier);
      std::ranges::sort(before);
      REQUIRE(earlier == before);
      before = player.state()[0];
    }
  }
}

TEST_CASE("rows are left out in the middle, those that changed last", "[stage]") {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    CAPTURE(seed);
    test::Dice dice(seed);
    std::vector<MarkedRow> rows(static_cast<std::size_t>(dice.roll(0, 60)));
    std::size_t marked = 0;
    for (MarkedRow& row : rows) {
      if (dice.roll(0, 20) > 0) continue;
      row.mark = dice.roll(0, 1) == 0 ? Mark::put : Mark::gone;
      ++marked;
    }
    const auto room = static_cast<std::size_t>(dice.roll(0, 40));
    const auto chosen = chosenRows(rows, room);
    CHECK(std::ranges::is_sorted(chosen));
    std::size_t lines = 0;
    std::size_t next = 0;
    for (const std::size_t row : chosen) {
      lines += row > next ? 2 : 1;
      next = row + 1;
    }
    lines += next < rows.size() ? 1 : 0;
    if (room == 1 && !rows.empty()) {
      // One that came, if any did, and nothing about those left out.
      REQUIRE(chosen.size() == 1);
      const bool came = std::ranges::find(rows, Mark::put, &MarkedRow::mark) != rows.end();
      if (came) CHECK(rows[chosen[0]].mark == Mark::put);
      continue;
    }
    if (!chosen.empty()) CHECK(lines <= room);
    if (rows.size() <= room) CHECK(chosen.size() == rows.size());
    // Each marked row takes itself and at most a gap before it, and there is one gap behind.
    if (2 * marked + 1 <= room) {
      for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i].mark != Mark::none) CHECK(std::ranges::binary_search(chosen, i));
      }
    }
  }
}
