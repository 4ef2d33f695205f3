// Plans out of files, on their model: played as they stand there.

#include "core/check/stated_run.h"

#include <map>
#include <sstream>

#include "core/machine/platforms.h"
#include "core/plan/validate.h"
#include "core/plan_file/plan_reader.h"
#include "core/plan_file/plan_writer.h"
#include "tests/support/graphs.h"
#include "tests/support/methods.h"
#include "tests/support/must.h"
#include "tests/support/printers.h"
#include "tests/support/problems.h"
#include "tests/support/rounds.h"

namespace hw {
namespace {

std::string planText(const Run& run, void (*write)(const Run&, std::ostream&)) {
  std::ostringstream file;
  write(run, file);
  return file.str();
}

/// Where every buffer is and when, by name: as flat bytes of its pool.
using Homes = std::multimap<std::string, std::string>;
Homes homesOf(const Run& run) {
  Homes homes;
  for (const StayId id : run.problem.stays.keys()) {
    const Stay& stay = run.problem.stays[id];
    const PoolId pool = run.plan.addresses[id]->pool;
    homes.emplace(run.stayName(id), run.problem.pools[pool].name + " " +
                                        std::to_string(run.plan.flatOffset(id)->count()) + " " +
                                        std::to_string(stay.steps.begin.count()) + "-" +
                                        std::to_string(stay.steps.end.count()));
  }
  return homes;
}

Result<std::shared_ptr<const Run>> held(const std::string& text, const Run& run,
                                        const RunRequest& asked) {
  REQUIRE(holdsPlan(text));
  HW_TRY(document, readHeldPlan(text, "a.plan"));
  return statedRun(run.model, document, "a.plan", asked);
}

}  // namespace

TEST_CASE("a plan from a file lies and plays as it was written", "[check][held][property]") {
  const auto seed = GENERATE(range(std::uint64_t{1}, 1 + std::uint64_t{test::rounds(40)}));
  test::Dice dice(seed);
  const char* names[] = {"greedy-by-size", "free-list", "best"};
  const test::RunOptions options{.allocator = names[dice.roll(0, 2)],
                                 .alignment = std::int64_t{1} << dice.roll(0, 6),
                                 .l2 = dice.chance(40) ? 4096 : -1};
  CAPTURE(seed, options.allocator, options.alignment, options.l2);
  const auto run = test::runGraph(test::randomGraph(seed, 5 + seed), options);
  REQUIRE_FALSE(run->plan.outOfMemory);
  RunRequest asked = run->request;
  const bool csv = dice.chance(40) && run->problem.moves.empty();
  const auto text = planText(*run, csv ? writePlanCsv : writePlanJson);
  const auto shown = test::must(held(text, *run, asked));
  const Run& read = *shown;
  CHECK(read.model == run->model);
  CHECK(planFileOf(read) == "a.plan");
  CHECK_FALSE(planFileOf(*run));
  CHECK(read.request.allocator.text() == "embedded");
  CHECK(homesOf(read) == homesOf(*run));
  CHECK(validate(read.problem, read.plan).empty());
  if (csv) return;
  CHECK(requestBehind(read).allocator.text() == run->request.allocator.text());
  for (const PoolId pool : run->problem.pools.keys()) {
    CHECK(read.plan.footprint(pool) == run->plan.footprint(pool));
  }
  CHECK(read.timing.makespan == run->timing.makespan);
  CHECK(read.metrics.lowerBound == run->metrics.lowerBound);
}

TEST_CASE("plans whose buffers move play as they were written", "[check][held]") {
  std::size_t moves = 0;
  for (const std::uint64_t seed : test::Seeds(12)) {
    RunRequest request = test::workedRequest("greedy-by-size");
    request.platform = findPlatform("gap9").value();
    request.residency = ResidencyRule::best;
    request.l2 = {.kind = PoolSize::Kind::bytes, .bytes = Bytes(4096)};
    auto model = std::make_shared<Model>();
    model->graph = std::make_shared<const Graph>(test::randomGraph(seed, 12 + seed));
    const auto run = test::must(execute(model, request, {}));
    if (!fits(*run)) continue;
    const auto shown = test::must(held(planText(*run, writePlanJson), *run, request));
    moves += run->problem.moves.size();
    CHECK(shown->problem.moves.size() == run->problem.moves.size());
    CHECK(shown->timing.makespan == run->timing.makespan);
  }
  CHECK(moves > 0);
}

TEST_CASE("what is wrong with a plan for a model is said, the first thing first", "[check][held]") {
  const auto run = test::runGraph(test::randomGraph(3, 9), {.alignment = 1});
  const RunRequest asked = run->request;
  const auto error = [&](const std::string& text) {
    const auto shown = held(text, *run, asked);
    return shown ? std::string() : shown.error().text();
  };
  CHECK(error(R"({"placements": [{"tensor": "nobody", "offset": 0}]})")
            .starts_with("'nobody' is placed, but the model has no such tensor, and "));
  CHECK_FALSE(holdsPlan("a model"));
  CHECK_FALSE(holdsPlan(""));
  CHECK_FALSE(holdsPlan("id,lower,upper,size\na,0,1,4\n"));
  CHECK(holdsPlan("id,lower,upper,size,offset\na,0,1,4,0\n"));
  // What a file names is not opened: neither a machine nor a plug-in.
  PlanDocument named = readPlan(planText(*run, writePlanJson)).value();
  named.settings["platform"] = {"/no/such/machine.toml"};
  named.settings["allocator"] = {"plugin:/no/such/plugin.so"};
  const auto shown = test::must(statedRun(run->model, named, "b.plan", asked));
  CHECK(requestBehind(*shown).allocator.info->name == run->request.allocator.info->name);
  CHECK(platformText(shown->request.platform) == platformText(asked.platform));
}

TEST_CASE("a plan that the machine has no room for is shown all the same", "[check][held]") {
  const auto run = test::runGraph(test::randomGraph(5, 12), {.alignment = 1});
  RunRequest asked = run->request;
  asked.l2 = {.kind = PoolSize::Kind::bytes, .bytes = Bytes(1)};
  PlanDocument plan = readPlan(planText(*run, writePlanJson)).value();
  plan.allocator.clear();
  plan.settings.clear();
  const auto shown = test::must(statedRun(run->model, plan, "c.plan", asked));
  CHECK(shown->plan.status == PlanStatus::overBudget);
  CHECK(homesOf(*shown) == homesOf(*run));
}

TEST_CASE("the plan of another tool that has the names of the model is held against it",
          "[check][held]") {
  const auto run = test::runGraph(test::randomGraph(11, 8), {.alignment = 1});
  // As Vela prints it.
  std::string log =
      "Tensor Allocation for mem_area Sram, of mem_type_set (Scratch), using allocator Greedy, in "
      "Npu subgraph:\n";
  Bytes top;
  for (const TensorId id : run->graph().tensors.keys()) {
    if (!run->storage.bufferOf(id)) continue;
    const Bytes size = *run->graph().tensors[id].bytes;
    char line[200];
    std::snprintf(line, sizeof line,
                  "%10d - %10d: %#10llx - %#10llx: %11lld: %12d: FeatureMap  : ", 0, 1,
                  static_cast<unsigned long long>(top.count()),
                  static_cast<unsigned long long>((top + size).count()),
                  static_cast<long long>(size.count()), 0);
    log += line + displayName(run->graph(), id) + "\n";
    top = alignUp(top + size, Bytes(16));
  }
  const auto shown = test::must(held(log, *run, run->request));
  // Nothing shares a byte, and everybody lives as long as the model says.
  CHECK(shown->plan.footprint(PoolId(0)) <= top);
  CHECK(shown->metrics.lowerBound >= run->metrics.lowerBound);
}

}  // namespace hw
