#include "core/residency/moving_problem.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "core/base/check.h"
#include "core/residency/cost_residency.h"
#include "core/residency/exact_residency.h"
#include "core/residency/level_program.h"
#include "core/residency/walk.h"

namespace hw {
namespace {

template <LeavingRule rule>
NearStays walk(const LevelProgram& program, Bytes budget, const std::stop_token&) {
  return walkResidency(program, budget, rule);
}

NearStays cost(const LevelProgram& program, Bytes budget, const std::stop_token&) {
  return costResidency(program, budget);
}

NearStays exact(const LevelProgram& program, Bytes budget, const std::stop_token& stop) {
  return exactResidency(program, budget, kResidencyNodes, stop);
}

NearStays leastTraffic(const LevelProgram& program, Bytes budget, const std::stop_token& stop) {
  NearStays best = exact(program, budget, stop);
  NearStays other = cost(program, budget, stop);
  if (best.farTraffic <= other.farTraffic) return best;
  other.atLeast = best.atLeast;
  return other;
}

constexpr std::array kCatalog = {
    ResidencyInfo{ResidencyRule::wholeLife, "whole-life",
                  "every buffer stays in one pool: those that save most traffic near"},
    ResidencyInfo{ResidencyRule::layer, "layer",
                  "operands come near; all else leaves where they need its room",
                  walk<LeavingRule::all>},
    ResidencyInfo{ResidencyRule::lru, "lru", "what was touched longest ago leaves first",
                  walk<LeavingRule::oldest>},
    ResidencyInfo{ResidencyRule::belady, "belady", "what is read again furthest away leaves first",
                  walk<LeavingRule::furthest>},
    ResidencyInfo{ResidencyRule::cost, "cost",
                  "near is what saves most traffic for each byte and step", cost},
    ResidencyInfo{ResidencyRule::exact, "exact",
                  "the least traffic between two pools, proved where it can be", exact},
    ResidencyInfo{ResidencyRule::leastTraffic, "best:for=traffic",
                  "of cost and exact the one that moves less", leastTraffic},
    ResidencyInfo{ResidencyRule::best, "best", "of all these the one that is simulated fastest"}};

/// Puts the stays of all levels in one list, and finds out who moves to whom.
class ProblemMaker {
 public:
  ProblemMaker(const Problem& whole, const LevelProgram& program)
      : whole_(whole), program_(program) {
    problem_ = {.pools = whole.pools, .steps = whole.steps};
  }

  Problem make(const std::vector<NearStays>& levels) {
    LevelProgram behind = program_;
    for (std::size_t level = 0; level < levels.size(); ++level) {
      for (const NearStay& near : levels[level].stays) {
        pieces_.push_back({near.buffer, near.steps, PoolId(level), near.loaded, near.stored});
      }
      behind = levelBehind(behind, levels[level].stays);
    }
    addFar(behind, PoolId(levels.size()));
    const auto moves = [](const Piece& piece) { return piece.loaded || piece.stored; };
    if (std::ranges::none_of(pieces_, moves)) return inWholeLives();
    std::ranges::sort(pieces_, {}, [](const Piece& piece) {
      return std::tuple(piece.steps.begin, piece.buffer, piece.pool);
    });
    addStays();
    addMoves();
    addUses();
    return std::move(problem_);
  }

 private:
  struct Piece {
    BufferId buffer{};
    Interval<Step> steps{};
    PoolId pool{};
    bool loaded = false;
    std::optional<Step> stored{};
    bool outlives = false;
  };

  /// In the far pool lies what starts, ends or is touched there, from the first of these to the
  /// last.
  void addFar(const LevelProgram& behind, PoolId pool) {
    IdMap<BufferId, std::optional<Interval<Step>>> far(program_.buffers.size());
    IdMap<BufferId, bool> touched(program_.buffers.size());
    for (const Piece& piece : pieces_) touched[piece.buffer] = true;
    for (const UseStep& step : behind.steps) {
      for (const OperandUse& use : step.operands) {
        auto& steps = far[use.buffer];
        if (!steps) steps = {step.step, {}};
        steps->end = step.step + Step(1);
      }
    }
    for (const BufferId id : program_.buffers.keys()) {
      const Stay& stay = whole_.stays[StayId(id.index())];
      auto& steps = far[id];
      if (!steps && !touched[id]) steps = stay.steps;
      if (!steps) continue;
      if (program_.buffers[id].startsFar) steps->begin = stay.steps.begin;
      if (stay.outlives) steps->end = stay.steps.end;
      pieces_.push_back({id, *steps, pool, false, {}, stay.outlives});
    }
  }

