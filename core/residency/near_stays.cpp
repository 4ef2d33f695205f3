#include "core/residency/near_stays.h"

#include <algorithm>
#include <map>

#include "core/base/live_sum.h"
#include "core/graph/tiling.h"
#include "core/ops/op_table.h"

namespace hw {
namespace {

/// Puts the operands of one op together: a buffer that is read and written is one operand.
class StepMaker {
 public:
  StepMaker(const Storage& storage, IdMap<BufferId, bool>& filled)
      : storage_(storage), filled_(filled) {}

  void touch(TensorId tensor, Bytes bytes, bool write) {
    const BufferId buffer = storage_.bufferOf(tensor);
    if (!buffer) return;
    auto use = std::ranges::find(operands_, buffer, &OperandUse::buffer);
    if (use == operands_.end()) {
      operands_.push_back({.buffer = buffer, .needs = filled_[buffer]});
      use = std::prev(operands_.end());
    }
    (write ? use->written : use->read) += bytes;
    use->writes |= write;
  }

  std::vector<OperandUse> take() {
    for (const OperandUse& use : operands_) filled_[use.buffer] = true;
    return std::move(operands_);
  }

 private:
  const Storage& storage_;
  IdMap<BufferId, bool>& filled_;
  std::vector<OperandUse> operands_;
};

/// A concat gathers its copied inputs in its output; a split or reshape fills its copied outputs.
/// Its other operands have to be there, too.
void touchCopies(const Graph& graph, OpId id, const std::vector<CopyNote>& copies,
                 StepMaker& maker) {
  const Op& op = graph.ops[id];
  const auto each = [&](bool write) {
    for (const CopyNote& copy : copies) {
      const bool gathered = std::ranges::find(op.outputs, copy.tensor) == op.outputs.end();
      const TensorId from = gathered ? copy.tensor : dataInput(op);
      const TensorId to = gathered ? op.outputs[0] : copy.tensor;
      maker.touch(write ? to : from, copy.bytes, write);
    }
  };
  each(false);
  for (const TensorId in : graph.reads(id)) maker.touch(in, Bytes(), false);
  each(true);
  for (const TensorId out : op.outputs) maker.touch(out, Bytes(), true);
}

void touchAll(const Graph& graph, OpId id, StepMaker& maker) {
  const auto sizeOf = [&](TensorId tensor) {
    return graph.tensors[tensor].bytes.value_or(Bytes());
  };
  for (const TensorId in : graph.reads(id)) maker.touch(in, sizeOf(in), false);
  for (const TensorId out : graph.ops[id].outputs) {
    if (out) maker.touch(out, sizeOf(out), true);
  }
}

class EndKeeper {
 public:
  EndKeeper(const LevelProgram& program, Bytes budget, NearStays& near)
      : program_(program),
        budget_(budget),
        near_(near),
        live_(static_cast<std::size_t>(std::max(program.length, Step(1)).count())),
        uses_(program.buffers.size()) {
    for (const UseStep& step : program.steps) {
      for (const OperandUse& use : step.operands) {
        Uses& uses = uses_[use.buffer];
        uses.steps.push_back(step.step);
        uses.written |= use.writes;
      }
    }
    for (const NearStay& stay : near.stays) mostLive(stay.steps, sizeOf(stay.buffer));
  }

  void run() {
    const auto next = [&](auto at) {
      return std::find_if(at, near_.stays.end(),
                          [&](const NearStay& stay) { return stay.buffer != at->buffer; });
    };
    for (auto at = near_.stays.begin(); at != near_.stays.end(); at = next(at)) {
      const LevelBuffer& buffer = program_.buffers[at->buffer];
      if (buffer.mayStartNear) beginNear(*at);
      if (buffer.mayEndNear) endNear(*std::prev(next(at)));
    }
  }

 private:
  struct Uses {
    std::vector<Step> steps{};  ///< Ascending.
    bool written = false;
  };

  Bytes sizeOf(BufferId buffer) const { return program_.buffers[buffer].size; }
  Bytes movedOf(const NearStay& stay) const { return program_.buffers[stay.buffer].moved; }

  Bytes mostLive(const Interval<Step>& steps, Bytes more) {
    return live_.add(static_cast<std::size_t>(steps.begin.count()),
                     static_cast<std::size_t>(steps.end.count()), more);
  }
  /// Holds the buffer over `more`, too; false without room.
  bool hold(const NearStay& stay, const Interval<Step>& more) {
    if (more.empty()) return true;
    const Bytes size = sizeOf(stay.buffer);
    if (mostLive(more, Bytes()) + size > budget_) return false;
    mostLive(more, size);
    return true;
  }

