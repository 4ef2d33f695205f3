// Recordings of allocators: what was live is live, what was where is there, and nothing runs.

#include <algorithm>
#include <map>
#include <random>

#include "core/check/plan_audit.h"
#include "core/import/importer.h"
#include "core/plan_file/plan_document.h"
#include "core/run/run.h"
#include "tests/support/findings.h"
#include "tests/support/must.h"
#include "tests/support/problems.h"
#include "tests/support/rounds.h"

namespace hw {
namespace {

std::shared_ptr<const Model> openedRecording(const std::string& text,
                                             const std::string& part = {}) {
  auto model = test::must(importModel(text, "recording", {.subgraph = part}));
  return std::make_shared<const Model>(std::move(model));
}

std::string recordingError(const std::string& text, const std::string& part = {}) {
  const auto model = importModel(text, "recording", {.subgraph = part});
  return model ? "" : model.error().text();
}

Result<std::shared_ptr<const Run>> replayedBy(const std::shared_ptr<const Model>& model,
                                              const std::string& allocator) {
  RunRequest request = planningRequest();
  request.allocator = *AllocatorChoice::parse(allocator);
  return execute(model, request, {});
}

Bytes takenBy(const std::shared_ptr<const Model>& model, const std::string& allocator) {
  const auto run = test::must(replayedBy(model, allocator));
  return run->plan.footprint(PoolId(0));
}

/// The bytes of a pickle, instruction by instruction.
class TestPickle {
 public:
  explicit TestPickle(char protocol = 4) { out_ = {'\x80', protocol}; }
  TestPickle& code(std::string_view bytes) {
    out_ += bytes;
    return *this;
  }
  TestPickle& text(std::string_view word) {
    out_ += '\x8c';
    out_ += static_cast<char>(word.size());
    out_ += word;
    return *this;
  }
  TestPickle& whole(std::int64_t value) {
    out_ += '\x8a';
    out_ += '\x08';
    for (int i = 0; i < 8; ++i) out_ += static_cast<char>((value >> (8 * i)) & 0xFF);
    return *this;
  }
  /// {"action": …, "addr": …, "size": …}, asked for by a line of Python's behind one of C++.
  TestPickle& event(std::string_view action, std::int64_t address, std::int64_t size,
                    std::string_view function = {}) {
    code("}(").text("action").text(action).text("addr").whole(address).text("size").whole(size);
    if (!function.empty()) {
      text("frames").code("](}(").text("filename").text("alloc.cpp").text("name").text("malloc");
      text("line").whole(1).code("u}(").text("filename").text("/a/net.py").text("name");
      text(function).text("line").whole(7).code("ue");
    }
    return code("u");
  }
  TestPickle& segment(std::int64_t device, std::int64_t address, std::int64_t size) {
    code("}(").text("device").whole(device).text("address").whole(address);
    return text("total_size").whole(size);
  }
  TestPickle& block(std::int64_t address, std::int64_t size, std::string_view state) {
    code("}(").text("address").whole(address).text("size").whole(size).text("requested_size");
    return whole(size - 12).text("state").text(state).code("u");
  }
  std::string done() { return out_ + "."; }

