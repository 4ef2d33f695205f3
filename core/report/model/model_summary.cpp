#include "core/report/model/model_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/base/columns.h"
#include "core/base/text.h"
#include "core/graph/graph.h"
#include "core/plan/metrics.h"
#include "core/run/embedded.h"
#include "core/storage/aliasing.h"

namespace hw {
namespace {

std::optional<std::int64_t> measuredFigure(const Op& op, const std::string& key) {
  const auto found = op.attributes.find(key);
  if (found == op.attributes.end()) return std::nullopt;
  const auto* number = std::get_if<std::int64_t>(&found->second);
  return number ? std::optional(*number) : std::nullopt;
}

/// Columns of what a profile says of each operator (core/import/measured/ort_profile.cpp).
Columns<OpId> measuredColumns(const Graph& graph) {
  using enum ColumnKind;
  const auto op = [&graph](OpId id) -> const Op& { return graph.ops[id]; };
  const auto figure = [op](const char* key) {
    return [op, key](OpId id) -> Value { return measuredFigure(op(id), key); };
  };
  return {
      {"step", "step", step, [](OpId id) { return id.index(); }},
      {"op", "operator", text, [&graph](OpId id) { return displayName(graph, id); }},
      {"type", "type", text, [op](OpId id) { return op(id).type; }},
      {"output_size", "output", bytes, figure("output_size"), "Of all that it wrote"},
      {"activation_size", "activations", bytes, figure("activation_size"),
       "Of what it read that is no weight"},
      {"parameter_size", "parameters", bytes, figure("parameter_size"), "Of the weights it read"},
      {"requested", "requested", bytes, figure("requested"),
       "Asked for and not given back as it ended, by the whole session"},
      {"in_use", "in use", bytes, figure("in_use"), "The same, as the allocator rounds it"},
      {"duration_us", "\u00b5s", count, figure("duration_us"), "How long it took, microseconds"},
  };
}

/// The operators of a profile, those that wrote most first; empty where `graph` is none.
std::vector<OpId> measuredOperators(const Graph& graph) {
  if (graph.format != "ort-profile") return {};
  std::vector<OpId> ids;
  for (const OpId id : graph.ops.keys()) ids.push_back(id);
  std::ranges::stable_sort(ids, std::greater(), [&](OpId id) {
    return measuredFigure(graph.ops[id], "output_size").value_or(-1);
  });
  return ids;
}

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
  if (graph.wholes) summary.wholeOps = graph.wholes->graph.ops.size();
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

/// Counts what the lower bound rests on: guesses that it counts, and unknowns that it leaves out.
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
  const StepFunction::Piece most = mostLive(problem);
  summary.lowerBound = most.value;
  summary.lowerBoundStep = most.from;
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
  if (summary.wholeOps) json["whole_ops"] = *summary.wholeOps;
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
  json["inputs"] = jsonList(graph.inputs, describe);
  json["outputs"] = jsonList(graph.outputs, describe);
  json["op_types"] = Json::array();
  for (const auto& [type, count] : summary.opTypes) {
    json["op_types"].push_back({{"type", type}, {"count", count}});
  }
  if (const auto measured = measuredOperators(graph); !measured.empty()) {
    json["measured"] = jsonRows(measuredColumns(graph), measured);
  }
  json["unsized"] = jsonList(summary.unsized, [&](TensorId id) -> Json {
    return {{"tensor", displayName(graph, id)}, {"reason", graph.tensors[id].unknownReason}};
  });
  json["notes"] = graph.notes;
  if (!everyTensor) return json;
  json["every_tensor"] =
      jsonList(graph.tensors.keys(), [&](TensorId id) { return tensorJson(graph, id); });
  return json;
}

namespace {

std::string shapeText(const Tensor& tensor) {
  if (!tensor.shape) return "";
  if (tensor.shape->empty()) return "scalar";
  return fmt::format("{}", fmt::join(*tensor.shape, "x"));
}

std::string sizesText(const ModelSummary& summary) {
  std::string text;
  for (const SizeOrigin origin : {SizeOrigin::declared, SizeOrigin::inferred, SizeOrigin::evaluated,
                                  SizeOrigin::assumed, SizeOrigin::unknown}) {
    const std::size_t count = summary.origins[static_cast<std::size_t>(origin)];
    if (count == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", groupDigits(count),
                        sizeOriginName(origin));
    if (origin != SizeOrigin::assumed) continue;
    text += fmt::format(
        " ({})", formatBytes(summary.originBytes[static_cast<std::size_t>(SizeOrigin::assumed)]));
  }
  return text.empty() ? "none" : text;
}

/// Effect of guesses and unknown sizes on the bound, in words; empty when there are none.
std::string effectText(const ModelSummary& summary) {
  std::string text;
  if (summary.assumedAtBound > 0) {
    text = fmt::format("{} of the lower bound are assumed sizes, of {} tensors",
                       formatBytes(summary.assumedBytesAtBound), summary.assumedAtBound);
  }
  if (summary.isAtLeast()) {
    text += fmt::format("{}{} of unknown size are left out, {} of them live at that step",
                        text.empty() ? "" : "; ", summary.unsized.size(), summary.unsizedAtBound);
  }
  return text;
}

std::string boundText(const Graph& graph, const ModelSummary& summary) {
  std::string text = (summary.isAtLeast() ? "at least " : "") + bytesText(summary.lowerBound);
  if (summary.lowerBound == Bytes()) return text;
  const Step step = summary.lowerBoundStep;
  text += fmt::format(", live at step {}", groupDigits(step.count()));
  const auto index = static_cast<std::size_t>(step.count());
  if (index >= graph.ops.size()) return text;
  return text + fmt::format(" ({} {})", printable(graph.ops[OpId(index)].type),
                            cellName(displayName(graph, OpId(index))));
}

std::string factsText(const Model& model, const ModelSummary& summary, const Paint& paint) {
  const Graph& graph = *model.graph;
  TextTable facts({{""}, {""}});
  facts.add({"file", printable(model.path)});
  facts.add({"sha256", model.sha256});
  if (!model.problem) {
    std::string ops = groupDigits(summary.ops);
    if (summary.wholeOps) ops += fmt::format(", in parts, of {}", groupDigits(*summary.wholeOps));
    if (summary.foldedOps > 0) {
      ops += fmt::format(", {} of them computed ahead of time from weights", summary.foldedOps);
    }
    facts.add({"operators", ops});
  }
  facts.add({"steps", groupDigits(summary.steps.count())});
  facts.add({model.problem ? "buffers" : "tensors",
             fmt::format("{} to place, {}{} together", groupDigits(summary.tensors),
                         summary.isAtLeast() ? "at least " : "", bytesText(summary.tensorBytes))});
  if (summary.largestTensor) {
    facts.add({"largest", fmt::format("{}, {}", bytesText(summary.largest),
                                      cellName(displayName(graph, summary.largestTensor)))});
  }
  if (summary.constants > 0) {
    std::string weights =
        fmt::format("{}, {}", groupDigits(summary.constants), bytesText(summary.constantBytes));
    if (summary.unsizedConstants > 0) {
      weights += fmt::format(" and {} of unknown size", summary.unsizedConstants);
    }
    facts.add({"weights", weights});
  }
  if (summary.persistent > 0) {
    facts.add({"persistent",
               fmt::format("{}, {}, kept from run to run and in no plan",
                           groupDigits(summary.persistent), bytesText(summary.persistentBytes))});
  }
  facts.add({"lower bound", boundText(graph, summary)});
  if (summary.placed > 0) {
    facts.add({"own plan", fmt::format("{} for {}", bytesText(summary.ownPlan),
                                       countText(summary.placed, "tensor"))});
  }
  facts.add({"sizes", sizesText(summary)});
  if (const std::string effect = effectText(summary); !effect.empty()) {
    facts.add({"unsure", effect});
  }
  return facts.text(paint);
}

std::string tensorsText(const Graph& graph, const std::string& title,
                        const std::vector<TensorId>& ids, const TextOptions& options) {
  TextTable table({{""}, {""}, {""}, {"", TextTable::Align::right}, {""}});
  for (const TensorId id : firstOf(ids, options.rows)) {
    const Tensor& tensor = graph.tensors[id];
    const bool typed = tensor.dtype != Dtype::unknown;
    table.add({cellName(displayName(graph, id)), typed ? std::string(dtypeName(tensor.dtype)) : "",
               shapeText(tensor),
               tensor.bytes ? groupDigits(tensor.bytes->count()) + " B" : "size unknown",
               tensor.constant ? "constant" : ""});
  }
  return section(options.paint, title, ids.size(), table.text(options.paint), options.rows);
}

std::string everyTensorText(const Graph& graph, const TextOptions& options) {
  TextTable table({{""}, {""}, {""}, {"", TextTable::Align::right}, {""}});
  for (const TensorId id : graph.tensors.keys()) {
    const Tensor& tensor = graph.tensors[id];
    table.add(
        {cellName(displayName(graph, id)), std::string(dtypeName(tensor.dtype)), shapeText(tensor),
         tensor.bytes ? groupDigits(tensor.bytes->count()) + " B" : "?",
         fmt::format("{}{}", sizeOriginName(tensor.origin), tensor.constant ? ", constant" : "")});
  }
  return section(options.paint, "every tensor, and how its size came about", graph.tensors.size(),
                 table.text(options.paint), options.rows);
}

std::string measuredText(const Graph& graph, const TextOptions& options) {
  const std::vector<OpId> ids = measuredOperators(graph);
  const TextTable table = textTable(measuredColumns(graph), firstOf(ids, options.rows));
  return section(options.paint, "operators as measured, largest outputs first", ids.size(),
                 table.text(options.paint), options.rows);
}

}  // namespace

std::string summaryText(const Model& model, const ModelSummary& summary, const TextOptions& options,
                        bool everyTensor) {
  const Graph& graph = *model.graph;
  const Paint& paint = options.paint;
  std::string text = paint.bold(printable(model.name)) + "  " + paint.dim(model.format) + "\n";
  text += factsText(model, summary, paint);
  text += tensorsText(graph, "inputs", graph.inputs, options);
  text += tensorsText(graph, "outputs", graph.outputs, options);

  TextTable types({{""}, {"", TextTable::Align::right}});
  for (const auto& [type, count] : firstOf(summary.opTypes, options.rows)) {
    types.add({cellName(type), groupDigits(count)});
  }
  text += section(paint, "operator types", summary.opTypes.size(), types.text(paint), options.rows);

  text += measuredText(graph, options);

  TextTable unsized({{""}, {""}});
  for (const TensorId id : firstOf(summary.unsized, options.rows)) {
    unsized.add({cellName(displayName(graph, id)), printable(graph.tensors[id].unknownReason)});
  }
  text += section(paint, "size not known, so in no total", summary.unsized.size(),
                  unsized.text(paint), options.rows);
  if (everyTensor) text += everyTensorText(graph, options);
  return text + notesText(paint, {&graph.notes});
}

}  // namespace hw
