#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <sstream>

#include "core/families/family.h"
#include "core/import/importer.h"
#include "core/plan/metrics.h"
#include "core/plan_file/plan_writer.h"
#include "core/report/model/graph_writer.h"
#include "core/schedule/schedule.h"
#include "tests/support/must.h"
#include "tests/support/printers.h"
#include "tests/support/problems.h"
#include "tests/support/synthetic_problems.h"

using namespace hw;

namespace {

std::vector<const FamilyInfo*> familiesOf(bool graphs) {
  std::vector<const FamilyInfo*> rows;
  for (const FamilyInfo& info : familyCatalog()) {
    if ((info.graph != nullptr) == graphs) rows.push_back(&info);
  }
  return rows;
}

std::string csvOf(const Problem& problem) {
  std::ostringstream out;
  writeProblem(problem, out);
  return out.str();
}

Result<Problem> made(const std::string& text) {
  HW_TRY(choice, FamilyChoice::parse(text));
  HW_TRY(problem, choice.info->problem(choice.params));
  return problem.problem;
}

bool takes(const FamilyInfo& info, std::string_view param) {
  return std::ranges::count(info.params, param, &ParamSpec::name) > 0;
}

}  // namespace

TEST_CASE("every family makes as many buffers as asked, always the same", "[families]") {
  for (const FamilyInfo* info : familiesOf(false)) {
    for (const int buffers : {1, 2, 7, 300}) {
      const std::string text = fmt::format("{}:buffers={},seed=5", info->name, buffers);
      CAPTURE(text);
      const Problem problem = generateProblem(text).problem;
      CHECK(problem.stays.size() == static_cast<std::size_t>(buffers));
      CHECK(csvOf(problem) == csvOf(generateProblem(text).problem));
      Step end;
      for (const Stay& stay : problem.stays) {
        CHECK(stay.size > Bytes());
        CHECK(stay.steps.begin < stay.steps.end);
        CHECK(stay.steps.begin >= Step());
        end = std::max(end, stay.steps.end);
      }
      CHECK(problem.steps == end);
    }
    const std::string one = fmt::format("{}:buffers=200,seed=1", info->name);
    const std::string other = fmt::format("{}:buffers=200,seed=2", info->name);
    CHECK(csvOf(generateProblem(one).problem) != csvOf(generateProblem(other).problem));
  }
}

TEST_CASE("what is cut from a pool fills every step of it", "[families]") {
  for (const char* family : {"guillotine", "spirals"}) {
    for (const char* sizes : {"any", "multiples", "powers"}) {
      for (int seed = 1; seed <= 6; ++seed) {
        const std::string text =
            fmt::format("{}:buffers=150,height=1000KiB,cuts={},sizes={},seed={}", family,
                        seed % 2 == 0 ? "anywhere" : "middle", sizes, seed);
        CAPTURE(text);
        const GeneratedProblem cut = generateProblem(text);
        REQUIRE(cut.fits);
        CHECK(*cut.fits ==
              (std::string_view(sizes) == "powers" ? Bytes(512 << 10) : Bytes(1000 << 10)));
        const StepFunction live = liveBytes(cut.problem, PoolId(0));
        for (const auto& piece : live.pieces) {
          CHECK(piece.value == (piece.from == cut.problem.steps ? Bytes() : *cut.fits));
        }
      }
    }
  }
}

TEST_CASE("sizes are of the kind that was asked for", "[families]") {
  for (const FamilyInfo* info : familiesOf(false)) {
    if (!takes(*info, "sizes")) continue;
    for (const char* sizes : {"multiples", "powers"}) {
      const std::string text = fmt::format("{}:buffers=250,sizes={}", info->name, sizes);
      CAPTURE(text);
      for (const Stay& stay : generateProblem(text).problem.stays) {
        const auto size = static_cast<std::uint64_t>(stay.size.count());
        CHECK((std::string_view(sizes) == "powers" ? std::has_single_bit(size) : size % 64 == 0));
      }
    }
  }
}

TEST_CASE("what is taken out of a cut pool leaves as many as asked", "[families]") {
  const GeneratedProblem full = generateProblem("spirals:buffers=100");
  const GeneratedProblem less = generateProblem("spirals:buffers=100,out=10");
  CHECK(less.problem.stays.size() == 100);
  CHECK(less.fits == full.fits);
  const auto area = [](const Problem& problem) {
    std::int64_t sum = 0;
    for (const Stay& stay : problem.stays) sum += stay.size.count() * stay.steps.length().count();
    return sum;
  };
  CHECK(area(full.problem) == full.fits->count() * full.problem.steps.count());
  CHECK(area(less.problem) < less.fits->count() * less.problem.steps.count());
}

TEST_CASE("no cut goes through a spiral", "[families]") {
  // Of five pieces around a middle, no step but the first begins or ends them all.
  int whole = 0;
  for (int seed = 1; seed <= 20; ++seed) {
    const Problem problem = generateProblem(fmt::format("spirals:buffers=5,seed={}", seed)).problem;
    std::map<Step, int> crossing;
    for (const Stay& stay : problem.stays) {
      for (Step step = stay.steps.begin + Step(1); step < stay.steps.end; step += Step(1)) {
        ++crossing[step];
      }
    }
    bool through = false;
    for (Step step(1); step < problem.steps; step += Step(1)) through |= crossing[step] == 0;
    whole += through ? 0 : 1;
  }
  CHECK(whole >= 5);
}