  void beginNear(NearStay& first) {
    const Uses& uses = uses_[first.buffer];
    const bool usedBefore = uses.steps.front() < first.steps.begin;
    if (uses.written || !first.loaded || usedBefore) return;
    const Step begin = program_.buffers[first.buffer].begin;
    if (!hold(first, {begin, first.steps.begin})) return;
    first.steps.begin = begin;
    first.loaded = false;
    first.given = true;
    near_.farTraffic -= movedOf(first);
    near_.atLeast = {};
    // It is no longer in the far pool from the start: if it is wanted there later, it has to be
    // stored.
    const bool later = uses.steps.back() >= first.steps.end;
    if (first.stored || !(later || program_.buffers[first.buffer].endsFar)) return;
    first.stored = *std::prev(std::ranges::lower_bound(uses.steps, first.steps.end));
    near_.farTraffic += movedOf(first);
  }

  void endNear(NearStay& last) {
    if (!last.stored || uses_[last.buffer].steps.back() >= last.steps.end) return;
    const Step end = program_.buffers[last.buffer].end.value_or(program_.length);
    if (!hold(last, {last.steps.end, end})) return;
    last.steps.end = end;
    last.stored.reset();
    last.outlives = true;
    near_.farTraffic -= movedOf(last);
    near_.atLeast = {};
  }

