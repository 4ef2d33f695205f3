#include "tests/support/level_programs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "tests/support/problems.h"

namespace hw::test {

LevelProgram randomProgram(std::uint64_t seed, const ProgramShape& shape) {
  Dice dice(seed);
  LevelProgram program;
  std::vector<BufferId> live;
  const auto add = [&](bool startsFar) {
    const Bytes size(dice.roll(1, shape.maxSize));
    const Bytes moved(dice.roll(1, size.count()));
    live.push_back(program.buffers.add({size, moved, startsFar, dice.chance(10)}));
  };
  for (std::int64_t inputs = dice.roll(1, 2); inputs > 0; --inputs) add(true);
  for (std::size_t at = 0; at < shape.steps; ++at) {
    UseStep step{Step(static_cast<std::int64_t>(at + at / 5)), {}};  // Some steps have no op.
    std::vector<BufferId> left = live;
    for (std::int64_t reads = dice.roll(1, 3); reads > 0 && !left.empty(); --reads) {
      const auto chosen = left.begin() + dice.roll(0, static_cast<std::int64_t>(left.size()) - 1);
      const Bytes moved = program.buffers[*chosen].moved;
      const bool adds = dice.chance(shape.rewritePercent);
      step.operands.push_back({*chosen, adds && dice.chance(50) ? Bytes() : moved,
                               adds ? Bytes(dice.roll(1, moved.count())) : Bytes(), true, adds});
      left.erase(chosen);
    }
    add(false);
    step.operands.push_back(
        {live.back(), Bytes(), program.buffers[live.back()].moved, false, true});
    while (live.size() > shape.live) {
      live.erase(live.begin() + dice.roll(0, static_cast<std::int64_t>(live.size()) - 1));
    }
    program.steps.push_back(std::move(step));
  }
  program.buffers[live.back()].endsFar = true;
  return program;
}

namespace {

/// One buffer while stays are replayed: versions count from 1, 0 is nothing.
struct Versions {
  int now = 0;
  int far = 0;
  int near = 0;
  const NearStay* stay = nullptr;
};

class StayReplay {
 public:
  StayReplay(const LevelProgram& program, Bytes budget, const NearStays& stays)
      : program_(program), budget_(budget), stays_(stays), buffers_(program.buffers.size()) {
    for (const BufferId id : program.buffers.keys()) {
      if (program.buffers[id].startsFar) buffers_[id] = {.now = 1, .far = 1};
    }
  }

  std::string run() {
    for (const UseStep& step : program_.steps) {
      arrive(step.step);
      for (const OperandUse& use : step.operands) touch(use, step.step);
      for (const NearStay& stay : stays_.stays) {
        if (stay.stored == step.step) store(stay, step.step);
      }
    }
    for (const BufferId id : program_.buffers.keys()) {
      const auto& [now, far, near, stay] = buffers_[id];
      if (program_.buffers[id].endsFar && far != now) complain(id, "does not end far", Step(-1));
    }
    if (moved_ != stays_.farTraffic) {
      complain(BufferId(),
               fmt::format("{} bytes moved, not {}", moved_.count(), stays_.farTraffic.count()),
               Step(-1));
    }
    return complaint_;
  }

 private:
  void complain(BufferId id, const std::string& what, Step step) {
    if (!complaint_.empty()) return;
    complaint_ = fmt::format("step {}: buffer {}: {}", step.count(), id.index(), what);
  }

