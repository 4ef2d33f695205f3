// Plans of other tools: opened, followed to the byte, and what is wrong with them told.

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "core/check/plan_audit.h"
#include "core/import/importer.h"
#include "core/import/plans/unknown_parts.h"
#include "core/plan_file/plan_document.h"
#include "core/run/run.h"
#include "tests/support/corpus.h"
#include "tests/support/findings.h"
#include "tests/support/flat_writer.h"
#include "tests/support/must.h"
#include "tests/support/problems.h"
#include "tests/support/rounds.h"

namespace hw {
namespace {

namespace fs = std::filesystem;

std::shared_ptr<const Model> openedPlan(const std::string& text, const std::string& pool = {}) {
  auto model = test::must(importModel(text, "plan.txt", {.subgraph = pool}));
  return std::make_shared<const Model>(std::move(model));
}

std::string planError(const std::string& text, const std::string& pool = {}) {
  const auto model = importModel(text, "plan.txt", {.subgraph = pool});
  return model ? "" : model.error().text();
}

std::shared_ptr<const Run> theirs(const std::shared_ptr<const Model>& model) {
  RunRequest request = planningRequest();
  request.allocator = *AllocatorChoice::parse("embedded");
  return test::must(execute(model, request, {}));
}

/// What a buffer is in the graph: its life, and where it was put.
struct Life {
  std::int64_t first, last, offset, size;
  friend bool operator==(const Life&, const Life&) = default;
};

Life lifeOf(const Graph& graph, const std::string& name) {
  const auto found = std::ranges::find(graph.tensors, name, &Tensor::name);
  if (found == graph.tensors.end()) FAIL("no buffer " + name);
  const TensorId id(static_cast<std::size_t>(found - graph.tensors.begin()));
  const auto steps = lifetimes(graph, givenOrder(graph))[id];
  return {steps.begin.count(), steps.end.count() - 1,
          found->plannedOffset.value_or(Bytes(-1)).count(), found->bytes->count()};
}

/// Whoever follows the plan takes what its highest buffer needs, and an audit finds nothing.
void checkFollowed(const std::shared_ptr<const Model>& model, Bytes used) {
  const auto run = theirs(model);
  CHECK(run->plan.footprint(PoolId(0)) == used);
  const auto document = test::must(embeddedPlan(*model));
  const Audit audit = auditPlan(model, document, {});
  for (const Finding& finding : audit.findings) UNSCOPED_INFO(finding.message);
  CHECK(audit.findings.empty());
  CHECK(audit.pools.at(0).top == used);
}

std::string tflmLine(std::int64_t id, const Life& life) {
  return std::string(id % 2 == 0 ? "*" : "a") + " (id=" + std::to_string(id) +
         "): size=" + std::to_string(life.size) + ", offset=" + std::to_string(life.offset) +
         ", first_used=" + std::to_string(life.first) + " last_used=" + std::to_string(life.last) +
         "\n";
}

const std::string kVela =
    "some other output\n"
    "Tensor Allocation for mem_area OffChipFlash, of mem_type_set (Permanent_NPU), using allocator "
    "Greedy, in Npu subgraph:\n"
    "Start Time -   End Time: Start Addr -   End Addr: Tensor Size: Memory Usage: Purpose     : "
    "Name\n"
    "         0 -          9:        0x0 -       0x40:          64:           64: Weights     : w\n"
    "Allocation Peak Memory Usage:        64 (      0x40) Bytes     0.06 KiB\n"
    "Tensor Allocation for mem_area Sram, of mem_type_set (Scratch), using allocator HillClimb, in "
    "Npu subgraph:\n"
    "         0 -          2:        0x0 -       0x80:         128:          128: FeatureMap  : "
    "in\n"
    "         2 -          4:       0x80 -       0xc0:          64:          192: FeatureMap  : a: "
    "b\n"
    "         4 -          4:        0x0 -       0x20:          32:           96: Scratch     : s\n"
    "Allocation Peak Memory Usage:       192 (      0xc0) Bytes     0.19 KiB\n";

const std::string kXla =
    "BufferAssignment:\n"
    "allocation 0: size 64, parameter 0, shape |f32[16]| at ShapeIndex {}:\n"
    " value: <1 Arg_0.1 @0> (size=64,offset=0): f32[16]{0}\n"
    "allocation 1: size 192, preallocated-temp:\n"
    " value: <3 fusion.1 @0> (size=64,offset=0): f32[16]{0}\n"
    " value: <4 call{0} @0> (size=128,offset=64): f32[32]{0}\n"
    " value: <5 add.2 @0> (size=64,offset=0): f32[16]{0}\n"
    "\nTotal bytes used: 256 (256B)\n\nUsed values:\n<1 Arg_0.1 @0>\n positions:\n  Arg_0.1\n";
const std::string kXlaRanges =
    "HloLiveRange (max 5):\n  InstructionSequence:\n    0:Arg_0.1\n    1:fusion.1\n"
    "  BufferLiveRange:\n    Arg_0.1{}:0-5\n    fusion.1{}:1-2\n    call{0}:2-4\n"
    "    add.2{}:3-5\n  Live ranges at 2 (peak):\n    call{0}: 128 bytes\n";

/// One memory, two buffers that overlap on purpose, and a weight.
std::string stText(const std::string& version = "2.0") {
  return R"({"buffers": [
    {"epochs": {"end": 3, "start": 1}, "flags": "STAI_FLAG_INPUTS|STAI_FLAG_ACTIVATIONS",
     "format": "STAI_FORMAT_S8", "id": 1, "is_param": false, "mpool_id": 0, "name": "x",
     "offset_start": 0, "size_bytes": 100},
    {"epochs": {"end": 5, "start": 3}, "flags": "STAI_FLAG_ACTIVATIONS|STAI_FLAG_SCRATCHS",
     "id": 2, "is_param": false, "mpool_id": 0, "name": "y", "offset_start": 60, "size_bytes": 80},
    {"epochs": {"end": 1, "start": 0}, "id": 3, "is_param": true, "mpool_id": 1, "name": "w",
     "offset_start": 0, "size_bytes": 9}],
   "graphs": [{"name": "net", "nodes": []}], "json_schema_version": ")" +
         version + R"(",
   "memory_pools": [{"id": 0, "name": "ram", "used_size_bytes": 140, "size_bytes": -1},
                    {"id": 1, "name": "flash", "used_size_bytes": 9}]})";
}

}  // namespace

