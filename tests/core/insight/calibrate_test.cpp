// Laws fitted to measurements that were made up from laws.
#include "core/insight/calibrate.h"

#include <fmt/format.h>

#include <random>

#include "core/base/check.h"
#include "core/machine/cost/cost_models.h"
#include "core/machine/platform_writer.h"
#include "core/machine/platforms.h"
#include "core/rewrite/graph_builder.h"
#include "core/run/run.h"
#include "tests/support/must.h"
#include "tests/support/published_layers.h"
#include "tests/support/rounds.h"

using namespace hw;

namespace {

constexpr std::size_t kKinds = 7;  // As drawn below; movement is not.

/// An operator that was drawn: its class, and MACs or elements by the arithmetic of who drew it.
struct DrawnOp {
  std::size_t kind = 0;
  std::string type;
  Shape input, weight, output;
  std::int64_t group = 1;
  std::int64_t count = 0;
};

using Random = std::mt19937_64;
std::int64_t upTo(Random& random, std::int64_t most) {
  return std::uniform_int_distribution<std::int64_t>(1, most)(random);
}
double between(Random& random, double least, double most) {
  return std::uniform_real_distribution<double>(least, most)(random);
}

DrawnOp drawOp(Random& random, std::size_t kind) {
  const std::int64_t side = upTo(random, 30), in = 1 + upTo(random, 40), out = upTo(random, 40);
  const std::int64_t area = side * side, kernel = 2 + upTo(random, 3);
  const Shape image{1, in, side, side}, made{1, out, side, side};
  switch (kind) {
    case 0:
      return {kind,
              "Conv",
              image,
              {out, in, kernel, kernel},
              made,
              1,
              area * in * out * kernel * kernel};
    case 1:
      return {kind, "Conv", image, {out, in, 1, 1}, made, 1, area * in * out};
    case 2:
      return {kind, "Conv", image, {in, 1, kernel, kernel}, image, in, area * in * kernel * kernel};
    case 3:
      return {kind, "MatMul", {side, in}, {in, out}, {side, out}, 1, side * in * out};
    case 4:
      return {kind, "Relu", image, {}, image, 1, area * in};
    case 5:
      return {kind, "Mul", image, {1}, image, 1, area * in};
    default:
      return {kind, "GlobalAveragePool", image, {}, {1, in, 1, 1}, 1, in};
  }
}

std::vector<DrawnOp> drawNetwork(Random& random, std::size_t ofEach) {
  std::vector<DrawnOp> ops;
  for (std::size_t i = 0; i < ofEach * kKinds; ++i) ops.push_back(drawOp(random, i % kKinds));
  std::ranges::shuffle(ops, random);
  return ops;
}

std::shared_ptr<const Model> modelOf(const std::vector<DrawnOp>& ops) {
  GraphBuilder builder("drawn", "test");
  const auto tensor = [&](const std::string& called, const Shape& shape, bool constant) {
    return test::addInt8Tensor(builder, called, shape, constant);
  };
  for (std::size_t i = 0; i < ops.size(); ++i) {
    GraphBuilder::OpParts parts;
    parts.op.type = ops[i].type;
    parts.op.name = fmt::format("op{}", i);
    if (ops[i].type == "Conv") parts.op.attributes["group"] = ops[i].group;
    parts.inputs = {tensor(fmt::format("x{}", i), ops[i].input, false)};
    builder.addInput(parts.inputs[0]);
    if (!ops[i].weight.empty()) {
      parts.inputs.push_back(tensor(fmt::format("w{}", i), ops[i].weight, true));
    }
    parts.outputs = {tensor(fmt::format("y{}", i), ops[i].output, false)};
    builder.addOutput(parts.outputs[0]);
    builder.addOp(std::move(parts));
  }
  auto model = std::make_shared<Model>();
  model->name = "drawn";
  model->graph = std::make_shared<const Graph>(std::move(builder).build().value());
  return model;
}

Platform plainMachine() {
  return parsePlatform(
             "name = \"m\"\n[[device]]\nname = \"d\"\nops = [\"*\"]\n[[device.pool]]\n"
             "name = \"L2\"\n[[device.unit]]\nname = \"core\"\nops = [\"*\"]\n"
             "clock = \"100MHz\"\nmacs_per_cycle = 2\nelements_per_cycle = 0.5\n")
      .value();
}

/// A law for each class, as pairs of cycles a call and for each.
using Truth = std::vector<std::pair<double, double>>;

Truth drawTruth(Random& random) {
  Truth truth;
  for (std::size_t i = 0; i < kKinds; ++i) {
    const double call = upTo(random, 4) == 1 ? 0 : between(random, 1, 5'000);
    truth.emplace_back(call, between(random, 0.05, 20));
  }
  return truth;
}
double cyclesOf(const Truth& truth, const DrawnOp& op) {
  return truth[op.kind].first + truth[op.kind].second * static_cast<double>(op.count);
}

/// `noise`: each measured time is off by at most this part.
MeasuredNetwork measured(const std::vector<DrawnOp>& ops, const Truth& truth, double noise,
                         Random& random) {
  MeasuredNetwork network{.name = "drawn", .model = modelOf(ops)};
  for (std::size_t i = 0; i < ops.size(); ++i) {
    network.times.profile.ops.push_back({.name = fmt::format("op{}", i)});
    const double off = noise == 0 ? 1 : 1 + between(random, -noise, noise);
    network.times.spans.push_back({cyclesOf(truth, ops[i]) * off, true});
  }
  return network;
}

/// Cycles of each operator, as simulated on a platform that was written and read again.
std::vector<double> simulatedCycles(const std::vector<DrawnOp>& ops, const Platform& platform) {
  RunRequest request{.allocator = AllocatorChoice::parse("none").value(),
                     .platform = parsePlatform(platformToml(platform)).value()};
  const auto run = test::must(execute(modelOf(ops), request, {}));
  std::vector<double> cycles(ops.size());
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const OpId id = run->schedule.opAt(Step(static_cast<std::int64_t>(i)));
    cycles[id.index()] = run->timing.ops[i].compute.real() / 10'000;
  }
  return cycles;
}

double squaresLeft(const std::vector<std::vector<double>>& rows, const std::vector<double>& x) {
  double sum = 0;
  for (const auto& row : rows) {
    double off = -1;
    for (std::size_t i = 0; i < x.size(); ++i) off += row[i] * x[i];
    sum += off * off;
  }
  return sum;
}

}  // namespace

