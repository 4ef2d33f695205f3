#include "core/run/uses.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/support/graphs.h"
#include "tests/support/rounds.h"

namespace hw {

namespace {

/// Goes from the end of a stay to the last step at which its buffer is written or read; -1: none.
std::int64_t lastUseOf(const Run& run, StayId id) {
  const Stay& stay = run.problem.stays[id];
  for (Step step = stay.steps.end - Step(1); step >= stay.steps.begin; step -= Step(1)) {
    const OpId op = run.schedule.opAt(step);
    if (run.graph().ops[op].folded) continue;
    for (const TensorId tensor : run.storage.tensorsOf(stay.buffer)) {
      const Tensor& own = run.graph().tensors[tensor];
      if (own.producer == op || std::ranges::count(own.consumers, op) > 0) return step.count();
    }
  }
  return -1;
}

}  // namespace

TEST_CASE("the last use of a buffer is where nobody touches it any more", "[uses]") {
  int late = 0;
  for (std::uint64_t round = 0; round < test::rounds(60); ++round) {
    CAPTURE(round);
    // Buffers that move keep their bytes for whole stays, those of concats for all their parts.
    const auto run =
        test::runGraph(test::randomGraph(round, 30),
                       {.alias = AliasRules::all(), .l2 = 600, .residency = ResidencyRule::belady});
    const Uses uses(*run);
    for (const StayId stay : run->problem.stays.keys()) {
      CAPTURE(stay.index());
      const std::int64_t last = lastUseOf(*run, stay);
      CHECK(uses.lastUse(stay).value_or(Step(-1)) == Step(last));
    }
    const std::vector<LateFree> all = lateFrees(*run);
    double before = 1e30;
    for (const LateFree& each : all) {
      const Stay& stay = run->problem.stays[each.stay];
      CHECK(each.steps == (stay.steps.end - Step(1)).count() - lastUseOf(*run, each.stay));
      CHECK(each.steps > 0);
      CHECK_FALSE(stay.outlives);
      const double cost = static_cast<double>(stay.size.count() * each.steps);
      CHECK(cost <= before);
      before = cost;
      ++late;
    }
  }
  CHECK(late >= test::atLeast(20));
}

}  // namespace hw
