#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/interval.h"
#include "core/base/quantity.h"
#include "core/base/result.h"
#include "core/import/tflite/model.h"

namespace hw {

using RowSpan = Interval<std::int64_t>;

/// Rows of an operator's output as they come from rows of its inputs. Rows are those of NHWC images
/// of batch 1, and of matrices that FULLY_CONNECTED reads or makes (tfliteRowAxis): they lie one
/// after the other in memory.
struct RowGeometry {
  enum class Kind {
    window,  ///< Convolutions and pools.
    pad,     ///< PAD: its rows are moved down by `padTop`.
    same,    ///< Row for row: element-wise, QUANTIZE, CONCATENATION of channels, FULLY_CONNECTED.
    nearest  ///< RESIZE_NEAREST_NEIGHBOR by a whole number, `stride`.
  };
  Kind kind = Kind::same;
  std::int64_t kernel = 1;  ///< Rows that a window spans, dilation included.
  std::int64_t stride = 1;
  std::int64_t padTop = 0;
  bool samePadding = false;  ///< The kernel works its padding out from the height of its input.
  /// How many bytes a row of the output has to begin below a row of the input that nobody reads
  /// after it, unless it begins above that: so far are kernels that go point by point, from the
  /// first to the last, done with what they write over. Nothing: they may write before they read.
  std::optional<std::int64_t> below{};

  /// Rows of padding that the kernel puts above an input, or a view, of so many rows.
  std::int64_t paddingAbove(std::int64_t height) const;
};

/// One tensor of a model, as rows.
struct RowTensor {
  std::int64_t rows = 1;  ///< 1 for all that is not cut into rows.
  std::int64_t rowBytes = 0;
  bool stored = false;  ///< A weight: it takes no bytes of the arena.
  bool graphOutput = false;
  std::optional<std::size_t> maker{};
  std::vector<std::size_t> readers{};  ///< Ascending.

  std::int64_t bytes() const { return rows * rowBytes; }
};

struct RowOp {
  std::string type{};
  std::vector<std::size_t> inputs{};  ///< Without weights; each once.
  std::vector<std::size_t> outputs{};
  std::optional<RowGeometry> geometry{};  ///< Nothing: it does not go by rows.
  /// Multiplications of one row of the output; of all of it without a geometry.
  std::int64_t rowMacs = 0;
  std::int64_t weights = 0;  ///< Bytes of weights that each part reads.
  std::int64_t tail = 0;     ///< Bytes that the runtime keeps for one such operator.
};

/// The first subgraph of a TFLite file as rows.
struct RowModel {
  std::vector<RowTensor> tensors{};  ///< By tensor of the file.
  std::vector<RowOp> ops{};          ///< In the order of the file.
  std::vector<std::size_t> inputs{};
  std::vector<std::size_t> outputs{};
  std::int64_t macs = 0;
  std::int64_t weightTensors = 0;  ///< That operators read.
  /// Bytes that the runtime keeps for one tensor, for a RESHAPE, for a loop, and beside all those.
  std::int64_t tensorTail = 0;
  std::int64_t copyTail = 0;
  std::int64_t loopTail = 0;
  std::int64_t ownTail = 0;
  bool told = false;  ///< As RowTarget::told.

  /// Rows of the input that `rows` of the output of `op` are made of.
  RowSpan needed(std::size_t op, RowSpan rows) const;
  /// The reason why operators [first, last] cannot be a run, naming one of them; empty: they can.
  std::string whyNoRun(std::size_t first, std::size_t last) const;
};

/// Whoever runs operators in parts, as far as programs differ for it.
struct RowTarget {
  /// Bytes of a pointer, 4 or 8, for what tflite-micro keeps of tensors and operators; 0: nothing
  /// is kept.
  std::int64_t pointer = 4;
  /// Kernels are told how many rows of padding there are and where to read and write: no part makes
  /// rows of garbage, and loops need no copies.
  bool told = false;
};

/// Reads a file for a target. Fails where nothing can be said of rows: several subgraphs,
/// variables, dimensions that are not known, tensors that nobody makes. Throws Refusal where the
/// file is damaged.
Result<RowModel> rowModel(const TfliteFile& file, const RowTarget& target);

/// Source of the rows of inner tensors that two parts of a run need.
enum class RowHalo {
  recompute,  ///< Each part makes them for itself.
  copy,       ///< The next part takes over those of the one below it.
  loop        ///< As recompute; parts that are alike are the body of one WHILE.
};

/// Operators [first, last] of a model that run in `parts` blocks of rows of the last one's output,
/// from the bottom to the top.
struct RowRun {
  std::size_t first = 0;
  std::size_t last = 0;
  std::int64_t parts = 2;
  RowHalo halo = RowHalo::recompute;

  friend auto operator<=>(const RowRun&, const RowRun&) = default;
};

/// `rows` rows of a tensor from row `first` on, in a block of memory. Tensors that other parts see,
/// too, have one block; tensors inside a part have a block each.
struct RowView {
  std::size_t tensor = 0;
  std::size_t block = 0;
  std::int64_t first = 0;
  std::int64_t rows = 0;

