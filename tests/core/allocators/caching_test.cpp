#include "core/allocators/catalog.h"
#include "core/plan/metrics.h"
#include "core/plan/validate.h"
#include "tests/support/must.h"
#include "tests/support/printers.h"
#include "tests/support/problems.h"

using namespace hw;
using namespace hw::literals;

namespace {

Plan cached(const Problem& problem, const std::string& options = "") {
  const auto choice = test::must(AllocatorChoice::parse("caching" + options));
  const auto plan = test::must(choice.make()->plan(problem, {}));
  REQUIRE(validate(problem, plan).empty());
  return plan;
}

/// The bytes of each segment.
std::vector<std::int64_t> segments(const Plan& plan) {
  std::vector<std::int64_t> bytes;
  for (const MethodTable& table : plan.tables) {
    for (const auto& row : table.rows) bytes.push_back(std::get<Bytes>(row.back()).count());
  }
  return bytes;
}

/// So many cycles: two large buffers that are released, and a small one that stays.
Problem fragmented(int cycles) {
  constexpr std::int64_t kMiB = 1 << 20;
  const std::int64_t end = 5 * cycles + 1;
  Problem problem = test::problemOf({{64 * kMiB, 0, end}});
  const auto add = [&](std::int64_t size, std::int64_t begin, std::int64_t until) {
    problem.stays.add({.buffer = BufferId(problem.stays.size()),
                       .steps = {Step(begin), Step(until)},
                       .size = Bytes(size)});
  };
  for (std::int64_t at = 1; at < end; at += 5) {
    add(91 * kMiB, at, at + 3);
    add(91 * kMiB / 2, at + 1, at + 4);
    add(2 * kMiB, at + 2, end);
  }
  return problem;
}

}  // namespace

TEST_CASE("segments have the sizes that the device is asked for", "[caching]") {
  // Small ones share 2 MiB, middle ones 20 MiB, large ones have as many times 2 MiB as they need.
  const Problem small = test::problemOf({{1, 0, 1}, {1 << 20, 0, 1}, {1 << 20, 0, 1}});
  CHECK(segments(cached(small)) == std::vector<std::int64_t>{2 << 20, 2 << 20});
  const Problem middle = test::problemOf({{(1 << 20) + 1, 0, 1}, {9 << 20, 0, 1}, {9 << 20, 0, 1}});
  CHECK(segments(cached(middle)) == std::vector<std::int64_t>{20 << 20});
  const Problem large = test::problemOf({{(10 << 20) + 1, 0, 1}});
  CHECK(segments(cached(large)) == std::vector<std::int64_t>{12 << 20});
}

TEST_CASE("a free block that is large enough to be kept serves no small request", "[caching]") {
  const Problem problem = test::problemOf({{200 << 20, 0, 1}, {30 << 20, 1, 2}});
  CHECK(segments(cached(problem)).size() == 1);
  CHECK(segments(cached(problem, ":split=128MiB")).size() == 2);
  // A large request takes a block that is less than 20 MiB larger.
  const Problem close = test::problemOf({{200 << 20, 0, 1}, {190 << 20, 1, 2}});
  CHECK(segments(cached(close, ":split=128MiB")).size() == 1);
  const Problem far = test::problemOf({{200 << 20, 0, 1}, {180 << 20, 1, 2}});
  CHECK(segments(cached(far, ":split=128MiB")).size() == 2);
}

TEST_CASE("what is reserved grows with every cycle where merged blocks are kept", "[caching]") {
  // pytorch/pytorch issue 123548: 14,060 MiB in the end, of which 402.5 MiB are live at most.
  const Problem problem = fragmented(101);
  const Plan plan = cached(problem, ":split=128MiB,expandable=true");
  CHECK(segments(plan) == std::vector<std::int64_t>{std::int64_t{14'060} << 20});
  CHECK(lowerBound(problem) == Bytes((805LL << 20) / 2));
  // Without the limit the merged block serves again: what stays comes to lie behind it.
  const Plan reusing = cached(problem, ":expandable=true");
  CHECK(segments(reusing) == std::vector<std::int64_t>{std::int64_t{420} << 20});
}

TEST_CASE("the device has no more than its capacity", "[caching]") {
  Problem problem = test::problemOf({{8 << 20, 0, 1}, {15 << 20, 0, 1}});
  problem.pools[PoolId(0)].capacity = 30_MiB;
  const Plan plan = cached(problem);
  REQUIRE(plan.outOfMemory);
  CHECK(plan.outOfMemory->stay == StayId(1));
}
