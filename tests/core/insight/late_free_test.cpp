#include <catch2/catch.hpp>

#include "core/insight/moment.h"
#include "tests/support/graphs.h"
#include "tests/support/printers.h"

using namespace hw;
using namespace hw::literals;

TEST_CASE("an output is held after its last use, a tensor in between is not", "[late_free]") {
  // out is read at step 1 too, and held to the end because it is an output.
  const auto run =
      test::runGraph(test::drawnGraph({.tensors = {{"x", 8}, {"out", 8}, {"a", 8}, {"y", 8}},
                                       .inputs = {"x"},
                                       .ops = {"Conv x -> out", "Conv out -> a", "Conv a -> y"},
                                       .outputs = {"out", "y"}}));
  const auto last = lastUses(run->problem);
  const auto of = [&](const char* name) {
    return StayId(run->storage.slots[test::tensorOf(run->graph(), name)]->buffer.index());
  };
  CHECK(last[of("x")] == 0_st);
  CHECK(last[of("out")] == 1_st);
  CHECK(run->problem.stays[of("out")].steps.end == 3_st);
  CHECK(last[of("a")] == 2_st);
  CHECK(run->problem.stays[of("a")].steps.end == 3_st);
}

TEST_CASE("nobody is late in a problem without operators", "[late_free]") {
  Problem problem;
  problem.steps = 5_st;
  problem.stays.add({.buffer = BufferId(0), .steps = {1_st, 4_st}, .size = 8_B});
  CHECK(lastUses(problem)[StayId(0)] == 3_st);
}