 private:
  std::string out_;
};

constexpr std::int64_t kBase = 0x7F0000000000;

/// Two devices. On the first a block that is never told of, one that is freed and was there before,
/// one of two lives at one address, and a wish that fails.
std::string smallSnapshot() {
  TestPickle pickle;
  pickle.code("}(").text("segments").code("](");
  pickle.segment(0, kBase, 8192).text("blocks").code("](");
  pickle.block(kBase, 1024, "active_allocated").block(kBase + 1024, 1024, "inactive");
  pickle.block(kBase + 2048, 512, "active_pending_free").code("eu");
  pickle.segment(1, kBase, 4096).code("u");
  pickle.code("e").text("device_traces").code("](](");
  pickle.event("alloc", kBase + 2048, 500, "forward");
  pickle.event("free_completed", kBase + 1024, 700);
  pickle.event("free_requested", kBase + 2048, 500);
  pickle.event("free_completed", kBase + 2048, 500);
  pickle.event("alloc", kBase + 2048, 400);
  pickle.code("}(").text("action").text("oom").text("size").whole(99'999).text("device_free");
  pickle.whole(5).code("u").event("segment_free", kBase + (1 << 24), 16384);
  pickle.code("e](").event("alloc", kBase, 64, "other").code("eeu");
  return pickle.done();
}

TEST_CASE("a log of an allocator is what was live at each allocation", "[import][measured]") {
  const auto model = openedRecording(
      "time,event,id,size,address\n0,alloc,a,100,0x1000\n1.5,alloc,b,50,0x1080\n2,free,a,,\n"
      "2,free,b,,\n3,alloc,a,10,4096\n3,alloc,z,0,0x1010\n");
  CHECK(model->format == "alloc-log");
  const Problem& problem = *model->problem;
  CHECK(problem.steps == Step(4));
  REQUIRE(problem.stays.size() == 3);
  CHECK(problem.stays[StayId(0)].steps == Interval<Step>{Step(0), Step(2)});
  CHECK(problem.stays[StayId(1)].steps == Interval<Step>{Step(1), Step(2)});
  CHECK(problem.stays[StayId(2)].steps == Interval<Step>{Step(2), Step(4)});
  CHECK(model->graph->tensors[TensorId(2)].name == "a (2)");
  CHECK(model->offsets[StayId(1)] == Bytes(0x80));
  CHECK(takenBy(model, "embedded") == Bytes(0x80 + 50));
  CHECK(takenBy(model, "exact") == Bytes(150));
}

TEST_CASE("a log that cannot be is refused with its line", "[import][measured]") {
  const std::string header = "time,event,id,size,address\n";
  const auto [rows, words] = GENERATE(table<std::string, std::string>({
      {"0,alloc,a,4,\n0,alloc,a,4,\n", "block 'a' is allocated again before it is freed (line 3)"},
      {"0,free,a,4,\n", "block 'a' is freed, and is not allocated (line 2)"},
      {"0,grow,a,4,\n", "has event 'grow'; expected alloc or free"},
      {"0,alloc,a,,\n", "is allocated without a size"},
      {"5,alloc,a,4,\n4,free,a,,\n", "has a time before that of the row above it (line 3)"},
      {"x,alloc,a,4,\n", "has a time that is no number"},
      {"0,alloc,,4,\n", "an event has an empty id"},
      {"0,alloc,a,4,0xg\n", "has address '0xg'"},
      {"0,alloc,a,4,-1\n", "has address '-1'"},
      {"0,alloc,a,99999999999999999999,\n", "size"},
  }));
  CHECK_THAT(recordingError(header + rows), Catch::Contains(words));
}

TEST_CASE("random recordings keep who was live with whom, and where", "[import][measured]") {
  for (std::uint64_t round = 0; round < test::rounds(200); ++round) {
    const auto seed = static_cast<unsigned>(round + 1);
    INFO("seed " << seed);
    std::mt19937 dice(seed);
    struct Lying {
      std::int64_t address, size;
    };
    std::map<int, Lying> live;
    std::string log = "event,id,time,size,address\n";
    std::int64_t sum = 0, most = 0, top = 0, lowest = INT64_MAX;
    bool allocated = false;
    for (int i = 0; i < 60; ++i) {
      if (!live.empty() && dice() % 5 < 2) {
        const auto gone =
            std::next(live.begin(), static_cast<std::ptrdiff_t>(dice() % live.size()));
        log += "free," + std::to_string(gone->first) + "," + std::to_string(i) + ",,\n";
        sum -= gone->second.size;
        live.erase(gone);
        continue;
      }
      // The lowest hole from a place that is drawn, so that plans have holes.
      std::int64_t at = 4096 + static_cast<std::int64_t>(dice() % 8) * 64;
      const std::int64_t size = 1 + static_cast<std::int64_t>(dice() % 300);
      for (bool moved = true; moved;) {
        moved = false;
        for (const auto& [id, other] : live) {
          if (at >= other.address + other.size || at + size <= other.address) continue;
          at = other.address + other.size;
          moved = true;
        }
      }
      live[i] = {at, size};
      log += "alloc," + std::to_string(i) + "," + std::to_string(i) + "," + std::to_string(size) +
             "," + std::to_string(at) + "\n";
      sum += size;
      most = std::max(most, sum);
      top = std::max(top, at + size);
      lowest = std::min(lowest, at);
      allocated = true;
    }
    if (!allocated) continue;
    const auto model = openedRecording(log);
    const auto run = test::must(replayedBy(model, "embedded"));
    CHECK(run->metrics.pools[PoolId(0)].lowerBound == Bytes(most));
    CHECK(run->plan.footprint(PoolId(0)) == Bytes(top - lowest));
    const auto document = test::must(embeddedPlan(*model));
    CHECK(auditPlan(model, document, {}).findings.empty());
    CHECK(takenBy(model, "free-list") >= Bytes(most));
  }
}

TEST_CASE("places far from each other are brought together", "[import][measured]") {
  const auto model = openedRecording(
      "time,event,id,size,address\n0,alloc,a,100,0x10000000\n1,alloc,b,50,0x7f0000000040\n");
  CHECK(model->offsets[StayId(0)] == Bytes(0));
  CHECK(model->offsets[StayId(1)] == Bytes(4096));
  CHECK(test::oneHas(model->graph->notes, "2 places far from each other"));
}

TEST_CASE("a snapshot of PyTorch's tells of what was there before it", "[import][measured]") {
  const auto model = openedRecording(smallSnapshot());
  CHECK(model->format == "torch-snapshot");
  REQUIRE(model->parts.size() == 2);
  CHECK(model->part == 0);
  const Problem& problem = *model->problem;
  CHECK(problem.steps == Step(3));
  REQUIRE(problem.stays.size() == 4);
  struct Expected {
    std::int64_t begin, end, size, offset;
    std::string name;
  };
  const std::vector<Expected> expected = {{1, 2, 500, 2048, "#0 forward net.py:7"},
                                          {0, 2, 700, 1024, "#1"},
                                          {2, 3, 400, 2048, "#2"},
                                          {0, 3, 1012, 0, "#3"}};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const Stay& stay = problem.stays[StayId(i)];
    INFO("block " << i);
    CHECK(stay.steps == Interval<Step>{Step(expected[i].begin), Step(expected[i].end)});
    CHECK(stay.size == Bytes(expected[i].size));
    CHECK(model->offsets[StayId(i)] == Bytes(expected[i].offset));
    CHECK(model->graph->tensors[TensorId(i)].name == expected[i].name);
  }
  CHECK(test::oneHas(model->graph->notes,
                     "PyTorch reserved 24,576 bytes at the most, and 8,192 at the end"));
  CHECK(test::oneHas(model->graph->notes, "2 blocks were there when recording began"));
  CHECK(test::oneHas(model->graph->notes,
                     "ran out of memory 1 times; the largest wish that failed was 99,999 bytes"));
  CHECK(takenBy(model, "embedded") == Bytes(2548));
  const auto other = openedRecording(smallSnapshot(), "1");
  CHECK(other->problem->stays.size() == 1);
  CHECK_THAT(recordingError(smallSnapshot(), "7"), Catch::Contains("has no device '7'"));
}

TEST_CASE("a block whose end nothing told of ends where the next begins", "[import][measured]") {
  TestPickle pickle;
  pickle.code("}(").text("device_traces").code("](](").event("alloc", kBase, 10);
  pickle.event("alloc", kBase, 20).code("eeu");
  const auto model = openedRecording(pickle.done());
  CHECK(takenBy(model, "embedded") == Bytes(20));
  CHECK(test::oneHas(model->graph->notes, "1 blocks end where another begins at their address"));
}

TEST_CASE("nothing in a pickle runs, and what is broken is named", "[import][measured]") {
  const auto [bytes, words] = GENERATE(table<std::string, std::string>({
      {TestPickle().code("cos\nsystem\n(X").done(), "asks to run something (GLOBAL)"},
      {TestPickle().text("os").text("system").code("\x93").done(), "(STACK_GLOBAL)"},
      {TestPickle().code("N)R").done(), "(REDUCE); nothing in it is run"},
      {TestPickle().code("N)\x81").done(), "(NEWOBJ)"},
      {TestPickle().code("\x97").done(), "an instruction 0x97 that no recording needs (byte 2)"},
      {TestPickle(6).code("}").done(), "newer protocol than 5"},
      {TestPickle().code("e").done(), "goes back to a mark that is not there"},
      {TestPickle().code("h\x09").done(), "uses what it does not remember"},
      {TestPickle().code("r\xff\xff\xff\x7f").done(), "remembers nothing"},
      {TestPickle().code("X\xff\xff\xff\x7f").done(), "ends in the middle"},
      {TestPickle().code(std::string(2000, '(')).done(), "is nested too deep"},
      {TestPickle().code(std::string(2'000'000, 'N')).done(), "stacks too much"},
      {TestPickle().code("}").done(), "no snapshot of PyTorch's memory"},
      {TestPickle().code("}(").text("a").code("u").done(), "has a key without a value"},
      {TestPickle().event("alloc", -1, 4).done(), "has a address that cannot be"},
      {TestPickle().code("}(").text("action").text("alloc").code("u").done(),
       "an event without address or size"},
  }));
  CHECK_THAT(recordingError(bytes), Catch::Contains(words));
}

TEST_CASE("a snapshot that ends anywhere is refused, never a crash", "[import][measured]") {
  const std::string whole = smallSnapshot();
  for (std::size_t length = 3; length < whole.size(); ++length) {
    INFO("length " << length);
    CHECK_FALSE(recordingError(whole.substr(0, length)).empty());
  }
}

TEST_CASE("a snapshot with bytes changed is read or refused", "[import][measured]") {
  const std::string whole = smallSnapshot();
  for (std::uint64_t round = 0; round < test::rounds(3000); ++round) {
    std::mt19937 dice(static_cast<unsigned>(round + 1));
    std::string changed = whole;
    for (unsigned i = 0; i <= dice() % 3; ++i) {
      changed[2 + dice() % (changed.size() - 2)] = static_cast<char>(dice());
    }
    INFO("seed " << round + 1);
    const auto model = importModel(changed, "changed.pickle", {});
    if (!model) CHECK_FALSE(model.error().message.empty());
    if (model) CHECK(model->problem);
  }
}

TEST_CASE("offsets of a problem are a plan that can be followed", "[import][csv][measured]") {
  const auto model =
      openedRecording("id,lower,upper,size,offset\na,0,4,16,8\nb,4,6,8,0\nc,0,2,8,\nd,0,2,0,5\n");
  CHECK(takenBy(model, "embedded") == Bytes(24));
  const auto run = test::must(replayedBy(model, "embedded"));
  CHECK(run->plan.flatOffset(StayId(0)) == Bytes(8));
  CHECK(run->plan.flatOffset(StayId(2)) == Bytes(0));
  const auto document = test::must(embeddedPlan(*model));
  CHECK(document.placements.size() == 2);  // d takes no bytes.
  const auto bad =
      openedRecording("id,lower,upper,size,offset\na,0,4,16,8\nb,4,6,8,0\nc,3,5,8,4\n");
  CHECK_THAT(test::mustFail(replayedBy(bad, "embedded")).text(),
             Catch::Contains("'a' and 'c' share bytes 8-11 while both are live, from step 3 on"));
  const auto odd = openedRecording("id,lower,upper,size,offset,alignment\nq,0,4,16,6,4\n");
  CHECK_THAT(replayedBy(odd, "embedded").error().text(),
             Catch::Contains("'q' is at byte 6, not a multiple of 4"));
}

}  // namespace
}  // namespace hw
