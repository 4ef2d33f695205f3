// Problems of dsa-solver: read, held against an independent reading, and written again.

#include <fstream>
#include <sstream>

#include "core/base/json.h"
#include "core/check/plan_audit.h"
#include "core/files/file.h"
#include "core/import/importer.h"
#include "core/plan/constraint_use.h"
#include "core/plan/validate.h"
#include "core/plan_file/plan_reader.h"
#include "core/plan_file/plan_writer.h"
#include "core/run/options.h"
#include "core/run/planner.h"
#include "tests/support/corpus.h"
#include "tests/support/findings.h"
#include "tests/support/graphs.h"
#include "tests/support/must.h"
#include "tests/support/problems.h"
#include "tests/support/same_problem.h"

namespace hw {
namespace {

Result<Model> openedDsa(const std::string& text) { return importModel(text, "p.dsa.json", {}); }

std::string dsaText(const std::filesystem::path& path) {
  return test::must(readFile(path.string()));
}

/// A document with everything that the format has, small.
constexpr const char* kSampleDsa = R"({
    "schema_version": 1, "profile": "pypto_structured", "instance": "small",
    "problem": {
      "pools": [
        {"id": 7, "name": "UB", "capacity": 1024,
         "reserved_ranges": [{"begin": 32, "end": 64}, {"begin": 0, "end": 32}],
         "bank_geometry": {"bank_size": 64, "num_banks": 16}},
        {"id": 3, "name": "L1", "capacity": null, "reserved_ranges": []},
        {"id": 9, "name": "L0", "capacity": 4096, "reserved_ranges": []}],
      "buffers": [
        {"id": 10, "name": "a", "size": 64, "alignment": 32, "allowed_pools": [7],
         "live_intervals": [{"lower": 3, "upper": 5}, {"lower": -2, "upper": 1}]},
        {"id": 11, "name": "b", "size": 32, "alignment": 1, "allowed_pools": [3, 7],
         "live_intervals": [{"lower": -2, "upper": 0}, {"lower": 0, "upper": 4}]},
        {"id": 12, "name": "", "size": 16, "alignment": 1, "allowed_pools": [9, 3, 7],
         "live_intervals": [{"lower": 0, "upper": 2}]},
        {"id": 13, "name": "d", "size": 16, "alignment": 8, "allowed_pools": [7, 9],
         "live_intervals": [{"lower": 5, "upper": 8}]},
        {"id": 14, "name": "e", "size": 0, "alignment": 8, "allowed_pools": [7],
         "live_intervals": [{"lower": 5, "upper": 8}]},
        {"id": 15, "name": "f", "size": 8, "alignment": 8, "allowed_pools": [9],
         "live_intervals": [{"lower": 6, "upper": 9}]}],
      "constraints": {
        "colocations": [{"first": 15, "second": 13}],
        "separations": [{"first": 13, "second": 10, "reasons": ["generic"]},
                        {"first": 14, "second": 10}],
        "temporal_exclusions": [{"first": 11, "second": 10}, {"first": 11, "second": 13}],
        "pinned_allocations": [
          {"buffer": 10, "pool": 7, "offset": 96, "exclusive_for_all_time": true}]},
      "cost_model": {"reuse_penalties": [
        {"first": 12, "second": 13, "cost": 5, "reason": "generic"},
        {"first": 13, "second": 12, "cost": 2, "reason": "cross_pipe"},
        {"first": 11, "second": 12, "cost": 9, "reason": "generic"},
        {"first": 11, "second": 13, "cost": 0, "reason": "generic"}]},
      "objective": {"aggregation": "lexicographic",
                    "terms": ["capacity_overflow", "reuse_cost"]}}})";

ParsedJson sampleDsa() { return ParsedJson::parse(kSampleDsa); }

struct BadDsaValue {
  const char* pointer;
  const char* value;
  const char* error;
};

