#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "core/ops/folds.h"
#include "core/ops/regions.h"
#include "core/storage/aliasing.h"

namespace hw {

/// One operand of which a part reads some rows.
struct TileRead {
  TensorId tensor{};
  std::size_t input = 0;  ///< Of the op.
  Reach reach{};          ///< Along the rows of the tensor.
  Reach across{};         ///< Along its columns, of an op that divides.
};

/// A tensor cut into rows along the axis that the ops around it agree on. In programs by channels a
/// row is a group of channels.
struct TileRows {
  int axis = -1;  ///< None: it has no rows, or ops do not agree on them.
  std::int64_t count = 0;
  Bytes bytes{};          ///< Of one row.
  std::int64_t each = 1;  ///< Elements of the axis in a row.
  /// The axis of columns, if ops agree on one as well; else a row is one column.
  int across = -1;
  std::int64_t width = 1;  ///< Columns.

  Bytes bytesOf(Interval<std::int64_t> columns) const {
    return Bytes(bytes.count() / width * columns.length());
  }
};

/// An op, as far as it may run in parts.
struct TileOp {
  bool able = false;
  int axis = 0;                     ///< Of its outputs.
  std::int64_t rows = 0;            ///< Of each of its outputs; of a fold, of what it reads.
  std::int64_t width = 1;           ///< The columns of a row, if it can be cut into them.
  std::vector<TensorId> outputs{};  ///< Those that anybody reads.
  std::int64_t each = 1;            ///< TileRows::each of those rows.
  std::vector<TileRead> reads{};    ///< By rows.
  std::vector<TensorId> wholes{};   ///< Read whole by every part; weights not counted.
  Bytes weights{};                  ///< Read by every part: those it reads no share of.
  bool divides = false;             ///< Its rows can be cut into columns.
  int across = 0;                   ///< The axis of columns, of its outputs.
  std::int64_t work = 0;  ///< Multiplications; of an op without any, elements that it touches.
  TensorId over{};        ///< The operand whose rows it may write its own over; none: it may not.
  /// True for a fold: it takes in rows of its input and makes its one output with the last of them.
  bool folds = false;
  /// The bytes of a fold's partial results; none where they lie in the output.
  Bytes soFar{};
};

/// What overlaps of outputs with inputs come to in a program whose storage is shared so.
struct OverlapFacts {
  Bytes bound{};               ///< No plan has a lower peak.
  std::vector<Bytes> saved{};  ///< By step: of ops that make their output row by row.
};
using OverlapFinder = std::function<OverlapFacts(const Graph&, const Schedule&, const Storage&)>;

/// True for an optional output that nobody reads, as the mask of Dropout or the places of MaxPool:
/// a tiled graph leaves it out.
bool isIdleOutput(const Graph& graph, TensorId tensor);

/// A program as the search for parts sees it: its ops in order, without those that run ahead of
/// time, and what is live in each of their steps.
///
/// It goes by rows of images, or by channels: then the channels of each tensor are so many groups,
/// as large as each other, and a group is what a row is otherwise.
class TileProgram {
 public:
  /// By rows, and by channels in each of these numbers of groups. Storage is shared as `options`
  /// say, with work in place and without. `arriving`: graph inputs with rows come in when they are
  /// first read. `overlaps`: outputs overlap inputs, of ops that run whole and of runs. After a
  /// stop some of `groups` may be missing.
  TileProgram(const Graph& graph, const Schedule& schedule, const StorageOptions& options,
              bool arriving, std::span<const std::int64_t> groups = {},
              const std::stop_token& stop = {}, const OverlapFinder& overlaps = {});

  /// The program by channels in that number of groups, one of those given; 0: this one, by rows.
  const TileProgram& along(std::int64_t groups) const;
  bool goesByChannels() const { return groups_ > 0; }

