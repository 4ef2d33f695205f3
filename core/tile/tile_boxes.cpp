#include "core/tile/tile_boxes.h"

#include <algorithm>
#include <limits>

namespace hw {
namespace {

void joinIntervals(Interval<std::int64_t>& own, const Interval<std::int64_t>& other) {
  own = {std::min(own.begin, other.begin), std::max(own.end, other.end)};
}

/// Number `at` of `of` shares of [0, size), as equal as they can be.
Interval<std::int64_t> equalShare(std::int64_t size, std::int64_t at, std::int64_t of) {
  return {size * at / of, size * (at + 1) / of};
}

}  // namespace

void TileBox::join(const TileBox& other) {
  if (other.isEmpty()) return;
  if (isEmpty()) {
    *this = other;
    return;
  }
  joinIntervals(rows, other.rows);
  joinIntervals(columns, other.columns);
}

RunPrice& RunPrice::operator+=(const RunPrice& other) {
  extra += other.extra;
  again += other.again;
  parts += other.parts;
  return *this;
}

BoxSweep::BoxSweep(const TileProgram& program)
    : program_(program), boxes_(program.graph().tensors.size()) {}

void BoxSweep::begin(const TileRun& run) {
  run_ = run;
  first_ = run.last;
  earliest_ = 0;
  price_ = {};
  for (const TensorId tensor : used_) boxes_[tensor].clear();
  used_.clear();
  made_.clear();
}

TileBox& BoxSweep::box(TensorId tensor, std::size_t cell) {
  auto& boxes = boxes_[tensor];
  if (boxes.empty()) {
    boxes.resize(run_.cells());
    used_.push_back(tensor);
  }
  return boxes[cell];
}

bool BoxSweep::leaves(TensorId tensor) const {
  const auto& readers = program_.readers(tensor);
  return program_.handedOut(tensor) || readers.empty() || readers.back() >= run_.last;
}

TileBox BoxSweep::shareOf(const TileOp& op, std::size_t cell) const {
  const auto number = static_cast<std::int64_t>(cell);
  return {equalShare(op.rows, number / run_.columns, run_.bands),
          equalShare(cutsColumns() ? op.width : 1, number % run_.columns, run_.columns)};
}

Interval<std::int64_t> BoxSweep::columnsOf(TensorId tensor, std::size_t cell) const {
  if (cutsColumns()) return boxOf(tensor, cell).columns;
  return {0, program_.rows(tensor).width};
}

bool BoxSweep::extend() {
  if (first_ == 0 || first_ <= earliest_) return false;
  const std::size_t at = first_ - 1;
  const TileOp& op = ofRun(at);
  if (!op.able || (cutsColumns() && !op.divides)) return false;
  std::vector<TileBox> made(run_.cells());
  for (std::size_t cell = 0; cell < made.size(); ++cell) {
    if (!make(at, cell, made[cell])) return false;
  }
  made_.push_back(std::move(made));
  for (std::size_t cell = 0; cell < run_.cells(); ++cell) read(at, cell, made_.back()[cell]);
  for (const TensorId whole : op.wholes) {
    if (const auto maker = program_.maker(whole)) earliest_ = std::max(earliest_, *maker + 1);
  }
  first_ = at;
  pay(at);
  return true;
}

/// Each element of the input once, in whichever cell. What comes of it is there when all cells are
/// done, so nobody in the run may read it.
bool BoxSweep::makeFold(const TileOp& op, std::size_t cell, TileBox& made) {
  const TensorId out = op.outputs.front();
  const auto& readers = program_.readers(out);
  made = shareOf(op, cell);
  if (made.isEmpty() || made.columns.empty()) return false;
  if (!readers.empty() && readers.front() < run_.last) return false;
  box(out, cell) = made;
  return true;
}

/// False when a cell would make what belongs to another, or nothing at all.
bool BoxSweep::make(std::size_t at, std::size_t cell, TileBox& made) {
  const TileOp& op = ofRun(at);
  if (op.folds) return makeFold(op, cell, made);
  for (const TensorId out : op.outputs) {
    if (leaves(out)) made.join(shareOf(op, cell));
    made.join(box(out, cell));
  }
  if (made.isEmpty() || made.columns.empty()) return false;
  for (const TensorId out : op.outputs) {
    if (leaves(out) && shareOf(op, cell) != made) return false;
    box(out, cell) = made;
  }
  return true;
}

bool BoxSweep::foldsOwn() const {
  for (std::size_t at = first_; cutsColumns() && at < run_.last; ++at) {
    if (!ofRun(at).folds) continue;
    for (std::size_t cell = 0; cell < run_.cells(); ++cell) {
      const TensorId in = ofRun(at).reads.front().tensor;
      if (boxOf(in, cell).columns != made(at, cell).columns) return false;
    }
  }
  return true;
}

void BoxSweep::read(std::size_t at, std::size_t cell, const TileBox& made) {
  const TileOp& op = ofRun(at);
  for (const TileRead& read : op.reads) {
    const TileRows& rows = program_.rows(read.tensor);
    TileBox needed{read.reach.needed(made.rows, rows.count), {0, 1}};
    if (cutsColumns()) needed.columns = read.across.needed(made.columns, rows.width);
    box(read.tensor, cell).join(needed);
  }
}

void BoxSweep::pay(std::size_t at) {
  const TileOp& op = ofRun(at);
  std::int64_t area = 0;
  std::int64_t parts = 0;
  for (const TileBox& made : made_.back()) {
    area += made.area();
    parts += (made.rows.length() - 1) / run_.rows + 1;
  }
  const std::int64_t whole = op.rows * (cutsColumns() ? op.width : 1);
  // Work is shared out among rows, so that the product stays in 64 bits.
  if (area > whole) {
    const std::int64_t each = op.work / whole;
    price_.extra += each * (area - whole) + op.work % whole * (area - whole) / whole;
  }
  price_.again += Bytes(op.weights.count() * (parts - 1));
  price_.parts += static_cast<std::size_t>(parts);
}

}  // namespace hw
