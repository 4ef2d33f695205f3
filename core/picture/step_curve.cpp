#include "core/picture/step_curve.h"

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
    if (!points_.empty() && points_.back() == Point{x, y}) return;
    points_.push_back({x, y});
  }
  std::vector<Point> take() { return std::move(points_); }

 private:
  std::vector<Point> points_;
};

double valueOf(const Piece& piece) { return static_cast<double>(piece.value.count()); }
double startOf(const Piece& piece) { return static_cast<double>(piece.from.count()); }

/// The piece in force at `step`, or the end when none is yet.
std::vector<Piece>::const_iterator pieceAt(const std::vector<Piece>& pieces, double step) {
  const auto next =
      std::ranges::upper_bound(pieces, step, {}, [](const Piece& piece) { return startOf(piece); });
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

void StairCurve::Span::add(const Span& other) {
  least = std::min(least, other.least);
  most = std::max(most, other.most);
}

StairCurve::StairCurve(StepFunction curve) : curve_(std::move(curve)) {
  const auto& pieces = curve_.pieces;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Span one{pieces[i].value, pieces[i].value};
    if (i % kZone == 0) zones_.push_back(one);
    zones_.back().add(one);
    if (pieces[i].value > pieces[peak_].value) peak_ = i;
  }
}

StairCurve::Span StairCurve::spanOf(std::size_t first, std::size_t last) const {
  const auto& pieces = curve_.pieces;
  Span span{pieces[first].value, pieces[first].value};
  while (first < last) {
    if (first % kZone == 0 && first + kZone <= last) {
      span.add(zones_[first / kZone]);
      first += kZone;
    } else {
      span.add({pieces[first].value, pieces[first].value});
      ++first;
    }
  }
  return span;
}

std::vector<Point> StairCurve::stairs(double begin, double end, std::size_t limit) const {
  Polyline line;
  const auto& pieces = curve_.pieces;
  auto piece = pieceAt(pieces, begin);
  double value = piece == pieces.end() ? 0 : valueOf(*piece);
  line.to(begin, value);
  piece = piece == pieces.end() ? pieces.begin() : std::next(piece);
  const auto last = std::ranges::lower_bound(pieces, end, {}, startOf);
  const auto inside = static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, last - piece));
  // Every piece has room: each takes two points, where the curve leaves its level and where it
  // meets the next, and the two ends of the line take one each.
  if (2 * inside + 2 <= limit) {
    for (; piece < last; ++piece) {
      line.to(startOf(*piece), value);
      line.to(startOf(*piece), value = valueOf(*piece));
    }
    line.to(end, value);
    return line.take();
  }
  // Else columns are drawn, of four points each: up to the greatest value within, down to the
  // least, to the last one, and along to the next column.
  const double columns = std::floor(static_cast<double>(limit - 2) / 4);
  while (piece < last) {
    const double from = startOf(*piece);
    const double column = std::floor((from - begin) / (end - begin) * columns);
    const double edge = begin + (column + 1) * (end - begin) / columns;
    // Rounding may put a piece exactly on the edge of its column. It is taken into it nevertheless
    // (the search starts after it), or the loop would never end.
    const auto next = std::ranges::lower_bound(std::next(piece), last, edge, {}, startOf);
    const Span span = spanOf(static_cast<std::size_t>(piece - pieces.begin()),
                             static_cast<std::size_t>(next - pieces.begin()));
    line.to(from, value);
    line.to(from, std::max(value, static_cast<double>(span.most.count())));
    line.to(from, std::min(value, static_cast<double>(span.least.count())));
    line.to(from, value = valueOf(*std::prev(next)));
    piece = next;
  }
  line.to(end, value);
  return line.take();
}

std::vector<Point> stairs(const StepFunction& curve, double begin, double end, std::size_t limit) {
  return StairCurve(curve).stairs(begin, end, limit);
}

}  // namespace hw
