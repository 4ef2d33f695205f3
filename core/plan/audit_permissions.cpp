#include "core/plan/audit_permissions.h"

#include <fmt/format.h>

#include <set>
#include <utility>

namespace hw {
namespace {

/// The one ends with the step in which the other begins, and is not needed after it.
bool handsOver(const Problem& problem, StayId from, StayId to) {
  if (!problem.stays.contains(from) || !problem.stays.contains(to)) return false;
  return !problem.stays[from].outlives &&
         problem.stays[from].steps.end == problem.stays[to].steps.begin + Step(1);
}

void auditOverlays(const Problem& problem, std::vector<Violation>& found) {
  const Overlay* before = nullptr;
  for (const Overlay& overlay : problem.overlays) {
    const bool ordered =
        overlay.over < overlay.stay &&
        (!before || std::pair(before->stay, before->over) < std::pair(overlay.stay, overlay.over));
    if (!ordered || !handsOver(problem, overlay.over, overlay.stay)) {
      found.push_back(
          {fmt::format("stay {} may not be written over stay {}: unknown, out of order, or that "
                       "does not end where this begins",
                       overlay.stay.index(), overlay.over.index()),
           overlay.stay, overlay.over});
      return;
    }
    before = &overlay;
  }
}

void auditOverlaps(const Problem& problem, std::vector<Violation>& found) {
  StayId before;
  std::set<StayId> inputs;
  for (const Overlap& overlap : problem.overlaps) {
    const bool ordered = overlap.under != overlap.over && (!before || before < overlap.over);
    const bool sane =
        overlap.up.value_or(Bytes()) >= Bytes() && overlap.down.value_or(Bytes()) >= Bytes();
    // Of two that begin together, the input is there first.
    const bool there =
        handsOver(problem, overlap.under, overlap.over) &&
        (overlap.under < overlap.over ||
         problem.stays[overlap.under].steps.begin < problem.stays[overlap.over].steps.begin);
    if (!ordered || !sane || !there || !inputs.insert(overlap.under).second) {
      found.push_back(
          {fmt::format("stay {} may not overlap stay {}: unknown, out of order, one of them in "
                       "two overlaps, a distance below 0, or that does not end where this begins",
                       overlap.over.index(), overlap.under.index()),
           overlap.over, overlap.under});
      return;
    }
    before = overlap.over;
  }
}

}  // namespace

std::vector<Violation> auditPermissions(const Problem& problem) {
  std::vector<Violation> found;
  auditOverlays(problem, found);
  auditOverlaps(problem, found);
  return found;
}

}  // namespace hw
