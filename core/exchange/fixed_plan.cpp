#include "core/exchange/fixed_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/graph/tiling.h"

namespace hw {
namespace {

/// Why offsets in one memory do not tell all of it; empty where they do.
std::string whyNotFixed(const Run& run) {
  if (run.model->problem) return "a planning problem has no operators that a runtime could run";
  if (!fits(run)) return "the plan does not fit, and a short arena is never written";
  if (!run.problem.moves.empty()) return "its buffers move from one memory to another";
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