TEST_CASE("laws fitted to exact cycles are exact", "[cost][calibrate]") {
  const auto seed = Catch::rngSeed();
  INFO("seed " << seed);
  Random random(seed);
  for (std::uint64_t round = 0; round < test::rounds(30); ++round) {
    const Truth truth = drawTruth(random);
    const auto seen = drawNetwork(random, 5);
    const std::vector networks{measured(seen, truth, 0, random)};
    const auto found = test::must(calibrate(plainMachine(), networks));
    CHECK(found.notes.empty());
    REQUIRE(found.classes.size() == kKinds);
    for (const FittedClass& each : found.classes) {
      CAPTURE(round, kCostClassNames[static_cast<std::size_t>(each.kind)]);
      CHECK(each.times.size() == 5);
      CHECK(std::abs(each.worst()->excess()) < 1e-6);
    }
    const auto other = drawNetwork(random, 4);
    const auto cycles = simulatedCycles(other, found.platform);
    for (std::size_t i = 0; i < other.size(); ++i) {
      const double expected = cyclesOf(truth, other[i]);
      CAPTURE(round, other[i].type, other[i].count);
      CHECK(std::abs(cycles[i] - expected) <= 0.501 + 1e-6 * expected);
    }
  }
}

TEST_CASE("laws fitted to noise predict another network within it", "[cost][calibrate]") {
  const auto seed = Catch::rngSeed();
  INFO("seed " << seed);
  Random random(seed);
  for (std::uint64_t round = 0; round < test::rounds(30); ++round) {
    const Truth truth = drawTruth(random);
    const double noise = between(random, 0.01, 0.05);
    const std::vector networks{measured(drawNetwork(random, 20), truth, noise, random),
                               measured(drawNetwork(random, 20), truth, noise, random)};
    const auto found = test::must(calibrate(plainMachine(), networks));
    for (const FittedClass& each : found.classes) {
      CHECK(each.meanError() < noise);
      CHECK(each.operators == 40);
    }
    const auto other = drawNetwork(random, 10);
    const auto cycles = simulatedCycles(other, found.platform);
    double sum = 0, expected = 0;
    for (std::size_t i = 0; i < other.size(); ++i) {
      sum += cycles[i];
      expected += cyclesOf(truth, other[i]);
    }
    CAPTURE(round, noise);
    CHECK(sum == Approx(expected).epsilon(noise));
  }
}