constexpr BadDsaValue kBadDsaValues[] = {
    {"/problem/pools/0/capacity", "18446744073709551615",
     "expected a whole number from 0 to 1152921504606846976, found 18446744073709551615 "
     "(problem.pools[0].capacity)"},
    {"/problem/buffers/0/size", "1152921504606846977",
     "expected a whole number from 0 to 1152921504606846976, found 1152921504606846977 "
     "(problem.buffers[0].size)"},
    {"/problem/buffers/1/size", "1152921504606846976",
     "the buffers add up to more than 1152921504606846976 bytes (problem.buffers[1])"},
    {"/problem/buffers/1/alignment", "0",
     "the alignment is 0; expected at least 1 (problem.buffers[1])"},
    {"/problem/buffers/1/id", "10", "buffer 10 is there twice (problem.buffers[1])"},
    {"/problem/buffers/1/id", "4294967296",
     "expected a whole number from 0 to 4294967295, found 4294967296 (problem.buffers[1].id)"},
    {"/problem/pools/1/id", "7", "pool 7 is there twice (problem.pools[1])"},
    {"/problem/pools/0/reserved_ranges/0/end", "32",
     "the range is empty; expected begin < end (problem.pools[0].reserved_ranges[0])"},
    {"/problem/buffers/0/allowed_pools", "[]",
     "the buffer may lie nowhere; expected one pool or more (problem.buffers[0].allowed_pools)"},
    {"/problem/buffers/0/live_intervals", "[]",
     "the buffer is never live; expected one interval or more (problem.buffers[0].live_intervals)"},
    {"/problem/buffers/0/live_intervals/0/upper", "3",
     "the interval is from 3 to 3; expected lower < upper (problem.buffers[0].live_intervals[0])"},
    {"/problem/buffers/0/live_intervals/0/upper", "9223372036854775807",
     "expected a whole number from -1152921504606846976 to 1152921504606846976, found "
     "9223372036854775807 (problem.buffers[0].live_intervals[0].upper)"},
    {"/problem/buffers/0/live_intervals/0/upper", "2147483646",
     "lives are from -2 to 2147483646; expected at most 2147483646 steps (problem.buffers)"},
    {"/problem/cost_model/reuse_penalties/0/cost", "4611686018427387903",
     "buffers 'b12' and 'd' have cost 2, with which all costs come to more than "
     "4611686018427387904 (problem.cost_model.reuse_penalties[1])"},
    {"/problem/cost_model/reuse_penalties/0/cost", "18446744073709551615",
     "expected a whole number from 0 to 4611686018427387904, found 18446744073709551615 "
     "(problem.cost_model.reuse_penalties[0].cost)"},
    {"/problem/objective/terms/0", "\"speed\"",
     "expected one of capacity_overflow, total_peak, max_peak, reuse_cost, bank_cost, found "
     "\"speed\" (problem.objective.terms[0])"},
    {"/problem/pools", "{}", "expected an array, found {} (problem.pools)"},
    {"/problem/pools", "[]", "there is no pool; expected one or more (problem.pools)"},
    {"/schema_version", "2", "the schema is of another version; expected 1 (schema_version)"},
    {"/metadata", "{\"a\": 3}", "expected a string, found 3 (metadata.a)"},
};

struct BadDsaRule {
  const char* list;
  const char* rule;
  const char* error;
};

