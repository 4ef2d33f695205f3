#include "core/plan/audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace hw {
namespace {

/// A step's ops and moves, in program order.
struct StepDeeds {
  std::vector<const Move*> loads{};
  const StepUses* uses = nullptr;
  std::vector<const Move*> stores{};
};

class MoveAudit {
 public:
  MoveAudit(const Problem& problem, std::size_t limit)
      : problem_(problem), limit_(limit), versions_(problem.stays.size()) {}

  std::vector<Violation> run() {
    for (const Move& move : problem_.moves) auditEnds(move);
    for (const StepUses& uses : problem_.uses) auditUses(uses);
    if (!found_.empty()) return std::move(found_);
    for (const Move& move : problem_.moves) {
      StepDeeds& deeds = deeds_[move.step];
      (isStore(problem_, move) ? deeds.stores : deeds.loads).push_back(&move);
    }
    for (const StepUses& uses : problem_.uses) deeds_[uses.step].uses = &uses;
    openAtStart();
    for (auto& [step, deeds] : deeds_) play(deeds);
    for (const StayId id : problem_.stays.keys()) auditEnd(id);
    return std::move(found_);
  }

 private:
  void report(std::string message, StayId a, StayId b = {}) {
    if (found_.size() < limit_) found_.push_back({std::move(message), a, b});
  }

  void auditEnds(const Move& move) {
    const auto say = [&](StayId id, const char* what) {
      report(fmt::format("the move of buffer {} at step {} {}", move.buffer.index(),
                         move.step.count(), what),
             id);
    };
    if (!move.from && !move.to) return say({}, "is from nowhere to nowhere");
    if (move.from == move.to) return say(move.from, "is from a stay to itself");
    for (const StayId id : {move.from, move.to}) {
      if (!id) continue;
      if (!problem_.stays.contains(id)) return say({}, "is of a stay that is not there");
      if (problem_.stays[id].buffer != move.buffer) say(id, "is of a stay of another buffer");
      if (!problem_.stays[id].steps.contains(move.step))
        say(id, "is of a stay that is not live then");
    }
  }

  void auditUses(const StepUses& uses) {
    for (const auto* stays : {&uses.reads, &uses.writes}) {
      for (const StayId id : *stays) {
        const bool there =
            problem_.stays.contains(id) && problem_.stays[id].steps.contains(uses.step);
        if (!there)
          report(fmt::format("the op of step {} has no place for an operand", uses.step.count()),
                 {});
      }
    }
  }

  /// Opens the stays that begin at the start and that no move and no op opens. Loads come first in
  /// a step, then the op, then stores: a stay that an earlier one reads was there before a later
  /// one wrote.
  void openAtStart() {
    IdMap<StayId, bool> opened(problem_.stays.size());
    IdMap<StayId, bool> read(problem_.stays.size());
    // A stay that no op touches, such as the outcome of a view, needs no load.
    IdMap<StayId, bool> touched(problem_.stays.size());
    const auto begins = [&](StayId id, Step step) {
      if (id) touched[id] = true;
      return id && problem_.stays[id].steps.begin == step;
    };
    const auto write = [&](StayId id, Step step) {
      if (begins(id, step) && !read[id]) opened[id] = true;
    };
    const auto touch = [&](StayId id, Step step) {
      if (begins(id, step) && !opened[id]) read[id] = true;
    };
    // A load of what another load of its step opens comes behind that one.
    for (const Move& move : problem_.moves) {
      if (!isStore(problem_, move)) write(move.to, move.step);
    }
    for (const Move& move : problem_.moves) {
      if (!isStore(problem_, move)) touch(move.from, move.step);
    }
    for (const StepUses& uses : problem_.uses) {
      for (const StayId id : uses.reads) touch(id, uses.step);
      for (const StayId id : uses.writes) write(id, uses.step);
    }
    for (const Move& move : problem_.moves) {
      if (!isStore(problem_, move)) continue;
      touch(move.from, move.step);
      write(move.to, move.step);
    }
    for (const StayId id : problem_.stays.keys()) {
      if (opened[id]) continue;
      versions_[id] = newest_[problem_.stays[id].buffer] = 1;
      const Stay& stay = problem_.stays[id];
      if (stay.steps.begin > Step() && touched[id] && !stay.given) {
        report(fmt::format("nothing brings stay {} to its pool at step {}", id.index(),
                           problem_.stays[id].steps.begin.count()),
               id);
      }
    }
  }

