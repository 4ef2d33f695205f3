#pragma once

#include <vector>

#include "core/tile/tile_program.h"

namespace hw {

/// Ops [first, last) of a program that run in parts: of each cell of a grid over their outputs, of
/// `bands` times `columns` cells, so many rows at a time.
///
///     bands 1, columns 1    lines: rows of full width, none made twice
///     bands 1, columns 4    stripes: four columns, one after the other, line by line
///     bands 3, columns 4    with `rows` = kAllRows: patches, each made in one part by each op
///     groups 8              by channels: an eighth of those of each tensor, then the next
struct TileRun {
  static constexpr std::int64_t kAllRows = std::int64_t{1} << 40U;

  std::size_t first = 0;
  std::size_t last = 0;
  std::int64_t rows = 1;
  std::int64_t bands = 1;
  std::int64_t columns = 1;
  /// Each row of a tensor inside has a place of its own, for as long as it may be read; else all
  /// have a ring together, for as long as one of them may.
  bool apart = false;
  std::int64_t groups = 0;  ///< Of channels; 0: by rows.

  std::size_t cells() const { return static_cast<std::size_t>(bands * columns); }
  friend bool operator==(const TileRun&, const TileRun&) = default;
};

/// Some rows of a tensor, and of these some columns; [0, 1) of them in runs that cut no columns.
struct TileBox {
  Interval<std::int64_t> rows{};
  Interval<std::int64_t> columns{};

  bool isEmpty() const { return rows.empty(); }
  std::int64_t area() const { return rows.length() * columns.length(); }
  /// The smallest box around both.
  void join(const TileBox& other);
  friend bool operator==(const TileBox&, const TileBox&) = default;
};

/// What all parts of a run cost beside memory.
struct RunPrice {
  std::int64_t extra = 0;  ///< Work that is done more than once, as TileOp::work counts it.
  Bytes again{};           ///< Weights that are read once more.
  std::size_t parts = 0;

  RunPrice& operator+=(const RunPrice& other);
  friend RunPrice operator+(RunPrice a, const RunPrice& b) { return a += b; }
  friend auto operator<=>(const RunPrice&, const RunPrice&) = default;
};

/// Which box of each tensor a run needs in each cell: from the last op of a run to the first, each
/// asks those before it for what it needs. Where cells need the same rows or columns of a tensor
/// inside, each makes its own: that is the halo. What leaves the run is made once, so no cell may
/// need more of it than its own.
///
/// What an op is asked for does not depend on where the run begins, so one sweep tells the price of
/// all runs that end at a cut.
class BoxSweep {
 public:
  explicit BoxSweep(const TileProgram& program);

  /// Of runs like `run` that end where it does; its first op does not matter.
  void begin(const TileRun& run);
  /// Takes in the op before. False when it cannot run in parts like this; then no more can be.
  bool extend();

  /// The first op that was taken in.
  std::size_t first() const { return first_; }
  /// Runs cannot begin before: an op reads all of what another makes.
  std::size_t earliest() const { return earliest_; }
  const RunPrice& price() const { return price_; }

  /// What an op makes in a cell.
  const TileBox& made(std::size_t at, std::size_t cell) const {
    return made_[run_.last - 1 - at][cell];
  }
  /// What is read of a tensor in a cell, or made of one that leaves the run; of the output of a
  /// fold, what that reads.
  const TileBox& boxOf(TensorId tensor, std::size_t cell) const { return boxes_[tensor][cell]; }
  /// When all ops are taken in: no fold reads pieces that are wider than its share, because others
  /// in the cell need more of them. It would take in some elements twice.
  bool foldsOwn() const;
  /// The columns of the tensor that are in that box.
  Interval<std::int64_t> columnsOf(TensorId tensor, std::size_t cell) const;

 private:
  bool make(std::size_t at, std::size_t cell, TileBox& made);
  void read(std::size_t at, std::size_t cell, const TileBox& made);
  void pay(std::size_t at);
  bool leaves(TensorId tensor) const;
  TileBox shareOf(const TileOp& op, std::size_t cell) const;
  bool makeFold(const TileOp& op, std::size_t cell, TileBox& made);
  TileBox& box(TensorId tensor, std::size_t cell);
  /// The op as it goes in this run.
  const TileOp& ofRun(std::size_t at) const { return program_.op(at, run_.last); }
  bool cutsColumns() const { return run_.columns > 1; }

  const TileProgram& program_;
  TileRun run_;
  std::size_t first_ = 0;
  std::size_t earliest_ = 0;
  RunPrice price_;
  IdMap<TensorId, std::vector<TileBox>> boxes_;
  std::vector<TensorId> used_;
  std::vector<std::vector<TileBox>> made_;  ///< By op, from the last one on.
};

}  // namespace hw
