#pragma once

#include <span>
#include <stop_token>

#include "core/tile/line_pull.h"

namespace hw {

/// The cells of a run: `rows` at a time, of a grid of `bands` times `columns`; or by channels.
struct TileGrid {
  std::int64_t rows = 1;
  std::int64_t bands = 1;
  std::int64_t columns = 1;
  bool apart = false;       ///< Rows have places of their own, and no ring.
  std::int64_t groups = 0;  ///< Of channels, one at a time; 0: by rows.
};

/// The grids that runs may use, and the work that they may cost.
struct RunBounds {
  std::span<const TileGrid> grids{};
  std::int64_t extra = 0;  ///< Work that may be done more than once, in all.
  /// Fewer bytes live at once than this are of no use: of all choices that are no higher, the
  /// cheapest is taken.
  Bytes enough{};
};

/// Parts of full width, of 1, 2 or 4 rows.
std::span<const TileGrid> lineGrids();
/// Parts of full width, and of 2 to 4 columns, with rows that are apart: less is live, since no row
/// is held for another, and plans are harder to find.
std::span<const TileGrid> looseGrids();
/// 2 to 8 columns, a row at a time.
std::span<const TileGrid> stripeGrids();
/// 2 to 64 boxes.
std::span<const TileGrid> patchGrids();

/// By channels, in 2 to 64 groups.
std::span<const TileGrid> channelGrids();

/// The runs of a program that are to be tiled, disjoint and in order; all other ops run whole.
struct RunChoice {
  std::vector<TileRun> runs{};
  Bytes peak{};   ///< The most bytes live at once.
  Bytes whole{};  ///< The same where nothing is tiled.
  RunPrice price{};
};

/// The runs with the fewest bytes live at once, of any number, and among those the ones that do the
/// least work twice, then read the fewest weights again. The program has been made for the groups
/// of channels that grids have. Every op, and every run of up to kLongestRun ops in each of the
/// grids, is an edge from one cut of the program to another, with the bytes live in it and its
/// price; the lowest threshold under which a way through is left is the least peak, so the choice
/// is exact as far as there are edges.
///
/// Prices are known without pulling a run through, so a threshold is tried cut by cut, cheapest way
/// first, and only what that comes by is pulled. What was pulled once is remembered.
RunChoice chooseRuns(const TileProgram& program, const RunBounds& bounds,
                     const std::stop_token& stop = {});

/// The same for several sets of grids, by their numbers, each a part of the first: what is found
/// about a run serves all sets.
std::vector<RunChoice> chooseRuns(const TileProgram& program, const RunBounds& bounds,
                                  std::span<const std::vector<std::size_t>> sets,
                                  const std::stop_token& stop = {});

/// The longest run that is considered.
inline constexpr std::size_t kLongestRun = 96;

}  // namespace hw