  const LevelProgram& program_;
  Bytes budget_;
  NearStays& near_;
  LiveSum live_;
  IdMap<BufferId, Uses> uses_;
};

}  // namespace

std::vector<std::vector<UseAhead>> usesAhead(const LevelProgram& program) {
  IdMap<BufferId, UseAhead> ahead(program.buffers.size());
  for (const BufferId id : program.buffers.keys()) ahead[id].kept = program.buffers[id].endsFar;
  std::vector<std::vector<UseAhead>> all(program.steps.size());
  for (std::size_t at = program.steps.size(); at-- > 0;) {
    for (const OperandUse& use : program.steps[at].operands) {
      all[at].push_back(ahead[use.buffer]);
      ahead[use.buffer] = {at, use.needs ? at : UseAhead::kNever, use.needs};
    }
  }
  return all;
}

Bytes farTraffic(const LevelProgram& program, const std::vector<NearStay>& stays) {
  Bytes moved;
  IdMap<BufferId, std::vector<Interval<Step>>> near(program.buffers.size());
  for (const NearStay& stay : stays) {
    const Bytes whole = program.buffers[stay.buffer].moved;
    moved += whole * ((stay.loaded ? 1 : 0) + (stay.stored ? 1 : 0));
    near[stay.buffer].push_back(stay.steps);
  }
  for (auto& steps : near) std::ranges::sort(steps);
  for (const UseStep& step : program.steps) {
    for (const OperandUse& use : step.operands) {
      const auto& there = near[use.buffer];
      const auto after = std::ranges::upper_bound(there, step.step, {}, &Interval<Step>::begin);
      const bool inPlace = after == there.begin() || !std::prev(after)->contains(step.step);
      if (inPlace) moved += use.read + use.written;
    }
  }
  return moved;
}

NearStays staysOf(const LevelProgram& program, const std::vector<std::vector<UseChoice>>& choices) {
  const auto ahead = usesAhead(program);
  NearStays found;
  IdMap<BufferId, std::optional<NearStay>> open(program.buffers.size());
  IdMap<BufferId, bool> dirty(program.buffers.size());
  for (std::size_t at = 0; at < program.steps.size(); ++at) {
    const Step step = program.steps[at].step;
    for (std::size_t i = 0; i < program.steps[at].operands.size(); ++i) {
      const OperandUse& use = program.steps[at].operands[i];
      auto& stay = open[use.buffer];
      if (choices[at][i] == UseChoice::place) continue;
      if (!stay) {
        stay = NearStay{.buffer = use.buffer, .steps = {step, {}}, .loaded = use.needs};
        dirty[use.buffer] = false;
      }
      dirty[use.buffer] = dirty[use.buffer] || use.writes;
      if (choices[at][i] == UseChoice::hold) continue;
      stay->steps.end = step + Step(1);
      if (dirty[use.buffer] && ahead[at][i].kept) stay->stored = step;
      found.stays.push_back(*stay);
      stay.reset();
    }
  }
  std::ranges::sort(found.stays);
  found.farTraffic = farTraffic(program, found.stays);
  return found;
}

LevelProgram levelProgram(const Graph& graph, const Schedule& schedule, const Storage& storage,
                          const Problem& problem) {
  LevelProgram program{.length = problem.steps};
  IdMap<BufferId, bool> filled(storage.buffers.size());
  for (const BufferId id : storage.buffers.keys()) {
    const Buffer& buffer = storage.buffers[id];
    filled[id] = std::ranges::any_of(buffer.tensors,
                                     [&](TensorId tensor) { return isGiven(graph, tensor); });
    const Stay& stay = problem.stays[StayId(id.index())];
    program.buffers.add({.size = stay.size,
                         .moved = buffer.size,
                         .startsFar = filled[id],
                         .endsFar = buffer.graphOutput,
                         .begin = stay.steps.begin,
                         .end = stay.steps.end});
  }
  IdMap<OpId, std::vector<CopyNote>> copies(graph.ops.size());
  for (const CopyNote& copy : storage.copies) copies[copy.op].push_back(copy);
  for (const OpId op : schedule.order) {
    if (graph.ops[op].folded) continue;
    StepMaker maker(storage, filled);
    if (storage.free[op]) {
      // An op that only aliases moves nothing; its other outputs, such as a mask, are there from
      // then on, be it in a buffer that others have begun to fill.
      for (const TensorId out : graph.ops[op].outputs) {
        const BufferId buffer = storage.bufferOf(out);
        const bool made = !std::ranges::any_of(
            graph.reads(op), [&](TensorId in) { return in && storage.bufferOf(in) == buffer; });
        if (buffer && (made || !filled[buffer])) maker.touch(out, Bytes(), true);
      }
    } else if (copies[op].empty()) {
      touchAll(graph, op, maker);
    } else {
      touchCopies(graph, op, copies[op], maker);
    }
    auto operands = maker.take();
    if (!operands.empty()) program.steps.push_back({schedule.stepOf[op], std::move(operands)});
  }
  return program;
}

LevelProgram levelBehind(const LevelProgram& program, const std::vector<NearStay>& stays) {
  std::map<Step, std::vector<OperandUse>> touched;
  const auto touch = [&](Step step, OperandUse added) {
    auto& operands = touched[step];
    const auto same = std::ranges::find(operands, added.buffer, &OperandUse::buffer);
    if (same == operands.end()) return operands.push_back(added);
    // Loaded and stored in one step: what it held was needed first.
    same->read += added.read;
    same->written += added.written;
    same->writes |= added.writes;
  };
  IdMap<BufferId, std::vector<Interval<Step>>> near(program.buffers.size());
  for (const NearStay& stay : stays) near[stay.buffer].push_back(stay.steps);
  for (const UseStep& step : program.steps) {
    for (const OperandUse& use : step.operands) {
      const auto isThere = [&](const Interval<Step>& steps) { return steps.contains(step.step); };
      if (std::ranges::none_of(near[use.buffer], isThere)) touch(step.step, use);
    }
  }
  for (const NearStay& stay : stays) {
    const Bytes moved = program.buffers[stay.buffer].moved;
    if (stay.loaded) touch(stay.steps.begin, {.buffer = stay.buffer, .read = moved, .needs = true});
  }
  for (const NearStay& stay : stays) {
    const Bytes moved = program.buffers[stay.buffer].moved;
    if (stay.stored) touch(*stay.stored, {.buffer = stay.buffer, .written = moved, .writes = true});
  }
  LevelProgram behind{.buffers = program.buffers, .length = program.length};
  for (const NearStay& stay : stays) {
    LevelBuffer& buffer = behind.buffers[stay.buffer];
    if (stay.given) buffer.startsFar = buffer.mayStartNear = false;
    if (stay.outlives) buffer.endsFar = buffer.mayEndNear = false;
  }
  for (auto& [step, operands] : touched) {
    // Clang 14 cannot use the subrange that std::ranges::stable_partition returns.
    std::stable_partition(operands.begin(), operands.end(),
                          [](const OperandUse& use) { return use.needs; });
    behind.steps.push_back({step, std::move(operands)});
  }
  return behind;
}

void allowNearEnds(LevelProgram& program, bool inputs, bool outputs) {
  for (LevelBuffer& buffer : program.buffers) {
    buffer.mayStartNear = inputs && buffer.startsFar;
    buffer.mayEndNear = outputs && buffer.endsFar;
  }
}

void keepEndsNear(const LevelProgram& program, Bytes budget, NearStays& near) {
  const bool any = std::ranges::any_of(program.buffers, [](const LevelBuffer& buffer) {
    return buffer.mayStartNear || buffer.mayEndNear;
  });
  if (any) EndKeeper(program, budget, near).run();
}

}  // namespace hw
