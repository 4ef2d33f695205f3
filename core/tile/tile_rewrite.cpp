#include "core/tile/tile_rewrite.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/base/check.h"
#include "core/graph/tiling.h"
#include "core/rewrite/graph_rewriter.h"

namespace hw {
namespace {

using Handle = GraphRewriter::Handle;

/// "5", "0-7".
std::string rangeText(Interval<std::int64_t> range) {
  if (range.length() == 1) return fmt::format("{}", range.begin);
  return fmt::format("{}-{}", range.begin, range.end - 1);
}

/// The same op, without operands.
Op bareOp(const Op& from) {
  Op copy = from;
  copy.inputs.clear();
  copy.outputs.clear();
  copy.captures.clear();
  return copy;
}

/// A Parts or Whole op (core/graph/tiling.h) of the tensor with that name.
Op seamOp(std::string_view type, const std::string& tensor) {
  return {.name = fmt::format("{} {}", type == kPartsType ? "parts of" : "all of", tensor),
          .type = std::string(type),
          .domain = std::string(kTileDomain)};
}

/// Room for partial results of folding elements of `tensor`, which are too narrow for them.
Tensor widened(Tensor tensor) {
  const bool real = tensor.dtype == Dtype::float16 || tensor.dtype == Dtype::bfloat16 ||
                    tensor.dtype == Dtype::float8 || tensor.dtype == Dtype::float4;
  tensor.name += " so far";
  tensor.dtype = real ? Dtype::float32 : Dtype::int32;
  tensor.bytes = packedSize(tensor.dtype, *elementCount(*tensor.shape));
  return tensor;
}

class Rewriter {
 public:
  Rewriter(std::shared_ptr<const Graph> graph, const TileProgram& program)
      : graph_(*graph),
        all_(program),
        to_(std::move(graph), Tiling::Kind::parts),
        wholes_(graph_.tensors.size(), GraphRewriter::kAbsent) {}

  Result<Graph> rewrite(const RunChoice& choice) {
    for (const TensorId input : graph_.inputs) {
      if (!all_.arrives(input)) to_.addInput(whole(input));
    }
    for (const OpId op : graph_.ops.keys()) {
      if (graph_.ops[op].folded) addWhole(op);
    }
    std::size_t at = 0;
    for (const TileRun& run : choice.runs) {
      for (; at < run.first; ++at) addWhole(all_.opAt(at));
      addRun(run);
      at = run.last;
    }
    for (; at < all_.size(); ++at) addWhole(all_.opAt(at));
    for (const TensorId output : graph_.outputs) to_.addOutput(whole(output));
    return std::move(to_).build();
  }

 private:
  Handle whole(TensorId id) {
    if (!id) return GraphRewriter::kAbsent;
    Handle& handle = wholes_[id];
    if (handle == GraphRewriter::kAbsent) handle = to_.addTensor(graph_.tensors[id], id);
    return handle;
  }

  void addWhole(OpId id) {
    const Op& op = graph_.ops[id];
    for (const TensorId in : graph_.reads(id)) arriveWhole(in);
    GraphRewriter::OpParts parts{.op = bareOp(op)};
    for (const TensorId in : op.inputs) parts.inputs.push_back(whole(in));
    for (const TensorId in : op.captures) parts.captures.push_back(whole(in));
    for (const TensorId out : op.outputs) {
      parts.outputs.push_back(isIdleOutput(graph_, out) ? GraphRewriter::kAbsent : whole(out));
    }
    to_.addOp(std::move(parts), id);
  }

  /// Comes in before the first op that needs all of it.
  void arriveWhole(TensorId id) {
    if (!all_.arrives(id) || std::exchange(arrived_[id], true)) return;
    GraphRewriter::OpParts parts{.op = {.name = displayName(graph_, id) + " arrives",
                                        .type = std::string(kArriveType),
                                        .domain = std::string(kTileDomain)}};
    parts.outputs = {whole(id)};
    to_.addOp(std::move(parts));
  }

