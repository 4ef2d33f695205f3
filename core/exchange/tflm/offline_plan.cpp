#include "core/exchange/tflm/offline_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "core/base/text.h"
#include "core/exchange/tflm/arena.h"
#include "core/exchange/tflm/kernel_scratch.h"
#include "core/exchange/tflm/program.h"
#include "core/graph/tiling.h"
#include "core/import/formats.h"

namespace hw {
namespace {

/// Which tensor of the file each tensor of the graph is: found by their places in operators, since
/// names may be empty or repeat.
class FileTensors {
 public:
  FileTensors(const Graph& graph, const TfliteSubgraph& stored)
      : graph_(graph), stored_(stored), ids_(stored.tensors.size()) {}

  Result<std::vector<TensorId>> find() {
    if (graph_.reordered || graph_.ops.size() != stored_.ops.size()) {
      return fail(ErrorCode::unsupported,
                  graph_.reordered
                      ? "the file's operators are not in execution order, in which tflite-micro "
                        "runs them"
                      : "the operators are not the file's own: tflite-micro runs those "
                        "(--bodies closed leaves calls as they are)");
    }
    std::size_t next = 0;
    std::set<std::int32_t> seen;
    for (const std::int32_t input : stored_.inputs) {
      if (input < 0 || !seen.insert(input).second || !isPlannedInput(input, next)) continue;
      set(input, graph_.inputs[next++]);
    }
    for (const OpId id : graph_.ops.keys()) linkOp(graph_.ops[id], stored_.ops[id.index()]);
    return std::move(ids_);
  }

 private:
  /// Inputs that are stored are not among the graph's.
  bool isPlannedInput(std::int32_t input, std::size_t next) const {
    return static_cast<std::size_t>(input) < ids_.size() && next < graph_.inputs.size() &&
           graph_.tensors[graph_.inputs[next]].name ==
               stored_.tensors[static_cast<std::size_t>(input)].name;
  }

  void set(std::int32_t tensor, TensorId id) {
    if (tensor < 0 || static_cast<std::size_t>(tensor) >= ids_.size()) return;
    ids_[static_cast<std::size_t>(tensor)] = id;
  }

  void linkOp(const Op& op, const TfliteOp& stored) {
    std::size_t next = 0;
    for (; next < stored.outputs.size() && next < op.outputs.size(); ++next) {
      set(stored.outputs[next], op.outputs[next]);
    }
    // Tensors without a producer are made by the operator that names them first.
    for (std::size_t i = 0; i < stored.inputs.size() && i < op.inputs.size(); ++i) {
      if (op.inputs[i] || stored.inputs[i] < 0 || next >= op.outputs.size()) continue;
      set(stored.inputs[i], op.outputs[next++]);
    }
  }

  const Graph& graph_;
  const TfliteSubgraph& stored_;
  std::vector<TensorId> ids_;
};

/// Writes the offsets of one subgraph among those of the program.
Result<void> addOffsets(const TfliteFile& file, const Run& run, std::size_t subgraph,
                        TflmPlan& plan) {
  HW_TRY(places, fixedPlaces(run));
  const TfliteSubgraph& stored = file.subgraph(subgraph);
  HW_TRY(ids, FileTensors(*run.model->graph, stored).find());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const std::size_t at = plan.program.starts[subgraph] + i;
    const TflmBuffer& buffer = plan.program.tensors[at];
    if (!ids[i] || buffer.size == Bytes() || !places[ids[i]]) continue;
    const Bytes planned = run.graph().tensors[ids[i]].bytes.value_or(Bytes());
    const std::string name = printable(stored.tensors[i].name, 80);
    if (alignUp(planned, kTflmAlignment) < buffer.size) {
      return fail(ErrorCode::unsupported,
                  fmt::format("tflite-micro gives tensor '{}' {} bytes, as the file says; it is "
                              "planned with {}",
                              name, buffer.size.count(), planned.count()));
    }
    const Bytes offset = *places[ids[i]];
    if (offset > Bytes(INT32_MAX)) {
      return fail(ErrorCode::unsupported,
                  fmt::format("tensor '{}' lies beyond 2 GiB, which the format cannot say", name));
    }
    // Inside another one's bytes: the kernel copies it to where the runtime puts it instead.
    if (!isAligned(offset, kTflmAlignment)) continue;
    plan.offsets[at] = static_cast<std::int32_t>(offset.count());
  }
  return {};
}

Result<std::shared_ptr<const Run>> runOf(std::string_view file, const Run& main,
                                         std::size_t subgraph, KernelLibrary library) {
  RunRequest request = main.request;
  request.import.subgraph = std::to_string(subgraph);
  request.import.dimensions.clear();
  HW_TRY(opened, importModel(file, main.model->path, request.import));
  HW_TRY(model, withKernelScratch(std::move(opened), library));
  return execute(std::make_shared<const Model>(std::move(model)), request, {.simulate = false});
}

Result<TflmPlan> planned(std::string_view bytes, const Run& run, KernelLibrary library) {
  const TfliteFile file(bytes);
  TflmPlan plan;
  HW_TRY(program, tflmProgram(file, library));
  plan.program = std::move(program);
  plan.offsets.assign(plan.program.tensors.size(), -1);
  HW_DO(addOffsets(file, run, 0, plan));
  for (std::size_t i = 1; i < file.subgraphCount(); ++i) {
    if (plan.program.runs[i]) continue;
    HW_TRY(other, runOf(bytes, run, i, library));
    HW_DO(addOffsets(file, *other, i, plan));
  }
  placeCalled(plan.program, plan.offsets);
  for (std::size_t i = 0; i < plan.offsets.size(); ++i) {
    const TflmBuffer& tensor = plan.program.tensors[i];
    if (plan.offsets[i] >= 0 || tensor.size == Bytes()) continue;
    // The runtime would stack those that nobody touches, one upon the other.
    const bool idle = tensor.first == TflmBuffer::kNever && tensor.last == TflmBuffer::kNever;
    if (idle) plan.offsets[i] = 0;
    if (!idle) ++plan.left;
  }
  plan.arena = tflmArena(plan.program, plan.offsets);
  plan.ownHead = tflmArena(plan.program, {}).head;
  plan.tail = tflmTail(file, plan.program, 8);
  plan.narrowTail = tflmTail(file, plan.program, 4);
  return plan;
}

/// Why offsets in one memory do not tell all of it; empty where they do.
std::string whyNotFixed(const Run& run) {
  if (run.model->problem) return "a planning problem has no operators that a runtime could run";
  if (!fits(run)) return "the plan does not fit, and a short arena is never written";
  if (!run.problem.moves.empty()) return "its buffers move from one memory to another";
  if (batchesOf(run.graph()) > 1) return "it is of several inferences";
  // Scratch alone changes nothing for those that are there.
  const bool same = run.graph().ops.size() == run.model->graph->ops.size();
  if (!same || runsInParts(run.graph())) {
    return "its operators run in parts, which the file does not have";
  }
  if (run.schedule.order != givenOrder(run.graph()).order) {
    return "its operators run in another order than the file's (--order, --move)";
  }
  if (!run.partition.units.empty()) return "it is for several devices";
  for (const StayId id : run.problem.stays.keys()) {
    const PoolId pool = run.plan.addresses[id]->pool;
    if (pool == PoolId(0)) continue;
    return fmt::format(
        "tensor '{}' lies in {}, and a runtime has one arena: leave out the sizes "
        "of memories, or give more",
        printable(run.stayName(id), 80), run.problem.pools[pool].name);
  }
  return {};
}

}  // namespace

