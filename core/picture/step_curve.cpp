#include "core/picture/step_curve.h"

#include <algorithm>
#include <cmath>

namespace hw {

namespace {

/// Appends a piece unless the value stays what it is.
template <class Piece, class Place>
void append(std::vector<Piece>& pieces, Place from, Bytes value) {
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

double valueOf(const Stair& piece) { return static_cast<double>(piece.value.count()); }
double startOf(const Stair& piece) { return static_cast<double>(piece.from.count()); }

/// The piece in force at `place`, or the end when none is yet.
std::vector<Stair>::const_iterator pieceAt(const std::vector<Stair>& pieces, double place) {
  const auto next = std::ranges::upper_bound(pieces, place, {},
                                             [](const Stair& piece) { return startOf(piece); });
  return next == pieces.begin() ? pieces.end() : std::prev(next);
}

std::vector<Stair> stairsOf(const StepFunction& curve) {
  std::vector<Stair> stairs;
  stairs.reserve(curve.pieces.size());
  for (const StepFunction::Piece& piece : curve.pieces) {
    stairs.push_back({AxisPlace(piece.from.count()), piece.value});
  }
  return stairs;
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

std::vector<Stair> liveOverTime(const Run& run, PoolId pool) {
  std::vector<Stair> stairs;
  Bytes inUse;
  for (std::size_t i = 0; i < run.trace.size(); ++i) {
    const MemoryEvent& event = run.trace.event(i);
    if (event.poolId() != pool) continue;
    if (event.kind == EventKind::alloc) inUse += event.size;
    if (event.kind == EventKind::free) inUse -= event.size;
    append(stairs, AxisPlace(run.trace.timeOf(i).count()), inUse);
  }
  return stairs;
}

std::vector<Stair> highWaterOverTime(const Run& run, PoolId pool) {
  std::vector<Stair> stairs;
  Bytes footprint;
  Bytes most;
  for (std::size_t i = 0; i < run.trace.size(); ++i) {
    const MemoryEvent& event = run.trace.event(i);
    if (event.poolId() != pool) continue;
    if (event.kind == EventKind::extend) footprint += event.size;
    if (event.kind == EventKind::shrink) footprint -= event.size;
    if (footprint <= most) continue;
    most = footprint;
    append(stairs, AxisPlace(run.trace.timeOf(i).count()), most);
  }
  return stairs;
}

void StairCurve::Span::add(const Span& other) {
  least = std::min(least, other.least);
  most = std::max(most, other.most);
}

StairCurve::StairCurve(std::vector<Stair> pieces) : pieces_(std::move(pieces)) {
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const Span one{pieces_[i].value, pieces_[i].value};
    if (i % kZone == 0) zones_.push_back(one);
    zones_.back().add(one);
    if (pieces_[i].value > pieces_[peak_].value) peak_ = i;
  }
}

StairCurve::StairCurve(const StepFunction& curve) : StairCurve(stairsOf(curve)) {}

StairCurve StairCurve::live(const Run& run, PoolId pool, AxisUnit unit) {
  return unit == AxisUnit::time ? StairCurve(liveOverTime(run, pool))
                                : StairCurve(liveCurve(run, pool));
}

StairCurve StairCurve::highWater(const Run& run, PoolId pool, AxisUnit unit) {
  return unit == AxisUnit::time ? StairCurve(highWaterOverTime(run, pool))
                                : StairCurve(highWaterCurve(run, pool));
}

StairCurve::Span StairCurve::spanOf(std::size_t first, std::size_t last) const {
  const auto& pieces = pieces_;
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
  const auto& pieces = pieces_;
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
