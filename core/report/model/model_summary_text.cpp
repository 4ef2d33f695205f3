#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/report/model/measured_columns.h"
#include "core/report/model/model_summary.h"
#include "core/report/text/text_parts.h"

namespace hw {
namespace {

std::string shapeText(const Tensor& tensor) {
  if (!tensor.shape) return "";
  if (tensor.shape->empty()) return "scalar";
  std::string text;
  for (const std::int64_t dimension : *tensor.shape) {
    text += (text.empty() ? "" : "x") + std::to_string(dimension);
  }
  return text;
}

std::string sizesText(const ModelSummary& summary) {
  std::string text;
  for (const SizeOrigin origin : {SizeOrigin::declared, SizeOrigin::inferred, SizeOrigin::evaluated,
                                  SizeOrigin::assumed, SizeOrigin::unknown}) {
    const std::size_t count = summary.origins[static_cast<std::size_t>(origin)];
    if (count == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ",
                        groupDigits(static_cast<std::int64_t>(count)), sizeOriginName(origin));
    if (origin != SizeOrigin::assumed) continue;
    text += fmt::format(
        " ({})", formatBytes(summary.originBytes[static_cast<std::size_t>(SizeOrigin::assumed)]));
  }
  return text.empty() ? "none" : text;
}

/// What guesses and unknown sizes do to the bound; empty when there are none.
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
    std::string ops = groupDigits(static_cast<std::int64_t>(summary.ops));
    if (summary.foldedOps > 0) {
      ops += fmt::format(", {} of them computed ahead of time from weights", summary.foldedOps);
    }
    facts.add({"operators", ops});
  }
  facts.add({"steps", groupDigits(summary.steps.count())});
  facts.add({model.problem ? "buffers" : "tensors",
             fmt::format("{} to place, {}{} together",
                         groupDigits(static_cast<std::int64_t>(summary.tensors)),
                         summary.isAtLeast() ? "at least " : "", bytesText(summary.tensorBytes))});
  if (summary.largestTensor) {
    facts.add({"largest", fmt::format("{}, {}", bytesText(summary.largest),
                                      cellName(displayName(graph, summary.largestTensor)))});
  }
  if (summary.constants > 0) {
    std::string weights =
        fmt::format("{}, {}", groupDigits(static_cast<std::int64_t>(summary.constants)),
                    bytesText(summary.constantBytes));
    if (summary.unsizedConstants > 0) {
      weights += fmt::format(" and {} of unknown size", summary.unsizedConstants);
    }
    facts.add({"weights", weights});
  }
  if (summary.persistent > 0) {
    facts.add({"persistent", fmt::format("{}, {}, kept from run to run and in no plan",
                                         groupDigits(static_cast<std::int64_t>(summary.persistent)),
                                         bytesText(summary.persistentBytes))});
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
                        const std::vector<TensorId>& ids, const SummaryTextOptions& options) {
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

std::string everyTensorText(const Graph& graph, const SummaryTextOptions& options) {
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

std::string measuredText(const Graph& graph, const SummaryTextOptions& options) {
  const auto columns = measuredColumns(graph);
  const std::vector<OpId> ids = measuredOperators(graph);
  TextTable table(columns);
  for (const OpId id : firstOf(ids, options.rows)) table.add(cellTexts(columns, id));
  return section(options.paint, "operators as measured, largest outputs first", ids.size(),
                 table.text(options.paint), options.rows);
}

}  // namespace

std::string summaryText(const Model& model, const ModelSummary& summary,
                        const SummaryTextOptions& options) {
  const Graph& graph = *model.graph;
  const Paint& paint = options.paint;
  std::string text = paint.bold(printable(model.name)) + "  " + paint.dim(model.format) + "\n";
  text += factsText(model, summary, paint);
  text += tensorsText(graph, "inputs", graph.inputs, options);
  text += tensorsText(graph, "outputs", graph.outputs, options);

  TextTable types({{""}, {"", TextTable::Align::right}});
  for (const auto& [type, count] : firstOf(summary.opTypes, options.rows)) {
    types.add({cellName(type), groupDigits(static_cast<std::int64_t>(count))});
  }
  text += section(paint, "operator types", summary.opTypes.size(), types.text(paint), options.rows);

  text += measuredText(graph, options);

  TextTable unsized({{""}, {""}});
  for (const TensorId id : firstOf(summary.unsized, options.rows)) {
    unsized.add({cellName(displayName(graph, id)), printable(graph.tensors[id].unknownReason)});
  }
  text += section(paint, "size not known, so in no total", summary.unsized.size(),
                  unsized.text(paint), options.rows);
  if (options.everyTensor) text += everyTensorText(graph, options);
  return text + notesText(paint, {&graph.notes});
}

}  // namespace hw
