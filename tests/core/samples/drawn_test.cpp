// Figures open as they were drawn: samples bring options of a run.

#include <algorithm>

#include "core/check/replay.h"
#include "core/import/samples.h"
#include "core/machine/platforms.h"
#include "core/plan/validate.h"
#include "core/run/options.h"
#include "core/run/run.h"
#include "tests/support/must.h"

namespace hw {
namespace {

using namespace hw::literals;

std::shared_ptr<const Run> drawn(const std::string& name, OptionTexts said = {}) {
  auto model = test::must(openModel("samples:" + name, {}));
  const auto request = test::must(asDrawn(model, std::move(said), defaultRequest(), "--"));
  return test::must(execute(std::make_shared<const Model>(std::move(model)), request, {}));
}

/// The entries of a kind, as "name size of before".
std::vector<std::string> entriesOf(const Run& run, Happening happening) {
  std::vector<std::string> texts;
  for (const TimelineEntry& entry : run.timeline) {
    if (entry.happening != happening) continue;
    texts.push_back(run.stayName(entry.stay) + " " + std::to_string(entry.size.count() >> 20) +
                    " of " + std::to_string(entry.freeBefore.count() >> 20));
  }
  return texts;
}

}  // namespace

TEST_CASE("the free list's figures happen as they are drawn", "[samples][drawn]") {
  const auto split = drawn("free_list_split");
  CHECK(entriesOf(*split, Happening::split) == std::vector<std::string>{"b 10 of 16", "c 5 of 6"});
  CHECK(split->plan.footprint(PoolId(0)) == 16_MiB);
  const auto extend = drawn("free_list_extend");
  CHECK(entriesOf(*extend, Happening::extend) == std::vector<std::string>{"c 10 of 4"});
  const auto merge = drawn("free_list_merge");
  CHECK(entriesOf(*merge, Happening::merge) == std::vector<std::string>{"b 10 of 8", "d 11 of 1"});
  CHECK(entriesOf(*merge, Happening::reuse) == std::vector<std::string>{"d 10 of 10"});
  CHECK(drawn("three_sizes")->plan.footprint(PoolId(0)) == 100_B);
}

TEST_CASE("every figure opens, fits and holds byte by byte", "[samples][drawn]") {
  std::size_t figures = 0;
  for (const SampleInfo& sample : sampleCatalog()) {
    if (sample.options.empty()) continue;
    CAPTURE(sample.name);
    ++figures;
    const auto run = drawn(sample.name);
    CHECK(fits(*run));
    CHECK(validate(run->problem, run->plan).empty());
    CHECK(replayBytes(*run, Bytes(1 << 24)).empty());
    for (const auto& [name, texts] : sample.options) {
      const RunOption* option = findOption(name);
      REQUIRE(option != nullptr);
      RunRequest alone = defaultRequest();
      REQUIRE(option->read(texts, alone));
      CHECK(option->print(run->request) == option->print(alone));
    }
  }
  CHECK(figures >= 10);
}

TEST_CASE("what is said goes before what a figure asks for", "[samples][drawn]") {
  const auto greedy = drawn("free_list_split", {{"allocator", {"greedy-by-size"}}});
  CHECK(greedy->request.allocator.info->name == "greedy-by-size");
  CHECK(greedy->request.l2.kind == PoolSize::Kind::unbounded);
  // Whoever names a machine wants its memories.
  const auto small = drawn("free_list_split", {{"platform", {"gap9"}}});
  CHECK(small->request.allocator.info->name == "free-list");
  CHECK(small->request.l2.kind == PoolSize::Kind::platform);
}

TEST_CASE("a bare problem has no limits until somebody names a size or a machine",
          "[samples][drawn]") {
  auto model = test::must(openModel("samples:free_list_merge", {}));
  const auto shared = std::make_shared<const Model>(std::move(model));
  RunRequest request = defaultRequest();
  const auto capacity = [&] {
    const auto run = test::must(execute(shared, request, {}));
    return run->problem.pools[PoolId(0)].capacity;
  };
  CHECK_FALSE(capacity());
  request.l2 = {.kind = PoolSize::Kind::bytes, .bytes = 2_MiB};
  CHECK(capacity() == 2_MiB);
  request.l2 = {};
  request.platform = *findPlatform("gap9");
  CHECK(capacity() == request.platform.devices.front().pools.front().target());
}

TEST_CASE("each case of sharing is a figure without a copy", "[samples][drawn]") {
  for (const char* name : {"share_reshape", "share_concat", "share_split", "share_outputs"}) {
    CAPTURE(name);
    const auto run = drawn(name);
    CHECK(run->storage.copies.empty());
    CHECK(std::ranges::any_of(run->storage.buffers,
                              [](const Buffer& buffer) { return buffer.tensors.size() > 1; }));
  }
}

TEST_CASE("clusters hand over through the memory they share", "[samples][drawn]") {
  const auto run = drawn("clusters");
  const auto& pools = run->problem.pools;
  const auto far = std::ranges::find(pools, "L3", &ProblemPool::name);
  REQUIRE(far != pools.end());
  CHECK(run->plan.footprint(PoolId(static_cast<std::size_t>(far - pools.begin()))) == 60_B);
  CHECK(run->partition.units.size() == 4);
}

TEST_CASE("two operators run at once, one on each cluster", "[samples][drawn]") {
  const auto run = drawn("side_by_side");
  const auto& ops = run->timing.ops;
  REQUIRE(ops.size() == 4);
  CHECK(ops[1].time.overlaps(ops[2].time));
  CHECK_FALSE(ops[0].time.overlaps(ops[1].time));
  CHECK_FALSE(ops[2].time.overlaps(ops[3].time));
}

}  // namespace hw