TEST_CASE("retold, a problem has the same bytes live, in other words", "[families]") {
  const Problem problem =
      test::randomProblem(9, {.stays = 60, .alignedPercent = 30, .gapPercent = 40});
  const StepFunction before = liveBytes(problem, PoolId(0));
  for (const RowOrder rows : {RowOrder::given, RowOrder::reversed, RowOrder::shuffled}) {
    for (const bool backwards : {false, true}) {
      CAPTURE(static_cast<int>(rows), backwards);
      const Problem told = retold(problem, {.rows = rows, .backwards = backwards, .seed = 4});
      CHECK(told.stays.size() == problem.stays.size());
      CHECK(told.gaps.size() == problem.gaps.size());
      CHECK(lowerBound(told) == lowerBound(problem));
      const Problem back = retold(told, {.backwards = backwards});
      const StepFunction after = liveBytes(back, PoolId(0));
      REQUIRE(after.pieces.size() == before.pieces.size());
      for (std::size_t i = 0; i < after.pieces.size(); ++i) {
        CHECK(after.pieces[i].from == before.pieces[i].from);
        CHECK(after.pieces[i].value == before.pieces[i].value);
      }
    }
  }
  CHECK(csvOf(retold(problem, {.rows = RowOrder::shuffled})) != csvOf(problem));
  CHECK(csvOf(retold(retold(problem, {.rows = RowOrder::reversed}),
                     {.rows = RowOrder::reversed})) == csvOf(problem));
}

TEST_CASE("a problem is read as it was written, with comments before it", "[families]") {
  const Problem problem = generateProblem("mixed:buffers=120,seed=3").problem;
  const std::string text = "# made by a rule\n#, with \"odd\" words\n" + csvOf(problem);
  const auto model = test::must(importModel(text, "made.csv", {}));
  REQUIRE(model.problem);
  CHECK(csvOf(*model.problem) == csvOf(problem));
}

TEST_CASE("every graph family holds together, and is read as it was written", "[families]") {
  for (const FamilyInfo* info : familiesOf(true)) {
    for (const char* more : {"blocks=1,side=1,channels=1", "blocks=3,side=17,channels=5", "",
                             "blocks=12,side=32,seed=8,type=int8"}) {
      const std::string text = fmt::format("{}:{}", info->name, more);
      CAPTURE(text);
      const auto choice = test::must(FamilyChoice::parse(text));
      const auto graph = test::must(choice.info->graph(choice.params));
      CHECK(graph.outputs.size() == 1);
      for (const Tensor& tensor : graph.tensors) CHECK(tensor.bytes > Bytes());
      std::ostringstream out;
      writeGraphJson(graph, out);
      const auto again = test::must(importModel(out.str(), "made.graph.json", {}));
      // What the rules of the operators make of the shapes is what the family says.
      REQUIRE(again.graph->tensors.size() == graph.tensors.size());
      for (const TensorId id : graph.tensors.keys()) {
        CHECK(again.graph->tensors[id].shape == graph.tensors[id].shape);
        CHECK(again.graph->tensors[id].bytes == graph.tensors[id].bytes);
      }
    }
  }
}

TEST_CASE("families refuse what cannot be", "[families]") {
  const auto said = [](const std::string& text) { return test::mustFail(made(text)).message; };
  CHECK_THAT(said("guillotin"), Catch::Contains("did you mean 'guillotine'?"));
  CHECK_THAT(said("spirals:seeds=3"), Catch::Contains("it takes buffers, out, height"));
  CHECK_THAT(said("chain:buffers=0"), Catch::Contains("a whole number between 1 and"));
  CHECK_THAT(said("guillotine:buffers=100,steps=2,height=3"),
             Catch::Contains("cannot be cut into 100 pieces"));
  CHECK_THAT(said("guillotine:height=1000000GiB"), Catch::Contains("at most 4294967296 bytes"));
  CHECK_THAT(said("guillotine:height=0"), Catch::Contains("cannot be cut"));
}

TEST_CASE("the kinds of any size are what they are called", "[families]") {
  const std::size_t count = GENERATE(std::size_t{1}, std::size_t{7}, std::size_t{3'000});
  const std::uint64_t seed = GENERATE(range(std::uint64_t{1}, std::uint64_t{6}));
  CAPTURE(count, seed);
  for (const Stay& stay : test::randProblem(count, seed).stays) {
    CHECK((stay.size >= Bytes(64) && stay.size < Bytes(1 << 20)));
  }
  std::set<Bytes> sizes;
  for (const Stay& stay : test::inferProblem(count, seed).stays) {
    sizes.insert(stay.size);
    CHECK(stay.steps.length() <= Step(3));
  }
  CHECK(sizes.size() <= 32);
  for (const auto& piece : liveBytes(test::tileProblem(count, seed), PoolId(0)).pieces) {
    CHECK((piece.value == Bytes() || piece.value == Bytes(64 << 20)));
  }
}