  /// The shape of some rows of a tensor in a cell, and the element where they begin.
  Shape rowsShape(TensorId id, std::size_t cell, std::int64_t count) const {
    const TileRows& rows = program_->rows(id);
    Shape shape = *graph_.tensors[id].shape;
    shape[static_cast<std::size_t>(rows.axis)] = count * rows.each;
    if (run_.columns > 1) {
      shape[static_cast<std::size_t>(rows.across)] = pull_->boxes().columnsOf(id, cell).length();
    }
    return shape;
  }
  Shape rowBegin(TensorId id, std::size_t cell, std::int64_t row) const {
    const TileRows& rows = program_->rows(id);
    Shape begin(graph_.tensors[id].shape->size());
    begin[static_cast<std::size_t>(rows.axis)] = row * rows.each;
    if (run_.columns > 1) {
      begin[static_cast<std::size_t>(rows.across)] = pull_->boxes().columnsOf(id, cell).begin;
    }
    return begin;
  }

  /// Rows of a ring lie one behind the other, whatever is outside of them in the tensor: there,
  /// they go along the first axis, unless that is longer than one.
  std::size_t ringAxis(TensorId id) const {
    const bool alone = graph_.tensors[id].shape->front() == 1;
    return alone ? 0 : static_cast<std::size_t>(program_->rows(id).axis);
  }
  Shape ringShape(const TileRing& ring) const {
    if (ring.soFar) return *graph_.tensors[ring.tensor].shape;
    const std::size_t axis = ringAxis(ring.tensor);
    Shape shape = rowsShape(ring.tensor, ring.cell, 1);
    shape[axis] *= ring.capacity;
    return shape;
  }
  Shape ringPlace(TensorId id, std::int64_t place) const {
    Shape at(graph_.tensors[id].shape->size());
    at[ringAxis(id)] = place * rowsShape(id, 0, 1)[ringAxis(id)];
    return at;
  }

  /// As elements of their axis.
  static Interval<std::int64_t> stretch(Interval<std::int64_t> rows, std::int64_t each) {
    return {rows.begin * each, rows.end * each};
  }

  /// The suffix of a part: "[r5]"; "[r0-7 c0-13]" with columns; "[ch8-15]" by channels.
  std::string boxText(TensorId id, std::size_t cell, Interval<std::int64_t> rows,
                      std::int64_t each) const {
    if (run_.groups > 0) return fmt::format("[ch{}]", rangeText(stretch(rows, each)));
    if (run_.columns < 2) return fmt::format("[r{}]", rangeText(rows));
    return fmt::format("[r{} c{}]", rangeText(rows), rangeText(pull_->boxes().columnsOf(id, cell)));
  }

  Handle addRow(TensorId id, std::size_t cell, std::int64_t row, Handle host, Shape at) {
    const Interval<std::int64_t> columns = pull_->boxes().columnsOf(id, cell);
    Tensor tensor = graph_.tensors[id];
    tensor.name =
        displayName(graph_, id) + boxText(id, cell, {row, row + 1}, program_->rows(id).each);
    tensor.shape = rowsShape(id, cell, 1);
    tensor.bytes = program_->rows(id).bytesOf(columns);
    tensor.plannedOffset.reset();
    return to_.addPiece(std::move(tensor),
                        {.of = id, .begin = rowBegin(id, cell, row), .at = std::move(at)}, host);
  }

  /// The piece that a row of a tensor is in a cell of the run: made when it is first asked for.
  Handle row(TensorId id, std::size_t cell, std::int64_t row) {
    auto& rows = rows_[{id, cell}];
    if (rows.empty()) {
      const auto count = static_cast<std::size_t>(program_->rows(id).count);
      rows.assign(count, GraphRewriter::kAbsent);
    }
    Handle& handle = rows[static_cast<std::size_t>(row)];
    if (handle != GraphRewriter::kAbsent) return handle;
    const LinePull::Role role = pull_->roleOf(run_, id);
    if (role == LinePull::Role::outside) {
      handle = addRow(id, cell, row, whole(id), rowBegin(id, cell, row));
    } else if (const TensorId host = pull_->hostOf(id)) {
      handle = addRow(id, cell, row, whole(host), rowBegin(id, cell, row));
    } else {
      const std::size_t ring = pull_->ringOf(id, cell, row);
      const std::int64_t capacity = pull_->result().rings[ring].capacity;
      handle = addRow(id, cell, row, rings_[ring], ringPlace(id, row % capacity));
    }
    return handle;
  }

