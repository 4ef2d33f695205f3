#include "core/report/exporter.h"

#include <array>

#include "core/base/text.h"
#include "core/exchange/trace/trace_writer.h"
#include "core/plan_file/events_writer.h"
#include "core/plan_file/plan_writer.h"
#include "core/plan_file/problem_writer.h"
#include "core/report/model/graph_writer.h"
#include "core/report/plan/plan_text.h"
#include "core/report/run/run_report.h"
#include "core/report/run/simulation_report.h"

namespace hw {
namespace {

bool always(const Run&) { return true; }
RunReport report(const Run& run, std::string_view ending) {
  return makeReport(run, nullptr, commandForReport(run.request, nullptr, false, ending));
}

bool hasOps(const Run& run) { return !run.graph().ops.empty(); }

constexpr std::array kExporters = {
    ExporterInfo{"plan-json", "where every tensor lives, for programs", ".plan.json",
                 "plan -o FILE.json", always, writePlanJson},
    ExporterInfo{"plan-csv", "the planned problem with offsets (MiniMalloc)", ".plan.csv",
                 "plan -o FILE.csv", always, writePlanCsv},
    ExporterInfo{"problem-csv", "sizes and lifetimes alone (MiniMalloc)", ".csv",
                 "convert -o FILE.csv", always,
                 [](const Run& run, std::ostream& out) {
                   writeProblemCsv(*run.model,
                                   {.alias = AliasRules::none(),
                                    .planInputs = run.request.planInputs,
                                    .planOutputs = run.request.planOutputs,
                                    .alignment = Bytes(1)},
                                   out);
                 }},
    ExporterInfo{"graph-json", "the model itself", ".graph.json", "convert -o FILE.graph.json",
                 hasOps,
                 [](const Run& run, std::ostream& out) {
                   writeGraphJson(run.graph(), out, run.model->sha256);
                 }},
    ExporterInfo{
        "events-csv", "what happened in memory, and why", ".events.csv",
        "simulate --events FILE.csv", always,
        [](const Run& run, std::ostream& out) { writeEvents(run, EventsFormat::csv, out); }},
    ExporterInfo{
        "events-jsonl", "the same, one JSON object a line", ".events.jsonl",
        "simulate --events FILE.jsonl", always,
        [](const Run& run, std::ostream& out) { writeEvents(run, EventsFormat::jsonLines, out); }},
    ExporterInfo{
        "simulation-json", "time, traffic and energy, op by op", ".simulation.json",
        "simulate -o FILE.json", always,
        [](const Run& run, std::ostream& out) { out << jsonDocument(simulationJson(run)); }},
    ExporterInfo{"chrome-trace", "engines, buffers and waits in time, for chrome://tracing",
                 ".trace.json", "simulate --trace FILE.json", always, writeChromeTrace},
    ExporterInfo{"perfetto-trace", "the same for ui.perfetto.dev", ".pftrace",
                 "simulate --trace FILE.pftrace", always, writePerfettoTrace},
    ExporterInfo{"simulation-csv", "one row an operator", ".simulation.csv", "simulate -o FILE.csv",
                 hasOps, [](const Run& run, std::ostream& out) { out << simulationCsv(run); }},
    ExporterInfo{
        "report-html", "figures, pictures and tables in one file", ".report.html",
        "report -o FILE.html", always,
        [](const Run& run, std::ostream& out) { out << reportHtml(run, report(run, "html")); }},
    ExporterInfo{
        "report-markdown", "the same without pictures", ".report.md", "report -o FILE.md", always,
        [](const Run& run, std::ostream& out) { out << reportMarkdown(report(run, "md")); }},
    ExporterInfo{"report-json", "the same with exact numbers", ".report.json",
                 "report -o FILE.json", always,
                 [](const Run& run, std::ostream& out) {
                   out << jsonDocument(reportJson(
                       run, nullptr, commandForReport(run.request, nullptr, false, "json")));
                 }},
};

}  // namespace

std::span<const ExporterInfo> exporterCatalog() { return kExporters; }

}  // namespace hw