  const Graph& graph() const { return graph_; }
  std::size_t size() const { return order_.size(); }
  OpId opAt(std::size_t at) const { return order_[at]; }
  const TileOp& op(std::size_t at) const { return ops_[at]; }
  /// True if it can run in parts in some run.
  bool isAble(std::size_t at) const { return ops_[at].able || sums_.contains(at); }
  /// As it goes in a run that ends before `last`. By channels, a dense convolution makes some of
  /// its channels of all of its input; where nobody in the run reads those, it takes in some
  /// channels of its input, and adds up what comes of them.
  const TileOp& op(std::size_t at, std::size_t last) const {
    return sums_.empty() ? ops_[at] : opUntil(at, last);
  }
  const TileRows& rows(TensorId tensor) const { return rows_[tensor]; }
  /// Of those that read it, by place in the order; ascending.
  const std::vector<std::size_t>& readers(TensorId tensor) const { return readers_[tensor]; }
  /// Of those that read it by rows: the place in the order, and which rows. Ascending.
  struct RowReader {
    std::size_t at = 0;
    Reach reach{};
  };
  const std::vector<RowReader>& rowReaders(TensorId tensor) const { return rowReaders_[tensor]; }
  /// The place of the op that makes it; nothing for graph inputs and weights.
  std::optional<std::size_t> maker(TensorId tensor) const { return makers_[tensor]; }
  /// A graph input that comes in row by row, when it is read.
  bool arrives(TensorId tensor) const { return arrives_[tensor]; }
  /// True if it takes bytes of a plan.
  bool planned(TensorId tensor) const { return static_cast<bool>(storage_.bufferOf(tensor)); }
  bool handedOut(TensorId tensor) const { return graph_.tensors[tensor].graphOutput; }

  Bytes aligned(Bytes size) const { return alignUp(size, options_.alignment); }
  /// Bytes live while an op runs whole, with work in place or without.
  Bytes liveAt(std::size_t at, bool inPlace = false) const {
    return inPlace ? liveInPlace_[at] : live_[at];
  }
  /// Bytes live between the op before `cut` and the one at it, with no work in place.
  Bytes liveAcross(std::size_t cut) const { return across_[cut]; }
  /// Of all ops.
  std::int64_t work() const { return work_; }

  /// A buffer, nothing being done in place; by places in the order.
  struct Life {
    std::size_t begin = 0;
    std::size_t end = 0;  ///< One behind the last.
    Bytes size{};
  };
  const std::vector<Life>& lives() const { return lives_; }
  /// True if outputs overlap inputs.
  bool overlaps() const { return overlaps_; }
  /// True if the tensor has a buffer to itself, in which its rows follow upon each other.
  bool liesInRows(TensorId tensor) const;
  /// The number of the life that a planned tensor is part of.
  std::size_t lifeOf(TensorId tensor) const { return storage_.bufferOf(tensor).index(); }

 private:
  TileProgram inGroups(std::int64_t groups) const;
  const TileOp& opUntil(std::size_t at, std::size_t last) const;
  void findOrder(const Schedule& schedule);
  void readOps();
  void findArrivals();
  void readOp(std::size_t at);
  void readSum(std::size_t at);
  void addRowReader(std::size_t at, const TileOp& op);
  bool readFold(std::size_t at, const std::optional<Fold>& fold, TileOp& tiled);
  int firstAxis(const Op& op, std::size_t rank) const;
  const Reach* reachOf(const Op& op, const Regions& regions, std::size_t input, int axis,
                       std::size_t& along) const;
  int axisFor(const Op& op, const Regions& regions, int TileRows::*known, int fallback) const;
  bool setRows(TensorId tensor, int axis);
  bool divide(std::size_t at, const Regions& regions);
  bool setColumns(TensorId tensor, int axis);
  void findLives(const Schedule& schedule, const StorageOptions& options,
                 const OverlapFinder& overlaps);
  std::vector<Bytes> liveIn(const Storage& storage, const Schedule& schedule) const;
  Life lifeIn(const Storage& storage, BufferId id, const Schedule& schedule) const;
  void shareLives(const Schedule& schedule, const std::vector<Bytes>& saved);
  std::size_t firstReader(TensorId tensor) const;

