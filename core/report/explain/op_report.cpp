#include "core/report/explain/op_report.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/report/explain/explain_report.h"
#include "core/report/plan/plan_text.h"
#include "core/report/run/simulation_report.h"

namespace hw {

Result<Step> plannedOp(const Run& run, std::string_view name) {
  std::vector<std::string> names;
  for (const OpId op : run.schedule.order) {
    names.push_back(displayName(run.graph(), op));
    if (names.back() == name) return Step(std::ssize(names) - 1);
  }
  const auto step = parseInteger(name);
  if (step && *step >= 0 && *step < std::ssize(names)) return Step(*step);
  const auto closest = closestWord(name, names);
  return fail(ErrorCode::invalidArgument,
              fmt::format("there is no operator '{}'{}", printable(name, 120),
                          closest ? fmt::format("; did you mean '{}'?", printable(*closest))
                                  : "; 'highwater simulate MODEL --all' lists them"));
}

std::string explainOpText(const Run& run, Step step, const TextOptions& options) {
  const auto row = static_cast<std::size_t>(step.count());
  std::string text =
      options.paint.bold(printable(displayName(run.graph(), run.schedule.opAt(step)), 400)) + "  " +
      requestText(run) + "\n";
  for (const auto& column : operatorColumns(run)) {
    const std::string cell = cellText(column.value(row), column.kind, 200, "");
    if (column.key != "op" && !cell.empty())
      text += fmt::format("  {:<14} {}\n", column.title, cell);
  }
  return text;
}

Json explainOpJson(const Run& run, Step step) {
  Json json = explanationHead(run);
  json["operator"] = jsonRow(operatorColumns(run), static_cast<std::size_t>(step.count()));
  return json;
}

}  // namespace hw
