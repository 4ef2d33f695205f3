#include "core/plan_file/method_tables.h"

#include <fmt/format.h>

#include "core/allocators/search_report.h"
#include "core/base/text.h"
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
  Json operator()(const StayPart& part) const { return names.of(part.tensor); }
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

Json rowJson(const MethodRow& row, const CellWriter& writer) {
  if (row.empty()) return nullptr;
  return jsonList(row, [&](const MethodCell& cell) { return std::visit(writer, cell); });
}

Json tickJson(const MethodRecord& record, std::size_t at, const CellWriter& writer) {
  const MethodTick& tick = record.ticks[at];
  Json changes = jsonList(record.changesOf(at), [&](const MethodChange& change) -> Json {
    return {{"list", change.list},
            {"at", change.at},
            {"before", rowJson(change.before, writer)},
            {"after", rowJson(change.after, writer)}};
  });
  return {{"tensor", tick.part ? writer(*tick.part) : writer(tick.stay)},
          {"step", tick.step.count()},
          {"what", tick.what},
          {"changes", std::move(changes)}};
}

Json recordJson(const MethodRecord& record, const CellWriter& writer) {
  Json json = {{"name", record.name}, {"lists", Json::array()}, {"ticks", Json::array()}};
  for (const MethodList& list : record.lists) {
    Json columns = list.columns;
    json["lists"].push_back({{"name", list.name},
                             {"summary", list.summary},
                             {"kind", std::string(listKindName(list.kind))},
                             {"columns", std::move(columns)}});
  }
  for (std::size_t at = 0; at < record.ticks.size(); ++at) {
    json["ticks"].push_back(tickJson(record, at, writer));
  }
  if (record.truncated) json["truncated"] = true;
  return json;
}

/// Turns a cell into words.
struct CellText {
  const Run& run;
  std::string operator()(const std::string& text) const { return printable(text); }
  std::string operator()(std::int64_t count) const { return std::to_string(count); }
  std::string operator()(Bytes bytes) const { return groupDigits(bytes.count()); }
  std::string operator()(StayId stay) const {
    return stay ? printable(run.stayName(stay), 60) : std::string("-");
  }
  std::string operator()(const StayPart& part) const {
    return printable(displayName(run.graph(), part.tensor), 60);
  }
};

std::string rowText(const MethodRow& row, const MethodList& list, const CellText& words) {
  std::string text;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const std::string cell = std::visit(words, row[i]);
    if (cell.empty()) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", list.columns[i], cell);
  }
  return text;
}

}  // namespace

Json methodRecordsJson(const Run& run) {
  const TensorNames names(run.graph());
  return jsonList(run.plan.records, [&](const MethodRecord& record) {
    return recordJson(record, {run, names});
  });
}

std::vector<MethodTickText> methodTickTexts(const Run& run, const MethodRecord& record,
                                            std::size_t rows, StayId stay) {
  std::vector<MethodTickText> texts;
  const CellText words{run};
  for (std::size_t at = 0; at < record.ticks.size() && texts.size() < rows; ++at) {
    const MethodTick& tick = record.ticks[at];
    if (stay && tick.stay != stay) continue;
    MethodTickText& text =
        texts.emplace_back(MethodTickText{.number = at + 1,
                                          .step = tick.step,
                                          .tensor = tick.part   ? words(*tick.part)
                                                    : tick.stay ? words(tick.stay)
                                                                : std::string(),
                                          .what = printable(tick.what, 400)});
    for (const MethodChange& change : record.changesOf(at)) {
      const MethodList& list = record.lists[change.list];
      const auto add = [&](char sign, const MethodRow& row) {
        if (row.empty()) return;
        text.changes.push_back(
            fmt::format("{} {}: {}", sign, list.name, rowText(row, list, words)));
      };
      add('-', change.before);
      add('+', change.after);
    }
  }
  return texts;
}

std::vector<std::string> methodRecordLines(const Run& run, const MethodRecord& record,
                                           std::size_t rows, StayId stay) {
  std::vector<std::string> lines;
  for (const MethodTickText& tick : methodTickTexts(run, record, rows, stay)) {
    lines.push_back(fmt::format("tick {}, step {}{}{}: {}", tick.number, tick.step.count(),
                                tick.tensor.empty() ? "" : ", ", tick.tensor, tick.what));
    for (const std::string& change : tick.changes) lines.push_back("  " + change);
  }
  return lines;
}

Json methodTicksJson(const Run& run, StayId stay) {
  const TensorNames names(run.graph());
  const CellWriter writer{run, names};
  Json ticks = Json::array();
  for (const MethodRecord& record : run.plan.records) {
    for (std::size_t at = 0; at < record.ticks.size(); ++at) {
      if (record.ticks[at].stay != stay) continue;
      Json tick = {{"record", record.name}, {"tick", at + 1}};
      const Json rest = tickJson(record, at, writer);
      for (const auto& [key, value] : rest.items()) tick[key] = value;
      ticks.push_back(std::move(tick));
    }
  }
  return ticks;
}

Json methodTablesJson(const Run& run, bool times) {
  const TensorNames names(run.graph());
  return jsonList(run.plan.tables, [&](const MethodTable& table) {
    return tableJson(table, {run, names}, times);
  });
}

}  // namespace hw
