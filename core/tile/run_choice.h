#pragma once

#include <memory>
#include <span>
#include <stop_token>
#include <vector>

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

/// The search for the runs with the fewest bytes live at once, of any number, and among those the
/// ones that do the least work twice, then read the fewest weights again. Every op, and every run
/// of up to kLongestRun ops in each of the grids, is an edge from one cut of the program to
/// another, with the bytes live in it and its price; the lowest threshold under which a way through
/// is left is the least peak, so the choice is exact as far as there are edges.
///
/// Prices are known without pulling a run through, so a threshold is tried cut by cut, cheapest way
/// first, and only what that comes by is pulled. What a run holds of its own bounds the longer ones
/// that end where it does, so most of these are not pulled. What was pulled once is remembered, and
/// serves later questions, whose answers do not depend on what was asked before.
class RunChooser {
 public:
  /// The program, which must outlive it, has been made for the groups of channels that grids have.
  /// `extra`: the work that may be done more than once, in all.
  RunChooser(const TileProgram& program, std::span<const TileGrid> grids, std::int64_t extra);
  ~RunChooser();

  /// With the grids of those numbers.
  RunChoice choose(std::span<const std::size_t> grids, const RunAim& aim,
                   const std::stop_token& stop);
  /// With all grids.
  RunChoice choose(const RunAim& aim = {}, const std::stop_token& stop = {});

 private:
  class Search;
  std::unique_ptr<Search> search_;
};

/// The longest run that is considered.
inline constexpr std::size_t kLongestRun = 96;

}  // namespace hw
