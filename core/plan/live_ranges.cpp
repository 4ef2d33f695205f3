#include "core/plan/live_ranges.h"

#include <algorithm>
#include <iterator>

namespace hw {
namespace {

constexpr std::size_t kMost = 64;  ///< Ranges of one piece.

Bytes largestBetween(const std::vector<LiveRanges::Range>& ranges) {
  Bytes largest;
  for (std::size_t i = 1; i < ranges.size(); ++i) {
    largest = std::max(largest, ranges[i].begin - ranges[i - 1].end);
  }
  return largest;
}

}  // namespace

/// The last piece that begins at or before `range`, or the first one.
LiveRanges::PieceAt LiveRanges::pieceOf(const Range& range) {
  const auto after = std::ranges::upper_bound(
      pieces_, range, {}, [](const Piece& piece) { return piece.ranges.front(); });
  return after == pieces_.begin() ? after : std::prev(after);
}

void LiveRanges::insert(const Range& range) {
  if (pieces_.empty()) {
    pieces_.push_back({.ranges = {range}});
    return;
  }
  const auto piece = pieceOf(range);
  piece->ranges.insert(std::ranges::lower_bound(piece->ranges, range), range);
  piece->known = false;
  if (piece->ranges.size() > kMost) split(piece);
}

void LiveRanges::split(PieceAt piece) {
  const auto middle = piece->ranges.begin() + kMost / 2;
  Piece upper;
  upper.ranges.reserve(kMost + 1);
  upper.ranges.assign(middle, piece->ranges.end());
  piece->ranges.erase(middle, piece->ranges.end());
  pieces_.insert(std::next(piece), std::move(upper));
}

bool LiveRanges::erase(const Range& range) {
  if (pieces_.empty()) return false;
  const auto piece = pieceOf(range);
  const auto at = std::ranges::lower_bound(piece->ranges, range);
  if (at == piece->ranges.end() || *at != range) return false;
  piece->ranges.erase(at);
  piece->known = false;
  if (piece->ranges.size() < kMost / 4) joinNext(piece);
  return true;
}

/// Keeps pieces from getting many and small.
void LiveRanges::joinNext(PieceAt piece) {
  const auto next = std::next(piece);
  if (next != pieces_.end() && piece->ranges.size() + next->ranges.size() <= kMost / 2) {
    piece->ranges.insert(piece->ranges.end(), next->ranges.begin(), next->ranges.end());
    pieces_.erase(next);
  }
  if (piece->ranges.empty()) pieces_.erase(piece);
}

Bytes LiveRanges::largestHole() {
  Bytes largest;
  Bytes below;
  for (Piece& piece : pieces_) {
    if (!piece.known) piece.largestHole = largestBetween(piece.ranges);
    piece.known = true;
    largest = std::max({largest, piece.largestHole, piece.ranges.front().begin - below});
    below = piece.ranges.back().end;
  }
  return largest;
}

}  // namespace hw
