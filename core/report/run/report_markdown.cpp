#include <fmt/format.h>

#include <algorithm>

#include "core/report/run/run_report.h"

namespace hw {

namespace {

/// A name may hold anything: what Markdown or HTML would read as markup is written as an entity or
/// behind a backslash.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '<':
        result += "&lt;";
        break;
      case '&':
        result += "&amp;";
        break;
      case '\\':
      case '`':
      case '*':
      case '_':
      case '[':
      case ']':
      case '|':
      case '#':
        result += '\\';
        result += c;
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string tableText(const ReportTable& table) {
  std::string text = fmt::format("\n## {}\n\n", escaped(table.title));
  if (!table.caption.empty()) text += escaped(table.caption) + "\n\n";
  std::string rule = "|";
  text += '|';
  for (const auto& column : table.columns) {
    text += ' ' + escaped(column.title) + " |";
    rule += column.number ? "---:|" : "---|";
  }
  text += '\n' + rule + '\n';
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const bool marked = std::ranges::binary_search(table.marked, i);
    text += '|';
    for (const std::string& cell : table.rows[i]) {
      text += marked ? " **" + escaped(cell) + "** |" : ' ' + escaped(cell) + " |";
    }
    text += '\n';
  }
  return text;
}

std::string listText(std::string_view title, const std::vector<std::string>& items) {
  if (items.empty()) return {};
  std::string text = fmt::format("\n## {}\n\n", title);
  for (const std::string& item : items) text += "- " + escaped(item) + '\n';
  return text;
}

}  // namespace

std::string reportMarkdown(const RunReport& report) {
  std::string text = fmt::format("# {}\n\n{}\n", escaped(report.title), escaped(report.subtitle));
  text += listText("Problems", report.problems);
  ReportTable figures{.title = "Figures", .columns = {{"figure"}, {"value", true}, {""}}};
  for (const ReportCard& card : report.cards) {
    figures.rows.push_back({card.label, card.value, card.detail});
  }
  text += tableText(figures);
  for (const ReportTable& table : report.tables) text += tableText(table);
  text += listText("Notes", report.notes);
  text += fmt::format("\n## Make this report again\n\n    {}\n\n{}\n", report.command,
                      escaped(report.footer));
  return text;
}

}  // namespace hw
