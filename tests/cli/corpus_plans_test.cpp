#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "tests/cli/program.h"
#include "tests/support/corpus.h"
#include "tests/support/rounds.h"

namespace hw::test {
namespace {

namespace fs = std::filesystem;

std::string inQuotes(const fs::path& path) { return "'" + path.string() + "'"; }

}  // namespace

TEST_CASE("plans of real models pass two audits", "[cli][corpus]") {
  const auto corpus = corpusFolder("onnx");
  if (!corpus) return;
  const char* tools = std::getenv("HIGHWATER_TOOLS");
  const fs::path judge =
      (tools != nullptr ? fs::path(tools) : fs::path(HIGHWATER_SOURCE_DIR) / "../shared/tools") /
      "check_plan.py";
  const bool outsider = fs::exists(judge) && std::system("python3 -c pass > /dev/null 2>&1") == 0;
  if (!outsider) WARN("no independent auditor (python3 and check_plan.py in HIGHWATER_TOOLS)");
  const Shell shell;
  std::size_t planned = 0;
  std::uint64_t number = 0;
  for (const fs::path& file : filesIn(*corpus)) {
    if (!test::isTried(number++)) continue;
    CAPTURE(file.filename().string());
    const std::string model = inQuotes(file);
    const Outcome plan = shell.run("highwater plan " + model + " -q -o plan.json");
    CAPTURE(plan.err);
    CHECK((plan.exitCode == 0 || plan.exitCode == 3));
    if (plan.exitCode != 0) continue;
    ++planned;
    const Outcome check = shell.run("highwater check " + model + " plan.json");
    CAPTURE(check.err);
    CHECK(check.exitCode == 0);
    if (!outsider) continue;
    const Outcome other = shell.run("python3 " + inQuotes(judge) + " plan.json");
    CAPTURE(other.out);
    CHECK(other.exitCode == 0);
  }
  CHECK(planned > test::atLeast(50));
}

TEST_CASE("converted models are the corpus' own problems, byte for byte", "[cli][corpus]") {
  const auto corpus = corpusFolder();
  if (!corpus) return;
  const std::string name =
      GENERATE("light_bvlc_alexnet", "light_densenet121", "light_inception_v1", "light_resnet50",
               "light_squeezenet", "light_vgg19", "ort_fns_candy", "ultraface_slim_320_simplified",
               "magika_standard_v3_3", "dtln_model_1");
  CAPTURE(name);
  const Shell shell;
  const Outcome outcome = shell.run(
      "highwater convert " + inQuotes(*corpus / "onnx" / (name + ".onnx")) +
      " -o problem.csv && cmp problem.csv " + inQuotes(*corpus / "problems" / (name + ".csv")));
  CAPTURE(outcome.out, outcome.err);
  CHECK(outcome.exitCode == 0);
}

}  // namespace hw::test
