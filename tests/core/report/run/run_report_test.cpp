// Reports: what they say is what the run holds, whatever the names in the model.
#include "core/report/run/run_report.h"

#include <sstream>

#include "core/base/csv.h"
#include "core/base/text.h"
#include "core/import/importer.h"
#include "core/import/samples.h"
#include "core/machine/platforms.h"
#include "core/report/run/simulation_report.h"
#include "tests/support/findings.h"
#include "tests/support/methods.h"
#include "tests/support/must.h"

using namespace hw;
using namespace hw::test;

namespace {

/// The names of the elements still open at the end, or of the first that closes wrongly.
std::string unbalanced(const std::string& markup) {
  std::vector<std::string> open;
  for (std::size_t at = 0; (at = markup.find('<', at)) != std::string::npos;) {
    const std::size_t end = markup.find('>', at);
    if (end == std::string::npos) return "an element without an end";
    const std::string inside = markup.substr(at + 1, end - at - 1);
    at = end;
    if (inside.starts_with('!') || inside.ends_with('/') || inside.starts_with("meta")) continue;
    const std::string name = inside.substr(0, inside.find_first_of(" \n"));
    if (name.starts_with('/')) {
      if (open.empty() || open.back() != name.substr(1)) return name;
      open.pop_back();
    } else {
      open.push_back(name);
    }
  }
  return open.empty() ? "" : open.back();
}

std::shared_ptr<const Model> hostileModel() {
  auto model = test::must(importModel(
      R"({"format": "highwater-graph", "version": 1, "name": "<b>&\"x\"</b>",
          "tensors": [{"name": "a|b*<script>alert(1)</script>", "bytes": 16},
                      {"name": "c'\"&</td>", "bytes": 8}],
          "inputs": ["a|b*<script>alert(1)</script>"], "outputs": ["c'\"&</td>"],
          "ops": [{"name": "<svg onload=1>", "type": "</table>",
                   "inputs": ["a|b*<script>alert(1)</script>"], "outputs": ["c'\"&</td>"]}]})",
      "hostile.graph.json", {}));
  return std::make_shared<const Model>(std::move(model));
}

Comparison comparisonOf(const std::shared_ptr<const Model>& model, const RunRequest& request) {
  std::vector<AllocatorChoice> choices;
  for (const char* name : {"free-list", "block-id", "none"}) {
    choices.push_back(workedRequest(name).allocator);
  }
  return compareAllocators(model, request, choices, {});
}

}  // namespace

TEST_CASE("an HTML report loads nothing and runs nothing, whatever the names", "[report]") {
  const auto model = hostileModel();
  const auto run = mustRun(model, workedRequest("free-list"));
  const Comparison comparison = comparisonOf(model, workedRequest("free-list"));
  const std::string html =
      reportHtml(*run, makeReport(*run, &comparison, "highwater report '<x>' -o report.html"));
  CHECK(unbalanced(html) == "");
  CHECK(html.find("<script") == std::string::npos);
  CHECK(html.find("<svg onload") == std::string::npos);
  CHECK(html.find("src=") == std::string::npos);
  CHECK(html.find("href=") == std::string::npos);
  CHECK(countOf(html, "http") == countOf(html, "http://www.w3.org/2000/svg") + 1);  // http-equiv
  CHECK(html.find("&lt;script&gt;alert(1)&lt;/script&gt;") != std::string::npos);
}

TEST_CASE("a report over time draws maps, charts and every activity over time", "[report]") {
  RunRequest request = workedRequest("best");
  request.platform = openPlatform("ethos-u65-512").value();
  const auto run =
      mustRun(std::make_shared<const Model>(openModel("samples:squeezenet", {}).value()), request);
  const auto html = [&](const Run& of, AxisUnit axis) {
    return reportHtml(of, makeReport(of, nullptr, "highwater", axis));
  };
  const std::string steps = html(*run, AxisUnit::step);
  const std::string time = html(*run, AxisUnit::time);
  CHECK(unbalanced(time) == "");
  CHECK(countOf(steps, "execution step") > 0);
  CHECK(countOf(time, "execution step") == 0);
  CHECK(countOf(time, "address / simulated time") == countOf(steps, "address / execution step"));
  CHECK(countOf(steps, "id=\"activity-") == 0);
  CHECK(countOf(time, "id=\"activity-") == run->timing.times.size());
  CHECK(commandForReport(run->request, "html", {.axis = AxisUnit::time})
            .ends_with("--axis time -o report.html"));
  // Nothing of it is timed: over steps all the same.
  const auto problem = mustRun(sample("chain"), workedRequest("best"));
  Run untimed(*problem);
  untimed.timing = {};
  CHECK(html(untimed, AxisUnit::time) == html(untimed, AxisUnit::step));
}

