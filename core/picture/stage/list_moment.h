#pragma once

#include <vector>

#include "core/plan/method_record.h"

namespace hw::stage {

/// What a tick did to a row.
enum class Mark : std::uint8_t { none, put, changed, gone };

struct MarkedRow {
  MethodRow row{};
  Mark mark = Mark::none;
  std::uint32_t at = 0;  ///< In the list; of one that is gone, where it would be now.
  MethodRow before{};    ///< Of one that is changed.
};

/// The rows of list `list` when `player` has come to its tick, those that this tick took out among
/// them at their places. What it took out and put in again as it was is as it was.
std::vector<MarkedRow> markedRows(const MethodRecord& record, const MethodPlayer& player,
                                  std::uint32_t list);

/// Which rows to draw where there is room for `room` lines and each run of rows left out takes one:
/// the candidate that was chosen and marked ones first, then from both ends. A line that is the
/// only one is a row's. Ascending. All where they fit.
std::vector<std::size_t> chosenRows(const std::vector<MarkedRow>& rows, std::size_t room);

/// Whether the row is the candidate that was taken.
bool isChosen(const MethodRow& row);

}  // namespace hw::stage
