#pragma once

#include <map>
#include <utility>
#include <vector>

#include "core/tile/tile_program.h"

namespace hw {

/// Room for the rows of one tensor, and of those that are written over them, in use for some steps
/// of a run. In a run whose rows are apart, for one of them. Of the output of a fold, as one row,
/// for what came of the rows so far.
struct TileRing {
  TensorId tensor{};
  std::size_t cell = 0;       ///< Of the run.
  Bytes row{};                ///< The bytes of one.
  std::int64_t capacity = 0;  ///< Rows.
  std::size_t begin = 0;      ///< The parts during which it holds any: [begin, end).
  std::size_t end = 0;
  std::int64_t only = -1;  ///< The row that it is for, where rows are apart.
  bool soFar = false;      ///< Of the output of a fold.
};

/// Some rows of the outputs of one op, or of a graph input that comes in.
struct TilePart {
  static constexpr std::size_t kArrives = static_cast<std::size_t>(-1);
  std::size_t at = kArrives;  ///< The place of the op.
  TensorId input{};           ///< The graph input that comes in.
  std::size_t cell = 0;       ///< Of the run.
  Interval<std::int64_t> rows{};
};

/// A run, pulled through: which parts in which order, and where rows lie.
struct PulledRun {
  std::vector<TilePart> parts{};
  std::vector<TileRing> rings{};
  Bytes peak{};  ///< The most bytes live at once, all other tensors included.
};

/// Runs ops line by line, cell by cell: the last one asks for its next rows, that asks those before
/// it for the rows it needs, and so on. Each tensor inside keeps what may still be read, so no row
/// is made twice in a cell, and skips and branches need no special case.
///
/// An op that may write over its input does so row by row, where nobody else reads that: both share
/// a ring. Where the chain ends in a tensor that leaves the run, its rows lie in that.
class LinePull {
 public:
  explicit LinePull(const TileProgram& program);
  LinePull(const LinePull&) = delete;
  LinePull& operator=(const LinePull&) = delete;

  /// The role of a tensor in a run.
  enum class Role : std::uint8_t {
    outside,  ///< Whole, made before: read where it lies.
    inside,   ///< Made and read in the run only: in rings.
    leaves,   ///< Whole, made in the run: its parts are written where they belong.
  };
  Role roleOf(const TileRun& run, TensorId tensor) const;

  /// False when the ops cannot run in parts together, or when that takes `limit` or more; then
  /// `result()` is undefined. `tell`: also fill in parts and the places of rows.
  bool pull(const TileRun& run, Bytes limit, bool tell = true);
  const PulledRun& result() const { return result_; }
  /// After `pull`: true if the ops can run in parts together.
  bool possible() const { return possible_; }
  /// After a pull that took too much: a lower bound of the run's peak.
  Bytes atLeast() const { return atLeast_; }
  /// After `pull`: the most bytes seen live of what the run makes. A run in the same cells that
  /// begins earlier and ends there has no fewer. 0 where outputs overlap inputs.
  Bytes ownAtLeast() const { return program_.overlaps() ? Bytes() : own_; }
  /// The bytes of tensors from outside a run that are live all through it.
  Bytes liveAround(const TileRun& run);
  const BoxSweep& boxes() const { return *boxes_; }

  /// The ring, by its number in the result, that has a row of an inside tensor in a cell; for
  /// tensors without a ring `hostOf`, the tensor that it lies in.
  std::size_t ringOf(TensorId tensor, std::size_t cell, std::int64_t row) const;
  TensorId hostOf(TensorId tensor) const { return state_[tensor].host; }
  /// The ring with the partial results of a fold; without one they lie in its output.
  std::size_t soFarRing(std::size_t at) const { return folds_.at(at); }
  /// True for the last part of its op.
  bool isLast(const TilePart& part) const {
    return part.cell + 1 == run_.cells() &&
           part.rows.end == boxes_->made(part.at, part.cell).rows.end;
  }

 private:
  static constexpr std::size_t kNoRing = static_cast<std::size_t>(-1);

