#include "core/residency/moving_devices.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "core/base/check.h"
#include "core/plan/metrics.h"
#include "core/residency/near_stays.h"

namespace hw {
namespace {

/// Puts the stays of all levels in one list, and finds out who moves to whom.
class ProblemMaker {
 public:
  ProblemMaker(const Problem& whole, const std::vector<MovingDevice>& devices)
      : whole_(whole), devices_(devices) {
    problem_ = {.pools = whole.pools, .steps = whole.steps};
  }

  Problem make(const std::vector<std::vector<NearStays>>& levels) {
    std::vector<LevelProgram> behind;
    for (std::size_t device = 0; device < devices_.size(); ++device) {
      behind.push_back(addNear(device, levels[device]));
    }
    addFar(behind);
    const auto moves = [](const Piece& piece) {
      return piece.loaded || piece.stored || piece.copied;
    };
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
    std::size_t device = 0;
    std::size_t level = 0;  ///< Of its pool, among those of the device.
    bool loaded = false;
    std::optional<Step> stored{};
    bool outlives = false;
    bool copied = false;  ///< From the far pool of the device that wrote it.
  };

  std::size_t buffers() const { return devices_.front().program.buffers.size(); }

  /// Returns the program that is left to the far pool.
  LevelProgram addNear(std::size_t device, const std::vector<NearStays>& levels) {
    LevelProgram behind = devices_[device].program;
    for (std::size_t level = 0; level < levels.size(); ++level) {
      const PoolId pool = devices_[device].pools[level];
      for (const NearStay& near : levels[level].stays) {
        pieces_.push_back({near.buffer, near.steps, pool, device, level, near.loaded, near.stored,
                           near.outlives});
      }
      behind = levelBehind(behind, levels[level].stays);
    }
    return behind;
  }

  /// In a far pool lies what starts, ends or is touched there, from the first of these to the
  /// last. What one device begins with may be what another one wrote: where that has a far pool of
  /// its own, it is copied from there at the first step that needs it.
  void addFar(const std::vector<LevelProgram>& behind) {
    IdMap<BufferId, bool> touched(buffers());
    IdMap<BufferId, bool> endsNear(buffers());
    for (const Piece& piece : pieces_) {
      touched[piece.buffer] = true;
      if (piece.outlives) endsNear[piece.buffer] = true;
    }
    std::map<PoolId, FarTimes> far;
    for (std::size_t device = 0; device < devices_.size(); ++device) {
      FarTimes& times = far[farOf(device)];
      if (times.size() == 0) times = FarTimes(buffers());
      for (const UseStep& step : behind[device].steps) {
        for (const OperandUse& use : step.operands) {
          times[use.buffer].add({step.step, step.step + Step(1)});
          touched[use.buffer] = true;
        }
      }
    }
    for (BufferId id(0); id.index() < buffers(); id = BufferId(id.index() + 1)) {
      const PoolId home = homeOf(id, far);
      if (!touched[id]) far[home][id].add(whole_.stays[StayId(id.index())].steps);
      addFarOf(id, home, behind, endsNear[id], far);
    }
  }

  /// When a buffer is in a far pool; empty: never.
  struct FarTime {
    std::optional<Interval<Step>> steps{};
    void add(const Interval<Step>& more) {
      if (!steps) steps = more;
      steps->begin = std::min(steps->begin, more.begin);
      steps->end = std::max(steps->end, more.end);
    }
  };
  using FarTimes = IdMap<BufferId, FarTime>;

  PoolId farOf(std::size_t device) const { return devices_[device].pools.back(); }

  /// The device whose ops write it.
  std::optional<std::size_t> writerOf(BufferId id) const {
    for (std::size_t device = 0; device < devices_.size(); ++device) {
      if (!devices_[device].program.buffers[id].startsFar) return device;
    }
    return std::nullopt;
  }

  /// The far pool of the device that writes it, or else of the first that finds it there.
  PoolId homeOf(BufferId id, const std::map<PoolId, FarTimes>& far) const {
    if (const auto writer = writerOf(id)) return farOf(*writer);
    for (std::size_t device = 0; device < devices_.size(); ++device) {
      if (far.at(farOf(device))[id].steps) return farOf(device);
    }
    return farOf(0);
  }

