#include <algorithm>
#include <filesystem>

#include "core/import/importer.h"
#include "core/plan/metrics.h"
#include "core/solver/exact/exact.h"
#include "tests/support/corpus.h"
#include "tests/support/must.h"

namespace hw {
namespace {

namespace fs = std::filesystem;

Problem load(const fs::path& path) {
  const auto model = test::must(loadModel(path.string(), {}));
  REQUIRE(model.problem);
  return *model.problem;
}

}  // namespace

TEST_CASE("the hard problems fit into 1 MiB, in few nodes", "[exact][corpus]") {
  for (const fs::path& path : corpusFiles("csv", "minimalloc_", ".csv")) {
    if (path.string().find("1048576") == std::string::npos) continue;
    CAPTURE(path.filename().string());
    const ExactResult found =
        solveExact(load(path), PoolId(0), {.capacity = Bytes(1 << 20), .nodes = 150'000});
    CHECK((found.status == ExactStatus::fits || found.status == ExactStatus::optimal));
    CHECK(found.incumbent <= Bytes(1 << 20));
  }
}

TEST_CASE("six hard problems are solved to optimality, one beyond what was known",
          "[exact][corpus]") {
  for (const fs::path& path : corpusFiles("csv", "minimalloc_", ".csv")) {
    if (path.string().find("1048576") == std::string::npos) continue;
    CAPTURE(path.filename().string());
    const ExactResult found = solveExact(load(path), PoolId(0), {.nodes = 300'000});
    const char letter = path.filename().string()[std::string("minimalloc_").size()];
    if (letter == 'J') {
      CHECK(found.incumbent <= Bytes(1 << 20) + Bytes(1 << 15));
    } else {
      CHECK(found.status == ExactStatus::optimal);
    }
  }
}

TEST_CASE("every problem of the corpus is solved to the live maximum", "[exact][corpus]") {
  for (const fs::path& path : corpusFiles("problems", "", ".csv")) {
    CAPTURE(path.filename().string());
    const Problem problem = load(path);
    const ExactResult found = solveExact(problem, PoolId(0), {.nodes = 50'000});
    CHECK(found.status == ExactStatus::optimal);
    CHECK(found.incumbent == lowerBound(problem, PoolId(0)));
  }
}

}  // namespace hw