constexpr BadDsaRule kBadDsaRules[] = {
    {"separations", R"({"first": 15, "second": 13})",
     "buffers 'd' and 'f' may not share bytes, and have to begin at one offset "
     "(problem.constraints.separations[2])"},
    {"separations", R"({"first": 15, "second": 15})",
     "buffer 15 is paired with itself; expected two buffers (problem.constraints.separations[2])"},
    {"temporal_exclusions", R"({"first": 10, "second": 13})",
     "buffers 'a' and 'd' may not share bytes, and may since they are exclusive "
     "(problem.constraints.temporal_exclusions[2])"},
    {"colocations", R"({"first": 15, "second": 10})",
     "buffers 'a' and 'd' may not share bytes, and have to begin at one offset "
     "(problem.constraints.separations[0])"},
    {"separations", R"({"first": 15, "second": 99})",
     "buffer 99 is not there; expected the id of a buffer "
     "(problem.constraints.separations[2].second)"},
    {"colocations", R"({"first": 15, "second": 13, "third": 3})",
     "the field 'third' is not known; expected first, second (problem.constraints.colocations[1])"},
    {"pinned_allocations",
     R"({"buffer": 13, "pool": 3, "offset": 0, "exclusive_for_all_time": false})",
     "the buffer is pinned to a pool that is not allowed "
     "(problem.constraints.pinned_allocations[1])"},
    {"pinned_allocations",
     R"({"buffer": 13, "pool": 9, "offset": 4, "exclusive_for_all_time": false})",
     "the buffer is pinned to 4; expected a multiple of its alignment 8, and an end of at most "
     "1152921504606846976 (problem.constraints.pinned_allocations[1])"},
};

StayPair dsaPair(std::size_t a, std::size_t b) { return {StayId(a), StayId(b)}; }

std::string writtenDsa(const Model& model) {
  std::ostringstream out;
  REQUIRE(writeDsaProblem(model, {}, out));
  return out.str();
}

void checkSoundDsa(const Problem& problem) {
  Plan nothing;
  nothing.status = PlanStatus::stopped;
  nothing.addresses.resize(problem.stays.size());
  for (const Violation& each : validate(problem, nothing)) FAIL_CHECK(each.message);
}

std::vector<std::filesystem::path> dsaCorpus() {
  auto files = corpusFiles("constraints/dsa-rp", "", ".json");
  const auto more = corpusFiles("constraints/minimalloc-dsa-rp", "", ".json");
  files.insert(files.end(), more.begin(), more.end());
  return files;
}

}  // namespace

TEST_CASE("a problem of dsa-solver becomes stays, pools and constraints", "[import][dsa]") {
  const auto model = test::must(openedDsa(sampleDsa().dump()));
  CHECK(model.format == "dsa-problem");
  CHECK(model.problem->ownPools);
  CHECK(model.graph->tensors.size() == 6);
  CHECK(model.graph->tensors[TensorId(2)].name == "b12");
  const Problem& problem = *model.problem;
  checkSoundDsa(problem);
  REQUIRE(problem.pools.size() == 3);
  CHECK(problem.pools[PoolId(0)].capacity == Bytes(1024));
  CHECK(problem.pools[PoolId(0)].reserved == std::vector<Interval<Bytes>>{{Bytes(0), Bytes(64)}});
  CHECK_FALSE(problem.pools[PoolId(1)].capacity);
  REQUIRE(problem.stays.size() == 5);
  const Stay& a = problem.stays[StayId(0)];
  CHECK(a.steps == Interval<Step>{Step(0), Step(7)});
  CHECK(problem.gapsOf(StayId(0)) == std::vector<Interval<Step>>{{Step(3), Step(5)}});
  CHECK(problem.gapsOf(StayId(1)).empty());
  CHECK(a.pool == PoolId(0));
  CHECK(a.pinned == Bytes(96));
  CHECK(problem.constraints.allowed[StayId(1)] == std::vector{PoolId(0), PoolId(1)});
  CHECK(poolsFor(problem, StayId(2)).size() == 3);
  // Colocated: one pool for both, which the pool of the one decides.
  CHECK(poolsFor(problem, StayId(3)) == std::vector{PoolId(2)});
  CHECK(problem.constraints.together == std::vector<std::vector<StayId>>{{StayId(3), StayId(4)}});
  // Pinned for itself alone: apart from those that may lie in its pool, or could as it was read.
  CHECK(problem.constraints.apart == std::vector{dsaPair(0, 1), dsaPair(0, 2), dsaPair(0, 3)});
  CHECK(problem.constraints.penalties == std::vector<ReusePenalty>{{dsaPair(2, 3), 7}});
  CHECK(model.options.at("allocator") == std::vector<std::string>{"best:for=penalty"});
  CHECK(model.optionPlaces.at("allocator") == "problem.objective.terms");
  CHECK(test::oneHas(model.graph->notes, "step 0 is time -2"));
  CHECK(test::oneHas(model.graph->notes, "1 penalties"));
  CHECK(test::oneHas(model.graph->notes, "banks"));
}