RunRequest tflmRequest(RunRequest request, const TflmGiven& given) {
  if (!given.alignment) request.alignment = kTflmAlignment;
  if (!given.bodies) request.import.closedBodies = true;
  if (!given.near) request.l2 = {.kind = PoolSize::Kind::unbounded};
  return request;
}

Result<TflmPlan> tflmPlan(std::string_view file, const Run& run, KernelLibrary library) {
  if (!acceptsTflite(file)) {
    return fail(ErrorCode::invalidArgument,
                "a planned TFLite file is made of a TFLite file; this is none, or a bundle");
  }
  if (!run.request.import.subgraph.empty() && run.request.import.subgraph != "0") {
    return fail(ErrorCode::invalidArgument,
                "the plan in a TFLite file is for all of it: leave out --subgraph");
  }
  if (!isAligned(run.sharing.alignment, kTflmAlignment)) {
    return fail(ErrorCode::invalidArgument,
                fmt::format("tflite-micro keeps everything at multiples of {} bytes; this plan is "
                            "aligned to {}",
                            kTflmAlignment.count(), run.sharing.alignment.count()));
  }
  return unlessRefused([&] { return planned(file, run, library); });
}

std::string tflmPlanLine(const TflmPlan& plan) {
  std::string line =
      fmt::format("tflite-micro's head takes {} bytes, {} without this plan",
                  groupDigits(plan.arena.head.count()), groupDigits(plan.ownHead.count()));
  // To hundreds: more would look like knowledge.
  const auto about = [](Bytes bytes) { return groupDigits((bytes.count() + 50) / 100 * 100); };
  line += fmt::format("; its tail about {} more, an estimate ({} where pointers have 4 bytes)",
                      about(plan.tail), about(plan.narrowTail));
  if (plan.left > 0) line += fmt::format("; {} tensors are left to the runtime", plan.left);
  if (!plan.program.unknown.empty()) {
    line += fmt::format("; scratch of {} is not known, and comes on top",
                        fmt::join(plan.program.unknown, ", "));
  }
  return line;
}

Result<IdMap<TensorId, std::optional<Bytes>>> fixedPlaces(const Run& run) {
  if (const std::string why = whyNotFixed(run); !why.empty()) {
    return fail(ErrorCode::unsupported, "this plan cannot be handed to a runtime: " + why);
  }
  IdMap<BufferId, std::optional<Bytes>> starts(run.storage.buffers.size());
  const auto offsets = run.plan.flatOffsets();
  for (const StayId id : run.problem.stays.keys()) {
    starts[run.problem.stays[id].buffer] = offsets[id];
  }
  IdMap<TensorId, std::optional<Bytes>> places(run.graph().tensors.size());
  for (const TensorId id : places.keys()) {
    const BufferId buffer = run.storage.bufferOf(id);
    if (buffer && starts[buffer]) places[id] = *starts[buffer] + run.storage.offsetOf(id);
  }
  return places;
}

}  // namespace hw
