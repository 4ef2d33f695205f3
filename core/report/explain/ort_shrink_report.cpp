#include "core/report/explain/ort_shrink_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"

namespace hw {
namespace {

double partOfOwn(const OrtShrink& shrink, const OrtWay& way) {
  return static_cast<double>(way.peak.count()) /
         static_cast<double>(std::max<std::int64_t>(1, shrink.ways.front().peak.count()));
}

}  // namespace

Columns<OrtWay> ortWayColumns(const OrtShrink& shrink) {
  using enum ColumnKind;
  using W = OrtWay;
  return {{"way", "way", text, &W::name, "How the model runs"},
          {"peak", "peak", bytes, &W::peak,
           "Most bytes that the runtime is predicted to ask for at once"},
          {"part", "of its own", ratio, [&shrink](const W& way) { return partOfOwn(shrink, way); },
           "Peak / peak of the file as it is"},
          {"extra_macs", "extra MACs", excess, &W::extraMacs,
           "Multiplications made again / those of the model"},
          {"operators", "operators", count, &W::operators, "In the file that is written"},
          {"free", "left free", text, &W::freed,
           "Dimensions of inputs that the file leaves free, as --dim takes them"},
          {"runs", "operators in parts", text, &W::runs,
           "First and last operator of the model, and how many blocks of rows"},
          {"chosen", "chosen", flag,
           [&shrink](const W& way) -> Value { return &way == &shrink.best(); },
           "The answer: the smallest; with a budget, the one within it with the fewest MACs"}};
}

std::string ortShrinkSummary(const OrtShrink& shrink) {
  const OrtWay& own = shrink.ways.front();
  const std::string text = bytesText(own.peak);
  if (!shrink.isWithinBudget()) {
    return fmt::format("nothing fits {}: the least that was found is {}, as it is it takes {}",
                       bytesText(*shrink.budget), bytesText(shrink.best().peak), text);
  }
  if (shrink.chosen == 0) return "nothing is smaller than the file as it is, " + text;
  return fmt::format("{} at the most, {:.1f} % of what the file as it is takes ({})",
                     bytesText(shrink.best().peak), 100 * partOfOwn(shrink, shrink.best()), text);
}

std::string ortShrinkText(const OrtShrink& shrink, const std::string& file, const Paint& paint) {
  std::string text = fmt::format("{}  on ONNX Runtime: {}\n\n", paint.bold(printable(file, 200)),
                                 ortShrinkSummary(shrink));
  auto columns = ortWayColumns(shrink);
  columns.pop_back();
  const auto good = [&](const OrtWay& way) { return &way == &shrink.best(); };
  text += textTable<OrtWay>(columns, shrink.ways, {.width = 200, .good = good}).text(paint);
  for (const std::string& note : shrink.notes) text += "  " + note + "\n";
  return shrink.stopped ? text + "stopped: there would have been more\n" : text;
}

std::string ortShrinkCsv(const OrtShrink& shrink, const std::string& file) {
  return csvTable(withModel(file, ortWayColumns(shrink)), shrink.ways);
}

Json ortShrinkJson(const OrtShrink& shrink, const std::string& file) {
  Json json = {{"format", "highwater-ort-shrink"},
               {"version", 1},
               {"model", file},
               {"stopped", shrink.stopped},
               {"fits", shrink.isWithinBudget()},
               {"notes", shrink.notes}};
  if (shrink.budget) json["budget"] = shrink.budget->count();
  json["ways"] = jsonRows(ortWayColumns(shrink), shrink.ways);
  return json;
}

}  // namespace hw