TEST_CASE("a planner's log is the plan that it tells of", "[import][plans]") {
  const std::uint64_t seed = GENERATE(range<std::uint64_t>(1, 1 + test::rounds(60)));
  CAPTURE(seed);
  test::Dice dice(seed);
  // Stacked, so that nothing overlaps whatever the lives are.
  std::vector<Life> lives;
  std::int64_t top = 0;
  std::string log = "boot: something else\n";
  const auto count = dice.roll(1, 12);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t first = dice.roll(0, 9);
    lives.push_back({first, first + dice.roll(0, 5), top, 16 * dice.roll(1, 9)});
    top += lives.back().size;
    log += (dice.chance(50) ? "I (123) tflm: " : "") + tflmLine(i, lives.back());
  }
  const auto model = openedPlan(log);
  CHECK(model->format == "tflm-log");
  for (std::size_t i = 0; i < lives.size(); ++i) {
    CHECK(lifeOf(*model->graph, "buffer " + std::to_string(i)) == lives[i]);
  }
  checkFollowed(model, Bytes(top));
}

TEST_CASE("what a planner's log leaves open is said", "[import][plans]") {
  const std::string log = tflmLine(0, {-1, -1, 0, 64}) + tflmLine(1, {0, 2, -1, 32}) +
                          "[RecordingMicroAllocator] Arena allocation head 96 bytes\n" +
                          tflmLine(0, {0, 0, 0, 16});
  const auto model = openedPlan(log);
  CHECK(lifeOf(*model->graph, "buffer 0") == Life{0, 0, 0, 64});
  CHECK(lifeOf(*model->graph, "buffer 1") == Life{1, 3, -1, 32});
  CHECK(test::oneHas(model->graph->notes, "1 buffers have no offset"));
  CHECK(test::oneHas(model->graph->notes, "head 96"));
  CHECK(test::oneHas(model->graph->notes, "the first of 2 plans"));
  CHECK(planError(tflmLine(0, {0, 1, 0, 16}) + tflmLine(2, {0, 1, 0, 16})) ==
        "buffer 2 follows buffer 0: the log is not whole (line 2)");
  CHECK(planError(tflmLine(0, {3, 1, 0, 16})) ==
        "buffer 0 has a size, an offset or steps that cannot be (line 1)");
  CHECK(planError(tflmLine(0, {0, 9'999'999'999, 0, 16})) ==
        "buffer 'buffer 0' is live until step 9999999999; at most 2,147,483,646 are read");
}

TEST_CASE("steps of a plan cost nothing by their numbers", "[import][plans]") {
  const auto model = openedPlan(tflmLine(0, {3, 1'999'999'999, 0, 16}) +
                                tflmLine(1, {1'000'000, 1'000'000, 16, 16}) +
                                tflmLine(2, {2'000'000'000, 2'000'000'000, 0, 8}));
  const Graph& graph = *model->graph;
  CHECK(graph.ops.size() == 5);  // The first, and where something begins or ends.
  CHECK(graph.ops[OpId(2)].name == "1000000");
  CHECK(lifeOf(graph, "buffer 0") == Life{1, 3, 0, 16});
  CHECK(lifeOf(graph, "buffer 1") == Life{2, 2, 16, 16});
  CHECK(lifeOf(graph, "buffer 2") == Life{4, 4, 0, 8});
  CHECK(test::oneHas(graph.notes, "nothing begins or ends at 1,999,999,996 of its steps"));
  checkFollowed(model, Bytes(32));
}

TEST_CASE("Vela's log has a table for each memory", "[import][plans]") {
  const auto model = openedPlan(kVela);
  CHECK(model->format == "vela-log");
  REQUIRE(model->parts.size() == 2);
  CHECK(model->parts[model->part].key == "Sram");
  CHECK(lifeOf(*model->graph, "a: b") == Life{2, 4, 128, 64});
  CHECK(lifeOf(*model->graph, "s (Scratch)") == Life{4, 4, 0, 32});
  checkFollowed(model, Bytes(192));
  CHECK(lifeOf(*openedPlan(kVela, "OffChipFlash")->graph, "w (Weights)") == Life{0, 9, 0, 64});
  CHECK(planError(kVela, "Dram") == "the plan has no memory 'Dram'; it has OffChipFlash, Sram");
  CHECK(planError("Tensor Allocation for mem_area Sram, of\n") == "no table of the log has a row");
}

TEST_CASE("XLA's older dumps have pointers before sizes", "[import][plans]") {
  std::string older = kXla;
  for (std::size_t at = older.find(": size "); at != std::string::npos;
       at = older.find(": size ", at + 9)) {
    older.replace(at, 7, ": 0x27017c46b600, size ");
  }
  for (const std::string& text : {older, "BufferAssignment:\n" + older}) {
    const auto model = openedPlan(text + kXlaRanges);
    CHECK(model->format == "xla-dump");
    CHECK(model->parts[model->part].label == "allocation 1: preallocated-temp");
    CHECK(lifeOf(*model->graph, "call{0}") == Life{2, 4, 64, 128});
    checkFollowed(model, Bytes(192));
  }
}

TEST_CASE("XLA's buffer assignment takes lives from its live ranges", "[import][plans]") {
  const auto model = openedPlan(kXla + kXlaRanges);
  CHECK(model->format == "xla-dump");
  CHECK(model->parts[model->part].key == "1");
  CHECK(lifeOf(*model->graph, "fusion.1{}") == Life{1, 2, 0, 64});
  CHECK(lifeOf(*model->graph, "call{0}") == Life{2, 4, 64, 128});
  checkFollowed(model, Bytes(192));
  const auto alone = openedPlan(kXla);
  CHECK(test::oneHas(alone->graph->notes, "3 values have no live range"));
  CHECK(unknownNote(*alone->graph) == "not said in the file: operators, the lives of 3 buffers");
  for (const TensorId id : alone->graph->tensors.keys()) CHECK(isLifeUnknown(*alone->graph, id));
  const auto half = openedPlan(kXla + "  BufferLiveRange:\n    fusion.1{}:1-2\n    add.2{}:3-5\n");
  CHECK(unknownNote(*half->graph) == "not said in the file: operators, the life of 1 buffer");
  for (const TensorId id : half->graph->tensors.keys()) {
    CHECK(isLifeUnknown(*half->graph, id) == (half->graph->tensors[id].name == "call{0}"));
  }
  CHECK(planError("allocation 0: size -1, x:\n value: <1 a @0> (size=1,offset=0): x\n") ==
        "expected 'allocation N: size S, …:' (line 1)");
}

TEST_CASE("ST's plan is followed where its buffers overlap on purpose", "[import][plans]") {
  const auto model = openedPlan(stText());
  CHECK(model->format == "st-network");
  CHECK(model->name == "net");
  CHECK(lifeOf(*model->graph, "x") == Life{1, 3, 0, 100});
  CHECK(lifeOf(*model->graph, "y") == Life{3, 5, 60, 80});
  checkFollowed(model, Bytes(140));
  const Audit audit = auditPlan(model, *embeddedPlan(*model), {});
  REQUIRE(audit.remarks.size() == 1);
  CHECK(audit.remarks[0] ==
        "declared overlap: 'x' and 'y' share bytes 60-99 of L2 in step 3 (40 bytes)");
  const auto run = theirs(model);
  CHECK(std::ranges::any_of(run->notes, [](const std::string& note) {
    return note ==
           "1 pair of tensors shares bytes while both are needed, as the plan's author declares: "
           "those bytes are counted once";
  }));
  // Somebody else's claim of the same is an error.
  PlanDocument claimed = *embeddedPlan(*model);
  claimed.placements[1].offset = Bytes(64);
  CHECK(auditPlan(model, claimed, {}).findings.size() == 1);
  CHECK(planError(stText("3.1")) ==
        "schema version '3.1' of ST Edge AI is not supported; expected 2.0 (json_schema_version)");
}

TEST_CASE("our own plan opens without its model", "[import][plans]") {
  const std::string head = R"({"format": "highwater-plan", "version": 1, "allocator": "free-list",
    "status": "complete", "model": {"name": "net"}, "placements": [)";
  const auto model = openedPlan(head + R"(
    {"tensor": "a", "pool": "L2", "offset": 16, "size": 8, "first": 0, "last": 2},
    {"tensor": "part of a", "pool": "L2", "offset": 20, "size": 4, "first": 2, "last": 5,
     "alias_of": "a"},
    {"tensor": "b", "pool": "L2", "offset": 0, "size": 16, "first": 1, "last": 3},
    {"tensor": "c", "pool": "L3", "offset": 0, "size": 4, "first": 0, "last": 1}]})");
  CHECK(model->format == "plan-json");
  CHECK(model->name == "net");
  REQUIRE(model->parts.size() == 2);
  CHECK(model->parts[model->part].key == "L2");
  CHECK(lifeOf(*model->graph, "a") == Life{0, 5, 16, 8});
  CHECK(lifeOf(*model->graph, "b") == Life{1, 3, 0, 16});
  CHECK(unknownNote(*model->graph) == "not said in the file: operators");
  CHECK(test::oneHas(model->graph->notes, "made by free-list and is complete"));
  checkFollowed(model, Bytes(24));
  const auto guessed = openedPlan(head + R"({"tensor": "a", "offset": 0, "size": 8},
    {"tensor": "b", "offset": 8, "size": 8, "first": 0, "last": 4}]})");
  CHECK(lifeOf(*guessed->graph, "a") == Life{0, 4, 0, 8});
  CHECK(unknownNote(*guessed->graph) == "not said in the file: operators, the life of 1 buffer");
  CHECK(planError(head + "]}") == "the plan places nothing (placements)");
  CHECK(planError(R"({"format": "highwater-plan", "version": 2, "placements": []})") ==
        "plan JSON of version 2 is not known; this program reads version 1 (version)");
  CHECK(planError(head + R"({"tensor": "a", "offset": 0}]})")
            .starts_with("expected a tensor with an offset and a size"));
}

TEST_CASE("an ExecuTorch program of another version says so", "[import][plans]") {
  CHECK(planError(std::string("\x10\0\0\0ET99\0\0\0\0\0\0\0\0", 16)) ==
        "ExecuTorch file 'ET99' is not supported; expected 'ET12' (byte 4)");
}

TEST_CASE("an ExecuTorch program that is all delegates says so", "[import][plans]") {
  test::FlatWriter flat;
  flat.point(0, 64);
  flat.put(4, std::uint32_t{0x32315445});  // ET12
  flat.table(64, {0, 4}, 8);
  flat.point(68, 96);
  flat.one(96, 160);
  flat.table(160, {0, 0, 4, 0, 0, 8, 0, 12, 0}, 16);  // The plan: values, chains, delegates.
  flat.point(164, 192);
  flat.one(192, 224);
  flat.table(224, {4, 8}, 12);  // A tensor that nobody placed.
  flat.put(228, std::uint8_t{5});
  flat.point(232, 256);
  flat.table(256, {}, 4);
  flat.point(168, 288);
  flat.one(288, 320);
  flat.table(320, {0, 0, 4}, 8);
  flat.point(324, 352);
  flat.one(352, 384);
  flat.table(384, {4, 8}, 12);  // It calls a delegate.
  flat.put(388, std::uint8_t{2});
  flat.point(392, 416);
  flat.table(416, {}, 4);
  flat.point(172, 448);
  flat.one(448, 480);
  flat.table(480, {4}, 8);
  flat.point(484, 512);
  flat.text(512, "XnnpackBackend");
  CHECK(planError(flat.bytes) ==
        "all tensors of the ExecuTorch program lie in delegates (XnnpackBackend; 1 of 1 "
        "instructions call one), which plan their own memory: there is no plan in it; give the "
        "model that it was made of");
  flat.put(388, std::uint8_t{1});
  CHECK(planError(flat.bytes) == "no tensor of the ExecuTorch program has a planned place");
}

TEST_CASE("real plans of other tools take what they say", "[import][plans][corpus]") {
  const auto folder = corpusFolder();
  if (!folder) return;
  const auto [file, used] = GENERATE(table<std::string, std::int64_t>({
      {"foreign/st_packetqc_cpu.c_info.json", 327960},
      {"foreign/st_packetqc_tcn.c_info.json", 23936},
      {"foreign/executorch_kws.pte", 16000},
      {"tflite/person_detect_vela.tflite", 74464},
  }));
  CAPTURE(file);
  auto model = test::must(loadModel((*folder / file).string(), {}));
  checkFollowed(std::make_shared<const Model>(std::move(model)), Bytes(used));
}

}  // namespace hw