TEST_CASE("the objective says who plans a problem of dsa-solver", "[import][dsa]") {
  ParsedJson sample = sampleDsa();
  auto& terms = sample["problem"]["objective"]["terms"];
  terms = {"capacity_overflow", "total_peak", "reuse_cost"};
  CHECK(openedDsa(sample.dump())->options.empty());
  terms = {"reuse_cost"};
  CHECK(openedDsa(sample.dump())->options.contains("allocator"));
  terms = {"total_peak"};
  CHECK(openedDsa(sample.dump())->options.empty());
}

TEST_CASE("rules of dsa-solver that contradict each other are refused", "[import][dsa]") {
  const BadDsaRule bad = GENERATE(from_range(std::begin(kBadDsaRules), std::end(kBadDsaRules)));
  ParsedJson sample = sampleDsa();
  sample["problem"]["constraints"][bad.list].push_back(ParsedJson::parse(bad.rule));
  if (std::string_view(bad.list) == "colocations" && std::string_view(bad.rule).ends_with("10})")) {
    sample["problem"]["buffers"][0]["allowed_pools"] = {7, 9};
    sample["problem"]["constraints"]["pinned_allocations"] = ParsedJson::array();
  }
  CHECK(test::mustFail(openedDsa(sample.dump())).text() == bad.error);
}

TEST_CASE("values of dsa-solver beyond ours are refused with their place", "[import][dsa]") {
  const BadDsaValue bad = GENERATE(from_range(std::begin(kBadDsaValues), std::end(kBadDsaValues)));
  CAPTURE(bad.pointer, bad.value);
  ParsedJson sample = sampleDsa();
  sample[ParsedJson::json_pointer(bad.pointer)] = ParsedJson::parse(bad.value);
  CHECK(test::mustFail(openedDsa(sample.dump())).text() == bad.error);
}

TEST_CASE("what is missing or cut off in a problem of dsa-solver is told", "[import][dsa]") {
  const ParsedJson sample = sampleDsa();
  for (const char* path : {"/problem", "/profile", "/problem/objective", "/problem/buffers",
                           "/problem/constraints/separations", "/problem/pools/0/name",
                           "/problem/buffers/3/size", "/problem/cost_model/reuse_penalties"}) {
    CAPTURE(path);
    const ParsedJson::json_pointer pointer(path);
    ParsedJson less = sample;
    less[pointer.parent_pointer()].erase(pointer.back());
    const Error error = test::mustFail(openedDsa(less.dump()));
    if (std::string_view(path) == "/problem") continue;  // Of no known kind any more.
    CHECK(error.message == "the field '" + pointer.back() + "' is missing");
  }
  const std::string text = sample.dump();
  for (std::size_t size = 0; size < text.size(); size += 37) {
    CHECK_FALSE(openedDsa(text.substr(0, size)));
  }
}

TEST_CASE("loners among many are too many pairs, and refused in no time", "[import][dsa]") {
  ParsedJson sample = sampleDsa();
  const ParsedJson buffer = sample["problem"]["buffers"][0];
  auto& pins = sample["problem"]["constraints"]["pinned_allocations"];
  const ParsedJson pin = pins[0];
  for (int i = 0; i < 4'000; ++i) {
    sample["problem"]["buffers"].push_back(buffer);
    sample["problem"]["buffers"].back()["id"] = 100 + i;
    pins.push_back(pin);
    pins.back()["buffer"] = 100 + i;
  }
  CHECK(test::mustFail(openedDsa(sample.dump())).message ==
        "the rules come to more than 10,000,000 pairs of buffers");
}

