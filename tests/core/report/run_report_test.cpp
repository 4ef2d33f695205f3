// Reports: what they say is what the run holds, whatever the names in the model.
#include "core/report/run_report.h"

#include <catch2/catch.hpp>
#include <sstream>

#include "core/base/csv.h"
#include "core/base/text.h"
#include "core/import/importer.h"
#include "core/report/run_pictures.h"
#include "core/report/svg_writer.h"
#include "tests/support/methods.h"

using namespace hw;
using namespace hw::test;

namespace {

std::size_t countOf(const std::string& text, std::string_view word) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += word.size()) {
    ++count;
  }
  return count;
}

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
  auto model = importModel(
      R"({"format": "highwater-graph", "version": 1, "name": "<b>&\"x\"</b>",
          "tensors": [{"name": "a|b*<script>alert(1)</script>", "bytes": 16},
                      {"name": "c'\"&</td>", "bytes": 8}],
          "inputs": ["a|b*<script>alert(1)</script>"], "outputs": ["c'\"&</td>"],
          "ops": [{"name": "<svg onload=1>", "type": "</table>",
                   "inputs": ["a|b*<script>alert(1)</script>"], "outputs": ["c'\"&</td>"]}]})",
      "hostile.graph.json", {});
  REQUIRE(model);
  return std::make_shared<const Model>(std::move(*model));
}

Comparison comparisonOf(const std::shared_ptr<const Model>& model, const RunConfig& config) {
  std::vector<AllocatorChoice> choices;
  for (const char* name : {"free-list", "block-id", "none"}) {
    choices.push_back(workedConfig(name).allocator);
  }
  return compareAllocators(model, config, choices, {});
}

}  // namespace

TEST_CASE("an HTML report loads nothing and runs nothing, whatever the names", "[report]") {
  const auto model = hostileModel();
  const auto run = mustRun(model, workedConfig("free-list"));
  const Comparison comparison = comparisonOf(model, workedConfig("free-list"));
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

TEST_CASE("a report names every buffer, draws every stretch and gives the figures", "[report]") {
  const std::string name = GENERATE("chain", "residual", "inception", "two_devices");
  CAPTURE(name);
  RunConfig config = workedConfig("free-list");
  const auto run = mustRun(sample(name), config);
  const std::string html = reportHtml(*run, makeReport(*run, nullptr, "highwater"));
  CHECK(unbalanced(html) == "");
  std::size_t stretches = 0;
  for (const StayId stay : run->problem.stays.keys()) {
    stretches += run->problem.liveSteps(stay).size();
    CHECK(html.find("<td>" + run->stayName(stay) + "</td>") != std::string::npos);
  }
  CHECK(countOf(html, "class=\"hw-block") == stretches);
  CHECK(html.find(groupDigits(run->metrics.lowerBound.count()) + " B are live") !=
        std::string::npos);
  for (const PoolMetrics& pool : run->metrics.pools) {
    if (pool.stays == 0) continue;
    CHECK(html.find(groupDigits(pool.peak.count()) + " B, unlimited") != std::string::npos);
  }
}

TEST_CASE("a plan that does not fit leads with why", "[report]") {
  RunConfig config = workedConfig("free-list");
  config.l2 = {PoolSize::Kind::bytes, Bytes(20)};
  config.l3 = {PoolSize::Kind::bytes, Bytes(8)};
  const auto run = mustRun(sample("chain"), config);
  const RunReport report = makeReport(*run, nullptr, "highwater");
  REQUIRE(report.problems.size() == 1);
  const std::string markdown = reportMarkdown(report);
  CHECK(markdown.find("## Problems") < markdown.find("## Figures"));
  CHECK(unbalanced(reportHtml(*run, report)) == "");
}

TEST_CASE("rows of a Markdown table have as many cells as its head", "[report]") {
  const auto model =
      GENERATE(as<std::shared_ptr<const Model>>(), hostileModel(), sample("inception"));
  const auto run = mustRun(model, workedConfig("block-id"));
  const Comparison comparison = comparisonOf(model, workedConfig("block-id"));
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

TEST_CASE("the JSON report adds up", "[report]") {
  const auto model = sample("inception");
  const auto run = mustRun(model, workedConfig("free-list"));
  const Comparison comparison = comparisonOf(model, workedConfig("free-list"));
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
    const auto run = mustRun(model, workedConfig("two-sided"));
    const Comparison comparison = comparisonOf(model, workedConfig("two-sided"));
    const RunReport report = makeReport(*run, &comparison, "highwater");
    return reportHtml(*run, report) + reportMarkdown(report) +
           jsonDocument(reportJson(*run, &comparison, "highwater")) + reportCsv(*run);
  };
  CHECK(make() == make());
}

TEST_CASE("the table of operators, or of buffers where there are none", "[report]") {
  const auto graph = mustRun(sample("inception"), workedConfig("free-list"));
  CHECK(csvLines(reportCsv(*graph)).size() == graph->timing.ops.size() + 1);
  const auto problem = mustRun(sample("three_sizes"), workedConfig("free-list"));
  CHECK(csvLines(reportCsv(*problem)).size() == problem->problem.stays.size() + 1);
}

TEST_CASE("a picture of very many blocks says what it leaves out", "[report]") {
  std::string csv = "id,lower,upper,size\n";
  const std::size_t count = kMaxRectangles + 7;
  for (std::size_t i = 0; i < count; ++i) {
    csv += std::to_string(i) + "," + std::to_string(i) + "," + std::to_string(i + 1) + "," +
           std::to_string(1 + i % 50) + "\n";
  }
  auto model = importModel(csv, "many.csv", {});
  REQUIRE(model);
  const auto run = mustRun(std::make_shared<const Model>(std::move(*model)), workedConfig("none"));
  const std::string svg = memoryMapSvg(*run, PoolId(0));
  CHECK(countOf(svg, "class=\"hw-block") == kMaxRectangles);
  CHECK(svg.find("the 7 smallest left out") != std::string::npos);
}

TEST_CASE("ticks are round, ascending, and never more than asked for", "[report]") {
  for (const double high : {1.0, 7.0, 128.0, 1023.0, 1024.0, 3e6, 2.5e9, 9e18}) {
    for (const int most : {2, 4, 12}) {
      CAPTURE(high, most);
      const auto ticks = byteTicks(high, most);
      CHECK(static_cast<int>(ticks.size()) <= most + 1);
      CHECK(ticks.size() >= 2);
      CHECK(std::ranges::is_sorted(ticks, {}, &PlotTick::value));
      CHECK(ticks.back().value <= high);
      CHECK(static_cast<int>(stepTicks(high, most).size()) <= most + 1);
    }
  }
  CHECK(byteTicks(192, 4)[1].label == "50 B");
  CHECK(byteTicks(3.0 * 1024 * 1024, 4)[1].label == "1 MiB");
}
