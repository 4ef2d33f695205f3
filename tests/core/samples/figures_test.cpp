#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <memory>
#include <string>

#include "core/check/replay.h"
#include "core/import/samples.h"
#include "core/machine/platforms.h"
#include "core/plan/validate.h"
#include "core/run/run.h"
#include "tests/support/methods.h"
#include "tests/support/rounds.h"
#include "tests/support/sample_figures.h"

namespace hw {
namespace {

std::shared_ptr<const Run> runSample(const std::string& name, const RunRequest& request) {
  return test::mustRun(test::sample(name), request);
}

/// The allocator with little time for searches of its own: valid plans need none.
std::string briefly(const AllocatorInfo& info) {
  const bool timed = std::ranges::any_of(
      info.params, [](const ParamSpec& spec) { return spec.name == "seconds"; });
  return std::string(info.name) + (timed ? ":seconds=0.01" : "");
}

}  // namespace

TEST_CASE("the published MobileNet memory figures come out exactly", "[samples][figures]") {
  struct Row {
    std::string name;
    std::int64_t noReuse;
    std::int64_t lowerBound;
  };
  // fp32, graph input and output external: Pisarchyk and Lee 2020, tables of the MobileNets.
  const auto row = GENERATE(values<Row>(
      {{"mobilenet_v1", 20'182'856, 4'816'896}, {"mobilenet_v2", 27'591'112, 6'021'120}}));
  INFO(row.name);
  RunRequest request = test::workedRequest("none");
  request.inputs = InputPlace::external;
  request.outputs = OutputPlace::external;
  const auto naive = runSample(row.name, request);
  CHECK(naive->plan.footprint(PoolId(0)).count() == row.noReuse);
  CHECK(naive->metrics.lowerBound.count() == row.lowerBound);

  request.allocator = *AllocatorChoice::parse("greedy-by-size");
  CHECK(runSample(row.name, request)->plan.footprint(PoolId(0)).count() == row.lowerBound);
}

TEST_CASE("in 8 bits MobileNet needs a quarter, input and output included", "[samples][figures]") {
  const RunRequest request = test::workedRequest("none");
  CHECK(runSample("mobilenet_v1_int8", request)->metrics.lowerBound == Bytes(1'204'224));
  CHECK(runSample("mobilenet_v2_int8", request)->metrics.lowerBound == Bytes(1'505'280));
}

TEST_CASE("depthwise layers in place spare MobileNet v2 100 kB", "[samples][figures]") {
  RunRequest request = test::workedRequest("greedy-by-size");
  request.alias.inPlace = true;
  const auto run = runSample("mobilenet_v2_int8", request);
  CHECK(run->metrics.lowerBound == Bytes(1'404'928));
  CHECK(run->plan.footprint(PoolId(0)) == Bytes(1'404'928));
  CHECK(replayBytes(*run, Bytes(1 << 24)).empty());
  // Scratch does not keep them from running in parts.
  request.tile = TileRule::lines;
  const auto parts = runSample("mobilenet_v2_int8", request);
  CHECK(parts->metrics.lowerBound == Bytes(274'176));
  CHECK(replayBytes(*parts, Bytes(1 << 24)).empty());
}

TEST_CASE("the eight tensors of the paper: 234 without reuse, 124 with", "[samples][figures]") {
  CHECK(runSample("eight_tensors", test::workedRequest("none"))->plan.footprint(PoolId(0)) ==
        Bytes(234));
  const auto greedy = runSample("eight_tensors", test::workedRequest("greedy-by-size"));
  CHECK(greedy->plan.footprint(PoolId(0)) == Bytes(124));
  CHECK(greedy->metrics.lowerBound == Bytes(124));
  const auto blocks = runSample("eight_tensors", test::workedRequest("shared-objects"));
  CHECK(blocks->plan.footprint(PoolId(0)) == Bytes(128));
}

TEST_CASE("the published MACs come out as rounded", "[samples][figures]") {
  struct Row {
    std::string name;
    double millions;
    double unit;  ///< Of the last published digit.
  };
  const auto row = GENERATE(values<Row>({{"mobilenet_v1", 568.7, 0.1},
                                         {"mobilenet_v1_int8", 568.7, 0.1},
                                         {"mobilenet_v2", 300.8, 0.1},
                                         {"mobilenet_v2_int8", 300.8, 0.1},
                                         {"inception_v3", 5'713, 1},
                                         {"resnet8", 12.50, 0.01},
                                         {"ds_cnn", 2.66, 0.01}}));
  INFO(row.name);
  const double millions =
      static_cast<double>(runSample(row.name, test::workedRequest("none"))->timing.macs) / 1e6;
  CHECK(std::round(millions / row.unit) == std::round(row.millions / row.unit));
}

TEST_CASE("sizes, lower bound and MACs agree with the generating script", "[samples][figures]") {
  for (const SampleInfo& sample : sampleCatalog()) {
    INFO(sample.name);
    const Json figures = test::sampleFigures(sample.name);
    const auto run = runSample(sample.name, test::workedRequest("none"));
    CHECK(run->problem.stays.size() == figures["tensors"]);
    CHECK(run->plan.footprint(PoolId(0)).count() == figures["total"]);
    CHECK(run->metrics.lowerBound.count() == figures["lower_bound"]);
    CHECK(run->timing.macs == figures["macs"]);
  }
}

TEST_CASE("every allocator plans every sample validly", "[samples][conformance]") {
  const bool bounded = GENERATE(false, true);
  std::uint64_t pairs = bounded ? 1 : 0;
  for (const SampleInfo& sample : sampleCatalog()) {
    const auto model = test::sample(sample.name);
    for (const AllocatorInfo& info : allocatorCatalog()) {
      if (!test::isTried(pairs++)) continue;
      CAPTURE(info.name, sample.name, bounded);
      RunRequest request = test::workedRequest(briefly(info));
      request.timeLimit = 0.01;
      request.alias = {};
      request.alignment.reset();
      // A bare problem spills only into an L3 that was asked for.
      if (bounded) {
        request.l2 = {};
        request.l3 = {.kind = PoolSize::Kind::bytes, .bytes = Bytes(std::int64_t{1} << 30)};
      }
      const auto run = test::mustRun(model, request);
      CHECK(validate(run->problem, run->plan).empty());
      CHECK(run->storage.unsized.empty());
      // The one that never reuses may need more than a gigabyte.
      if (info.name == "none" && bounded) continue;
      // A search with so little time may well be stopped; it has a plan all the same.
      const bool stopped = info.isSearch && run->plan.status == PlanStatus::stopped;
      CHECK((stopped || run->plan.status == PlanStatus::complete ||
             run->plan.status == PlanStatus::optimal));
    }
  }
}

}  // namespace hw