  /// Every buffer is in one pool only: it stays there as long as it lives.
  Problem inWholeLives() const {
    Problem problem = whole_;
    for (const Piece& piece : pieces_) {
      problem.stays[StayId(piece.buffer.index())].pool = piece.pool;
    }
    return problem;
  }

  void addStays() {
    staysOf_ = IdMap<BufferId, std::vector<StayId>>(program_.buffers.size());
    for (const Piece& piece : pieces_) {
      Stay stay = whole_.stays[StayId(piece.buffer.index())];
      stay.steps = piece.steps;
      stay.pool = piece.pool;
      stay.outlives = piece.outlives;
      staysOf_[piece.buffer].push_back(problem_.stays.add(stay));
    }
  }

  /// The stay of `buffer` at `step` that is nearest, of the pools from `from` on; none: nowhere.
  StayId stayAt(BufferId buffer, Step step, PoolId from) const {
    StayId found;
    for (const StayId id : staysOf_[buffer]) {
      const Stay& stay = problem_.stays[id];
      if (!stay.steps.contains(step) || stay.pool < from) continue;
      if (!found || stay.pool < problem_.stays[found].pool) found = id;
    }
    return found;
  }

  void addMoves() {
    for (const StayId id : problem_.stays.keys()) {
      const Piece& piece = pieces_[id.index()];
      const PoolId behind(piece.pool.index() + 1);
      const auto moveAt = [&](Step step, bool load) {
        const StayId other = stayAt(piece.buffer, step, behind);
        check(bool(other), "a stay behind that a near one is moved from or to");
        problem_.moves.push_back({piece.buffer, load ? other : id, load ? id : other, step});
      };
      if (piece.loaded) moveAt(piece.steps.begin, true);
      if (piece.stored) moveAt(*piece.stored, false);
    }
    std::ranges::stable_sort(problem_.moves, {}, &Move::step);
  }

  void addUses() {
    for (const UseStep& step : program_.steps) {
      StepUses uses{.step = step.step};
      for (const OperandUse& use : step.operands) {
        const StayId stay = stayAt(use.buffer, step.step, PoolId(0));
        if (use.needs) uses.reads.push_back(stay);
        if (use.writes) uses.writes.push_back(stay);
      }
      problem_.uses.push_back(std::move(uses));
    }
  }

  const Problem& whole_;
  const LevelProgram& program_;
  std::vector<Piece> pieces_;  ///< Of the stays, with the same numbers.
  IdMap<BufferId, std::vector<StayId>> staysOf_;
  Problem problem_;
};

}  // namespace

std::span<const ResidencyInfo> residencyCatalog() { return kCatalog; }

const ResidencyInfo& infoOf(ResidencyRule rule) {
  return *std::ranges::find(kCatalog, rule, &ResidencyInfo::rule);
}

std::vector<NearStays> chooseResidency(const LevelProgram& program,
                                       std::span<const std::optional<Bytes>> budgets,
                                       ResidencyRule rule, const std::stop_token& stop) {
  const auto choose = infoOf(rule).choose;
  check(choose != nullptr, "a rule that moves buffers by itself");
  std::vector<NearStays> levels;
  LevelProgram behind = program;
  for (const std::optional<Bytes>& budget : budgets) {
    levels.push_back(choose(behind, budget.value_or(kMaxBytes), stop));
    behind = levelBehind(behind, levels.back().stays);
  }
  return levels;
}

Problem movingProblem(const Problem& whole, const LevelProgram& program,
                      const std::vector<NearStays>& levels) {
  check(levels.size() + 1 == whole.pools.size(), "an answer for every pool but the last");
  return ProblemMaker(whole, program).make(levels);
}

}  // namespace hw
