#include "core/plan/overlap_use.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "core/base/text.h"
#include "core/plan/constraint_use.h"
#include "core/plan/decision.h"
#include "core/storage/overlays.h"

namespace hw {

Interval<Bytes> sharedBytes(const Problem& problem, const Plan& plan, const Overlap& overlap) {
  const auto& under = plan.addresses[overlap.under];
  const auto& over = plan.addresses[overlap.over];
  if (!under || !over || under->pool != over->pool || under->region != over->region) return {};
  const Bytes begin = std::max(under->offset, over->offset);
  const Bytes end = std::min(under->offset + problem.stays[overlap.under].size,
                             over->offset + problem.stays[overlap.over].size);
  return {begin, std::max(begin, end)};
}

namespace {

/// The bytes by which what a plan saves by bytes that several have at once changes, by step.
std::map<Step, Bytes> savedBytes(const Problem& problem, const Plan& plan) {
  std::map<Step, Bytes> saved;
  for (const Overlap& overlap : problem.overlaps) {
    const Bytes shared = sharedBytes(problem, plan, overlap).length();
    if (shared <= Bytes()) continue;
    saved[problem.shared(overlap).begin] += shared;
    saved[problem.shared(overlap).end] -= shared;
  }
  const auto pieces = ownPieces(problem, plan);
  for (const StayId id : pieces.keys()) {
    if (!pieces[id]) continue;
    const Bytes size = problem.stays[id].size;
    for (const Interval<Step>& live : problem.liveSteps(id)) {
      saved[live.begin] += size;
      saved[live.end] -= size;
    }
    for (const OwnPiece& piece : *pieces[id]) {
      saved[piece.steps.begin] -= piece.bytes.length();
      saved[piece.steps.end] += piece.bytes.length();
    }
  }
  return saved;
}

}  // namespace

StepFunction liveBytes(const Problem& problem, const Plan& plan) {
  const StepFunction sum = liveBytes(problem);
  const std::map<Step, Bytes> saved = savedBytes(problem, plan);
  if (saved.empty()) return sum;
  StepFunction live;
  const auto add = [&](Step from, Bytes value) {
    if (!live.pieces.empty() && live.pieces.back().from == from) live.pieces.pop_back();
    const Bytes before = live.pieces.empty() ? Bytes() : live.pieces.back().value;
    if (value != before) live.pieces.push_back({from, value});
  };
  auto next = saved.begin();
  Bytes less;
  for (std::size_t i = 0; i < sum.pieces.size(); ++i) {
    const StepFunction::Piece& piece = sum.pieces[i];
    const Step end = i + 1 < sum.pieces.size() ? sum.pieces[i + 1].from : problem.steps;
    for (; next != saved.end() && next->first <= piece.from; ++next) less += next->second;
    add(piece.from, piece.value - less);
    for (; next != saved.end() && next->first < end; ++next) {
      less += next->second;
      add(next->first, piece.value - less);
    }
  }
  return live;
}

Bytes liveBytesAt(const Problem& problem, const Plan& plan, Step step) {
  Bytes live = liveBytesAt(problem, step);
  if (problem.overlaps.empty() && problem.constraints.empty()) return live;
  for (const auto& [at, less] : savedBytes(problem, plan)) {
    if (at > step) break;
    live -= less;
  }
  return live;
}

std::string_view overlapWayName(OverlapWay way) {
  constexpr std::array<std::string_view, 3> kNames = {"forward", "reverse", "parts"};
  return kNames[static_cast<std::size_t>(way)];
}

std::optional<OverlapWay> overlapWayNamed(std::string_view name) {
  for (const OverlapWay way : {OverlapWay::forward, OverlapWay::reverse, OverlapWay::parts}) {
    if (overlapWayName(way) == name) return way;
  }
  return std::nullopt;
}

bool liesBelow(const Problem& problem, const Plan& plan, const Overlap& overlap) {
  const Bytes below = plan.addresses[overlap.under]->offset - plan.addresses[overlap.over]->offset;
  return below >= problem.apart(overlap).below;
}

OverlapWay wayOf(const Problem& problem, const Plan& plan, const Overlap& overlap) {
  if (overlap.parts) return OverlapWay::parts;
  return liesBelow(problem, plan, overlap) ? OverlapWay::forward : OverlapWay::reverse;
}

std::vector<Interval<Bytes>> restOf(const Problem& problem, const Plan& plan,
                                    const Overlap& overlap) {
  const Interval<Bytes> shared = sharedBytes(problem, plan, overlap);
  const Bytes begin = plan.addresses[overlap.under]->offset;
  const Bytes end = begin + problem.stays[overlap.under].size;
  if (shared.empty()) return {{begin, end}};
  std::vector<Interval<Bytes>> rest;
  if (begin < shared.begin) rest.push_back({begin, shared.begin});
  if (shared.end < end) rest.push_back({shared.end, end});
  return rest;
}

std::string overlapText(const Problem& problem, const Plan& plan, StayId stay) {
  std::string text;
  for (const Overlap& overlap : problem.overlaps) {
    if (overlap.over != stay && overlap.under != stay) continue;
    const Bytes shared = sharedBytes(problem, plan, overlap).length();
    if (shared <= Bytes()) continue;
    const Bytes under = plan.addresses[overlap.under]->offset;
    const Bytes over = plan.addresses[overlap.over]->offset;
    const bool below = liesBelow(problem, plan, overlap);
    const std::string_view why = overlap.parts ? "so that no byte is needed of both at once"
                                 : below
                                     ? "for a kernel that makes rows from the first to the last"
                                     : "for a kernel that makes rows from the last to the first";
    text += text.empty() ? "" : "; ";
    text += overlap.over == stay ? "it overlaps the input it is made of"
                                 : "what is made of it overlaps it";
    text += fmt::format(" by {}: {} {} it, {} at least {}", countBytes(shared),
                        countBytes(below ? under - over : over - under), below ? "below" : "above",
                        groupDigits((below ? overlap.up : overlap.down).value_or(Bytes()).count()),
                        why);
  }
  return text;
}

Bytes mostShared(const Problem& problem, const Overlap& overlap) {
  const auto [below, above] = problem.apart(overlap);
  return mostShared(problem.stays[overlap.under].size, problem.stays[overlap.over].size, below,
                    above);
}

}  // namespace hw