TEST_CASE("a problem of dsa-solver is written as it came", "[dsa]") {
  const ParsedJson sample = sampleDsa();
  const auto model = test::must(openedDsa(sample.dump()));
  ParsedJson expected = sample;
  expected["metadata"] = ParsedJson::object();
  CHECK(ParsedJson::parse(writtenDsa(model)) == expected);
}

TEST_CASE("a problem of ours is one of dsa-solver", "[dsa]") {
  const auto seed = GENERATE(range(std::uint64_t{1}, std::uint64_t{20}));
  const Problem problem =
      test::randomProblem(seed, {.stays = 15, .alignedPercent = 40, .gapPercent = 40});
  Graph tensors;
  for (const Stay& stay : problem.stays) {
    tensors.tensors.add({.name = "b" + std::to_string(tensors.tensors.size()), .bytes = stay.size});
  }
  const auto model = test::must(openedDsa(writtenDsa(
      {.graph = std::make_shared<const Graph>(std::move(tensors)), .problem = problem})));
  test::checkSame(*model.problem, problem);
  const auto graph = std::make_shared<const Graph>(test::randomGraph(seed, 10));
  const auto ofGraph = test::must(openedDsa(writtenDsa({.name = "drawn", .graph = graph})));
  checkSoundDsa(*ofGraph.problem);
}

TEST_CASE("problems of dsa-solver in the corpus are read, and written as they came",
          "[import][dsa][corpus]") {
  for (const auto& file : dsaCorpus()) {
    CAPTURE(file.string());
    const std::string text = dsaText(file);
    const auto model = test::must(openedDsa(text));
    const auto given = nlohmann::json::parse(text);
    const auto& asked = given["problem"];
    const Problem& problem = *model.problem;
    checkSoundDsa(problem);
    CHECK(problem.stays.size() == asked["buffers"].size());
    CHECK(problem.pools.size() == asked["pools"].size());
    CHECK(problem.constraints.apart.size() == asked["constraints"]["separations"].size());
    const auto& costs = asked["cost_model"]["reuse_penalties"];
    CHECK(problem.constraints.penalties.size() == costs.size());
    std::int64_t sum = 0;
    for (const auto& each : costs) sum += each["cost"].get<std::int64_t>();
    for (const ReusePenalty& each : problem.constraints.penalties) sum -= each.cost;
    CHECK(sum == 0);
    CHECK(model.options.contains("allocator") == !costs.empty());
    CHECK(nlohmann::json::parse(writtenDsa(model)) == given);
    Model bare = model;
    bare.dsa = nullptr;
    const auto again = test::must(openedDsa(writtenDsa(bare)));
    test::checkSame(problem, *again.problem);
    std::ostringstream csv;
    REQUIRE(writeProblemCsv(model, {}, csv));
    const auto fromCsv = test::must(importModel(csv.str(), "p.csv", {}));
    test::checkSame(problem, *fromCsv.problem);
  }
}

TEST_CASE("a plan of a problem of dsa-solver names its buffers and pools", "[dsa][exporter]") {
  auto model = test::must(openedDsa(sampleDsa().dump()));
  Run run;
  run.request = defaultRequest();
  run.problem = *model.problem;
  run.plan = test::stackedPlan(run.problem);
  run.plan.addresses[StayId(4)]->pool = PoolId(2);
  run.plan.regions.resize(3);
  run.plan.regions[PoolId(2)] = run.plan.regions[PoolId(0)];
  for (const StayId id : run.problem.stays.keys()) {
    run.storage.buffers.add({.root = TensorId(run.problem.stays[id].buffer.index())});
  }
  run.storage.buffers.resize(6);
  run.storage.buffers[BufferId(5)].root = TensorId(5);
  run.model = std::make_shared<const Model>(std::move(model));
  std::ostringstream out;
  REQUIRE(writeDsaSolution(run, out));
  const auto solution = ParsedJson::parse(out.str());
  CHECK(solution["instance"] == "small");
  CHECK(solution["problem_fingerprint"].get<std::string>().size() == 16);
  REQUIRE(solution["placements"].size() == 5);
  CHECK(solution["placements"][0]["buffer"] == 10);
  CHECK(solution["placements"][0]["pool"] == 7);
  CHECK(solution["placements"][4]["buffer"] == 15);
  CHECK(solution["placements"][4]["pool"] == 9);
}