  /// The first row of a tensor that may still be read, and by which op; kNobody: by none.
  struct Oldest {
    static constexpr std::size_t kNobody = static_cast<std::size_t>(-1);
    std::int64_t row = 0;
    std::size_t reader = kNobody;
  };

  struct State {
    Role role = Role::outside;
    std::int64_t made = 0;  ///< Rows.
    Oldest oldest{};
    std::int64_t freed = 0;  ///< Of a root whose rows are apart: those before are gone.
    TensorId root{};         ///< The tensor whose ring it is.
    TensorId next{};         ///< Is written over it.
    TensorId host{};         ///< Whole, and its rows lie in there; none: in a ring.
    std::size_t ring = kNoRing;
    std::vector<std::size_t> rings{};  ///< Of a root, by cell and row, if anybody asked.
  };

  /// A tensor that ends in the run and one that leaves it, which may overlap it by rows.
  struct Pair {
    TensorId under{};
    TensorId over{};
    Bytes end{};  ///< Of the rows of `over` that are made.
    Bytes up{};   ///< It has to begin so far below.
  };

  bool prepare();
  bool findBoxes();
  void use(TensorId tensor);
  void await();
  void beginCell(std::size_t cell);
  void endCell();
  void finish(const TileOp& op);
  void joinInPlace(std::size_t at);
  void produce(TensorId tensor, std::int64_t until);
  void produceRows(std::size_t at, std::int64_t until);
  void arrive(TensorId tensor, std::int64_t until);
  void emit(std::size_t at, Interval<std::int64_t> rows);
  void takeIn(std::size_t at, bool last);
  void hold(TensorId tensor, std::int64_t before);
  void holdApart(TensorId tensor, std::int64_t before);
  void freeApart(State& root, std::int64_t until);
  void release(TensorId tensor);
  void touch(TensorId tensor);
  Oldest oldestOf(TensorId tensor) const;
  std::int64_t oldestIn(TensorId root) const;
  /// The op in the form that it has in this run.
  const TileOp& ofRun(std::size_t at) const { return program_.op(at, run_.last); }
  bool isInside(TensorId tensor) const { return state_[tensor].role == Role::inside; }
  void pairUp();
  void keepApart(std::size_t at, std::int64_t end);
  std::pair<Bytes, const Pair*> bestPair() const;
  void addUp();

  const TileProgram& program_;
  std::map<std::pair<std::int64_t, std::int64_t>, BoxSweep> sweeps_;  ///< By bands and columns.
  BoxSweep* boxes_ = nullptr;                                         ///< Of the run.
  TileRun run_;
  std::size_t cell_ = 0;
  std::size_t clock_ = 0;  ///< Parts that have run.
  bool tell_ = false;
  Bytes limit_;
  Bytes least_;    ///< No less is live during the part that runs,
  Bytes others_;   ///< of which so much was there before the run.
  Bytes atLeast_;  ///< The most of `least_`.
  Bytes own_;      ///< The most of `least_ - others_`.
  bool possible_ = false;
  bool stopped_ = false;
  IdMap<TensorId, State> state_;
  std::vector<TensorId> used_;      ///< Tensors whose state is of this run.
  std::vector<std::int64_t> done_;  ///< By op of the run: rows of its outputs.
  /// By life of the program: the first and last part that touches it.
  std::vector<std::pair<std::size_t, std::size_t>> touched_;
  std::vector<Pair> pairs_;
  Bytes slack_;                               ///< No overlap saves more.
  std::map<std::size_t, std::size_t> folds_;  ///< By place of the op: the ring.
  std::vector<std::size_t> touchedLives_;
  /// By life that ends in the run: the number of reads still to come.
  std::vector<std::size_t> waiting_;
  std::vector<std::size_t> awaited_;  ///< Lives that `waiting_` counts reads of.
  /// Lives that go on behind the op `acrossLast_`: their first op and their size.
  std::vector<std::pair<std::size_t, Bytes>> across_;
  std::size_t acrossLast_ = static_cast<std::size_t>(-1);
  PulledRun result_;
};

}  // namespace hw