  void arrive(Step step) {
    for (Versions& buffer : buffers_) {
      if (buffer.stay != nullptr && buffer.stay->steps.end <= step) buffer.stay = nullptr;
    }
    for (const NearStay& stay : stays_.stays) {
      if (!stay.steps.contains(step) || buffers_[stay.buffer].stay == &stay) continue;
      Versions& buffer = buffers_[stay.buffer];
      if (buffer.stay != nullptr) complain(stay.buffer, "is near twice", step);
      if (stay.steps.begin != step) complain(stay.buffer, "comes near where nothing runs", step);
      if (stay.loaded && buffer.far == 0) complain(stay.buffer, "loads nothing", step);
      buffer.stay = &stay;
      buffer.near = stay.loaded ? buffer.far : 0;
      if (stay.loaded) moved_ += program_.buffers[stay.buffer].moved;
    }
    Bytes held;
    for (const BufferId id : buffers_.keys()) {
      if (buffers_[id].stay != nullptr) held += program_.buffers[id].size;
    }
    if (held > budget_) complain(BufferId(), "the budget does not hold", step);
  }

  void touch(const OperandUse& use, Step step) {
    Versions& buffer = buffers_[use.buffer];
    int& version = buffer.stay != nullptr ? buffer.near : buffer.far;
    if (buffer.stay == nullptr) moved_ += use.read + use.written;
    if (use.needs && version != buffer.now) complain(use.buffer, "is read but not there", step);
    if (use.writes) version = ++buffer.now;
  }

  void store(const NearStay& stay, Step step) {
    Versions& buffer = buffers_[stay.buffer];
    if (buffer.stay != &stay) complain(stay.buffer, "is stored while it is away", step);
    buffer.far = buffer.near;
    moved_ += program_.buffers[stay.buffer].moved;
  }

  const LevelProgram& program_;
  Bytes budget_;
  const NearStays& stays_;
  IdMap<BufferId, Versions> buffers_;
  Bytes moved_;
  std::string complaint_;
};

/// Bits of buffers: which are near, and which are far as they are now.
struct Whereabouts {
  unsigned near = 0;
  unsigned far = 0;
  friend auto operator<=>(const Whereabouts&, const Whereabouts&) = default;
};

class BruteForce {
 public:
  BruteForce(const LevelProgram& program, Bytes budget) : program_(program), budget_(budget) {}

  Bytes run() {
    Whereabouts start;
    for (const BufferId id : program_.buffers.keys()) {
      if (program_.buffers[id].startsFar) start.far |= 1U << id.index();
    }
    costs_[start] = Bytes();
    for (const UseStep& step : program_.steps) {
      const auto before = std::exchange(costs_, {});
      for (const auto& [state, cost] : before) leave(state, cost, step);
    }
    Bytes best = kMaxBytes;
    for (const auto& [state, cost] : costs_) best = std::min(best, cost + lastStores(state));
    return best;
  }

 private:
  Bytes lastStores(const Whereabouts& state) const {
    Bytes cost;
    for (const BufferId id : program_.buffers.keys()) {
      const unsigned bit = 1U << id.index();
      if (!program_.buffers[id].endsFar || (state.far & bit) != 0) continue;
      if ((state.near & bit) == 0) return kMaxBytes;
      cost += program_.buffers[id].moved;
    }
    return cost;
  }

  Bytes sum(unsigned bits) const {
    Bytes sum;
    for (const BufferId id : program_.buffers.keys()) {
      if ((bits >> id.index() & 1U) != 0) sum += program_.buffers[id].moved;
    }
    return sum;
  }

  /// Any near buffers may be stored, and any may leave; then any may be near for the op.
  void leave(const Whereabouts& state, Bytes cost, const UseStep& step) {
    const unsigned all = (1U << program_.buffers.size()) - 1;
    for (unsigned stored = state.near;; stored = (stored - 1) & state.near) {
      for (unsigned next = 0; next <= all; ++next) {
        run(state, {next, state.far | stored}, cost + sum(stored), step);
      }
      if (stored == 0) return;
    }
  }

