#include <QSignalSpy>
#include <QTest>
#include <catch2/catch.hpp>
#include <random>

#include "core/import/samples.h"
#include "core/machine/platforms.h"
#include "tests/widgets/patience.h"
#include "tests/widgets/support.h"
#include "widgets/charts/search_panel.h"

using namespace hw;

namespace {

std::shared_ptr<const Run> plannedRun(const std::string& allocator) {
  auto model = openModel("samples:residual", {});
  REQUIRE(model);
  RunRequest request;
  request.platform = platformCatalog().front();
  request.allocator = *AllocatorChoice::parse(allocator);
  auto run = execute(std::make_shared<const Model>(*std::move(model)), request, {});
  REQUIRE(run);
  return *run;
}

/// As a search would.
void tell(const RunContext& context, const ExactProgress& now) {
  REQUIRE(context.search);
  context.search("L2", now);
}

struct Bench {
  ViewState state;
  PlanJob job;
  SearchPanel panel{&state, &job};
};

}  // namespace

TEST_CASE("stairs over time keep every value that counts within their limit", "[chart]") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    std::vector<QPointF> samples;
    double time = 0;
    const std::size_t count = 1 + random() % 5'000;
    for (std::size_t i = 0; i < count; ++i) {
      samples.emplace_back(time += static_cast<double>(random() % 100) / 1e4,
                           static_cast<double>(random() % 1'000));
    }
    const std::size_t limit = 200 + random() % 4'000;
    const auto line = timeStairs(samples, time + 1, limit);
    CHECK(line.size() <= limit);
    for (std::size_t i = 1; i < line.size(); ++i) {
      REQUIRE((line[i].x() == line[i - 1].x() || line[i].y() == line[i - 1].y()));
      REQUIRE(line[i].x() >= line[i - 1].x());
    }
    const auto byValue = [](const QPointF& a, const QPointF& b) { return a.y() < b.y(); };
    const auto [least, most] = std::ranges::minmax_element(samples, byValue);
    const auto [low, high] = std::ranges::minmax_element(line, byValue);
    CHECK(low->y() == least->y());
    CHECK(high->y() == most->y());
    CHECK(line.back() == QPointF(time + 1, samples.back().y()));
  }
  CHECK(timeStairs({}, 1, 8).empty());
}

