#include "core/report/explain/runtime_shrink_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"

namespace hw {
namespace {

/// What a report calls a runtime and the way that the others are held against.
struct RuntimeWords {
  const char* format;
  const char* title;
  const char* sum;    ///< Behind the bytes of a way.
  const char* least;  ///< In "nothing is smaller than …".
  const char* takes;  ///< Before the bytes of the first way, where nothing fits.
  const char* share;  ///< In "57 % of what …".
  const char* part;   ///< The title of that column.
};

/// By RuntimeKind.
constexpr RuntimeWords kRuntimeWords[] = {
    {"highwater-tflm-shrink", "on tflite-micro", "of arena", "tflite-micro's own plan",
     "by itself it takes", "tflite-micro takes by itself", "of its own"},
    {"highwater-c-shrink", "as C", "of arena", "whole operators", "whole operators take",
     "whole operators take", "of whole"},
    {"highwater-ort-shrink", "on ONNX Runtime", "at the most", "the file as it is",
     "as it is it takes", "the file as it is takes", "of its own"}};

const RuntimeWords& wordsFor(const RuntimeShrink& shrink) {
  return kRuntimeWords[static_cast<std::size_t>(shrink.kind)];
}

double partOfFirst(const RuntimeShrink& shrink, const RuntimeWay& way) {
  return way.total().real() /
         static_cast<double>(std::max<std::int64_t>(1, shrink.ways.front().total().count()));
}

/// "'x' quantised by the caller: scale 0.5, zero point 3".
std::string inputsText(const std::vector<Int8Input>& inputs) {
  return joinText(inputs, "; ", [](const Int8Input& each) {
    return fmt::format("'{}' quantised by the caller: scale {}, zero point {}",
                       printable(each.name, 80), each.scale, each.zero);
  });
}

Json inputsJson(const std::vector<Int8Input>& inputs) {
  return jsonList(inputs, [&](const Int8Input& each) -> Json {
    return {{"name", each.name}, {"scale", each.scale}, {"zero_point", each.zero}};
  });
}

std::string adviceText(const RuntimeShrink& shrink) {
  const Int8Advice& advice = *shrink.advice;
  return fmt::format(
      "with {} ({}) the arena would be {}, {:.1f} % {}, at +{:.1f} % MACs: --int8-input",
      advice.inputs.size() == 1 ? "an int8 input" : "int8 inputs", inputsText(advice.inputs),
      bytesText(advice.way.total()), 100 * partOfFirst(shrink, advice.way), wordsFor(shrink).part,
      100 * advice.way.extraMacs);
}

}  // namespace

Columns<RuntimeWay> runtimeWayColumns(const RuntimeShrink& shrink) {
  using enum ColumnKind;
  using W = RuntimeWay;
  const bool asks = shrink.kind == RuntimeKind::ort;
  Columns<RuntimeWay> columns = {{"way", "way", text, &W::name, "How the model runs"}};
  if (shrink.kind == RuntimeKind::tflm) {
    columns.push_back({"head", "head", bytes, &W::head, "Bytes of the arena that are planned"});
    columns.push_back({"tail", "tail", bytes, &W::tail,
                       "Bytes of the arena that the runtime never gives back, an estimate"});
  }
  columns.push_back(
      {asks ? "peak" : "total", asks ? "peak" : "arena", bytes, &W::total,
       asks ? "Most bytes that the runtime is predicted to ask for at once" : "Head and tail"});
  columns.push_back({"part", wordsFor(shrink).part, ratio,
                     [&shrink](const W& way) { return partOfFirst(shrink, way); },
                     "These bytes / those of the first way"});
  columns.push_back({"extra_macs", "extra MACs", excess, &W::extraMacs,
                     "Multiplications made again / those of the model"});
  if (!asks) {
    columns.push_back({"weights_again", "weights again", excess, &W::weightsAgain,
                       "Bytes of weights that are read once more / those of the model"});
  }
  columns.push_back(
      {"operators", "operators", count, &W::operators, "In the file that is written"});
  if (asks) {
    columns.push_back({"free", "left free", text, &W::freed,
                       "Dimensions of inputs that the file leaves free, as --dim takes them"});
  }
  columns.push_back({"runs", "operators in parts", text, &W::runs,
                     "Operators of the model, and how many blocks of rows"});
  columns.push_back(
      {"chosen", "chosen", flag,
       [&shrink](const W& way) -> Value { return &way == &shrink.best(); },
       "The answer: the smallest; with a budget, the one within it with the fewest MACs"});
  return columns;
}

std::string runtimeShrinkSummary(const RuntimeShrink& shrink) {
  const RuntimeWords& words = wordsFor(shrink);
  const std::string first = bytesText(shrink.ways.front().total());
  const std::string best = bytesText(shrink.best().total());
  if (!shrink.isWithinBudget()) {
    return fmt::format("nothing fits {}: the least that was found is {}, {} {}",
                       bytesText(*shrink.budget), best, words.takes, first);
  }
  if (shrink.chosen == 0) return fmt::format("nothing is smaller than {}, {}", words.least, first);
  return fmt::format("{} {}, {:.1f} % of what {} ({})", best, words.sum,
                     100 * partOfFirst(shrink, shrink.best()), words.share, first);
}

std::vector<std::string> runtimeShrinkRemarks(const RuntimeShrink& shrink) {
  std::vector<std::string> remarks = shrink.notes;
  if (!shrink.int8Inputs.empty()) {
    remarks.push_back("int8 inputs: " + inputsText(shrink.int8Inputs));
  }
  if (shrink.advice) remarks.push_back(adviceText(shrink));
  return remarks;
}

std::string runtimeShrinkText(const RuntimeShrink& shrink, const std::string& file,
                              const Paint& paint) {
  std::string text = fmt::format("{}  {}: {}\n\n", paint.bold(printable(file, 200)),
                                 wordsFor(shrink).title, runtimeShrinkSummary(shrink));
  auto columns = runtimeWayColumns(shrink);
  columns.pop_back();
  const auto good = [&](const RuntimeWay& way) { return &way == &shrink.best(); };
  text += textTable<RuntimeWay>(columns, shrink.ways, {.width = 200, .good = good}).text(paint);
  for (const std::string& remark : runtimeShrinkRemarks(shrink)) text += "  " + remark + "\n";
  return shrink.stopped ? text + "stopped: there would have been more\n" : text;
}

std::string runtimeShrinkCsv(const RuntimeShrink& shrink, const std::string& file) {
  return csvTable(withModel(file, runtimeWayColumns(shrink)), shrink.ways);
}

Json runtimeShrinkJson(const RuntimeShrink& shrink, const std::string& file) {
  Json json = {{"format", wordsFor(shrink).format},
               {"version", 1},
               {"model", file},
               {"stopped", shrink.stopped},
               {"fits", shrink.isWithinBudget()},
               {"notes", shrink.notes}};
  if (shrink.budget) json["budget"] = shrink.budget->count();
  if (!shrink.int8Inputs.empty()) json["int8_inputs"] = inputsJson(shrink.int8Inputs);
  if (shrink.advice) {
    auto columns = runtimeWayColumns(shrink);
    columns.pop_back();
    json["with_int8_inputs"] = jsonRow(columns, shrink.advice->way);
    json["with_int8_inputs"]["inputs"] = inputsJson(shrink.advice->inputs);
  }
  json["ways"] = jsonRows(runtimeWayColumns(shrink), shrink.ways);
  return json;
}

}  // namespace hw
