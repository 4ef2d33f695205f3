// Profiles of ONNX Runtime: what was asked for step by step, and whatever is wrong with the file.

#include <algorithm>
#include <ctime>
#include <random>

#include "core/import/importer.h"
#include "core/import/measured/operator_profile.h"
#include "core/report/model/model_summary.h"
#include "core/storage/aliasing.h"
#include "tests/support/corpus.h"
#include "tests/support/findings.h"
#include "tests/support/must.h"
#include "tests/support/rounds.h"

namespace hw {
namespace {

/// An operator's event as ONNX Runtime writes it.
std::string kernelEvent(const std::string& name, const std::string& type, std::int64_t output,
                        std::int64_t requested, std::int64_t change, std::int64_t start = 0,
                        std::int64_t micros = 2) {
  return R"({"cat":"Node","pid":1,"tid":1,"dur":)" + std::to_string(micros) + R"(,"ts":)" +
         std::to_string(start) + R"(,"ph":"X","name":")" + name +
         R"(_kernel_time","args":{"op_name":")" + type + R"(","node_index":"3","output_size":")" +
         std::to_string(output) +
         R"(","parameter_size":"8","activation_size":"16","mem_bytes_requested_in_use":")" +
         std::to_string(requested) + R"(","mem_requested_in_use_delta":")" +
         std::to_string(change) + R"(","output_type_shape":[{"float":[)" +
         std::to_string(output / 4) + R"(]}]}})";
}

constexpr const char* kSessionBegins =
    R"({"cat":"Session","dur":4,"ts":1,"ph":"X","name":"session_initialization","args":{}})";
constexpr const char* kRunEnds =
    R"({"cat":"Session","dur":9,"ts":1,"ph":"X","name":"model_run","args":{}})";

std::string profileOf(const std::vector<std::string>& events, bool ends = true) {
  std::string text = "[" + std::string(kSessionBegins);
  for (const std::string& event : events) text += ",\n" + event;
  return text + (ends ? "\n]\n" : "");
}

std::shared_ptr<const Model> openedProfile(const std::string& text, const std::string& run = {}) {
  auto model = test::must(importModel(text, "profile.json", {.subgraph = run}));
  return std::make_shared<const Model>(std::move(model));
}

std::string profileError(const std::string& text, const std::string& run = {}) {
  const auto model = importModel(text, "profile.json", {.subgraph = run});
  return model ? "" : model.error().text();
}

/// Bytes live at each operator of the graph that was made of a profile.
std::vector<Bytes> liveSteps(const Graph& graph) {
  const auto lives = lifetimes(graph, givenOrder(graph));
  std::vector<Bytes> live(graph.ops.size());
  for (const TensorId id : graph.tensors.keys()) {
    for (Step at = lives[id].begin; at < lives[id].end; at += Step(1)) {
      live[static_cast<std::size_t>(at.count())] += *graph.tensors[id].bytes;
    }
  }
  return live;
}

/// x -> conv 40 -> relu 40, then conv is gone; reshape takes nothing; two go, one is left.
std::string smallProfile(bool ends = true) {
  return profileOf(
      {kernelEvent("conv", "Conv", 40, 140, 40), kernelEvent("relu", "Relu", 40, 180, 40),
       kernelEvent("flat", "Reshape", 40, 140, 0), kernelEvent("sum", "Add", 24, 164, 24),
       kRunEnds},
      ends);
}

TEST_CASE("a profile is its operators and what they asked for", "[import][measured][ort]") {
  const auto model = openedProfile(smallProfile());
  CHECK(model->format == "ort-profile");
  const Graph& graph = *model->graph;
  REQUIRE(graph.ops.size() == 4);
  CHECK(graph.ops[OpId(0)].name == "conv");
  CHECK(graph.ops[OpId(2)].type == "Reshape");
  CHECK(graph.ops[OpId(1)].intAttribute("output_size", 0) == 40);
  CHECK(graph.ops[OpId(1)].intAttribute("parameter_size", 0) == 8);
  CHECK(graph.ops[OpId(1)].intAttribute("activation_size", 0) == 16);
  CHECK(graph.ops[OpId(1)].intAttribute("duration_us", 0) == 2);
  CHECK(liveSteps(graph) == std::vector{Bytes(40), Bytes(80), Bytes(40), Bytes(64)});
  // Conv's was given back, not relu's, which had just been made.
  REQUIRE(graph.tensors.size() == 3);
  CHECK(lifetimes(graph, givenOrder(graph))[TensorId(0)] == Interval<Step>{Step(0), Step(2)});
  CHECK(graph.tensors[TensorId(1)].shape == Shape{10});
  CHECK(test::oneHas(model->graph->notes,
                     "at the most 80 bytes were asked for at once, at operator 1, 'relu'; 100 "));
  CHECK(test::oneHas(model->graph->notes, "4 operators, which took 8 \u00b5s"));
  CHECK(measuredTime(graph) == SimTime(8'000'000));
  CHECK_FALSE(measuredTime(Graph()));
  const ModelSummary summary = summarise(*model);
  CHECK(summary.lowerBound == Bytes(80));
  CHECK_THAT(summaryText(*model, summary, {}),
             Catch::Contains("operators as measured, largest outputs first (4)"));
  CHECK(summaryJson(*model, summary)["measured"][3]["output_size"] == 24);
}

TEST_CASE("random profiles keep what was asked for at every step", "[import][measured][ort]") {
  for (std::uint64_t round = 0; round < test::rounds(300); ++round) {
    const auto seed = static_cast<unsigned>(round + 1);
    INFO("seed " << seed);
    std::mt19937 dice(seed);
    std::vector<std::string> events;
    std::vector<std::int64_t> blocks;
    std::vector<Bytes> expected;
    const std::int64_t standing = dice() % 500;
    std::int64_t now = standing;
    const bool alike = dice() % 2 == 0;  // Few sizes, so that several blocks could be meant.
    for (int i = 0; i < 40; ++i) {
      for (std::size_t k = 0; i > 0 && k < blocks.size();) {
        const bool gone = dice() % 3 == 0;
        if (gone) now -= blocks[k];
        if (gone) blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(k));
        if (!gone) ++k;
      }
      const std::int64_t size = dice() % 4 == 0 ? 0 : 4 * (1 + dice() % (alike ? 3 : 1000));
      if (size > 0) blocks.push_back(size);
      now += size;
      events.push_back(kernelEvent("n" + std::to_string(i), "Add", size, now, size));
      expected.push_back(Bytes(now - standing));
    }
    events.emplace_back(kRunEnds);
    const auto model = openedProfile(profileOf(events));
    CHECK(liveSteps(*model->graph) == expected);
  }
}

TEST_CASE("a profile that ends anywhere is read as far as it goes", "[import][measured][ort]") {
  const std::string whole = smallProfile(false);
  std::size_t most = 0;
  for (std::size_t length = 1; length <= whole.size(); ++length) {
    INFO("length " << length);
    const auto model = importModel(std::string_view(whole).substr(0, length), "cut.json", {});
    if (!model) {
      CHECK_FALSE(model.error().message.empty());
      CHECK(most == 0);
      continue;
    }
    CHECK(model->graph->ops.size() >= most);
    most = model->graph->ops.size();
    CHECK(test::oneHas(model->graph->notes, "ends before its list does"));
  }
  CHECK(most == 4);
  CHECK(test::oneHas(openedProfile(smallProfile(false) + ",\n")->graph->notes,
                     "ends before its list does"));
  CHECK_FALSE(
      test::oneHas(openedProfile(smallProfile())->graph->notes, "ends before its list does"));
}

TEST_CASE("a profile that cannot be is refused with its event", "[import][measured][ort]") {
  const auto [event, words] = GENERATE(table<std::string, std::string>({
      {R"({"cat":"Node","name":"a_kernel_time","ts":1,"args":3})", "expected an object, found 3"},
      {R"({"cat":"Node","name":"a_kernel_time","ts":1})", "expected an operator's event with args"},
      {R"({"cat":"Node","name":"a_kernel_time","ts":-1,"args":{}})", "(event 2, byte "},
      {R"({"cat":"Node","name":"a_kernel_time","args":{"output_size":"-4"}})",
       R"(expected bytes, not below 0, found "-4" (event 2, byte )"},
      {R"({"cat":"Node","name":"a_kernel_time","args":{"output_size":"9999999999999999999"}})",
       "expected a whole number"},
      {R"({"cat":"Node","name":"a_kernel_time","args":{"output_size":18446744073709551615}})",
       "expected a whole number"},
      {kernelEvent("a", "Add", 4, 4, 8), "operator 'a' asks for more than there was"},
      {R"({"cat":"Node","name":"a_kernel_time","args":{"output_type_shape":[{"float":[-1]}]}})",
       "output_type_shape[0]"},
      {R"({"cat":"Node", oops})", "not valid JSON"},
      {R"({"a":)" + std::string(100, '[') + std::string(100, ']') + "}", "nested more than 64"},
      {"[]", "expected an event, an object (event 2"},
      {"17", "expected an event, an object"},
      {kRunEnds, "run 1 has no operators"},
      {kSessionBegins, "the profile has no run of a model"},
  }));
  CHECK_THAT(profileError(profileOf({event})), Catch::Contains(words));
}

TEST_CASE("of several runs one is chosen", "[import][measured][ort]") {
  const std::string text =
      profileOf({kernelEvent("a", "Add", 8, 8, 8), kRunEnds, kernelEvent("b", "Add", 8, 24, 16),
                 kernelEvent("c", "Add", 8, 40, 16), kRunEnds});
  CHECK(openedProfile(text)->graph->ops.size() == 1);
  const auto second = openedProfile(text, "2");
  CHECK(second->graph->ops.size() == 2);
  CHECK(second->parts.size() == 2);
  CHECK(second->part == 1);
  CHECK(test::oneHas(second->graph->notes, "this is run 2 of 2"));
  CHECK_THAT(profileError(text, "3"), Catch::Contains("has no run 3; it has 2"));
  CHECK_THAT(profileError(text, "0"), Catch::Contains("it has no '0'"));
  CHECK_THAT(profileError(text, "x"), Catch::Contains("it has no 'x'"));
}

TEST_CASE("what runs in bodies belongs to the operator around them", "[import][measured][ort]") {
  const std::string text = profileOf(
      {kernelEvent("a", "Add", 8, 8, 8, 10, 5), kernelEvent("in", "Mul", 8, 100, 92, 22, 3),
       kernelEvent("in", "Mul", 8, 90, 0, 26, 1), kernelEvent("if", "If", 8, 16, 8, 20, 9),
       kernelEvent("b", "Add", 8, 24, 8, 30, 1), kRunEnds});
  const auto profile = test::must(readOperatorProfile(text));
  REQUIRE(profile.ops.size() == 3);
  CHECK(profile.ops[1].inside == 2);
  CHECK(profile.liveAt(0) == Bytes(8));
  CHECK(profile.liveAt(1) == Bytes(100));
  CHECK(test::oneHas(openedProfile(text)->graph->notes, "2 operators ran inside bodies"));
}

TEST_CASE("profiles of older versions say nothing of memory", "[import][measured][ort]") {
  const std::string event = R"({"cat" : "Node","pid" :1,"dur" :7,"ts" :3,"ph" : "X","name" :"a)";
  const auto model = openedProfile(
      "[\n"
      R"({"cat" : "Session","dur" :2,"ts" :3,"name" :"model_loading_uri","args" : {}},)"
      "\n" +
      event +
      R"(_fence_before","args" : {"op_name" : "Add"}},)"
      "\n" +
      event +
      R"(_kernel_time","args" : {"op_name" : "Add","output_size" : "40","parameter_size" : ""}},)"
      "\n");
  REQUIRE(model->graph->ops.size() == 1);
  CHECK(liveSteps(*model->graph) == std::vector{Bytes(40)});
  CHECK(test::oneHas(model->graph->notes, "does not tell what was asked for"));
}

