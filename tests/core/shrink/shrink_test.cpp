#include "core/shrink/shrink.h"

#include <algorithm>
#include <array>
#include <sstream>

#include "core/check/plan_audit.h"
#include "core/check/replay.h"
#include "core/plan/validate.h"
#include "core/plan_file/plan_reader.h"
#include "core/plan_file/plan_writer.h"
#include "core/report/explain/front_report.h"
#include "tests/support/image_graphs.h"
#include "tests/support/methods.h"
#include "tests/support/must.h"
#include "tests/support/problems.h"
#include "tests/support/rounds.h"

using namespace hw;

namespace {

constexpr Bytes kMostArena{1 << 24};

RunRequest shrinkRequest(KernelWays ways = {true, true}) {
  RunRequest request = planningRequest();
  for (UnitSpec& unit : request.platform.devices.front().units) unit.kernels = ways;
  return request;
}

std::shared_ptr<const Model> imageModel(std::uint64_t seed) {
  Model model{.name = "images"};
  model.graph = std::make_shared<const Graph>(test::randomImages(seed, 2 + seed % 6));
  return std::make_shared<const Model>(std::move(model));
}

/// No finding of the judge, who reads what a file says, and no byte that somebody else wrote.
void judge(const std::shared_ptr<const Model>& model, const ShrinkPoint& point) {
  const Run& run = *point.run;
  CHECK(validate(run.problem, run.plan, 1).empty());
  CHECK(replayBytes(run, kMostArena).empty());
  std::ostringstream file;
  writePlanJson(run, file);
  const auto plan = test::must(readPlan(file.str()));
  const Audit audit = auditPlan(model, plan, {});
  CHECK((audit.findings.empty() ? "" : audit.findings.front().message) == "");
}

bool noWorse(const ShrinkPoint& a, const ShrinkPoint& b) {
  return a.peak <= b.peak && a.extraMacs <= b.extraMacs && a.latency <= b.latency;
}

void judgeFront(const ShrinkFront& front) {
  REQUIRE_FALSE(front.points.empty());
  CHECK(front.points.front().peak <= front.plain.peak);
  for (const ShrinkPoint& point : front.points) {
    CHECK(point.peak >= point.bound);
    CHECK(point.latency == point.run->timing.makespan);
    for (const ShrinkPoint& other : front.points) {
      CHECK((&point == &other || !noWorse(point, other)));
    }
  }
  CHECK(std::ranges::is_sorted(front.points, {}, &ShrinkPoint::peak));
  const auto asGood = [&](const ShrinkPoint& point) { return noWorse(point, front.plain); };
  CHECK(std::ranges::any_of(front.points, asGood));
}

ShrinkFront shrunk(const std::shared_ptr<const Model>& model, const RunRequest& request,
                   const ShrinkOptions& options = {}) {
  return test::must(shrink(model, request, options, {}));
}

const ShrinkTrial* trialWith(const ShrinkFront& front, const Rewrites& with) {
  const auto found = std::ranges::find(front.trials, with, &ShrinkTrial::with);
  return found == front.trials.end() ? nullptr : &*found;
}

}  // namespace

TEST_CASE("every point of a front is a plan that the judge accepts", "[shrink][property]") {
  std::size_t smaller = 0;
  std::size_t parts = 0;
  for (const std::uint64_t seed : test::Seeds(40)) {
    const auto model = imageModel(seed);
    RunRequest request = shrinkRequest();
    request.alignment = Bytes(1);
    if (seed % 4 == 0) request.inputs = InputPlace::rows;
    std::vector<Bytes> told;
    ShrinkOptions options{.extraMacs = seed % 2 == 0 ? 0 : 0.25, .sizes = seed % 3};
    options.report = [&](const ShrinkFront& front) { told.push_back(front.points.front().peak); };
    const ShrinkFront front = shrunk(model, request, options);
    judgeFront(front);
    REQUIRE_FALSE(told.empty());
    CHECK(told.front() == front.plain.peak);
    CHECK(std::ranges::is_sorted(told, std::greater()));
    for (const ShrinkPoint& point : front.points) {
      judge(model, point);
      CHECK(point.extraMacs <= options.extraMacs + 1e-9);
      parts += point.run->graph().tiling ? 1 : 0;
    }
    smaller += front.shrinks() ? 1 : 0;
    // What it says makes each plan makes that plan.
    const ShrinkPoint& least = front.points.front();
    CHECK(execute(model, least.run->request, {}).value()->plan.footprint(PoolId(0)) == least.peak);
  }
  CHECK(smaller > test::rounds(10));
  CHECK(parts > test::rounds(10));
}

