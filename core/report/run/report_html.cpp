#include <fmt/format.h>

#include <algorithm>

#include "core/picture/chart_scene.h"
#include "core/picture/gantt_scene.h"
#include "core/picture/map_scene.h"
#include "core/picture/svg_canvas.h"
#include "core/report/run/run_report.h"

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

class Page {
 public:
  explicit Page(const RunReport& report) : report_(report) {}

  std::string write(const Run& run) {
    const std::string title = escapeMarkup(report_.title);
    line("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">");
    line(R"(<meta name="viewport" content="width=device-width,initial-scale=1">)");
    // Nothing may be loaded or run, whatever a name in a model says.
    line(R"(<meta http-equiv="Content-Security-Policy" )"
         R"(content="default-src 'none'; style-src 'unsafe-inline'">)");
    line(fmt::format("<title>{}: memory report</title>", title));
    line(fmt::format("<style>\n{}</style>\n</head>\n<body><main>", styles()));
    line(
        fmt::format("<h1>{}</h1>\n<p class=\"sub\">{}</p>", title, escapeMarkup(report_.subtitle)));
    list("Problems", report_.problems, "problem");
    cards();
    pictures(run);
    if (report_.measured) figure(*report_.measured, 300, drawChart);
    for (const ReportTable& table : report_.tables) write(table);
    if (report_.comparison) figure(*report_.comparison, 420, drawPareto);
    list("Notes", report_.notes, "note");
    line("<h2>Make this report again</h2>");
    line(fmt::format("<pre>{}</pre>", escapeMarkup(report_.command)));
    line(fmt::format("<footer>{}</footer>\n</main></body>\n</html>", escapeMarkup(report_.footer)));
    return std::move(text_);
  }

 private:
  void line(std::string_view text) {
    text_ += text;
    text_ += '\n';
  }

  void list(std::string_view title, const std::vector<std::string>& items, std::string_view style) {
    if (items.empty()) return;
    line(fmt::format("<h2>{}</h2>\n<ul>", title));
    for (const std::string& item : items) {
      line(fmt::format("<li class=\"{}\">{}</li>", style, escapeMarkup(item)));
    }
    line("</ul>");
  }

  void cards() {
    line("<div class=\"cards\">");
    for (const ReportCard& card : report_.cards) {
      line(fmt::format(R"(<div class="card"><span>{}</span><b>{}</b><small>{}</small></div>)",
                       escapeMarkup(card.label), escapeMarkup(card.value),
                       escapeMarkup(card.detail)));
    }
    line("</div>");
  }

  /// 1,200 units wide, drawn by `draw`.
  template <class Scene>
  void figure(const Scene& scene, double height, void (*draw)(Canvas&, const Scene&, const Box&)) {
    constexpr double kWidth = 1200;
    SvgCanvas canvas(kWidth, height, scene.heading(), kDocumentLetters, nullptr);
    draw(canvas, scene, {0, 0, kWidth, height});
    line("<figure>" + canvas.finish() + "</figure>");
  }

  void pictures(const Run& run) {
    // The run outlives the scenes, and nobody else is to hold it.
    const std::shared_ptr<const Run> shared(std::shared_ptr<void>(), &run);
    const std::vector<PoolId> pools = usedPools(run);
    for (const PoolId pool : pools) {
      figure(MapScene::whole(shared, pool, report_.axis), 460, drawMap);
      figure(ChartScene::whole(shared, pool, report_.axis), 230, drawChart);
    }
    if (report_.axis == AxisUnit::time) {
      const GanttScene engines = GanttScene::whole(shared);
      const SvgCanvas measured(1, 1, {}, kDocumentLetters, nullptr);
      figure(engines, ganttHeight(measured.ruler(), engines.store->rows().size()), drawGantt);
    }
    if (pools.empty()) return;
    std::string key = "<p class=\"key\">colours:";
    for (const TensorClass kind :
         {TensorClass::input, TensorClass::intermediate, TensorClass::view, TensorClass::output}) {
      const Ink fill = blockInk(kind, BlockTime::past, BlockPart::fill);
      key += fmt::format("<i style=\"background:{}\"></i>{}", inkVariable(fill), className(kind));
    }
    line(key + "</p>");
  }

  void write(const ReportTable& table) {
    line(fmt::format("<h2>{}</h2>", escapeMarkup(table.title)));
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

  const RunReport& report_;
  std::string text_;
};

}  // namespace

std::string reportHtml(const Run& run, const RunReport& report) { return Page(report).write(run); }

}  // namespace hw