  void run(const Whereabouts& before, Whereabouts state, Bytes cost, const UseStep& step) {
    Bytes held;
    for (const BufferId id : program_.buffers.keys()) {
      const unsigned bit = 1U << id.index();
      if ((state.near & bit) == 0) continue;
      held += program_.buffers[id].size;
      const auto use = std::ranges::find(step.operands, id, &OperandUse::buffer);
      const bool made = use != step.operands.end() && !use->needs;
      if ((before.near & bit) != 0 || made) continue;
      if ((state.far & bit) == 0) return;
      cost += program_.buffers[id].moved;
    }
    if (held > budget_) return;
    for (const OperandUse& use : step.operands) {
      const unsigned bit = 1U << use.buffer.index();
      const bool near = (state.near & bit) != 0;
      if (!near && use.needs && (state.far & bit) == 0) return;
      if (!near) cost += use.read + use.written;
      if (use.writes) state.far = near ? state.far & ~bit : state.far | bit;
    }
    const auto [known, isNew] = costs_.try_emplace(state, cost);
    known->second = std::min(known->second, cost);
  }

  const LevelProgram& program_;
  Bytes budget_;
  std::map<Whereabouts, Bytes> costs_;
};

}  // namespace

std::string complaint(const LevelProgram& program, Bytes budget, const NearStays& stays) {
  return StayReplay(program, budget, stays).run();
}

Bytes bruteForceTraffic(const LevelProgram& program, Bytes budget) {
  return BruteForce(program, budget).run();
}

/// n: near at a step, l: loaded before it, s: stored after it, f: the far bytes are right after it.
std::string trafficProgram(const LevelProgram& program, Bytes budget) {
  std::string objective;
  std::int64_t allInPlace = 0;
  std::string rows;
  std::string bounds;
  std::string binaries;
  for (std::size_t t = 0; t < program.steps.size(); ++t) {
    std::string room;
    for (const BufferId id : program.buffers.keys()) {
      const LevelBuffer& buffer = program.buffers[id];
      const auto var = [&](char kind, std::size_t at) {
        return fmt::format("{}{}_{}", kind, id.index(), at);
      };
      const auto& operands = program.steps[t].operands;
      const auto use = std::ranges::find(operands, id, &OperandUse::buffer);
      const bool used = use != operands.end();
      const bool writes = used && use->writes;
      const auto moved = buffer.moved.count();
      for (const char kind : {'n', 'l', 's', 'f'}) binaries += " " + var(kind, t) + "\n";
      objective += fmt::format(" + {} {} + {} {}", moved, var('l', t), moved, var('s', t));
      room += fmt::format(" + {} {}", buffer.size.count(), var('n', t));
      const std::string before = t > 0 ? " - " + var('n', t - 1) : "";
      const std::string farBefore = t > 0 ? " - " + var('f', t - 1) : "";
      const int startsFar = t == 0 && buffer.startsFar ? 1 : 0;
      if (!used || use->needs) {
        rows += fmt::format(" {} - {}{} <= 0\n", var('n', t), var('l', t), before);
      }
      rows += fmt::format(" {}{} <= {}\n", var('l', t), farBefore, startsFar);
      rows += fmt::format(" {} - {} <= 0\n", var('s', t), var('n', t));
      // In place is 1 - n.
      if (used) {
        const auto inPlace = (use->read + use->written).count();
        allInPlace += inPlace;
        objective += fmt::format(" - {} {}", inPlace, var('n', t));
        if (use->needs)
          rows += fmt::format(" - {}{} <= {}\n", var('n', t), farBefore, startsFar - 1);
      }
      if (writes) {
        rows += fmt::format(" {} + {} - {} <= 1\n", var('f', t), var('n', t), var('s', t));
      } else {
        rows += fmt::format(" {} - {}{} <= {}\n", var('f', t), var('s', t), farBefore, startsFar);
      }
      if (buffer.endsFar && t + 1 == program.steps.size())
        bounds += fmt::format(" {} = 1\n", var('f', t));
    }
    rows += fmt::format("{} <= {}\n", room, budget.count());
  }
  return "Minimize\n cost: " + std::to_string(allInPlace) + " one" + objective + "\nSubject To\n" +
         rows + "Bounds\n one = 1\n" + bounds + "Binaries\n" + binaries + "End\n";
}

}  // namespace hw::test