TEST_CASE("a report names every buffer, draws every stretch and gives the figures", "[report]") {
  const std::string name = GENERATE("chain", "residual", "inception", "two_devices");
  CAPTURE(name);
  RunRequest request = workedRequest("free-list");
  const auto run = mustRun(sample(name), request);
  const std::string html = reportHtml(*run, makeReport(*run, nullptr, "highwater"));
  CHECK(unbalanced(html) == "");
  std::size_t stretches = 0;
  for (const StayId stay : run->problem.stays.keys()) {
    stretches += run->problem.liveSteps(stay).size();
    CHECK(html.find("<td>" + run->stayName(stay) + "</td>") != std::string::npos);
  }
  CHECK(countOf(html, "<rect id=\"stay-") == stretches);
  CHECK(html.find(groupDigits(run->metrics.lowerBound.count()) + " B are live") !=
        std::string::npos);
  for (const PoolMetrics& pool : run->metrics.pools) {
    if (pool.stays == 0) continue;
    CHECK(html.find(groupDigits(pool.peak.count()) + " B, unlimited") != std::string::npos);
  }
}

TEST_CASE("a report says what its comparison was made with, and the command makes both",
          "[report]") {
  RunRequest request = workedRequest("free-list");
  request.alias = AliasRules::all();
  request.model = "samples:inception";
  const auto model = sample("inception");
  const auto run = mustRun(model, request);
  const Comparison comparison = comparisonOf(model, request);
  const std::string command = commandForReport(run->request, "html", {.comparison = &comparison});
  for (const char* word : {"--alias all", "--compare ", "free-list", "block-id"}) {
    CAPTURE(word, command);
    CHECK(command.find(word) != std::string::npos);
  }
  CHECK(commandForReport(run->request, "pdf", {.comparison = &comparison}).find("--allocators ") !=
        std::string::npos);
  const std::string text = reportMarkdown(makeReport(*run, &comparison, command));
  CHECK(text.find("made with --l2 unlimited --l3 unlimited --align 1 --alias all") !=
        std::string::npos);
  CHECK(text.find("highest address of L2") != std::string::npos);
  CHECK(text.find("live peak of L2") != std::string::npos);
}

TEST_CASE("a plan that does not fit leads with why", "[report]") {
  RunRequest request = workedRequest("free-list");
  request.l2 = {PoolSize::Kind::bytes, Bytes(20)};
  request.l3 = {PoolSize::Kind::bytes, Bytes(8)};
  const auto run = mustRun(sample("chain"), request);
  const RunReport report = makeReport(*run, nullptr, "highwater");
  REQUIRE(report.problems.size() == 1);
  const std::string markdown = reportMarkdown(report);
  CHECK(markdown.find("## Problems") < markdown.find("## Figures"));
  CHECK(unbalanced(reportHtml(*run, report)) == "");
}

TEST_CASE("rows of a Markdown table have as many cells as its head", "[report]") {
  const auto model =
      GENERATE(as<std::shared_ptr<const Model>>(), hostileModel(), sample("inception"));
  const auto run = mustRun(model, workedRequest("block-id"));
  const Comparison comparison = comparisonOf(model, workedRequest("block-id"));
  std::istringstream lines(reportMarkdown(makeReport(*run, &comparison, "highwater")));
  std::size_t cells = 0;
  std::size_t rows = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with('|')) {
      cells = 0;
      continue;
    }
    const std::size_t here = countOf(line, "|") - countOf(line, "\\|");
    if (cells == 0) cells = here;
    CHECK(here == cells);
    ++rows;
  }
  CHECK(rows > 10);
}

TEST_CASE("a run that was recorded is told tick by tick, up to a length", "[report][record]") {
  RunRequest request = workedRequest("block-id");
  const auto run = test::must(execute(sample("inception"), request, {.record = true}));
  const auto tables = methodReportTables(*run);
  REQUIRE(tables.size() == 1);
  CHECK(tables[0].rows.size() == run->plan.records[0].ticks.size());
  const std::string text = reportMarkdown({.title = "t", .tables = tables});
  CHECK(text.find("block 2 grows from 24 to 64 bytes") != std::string::npos);
  CHECK(reportJson(*run, nullptr, "")["records"].size() == 1);
  CHECK(methodReportTables(*mustRun(sample("inception"), request)).empty());
  request.allocator = *AllocatorChoice::parse("free-list");
  const auto many = test::must(execute(sample("densenet121"), request, {.record = true}));
  CHECK(many->plan.records[0].ticks.size() > 200);
  CHECK(methodReportTables(*many)[0].rows.size() == 200);
}