  void addFarOf(BufferId id, PoolId home, const std::vector<LevelProgram>& behind, bool endsNear,
                std::map<PoolId, FarTimes>& far) {
    const Stay& stay = whole_.stays[StayId(id.index())];
    const bool startsFar = std::ranges::all_of(
        behind, [&](const LevelProgram& program) { return program.buffers[id].startsFar; });
    // A graph input lies in the far pool of everybody who reads it.
    const auto copied = [&](PoolId pool) { return pool != home && writerOf(id).has_value(); };
    for (auto& [pool, times] : far) {
      if (copied(pool) && times[id].steps) {
        const Step step = times[id].steps->begin;
        far[home][id].add({step, step + Step(1)});
      }
    }
    for (std::size_t device = 0; device < devices_.size(); ++device) {
      const PoolId pool = farOf(device);
      auto& steps = far[pool][id].steps;
      if (!steps) continue;
      const bool outlives = (stay.outlives || stay.handedOut) && !endsNear && pool == home;
      if (startsFar) steps->begin = stay.steps.begin;
      if (outlives) steps->end = stay.steps.end;
      pieces_.push_back({.buffer = id,
                         .steps = *steps,
                         .pool = pool,
                         .device = device,
                         .level = devices_[device].pools.size() - 1,
                         .outlives = outlives,
                         .copied = copied(pool)});
      steps.reset();  // Others may have the same far pool.
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
    staysOf_ = IdMap<BufferId, std::vector<StayId>>(buffers());
    for (const Piece& piece : pieces_) {
      Stay stay = whole_.stays[StayId(piece.buffer.index())];
      stay.steps = piece.steps;
      stay.pool = piece.pool;
      stay.outlives = stay.outlives && piece.outlives;
      stay.handedOut = stay.handedOut && piece.outlives;
      stay.given =
          stay.given && piece.steps.begin == whole_.stays[StayId(piece.buffer.index())].steps.begin;
      staysOf_[piece.buffer].push_back(problem_.stays.add(stay));
    }
  }

  /// The stay of `buffer` at `step` that is nearest to a device, of its pools from `from` on; none:
  /// nowhere.
  StayId stayAt(BufferId buffer, Step step, std::size_t device, std::size_t from) const {
    const auto& pools = devices_[device].pools;
    StayId found;
    std::size_t nearest = pools.size();
    for (const StayId id : staysOf_[buffer]) {
      const Stay& stay = problem_.stays[id];
      if (!stay.steps.contains(step)) continue;
      const auto at = static_cast<std::size_t>(std::ranges::find(pools, stay.pool) - pools.begin());
      if (at < from || at >= nearest) continue;
      found = id;
      nearest = at;
    }
    return found;
  }

  void addMoves() {
    // Copies come first: what they bring is loaded in the same step.
    for (const StayId id : problem_.stays.keys()) {
      const Piece& piece = pieces_[id.index()];
      if (!piece.copied) continue;
      const std::size_t writer = *writerOf(piece.buffer);
      const Step step = piece.steps.begin;
      const StayId from = stayAt(piece.buffer, step, writer, devices_[writer].pools.size() - 1);
      check(bool(from), "a stay of the device that wrote it that a copy is made from");
      problem_.moves.push_back({piece.buffer, from, id, step});
    }
    for (const StayId id : problem_.stays.keys()) {
      const Piece& piece = pieces_[id.index()];
      const auto moveAt = [&](Step step, bool load) {
        const StayId other = stayAt(piece.buffer, step, piece.device, piece.level + 1);
        check(bool(other), "a stay behind that a near one is moved from or to");
        problem_.moves.push_back({piece.buffer, load ? other : id, load ? id : other, step});
      };
      if (piece.loaded) moveAt(piece.steps.begin, true);
      if (piece.stored) moveAt(*piece.stored, false);
    }
    std::ranges::stable_sort(problem_.moves, {}, &Move::step);
  }

  void addUses() {
    for (std::size_t device = 0; device < devices_.size(); ++device) {
      for (const UseStep& step : devices_[device].program.steps) {
        StepUses uses{.step = step.step};
        for (const OperandUse& use : step.operands) {
          const StayId stay = stayAt(use.buffer, step.step, device, 0);
          if (use.needs) uses.reads.push_back(stay);
          if (use.writes) uses.writes.push_back(stay);
        }
        problem_.uses.push_back(std::move(uses));
      }
    }
    std::ranges::sort(problem_.uses, {}, &StepUses::step);
  }

  const Problem& whole_;
  const std::vector<MovingDevice>& devices_;
  std::vector<Piece> pieces_;  ///< Of the stays, with the same numbers.
  IdMap<BufferId, std::vector<StayId>> staysOf_;
  Problem problem_;
};

/// Stores buffers that other devices wait for behind the op that wrote them.
void storeInTime(const MovingDevice& device, const LevelProgram& program,
                 std::vector<NearStay>& stays) {
  IdMap<BufferId, Step> written(program.buffers.size());
  for (const UseStep& step : program.steps) {
    for (const OperandUse& use : step.operands) {
      if (use.writes) written[use.buffer] = step.step;
    }
  }
  for (NearStay& stay : stays) {
    const auto needed = device.neededFar[stay.buffer];
    if (stay.stored && needed && *stay.stored >= *needed) stay.stored = written[stay.buffer];
  }
}

}  // namespace

std::vector<MovingDevice> dealtOut(const LevelProgram& program,
                                   const std::vector<std::uint32_t>& deviceAt,
                                   std::vector<std::vector<PoolId>> pools) {
  std::vector<MovingDevice> devices;
  for (auto& own : pools) {
    devices.push_back({.program = {.buffers = program.buffers, .length = program.length},
                       .pools = std::move(own),
                       .neededFar = IdMap<BufferId, std::optional<Step>>(program.buffers.size())});
  }
  IdMap<BufferId, std::optional<std::uint32_t>> writer(program.buffers.size());
  const auto deviceOf = [&](const UseStep& step) {
    return deviceAt[static_cast<std::size_t>(step.step.count())];
  };
  for (const UseStep& step : program.steps) {
    for (const OperandUse& use : step.operands) {
      if (use.writes) writer[use.buffer] = deviceOf(step);
    }
  }
  for (const BufferId id : program.buffers.keys()) {
    for (std::uint32_t device = 0; device < devices.size(); ++device) {
      if (writer[id] != device) devices[device].program.buffers[id].startsFar = true;
    }
  }
  IdMap<BufferId, std::optional<std::uint32_t>> user(program.buffers.size());
  for (const UseStep& step : program.steps) {
    devices[deviceOf(step)].program.steps.push_back(step);
    for (const OperandUse& use : step.operands) {
      // Buffers that several devices touch are found in the far pool.
      if (user[use.buffer].value_or(deviceOf(step)) != deviceOf(step)) {
        for (MovingDevice& device : devices) {
          LevelBuffer& buffer = device.program.buffers[use.buffer];
          buffer.mayStartNear = buffer.mayEndNear = false;
        }
      }
      user[use.buffer] = deviceOf(step);
      if (!writer[use.buffer] || *writer[use.buffer] == deviceOf(step)) continue;
      MovingDevice& maker = devices[*writer[use.buffer]];
      maker.program.buffers[use.buffer].endsFar = true;
      auto& needed = maker.neededFar[use.buffer];
      if (!needed) needed = step.step;
    }
  }
  return devices;
}

std::vector<NearStays> chooseResidency(const MovingDevice& device,
                                       std::span<const std::optional<Bytes>> budgets,
                                       ResidencyRule rule, const std::stop_token& stop) {
  std::vector<NearStays> levels;
  LevelProgram behind = device.program;
  for (std::size_t level = 0; level < budgets.size(); ++level) {
    levels.push_back(chooseResidency(behind, budgets.subspan(level, 1), rule, stop).front());
    keepEndsNear(behind, budgets[level].value_or(kMaxBytes), levels.back());
    storeInTime(device, behind, levels.back().stays);
    behind = levelBehind(behind, levels.back().stays);
  }
  return levels;
}

Problem movingProblem(const Problem& whole, const std::vector<MovingDevice>& devices,
                      const std::vector<std::vector<NearStays>>& levels) {
  check(levels.size() == devices.size(), "an answer for every device");
  for (std::size_t i = 0; i < devices.size(); ++i) {
    check(levels[i].size() + 1 == devices[i].pools.size(), "an answer for every pool but the last");
  }
  return ProblemMaker(whole, devices).make(levels);
}

Bytes leastLive(const Problem& problem) {
  if (problem.moves.empty()) return lowerBound(problem);
  std::set<BufferId> outside;
  for (const Move& move : problem.moves) {
    if (!move.from) outside.insert(move.buffer);
  }
  std::map<BufferId, std::vector<StayId>> staysOf;
  for (const StayId id : problem.stays.keys()) {
    const BufferId buffer = problem.stays[id].buffer;
    if (!outside.contains(buffer)) staysOf[buffer].push_back(id);
  }
  Problem once{.steps = problem.steps};
  once.pools.add({.name = "all"});
  for (auto& [buffer, stays] : staysOf) {
    std::ranges::sort(stays, {}, [&](StayId id) { return problem.stays[id].steps.begin; });
    Stay joined = problem.stays[stays.front()];
    joined.pool = {};
    joined.pinned = {};
    for (const StayId id : stays) {
      const Stay& stay = problem.stays[id];
      if (stay.steps.begin > joined.steps.end) {
        once.stays.add(joined);
        joined.steps = stay.steps;
      }
      joined.steps.end = std::max(joined.steps.end, stay.steps.end);
    }
    once.stays.add(joined);
  }
  return lowerBound(once);
}

}  // namespace hw