TEST_CASE("a long profile is read in a time that its length decides", "[import][measured][ort]") {
  // Of this thread, so that nobody else counts.
  const auto secondsOfThread = [] {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
  };
  const auto secondsFor = [&](int operators) {
    std::vector<std::string> events;
    for (int i = 0; i < operators; ++i) {
      events.push_back(kernelEvent("n" + std::to_string(i), "Add", 8, 8 * (1 + i % 7), 8));
    }
    const std::string text = profileOf(events);
    const double before = secondsOfThread();
    const auto model = openedProfile(text);
    CHECK(model->graph->ops.size() == static_cast<std::size_t>(operators));
    return secondsOfThread() - before;
  };
  secondsFor(2'000);  // Once for what is made the first time.
  const double some = secondsFor(2'000);
  CHECK(secondsFor(16'000) < 24 * some);  // 8 times; 64 where each looks at all.
}

TEST_CASE("a profile with bytes changed is read or refused", "[import][measured][ort]") {
  const std::string whole = smallProfile();
  for (std::uint64_t round = 0; round < test::rounds(2000); ++round) {
    std::mt19937 dice(static_cast<unsigned>(round + 1));
    std::string changed = whole;
    for (unsigned i = 0; i <= dice() % 3; ++i) {
      changed[1 + dice() % (changed.size() - 1)] = "{}[]\",:-09x\\\xFF"[dice() % 14];
    }
    INFO("seed " << round + 1);
    const auto model = importModel(changed, "changed.json", {});
    if (!model) CHECK_FALSE(model.error().message.empty());
    if (model) CHECK(model->graph->ops.size() >= 1);
  }
}

TEST_CASE("a profile of basic_pitch asks for what it is known to", "[import][measured][corpus]") {
  const auto folder = corpusFolder("foreign");
  if (!folder) return;
  const auto model = test::must(loadModel((*folder / "ort_basic_pitch.profile.json").string(), {}));
  CHECK(model.graph->ops.size() == 248);
  CHECK(summarise(model).lowerBound == Bytes(5'993'856));
  CHECK(test::oneHas(model.graph->notes, "6,960,012 bytes were in use at the most, of 15,731,084"));
}

}  // namespace
}  // namespace hw
