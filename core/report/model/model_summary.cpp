#include "core/report/model/model_summary.h"

#include <algorithm>
#include <map>

#include "core/plan/metrics.h"
#include "core/report/model/measured_columns.h"
#include "core/run/embedded.h"
#include "core/storage/aliasing.h"

namespace hw {
namespace {

/// Every tensor that needs memory as a stay of its own, exact size. Buffers are tensors here.
Problem unsharedProblem(const Model& model, std::vector<TensorId>& unsized) {
  if (model.problem) return *model.problem;
  const Schedule schedule = givenOrder(*model.graph);
  const Storage storage =
      shareStorage(*model.graph, schedule, {.alias = AliasRules::none(), .alignment = Bytes(1)});
  unsized = storage.unsized;
  Problem problem;
  problem.steps = std::max(schedule.steps(), Step(1));
  problem.pools.add({.name = "L2"});
  for (const Buffer& buffer : storage.buffers) {
    problem.stays.add(
        {.buffer = BufferId(buffer.root.index()), .steps = buffer.steps, .size = buffer.size});
  }
  return problem;
}

void countConstants(const Graph& graph, ModelSummary& summary) {
  for (const Tensor& tensor : graph.tensors) {
    if (tensor.persistent) {
      ++summary.persistent;
      summary.persistentBytes += tensor.bytes.value_or(Bytes());
    }
    if (!tensor.constant) continue;
    ++summary.constants;
    summary.constantBytes += tensor.bytes.value_or(Bytes());
    if (!tensor.bytes) ++summary.unsizedConstants;
  }
}

void countPlaced(const Graph& graph, ModelSummary& summary) {
  summary.placed =
      static_cast<std::size_t>(std::ranges::count_if(graph.tensors, [](const Tensor& tensor) {
        return tensor.plannedOffset && !tensor.constant;
      }));
  summary.ownPlan = ownPlanBytes(graph);
}

void countOps(const Graph& graph, ModelSummary& summary) {
  std::map<std::string, std::size_t> counts;
  for (const Op& op : graph.ops) {
    const bool own = op.domain.empty() || op.domain == graph.format;
    ++counts[own ? op.type : op.domain + "." + op.type];
    if (op.folded) ++summary.foldedOps;
  }
  summary.ops = graph.ops.size();
  summary.opTypes.assign(counts.begin(), counts.end());
  std::ranges::stable_sort(summary.opTypes, std::greater(),
                           &std::pair<std::string, std::size_t>::second);
}

/// First and last step at which a tensor is needed, in the given order.
bool isLiveAt(const Graph& graph, TensorId id, Step step, Step steps) {
  const Tensor& tensor = graph.tensors[id];
  const auto at = static_cast<std::size_t>(step.count());
  const std::size_t first = tensor.producer ? tensor.producer.index() : 0;
  const std::size_t last = tensor.graphOutput         ? static_cast<std::size_t>(steps.count())
                           : tensor.consumers.empty() ? first
                                                      : tensor.consumers.back().index();
  return first <= at && at <= last;
}

/// What the lower bound rests on: guesses that it counts, and unknowns that it leaves out.
void weighBound(const Model& model, const Problem& problem, ModelSummary& summary) {
  const Step step = summary.lowerBoundStep;
  for (const Stay& stay : problem.stays) {
    const Tensor& tensor = model.graph->tensors[TensorId(stay.buffer.index())];
    if (tensor.origin != SizeOrigin::assumed || !stay.steps.contains(step)) continue;
    ++summary.assumedAtBound;
    summary.assumedBytesAtBound += stay.size;
  }
  for (const TensorId id : summary.unsized) {
    if (isLiveAt(*model.graph, id, step, summary.steps)) ++summary.unsizedAtBound;
  }
}

/// One row of the list of all tensors.
Json tensorJson(const Graph& graph, TensorId id) {
  const Tensor& tensor = graph.tensors[id];
  Json json = {{"name", displayName(graph, id)},
               {"dtype", std::string(dtypeName(tensor.dtype))},
               {"shape", tensor.shape ? Json(*tensor.shape) : Json(nullptr)},
               {"bytes", tensor.bytes ? Json(tensor.bytes->count()) : Json(nullptr)},
               {"constant", tensor.constant},
               {"size", std::string(sizeOriginName(tensor.origin))}};
  if (!tensor.bytes) json["reason"] = tensor.unknownReason;
  return json;
}

}  // namespace

ModelSummary summarise(const Model& model) {
  const Graph& graph = *model.graph;
  ModelSummary summary;
  const Problem problem = unsharedProblem(model, summary.unsized);
  summary.tensors = problem.stays.size();
  summary.steps = problem.steps;
  for (const Stay& stay : problem.stays) {
    const TensorId tensor(stay.buffer.index());
    summary.tensorBytes += stay.size;
    const auto origin = static_cast<std::size_t>(graph.tensors[tensor].origin);
    ++summary.origins[origin];
    summary.originBytes[origin] += stay.size;
    if (stay.size > summary.largest) {
      summary.largest = stay.size;
      summary.largestTensor = tensor;
    }
  }
  summary.origins[static_cast<std::size_t>(SizeOrigin::unknown)] = summary.unsized.size();
  const StepFunction live = liveBytes(problem);
  summary.lowerBound = live.max();
  summary.lowerBoundStep = live.argMax();
  weighBound(model, problem, summary);
  countConstants(graph, summary);
  countPlaced(graph, summary);
  countOps(graph, summary);
  return summary;
}

Json summaryJson(const Model& model, const ModelSummary& summary, bool everyTensor) {
  const Graph& graph = *model.graph;
  const auto describe = [&](TensorId id) {
    const Tensor& tensor = graph.tensors[id];
    return Json{{"name", displayName(graph, id)},
                {"dtype", std::string(dtypeName(tensor.dtype))},
                {"shape", tensor.shape ? Json(*tensor.shape) : Json(nullptr)},
                {"bytes", tensor.bytes ? Json(tensor.bytes->count()) : Json(nullptr)},
                {"constant", tensor.constant}};
  };
  Json json = {{"model",
                {{"name", model.name},
                 {"format", model.format},
                 {"path", model.path},
                 {"sha256", model.sha256}}},
               {"ops", summary.ops},
               {"folded_ops", summary.foldedOps},
               {"steps", summary.steps.count()},
               {"tensors", summary.tensors},
               {"tensor_bytes", summary.tensorBytes.count()},
               {"constants", summary.constants},
               {"constant_bytes", summary.constantBytes.count()},
               {"unsized_constants", summary.unsizedConstants},
               {"persistent", summary.persistent},
               {"persistent_bytes", summary.persistentBytes.count()},
               {"lower_bound", summary.lowerBound.count()},
               {"lower_bound_step", summary.lowerBoundStep.count()},
               {"at_least", summary.isAtLeast()}};
  json["own_plan"] = summary.placed > 0
                         ? Json{{"tensors", summary.placed}, {"bytes", summary.ownPlan.count()}}
                         : Json(nullptr);
  json["largest"] = summary.largestTensor ? describe(summary.largestTensor) : Json(nullptr);
  json["sizes"] = Json::object();
  for (std::size_t i = 0; i < summary.origins.size(); ++i) {
    json["sizes"][std::string(sizeOriginName(static_cast<SizeOrigin>(i)))] = summary.origins[i];
  }
  json["size_bytes"] = Json::object();
  for (std::size_t i = 0; i < summary.origins.size(); ++i) {
    const std::string name(sizeOriginName(static_cast<SizeOrigin>(i)));
    json["size_bytes"][name] = summary.originBytes[i].count();
  }
  json["bound_rests_on"] = {{"assumed", summary.assumedAtBound},
                            {"assumed_bytes", summary.assumedBytesAtBound.count()},
                            {"unknown", summary.unsizedAtBound}};
  json["inputs"] = Json::array();
  for (const TensorId id : graph.inputs) json["inputs"].push_back(describe(id));
  json["outputs"] = Json::array();
  for (const TensorId id : graph.outputs) json["outputs"].push_back(describe(id));
  json["op_types"] = Json::array();
  for (const auto& [type, count] : summary.opTypes) {
    json["op_types"].push_back({{"type", type}, {"count", count}});
  }
  if (const auto measured = measuredOperators(graph); !measured.empty()) {
    const auto columns = measuredColumns(graph);
    json["measured"] = Json::array();
    for (const OpId id : measured) json["measured"].push_back(jsonRow(columns, id));
  }
  json["unsized"] = Json::array();
  for (const TensorId id : summary.unsized) {
    json["unsized"].push_back(
        {{"tensor", displayName(graph, id)}, {"reason", graph.tensors[id].unknownReason}});
  }
  json["notes"] = graph.notes;
  if (!everyTensor) return json;
  json["every_tensor"] = Json::array();
  for (const TensorId id : graph.tensors.keys()) {
    json["every_tensor"].push_back(tensorJson(graph, id));
  }
  return json;
}

}  // namespace hw