  friend auto operator<=>(const RowView&, const RowView&) = default;
};

/// One operator of the file that is written.
struct RowStep {
  enum class Kind { op, copy, loop };
  Kind kind = Kind::op;
  std::size_t op = 0;  ///< Of the model; of a copy, the one whose rows are copied.
  std::vector<RowView> inputs{};
  std::vector<RowView> outputs{};
  std::int64_t garbage = 0;  ///< Rows at the top of the output that are made of wrong borders.
  /// Rows of padding above and below, of a part of PAD; where kernels are told, of a window's, too.
  std::optional<std::pair<std::int64_t, std::int64_t>> padding{};
};

class RowProgram;

/// The parts of a run that are alike, as the body of a loop. It begins with the lowest part; each
/// turn reads and writes `inStep` and `outStep` rows further up than the one before.
struct RowLoop {
  std::vector<RowStep> body{};
  std::size_t input = 0;  ///< The one tensor that the run reads from outside.
  std::size_t output = 0;
  RowView slice{};            ///< Copy of rows of the input, which the body reads.
  RowView update{};           ///< Rows that the body makes, which are copied to the output.
  bool inPlace = false;       ///< No copies are made: see `placed`.
  std::int64_t firstIn = 0;   ///< First row of the input that the first turn reads.
  std::int64_t firstOut = 0;  ///< First row of the output that the first turn writes.
  std::int64_t inStep = 0;
  std::int64_t outStep = 0;
  std::int64_t turns = 0;
  /// By operator of the body: the row of its tensor that is row 0 of its block in the first turn,
  /// and how many rows further up that is in each turn after it.
  std::vector<std::pair<std::int64_t, std::int64_t>> rows{};
  std::size_t counters = 0;  ///< Block of kRowLoopBytes for what the loop counts with.

  /// Rows of `view`, of a body in place, per turn: blocks of `slice` and `update` stand for rows of
  /// the input and output themselves.
  std::int64_t rowsPerTurn(const RowView& view) const;
  /// Where a view of a body in place lies in a turn.
  RowView placed(const RowView& view, const RowProgram& program, std::int64_t turn) const;
};

/// Bytes of a loop's counters: begin of the slice and of the update, twice, and the condition.
inline constexpr std::int64_t kRowLoopBytes = 144;

/// Live bytes of a block in the moments [begin, end): those from `low` to `high`, counted from the
/// start of the block's row 0.
struct RowRect {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t low = 0;
  std::int64_t high = 0;
};

/// Distances of a block above another one, both ends excluded, at which rows that one operator
/// writes would lie over rows that it has still to read.
struct RowApart {
  std::size_t other = 0;
  std::int64_t low = 0;
  std::int64_t high = 0;

  friend auto operator<=>(const RowApart&, const RowApart&) = default;
};

/// A block of memory whose live bytes change in time.
struct RowShape {
  std::vector<RowRect> rects{};  ///< Ascending in time, without overlap.
  /// Distances from rows that end when those of this block are made of them, not live with them.
  std::vector<RowApart> apart{};
  std::int64_t low = 0;  ///< All bytes that any view has, live or not, its size rounded up to 16.
  std::int64_t high = 0;
};

/// A model of which some runs go in parts: what operators the file has, and what they read and
/// write. Fails, naming operator and reason, where a run cannot go so.
class RowProgram {
 public:
  static Result<RowProgram> make(const RowModel& model, std::vector<RowRun> runs);

  const RowModel& model() const { return *model_; }
  const std::vector<RowRun>& runs() const { return runs_; }
  const std::vector<RowStep>& steps() const { return steps_; }
  const std::optional<RowLoop>& loop() const { return loop_; }
  std::size_t blockCount() const { return rowBytes_.size(); }
  std::int64_t rowBytes(std::size_t block) const { return rowBytes_[block]; }
  /// The view of all of a tensor that lives as a whole.
  RowView whole(std::size_t tensor) const;
  std::int64_t macs() const { return macs_; }
  std::int64_t weights() const { return weights_; }  ///< Bytes read by all parts.
  Bytes tail() const { return Bytes(tail_); }        ///< About what the runtime keeps.

  /// Live bytes over time, by block; nothing where a part would read rows that nobody made.
  /// `ascending`: kernels make rows from the top to the bottom and read what a row needs when they
  /// make it; else nothing is known of that. `running` gets the operator that runs at each moment.
  std::optional<std::vector<RowShape>> shapes(bool ascending,
                                              std::vector<std::size_t>* running = nullptr) const;

 private:
  class Builder;
  class Lives;

  const RowModel* model_ = nullptr;
  std::vector<RowRun> runs_;
  std::vector<RowStep> steps_;
  std::optional<RowLoop> loop_;
  std::vector<std::int64_t> rowBytes_;
  std::vector<std::optional<std::size_t>> wholes_;  ///< By tensor.
  std::int64_t macs_ = 0;
  std::int64_t weights_ = 0;
  std::int64_t tail_ = 0;
};

}  // namespace hw