TEST_CASE("no other constants from 0 leave less", "[cost][calibrate]") {
  const auto seed = Catch::rngSeed();
  INFO("seed " << seed);
  Random random(seed);
  for (std::uint64_t round = 0; round < test::rounds(200); ++round) {
    const auto columns = static_cast<std::size_t>(upTo(random, 4));
    std::vector<std::vector<double>> rows(static_cast<std::size_t>(upTo(random, 6)));
    for (auto& row : rows) {
      for (std::size_t i = 0; i < columns; ++i) row.push_back(between(random, 0, 3));
    }
    const std::vector<double> best = leastSquares(rows);
    const double least = squaresLeft(rows, best);
    for (int other = 0; other < 100; ++other) {
      std::vector<double> near = best;
      for (double& value : near) {
        value = std::max(0.0, value + between(random, -1, 1) * (other < 50 ? 0.01 : 1));
      }
      CAPTURE(round, best, near);
      REQUIRE(squaresLeft(rows, near) >= least - 1e-12);
    }
  }
}

TEST_CASE("one operator of a class, or several of one size, have one constant",
          "[cost][calibrate]") {
  Random random(1);
  const DrawnOp op = drawOp(random, 0);
  const Truth truth(kKinds, {700.0, 2.5});
  for (const std::size_t count : {1, 3}) {
    const std::vector networks{measured(std::vector(count, op), truth, 0, random)};
    const auto found = test::must(calibrate(plainMachine(), networks));
    REQUIRE(found.classes.size() == 1);
    CHECK(found.classes[0].law.call == 0);
    CHECK(found.classes[0].law.each == Approx(2.5 + 700 / static_cast<double>(op.count)));
  }
}

TEST_CASE("operators that cannot be used are named", "[cost][calibrate]") {
  Random random(2);
  const Truth truth(kKinds, {10.0, 1.0});
  std::vector networks{
      measured({drawOp(random, 0), drawOp(random, 0), drawOp(random, 6)}, truth, 0, random)};
  OperatorTimes& times = networks[0].times;
  times.spans[1].amount = -3;
  times.profile.ops[2].name = "absent";
  const auto found = test::must(calibrate(plainMachine(), networks));
  CHECK(found.notes ==
        std::vector<std::string>{
            "drawn: 1 of 3 measured are not in the model, or come twice, and are left out: "
            "'absent'",
            "drawn: 1 of 3 measured took no time above 0, and go by the law of the others: 'op1'",
            "class 'pooling' on unit 'core' cannot be told from what was measured: 1 goes by its "
            "rates"});
  CHECK(found.classes.at(0).times.size() == 1);
  times.spans[0].amount = 0;
  CHECK_THAT(test::mustFail(calibrate(plainMachine(), networks)).message,
             Catch::StartsWith("nothing was measured that a law can be fitted to; drawn: 1 of 3"));
}

