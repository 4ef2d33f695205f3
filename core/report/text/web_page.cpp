#include "core/report/text/web_page.h"

#include <fmt/format.h>

#include <algorithm>

namespace hw {
namespace {

/// `--name` is what `styles` calls an ink.
constexpr std::string_view kPageStyles = R"(
*{box-sizing:border-box}body{margin:0;background:var(--window);color:var(--text);
font:15px/1.5 "DejaVu Sans",Helvetica,sans-serif}
main{max-width:1280px;margin:0 auto;padding:28px 24px}
h1{font-size:28px;margin:0}h2{font-size:18px;margin:36px 0 8px}
.sub{color:var(--muted);margin:4px 0 20px}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(190px,1fr));gap:12px}
.card{background:var(--plot);border:1px solid var(--grid);border-radius:8px;padding:12px 14px}
.card b{display:block;font-size:22px}.card span,.card small{color:var(--muted);display:block}
figure{margin:16px 0;border:1px solid var(--grid);border-radius:8px;overflow:hidden}
.wide{overflow-x:auto;background:var(--plot);border:1px solid var(--grid);border-radius:8px}
table{border-collapse:collapse;width:100%;font-size:13px}th,td{padding:5px 10px;text-align:left;
white-space:nowrap;border-bottom:1px solid var(--grid)}tr:last-child td{border-bottom:0}
th{color:var(--muted);font-weight:600}.n{text-align:right;font-variant-numeric:tabular-nums}
.best td{background:var(--best);font-weight:600}
.caption{color:var(--muted);margin:0 0 8px}.problem{color:var(--accent);font-weight:600}
.key{color:var(--muted);font-size:13px}.key i{display:inline-block;width:12px;height:12px;
border:1px solid var(--axis);margin:0 5px 0 14px;vertical-align:-2px}
code,pre{font-family:"DejaVu Sans Mono",monospace;font-size:13px}pre{background:var(--plot);
border:1px solid var(--grid);border-radius:8px;padding:10px 14px;overflow-x:auto}
footer{color:var(--muted);font-size:12px;margin-top:36px;overflow-wrap:anywhere}
svg{width:100%;height:auto;display:block}
@media print{body{background:#fff}.card,figure,.wide{break-inside:avoid-page}}
)";

/// The colours of the pictures, and the page's own by their names.
std::string styles() {
  constexpr std::pair<std::string_view, Ink> kNames[] = {
      {"window", Ink::window}, {"plot", Ink::plot},     {"grid", Ink::grid}, {"text", Ink::text},
      {"muted", Ink::muted},   {"accent", Ink::accent}, {"best", Ink::best}, {"axis", Ink::axis}};
  std::string text = inkStyles() + ":root{";
  for (const auto& [name, ink] : kNames) text += fmt::format("--{}:{};", name, inkVariable(ink));
  return text + "}" + std::string(kPageStyles);
}

/// Long tables are folded: a reader opens what they want to see.
constexpr std::size_t kOpenRows = 40;

}  // namespace

WebPage::WebPage(std::string_view heading, std::string_view title, std::string_view subtitle) {
  line("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">");
  line(R"(<meta name="viewport" content="width=device-width,initial-scale=1">)");
  line(R"(<meta http-equiv="Content-Security-Policy" )"
       R"(content="default-src 'none'; style-src 'unsafe-inline'">)");
  line(fmt::format("<title>{}</title>", escapeMarkup(title)));
  line(fmt::format("<style>\n{}</style>\n</head>\n<body><main>", styles()));
  line(fmt::format("<h1>{}</h1>\n<p class=\"sub\">{}</p>", escapeMarkup(heading),
                   escapeMarkup(subtitle)));
}

void WebPage::line(std::string_view text) {
  text_ += text;
  text_ += '\n';
}

void WebPage::heading(std::string_view text) {
  line(fmt::format("<h2>{}</h2>", escapeMarkup(text)));
}

void WebPage::list(std::string_view title, const std::vector<std::string>& items,
                   std::string_view style) {
  if (items.empty()) return;
  line(fmt::format("<h2>{}</h2>\n<ul>", title));
  for (const std::string& item : items) {
    line(fmt::format("<li class=\"{}\">{}</li>", style, escapeMarkup(item)));
  }
  line("</ul>");
}

void WebPage::cards(const std::vector<ReportCard>& cards) {
  line("<div class=\"cards\">");
  for (const ReportCard& card : cards) {
    line(fmt::format(R"(<div class="card"><span>{}</span><b>{}</b><small>{}</small></div>)",
                     escapeMarkup(card.label), escapeMarkup(card.value),
                     escapeMarkup(card.detail)));
  }
  line("</div>");
}

void WebPage::table(const ReportTable& table) {
  heading(table.title);
  if (!table.caption.empty()) {
    line(fmt::format("<p class=\"caption\">{}</p>", escapeMarkup(table.caption)));
  }
  const bool folded = table.rows.size() > kOpenRows;
  if (folded) line(fmt::format("<details><summary>{} rows</summary>", table.rows.size()));
  line("<div class=\"wide\"><table>");
  std::string head = "<thead><tr>";
  for (const auto& column : table.columns) {
    head += fmt::format("<th{}>{}</th>", column.number ? " class=\"n\"" : "",
                        escapeMarkup(column.title));
  }
  line(head + "</tr></thead>\n<tbody>");
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const bool marked = std::ranges::binary_search(table.marked, i);
    std::string row = marked ? "<tr class=\"best\">" : "<tr>";
    for (std::size_t c = 0; c < table.rows[i].size(); ++c) {
      row += fmt::format("<td{}>{}</td>", table.columns[c].number ? " class=\"n\"" : "",
                         escapeMarkup(table.rows[i][c]));
    }
    line(row + "</tr>");
  }
  line("</tbody></table></div>");
  if (folded) line("</details>");
}

void WebPage::command(std::string_view title, std::string_view command) {
  heading(title);
  line(fmt::format("<pre>{}</pre>", escapeMarkup(command)));
}

std::string WebPage::finish(std::string_view footer) {
  line(fmt::format("<footer>{}</footer>\n</main></body>\n</html>", escapeMarkup(footer)));
  return std::move(text_);
}

}  // namespace hw
