#include "widgets/charts/step_curve.h"

#include <algorithm>
#include <cmath>

namespace hw {

namespace {

using Piece = StepFunction::Piece;

/// Appends a piece unless the value stays what it is.
void append(std::vector<Piece>& pieces, Step from, Bytes value) {
  if (!pieces.empty() && pieces.back().value == value) return;
  if (!pieces.empty() && pieces.back().from == from) {
    pieces.back().value = value;
    return;
  }
  pieces.push_back({from, value});
}

/// Collects points and leaves out those that change nothing.
class Polyline {
 public:
  void to(double x, double y) {
    if (!points_.empty() && points_.back() == QPointF(x, y)) return;
    points_.emplace_back(x, y);
  }
  std::vector<QPointF> take() { return std::move(points_); }

 private:
  std::vector<QPointF> points_;
};

double bytes(const Piece& piece) { return static_cast<double>(piece.value.count()); }
double at(const Piece& piece) { return static_cast<double>(piece.from.count()); }

/// The piece in force at `step`, or the end when none is yet.
std::vector<Piece>::const_iterator pieceAt(const std::vector<Piece>& pieces, double step) {
  const auto next =
      std::ranges::upper_bound(pieces, step, {}, [](const Piece& piece) { return at(piece); });
  return next == pieces.begin() ? pieces.end() : std::prev(next);
}

}  // namespace

StepFunction liveCurve(const Run& run, PoolId pool) {
  if (run.trace.size() == 0) return liveBytes(run.problem, pool);
  StepFunction curve;
  Bytes inUse;
  Bytes most;
  std::int32_t step = 0;
  for (const MemoryEvent& event : run.trace.events()) {
    if (event.step != step) {
      append(curve.pieces, Step(step), most);
      // Steps that nothing happens in show what the last one left.
      append(curve.pieces, Step(step + 1), inUse);
      step = event.step;
      most = inUse;
    }
    if (event.poolId() != pool) continue;
    if (event.kind == EventKind::alloc) inUse += event.size;
    if (event.kind == EventKind::free) inUse -= event.size;
    most = std::max(most, inUse);
  }
  append(curve.pieces, Step(step), most);
  if (Step(step + 1) < run.problem.steps) append(curve.pieces, Step(step + 1), inUse);
  return curve;
}

StepFunction highWaterCurve(const Run& run, PoolId pool) {
  StepFunction curve;
  Bytes footprint;
  Bytes most;
  for (const MemoryEvent& event : run.trace.events()) {
    if (event.poolId() != pool) continue;
    if (event.kind == EventKind::extend) footprint += event.size;
    if (event.kind == EventKind::shrink) footprint -= event.size;
    if (footprint <= most) continue;
    most = footprint;
    append(curve.pieces, Step(event.step), most);
  }
  return curve;
}

std::vector<QPointF> stairs(const StepFunction& curve, double begin, double end,
                            std::size_t limit) {
  Polyline line;
  const auto& pieces = curve.pieces;
  auto piece = pieceAt(pieces, begin);
  double value = piece == pieces.end() ? 0 : bytes(*piece);
  line.to(begin, value);
  piece = piece == pieces.end() ? pieces.begin() : std::next(piece);
  const auto last = std::ranges::lower_bound(pieces, end, {}, [](const Piece& p) { return at(p); });
  const auto inside = static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, last - piece));
  // Two points a piece, and one at each end.
  if (2 * inside + 2 <= limit) {
    for (; piece < last; ++piece) {
      line.to(at(*piece), value);
      line.to(at(*piece), value = bytes(*piece));
    }
    line.to(end, value);
    return line.take();
  }
  // Four points a column: up to the most, down to the least, to what it leaves, and along.
  const double columns = std::floor(static_cast<double>(limit - 2) / 4);
  while (piece < last) {
    const double column = std::floor((at(*piece) - begin) / (end - begin) * columns);
    const double edge = begin + (column + 1) * (end - begin) / columns;
    const double from = at(*piece);
    double least = value;
    double most = value;
    line.to(from, value);
    for (; piece < last && at(*piece) < edge; ++piece) {
      value = bytes(*piece);
      least = std::min(least, value);
      most = std::max(most, value);
    }
    line.to(from, most);
    line.to(from, least);
    line.to(from, value);
  }
  line.to(end, value);
  return line.take();
}

}  // namespace hw