TEST_CASE("a law is at most what a platform's file may say", "[cost][calibrate]") {
  Random random(3);
  std::vector networks{measured({drawOp(random, 6)}, Truth(kKinds, {0.0, 1e16}), 0, random)};
  CHECK(test::mustFail(calibrate(plainMachine(), networks)).message ==
        "operators of class 'pooling' would take more than 1e15 cycles");
}

TEST_CASE("networks measured as a whole give each class that multiplies a rate",
          "[cost][calibrate]") {
  const auto seed = Catch::rngSeed();
  INFO("seed " << seed);
  Random random(seed);
  Truth truth(kKinds, {0.0, 2.0});  // What does not multiply goes by the rates.
  for (std::size_t i = 0; i < 4; ++i) truth[i].second = between(random, 0.5, 5);
  std::vector<MeasuredNetwork> networks;
  for (int i = 0; i < 6; ++i) {
    const auto ops = drawNetwork(random, 3);
    double cycles = 0;
    for (const DrawnOp& op : ops) cycles += cyclesOf(truth, op);
    networks.push_back({"n", modelOf(ops), {.total = MeasuredSpan{cycles, true}}});
  }
  const auto found = test::must(calibrate(plainMachine(), networks));
  for (const FittedTime& network : found.networks) CHECK(std::abs(network.excess()) < 1e-6);
  for (const FittedClass& each : found.classes) {
    const auto kind = static_cast<std::size_t>(each.kind);
    REQUIRE(kind < 4);
    CHECK(each.law.each == Approx(truth[kind].second).epsilon(1e-6));
  }
  // One of them says one part of all rates: a MAC takes half a cycle, an element two.
  const auto alone = test::must(calibrate(plainMachine(), std::span(networks).first(1)));
  CHECK(std::abs(alone.networks.at(0).excess()) < 1e-6);
  const auto times = [](const FittedClass& each) {
    return each.law.each / (multiplies(each.kind) ? 0.5 : 2);
  };
  for (const FittedClass& each : alone.classes) {
    CHECK(times(each) == Approx(times(alone.classes[0])));
  }
  networks[0].times.total.reset();
  CHECK_FALSE(calibrate(plainMachine(), networks));
}

