#include "core/study/compare.h"

#include <algorithm>
#include <mutex>

#include "core/base/csv.h"
#include "core/base/text.h"
#include "core/machine/platforms.h"
#include "core/report/compare/compare_report.h"
#include "tests/support/methods.h"
#include "tests/support/printers.h"

namespace hw {
namespace {

std::vector<AllocatorChoice> choices(const std::vector<std::string>& texts) {
  std::vector<AllocatorChoice> list;
  for (const std::string& text : texts) list.push_back(AllocatorChoice::parse(text).value());
  return list;
}

RunRequest request() { return test::workedRequest("none"); }

/// "greedy-by-size* free-list failed:partition": rows in order, the best marked.
std::string order(const Comparison& comparison) {
  std::string text;
  for (const ComparisonRow& row : comparison.rows) {
    text += (text.empty() ? "" : " ") + (row.fits() ? "" : comparisonStatus(row) + ":") +
            row.allocator.text() + (row.best ? "*" : "");
  }
  return text;
}

}  // namespace

TEST_CASE("rows are sorted by peak, and all that tie for the best are marked", "[compare]") {
  const auto model = test::sample("residual");
  const Comparison comparison = compareAllocators(
      model, request(), choices({"none", "free-list", "greedy-by-size", "hill-climb"}), {});
  CHECK(order(comparison) == "greedy-by-size* hill-climb* free-list none");
  CHECK(comparison.lowerBound == Bytes(96));
  for (std::size_t i = 1; i < comparison.rows.size(); ++i) {
    CHECK(comparison.rows[i - 1].peak() <= comparison.rows[i].peak());
  }
}

TEST_CASE("where L2 is bounded, the fastest is the best", "[compare]") {
  const auto model = test::sample("residual");
  RunRequest bounded = request();
  bounded.l2 = {.kind = PoolSize::Kind::bytes, .bytes = Bytes(64)};
  bounded.l3 = {.kind = PoolSize::Kind::bytes, .bytes = Bytes(1 << 20)};
  Comparison comparison = compareAllocators(
      model, bounded, choices({"none", "free-list", "greedy-by-size", "hill-climb"}), {});
  REQUIRE(comparison.by == Ranking::latency);
  for (const ComparisonRow& row : comparison.rows) {
    REQUIRE(row.fits());
    CHECK(*row.figures.latency >= *comparison.rows.front().figures.latency);
    CHECK(*row.figures.latency >= *row.figures.latencyBound);
  }
  CHECK(comparison.rows.front().best);
  comparison.rank(Ranking::traffic);
  for (const ComparisonRow& row : comparison.rows) {
    CHECK(*row.figures.moved >= *comparison.rows.front().figures.moved);
  }
  comparison.rank(Ranking::energy);
  for (const ComparisonRow& row : comparison.rows) {
    REQUIRE(row.figures.energy);
    CHECK(*row.figures.energy >= *comparison.rows.front().figures.energy);
  }
  comparison.rank(Ranking::peak);
  for (const ComparisonRow& row : comparison.rows) {
    CHECK(row.peak() >= comparison.rows.front().peak());
    CHECK(row.best == (row.peak() == comparison.rows.front().peak()));
  }
}

TEST_CASE("the star goes to what rows are ranked by, and the text says so", "[compare]") {
  const auto model = test::sample("residual");
  RunRequest bounded = request();
  bounded.l2 = {.kind = PoolSize::Kind::bytes, .bytes = Bytes(80)};
  const auto all = choices({"best", "free-list"});
  const Comparison fast = compareAllocators(model, bounded, all, {});
  CHECK(order(fast) == "free-list* best");
  CHECK(fast.rows[0].peak() > fast.rows[1].peak());
  const std::string text = comparisonText(fast, {});
  CHECK(text.find("all memories together; * marks the lowest latency") != std::string::npos);
  CHECK(text.find("lowest latency: free-list: ") != std::string::npos);
  CHECK(order(compareAllocators(model, request(), all, {})) == "best* free-list");
}

TEST_CASE("a plan without the graph inputs is not the best of those with them", "[compare]") {
  // The chain's input is 4 of its 37 bytes; nothing else is live with it but t0.
  const auto model = test::sample("chain");
  const Comparison both = compareAllocators(model, request(), choices({"block-id", "none"}), {});
  CHECK(order(both) == "block-id none*");
  CHECK(order(compareAllocators(model, request(), choices({"block-id"}), {})) == "block-id*");
}

TEST_CASE("a comparison made again has the settings on show, and is kept when it has them",
          "[compare]") {
  const auto model = test::sample("inception");
  const RunRequest before = request();
  const auto all = choices({"none", "greedy-by-size"});
  const Comparison old = compareAllocators(model, before, all, {});
  RunRequest now = before;
  now.alignment = Bytes(64);
  const Comparison fresh = compareAgain(old, now, {});
  const Comparison expected = compareAllocators(model, now, all, {});
  CHECK(old.rows.front().peak() != expected.rows.front().peak());
  CHECK(order(fresh) == order(expected));
  for (std::size_t row = 0; row < fresh.rows.size(); ++row) {
    CHECK(fresh.rows[row].peak() == expected.rows[row].peak());
  }
  CHECK(settingsText(old) == "made with --l2 unlimited --l3 unlimited --align 1 --alias none");
  CHECK(settingsText(fresh) == "made with --l2 unlimited --l3 unlimited --align 64 --alias none");
  CHECK(compareAgain(fresh, now, {}).rows.front().run == fresh.rows.front().run);
}

TEST_CASE("a comparison of platforms made again keeps them and their capacities", "[compare]") {
  const auto model = test::sample("inception");
  std::vector<RunRequest> requests(2, request());
  requests[1].platform = platformCatalog()[1];
  const Comparison old = compareRequests(model, requests, 1, {});
  RunRequest now = request();
  now.alias = AliasRules::all();
  const Comparison fresh = compareAgain(old, now, {});
  CHECK(fresh.severalPlatforms());
  for (const ComparisonRow& row : fresh.rows) CHECK(row.request.alias == now.alias);
}

TEST_CASE("an allocator that fails costs its row alone", "[compare]") {
  RunRequest tight = request();
  tight.l2 = {.kind = PoolSize::Kind::bytes, .bytes = Bytes(30)};
  tight.l3 = {.kind = PoolSize::Kind::bytes, .bytes = Bytes(0)};
  const Comparison comparison = compareAllocators(
      test::sample("chain"), tight, choices({"plugin:/bin/sh", "none", "greedy-by-size"}), {});
  CHECK(order(comparison) == "greedy-by-size* over-budget:none failed:plugin:/bin/sh");
  CHECK(comparison.rows.back().error);
  CHECK(comparison.stopped() == 0);
}

TEST_CASE("a stop keeps the rows that are done", "[compare]") {
  std::stop_source stop;
  std::mutex mutex;
  std::vector<std::string> told;
  // One row at a time: the stop comes when the first is done.
  const RunContext context{.stop = stop.get_token(),
                           .progress = [&](double fraction, const std::string& what) {
                             const std::lock_guard lock(mutex);
                             told.push_back(what);
                             if (fraction > 0) stop.request_stop();
                           }};
  const Comparison comparison =
      compareAllocators(test::sample("residual"), request(),
                        choices({"none", "free-list", "greedy-by-size"}), context);
  CHECK(order(comparison) == "none* stopped:free-list stopped:greedy-by-size");
  CHECK(comparison.stopped() == 2);
  REQUIRE(told.size() == 6);
  CHECK(told[0] == "0 of 3 rows done; none");
  CHECK(told[1] == "1 of 3 rows done");
  CHECK(told[5] == "3 of 3 rows done");
}

TEST_CASE("several threads come to the same figures", "[compare]") {
  std::vector<AllocatorChoice> all;
  for (const AllocatorInfo& info : allocatorCatalog()) all.push_back({.info = &info});
  RunRequest parallel = request();
  parallel.threads = 4;
  const auto model = test::sample("residual");
  const Comparison one = compareAllocators(model, request(), all, {});
  const Comparison four = compareAllocators(model, parallel, all, {});
  CHECK(order(one) == order(four));
  CHECK(one.rows.size() == allocatorCatalog().size());
}

TEST_CASE("every figure of the JSON is a column of the CSV, whatever the names", "[compare]") {
  const std::string hostile = "a,\"b\"\n.onnx";
  const Comparison comparison =
      compareAllocators(test::sample("residual"), request(), choices({"none", "two-sided"}), {});
  const auto lines = csvLines(comparisonCsvHeader() + comparisonCsv(comparison, hostile) +
                              unopenedCsv(hostile, "no such \"file\", it seems"));
  REQUIRE(lines.size() == 4);
  const Json json = comparisonJson(comparison, hostile);
  for (std::size_t row = 0; row < 2; ++row) {
    CHECK(lines[row + 1].fields.at(0) == hostile);
    REQUIRE(lines[row + 1].fields.size() == lines[0].fields.size());
    for (std::size_t column = 1; column < lines[0].fields.size(); ++column) {
      const std::string& key = lines[0].fields[column];
      CAPTURE(key);
      const Json value = json["rows"][row].value(key, Json(nullptr));
      const std::string expected = value.is_null()     ? ""
                                   : value.is_string() ? value.get<std::string>()
                                                       : jsonLine(value);
      CHECK(lines[row + 1].fields[column] == expected);
    }
  }
  CHECK(lines[3].fields.back() == "no such \"file\", it seems");
  CHECK(lines[3].fields.size() == lines[0].fields.size());
}

TEST_CASE("tables fold at the width of the terminal and lose nothing", "[compare]") {
  const Comparison comparison =
      compareAllocators(test::sample("residual"), request(), choices({"none", "two-sided"}), {});
  const std::string wide = comparisonText(comparison, {.width = 200});
  const auto width = GENERATE(std::size_t{40}, std::size_t{60}, std::size_t{80}, std::size_t{100});
  const std::string text = comparisonText(comparison, {.width = width});
  for (const char* title : {"L2 peak", "gap", "frag. peak", "frag. mean", "reuse", "planned"}) {
    CAPTURE(title, width);
    CHECK(wide.find(title) != std::string::npos);
    CHECK(text.find(title) != std::string::npos);
  }
  bool table = false;
  for (const std::string_view line : splitText(text, '\n')) {
    table |= line.find("allocator") != std::string_view::npos;
    if (line.find("smallest:") != std::string_view::npos) break;
    if (table) CHECK(displayWidth(line) <= width);
  }
  CHECK(table);
}

TEST_CASE("over several models an allocator has its wins, means and worst cases", "[compare]") {
  ComparisonSummary summary;
  for (const char* name : {"residual", "inception"}) {
    summary.add(
        compareAllocators(test::sample(name), request(), choices({"none", "greedy-by-size"}), {}));
  }
  const Json json = summary.json();
  REQUIRE(json.size() == 2);
  CHECK(json[0]["allocator"] == "greedy-by-size");
  CHECK(json[0]["best"] == 2);
  CHECK(json[1]["best"] == 0);
  CHECK(json[1]["fits"] == 2);
  // residual: 125 over 96; inception: 236 over 128.
  CHECK(json[1]["worst_gap"].get<double>() == Approx(236.0 / 128 - 1));
  CHECK(json[1]["mean_gap"].get<double>() == Approx((125.0 / 96 + 236.0 / 128) / 2 - 1));
}

TEST_CASE("configurations are compared as they are, platforms included", "[run][compare]") {
  const auto model = test::sample("unet");
  std::vector<RunRequest> requests;
  for (const Platform& platform : platformCatalog()) {
    RunRequest request;
    request.allocator = AllocatorChoice::parse("greedy-by-size").value();
    request.platform = platform;
    requests.push_back(std::move(request));
  }
  const Comparison comparison = compareRequests(model, requests, 2, {});
  REQUIRE(comparison.rows.size() == requests.size());
  CHECK(comparison.severalPlatforms());
  for (const RunRequest& request : requests) {
    INFO(request.platform.name);
    const auto row =
        std::ranges::find(comparison.rows, request.platform.name, &ComparisonRow::platform);
    REQUIRE(row != comparison.rows.end());
    const auto alone = execute(model, request, {}).value();
    REQUIRE(row->run);
    CHECK(row->figures.latency == figuresOf(*alone).latency);
    CHECK(row->peak() == figuresOf(*alone).peak());
  }
  CHECK_FALSE(compareRequests(model, {requests.front()}, 1, {}).severalPlatforms());
  CHECK_FALSE(compareRequests(model, {}, 1, {}).severalPlatforms());
}

}  // namespace hw
