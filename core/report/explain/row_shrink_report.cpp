#include "core/report/explain/row_shrink_report.h"

#include <fmt/format.h>

#include "core/base/text.h"

namespace hw {
namespace {

double shareOfOwn(const RowShrink& shrink, const RowWay& way) {
  return static_cast<double>(way.total().count()) /
         static_cast<double>(std::max<std::int64_t>(1, shrink.ways.front().total().count()));
}

}  // namespace

Columns<RowWay> rowWayColumns(const RowShrink& shrink) {
  using enum ColumnKind;
  using W = RowWay;
  Columns<RowWay> columns = {
      {"way", "way", text, &W::name, "How the model runs"},
      {"head", "head", bytes, &W::head, "Bytes of the arena that are planned"},
      {"tail", "tail", bytes, &W::tail,
       "Bytes of the arena that the runtime never gives back, an estimate"},
      {"total", "arena", bytes, &W::total, "Head and tail"},
      {"part", shrink.isC() ? "of whole" : "of its own", ratio,
       [&shrink](const W& way) { return shareOfOwn(shrink, way); },
       "Arena / arena of the runtime's own plan; in C, of whole operators"},
      {"extra_macs", "extra MACs", excess, &W::extraMacs,
       "Multiplications made again / those of the model"},
      {"weights_again", "weights again", excess, &W::weightsAgain,
       "Bytes of weights that are read once more / those of the model"},
      {"operators", "operators", count, &W::operators, "In the file that is written"},
      {"runs", "operators in parts", text, &W::runs,
       "Operators of the model, and how many blocks of rows"},
      {"chosen", "chosen", flag,
       [&shrink](const W& way) -> Value { return &way == &shrink.best(); },
       "The answer: the smallest; with a budget, the one within it with the fewest MACs"}};
  if (shrink.isC()) columns.erase(columns.begin() + 1, columns.begin() + 3);  // Head and tail.
  return columns;
}

std::string rowShrinkSummary(const RowShrink& shrink) {
  const RowWay& own = shrink.ways.front();
  const std::string text = bytesText(own.total());
  if (!shrink.isWithinBudget()) {
    return fmt::format("nothing fits {}: the least that was found is {}, {} {}",
                       bytesText(*shrink.budget), bytesText(shrink.best().total()),
                       shrink.isC() ? "whole operators take" : "by itself it takes", text);
  }
  if (shrink.chosen == 0) {
    return fmt::format("nothing is smaller than {}, {}",
                       shrink.isC() ? "whole operators" : "tflite-micro's own plan", text);
  }
  return fmt::format("{} of arena, {:.1f} % of what {} ({})", bytesText(shrink.best().total()),
                     100 * shareOfOwn(shrink, shrink.best()),
                     shrink.isC() ? "whole operators take" : "tflite-micro takes by itself", text);
}

std::string rowShrinkText(const RowShrink& shrink, const std::string& file, const Paint& paint) {
  std::string text =
      fmt::format("{}  {}: {}\n\n", paint.bold(printable(file, 200)),
                  shrink.isC() ? "as C" : "on tflite-micro", rowShrinkSummary(shrink));
  auto columns = rowWayColumns(shrink);
  columns.pop_back();
  const auto good = [&](const RowWay& way) { return &way == &shrink.best(); };
  text += textTable<RowWay>(columns, shrink.ways, {.width = 200, .good = good}).text(paint);
  for (const std::string& note : shrink.notes) text += "  " + note + "\n";
  return shrink.stopped ? text + "stopped: there would have been more\n" : text;
}

std::string rowShrinkCsv(const RowShrink& shrink, const std::string& file) {
  return csvTable(withModel(file, rowWayColumns(shrink)), shrink.ways);
}

Json rowShrinkJson(const RowShrink& shrink, const std::string& file) {
  Json json = {{"format", shrink.isC() ? "highwater-c-shrink" : "highwater-tflm-shrink"},
               {"version", 1},
               {"model", file},
               {"stopped", shrink.stopped},
               {"fits", shrink.isWithinBudget()},
               {"notes", shrink.notes}};
  if (shrink.budget) json["budget"] = shrink.budget->count();
  json["ways"] = jsonRows(rowWayColumns(shrink), shrink.ways);
  return json;
}

}  // namespace hw
