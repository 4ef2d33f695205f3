#include "core/run/choice/fastest.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "core/machine/platforms.h"
#include "core/study/compare.h"
#include "tests/support/graphs.h"
#include "tests/support/problems.h"
#include "tests/support/rounds.h"

using namespace hw;

namespace {

/// Draws small networks, small machines and options, in which nearly everything happens: near
/// memories that are slower than far ones, loads that are not worth their while, plans that exceed
/// their memory until less is near.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : dice_(seed) {}

  Graph graph() {
    test::DrawnGraph drawn;
    const std::int64_t inputs = dice_.roll(1, 2);
    for (std::int64_t i = 0; i < inputs; ++i) drawn.inputs.push_back(tensor(drawn, "x"));
    names_ = drawn.inputs;
    const std::int64_t ops = dice_.roll(3, 10);
    for (std::int64_t i = 0; i < ops; ++i) {
      std::string reads = recent();
      if (dice_.chance(40)) reads += ", " + names_[roll(names_.size())];
      if (dice_.chance(60)) {
        drawn.constants.push_back(tensor(drawn, "w"));
        reads += ", " + drawn.constants.back();
      }
      const std::string made = tensor(drawn, "t");
      const char* type = dice_.chance(50) ? "Conv" : "Custom";
      drawn.ops.push_back(fmt::format("{} {} -> {}", type, reads, made));
      names_.push_back(made);
    }
    drawn.outputs = {names_.back()};
    if (dice_.chance(40)) drawn.outputs.push_back(names_[names_.size() - 2]);
    return test::drawnGraph(drawn);
  }

  Platform platform() {
    const std::string text = fmt::format(
        R"(name = "drawn"
contention = "{}"
[[device]]
name = "A"
ops = ["*"]
issue = "{}"
{}{}[[device.dma]]
name = "dma0"
moves = {}
channels = {}
setup = "{}ns"
{}[[device.unit]]
name = "mac"
ops = ["Conv"]
clock = "1GHz"
elements_per_cycle = {}
count = {}
[[device.unit]]
name = "rest"
ops = ["*"]
clock = "1GHz"
elements_per_cycle = {}
)",
        any({"proportional", "fair", "none"}), any({"parallel", "parallel", "in-order"}),
        pool("L1", std::to_string(dice_.roll(40, 400))), pool("L2", R"("1GiB")"),
        any({R"(["L2>L1", "L1>L2"])", R"(["L2>L1"])"}), dice_.roll(1, 2), any({"0", "10", "100"}),
        dice_.chance(30) ? "bandwidth = \"1GB/s\"\n" : "", dice_.roll(1, 8), dice_.roll(1, 2),
        dice_.roll(1, 8));
    auto read = parsePlatform(text);
    INFO(text);
    REQUIRE(read);
    return *read;
  }

  RunRequest request() {
    RunRequest request{.allocator = AllocatorChoice::parse("best").value(),
                       .platform = platform(),
                       .alignment = Bytes(dice_.chance(50) ? 1 : 8)};
    const ResidencyRule rules[] = {ResidencyRule::wholeLife, ResidencyRule::wholeLife,
                                   ResidencyRule::layer,     ResidencyRule::lru,
                                   ResidencyRule::belady,    ResidencyRule::cost};
    request.residency = rules[roll(std::size(rules))];
    const WeightRule weights[] = {WeightRule::stream, WeightRule::prefetch, WeightRule::prefetch,
                                  WeightRule::resident, WeightRule::free};
    request.weights = {.rule = weights[roll(std::size(weights))], .ahead = dice_.roll(1, 2)};
    request.planInputs = dice_.chance(80);
    request.planOutputs = dice_.chance(80);
    request.loadInputs = request.planInputs && dice_.chance(50);
    request.storeOutputs = request.planOutputs && dice_.chance(30);
    return request;
  }

 private:
  std::size_t roll(std::size_t count) {
    return static_cast<std::size_t>(dice_.roll(0, static_cast<std::int64_t>(count) - 1));
  }
  std::string recent() {
    return names_[names_.size() - 1 - roll(std::min<std::size_t>(names_.size(), 3))];
  }
  std::string any(std::vector<std::string> words) { return words[roll(words.size())]; }

  std::string tensor(test::DrawnGraph& drawn, const std::string& prefix) {
    const std::string name = prefix + std::to_string(drawn.tensors.size());
    drawn.tensors.push_back({name, dice_.roll(4, 120)});
    return name;
  }

  std::string pool(const std::string& name, const std::string& capacity) {
    return fmt::format(
        "[[device.pool]]\nname = \"{}\"\ncapacity = {}\nread = \"{}GB/s\"\nwrite = \"{}GB/s\"\n"
        "duplex = \"{}\"\nlatency = \"{}ns\"\n",
        name, capacity, any({"0.25", "1", "4"}), any({"0.25", "1", "4"}), any({"full", "half"}),
        any({"0", "5", "20"}));
  }

  test::Dice dice_;
  std::vector<std::string> names_;
};

}  // namespace

TEST_CASE("no allocator is faster than the search for the least latency", "[latency][property]") {
  std::string names;
  for (const AllocatorInfo& info : allocatorCatalog()) {
    if (info.way == Way::direct) names += std::string(info.name) + ",";
  }
  const auto choices = parseAllocators(names + "best:for=latency,nodes=300").value();
  int otherStays = 0;
  for (std::uint64_t seed = 1; seed <= test::rounds(120); ++seed) {
    CAPTURE(seed);
    Draw draw(seed);
    const auto model = test::modelOf(draw.graph());
    const RunRequest request = draw.request();
    const Comparison compared = compareAllocators(model, request, choices, {});
    std::optional<SimTime> least;
    for (const ComparisonRow& row : compared.rows) {
      if (row.allocator.text().starts_with("best:for=latency") && row.fits()) {
        least = row.figures.latency;
        for (const std::string& note : row.run->plan.notes) {
          otherStays += note.find("the stays and moves are those of") != std::string::npos ? 1 : 0;
        }
      }
    }
    for (const ComparisonRow& row : compared.rows) {
      // Who leaves graph inputs out has less to do.
      if (!row.fits() || row.figures.inputsOutside > Bytes()) continue;
      CAPTURE(row.allocator.text());
      REQUIRE(least);
      CHECK(*least <= *row.figures.latency);
    }
  }
  CHECK(otherStays > 0);
}
