#include "core/residency/level_program.h"

#include <algorithm>
#include <map>

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

}  // namespace

LevelProgram levelProgram(const Graph& graph, const Schedule& schedule, const Storage& storage,
                          const Problem& problem) {
  LevelProgram program{.length = problem.steps};
  IdMap<BufferId, bool> filled(storage.buffers.size());
  for (const BufferId id : storage.buffers.keys()) {
    const Buffer& buffer = storage.buffers[id];
    filled[id] = std::ranges::any_of(buffer.tensors,
                                     [&](TensorId tensor) { return isGiven(graph, tensor); });
    program.buffers.add({.size = problem.stays[StayId(id.index())].size,
                         .moved = buffer.size,
                         .startsFar = filled[id],
                         .endsFar = buffer.graphOutput});
  }
  IdMap<OpId, std::vector<CopyNote>> copies(graph.ops.size());
  for (const CopyNote& copy : storage.copies) copies[copy.op].push_back(copy);
  for (const OpId op : schedule.order) {
    if (graph.ops[op].folded) continue;
    StepMaker maker(storage, filled);
    if (storage.free[op]) {
      // What only aliases moves nothing; what else it makes, such as a mask, is there from then on,
      // be it in a buffer that others have begun to fill.
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

}  // namespace hw