  void addRings() {
    rings_.clear();
    for (const TileRing& ring : pull_->result().rings) {
      Tensor tensor = graph_.tensors[ring.tensor];
      tensor.name = displayName(graph_, ring.tensor);
      if (ring.only >= 0) tensor.name += fmt::format(" row {}", ring.only);
      if (ring.soFar) tensor = widened(std::move(tensor));
      tensor.shape = ringShape(ring);
      tensor.bytes = Bytes(ring.row.count() * ring.capacity);
      tensor.plannedOffset.reset();
      rings_.push_back(to_.addTensor(std::move(tensor)));
    }
  }

  void addRun(const TileRun& run) {
    run_ = run;
    program_ = &all_.along(run.groups);
    pull_ = &pulls_.try_emplace(run.groups, *program_).first->second;
    rows_.clear();
    soFar_.clear();
    opened_.clear();
    check(pull_->pull(run, kMaxBytes), "a run that was chosen can be pulled");
    addRings();
    std::vector<GraphRewriter::OpParts> parts = partsOfRun();
    for (std::size_t at = run.first; at < run.last; ++at) openInputs(at);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const TilePart& part = pull_->result().parts[i];
      if (part.at == TilePart::kArrives) {
        to_.addOp(std::move(parts[i]));
        continue;
      }
      const TileOp& op = program_->op(part.at, run_.last);
      Tiling::Part tiled{.of = program_->opAt(part.at),
                         .axis = op.axis,
                         .rows = stretch(part.rows, op.each),
                         .size = op.rows * op.each,
                         .cell = part.cell};
      if (op.folds) tiled.axis = kFoldAxis;
      if (run.columns > 1) {
        if (!op.folds) tiled.across = op.across;
        tiled.columns = pull_->boxes().made(part.at, part.cell).columns;
        tiled.width = op.width;
      }
      to_.addOp(std::move(parts[i]), tiled.of, tiled);
    }
    for (std::size_t at = run.first; at < run.last; ++at) {
      for (const TensorId out : program_->op(at, run_.last).outputs) {
        if (pull_->roleOf(run, out) == LinePull::Role::leaves) close(out);
      }
    }
  }

  std::vector<GraphRewriter::OpParts> partsOfRun() {
    std::vector<GraphRewriter::OpParts> all;
    for (const TilePart& part : pull_->result().parts) {
      all.push_back(part.at == TilePart::kArrives ? arrival(part) : partOf(part));
    }
    return all;
  }

  GraphRewriter::OpParts arrival(const TilePart& part) {
    GraphRewriter::OpParts parts{.op = {.name = displayName(graph_, part.input) +
                                                boxText(part.input, part.cell, part.rows, 1) +
                                                " arrives",
                                        .type = std::string(kArriveType),
                                        .domain = std::string(kTileDomain)}};
    for (std::int64_t r = part.rows.begin; r < part.rows.end; ++r) {
      parts.outputs.push_back(row(part.input, part.cell, r));
    }
    return parts;
  }

  GraphRewriter::OpParts partOf(const TilePart& part) {
    const TileOp& tiled = program_->op(part.at, run_.last);
    const OpId id = program_->opAt(part.at);
    const Op& op = graph_.ops[id];
    GraphRewriter::OpParts parts{.op = bareOp(op)};
    parts.op.name =
        displayName(graph_, id) + boxText(tiled.outputs.front(), part.cell, part.rows, tiled.each);
    auto read = tiled.reads.begin();
    for (std::size_t input = 0; input < op.inputs.size(); ++input) {
      if (read == tiled.reads.end() || read->input != input) {
        parts.inputs.push_back(whole(op.inputs[input]));
        continue;
      }
      const auto rows = read->reach.needed(part.rows, program_->rows(read->tensor).count);
      for (std::int64_t r = rows.begin; r < rows.end; ++r) {
        parts.inputs.push_back(row(read->tensor, part.cell, r));
      }
      ++read;
    }
    if (tiled.folds) {
      takeIn(part, parts);
      return parts;
    }
    for (const TensorId out : tiled.outputs) {
      for (std::int64_t r = part.rows.begin; r < part.rows.end; ++r) {
        parts.outputs.push_back(row(out, part.cell, r));
      }
    }
    return parts;
  }

