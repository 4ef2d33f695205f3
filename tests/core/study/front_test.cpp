#include "core/study/front.h"

#include "core/latency/hasten_plan.h"
#include "core/latency/reuse_timer.h"
#include "core/machine/platforms.h"
#include "core/plan/validate.h"
#include "core/report/explain/front_report.h"
#include "tests/support/methods.h"
#include "tests/support/must.h"

using namespace hw;

namespace {

RunRequest requestOn(const std::string& issue) {
  RunRequest request = defaultRequest();
  request.platform = parsePlatform(R"(name = "board"
[[device]]
name = "npu"
ops = ["*"]
issue = ")" + issue + R"("
pool = [{name = "L2", bandwidth = "16GB/s"},
        {name = "L3", bandwidth = "8GB/s"}]
dma = [{name = "dma", moves = ["L3>L2"]}]
unit = [{name = "mac", ops = ["Conv", "Gemm", "MatMul"], clock = "1GHz", macs_per_cycle = 256},
        {name = "vector", ops = ["*"], clock = "1GHz", elements_per_cycle = 4}]
)")
                         .value();
  request.weights = {.rule = WeightRule::prefetch};
  request.inputs = InputPlace::loaded;
  return request;
}

FrontOptions quick(std::size_t points) {
  return {
      .points = points, .nodes = 300, .choices = parseAllocators("best,idle-longest,none").value()};
}

}  // namespace

TEST_CASE("latencies of a front never rise, and stay behind its walls", "[front][samples]") {
  for (const char* name : {"squeezenet", "mobilenet_v2"}) {
    CAPTURE(name);
    const Front front = makeFront(test::sample(name), requestOn("parallel"), quick(4), {}).value();
    REQUIRE_FALSE(front.found.empty());
    CHECK(front.found.size() <= 4);
    CHECK_FALSE(front.stopped);
    CHECK(front.found.front().capacity == front.lowest->plan.footprint(PoolId(0)));
    SimTime last = front.lowest->timing.makespan;
    SimTime lastBound = kMaxTime;
    Bytes below;
    const TimedWork work(front.lowest->timing.activities, front.lowest->problem);
    ReuseTimer timer(work);
    for (const FrontPoint& point : front.found) {
      CHECK((point.latency < last || point.capacity == front.found.front().capacity));
      CHECK(*point.capacity > below);
      CHECK(point.peak <= *point.capacity);
      CHECK(point.peak >= front.leastPeak);
      CHECK(*point.bound >= front.leastLatency);
      CHECK(point.latency >= *point.bound);
      CHECK(*point.bound <= lastBound);
      lastBound = *point.bound;
      CHECK(validate(front.lowest->problem, *point.plan, 1).empty());
      timer.place(offsetsOf(*point.plan));
      CHECK(timer.contended() == point.latency);
      last = point.latency;
      below = *point.capacity;
    }
    REQUIRE(front.allocators.size() == 3);
    CHECK(front.allocators.back().choice.info->name == "none");
    // What opens a point again is as it says.
    const FrontPoint& first = front.found.front();
    const RunRequest again = front.requestOf(first);
    CHECK(again.allocator.text() == "best:for=latency");
    CHECK(again.l2.bytes == *first.capacity);
  }
}

TEST_CASE("a front that may hardly search carries plans to larger capacities", "[front][samples]") {
  FrontOptions options = quick(6);
  options.nodes = 1;
  std::size_t most = 0;  // One capacity is all where it leaves nothing of what reuse costs.
  for (const char* name : {"squeezenet", "mobilenet_v2"}) {
    CAPTURE(name);
    const Front front = makeFront(test::sample(name), requestOn("parallel"), options, {}).value();
    const Run& run = *front.lowest;
    const TimedWork work(run.timing.activities, run.problem);
    ReuseTimer timer(work);
    Problem problem = run.problem;
    std::vector<TimedPlan> before;
    for (const FrontPoint& point : front.found) {
      problem.pools[PoolId(0)].capacity = point.capacity;
      std::vector<TimedPlan> starts = latencyStarts(problem, run.plan, {});
      starts.insert(starts.end(), before.begin(), before.end());
      for (const TimedPlan& start : starts) {
        timer.place(start.offsets);
        CHECK(point.latency <= timer.contended());
      }
      before.push_back({.offsets = offsetsOf(*point.plan)});
    }
    most = std::max(most, before.size());
  }
  CHECK(most > 1);
}

