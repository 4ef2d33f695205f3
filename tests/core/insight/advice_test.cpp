#include "core/insight/advice.h"

#include <algorithm>

#include "core/check/replay.h"
#include "core/machine/platforms.h"
#include "core/plan/validate.h"
#include "core/report/explain/advice_report.h"
#include "tests/support/graphs.h"
#include "tests/support/methods.h"
#include "tests/support/must.h"
#include "tests/support/printers.h"

using namespace hw;
using namespace hw::literals;
using test::drawnGraph;

namespace {

/// Two branches that shrink to little at their ends; the graph's order runs both wide parts first.
///
///   x 4 -> a 100 -> c 4
///       -> b 100 -> d 4 -> y 4      live at most: x a b, then a b c; a c b d would need less
std::shared_ptr<const Run> wideRun(const char* allocator = "greedy-by-size") {
  return test::runGraph(
      drawnGraph(
          {.tensors = {{"x", 4}, {"a", 100}, {"b", 100}, {"c", 4}, {"d", 4}, {"y", 4}},
           .inputs = {"x"},
           .ops = {"Conv x -> a", "Conv x -> b", "Conv a -> c", "Conv b -> d", "Add c, d -> y"},
           .outputs = {"y"}}),
      {.allocator = allocator});
}

AdviceReport adviceFor(const std::shared_ptr<const Run>& run) {
  return advise(run, {.searchSeconds = 0.05}, {});
}

const Advice* find(const AdviceReport& report, Advice::Kind kind) {
  const auto at = std::ranges::find(report.found, kind, &Advice::kind);
  return at == report.found.end() ? nullptr : &*at;
}

/// Independent of what the pipeline thinks: every op after those it reads from.
bool isTopological(const Run& run) {
  std::vector<bool> ran(run.graph().ops.size());
  for (const OpId op : run.schedule.order) {
    for (const TensorId tensor : run.graph().reads(op)) {
      const OpId producer = run.graph().tensors[tensor].producer;
      if (producer && !ran[producer.index()]) return false;
    }
    if (ran[op.index()]) return false;
    ran[op.index()] = true;
  }
  return std::ranges::all_of(ran, [](bool each) { return each; });
}

}  // namespace

TEST_CASE("an order in which less is live is found, named and proved", "[advice]") {
  const auto run = wideRun();
  CHECK(footprintOf(*run) == 204_B);
  const AdviceReport report = adviceFor(run);
  const Advice* order = find(report, Advice::Kind::order);
  REQUIRE(order != nullptr);
  CHECK(footprintOf(*order->run) == 108_B);
  CHECK(order->saved == 96_B);
  CHECK(order->outside == 0_B);
  CHECK(adviceText(*run, *order) == "run operators in the order with the fewest bytes live");
  CHECK(adviceOptions(*run, *order) == std::vector<std::string>{"--order", "least-peak"});
  CHECK(adviceDetail(*run, *order) ==
        "at most 108 B are live at once, not 204 B; no order has fewer");
  // Carried out, there is nothing left to say about the order.
  CHECK(find(adviceFor(order->run), Advice::Kind::order) == nullptr);
}

TEST_CASE("a concat that copies is told to share", "[advice]") {
  const auto run = test::runGraph(drawnGraph(
      {.tensors = {{"x", 64}, {"a", 512}, {"b", 512}, {"w", 1024}, {"y", 64}},
       .inputs = {"x"},
       .ops = {"Conv x -> a", "Conv x -> b", "join: Concat a, b -> w axis=1", "Conv w -> y"},
       .outputs = {"y"}}));
  const AdviceReport report = adviceFor(run);
  const Advice* alias = find(report, Advice::Kind::alias);
  REQUIRE(alias != nullptr);
  CHECK(alias->saved == 960_B);
  CHECK(adviceText(*run, *alias) == "share storage: concat");
  CHECK(adviceDetail(*run, *alias) == "'join' copies nothing then");
  CHECK(adviceOptions(*run, *alias) == std::vector<std::string>{"--alias", "concat"});
}

TEST_CASE("what cannot be helped gets no advice, and says why", "[advice]") {
  // One chain of equal tensors: two are live at any step, and that is what the plan takes.
  const auto run = test::runGraph(drawnGraph({.tensors = {{"x", 8}, {"a", 8}, {"y", 8}},
                                              .inputs = {"x"},
                                              .ops = {"Conv x -> a", "Conv a -> y"},
                                              .outputs = {"y"}}));
  const AdviceReport report = adviceFor(run);
  CHECK(report.found.empty());
  CHECK(report.tried == report.candidates);
  CHECK_THAT(adviceSummary(report), Catch::Contains("as small as the most bytes"));
  CHECK_THAT(adviceReportText(report, {}), Catch::Contains("0 changes of"));
  CHECK(adviceJson(report)["advice"].empty());
}