TEST_CASE("any is no higher than what it covers, and no plan is below the answer",
          "[shrink][property]") {
  std::size_t lower = 0;
  constexpr std::uint64_t kAll = 24;
  for (std::uint64_t round = 0; round < test::rounds(kAll); ++round) {
    // Seeds from 16 on, then those before. Where nothing may be made twice, `any` of seeds 18 and
    // 19 is below both that it covers (320 of 384 and 512 bytes, 156 of 174 and 240), so that the
    // few rounds under sanitizers see it, too, and it does not hang on what may be made twice.
    const std::uint64_t seed = (round + 15) % kAll + 1;
    const auto model = imageModel(seed);
    RunRequest request = shrinkRequest();
    request.alignment = Bytes(seed % 3 == 0 ? 64 : 1);
    if (seed % 4 == 0) request.inputs = InputPlace::rows;
    const double extra = std::array{0.0, 0.02, 0.1, 0.5}[seed / 4 % 4];
    CAPTURE(seed, extra);
    const ShrinkFront front = shrunk(model, request, {.extraMacs = extra, .sizes = 0});
    const auto peakOf = [&](TileRule rule) {
      RunRequest tiled = request;
      tiled.tile = rule;
      tiled.extraWork = extra;
      const auto run = test::must(execute(model, tiled, {}));
      return run->plan.footprint();
    };
    const Bytes lines = peakOf(TileRule::lines);
    const Bytes channels = peakOf(TileRule::channels);
    const Bytes any = peakOf(TileRule::any);
    CHECK(any <= lines);
    CHECK(any <= channels);
    CHECK(front.points.front().peak <= std::min(lines, channels));
    if (extra == 0) CHECK(front.points.front().peak <= any);
    lower += any < std::min(lines, channels) ? 1 : 0;
  }
  CHECK(lower > 0);
}

TEST_CASE("a front is the same with any number of threads", "[shrink]") {
  const auto model = test::sample("resnet8");
  RunRequest request = shrinkRequest();
  request.threads = 1;
  const std::string one = shrinkCsv(shrunk(model, request), "m");
  for (const int threads : {2, 5}) {
    request.threads = threads;
    const ShrinkFront front = shrunk(model, request);
    CHECK(shrinkCsv(front, "m") == one);
  }
}

TEST_CASE("real models shrink, and each rewrite's bound holds", "[shrink][samples]") {
  std::uint64_t number = 0;
  for (const char* name : {"resnet8", "ds_cnn", "squeezenet", "zero_copy", "bert_base"}) {
    if (!test::isTried(number++)) continue;
    CAPTURE(name);
    const auto model = test::sample(name);
    const double again = model->graph->ops.size() < 30 ? 0.1 : 0;
    const ShrinkFront front = shrunk(model, shrinkRequest(), {.extraMacs = again});
    judgeFront(front);
    for (const ShrinkPoint& point : front.points) judge(model, point);
    for (const ShrinkTrial& trial : front.trials) {
      if (trial.peak) CHECK(*trial.peak >= trial.bound.value());
    }
    const ShrinkTrial* plain = trialWith(front, {});
    REQUIRE(plain != nullptr);
    CHECK(plain->peak == front.plain.peak);
    CHECK(std::ranges::any_of(front.trials,
                              [](const ShrinkTrial& trial) { return trial.with.tile; }));
    const auto together = [](const ShrinkTrial& trial) {
      return trial.with.inPlace && trial.with.overlap && trial.peak.has_value();
    };
    CHECK(std::ranges::any_of(front.trials, together));
  }
}