  /// A part of a fold continues the partial results of those before it.
  void takeIn(const TilePart& part, GraphRewriter::OpParts& parts) {
    const TileOp& tiled = program_->op(part.at, run_.last);
    const TensorId out = tiled.outputs.front();
    const auto before = soFar_.find(part.at);
    if (before != soFar_.end()) parts.inputs.push_back(before->second);
    const bool last = pull_->isLast(part);
    const bool wide = tiled.soFar > Bytes() && !last;
    Tensor tensor = graph_.tensors[out];
    tensor.name = displayName(graph_, out);
    tensor.plannedOffset.reset();
    if (wide) tensor = widened(std::move(tensor));
    tensor.name += boxText(out, part.cell, part.rows, tiled.each);
    const Handle host = wide ? rings_[pull_->soFarRing(part.at)] : whole(out);
    const Shape origin(tensor.shape->size());
    const Handle made =
        to_.addPiece(std::move(tensor), {.of = out, .begin = origin, .at = origin}, host);
    soFar_[part.at] = made;
    parts.outputs.push_back(made);
    if (last) rows_[{out, 0}] = {made};
  }

  /// Opens the pieces of tensors from before the run that an op reads.
  void openInputs(std::size_t at) {
    const TileOp& op = program_->op(at, run_.last);
    for (const TensorId input : op.wholes) arriveWhole(input);
    for (const TileRead& read : op.reads) {
      if (pull_->roleOf(run_, read.tensor) != LinePull::Role::outside) continue;
      if (std::exchange(opened_[read.tensor], true)) continue;
      arriveWhole(read.tensor);
      GraphRewriter::OpParts parts{.op = seamOp(kPartsType, displayName(graph_, read.tensor))};
      parts.inputs = {whole(read.tensor)};
      parts.outputs = piecesOf(read.tensor);
      to_.addOp(std::move(parts));
    }
  }

  /// Cell by cell.
  std::vector<Handle> piecesOf(TensorId id) const {
    std::vector<Handle> pieces;
    for (std::size_t cell = 0; cell < run_.cells(); ++cell) {
      const auto rows = rows_.find({id, cell});
      if (rows == rows_.end()) continue;
      std::ranges::remove_copy(rows->second, std::back_inserter(pieces), GraphRewriter::kAbsent);
    }
    return pieces;
  }

  void close(TensorId id) {
    GraphRewriter::OpParts parts{.op = seamOp(kWholeType, displayName(graph_, id))};
    parts.inputs = piecesOf(id);
    parts.outputs = {whole(id)};
    to_.addOp(std::move(parts));
  }

  const Graph& graph_;
  const TileProgram& all_;
  std::map<std::int64_t, LinePull> pulls_;  ///< By TileRun::groups.
  TileRun run_;
  const TileProgram* program_ = nullptr;  ///< As the run goes.
  LinePull* pull_ = nullptr;
  GraphRewriter to_;
  IdMap<TensorId, Handle> wholes_;
  /// Of the run, by tensor and cell: the pieces by row.
  std::map<std::pair<TensorId, std::size_t>, std::vector<Handle>> rows_;
  std::map<std::size_t, Handle> soFar_;  ///< Of the run, by place of a fold.
  std::map<TensorId, bool> opened_;
  std::map<TensorId, bool> arrived_;
  std::vector<Handle> rings_;
};

}  // namespace

Result<Graph> tiledGraph(std::shared_ptr<const Graph> graph, const TileProgram& program,
                         const RunChoice& choice) {
  return Rewriter(std::move(graph), program).rewrite(choice);
}

}  // namespace hw