  int& newestOf(StayId id) { return newest_[problem_.stays[id].buffer]; }

  void play(StepDeeds& deeds) {
    // What opens the source of another load comes from further away; of a store, from nearer.
    const auto level = [&](const Move* move) {
      return move->from ? problem_.pools[problem_.poolOf(move->from)].level : problem_.pools.size();
    };
    std::ranges::stable_sort(deeds.loads, std::greater(), level);
    std::ranges::stable_sort(deeds.stores, std::less(), level);
    for (const Move* move : deeds.loads) play(*move);
    if (deeds.uses != nullptr) play(*deeds.uses);
    for (const Move* move : deeds.stores) play(*move);
  }

  void play(const Move& move) {
    int& newest = newest_[move.buffer];
    if (!move.from) newest = std::max(newest, 1);
    const int version = move.from ? versions_[move.from] : newest;
    if (version == 0 || version != newest) {
      report(fmt::format("the move of buffer {} at step {} carries bytes that are not its newest",
                         move.buffer.index(), move.step.count()),
             move.from, move.to);
    }
    if (move.to) versions_[move.to] = version;
  }

  void play(const StepUses& uses) {
    for (const StayId id : uses.reads) {
      if (versions_[id] != 0 && versions_[id] == newestOf(id)) continue;
      report(fmt::format("the op of step {} reads stay {}, whose bytes nobody brought there",
                         uses.step.count(), id.index()),
             id);
    }
    for (const StayId id : uses.writes) versions_[id] = ++newestOf(id);
  }

  void auditEnd(StayId id) {
    if (!problem_.stays[id].outlives || versions_[id] == newestOf(id)) return;
    report(fmt::format("stay {} has to hold a graph output, and its bytes are not the newest",
                       id.index()),
           id);
  }

  const Problem& problem_;
  std::size_t limit_;
  IdMap<StayId, int> versions_;  ///< 0: nobody wrote it.
  std::map<BufferId, int> newest_;
  std::map<Step, StepDeeds> deeds_;
  std::vector<Violation> found_;
};

/// True if the bytes of a stay are needed as it ends.
bool isOutput(const Stay& stay) { return stay.outlives || stay.handedOut; }

/// The one ends with the step in which the other begins, and is not needed after it.
bool handsOver(const Problem& problem, StayId from, StayId to) {
  if (!problem.stays.contains(from) || !problem.stays.contains(to)) return false;
  return !isOutput(problem.stays[from]) &&
         problem.stays[from].steps.end == problem.stays[to].steps.begin + Step(1);
}

bool isWhole(const Problem& problem, StayId stay) { return problem.gapsOf(stay).empty(); }

/// The one is there when the other begins, and is not needed after it. Of two that begin together,
/// it has the lower id.
bool goesBefore(const Problem& problem, StayId from, StayId to) {
  if (!problem.stays.contains(from) || !problem.stays.contains(to)) return false;
  const Interval<Step>& first = problem.stays[from].steps;
  const Interval<Step>& second = problem.stays[to].steps;
  return !isOutput(problem.stays[from]) && first.end > second.begin && first.end <= second.end &&
         std::pair(first.begin, from) < std::pair(second.begin, to);
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
    const bool there = goesBefore(problem, overlap.under, overlap.over) &&
                       (overlap.parts ? isWhole(problem, overlap.under)
                                      : handsOver(problem, overlap.under, overlap.over));
    if (!ordered || !sane || !there || !inputs.insert(overlap.under).second) {
      found.push_back(
          {fmt::format("stay {} may not overlap stay {}: unknown, out of order, one of them in "
                       "two overlaps, a distance below 0, or not there first and gone first",
                       overlap.over.index(), overlap.under.index()),
           overlap.over, overlap.under});
      return;
    }
    before = overlap.over;
  }
}

}  // namespace

std::vector<Violation> auditMoves(const Problem& problem, std::size_t limit) {
  return MoveAudit(problem, limit).run();
}

std::vector<Violation> auditPermissions(const Problem& problem) {
  std::vector<Violation> found;
  auditOverlays(problem, found);
  auditOverlaps(problem, found);
  return found;
}

}  // namespace hw
