#include <QSignalSpy>
#include <QTest>
#include <catch2/catch.hpp>
#include <random>

#include "core/import/samples.h"
#include "core/machine/platforms.h"
#include "core/picture/chart_scene.h"
#include "tests/widgets/patience.h"
#include "tests/widgets/support.h"
#include "widgets/charts/peak_chart.h"
#include "widgets/charts/search_panel.h"
#include "widgets/map/map_view.h"

using namespace hw::literals;
using namespace hw;

namespace {

struct ShownChart {
  explicit ShownChart(std::shared_ptr<const Run> run) : chart(&state, PoolId(0)) {
    state.setRun(std::move(run));
    chart.resize(640, 160);
    chart.show();
    chart.grab();
  }

  ViewState state;
  PeakChart chart;
};

StepFunction randomCurve(std::uint64_t seed, int pieces) {
  std::mt19937_64 random(seed);
  StepFunction curve;
  Step step;
  for (int i = 0; i < pieces; ++i) {
    curve.pieces.push_back({step, Bytes(static_cast<std::int64_t>(random() % 1'000'000))});
    step += Step(1 + static_cast<std::int64_t>(random() % 3));
  }
  return curve;
}

double highest(const std::vector<Point>& points) {
  return std::ranges::max_element(points, {}, [](const Point& p) { return p.y; })->y;
}

std::shared_ptr<const Run> plannedRun(const std::string& allocator) {
  return test::sampleRun("residual", test::requestBy(allocator));
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

TEST_CASE("the chart's plot lies above the map's, pixel for pixel", "[chart]") {
  const int width = GENERATE(600, 1283);
  ShownChart shown(test::smallRun());
  MapView map(&shown.state, PoolId(0));
  map.resize(width, 300);
  shown.chart.resize(width, 140);
  CHECK(shown.chart.plotRect().left() == map.plotArea().left());
  CHECK(shown.chart.plotRect().width() == map.plotArea().width());
}

TEST_CASE("a click on the chart moves everyone to that step", "[chart]") {
  ShownChart shown(test::smallRun());
  const QRect plot = shown.chart.plotRect();
  for (const std::int64_t step : {2, 0, 1}) {
    const int x = plot.left() + static_cast<int>((double(step) + 0.4) * plot.width() / 3);
    QTest::mouseClick(&shown.chart, Qt::LeftButton, {}, {x, plot.center().y()});
    CHECK(shown.state.step() == Step(step));
  }
}

TEST_CASE("the chart follows the visible steps and never slopes", "[chart]") {
  const auto run = test::randomRun(9, 200, 120);
  ShownChart shown(run);
  shown.state.setVisible(30.5, 60.25);
  const ChartScene scene = shown.chart.scene().value();
  CHECK(scene.window.begin == 30.5);
  CHECK(scene.window.end == 60.25);
  for (const StairCurve* curve : {&scene.curves->live, &scene.curves->highWater}) {
    const auto points = curve->stairs(30.5, 60.25, kMostPoints);
    REQUIRE(points.size() >= 2);
    bool slope = false;
    for (std::size_t i = 1; i < points.size(); ++i) {
      slope |= points[i].x != points[i - 1].x && points[i].y != points[i - 1].y;
    }
    CHECK_FALSE(slope);
  }
}

TEST_CASE("a chart of very many steps keeps its peak within 4,000 points", "[chart]") {
  std::vector<test::Piece> pieces;
  for (std::int64_t step = 0; step < 3'000; ++step) {
    pieces.push_back({"t", step == 1'234 ? 900 : 1 + step % 7, step, step + 1});
  }
  ShownChart shown(test::makeRun(pieces));
  const auto points = shown.chart.scene()->curves->live.stairs(0, 3'000, kMostPoints);
  CHECK(points.size() <= kMostPoints);
  const auto peak = std::ranges::max_element(points, {}, &Point::y);
  CHECK(peak->y == 900);
  CHECK(peak->x == Approx(1'234).margin(4));
}

TEST_CASE("an empty chart stands a click", "[chart]") {
  ViewState state;
  PeakChart chart(&state, PoolId(0));
  chart.resize(300, 120);
  CHECK_FALSE(chart.grab().isNull());
  QTest::mouseClick(&chart, Qt::LeftButton, {}, {150, 60});
  CHECK(state.moment() == 0);
}

TEST_CASE("stairs never slope, never go back and keep the peak", "[chart]") {
  const int pieces = GENERATE(1, 3, 500, 40'000);
  const auto limit = GENERATE(std::size_t{8}, std::size_t{200}, std::size_t{4'000});
  const auto seed = GENERATE(range(std::uint64_t{1}, std::uint64_t{4}));
  CAPTURE(pieces, limit, seed);
  const StepFunction curve = randomCurve(seed, pieces);
  const double end = static_cast<double>(curve.pieces.back().from.count()) + 1;
  const auto points = StairCurve(curve).stairs(0, end, limit);
  REQUIRE(points.size() >= 2);
  CHECK(points.size() <= limit);
  CHECK(points.front().x == 0);
  CHECK(points.back().x == end);
  bool slope = false;
  bool backwards = false;
  for (std::size_t i = 1; i < points.size(); ++i) {
    slope |= points[i].x != points[i - 1].x && points[i].y != points[i - 1].y;
    backwards |= points[i].x < points[i - 1].x;
  }
  CHECK_FALSE(slope);
  CHECK_FALSE(backwards);
  const auto peak = std::ranges::max_element(curve.pieces, {}, &StepFunction::Piece::value);
  CHECK(highest(points) == static_cast<double>(peak->value.count()));
}

TEST_CASE("stairs of many pieces reach every extreme of their columns", "[chart]") {
  const auto seed = GENERATE(range(std::uint64_t{1}, std::uint64_t{8}));
  CAPTURE(seed);
  const StepFunction curve = randomCurve(seed, 20'000);
  std::mt19937_64 random(seed);
  const auto last = static_cast<double>(curve.pieces.back().from.count());
  const double begin = last * static_cast<double>(random() % 100) / 250;
  const double end = begin + last * static_cast<double>(20 + random() % 30) / 100;
  const auto points = StairCurve(curve).stairs(begin, end, 400);
  // From the points alone: the value that a column's line goes to, at the x where it stands.
  for (std::size_t i = 1; i + 1 < points.size();) {
    const double from = points[i].x;
    double most = points[i].y;
    double least = points[i].y;
    for (; i + 1 < points.size() && points[i].x == from; ++i) {
      most = std::max(most, points[i].y);
      least = std::min(least, points[i].y);
    }
    const double to = points[i].x;
    for (const auto& piece : curve.pieces) {
      const auto at = static_cast<double>(piece.from.count());
      if (at < from || at >= to) continue;
      if (double(piece.value.count()) > most || double(piece.value.count()) < least) {
        FAIL("a piece at step " << at << " sticks out of the column at " << from);
      }
    }
  }
}

TEST_CASE("stairs of a part show exactly what is in force there", "[chart]") {
  //  value  5 | ####
  //         2 |     ####
  //         0 +------------ steps 0..8, 7 from step 8
  const StepFunction curve{{{0_st, 5_B}, {4_st, 2_B}, {8_st, 7_B}}};
  const std::vector<Point> expected = {{2, 5}, {4, 5}, {4, 2}, {6, 2}};
  CHECK(StairCurve(curve).stairs(2, 6, 100) == expected);
  CHECK(StairCurve().stairs(2, 6, 100) == std::vector<Point>{{2, 0}, {6, 0}});
}

TEST_CASE("live bytes are those in use while each step runs", "[chart]") {
  //  step   0        1        2
  //  live   a4 b6    b6 c3    d10
  const auto run = test::smallRun();
  const StepFunction live = liveCurve(*run, PoolId(0));
  CHECK(live.pieces == std::vector<StepFunction::Piece>{{0_st, 10_B}, {1_st, 9_B}, {2_st, 10_B}});
}

TEST_CASE("live bytes agree with the stays at every step", "[chart]") {
  const auto seed = GENERATE(range(std::uint64_t{1}, std::uint64_t{12}));
  CAPTURE(seed);
  const auto run = test::randomRun(seed, 60, 50);
  const StepFunction live = liveCurve(*run, PoolId(0));
  for (Step step; step < run->problem.steps; step += 1_st) {
    Bytes expected;
    for (const Stay& stay : run->problem.stays) {
      if (stay.steps.contains(step)) expected += stay.size;
    }
    Bytes shown;
    for (const auto& piece : live.pieces) {
      if (piece.from <= step) shown = piece.value;
    }
    CAPTURE(step.count());
    CHECK(shown == expected);
  }
}

TEST_CASE("high water never falls and ends at the footprint", "[chart]") {
  const auto seed = GENERATE(range(std::uint64_t{1}, std::uint64_t{6}));
  CAPTURE(seed);
  const auto run = test::randomRun(seed, 60, 50);
  const StepFunction high = highWaterCurve(*run, PoolId(0));
  REQUIRE_FALSE(high.pieces.empty());
  CHECK(std::ranges::is_sorted(high.pieces, {}, &StepFunction::Piece::value));
  CHECK(high.pieces.back().value == run->plan.footprint(PoolId(0)));
}

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
  REQUIRE(test::comes([&] { return bench.panel.summary().contains(QStringLiteral("area")); }));
  CHECK(bench.panel.isLive());
  CHECK(bench.panel.emptyText().isEmpty());
  CHECK(bench.panel.peaks()->points(0) == QList<QPointF>{{0.5, 900}, {1.5, 900}, {1.5, 700}});
  REQUIRE(bench.panel.peaks()->plot().marks.size() == 2);
  CHECK(bench.panel.peaks()->plot().marks[1].text == QStringLiteral("area"));
  goOn = true;
  REQUIRE(test::comes([&] { return !bench.job.isRunning() && !bench.panel.isLive(); }));
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
  REQUIRE(test::comes([&] { return bench.panel.isLive(); }));
  bench.job.stop();
  CHECK_FALSE(bench.panel.isLive());
  CHECK(bench.panel.emptyText().contains(QStringLiteral("does not search")));
}

TEST_CASE("the figures of a range are those of its steps, one by one", "[charts]") {
  const auto seed = GENERATE(range(std::uint64_t{1}, std::uint64_t{20}));
  const auto run = test::randomRun(seed, 60, 50);
  const StepFunction live = liveCurve(*run, PoolId(0));
  const StairCurve curve(live);
  std::mt19937_64 random(seed);
  const std::int64_t steps = run->problem.steps.count();
  const auto first = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(steps));
  const auto end =
      first + 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(steps - first));
  CAPTURE(seed, first, end);
  Bytes least = kMaxBytes;
  Bytes most;
  double sum = 0;
  for (std::int64_t step = first; step < end; ++step) {
    const Bytes bytes = live.at(Step(step));
    least = std::min(least, bytes);
    most = std::max(most, bytes);
    sum += static_cast<double>(bytes.count());
  }
  const auto figures = curve.over(static_cast<double>(first), static_cast<double>(end));
  CHECK(figures.least == least);
  CHECK(figures.most == most);
  CHECK(figures.mean == Approx(sum / static_cast<double>(end - first)));
}
