#include "core/report/exporter.h"

#include <array>

#include "core/base/text.h"
#include "core/exchange/chrome_trace.h"
#include "core/exchange/tflm/offline_plan.h"
#include "core/exchange/tflm/runtime_file.h"
#include "core/plan_file/events_writer.h"
#include "core/plan_file/plan_writer.h"
#include "core/report/model/graph_writer.h"
#include "core/report/plan/plan_text.h"
#include "core/report/run/run_report.h"
#include "core/report/run/simulation_report.h"

namespace hw {
namespace {

bool always(const Run&) { return true; }
RunReport report(const Run& run, std::string_view ending) {
  return makeReport(run, nullptr, commandForReport(run.request, ending));
}

bool hasOps(const Run& run) { return !run.graph().ops.empty(); }

/// Offsets in one memory say all of it.
bool isFixed(const Run& run) { return fixedPlaces(run).has_value(); }
bool isFixedTflite(const Run& run) { return run.model->format == "tflite" && isFixed(run); }

/// Of writers that always can.
template <void (*Write)(const Run&, std::ostream&)>
Result<void> surely(const Run& run, std::ostream& out) {
  Write(run, out);
  return {};
}

template <RuntimeFile::Kind kind>
Result<void> forRuntime(const Run& run, std::ostream& out) {
  HW_TRY(file, runtimeFile(run, kind));
  out << file.bytes;
  return {};
}

template <EventsFormat format>
void writeEventsAs(const Run& run, std::ostream& out) {
  writeEvents(run, format, out);
}

bool isOfDsaSolver(const Run& run) { return run.model->dsa != nullptr; }

/// Every tensor on its own, exact sizes.
template <Result<void> (*Write)(const Model&, const StorageOptions&, std::ostream&)>
Result<void> writeBareProblem(const Run& run, std::ostream& out) {
  return Write(*run.model,
               {.alias = AliasRules::none(),
                .planInputs = run.request.plansInputs(),
                .planOutputs = run.request.plansOutputs(),
                .alignment = Bytes(1)},
               out);
}

void writeGraph(const Run& run, std::ostream& out) {
  if (!run.rewritten) return writeGraphJson(*run.model, out);
  writeGraphJson(run.graph(), out, run.model->sha256);
}

void writeSimulationJson(const Run& run, std::ostream& out) {
  out << jsonDocument(simulationJson(run));
}

void writeSimulationCsv(const Run& run, std::ostream& out) { out << simulationCsv(run); }

void writeReportHtml(const Run& run, std::ostream& out) {
  out << reportHtml(run, report(run, "html"));
}

void writeReportMarkdown(const Run& run, std::ostream& out) {
  out << reportMarkdown(report(run, "md"));
}

void writeReportJson(const Run& run, std::ostream& out) {
  out << jsonDocument(reportJson(run, nullptr, commandForReport(run.request, "json")));
}

constexpr std::array kExporters = {
    ExporterInfo{"plan-json", "where every tensor lives, for programs", ".plan.json",
                 "plan -o FILE.json", always, surely<writePlanJson>},
    ExporterInfo{"plan-csv", "the planned problem with offsets (MiniMalloc)", ".plan.csv",
                 "plan -o FILE.csv", always, surely<writePlanCsv>},
    ExporterInfo{"plan-tflite", "the model with the plan inside, for tflite-micro",
                 ".planned.tflite", "plan -o FILE.tflite", isFixedTflite,
                 forRuntime<RuntimeFile::Kind::tflite>},
    ExporterInfo{"plan-header", "the plan as a C header", ".plan.h", "plan -o FILE.h", isFixed,
                 forRuntime<RuntimeFile::Kind::header>},
    ExporterInfo{"problem-csv", "sizes and lifetimes alone (MiniMalloc)", ".csv",
                 "convert -o FILE.csv", always, writeBareProblem<writeProblemCsv>},
    ExporterInfo{"dsa-problem", "the same for dsa-solver (dsa-problem-v1)", ".dsa.json",
                 "convert -o FILE.dsa.json", always, writeBareProblem<writeDsaProblem>},
    ExporterInfo{"dsa-solution", "the plan of a problem of dsa-solver (dsa-solution-v1)",
                 ".solution.json", "plan -o FILE.solution.json", isOfDsaSolver, writeDsaSolution},
    ExporterInfo{"graph-json", "the model itself", ".graph.json", "convert -o FILE.graph.json",
                 hasOps, surely<writeGraph>},
    ExporterInfo{"events-csv", "what happened in memory, and why", ".events.csv",
                 "simulate --events FILE.csv", always, surely<writeEventsAs<EventsFormat::csv>>},
    ExporterInfo{"events-jsonl", "the same, one JSON object a line", ".events.jsonl",
                 "simulate --events FILE.jsonl", always,
                 surely<writeEventsAs<EventsFormat::jsonLines>>},
    ExporterInfo{"simulation-json", "time, traffic and energy, op by op", ".simulation.json",
                 "simulate -o FILE.json", always, surely<writeSimulationJson>},
    ExporterInfo{"chrome-trace", "engines, buffers and waits in time, for viewers of traces",
                 ".trace.json", "simulate --trace FILE.json", always, surely<writeChromeTrace>},
    ExporterInfo{"simulation-csv", "one row an operator", ".simulation.csv", "simulate -o FILE.csv",
                 hasOps, surely<writeSimulationCsv>},
    ExporterInfo{"report-html", "figures, pictures and tables in one file", ".report.html",
                 "report -o FILE.html", always, surely<writeReportHtml>},
    ExporterInfo{"report-markdown", "the same without pictures", ".report.md", "report -o FILE.md",
                 always, surely<writeReportMarkdown>},
    ExporterInfo{"report-json", "the same with exact numbers", ".report.json",
                 "report -o FILE.json", always, surely<writeReportJson>},
};

}  // namespace

std::span<const ExporterInfo> exporterCatalog() { return kExporters; }

}  // namespace hw
