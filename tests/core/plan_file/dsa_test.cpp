// Problems of dsa-solver: read, held against an independent reading, and written again.

#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

#include "core/base/json.h"
#include "core/import/importer.h"
#include "core/plan/constraint_use.h"
#include "core/plan/validate.h"
#include "core/plan_file/plan_writer.h"
#include "tests/support/corpus.h"
#include "tests/support/graphs.h"
#include "tests/support/problems.h"
#include "tests/support/same_problem.h"

namespace hw {
namespace {

Result<Model> opened(const std::string& text) { return importModel(text, "p.dsa.json", {}); }

std::string textOf(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
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

struct BadValue {
  const char* pointer;
  const char* value;
  const char* error;
};

constexpr BadValue kBadValues[] = {
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
     "the buffer may lie nowhere; expected one pool or more "
     "(problem.buffers[0].allowed_pools)"},
    {"/problem/buffers/0/live_intervals", "[]",
     "the buffer is never live; expected one interval or more "
     "(problem.buffers[0].live_intervals)"},
    {"/problem/buffers/0/live_intervals/0/upper", "3",
     "the interval is from 3 to 3; expected lower < upper "
     "(problem.buffers[0].live_intervals[0])"},
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

struct BadRule {
  const char* list;
  const char* rule;
  const char* error;
};

constexpr BadRule kBadDsaRules[] = {
    {"separations", R"({"first": 15, "second": 13})",
     "buffers 'd' and 'f' may not share bytes, and have to begin at one offset "
     "(problem.constraints.separations[2])"},
    {"separations", R"({"first": 15, "second": 15})",
     "buffer 15 is paired with itself; expected two buffers "
     "(problem.constraints.separations[2])"},
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
     "the field 'third' is not known; expected first, second "
     "(problem.constraints.colocations[1])"},
    {"pinned_allocations",
     R"({"buffer": 13, "pool": 3, "offset": 0, "exclusive_for_all_time": false})",
     "the buffer is pinned to a pool that is not allowed "
     "(problem.constraints.pinned_allocations[1])"},
    {"pinned_allocations",
     R"({"buffer": 13, "pool": 9, "offset": 4, "exclusive_for_all_time": false})",
     "the buffer is pinned to 4; expected a multiple of its alignment 8, and an end of at most "
     "1152921504606846976 (problem.constraints.pinned_allocations[1])"},
};

StayPair pairOf(std::size_t a, std::size_t b) { return {StayId(a), StayId(b)}; }

bool noteHas(const Model& model, std::string_view words) {
  return std::ranges::any_of(model.graph->notes, [&](const std::string& note) {
    return note.find(words) != std::string::npos;
  });
}

std::string written(const Model& model) {
  std::ostringstream out;
  writeDsaProblem(model, {}, out);
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
  const auto model = opened(sampleDsa().dump());
  REQUIRE(model);
  CHECK(model->format == "dsa-problem");
  CHECK(model->ownPools);
  CHECK(model->graph->tensors.size() == 6);
  CHECK(model->graph->tensors[TensorId(2)].name == "b12");
  const Problem& problem = *model->problem;
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
  CHECK(problem.constraints.apart == std::vector{pairOf(0, 1), pairOf(0, 2), pairOf(0, 3)});
  CHECK(problem.constraints.penalties == std::vector<ReusePenalty>{{pairOf(2, 3), 7}});
  CHECK(model->options.at("allocator") == std::vector<std::string>{"best:for=penalty"});
  CHECK(model->optionPlaces.at("allocator") == "problem.objective.terms");
  CHECK(noteHas(*model, "step 0 is time -2"));
  CHECK(noteHas(*model, "1 penalties"));
  CHECK(noteHas(*model, "banks"));
}

TEST_CASE("the objective says who plans a problem of dsa-solver", "[import][dsa]") {
  ParsedJson sample = sampleDsa();
  auto& terms = sample["problem"]["objective"]["terms"];
  terms = {"capacity_overflow", "total_peak", "reuse_cost"};
  CHECK(opened(sample.dump())->options.empty());
  terms = {"reuse_cost"};
  CHECK(opened(sample.dump())->options.contains("allocator"));
  terms = {"total_peak"};
  CHECK(opened(sample.dump())->options.empty());
}

TEST_CASE("rules of dsa-solver that contradict each other are refused", "[import][dsa]") {
  const BadRule bad = GENERATE(from_range(std::begin(kBadDsaRules), std::end(kBadDsaRules)));
  ParsedJson sample = sampleDsa();
  sample["problem"]["constraints"][bad.list].push_back(ParsedJson::parse(bad.rule));
  if (std::string_view(bad.list) == "colocations" && std::string_view(bad.rule).ends_with("10})")) {
    sample["problem"]["buffers"][0]["allowed_pools"] = {7, 9};
    sample["problem"]["constraints"]["pinned_allocations"] = ParsedJson::array();
  }
  const auto model = opened(sample.dump());
  REQUIRE_FALSE(model);
  CHECK(model.error().text() == bad.error);
}

TEST_CASE("values of dsa-solver beyond ours are refused with their place", "[import][dsa]") {
  const BadValue bad = GENERATE(from_range(std::begin(kBadValues), std::end(kBadValues)));
  CAPTURE(bad.pointer, bad.value);
  ParsedJson sample = sampleDsa();
  sample[ParsedJson::json_pointer(bad.pointer)] = ParsedJson::parse(bad.value);
  const auto model = opened(sample.dump());
  REQUIRE_FALSE(model);
  CHECK(model.error().text() == bad.error);
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
    const auto model = opened(less.dump());
    REQUIRE_FALSE(model);
    if (std::string_view(path) == "/problem") continue;  // Of no known kind any more.
    CHECK(model.error().message == "the field '" + pointer.back() + "' is missing");
  }
  const std::string text = sample.dump();
  for (std::size_t size = 0; size < text.size(); size += 37) {
    CHECK_FALSE(opened(text.substr(0, size)));
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
  const auto model = opened(sample.dump());
  REQUIRE_FALSE(model);
  CHECK(model.error().message == "the rules come to more than 10,000,000 pairs of buffers");
}

TEST_CASE("a problem of dsa-solver is written as it came", "[dsa]") {
  const ParsedJson sample = sampleDsa();
  const auto model = opened(sample.dump());
  REQUIRE(model);
  ParsedJson expected = sample;
  expected["metadata"] = ParsedJson::object();
  CHECK(ParsedJson::parse(written(*model)) == expected);
}

TEST_CASE("a problem of ours is one of dsa-solver", "[dsa]") {
  const auto seed = GENERATE(range(std::uint64_t{1}, std::uint64_t{20}));
  const Problem problem =
      test::randomProblem(seed, {.stays = 15, .alignedPercent = 40, .gapPercent = 40});
  Graph tensors;
  for (const Stay& stay : problem.stays) {
    tensors.tensors.add({.name = "b" + std::to_string(tensors.tensors.size()), .bytes = stay.size});
  }
  const auto model = opened(
      written({.graph = std::make_shared<const Graph>(std::move(tensors)), .problem = problem}));
  REQUIRE(model);
  test::checkSame(*model->problem, problem);
  const auto graph = std::make_shared<const Graph>(test::randomGraph(seed, 10));
  const auto ofGraph = opened(written({.name = "drawn", .graph = graph}));
  REQUIRE(ofGraph);
  checkSoundDsa(*ofGraph->problem);
}

TEST_CASE("problems of dsa-solver in the corpus are read, and written as they came",
          "[import][dsa][corpus]") {
  for (const auto& file : dsaCorpus()) {
    CAPTURE(file.string());
    const std::string text = textOf(file);
    const auto model = opened(text);
    if (!model) FAIL(model.error().text());
    const auto given = nlohmann::json::parse(text);
    const auto& asked = given["problem"];
    const Problem& problem = *model->problem;
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
    CHECK(model->options.contains("allocator") == !costs.empty());
    CHECK(nlohmann::json::parse(written(*model)) == given);
    Model bare = *model;
    bare.dsa = nullptr;
    const auto again = opened(written(bare));
    if (!again) FAIL(again.error().text());
    test::checkSame(problem, *again->problem);
    std::ostringstream csv;
    writeProblemCsv(*model, {}, csv);
    const auto fromCsv = importModel(csv.str(), "p.csv", {});
    if (!fromCsv) FAIL(fromCsv.error().text());
    test::checkSame(problem, *fromCsv->problem);
  }
}

TEST_CASE("a plan of a problem of dsa-solver names its buffers and pools", "[dsa][exporter]") {
  auto model = opened(sampleDsa().dump());
  REQUIRE(model);
  Run run;
  run.problem = *model->problem;
  run.plan = test::stackedPlan(run.problem);
  run.plan.addresses[StayId(4)]->pool = PoolId(2);
  run.plan.regions.resize(3);
  run.plan.regions[PoolId(2)] = run.plan.regions[PoolId(0)];
  for (const StayId id : run.problem.stays.keys()) {
    run.storage.buffers.add({.root = TensorId(run.problem.stays[id].buffer.index())});
  }
  run.storage.buffers.resize(6);
  run.storage.buffers[BufferId(5)].root = TensorId(5);
  run.model = std::make_shared<const Model>(std::move(*model));
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
  auto model = opened(textOf(*folder / file));
  REQUIRE(model);
  Run run;  // Places nothing.
  run.model = std::make_shared<const Model>(std::move(*model));
  std::ostringstream out;
  REQUIRE(writeDsaSolution(run, out));
  CHECK(ParsedJson::parse(out.str())["problem_fingerprint"] == fingerprint);
}

}  // namespace hw