TEST_CASE("within a budget the fastest plan is chosen, without one the smallest", "[shrink]") {
  const auto model = test::sample("resnet8");
  const ShrinkFront free = shrunk(model, shrinkRequest({}), {.extraMacs = 0});
  REQUIRE(free.points.size() > 1);
  CHECK(free.chosen() == &free.points.front());
  for (const ShrinkPoint& point : free.points) {
    const ShrinkOptions options{.budget = point.peak + Bytes(1), .extraMacs = 0};
    const ShrinkFront front = shrunk(model, shrinkRequest({}), options);
    REQUIRE(front.chosen() != nullptr);
    CHECK(front.chosen()->peak <= *front.budget);
    CHECK(front.chosen()->latency <= point.latency);
  }
  const ShrinkFront none =
      shrunk(model, shrinkRequest({}), {.budget = Bytes(1000), .extraMacs = 0});
  CHECK(none.chosen() == nullptr);
  CHECK(shrinkSummary(none).starts_with("nothing fits 1,000 B: the least that was found is "));
}

TEST_CASE("only what is allowed is rewritten", "[shrink]") {
  const auto model = test::sample("resnet8");
  for (const char* text : {"order", "in-place", "overlap", "tile", "order,overlap"}) {
    const Rewrites allowed = parseRewrites(text).value();
    CHECK(rewritesText(allowed, ",") == text);
    const ShrinkFront front =
        shrunk(model, shrinkRequest(), {.allow = allowed, .extraMacs = 0, .sizes = 1});
    for (const ShrinkPoint& point : front.points) {
      for (const RewriteInfo& info : shrinkingRewrites()) {
        if (!(allowed.*(info.flag))) CHECK_FALSE(point.with.*(info.flag));
      }
      CHECK(point.with.tile == (point.run->request.tile != TileRule::off));
    }
  }
}

TEST_CASE("a model that cannot shrink says so, and why", "[shrink]") {
  Model model{.name = "product"};
  test::ImageGraph images(true);
  const auto x = images.input(1, 1, 8);
  images.output(images.convolve(x, 8, {.kernel = 1, .before = 0, .after = 0}));
  model.graph = std::make_shared<const Graph>(std::move(images).build());
  const ShrinkFront front =
      shrunk(std::make_shared<const Model>(std::move(model)), shrinkRequest({}));
  CHECK_FALSE(front.shrinks());
  REQUIRE(front.points.size() == 1);
  CHECK(front.points.front().with == Rewrites());
  CHECK(shrinkSummary(front).starts_with("nothing is smaller than the plan as it is, "));
  for (const RewriteInfo& info : shrinkingRewrites()) {
    CAPTURE(info.name);
    const auto has = [&](const ShrinkTrial& trial) { return trial.with.*(info.flag); };
    REQUIRE(std::ranges::any_of(front.trials, has));
    for (const ShrinkTrial& trial : front.trials) {
      if (has(trial)) CHECK_FALSE(trial.said.empty());
    }
  }
  CHECK(trialWith(front, {.overlap = true})->said.front() ==
        "no unit of platform 'generic-npu' says in which order its kernels make rows");
}

TEST_CASE("what the plain plan has already is not tried again", "[shrink]") {
  RunRequest request = shrinkRequest({});
  request.alias = AliasRules::all();
  const ShrinkFront front = shrunk(test::sample("resnet8"), request);
  const ShrinkTrial* trial = trialWith(front, {.inPlace = true});
  REQUIRE(trial != nullptr);
  CHECK(trial->said == std::vector<std::string>{"the plain plan has it already"});
  CHECK(front.plain.run->request.alias == AliasRules::all());
  for (const ShrinkPoint& point : front.points) CHECK(point.run->request.alias.inPlace);
}