TEST_CASE("the nodes of a search are its speed times its time", "[chart]") {
  std::mt19937_64 random(7);
  std::vector<ExactProgress> samples;
  for (int i = 0; i < 400; ++i) {
    const double before = samples.empty() ? 0 : samples.back().seconds;
    const std::int64_t nodes = samples.empty() ? 0 : samples.back().nodes;
    samples.push_back({.seconds = before + static_cast<double>(random() % 50) / 1e3,
                       .nodes = nodes + static_cast<std::int64_t>(random() % 9'000)});
  }
  const auto speed = searchSpeed(samples);
  REQUIRE(speed.size() <= 61);
  double nodes = 0;
  for (std::size_t i = 0; i < speed.size(); ++i) {
    const double end = i + 1 < speed.size() ? speed[i + 1].x() : samples.back().seconds;
    nodes += speed[i].y() * (end - speed[i].x());
  }
  CHECK(nodes == Approx(static_cast<double>(samples.back().nodes)));
  CHECK(searchSpeed({}).empty());
  CHECK(searchSpeed({{.seconds = 0, .nodes = 5}}).empty());
}

TEST_CASE("the search panel shows how the run on show was found", "[chart]") {
  Bench bench;
  CHECK(bench.panel.emptyText().contains(QStringLiteral("Open a model")));
  const auto run = plannedRun("best");
  bench.state.setRun(run);
  CHECK(bench.panel.emptyText().isEmpty());
  CHECK_FALSE(bench.panel.isLive());
  REQUIRE(bench.panel.poolChooser()->count() >= 1);
  const auto history = searchHistories(run->plan).front();
  const auto drawn = bench.panel.peaks()->points(0);
  REQUIRE_FALSE(drawn.isEmpty());
  CHECK(drawn.front().y() == static_cast<double>(history.samples.front().incumbent.count()));
  CHECK(drawn.back().y() == static_cast<double>(history.samples.back().incumbent.count()));
  CHECK(bench.panel.peaks()->points(1).back().y() ==
        static_cast<double>(history.samples.back().bound.count()));
  CHECK(bench.panel.summary().contains(QString::fromStdString(history.samples.back().winner)));
}

TEST_CASE("without a search to show, the panel says why", "[chart]") {
  Bench bench;
  bench.state.setRun(plannedRun("greedy-by-size"));
  CHECK(bench.panel.emptyText().contains(QStringLiteral("greedy-by-size does not search")));
  bench.state.setRun(plannedRun("hill-climb"));
  CHECK(bench.panel.emptyText().contains(QStringLiteral("hill-climb keeps no times")));
}

TEST_CASE("the search panel shows a placement search, sequence by sequence", "[chart]") {
  Bench bench;
  const auto run = plannedRun("placement-search:seconds=0,sequences=50");
  bench.state.setRun(run);
  CHECK(bench.panel.emptyText().isEmpty());
  const auto histories = searchHistories(run->plan);
  REQUIRE_FALSE(histories.empty());
  const auto& samples = histories.front().samples;
  CHECK(samples.front().winner == "sequence 1");
  for (std::size_t i = 1; i < samples.size(); ++i) {
    CHECK(samples[i].incumbent <= samples[i - 1].incumbent);
    CHECK(samples[i].seconds >= samples[i - 1].seconds);
    CHECK(samples[i].nodes >= samples[i - 1].nodes);
  }
  CHECK(samples.back().incumbent == run->plan.footprint(PoolId(0)));
  CHECK(samples.back().bound <= samples.back().incumbent);
}

TEST_CASE("a search is shown while it goes on, and its run afterwards", "[chart]") {
  Bench bench;
  bench.state.setRun(plannedRun("greedy-by-size"));
  const auto run = plannedRun("best");
  std::atomic<bool> goOn = false;
  bench.job.start([&](const RunContext& context) -> Result<std::shared_ptr<const Run>> {
    tell(context, {.seconds = 0.5,
                   .incumbent = Bytes(900),
                   .bound = Bytes(600),
                   .nodes = 100,
                   .winner = "start"});
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
    tell(context, {.seconds = 1.5,
                   .incumbent = Bytes(700),
                   .bound = Bytes(600),
                   .nodes = 900,
                   .winner = "area"});
    while (!goOn) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return run;
  });
  QObject::connect(&bench.job, &PlanJob::finished, &bench.job, [&](const PlanOutcome& outcome) {
    if (outcome.run) bench.state.setRun(*outcome.run);
  });
  REQUIRE(QTest::qWaitFor([&] { return bench.panel.summary().contains(QStringLiteral("area")); },
                          test::kPatience));
  CHECK(bench.panel.isLive());
  CHECK(bench.panel.emptyText().isEmpty());
  CHECK(bench.panel.peaks()->points(0) == QList<QPointF>{{0.5, 900}, {1.5, 900}, {1.5, 700}});
  REQUIRE(bench.panel.peaks()->plot().marks.size() == 2);
  CHECK(bench.panel.peaks()->plot().marks[1].text == QStringLiteral("area"));
  goOn = true;
  REQUIRE(QTest::qWaitFor([&] { return !bench.job.isRunning() && !bench.panel.isLive(); },
                          test::kPatience));
  CHECK(bench.panel.summary().contains(
      QString::fromStdString(searchHistories(run->plan).front().samples.back().winner)));
}

TEST_CASE("a cancelled search gives way to the run on show", "[chart]") {
  Bench bench;
  bench.state.setRun(plannedRun("greedy-by-size"));
  bench.job.start([](const RunContext& context) -> Result<std::shared_ptr<const Run>> {
    tell(context, {.seconds = 0.5, .incumbent = Bytes(900), .bound = Bytes(600)});
    while (!context.stop.stop_requested()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return fail(ErrorCode::stopped, "stopped");
  });
  REQUIRE(QTest::qWaitFor([&] { return bench.panel.isLive(); }, test::kPatience));
  bench.job.stop();
  CHECK_FALSE(bench.panel.isLive());
  CHECK(bench.panel.emptyText().contains(QStringLiteral("does not search")));
}