TEST_CASE("the JSON report adds up", "[report]") {
  const auto model = sample("inception");
  const auto blocks = mustRun(model, workedRequest("block-id"));
  const Json inBlocks = reportJson(*blocks, nullptr, "highwater");
  REQUIRE(inBlocks["peaks"].size() == 1);
  for (const Json& peak : inBlocks["peaks"]) {
    CHECK(peak["kept"].get<std::int64_t>() > 0);
    CHECK(peak["footprint"] == peak["live"].get<std::int64_t>() + peak["kept"].get<std::int64_t>() +
                                   peak["holes"].get<std::int64_t>() +
                                   peak["above"].get<std::int64_t>());
  }
  const auto run = mustRun(model, workedRequest("free-list"));
  const Comparison comparison = comparisonOf(model, workedRequest("free-list"));
  const Json json = reportJson(*run, &comparison, "highwater");
  CHECK(json["figures"]["peak_l2"] == 192);
  CHECK(json["figures"]["lower_bound"] == 128);
  for (const Json& peak : json["peaks"]) {
    std::int64_t live = 0;
    for (const Json& buffer : peak["buffers"]) live += buffer["size"].get<std::int64_t>();
    CHECK(peak["live"] == live);
    CHECK(peak["footprint"] ==
          live + peak["holes"].get<std::int64_t>() + peak["above"].get<std::int64_t>());
  }
  REQUIRE(json["comparison"]["rows"].size() == 3);
  CHECK_FALSE(json["comparison"]["rows"][0].contains("plan_seconds"));
}

TEST_CASE("equal runs make equal reports", "[report]") {
  const auto make = [] {
    const auto model = sample("residual");
    const auto run = mustRun(model, workedRequest("two-sided"));
    const Comparison comparison = comparisonOf(model, workedRequest("two-sided"));
    const RunReport report = makeReport(*run, &comparison, "highwater");
    return reportHtml(*run, report) + reportMarkdown(report) +
           jsonDocument(reportJson(*run, &comparison, "highwater")) + reportCsv(*run);
  };
  CHECK(make() == make());
}

TEST_CASE("the table of operators, or of buffers where there are none", "[report]") {
  const auto graph = mustRun(sample("inception"), workedRequest("free-list"));
  CHECK(csvLines(reportCsv(*graph)).size() == graph->timing.ops.size() + 1);
  const auto problem = mustRun(sample("three_sizes"), workedRequest("free-list"));
  CHECK(csvLines(reportCsv(*problem)).size() == problem->problem.stays.size() + 1);
}

TEST_CASE("files say what ports move over time, and the energy of each memory", "[report]") {
  RunRequest request = workedRequest("greedy-by-size");
  request.platform = openPlatform("ethos-u65-512").value();
  const auto run = mustRun(sample("resnet8"), request);
  const Json json = simulationJson(*run);
  double energy = 0;
  for (const Json& pool : json["pools"]) energy += pool["energy_pj"].get<double>();
  CHECK(energy == Approx(json["energy_pj"].get<double>()));
  CHECK(energy > 0);
  REQUIRE(json["ports"].size() >= 3);  // Both directions of L2, and L3.
  for (const Json& port : json["ports"]) {
    double moved = 0;
    double most = 0;
    for (const Json& step : port["steps"]) {
      const double bytes = step[2].get<double>();
      moved += bytes;
      most = std::max(most, bytes * 1e12 / (step[1].get<double>() - step[0].get<double>()));
    }
    CAPTURE(port["name"].get<std::string>());
    CHECK(moved == Approx(port["bytes"].get<double>()));
    CHECK(port["peak_bytes_per_s"].get<double>() == Approx(most));
    CHECK(port["mean_bytes_per_s"].get<double>() ==
          Approx(moved * 1e12 / json["makespan_ps"].get<double>()));
    if (most > 0) CHECK(port["roof_bytes_per_s"].get<double>() >= most * 0.999);
  }
  for (const Json& op : json["ops"]) {
    CHECK(op["macs_per_s"].is_null() == (op["macs"] == 0));
    CHECK(op["bound_by"].is_null() == (op["macs"] == 0));
  }
  // For people, and as a picture.
  const std::string text = simulationText(*run, {});
  for (const char* words : {"  port ", "of the roof", "  energy "}) {
    CHECK(text.find(words) != std::string::npos);
  }
  const std::string svg = machineSvg(*run, Palette::light());
  CHECK(unbalanced(svg).empty());
  CHECK(svg.find(">Roofline   ") != std::string::npos);
}