TEST_CASE("measured times are read from CSV and from words", "[import][calibrate]") {
  const auto read = [](std::string_view text) { return readOperatorTimes(text); };
  const auto times =
      test::must(read("op,type,duration_us\nconv1,Conv,12.5\n3,,7\nskipped,Add,\ntotal,,19.5\n"));
  REQUIRE(times.spans.size() == 2);
  CHECK(times.profile.ops[0].name == "conv1");
  CHECK(times.profile.ops[0].type == "Conv");
  CHECK(times.profile.ops[1].index == 3);
  CHECK(times.spans[0].microseconds(1) == 12.5);
  CHECK_FALSE(times.total);
  const auto cycles = test::must(read("operator,cycles\ntotal,800\n"));
  CHECK(cycles.total->microseconds(2'000'000) == 400);
  CHECK(read("operator,us,cycles\na,1,2\n").error().message ==
        "expected operator,cycles or operator,us");
  CHECK(read("operator,us\na,1x\n").error().text() ==
        "operator 'a' has us '1x', which is no number up to 1e15 (line 2)");
  CHECK_FALSE(read("operator,us\na,1e16\n"));
  CHECK(read("operator,us\na,\n").error().message == "no operator has a time");
  CHECK_FALSE(read(""));
  // As tflite-micro's profiler logs it, in words and as CSV.
  const auto words = read(
      "boot\r\nCONV_2D took 1200 ticks (12 ms).\r\n[0.1] ADD took 34 ticks "
      "(0 ms).\nit took ages\nX took 1 ticks\n ticks (a took 3\n");
  CHECK_FALSE(read("it took long: ADD took -3 ticks (0 ms).\n"));
  CHECK_FALSE(read("ADD took 99999999999999999999 ticks (0 ms).\n"));
  const auto table = read("\"Event\",\"Tag\",\"Ticks\"\n0,CONV_2D,1200\n1,ADD,34\n");
  REQUIRE(words);
  REQUIRE(table);
  for (const OperatorTimes* logged : {&*words, &*table}) {
    REQUIRE(logged->spans.size() == 2);
    CHECK(logged->profile.ops[1].type == "ADD");
    CHECK(logged->profile.ops[1].index == 1);
    CHECK(logged->spans[0].microseconds(1'000'000) == 1200);
  }
  // As ST's tools report it, now and in X-CUBE-AI 3: nodes of an operator are one.
  const std::string nodes =
      "   Inference time per node\n   ------\n"
      "   c_id   m_id   type              dur (ms)       %   cumul   CPU cycles    name\n   "
      "------\n"
      "   0      0      Conv2D (0x103)       2.010   17.1%   17.1%   [ 168,840 ]   node.0\n"
      "   1      2      Dense (0x104)        4.244   36.0%   53.1%   [ 356,496 ]   node.1\r\n"
      "   2      2      NL (0x107)           0.042    0.4%   53.5%   [   3,528 ]   node.2\n"
      "   n/a    n/a    Inter-nodal          0.100    0.8%   54.3%                 n/a\n"
      "   total                              6.396                   [ 528,864 ]\n";
  // A table of operations, which is no table of times, and lines behind an empty one.
  const std::string others =
      "\n  2   2   3.5\n   c_id    m_id   name (type)          #op           type   sparsity\n"
      "   0       0      conv (conv2d)      82,048   smul_s8_s8     0.0865\n";
  CHECK(read(others).error().message ==
        "column 'operator' is missing; expected operator,cycles or operator,us");
  const auto report = test::must(read(others + nodes + "after\n" + nodes + others));
  REQUIRE(report.spans.size() == 2);
  CHECK(report.profile.ops[1].name == "2");
  CHECK(report.profile.ops[1].index == 2);
  CHECK(report.spans[1].microseconds(1) == Approx(4'286));
  const auto older =
      test::must(read("c_id  m_id  desc          output            ms     %\n-----\n"
                      "0     1     Pool (0x109)  (10, 4, 4, 16)    2.5    9.0%\n"));
  REQUIRE(older.spans.size() == 1);
  CHECK(older.spans[0].microseconds(1) == 2'500);
  CHECK(read("c_id m_id type ms\n0 0 Conv 9999999999999999.5\n")
            .error()
            .message.find("9999999999999999.5 ms") == 1);
  const std::string runner = "00354.146 ulp-mlperf: Median throughput is ";
  CHECK(test::must(read("noise\n" + runner + "4.0 inf./sec.\n---\n")).total->microseconds(1) ==
        250'000);
  for (const char* bad : {"0 inf./sec.", "", "-1 inf./sec.", "1e-300 inf./sec."}) {
    CAPTURE(bad);
    CHECK_FALSE(read(runner + bad));
  }
  const auto total = [](const char* text) {
    return parseTotalTime(text)->value().total->microseconds(1'000'000);
  };
  CHECK(total("total=250 inf/s") == 4'000);
  CHECK(total("total=2s") == 2e6);
  CHECK(total("total= 1.5 ms") == 1'500);
  CHECK(total("total=7cycles") == 7);
  CHECK_FALSE(parseTotalTime("times.csv"));
  for (const char* bad : {"total=", "total=-1 ms", "total=0 inf/s", "total=5 min", "total=x",
                          "total=1e300 s", "total=1e300 inf/s"}) {
    CAPTURE(bad);
    CHECK_FALSE(parseTotalTime(bad)->has_value());
  }
}
