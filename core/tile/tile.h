#pragma once

#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/schedule/schedule.h"
#include "core/storage/aliasing.h"
#include "core/tile/tile_program.h"

namespace hw {

class Workers;

/// The ways in which ops are cut into parts.
enum class TileRule : std::uint8_t {
  off,
  lines,     ///< Runs of ops go row by row, in rings: core/tile/line_pull.h. Nothing is done twice.
  stripes,   ///< The same, also in columns that go one after the other: their halo is made twice.
  patches,   ///< In boxes of rows and columns, each made in one part by each op of a run.
  channels,  ///< Some channels at a time, whose weights are read once. Nothing is done twice.
  any,       ///< Whatever of these is best, run by run.
};

/// Their names in options, forms and files, by number.
std::span<const std::string_view> tileRuleNames();
std::string_view tileRuleName(TileRule rule);

/// The bytes saved and the work added by running in parts.
struct TileAccount {
  Bytes whole{};  ///< Most bytes live at once, all ops running whole.
  Bytes peak{};   ///< The same with parts.
  std::size_t runs = 0;
  std::size_t byChannels = 0;  ///< Of the runs.
  std::size_t cells = 0;  ///< Of the grids of all runs; as many as runs, where none goes in boxes.
  std::size_t ops = 0;    ///< That run in parts.
  std::size_t parts = 0;
  Bytes weights{};      ///< Of those ops.
  Bytes weightsRead{};  ///< By their parts, again and again.
  /// Of all ops, running whole: multiplications, and of ops without any elements that they touch.
  std::int64_t work = 0;
  std::int64_t extra = 0;  ///< The work that parts add.
  Bytes arriveAgain{};     ///< Of graph inputs that come in by rows: bytes beyond the first time.
  /// The reason why nothing runs in parts, in a sentence; empty where something does.
  std::string whyNot{};
};

struct TiledProgram {
  std::shared_ptr<const Graph> graph{};
  Schedule schedule{};
  TileAccount account{};
  /// The storage of that program; null where nothing was rewritten.
  std::shared_ptr<const Storage> storage{};
};

struct TileSettings {
  TileRule rule = TileRule::lines;
  /// Graph inputs come in row by row, when they are first read, instead of being there at once.
  bool arriving = false;
  /// The share of all work that may be done more than once.
  double extraWork = 0.1;
  /// Where outputs overlap inputs: what that comes to. Then programs are put in order by the bound
  /// with overlaps, and the one that was given is among them.
  OverlapFinder overlaps{};
};

/// The search for the programs in which runs of ops go in parts, so that the fewest bytes are live
/// at once. What it finds out serves later questions about the same program. May be asked by many
/// threads, which then work on different parts of the search as far as they can.
class TileSearch {
 public:
  /// Storage is shared as `options` say, but for work in place, which the aim of each question
  /// says.
  TileSearch(std::shared_ptr<const Graph> graph, Schedule schedule, const StorageOptions& options,
             const TileSettings& settings);
  ~TileSearch();
  TileSearch(TileSearch&&) noexcept;
  TileSearch& operator=(TileSearch&&) noexcept;

  /// The program with the lowest bound, which is the one that was given where nothing
  /// can be saved, and behind it the others that the rule comes to, the lowest first. The peak of
  /// each is its bound: where the rows of the first are hard to place, the plan of another may be
  /// lower. `workers`, if any, share the work.
  Result<std::vector<TiledProgram>> ways(const RunAim& aim, const std::stop_token& stop = {},
                                         Workers* workers = nullptr) const;

 private:
  class Search;
  std::unique_ptr<Search> search_;
};

/// The first of these ways, with work in place if `options` have it.
Result<TiledProgram> tiled(std::shared_ptr<const Graph> graph, Schedule schedule,
                           const StorageOptions& options, const TileSettings& settings,
                           const std::stop_token& stop = {});

/// "12 of 65 operators run in 1,934 parts, line by line: at most 271,040 bytes are live at once,
/// not 1,505,280; their weights are read 3.2 times". Of stripes and patches: "…; 2.8 % more work is
/// done"; of channels: "channel by channel", or where that goes for some runs only, "3 of them
/// channel by channel".
std::string tileText(const TileAccount& account);

}  // namespace hw