  const Graph& graph_;
  StorageOptions options_;
  bool arriving_;
  bool overlaps_ = false;
  std::int64_t groups_ = 0;              ///< 0: by rows.
  std::vector<TileProgram> byChannels_;  ///< Of the program by rows.
  std::map<std::size_t, TileOp> sums_;   ///< By place: as an op that adds up its channels.
  std::vector<OpId> order_;
  std::vector<std::size_t> placeOfStep_;  ///< Of the first op that runs at that step or later.
  std::vector<TileOp> ops_;
  IdMap<TensorId, TileRows> rows_;
  IdMap<TensorId, std::vector<std::size_t>> readers_;
  IdMap<TensorId, std::vector<RowReader>> rowReaders_;
  IdMap<TensorId, std::optional<std::size_t>> makers_;
  IdMap<TensorId, bool> arrives_;
  Storage storage_;  ///< Nothing in place.
  std::vector<Life> lives_;
  std::vector<Bytes> live_;         ///< By op.
  std::vector<Bytes> liveInPlace_;  ///< By op.
  std::vector<Bytes> across_;       ///< By cut.
  std::int64_t work_ = 0;
};

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

/// The aim of a search for runs.
struct RunAim {
  /// Fewer bytes live at once are of no use: of all choices that are no higher, the one is taken
  /// that does the least more work, and then reads the fewest weights again.
  Bytes enough{};
  bool inPlace = false;  ///< Ops that run whole may write over their inputs.
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

/// The cost of all parts of a run beside memory.
struct RunPrice {
  std::int64_t extra = 0;  ///< Work that is done more than once, as TileOp::work counts it.
  Bytes again{};           ///< Weights that are read once more.
  std::size_t parts = 0;

  RunPrice& operator+=(const RunPrice& other);
  friend RunPrice operator+(RunPrice a, const RunPrice& b) { return a += b; }
  friend auto operator<=>(const RunPrice&, const RunPrice&) = default;
};

/// The box of each tensor that a run needs in each cell: from the last op of a run to the first,
/// each asks those before it for what it needs. Where cells need the same rows or columns of a
/// tensor inside, each makes its own: that is the halo. Tensors that leave the run are made once,
/// so no cell may need more of them than its own.
///
/// The boxes of an op do not depend on where the run begins, so one sweep tells the price of all
/// runs that end at a cut.
class BoxSweep {
 public:
  explicit BoxSweep(const TileProgram& program);

  /// Of runs like `run` that end where it does; its first op does not matter.
  void begin(const TileRun& run);
  /// Takes in the op before. False when it cannot run in parts like this; then no more can be.
  bool extend();

  /// The first op that was taken in.
  std::size_t first() const { return first_; }
  const RunPrice& price() const { return price_; }
  /// True if a run can begin at that op, which was taken in: no fold reads pieces wider than its
  /// share because others in the cell need more of them, and so takes in some elements twice.
  bool canBegin(std::size_t first) const { return canBegin_[run_.last - 1 - first]; }
  /// True if the boxes of `run` are those here, whatever op either begins at.
  bool isOf(const TileRun& run) const {
    return run.last == run_.last && run.bands == run_.bands && run.columns == run_.columns;
  }

  /// The box that an op makes in a cell.
  const TileBox& made(std::size_t at, std::size_t cell) const {
    return made_[(run_.last - 1 - at) * run_.cells() + cell];
  }
  /// The box of a tensor that is read in a cell, or made where it leaves the run; of the output of
  /// a fold, the box that the fold reads.
  const TileBox& boxOf(TensorId tensor, std::size_t cell) const {
    return boxes_[placeOf_[tensor] + cell];
  }
  /// The columns of the tensor in that box.
  Interval<std::int64_t> columnsOf(TensorId tensor, std::size_t cell) const;

 private:
  bool make(std::size_t at, std::size_t cell, TileBox& made);
  void read(std::size_t at, std::size_t cell, const TileBox& made);
  void pay(std::size_t at);
  bool leaves(TensorId tensor) const;
  TileBox shareOf(const TileOp& op, std::size_t cell) const;
  bool makeFold(const TileOp& op, std::size_t cell, TileBox& made);
  TileBox& box(TensorId tensor, std::size_t cell);
  bool foldsOwn() const;
  /// The op in the form that it has in this run.
  const TileOp& ofRun(std::size_t at) const { return program_.op(at, run_.last); }
  bool cutsColumns() const { return run_.columns > 1; }

  const TileProgram& program_;
  TileRun run_;
  std::size_t first_ = 0;
  std::size_t earliest_ = 0;  ///< Those before it make what is read whole.
  RunPrice price_;
  IdMap<TensorId, std::size_t> placeOf_;  ///< Of the first cell in `boxes_`.
  std::vector<TileBox> boxes_;            ///< By tensor and cell.
  std::vector<TensorId> used_;            ///< Tensors that have boxes.
  std::vector<std::size_t> folds_;        ///< Ops, from the last one on.
  std::vector<TileBox> made_;             ///< By op, from the last one on, and cell.
  std::vector<bool> canBegin_;            ///< By op, from the last one on.
};

}  // namespace hw
