#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "tests/support/corpus.h"
#include "tests/support/rounds.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/tflite/drawn_operators.h"
#include "tests/support/tflite/part_models.h"
#include "tests/support/tflite_interpreter.h"

namespace hw::test::tfl {
namespace {

namespace fs = std::filesystem;

/// Program that runs TFLite files with tflite-micro (docs/formats/tflite.md), with a folder for
/// its files.
class Runtime {
 public:
  /// False, with a warning, where no program is named.
  static bool isThere() {
    if (std::getenv("HIGHWATER_TFLM_RUN") != nullptr) return true;
    WARN("skipped: no tflite-micro to run (set HIGHWATER_TFLM_RUN to a program)");
    return false;
  }

  /// Outputs of all operators, in the order in which they ran; none where the file does not run.
  std::vector<StepOutput> run(const fs::path& file, std::uint64_t seed) const {
    const fs::path dump = folder_ / "dump";
    fs::remove(dump);
    const std::string line = std::string(std::getenv("HIGHWATER_TFLM_RUN")) + " '" + file.string() +
                             "' --seed " + std::to_string(seed) + " --arena 8000000 --dump '" +
                             dump.string() + "' > '" + (folder_ / "printed").string() + "' 2>&1";
    if (std::system(line.c_str()) != 0) return {};
    return stepsIn(contentOf(dump));
  }

  std::vector<StepOutput> run(const std::string& model, std::uint64_t seed) const {
    const fs::path file = folder_ / "model.tflite";
    std::ofstream(file, std::ios::binary) << model;
    return run(file, seed);
  }

  std::string printed() const { return contentOf(folder_ / "printed"); }

  static std::string contentOf(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

 private:
  static std::vector<StepOutput> stepsIn(const std::string& dump) {
    std::vector<StepOutput> steps;
    for (std::size_t at = 0; at < dump.size();) {
      std::uint32_t head[4];
      REQUIRE(dump.size() - at >= sizeof head);
      std::memcpy(head, dump.data() + at, sizeof head);
      at += sizeof head;
      REQUIRE(dump.size() - at >= head[3]);
      const auto bytes = std::as_bytes(std::span(dump)).subspan(at, head[3]);
      steps.push_back({static_cast<int>(head[0]),
                       static_cast<int>(head[1]),
                       static_cast<int>(head[2]),
                       {bytes.begin(), bytes.end()}});
      at += head[3];
    }
    return steps;
  }

  ScratchFolder folder_;
};

/// Erases what the body of a loop left in an output that is not complete before its last turn: rows
/// that nobody has written yet hold anything.
void eraseUpdates(std::vector<StepOutput>& steps) {
  const auto isUpdate = [](const StepOutput& step) { return step.subgraph == 2 && step.op == 2; };
  const auto last = std::find_if(steps.rbegin(), steps.rend(), isUpdate);
  if (last == steps.rend()) return;
  const auto end = last.base() - 1;
  steps.erase(std::remove_if(steps.begin(), end, isUpdate), end);
}

/// First step whose place or bytes differ; empty where all are equal.
std::string firstDifferentStep(const std::vector<StepOutput>& ours,
                               const std::vector<StepOutput>& theirs) {
  for (std::size_t i = 0; i < std::min(ours.size(), theirs.size()); ++i) {
    const StepOutput& a = ours[i];
    const StepOutput& b = theirs[i];
    const bool same = a.subgraph == b.subgraph && a.op == b.op && a.tensor == b.tensor;
    if (!same || a.bytes != b.bytes) {
      return "step " + std::to_string(i) + ", operator " + std::to_string(a.op);
    }
  }
  return ours.size() == theirs.size() ? "" : "another number of steps";
}

}  // namespace

TEST_CASE("the judge has all bits of a real runtime on drawn operators", "[judge][exchange]") {
  if (!Runtime::isThere()) return;
  const Runtime runtime;
  const int kind = GENERATE(range(0, drawnKinds()));
  const bool overlapping = GENERATE(false, true);
  int ran = 0;
  for (std::uint64_t seed = 1; seed <= rounds(12); ++seed) {
    CAPTURE(kind, overlapping, seed);
    const std::string file = tfliteBytes(drawnOperator(kind, seed, overlapping));
    const std::vector<StepOutput> theirs = runtime.run(file, seed);
    const auto ours = runTflite(std::as_bytes(std::span(file)), seed);
    CAPTURE(runtime.printed());
    if (!ours) {
      CHECK(ours.error() == "");
      continue;
    }
    if (theirs.empty()) continue;
    ++ran;
    CHECK(firstDifferentStep(ours->steps, theirs) == "");
  }
  CAPTURE(kind, overlapping);
  CHECK(ran >= atLeast(10));
}

TEST_CASE("the judge has all bits of a real runtime on parts and loops", "[judge][exchange]") {
  if (!Runtime::isThere()) return;
  const Runtime runtime;
  for (const TfliteText& model : {wholeChain(), twoParts(0), twoParts(-8), loopOfParts()}) {
    const std::string file = tfliteBytes(model);
    std::vector<StepOutput> theirs = runtime.run(file, 3);
    auto ours = runTflite(std::as_bytes(std::span(file)), 3);
    CAPTURE(runtime.printed());
    REQUIRE(ours.has_value());
    eraseUpdates(ours->steps);
    eraseUpdates(theirs);
    CHECK(firstDifferentStep(ours->steps, theirs) == "");
    if (ours->headBytes == 0) continue;
    const std::string head = "\"head_bytes\": " + std::to_string(ours->headBytes) + ",";
    CHECK_THAT(runtime.printed(), Catch::Contains(head));
  }
}

TEST_CASE("the judge has all bits of a real runtime on real models", "[judge][exchange][corpus]") {
  if (!Runtime::isThere()) return;
  const Runtime runtime;
  int ran = 0;
  for (const fs::path& file : corpusFiles("tflite", "", ".tflite")) {
    CAPTURE(file.filename().string());
    const std::string content = Runtime::contentOf(file);
    const auto ours = runTflite(std::as_bytes(std::span(content)), 7);
    if (!ours) continue;
    const std::vector<StepOutput> theirs = runtime.run(file, 7);
    if (theirs.empty()) continue;
    ++ran;
    CHECK(firstDifferentStep(ours->steps, theirs) == "");
  }
  CHECK(ran >= 10);
}

}  // namespace hw::test::tfl