TEST_CASE("what a dot of a front opens is the plan that it shows", "[front][samples]") {
  FrontOptions options = quick(3);
  std::vector<std::size_t> told;
  options.report = [&](const Front& so_far) {
    told.push_back(so_far.found.size());
    CHECK((so_far.allocators.empty() || so_far.allocators.size() == 3));
    CHECK(so_far.leastPeak > Bytes());
  };
  const Front front =
      makeFront(test::sample("squeezenet"), requestOn("parallel"), options, {}).value();
  REQUIRE(told.size() >= 2);
  CHECK(told.front() == 1);
  CHECK(std::ranges::is_sorted(told));
  for (const auto* points : {&front.found, &front.allocators}) {
    for (const FrontPoint& point : *points) {
      CAPTURE(point.made, point.peak.count());
      const auto run = front.runOf(point);
      CHECK(run->timing.makespan == point.latency);
      CHECK(run->plan.footprint(PoolId(0)) == point.peak);
      CHECK(run->metrics.pools[PoolId(0)].peak == point.peak);
      CHECK(run->problem.pools[PoolId(0)].capacity == point.capacity);
      CHECK(run->request.allocator.text() == point.choice.text());
      CHECK(validate(run->problem, run->plan, 1).empty());
      CHECK_FALSE(run->plan.story.empty());
      CHECK(run->trace.size() > 0);
    }
  }
}

TEST_CASE("who keeps other stays is told from those behind the walls", "[front][samples]") {
  FrontOptions options = quick(1);
  options.choices = parseAllocators("best,idle-longest,none,partition,block-id").value();
  for (const char* name : {"squeezenet", "mobilenet_v2"}) {
    CAPTURE(name);
    const Front front = makeFront(test::sample(name), requestOn("parallel"), options, {}).value();
    REQUIRE(front.allocators.size() == 5);
    std::size_t beyond = 0;
    for (const FrontPoint& point : front.allocators) {
      CAPTURE(point.made);
      // Blocks fetch no weights ahead, block identifiers leave graph inputs out.
      CHECK(point.ownStays == (point.made == "partition" || point.made == "block-id"));
      const bool behind = point.peak >= front.leastPeak && point.latency >= front.leastLatency;
      CHECK((behind || point.ownStays));
      beyond += behind ? 0 : 1;
    }
    CHECK(beyond > 0);
    const std::string text = frontText(front, {});
    CHECK(text.find("so the bounds do not hold there") != std::string::npos);
    CHECK(frontSvg(front, Palette::light()).find("other stays") != std::string::npos);
  }
}

TEST_CASE("capacities are the same with any number of threads", "[front]") {
  const auto model = test::sample("mobilenet_v2");
  RunRequest request = requestOn("parallel");
  const auto bytes = [&](int threads) {
    request.threads = threads;
    return frontCsv(makeFront(model, request, quick(6), {}).value(), "m");
  };
  const std::string one = bytes(1);
  CHECK(bytes(2) == one);
  CHECK(bytes(5) == one);
}

TEST_CASE("a stopped front keeps what it has", "[front]") {
  std::stop_source source;
  RunContext context{.stop = source.get_token()};
  context.progress = [&](double, const std::string& what) {
    if (what.find("fastest plan") != std::string::npos) source.request_stop();
  };
  const auto model = test::sample("mobilenet_v2");
  const Front front = makeFront(model, requestOn("parallel"), quick(4), context).value();
  CHECK(front.stopped);
  CHECK(front.found.size() == 1);
}

TEST_CASE("where capacity buys no time, a front says so", "[front]") {
  CHECK(test::mustFail(makeFront(test::sample("squeezenet"), requestOn("sequential"), {}, {}))
            .message ==
        "on platform 'board' one thing follows the other: capacity buys no time there");
}

TEST_CASE("a front is the same in every format", "[front][report]") {
  const Front front =
      makeFront(test::sample("squeezenet"), requestOn("parallel"), quick(2), {}).value();
  const Json json = frontJson(front, "m");
  CHECK(json["search"].size() == front.found.size());
  CHECK(json["search"][0]["latency_ps"] == front.found[0].latency.count());
  CHECK(json["allocators"].size() == 3);
  const auto lines = csvLines(frontCsv(front, "m"));
  CHECK(lines.size() == 1 + front.found.size() + 3);
  for (const auto& line : lines) CHECK(line.fields.size() == lines.front().fields.size());
  const std::string text = frontText(front, {});
  const std::string picture = frontSvg(front, Palette::light());
  for (const char* name : {"idle-longest", "none"}) {
    CHECK(text.find(name) != std::string::npos);
    CHECK(picture.find(name) != std::string::npos);
  }
  CHECK(frontSvg(front, Palette::light()) == picture);
}
