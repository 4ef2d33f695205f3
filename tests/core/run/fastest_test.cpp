#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "core/sim/cost_model.h"
#include "core/study/compare.h"
#include "tests/support/machine_draw.h"
#include "tests/support/rounds.h"

using namespace hw;

namespace {

std::vector<AllocatorChoice> allOneDevice(const std::string& more) {
  std::string names;
  for (const AllocatorInfo& info : allocatorCatalog()) {
    if (info.way == Way::direct) names += std::string(info.name) + ",";
  }
  return parseAllocators(names + more).value();
}

/// Every other one with concats, splits and reshapes.
std::shared_ptr<const Model> drawnModel(std::uint64_t seed, test::MachineDraw& draw) {
  return test::modelOf(seed % 2 == 0 ? draw.graph() : test::randomGraph(seed, 3 + seed % 11));
}

}  // namespace

TEST_CASE("no allocator is faster than the bound of the order of any other",
          "[latency][bound][property]") {
  const auto choices = allOneDevice("partition,partition:allocator=idle-longest");
  std::size_t near = 0;
  for (const std::uint64_t seed : test::Seeds(400)) {
    test::MachineDraw draw(seed);
    const auto model = drawnModel(seed, draw);
    const RunRequest request = draw.request();
    const Comparison compared = compareAllocators(model, request, choices, {});
    // A run over several devices is another task, and whoever leaves inputs out has less to do.
    for (const Way way : {Way::direct, Way::perDevice}) {
      std::optional<SimTime> bound;
      SimTime least = kMaxTime;
      for (const ComparisonRow& row : compared.rows) {
        if (!row.fits() || row.allocator.info->way != way) continue;
        if (row.figures.inputsOutside > Bytes() || !row.figures.latency) continue;
        CAPTURE(row.allocator.text());
        bound = std::max(bound.value_or(SimTime()), *row.figures.latencyBound);
        least = std::min(least, *row.figures.latency);
        CHECK(*bound <= least);
      }
      if (bound && 4 * (least - *bound).count() <= bound->count()) ++near;
    }
  }
  CHECK(near > test::rounds(80));
}

TEST_CASE("no allocator is faster than the search for the least latency", "[latency][property]") {
  const auto choices = allOneDevice("best:for=latency,nodes=300");
  int otherStays = 0;
  for (const std::uint64_t seed : test::Seeds(120)) {
    test::MachineDraw draw(seed);
    const auto model = drawnModel(seed, draw);
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
