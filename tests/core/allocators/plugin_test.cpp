// Allocators from shared libraries: one that works, and every way in which one may not.
#include "core/allocators/plugin.h"

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <thread>

#include "core/plan/validate.h"
#include "tests/support/must.h"
#include "tests/support/problems.h"

using namespace hw;

namespace {

Result<Plan> planBy(const std::string& file, const Problem& problem, double seconds = 20) {
  setenv("HIGHWATER_PLUGIN_HOST", HIGHWATER_HOST, 1);
  const auto choice = test::must(AllocatorChoice::parse("plugin:" + file));
  return choice.make()->plan(problem, {.timeLimit = seconds});
}

std::string complaintOf(const std::string& behaviour, double seconds = 20) {
  const Problem problem = test::randomProblem(1, {.stays = 20});
  const auto plan = planBy(HIGHWATER_BAD_PLUGINS + behaviour + ".so", problem, seconds);
  return plan ? "no complaint" : plan.error().message;
}

}  // namespace

TEST_CASE("the sample plugin plans like any allocator", "[plugin]") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    CAPTURE(seed);
    const Problem problem = test::randomProblem(seed, {.stays = 60});
    const auto plan = test::must(planBy(HIGHWATER_SAMPLE_PLUGIN, problem));
    CHECK(validate(problem, plan).empty());
    CHECK_FALSE(plan.story.empty());
  }
}

TEST_CASE("what a plugin prints does not get into its answer", "[plugin]") {
  CHECK(planBy(HIGHWATER_BAD_PLUGINS "chatty.so", test::randomProblem(3, {.stays = 20})));
}

TEST_CASE("a plugin that misbehaves costs its own answer only", "[plugin]") {
  CHECK_THAT(complaintOf("crash"), Catch::Contains("it crashed"));
  CHECK_THAT(complaintOf("hang", 0.3), Catch::Contains("no answer within 0.3 s"));
  CHECK_THAT(complaintOf("overlap"), Catch::Contains("its plan is wrong"));
  CHECK_THAT(complaintOf("negative"), Catch::Contains("has offset -1"));
  CHECK_THAT(complaintOf("fail"), Catch::Contains("it found no plan"));
  CHECK_THAT(complaintOf("old"), Catch::Contains("version 1"));
  CHECK_THAT(complaintOf("spam"), Catch::Contains("File size limit exceeded"));
}

TEST_CASE("a plugin that is ended takes what it started along", "[plugin]") {
  const std::string file = (std::filesystem::temp_directory_path() /
                            ("highwater-plugin-test-" + std::to_string(getpid())))
                               .string();
  setenv("HIGHWATER_TEST_CHILD", file.c_str(), 1);
  setenv("HIGHWATER_PLUGIN_HOST", HIGHWATER_HOST, 1);
  const auto choice =
      test::must(AllocatorChoice::parse("plugin:" HIGHWATER_BAD_PLUGINS "escape.so"));
  std::stop_source stop;
  auto planning = std::async(std::launch::async, [&] {
    return choice.make()->plan(test::randomProblem(1, {.stays = 5}),
                               {.stop = stop.get_token(), .timeLimit = 600});
  });
  pid_t child = 0;
  while (!(std::ifstream(file) >> child)) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  CHECK(kill(child, 0) == 0);
  stop.request_stop();
  CHECK(planning.get().error().code == ErrorCode::stopped);
  CHECK(kill(child, 0) != 0);
  std::filesystem::remove(file);
}

TEST_CASE("plug-ins are found among allocators wherever they stand", "[plugin]") {
  for (const char* list : {"plugin:a.so", "best, plugin:a.so", "fast:moves=1,plugin :a=1.so"}) {
    CAPTURE(list);
    REQUIRE_FALSE(checkPlugins(list, Plugins::refuse));
    CHECK_THAT(checkPlugins(list, Plugins::refuse).error().message,
               Catch::Contains("--plugins allow"));
    CHECK(checkPlugins(list, Plugins::allow));
  }
  CHECK(checkPlugins("best,fast:moves=1,none", Plugins::refuse));
}

TEST_CASE("a plugin that is not there, or is none, is refused", "[plugin]") {
  CHECK_FALSE(AllocatorChoice::parse("plugin:/no/such/file.so").has_value());
  CHECK(test::mustFail(planBy(HIGHWATER_HOST, test::randomProblem(1, {.stays = 5})))
            .message.find("plugin") == 0);
}