// Fingerprints of dsa-solver at a8d1257.
TEST_CASE("plans have the fingerprints that dsa-solver asks for", "[dsa][corpus]") {
  const auto folder = corpusFolder("constraints/minimalloc-dsa-rp");
  if (!folder) return;
  const auto& [file, fingerprint] = GENERATE(table<std::string, std::string>(
      {{"A.json", "2d889a5573616db0"}, {"J.json", "c151ce5ea15a1b1b"}}));
  auto model = test::must(openedDsa(dsaText(*folder / file)));
  Run run;  // Places nothing.
  run.request = defaultRequest();
  run.model = std::make_shared<const Model>(std::move(model));
  std::ostringstream out;
  REQUIRE(writeDsaSolution(run, out));
  CHECK(ParsedJson::parse(out.str())["problem_fingerprint"] == fingerprint);
}

namespace {

/// A placement of the sample for each of its buffers that takes bytes: buffer, pool, offset.
constexpr const char* kSampleSolution = R"({
    "schema_version": 1, "profile": "pypto_structured", "instance": "small",
    "problem_fingerprint": "FINGERPRINT", "metadata": {"solver": "by hand"},
    "placements": [
      {"buffer": 10, "pool": 7, "offset": 96},
      {"buffer": 11, "pool": 3, "offset": 0},
      {"buffer": 12, "pool": 9, "offset": 64},
      {"buffer": 13, "pool": 9, "offset": 0},
      {"buffer": 15, "pool": 9, "offset": 0}]})";

ParsedJson solutionOf(const Model& model) {
  Run run;  // Places nothing; it has the claims.
  run.request = defaultRequest();
  run.model = std::make_shared<const Model>(model);
  std::ostringstream out;
  REQUIRE(writeDsaSolution(run, out));
  ParsedJson solution = ParsedJson::parse(kSampleSolution);
  solution["problem_fingerprint"] = ParsedJson::parse(out.str())["problem_fingerprint"];
  return solution;
}

Audit auditedDsa(const Model& model, const ParsedJson& solution) {
  const auto plan = test::must(readPlan(solution.dump()));
  return auditPlan(std::make_shared<const Model>(model), plan, {});
}

struct WrongPlace {
  const char* pointer;  ///< In the sample's placements.
  std::int64_t value;
  const char* finding;
};

constexpr WrongPlace kWrongPlaces[] = {
    {"/4/offset", 64, "'d' at [0, 16) and 'f' at [64, 72) have to begin at one address"},
    {"/0/offset", 32, "'a' is at offset 32; the problem pins it to 96"},
    {"/0/pool", 3, "'a' is in 'L1'; the problem has it in 'UB'"},
    {"/1/pool", 9, "'b' is in L0, where it is not allowed"},
    {"/3/pool", 7, "'d' is in 'UB'; the problem has it in 'L0'"},
    {"/3/offset", 4, "'d' is at offset 4, which is not a multiple of 8"},
    {"/2/offset", 4090, "L0 needs 4,106 bytes, 10 more than its capacity of 4,096"},
    {"/2/pool", 4, "'b12' is placed in pool 'pool 4', which the plan does not list"},
    {"/1/buffer", 99, "'buffer 99' is placed, but the model has no such tensor"},
    {"/1/buffer", 12, "'b' has no place; it needs 32 bytes in steps 0-5"},
};

}  // namespace

TEST_CASE("a plan of dsa-solver is held against its problem", "[audit][dsa]") {
  const auto model = test::must(openedDsa(sampleDsa().dump()));
  const Audit audit = auditedDsa(model, solutionOf(model));
  CHECK(test::firstOf(audit.findings).empty());
  CHECK(audit.remarks.empty());
  CHECK(audit.tensors == 5);
  CHECK(audit.pools.size() == 3);
  CHECK(audit.run != nullptr);
}

