#include "core/solver/exact/boxes.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "core/base/load_sweep.h"

namespace hw::exact {
namespace {

/// A begin or an end of some live interval.
struct Edge {
  Step step{};
  bool begins = false;
  std::uint32_t box = 0;
};

/// Numbers the moments that matter: one section for every run of begins that an end follows.
class Sections {
 public:
  Sections(const Problem& problem, std::span<const StayId> among) {
    for (std::uint32_t box = 0; box < among.size(); ++box) {
      for (const Interval<Step>& live : problem.liveSteps(among[box])) {
        edges_.push_back({live.begin, true, box});
        edges_.push_back({live.end, false, box});
      }
    }
    std::ranges::sort(edges_, [](const Edge& a, const Edge& b) {
      return std::tuple(a.step, a.begins, a.box) < std::tuple(b.step, b.begins, b.box);
    });
  }

  /// The pieces of every box, in order, and a moment of each section.
  std::vector<Step> number(std::vector<std::vector<Piece>>& pieces) const {
    std::vector<Step> moments;
    std::uint32_t section = 0;
    bool grew = false;
    for (const Edge& edge : edges_) {
      // A box that begins now is live in the section that the next end closes.
      if (!edge.begins && grew) ++section;
      grew = edge.begins;
      if (grew) moments.resize(section + 1, edge.step);
      if (grew) moments.back() = edge.step;
      if (edge.begins) {
        pieces[edge.box].push_back({section, section});
      } else {
        pieces[edge.box].back().last = section;
      }
    }
    return moments;
  }

 private:
  std::vector<Edge> edges_;
};

/// The largest unit that loses nothing: a divisor of all alignments' common part, of the heights
/// rounded up to it, and of the pins; every other alignment is a multiple or a divisor of it.
Bytes commonUnit(const Problem& problem, std::span<const StayId> among) {
  std::int64_t step = 0;
  for (const StayId id : among) step = std::gcd(step, problem.stays[id].alignment.count());
  if (step == 0) return Bytes(1);
  std::int64_t unit = 0;
  for (const StayId id : among) {
    const Stay& stay = problem.stays[id];
    unit = std::gcd(unit, alignUp(stay.size, Bytes(step)).count());
    if (stay.pinned) unit = std::gcd(unit, stay.pinned->count());
  }
  // An alignment that neither divides the unit nor is divided by it shrinks it, which may bring
  // out another.
  for (bool again = true; again;) {
    again = false;
    for (const StayId id : among) {
      const std::int64_t alignment = problem.stays[id].alignment.count();
      if (unit % alignment == 0 || alignment % unit == 0) continue;
      unit = std::gcd(unit, alignment);
      again = true;
    }
  }
  return Bytes(unit);
}

std::int64_t ceilDiv(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// Boxes tied together by shared sections, as runs of [first, last) sections. Works for gaps too:
/// a box's hull may enclose sections of others, which then count as one part with it.
std::vector<std::uint32_t> partOfSection(const std::vector<std::vector<Piece>>& pieces,
                                         std::uint32_t sections) {
  std::vector<std::int32_t> crossing(sections + 1, 0);
  for (const auto& own : pieces) {
    ++crossing[own.front().first];
    --crossing[own.back().last - 1];
  }
  std::vector<std::uint32_t> part(sections, 0);
  std::int32_t open = 0;
  std::uint32_t current = 0;
  for (std::uint32_t s = 0; s < sections; ++s) {
    part[s] = current;
    open += crossing[s];
    if (open == 0) ++current;
  }
  return part;
}

Box boxOf(const Problem& problem, StayId id, Bytes unit) {
  const Stay& stay = problem.stays[id];
  const auto live = problem.liveSteps(id);
  Step steps;
  for (const Interval<Step>& each : live) steps += each.length();
  return {.stay = id,
          .height = ceilDiv(stay.size.count(), unit.count()),
          .alignment = std::max<std::int64_t>(1, stay.alignment.count() / unit.count()),
          .pin = stay.pinned ? stay.pinned->count() / unit.count() : -1,
          .size = stay.size,
          .steps = steps,
          .life = {live.front().begin, live.back().end}};
}

}  // namespace

std::int64_t Boxes::highest(const Box& box, Bytes capacity) const {
  const Bytes room = capacity - box.size;
  return room < Bytes() ? -1 : room.count() / unit.count();
}

Bytes Boxes::load() const {
  LoadSweep load(sections);
  for (const Box& box : boxes) {
    for (const Piece& piece : piecesOf(box)) load.add(piece.first, piece.last, box.size);
  }
  return load.most().bytes;
}

std::vector<Boxes> independentParts(const Problem& problem, std::span<const StayId> among) {
  if (among.empty()) return {};
  std::vector<std::vector<Piece>> pieces(among.size());
  const std::vector<Step> moments = Sections(problem, among).number(pieces);
  const auto sections = static_cast<std::uint32_t>(moments.size());
  const std::vector<std::uint32_t> part = partOfSection(pieces, sections);
  std::vector<std::uint32_t> start(part.back() + 1, sections);
  for (std::uint32_t s = sections; s-- > 0;) start[part[s]] = s;
  std::vector<std::vector<std::uint32_t>> members(part.back() + 1);
  for (std::uint32_t i = 0; i < among.size(); ++i) {
    members[part[pieces[i].front().first]].push_back(i);
  }
  std::vector<Boxes> parts(members.size());
  for (std::size_t p = 0; p < parts.size(); ++p) {
    Boxes& boxes = parts[p];
    std::vector<StayId> ids;
    for (const std::uint32_t i : members[p]) ids.push_back(among[i]);
    boxes.unit = commonUnit(problem, ids);
    boxes.sections = (p + 1 < parts.size() ? start[p + 1] : sections) - start[p];
    boxes.moments.assign(moments.begin() + start[p], moments.begin() + start[p] + boxes.sections);
    for (const std::uint32_t i : members[p]) {
      Box box = boxOf(problem, among[i], boxes.unit);
      box.firstPiece = static_cast<std::uint32_t>(boxes.pieces.size());
      for (const Piece& piece : pieces[i]) {
        // Intervals that touch, or have no section between them, are one piece.
        const Piece local{piece.first - start[p], piece.last - start[p]};
        if (boxes.pieces.size() > box.firstPiece && boxes.pieces.back().last == local.first) {
          boxes.pieces.back().last = local.last;
        } else {
          boxes.pieces.push_back(local);
        }
      }
      box.lastPiece = static_cast<std::uint32_t>(boxes.pieces.size());
      box.hull = {boxes.pieces[box.firstPiece].first, boxes.pieces.back().last};
      boxes.aligned |= box.alignment > 1;
      boxes.pinned |= box.pin >= 0;
      boxes.boxes.push_back(box);
    }
  }
  return parts;
}

}  // namespace hw::exact
