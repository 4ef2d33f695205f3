#include "core/base/task_queue.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <stdexcept>
#include <vector>

using namespace hw;

TEST_CASE("a queue does every task once", "[tasks]") {
  const int threads = GENERATE(0, 1, 2, 7, 300);
  std::vector<int> done(200);
  runTasks(done.size(), threads, [&](std::size_t task) { ++done[task]; });
  CHECK(done == std::vector<int>(200, 1));
  runTasks(0, threads, [](std::size_t) { FAIL("a task that nobody asked for"); });
}

TEST_CASE("what a task throws comes through, and nothing is begun behind it", "[tasks]") {
  const int threads = GENERATE(1, 4);
  std::atomic<int> begun = 0;
  const auto work = [&](std::size_t task) {
    ++begun;
    if (task >= 2) throw std::runtime_error(std::to_string(task));
  };
  CHECK_THROWS_WITH(runTasks(100, threads, work), "2");
  CHECK(begun < 100);
}