TEST_CASE("each rule that a plan of dsa-solver breaks is a finding", "[audit][dsa]") {
  const WrongPlace wrong = GENERATE(from_range(std::begin(kWrongPlaces), std::end(kWrongPlaces)));
  CAPTURE(wrong.pointer, wrong.value);
  const auto model = test::must(openedDsa(sampleDsa().dump()));
  ParsedJson solution = solutionOf(model);
  solution["placements"][ParsedJson::json_pointer(wrong.pointer)] = wrong.value;
  std::vector<std::string> found;
  for (const Finding& each : auditedDsa(model, solution).findings) found.push_back(each.message);
  CAPTURE(found);
  CHECK(std::ranges::find(found, wrong.finding) != found.end());
}

TEST_CASE("a plan of another problem of dsa-solver is told by instance and fingerprint",
          "[audit][dsa]") {
  const auto model = test::must(openedDsa(sampleDsa().dump()));
  ParsedJson solution = solutionOf(model);
  solution["instance"] = "large";
  solution["problem_fingerprint"] = "0123456789abcdef";
  const Audit audit = auditedDsa(model, solution);
  CHECK(audit.findings.empty());
  REQUIRE(audit.remarks.size() == 2);
  CHECK(audit.remarks[0] ==
        "the plan was made for a problem of instance 'large'; that of this one is 'small'");
  CHECK(audit.remarks[1].find("fingerprint '0123456789abcdef'") != std::string::npos);
  const Audit other = auditedDsa({.graph = std::make_shared<const Graph>()}, solution);
  CHECK(test::firstOf(other.findings).find("the model is not one") != std::string::npos);
}

TEST_CASE("values of a plan of dsa-solver beyond ours are refused", "[dsa]") {
  const auto& [pointer, value, error] = GENERATE(table<std::string, std::string, std::string>({
      {"/schema_version", "2", "the schema is of another version; expected 1 (schema_version)"},
      {"/placements/0/buffer", "-1",
       "expected a whole number from 0 to 4294967295, found -1 (placements[0].buffer)"},
      {"/placements/0/offset", "1152921504606846977",
       "expected a whole number from 0 to 1152921504606846976, found 1152921504606846977 "
       "(placements[0].offset)"},
      {"/placements/0/pool", "null", "the field 'pool' is missing (placements[0])"},
      {"/placements/1", "3", "expected an object, found 3 (placements[1])"},
      {"/problem_fingerprint", "7", "expected a string, found 7 (problem_fingerprint)"},
  }));
  ParsedJson solution = ParsedJson::parse(kSampleSolution);
  solution[ParsedJson::json_pointer(pointer)] = ParsedJson::parse(value);
  CHECK(test::mustFail(readPlan(solution.dump())).text() == error);
}

TEST_CASE("plans of problems of dsa-solver in the corpus pass the audit", "[audit][dsa][corpus]") {
  const auto files = corpusFiles("constraints/dsa-rp", "", ".json");
  std::size_t audited = 0;
  for (const auto& file : files) {
    if (audited == 3) break;
    CAPTURE(file.string());
    auto model = test::must(openedDsa(dsaText(file)));
    RunRequest request = defaultRequest();
    request.allocator = AllocatorChoice::parse("greedy-by-size").value();
    const auto run = test::must(execute(std::make_shared<const Model>(model), request, {}));
    std::ostringstream out;
    REQUIRE(writeDsaSolution(*run, out));
    const ParsedJson solution = ParsedJson::parse(out.str());
    const Audit audit = auditedDsa(model, solution);
    const bool fits = run->plan.status == PlanStatus::complete;
    if (fits) CHECK(test::firstOf(audit.findings).empty());
    CHECK(audit.remarks.empty());
    CHECK(audit.tensors == run->problem.stays.size());
    ++audited;
  }
}

}  // namespace hw