TEST_CASE("a stopped search keeps what it has", "[shrink]") {
  const auto model = test::sample("resnet8");
  const ShrinkOptions options{.extraMacs = 0};
  const ShrinkFront whole = shrunk(model, shrinkRequest(), options);
  for (const std::size_t programs : {1U, 3U, 6U}) {
    std::stop_source source;
    std::size_t told = 0;
    RunContext context{.stop = source.get_token()};
    context.progress = [&](double done, const std::string&) {
      CHECK(done <= 1);
      if (++told > programs) source.request_stop();
    };
    const auto front = test::must(shrink(model, shrinkRequest(), options, context));
    CHECK(front.stopped);
    CHECK(front.tried == programs);
    judgeFront(front);
    CHECK(front.points.front().peak >= whole.points.front().peak);
  }
  std::stop_source before;
  before.request_stop();
  CHECK(test::mustFail(shrink(model, shrinkRequest(), {}, {.stop = before.get_token()})).code ==
        ErrorCode::stopped);
}

TEST_CASE("what has no operators cannot be rewritten", "[shrink]") {
  CHECK(test::mustFail(shrink(test::sample("eight_tensors"), shrinkRequest(), {}, {})).code ==
        ErrorCode::unsupported);
  RunRequest request = shrinkRequest();
  request.allocator = AllocatorChoice::parse("partition").value();
  CHECK(test::mustFail(shrink(test::sample("resnet8"), request, {}, {}))
            .message.starts_with("allocator 'partition' plans what it is given"));
  CHECK(test::mustFail(parseRewrites("order,fold")).message ==
        "'fold' is not a rewrite; expected all, or some of order, in-place, overlap, tile, "
        "recompute");
  CHECK_FALSE(parseRewrites(""));
}

TEST_CASE("the smallest plan that is as fast is that of a naive search", "[shrink][property]") {
  for (const std::uint64_t seed : test::Seeds(200)) {
    Dice dice(seed);
    ShrinkFront front;
    front.plain.peak = Bytes(dice.roll(500, 1'000));
    front.plain.latency = SimTime(dice.roll(0, 1) * 1'000);
    for (std::int64_t peak = 300; peak < 1'100; peak += dice.roll(20, 200)) {
      ShrinkPoint& point = front.points.emplace_back();
      point.peak = Bytes(peak);
      point.latency = SimTime(dice.roll(990, 1'020));
    }
    const ShrinkPoint* smallest = nullptr;
    for (const ShrinkPoint& point : front.points) {
      const bool fast = 1'000 * point.latency.count() < 1'005 * front.plain.latency.count();
      if (!fast || point.peak >= front.plain.peak) continue;
      if (smallest == nullptr || point.peak < smallest->peak) smallest = &point;
    }
    CHECK(front.costless() == smallest);
  }
}

TEST_CASE("a front of rewrites is the same in every format", "[shrink][report]") {
  const ShrinkFront front = shrunk(test::sample("resnet8"), shrinkRequest(), {.sizes = 2});
  const Json json = shrinkJson(front, "m");
  REQUIRE(json["front"].size() == front.points.size());
  CHECK(json["front"][0]["peak"] == front.points.front().peak.count());
  CHECK(json["rewrites"].size() == front.trials.size());
  const auto lines = csvLines(shrinkCsv(front, "m"));
  CHECK(lines.size() == 1 + front.points.size());
  for (const auto& line : lines) CHECK(line.fields.size() == lines.front().fields.size());
  const std::string text = shrinkText(front, {});
  for (const RewriteInfo& info : shrinkingRewrites()) {
    CHECK(text.find(info.name) != std::string::npos);
  }
  const FrontScene scene = shrinkScene(front);
  CHECK(scene.found.size() == front.points.size());
  CHECK(std::ranges::is_sorted(scene.marks, {}, &FrontScene::Mark::bytes));
  const std::string picture = shrinkSvg(front, Palette::light());
  for (std::size_t i = 0; i < front.points.size(); ++i) {
    CHECK(picture.find("found-" + std::to_string(i)) != std::string::npos);
  }
  const auto tables = shrinkTables(front);
  REQUIRE(tables.size() == 2);
  CHECK(tables[1].marked == std::vector<std::size_t>{0});
}
