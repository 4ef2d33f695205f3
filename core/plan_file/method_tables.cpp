#include "core/plan_file/method_tables.h"

#include "core/allocators/search_report.h"
#include "core/plan_file/tensor_names.h"

namespace hw {
namespace {

/// Turns a cell into JSON.
struct CellWriter {
  const Run& run;
  const TensorNames& names;

  Json operator()(const std::string& text) const { return text; }
  Json operator()(std::int64_t count) const { return count; }
  Json operator()(Bytes bytes) const { return bytes.count(); }
  Json operator()(StayId stay) const {
    return stay ? Json(names.of(run.stayTensor(stay))) : Json(nullptr);
  }
};

Json tableJson(const MethodTable& table, const CellWriter& writer, bool times) {
  const auto shown = [&](std::size_t column) {
    return times || table.columns[column] != kWallTimeColumn;
  };
  Json columns = Json::array();
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (shown(i)) columns.push_back(table.columns[i]);
  }
  Json rows = Json::array();
  for (const auto& row : table.rows) {
    Json cells = Json::array();
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (shown(i)) cells.push_back(std::visit(writer, row[i]));
    }
    rows.push_back(std::move(cells));
  }
  Json json = {{"name", table.name}, {"summary", table.summary}};
  json["columns"] = std::move(columns);
  json["rows"] = std::move(rows);
  if (table.truncated) json["truncated"] = true;
  return json;
}

}  // namespace

Json methodTablesJson(const Run& run, bool times) {
  const TensorNames names(run.graph());
  Json tables = Json::array();
  for (const MethodTable& table : run.plan.tables) {
    tables.push_back(tableJson(table, {run, names}, times));
  }
  return tables;
}

}  // namespace hw