TEST_CASE("every saving is the difference of two independent runs", "[advice][property]") {
  const auto seed = GENERATE(range(std::uint64_t{1}, std::uint64_t{25}));
  const std::string allocator = GENERATE("free-list", "greedy-by-size", "block-id");
  CAPTURE(seed, allocator);
  const auto run =
      test::runGraph(test::randomGraph(seed, 20), {.allocator = allocator, .alignment = 64});
  const AdviceReport report = adviceFor(run);
  CHECK(report.tried == report.candidates);
  for (const Advice& advice : report.found) {
    CAPTURE(adviceText(*run, advice), adviceOptions(*run, advice));
    CHECK(advice.net() > 0_B);
    const auto before = execute(run->model, run->request, {});
    const auto after = execute(run->model, advice.request, {});
    REQUIRE((before && after));
    Bytes difference;
    for (const PoolId pool : run->problem.pools.keys()) {
      difference += (*before)->plan.footprint(pool) - (*after)->plan.footprint(pool);
    }
    CHECK(advice.saved == difference);
    CHECK(isTopological(**after));
    CHECK(validate((*after)->problem, (*after)->plan).empty());
    CHECK(replayBytes(**after, 1_MiB).empty());
    if (advice.kind != Advice::Kind::outside) CHECK(advice.outside == 0_B);
  }
  for (std::size_t i = 1; i < report.found.size(); ++i) {
    CHECK(report.found[i - 1].net() >= report.found[i].net());
  }
}

TEST_CASE("advice for what does not fit begins with what makes it fit", "[advice]") {
  auto run = wideRun("free-list");
  RunRequest request = run->request;
  request.l2 = {.kind = PoolSize::Kind::bytes, .bytes = 150_B};
  request.l3 = {.kind = PoolSize::Kind::bytes, .bytes = 0_B};
  const auto tight = test::must(execute(run->model, request, {}));
  REQUIRE_FALSE(fits(*tight));
  const AdviceReport report = adviceFor(tight);
  REQUIRE_FALSE(report.found.empty());
  CHECK(report.found.front().makesFit);
  CHECK(fits(*report.found.front().run));
  CHECK_THAT(adviceReportText(report, {}), Catch::Contains("it fits"));
}

TEST_CASE("advice stops when asked, and keeps what it has proved", "[advice]") {
  std::stop_source stop;
  std::size_t reports = 0;
  const AdviceReport report =
      advise(wideRun(), {.searchSeconds = 0.05},
             {.stop = stop.get_token(), .progress = [&](double fraction, const std::string&) {
                CHECK((fraction >= 0 && fraction <= 1));
                if (++reports == 4) stop.request_stop();
              }});
  CHECK(report.stopped);
  CHECK(report.tried == 2);
  CHECK(report.candidates > report.tried);
  CHECK_THAT(adviceSummary(report), Catch::Contains("stopped with"));
}

TEST_CASE("a planning problem has no operators to move, but other planners", "[advice]") {
  Problem problem;
  problem.steps = 4_st;
  const auto stay = [&](Bytes size, Step begin, Step end) {
    problem.stays.add(
        {.buffer = BufferId(problem.stays.size()), .steps = {begin, end}, .size = size});
  };
  stay(10_B, 0_st, 1_st);
  stay(1_B, 0_st, 4_st);
  stay(20_B, 1_st, 3_st);
  const auto run = test::runProblem(problem, {.allocator = "none"});
  const AdviceReport report = adviceFor(run);
  REQUIRE_FALSE(report.found.empty());
  for (const Advice& advice : report.found) CHECK(advice.kind == Advice::Kind::allocator);
  CHECK(report.found.front().saved == 10_B);
}

TEST_CASE("the traffic of a change is what is moved far away", "[advice]") {
  const auto planned = [](const char* allocator) {
    RunRequest request;
    request.allocator = *AllocatorChoice::parse(allocator);
    request.platform = *findPlatform("generic-npu");
    return test::mustRun(test::sample("inception_v3"), request);
  };
  const auto near = planned("greedy-by-size");
  const auto far = planned("two-sided");  // Lower, but it spills more.
  REQUIRE(figuresOf(*near).spilled < figuresOf(*far).spilled);
  CHECK(figuresOf(*near).moved == figuresOf(*far).moved);
  CHECK(trafficChange(*near, *far).front() == '+');
  CHECK(trafficChange(*far, *near).front() == '-');
  CHECK(trafficChange(*near, *near) == "same");
}
