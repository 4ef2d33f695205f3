#include "tests/cli/program.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>

#include "core/allocators/catalog.h"
#include "core/base/json.h"
#include "core/import/samples.h"
#include "tests/support/rounds.h"

namespace hw::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kHostile = R"({"format":"highwater-graph","version":1,"name":"\u001b[31mred",
  "tensors":[{"name":"x\n,\"y\"","bytes":4},{"name":"\u001b]0;title\u0007","bytes":8},
             {"name":"\u202etxt","bytes":2}],
  "inputs":["x\n,\"y\""],"outputs":["\u202etxt"],
  "ops":[{"name":"\u0000","type":"\u001b[1mConv","inputs":["x\n,\"y\""],
          "outputs":["\u001b]0;title\u0007"]},
         {"name":"b","type":"Relu","inputs":["\u001b]0;title\u0007"],"outputs":["\u202etxt"]}]})";

bool hasControlCharacters(const std::string& text) {
  return text.find_first_of(std::string("\x1b\x07\x00\r", 4)) != std::string::npos;
}

}  // namespace

TEST_CASE("names from files cannot write to the terminal", "[cli]") {
  const Shell shell;
  shell.write("hostile.json", kHostile);
  for (const char* command :
       {"info hostile.json", "plan hostile.json", "compare hostile.json -a none,free-list",
        "simulate hostile.json", "plan hostile.json -a free-list --l2 2 --l3 2",
        "check hostile.json plan.json", "plan 'no\x1b[31msuch'", "plan x --\x1b[31mred"}) {
    CAPTURE(command);
    const Outcome outcome = shell.run(std::string("highwater ") + command);
    CHECK_FALSE(hasControlCharacters(outcome.out));
    CHECK_FALSE(hasControlCharacters(outcome.err));
    CHECK(outcome.exitCode <= 3);
  }
}

TEST_CASE("a terminal gets no CSV or JSON that writes to it, a file gets it as it is", "[cli]") {
  const Shell shell;
  if (shell.run("script -qec true /dev/null").exitCode != 0) {
    WARN("skipped: no program 'script' that gives a terminal");
    return;
  }
  shell.write("hostile.json", kHostile);
  for (const char* command :
       {"simulate hostile.json --format csv", "plan hostile.json --format csv",
        "plan hostile.json --format json", "convert hostile.json -o -"}) {
    CAPTURE(command);
    const Outcome shown =
        shell.run("script -qec \"highwater " + std::string(command) + "\" /dev/null");
    CHECK(shown.out.find('\x1b') == std::string::npos);
    CHECK(shown.out.find('\x07') == std::string::npos);
    CHECK(shown.out.find("\u202e") == std::string::npos);
  }
  CHECK(shell.run("highwater simulate hostile.json --format csv").out.find("\x1b[1mConv") !=
        std::string::npos);
}

TEST_CASE("a name that looks like a formula comes back from CSV as it was", "[cli]") {
  const Shell shell;
  const std::string problem =
      "id,lower,upper,size\n'=1+1,0,2,16\n'@x,1,3,8\n''+a,1,2,8\n-5,0,1,4\n";
  shell.write("p.csv", problem);
  CHECK(shell.run("highwater convert p.csv -o again.csv").exitCode == 0);
  CHECK(shell.read("again.csv") == problem);
  CHECK(shell.run("highwater info p.csv --all").out.find(" =1+1 ") != std::string::npos);
  CHECK(shell.run("highwater plan p.csv -q -o plan.csv").exitCode == 0);
  CHECK(shell.read("plan.csv").find("\n'=1+1,") != std::string::npos);
  CHECK(shell.run("highwater check p.csv plan.csv").exitCode == 0);
  shell.write("g.graph.json", R"({"format":"highwater-graph","version":1,"name":"g",
    "tensors":[{"name":"x","bytes":4},{"name":"y","bytes":8}],"inputs":["x"],"outputs":["y"],
    "ops":[{"name":"+a","type":"=b","inputs":["x"],"outputs":["y"]}]})");
  CHECK(shell.run("highwater simulate g.graph.json --format csv").out.find("0,'+a,'=b,") !=
        std::string::npos);
}

TEST_CASE("plans of other tools are held against a model", "[cli]") {
  const Shell shell;
  shell.write("g.graph.json", R"({"format":"highwater-graph","version":1,"name":"g",
    "tensors":[{"name":"x","bytes":64},{"name":"y","bytes":64}],"inputs":["x"],"outputs":["y"],
    "ops":[{"name":"a","type":"Conv","inputs":["x"],"outputs":["y"]}]})");
  const auto info = [](const char* place) {
    return std::string(R"({"buffers": [
      {"epochs": {"end": 1, "start": 0}, "flags": "STAI_FLAG_ACTIVATIONS", "id": 1,
       "is_param": false, "mpool_id": 0, "name": "x", "offset_start": 0, "size_bytes": 64},
      {"epochs": {"end": 1, "start": 0}, "flags": "STAI_FLAG_ACTIVATIONS", "id": 2,
       "is_param": false, "mpool_id": 0, "name": "y", "offset_start": )") +
           place + R"(, "size_bytes": 64}],
      "graphs": [{"name": "g", "nodes": []}], "json_schema_version": "2.0",
      "memory_pools": [{"id": 0, "name": "ram", "used_size_bytes": 128, "size_bytes": -1}]})";
  };
  shell.write("good.c_info.json", info("64"));
  shell.write("bad.c_info.json", info("32"));
  CHECK(shell.run("highwater check g.graph.json good.c_info.json").exitCode == 0);
  CHECK(shell.run("highwater check g.graph.json bad.c_info.json").exitCode == 1);
  const Outcome same = shell.run("highwater diff g.graph.json good.c_info.json --format json");
  CHECK(same.exitCode <= 1);
  CHECK(Json::parse(same.out)["b"]["name"] == "good.c_info.json");
  CHECK(Json::parse(same.out)["a"]["name"] == "best");
  CHECK(shell.run("highwater diff good.c_info.json good.c_info.json").exitCode == 0);
}

TEST_CASE("odd names come back from plans and graphs as they were", "[cli]") {
  const Shell shell;
  shell.write("hostile.json", kHostile);
  CHECK(shell.run("highwater plan hostile.json -q -o p.json && highwater check hostile.json p.json")
            .exitCode == 0);
  CHECK(shell.run("highwater plan hostile.json -q -o p.csv && highwater check hostile.json p.csv")
            .exitCode == 0);
  CHECK(shell
            .run("highwater convert hostile.json -o h.graph.json && "
                 "highwater plan h.graph.json --format csv > a && "
                 "highwater plan hostile.json --format csv > b && cmp a b")
            .exitCode == 0);
}

TEST_CASE("JSON on standard output is JSON and nothing else, whatever happens", "[cli]") {
  const Shell shell;
  const std::string command = GENERATE(
      "info samples:chain", "plan samples:resnet50",
      "plan samples:chain -a free-list --l2 9 --l3 9", "compare samples:chain -a none,free-list",
      "compare samples:chain --l2 1 --l3 1 -a none", "simulate samples:resnet8", "list allocators",
      "list platforms", "list importers", "list exporters", "list samples");
  CAPTURE(command);
  const Outcome outcome = shell.run("highwater " + command + " --format json");
  CHECK(parseJson(outcome.out).has_value());
}

TEST_CASE("a result that cannot be written leaves nothing behind", "[cli]") {
  const Shell shell;
  shell.write("keep.json", "old");
  CHECK(shell.run("ulimit -f 1; highwater plan samples:resnet50 -o keep.json").exitCode != 0);
  CHECK(shell.read("keep.json") == "old");
  // The signal of `ulimit` ends the program before it can tidy up; a full disk does not.
  CHECK(shell.run("highwater plan no_such.onnx -o new.json").exitCode == 3);
  CHECK_FALSE(shell.has("new.json"));
  CHECK(shell.run("highwater plan samples:chain -o /dev/full --format json").exitCode == 3);
  CHECK(fs::is_character_file("/dev/full"));
}

TEST_CASE("a reader that goes away is not an error worth words", "[cli]") {
  const Shell shell;
  const Outcome outcome = shell.run("highwater plan samples:bert_base --all | head -1");
  CHECK(outcome.exitCode == 0);
  CHECK(outcome.err.empty());
}

TEST_CASE("Ctrl-C ends long work at once with 130", "[cli]") {
  const Shell shell;
  shell.write("endless.csv", endlessProblem());
  const Outcome outcome = shell.run(
      "timeout --preserve-status -s INT 1 highwater plan endless.csv -o plan.json "
      "-a hill-climb:seconds=60,tries=99999999,stuck=99999999");
  CHECK(outcome.exitCode == 130);
  // On a machine so busy that planning has not begun, there is nothing to stop and to say.
  CHECK((outcome.err.empty() || outcome.err == "highwater: endless.csv: the run was stopped\n"));
  CHECK(shell.entries() == 1);
}

TEST_CASE("a comparison that is stopped keeps the rows that are done", "[cli]") {
  const Shell shell;
  shell.write("endless.csv", endlessProblem());
  const std::string compare =
      "highwater compare endless.csv samples:chain --threads 1 --format csv -o rows.csv "
      "-a none,in-order,hill-climb:seconds=60,tries=99999999,stuck=99999999 ";
  // Ctrl-C comes when it is told that two rows are done, however long that takes.
  const Outcome outcome =
      shell.run(": >told; " + compare +
                "--progress 2>told & p=$!; until grep -q '2 of 3' told; do sleep 0.05; done; "
                "kill -INT $p; wait $p; code=$?; tail -n 1 told >&2; rm told; exit $code");
  CAPTURE(outcome.err);
  CHECK(outcome.exitCode == 130);
  CHECK(outcome.err ==
        "highwater: the comparison was stopped: 2 of 3 rows are done, 1 model not begun\n");
  const std::string rows = shell.read("rows.csv");
  CHECK(rows.find("endless.csv,in-order,complete,true,") != std::string::npos);
  CHECK(rows.find("endless.csv,none,complete,false,") != std::string::npos);
  CHECK(rows.find(",stopped,false,,") != std::string::npos);
  CHECK(rows.find("samples:chain,,failed,") != std::string::npos);
  CHECK(shell.entries() == 2);
}

TEST_CASE("a comparison that its time stops says so and writes what it has", "[cli]") {
  const Shell shell;
  shell.write("endless.csv", endlessProblem());
  const Outcome outcome = shell.run(
      "highwater compare endless.csv --threads 1 --format csv -o rows.csv --stop-after 0.5 "
      "-a hill-climb:seconds=0,tries=99999999,stuck=99999999");
  CHECK(outcome.exitCode == 1);
  CHECK(outcome.err.starts_with("highwater: the comparison was stopped: "));
  CHECK(shell.read("rows.csv").find(",stopped,false,,") != std::string::npos);
}

TEST_CASE("progress is told when asked for, and never mixes with the result", "[cli]") {
  const Shell shell;
  const std::string compare = "highwater compare samples:residual -a none,free-list --format json ";
  const Outcome quiet = shell.run(compare);
  CHECK(quiet.err.empty());
  const Outcome told = shell.run(compare + "--progress");
  CHECK(parseJson(told.out).has_value());
  CHECK(told.err.find("100 % 2 of 2 rows done\n") != std::string::npos);
  const Outcome simulated =
      shell.run("highwater simulate samples:residual --progress -o times.json");
  for (const char* stage :
       {"ordering operators\n", "running operators again\n", "cutting into parts\n",
        "sharing storage\n", "planning\n", "simulating\n"}) {
    CHECK(simulated.err.find(stage) != std::string::npos);
  }
}

TEST_CASE("equal command lines give equal bytes", "[cli]") {
  const Shell shell;
  const std::string command =
      GENERATE("plan samples:inception_v3 --format json", "plan samples:yolo --format csv",
               "plan samples:unet -a hill-climb --format json",
               "simulate samples:squeezenet --format json --threads 2",
               "simulate samples:squeezenet --events -",
               "compare samples:yolo samples:unet --threads 2 --format csv | cut -d, -f1-16 | "
               "sed 's/,[^,]*$//' #",
               "convert samples:bert_base --to graph-json -o -");
  CAPTURE(command);
  CHECK(
      shell
          .run("highwater " + command + " > a; highwater " + command + " > b; cmp a b && test -s a")
          .exitCode == 0);
}

TEST_CASE("what any allocator plans passes the auditor, its tables included", "[cli]") {
  const Shell shell;
  const std::string platform = GENERATE("generic-npu", "two-devices");
  for (const AllocatorInfo& info : allocatorCatalog()) {
    const std::string command = "highwater plan samples:residual -q -o plan.json --platform " +
                                platform + " -a " + std::string(info.name) +
                                " && highwater check samples:residual plan.json --platform " +
                                platform;
    const Outcome outcome = shell.run(command);
    CAPTURE(command, outcome.out, outcome.err);
    CHECK(outcome.exitCode == 0);
  }
}

TEST_CASE("every sample can be planned, checked, simulated and converted", "[cli]") {
  const Shell shell;
  const auto samples = sampleCatalog();
  REQUIRE(samples.size() >= 20);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (!isTried(i)) continue;
    const SampleInfo& sample = samples[i];
    const std::string model = "samples:" + sample.name;
    CAPTURE(model);
    for (const char* allocator : {"greedy-by-size", "free-list", "none"}) {
      const Outcome outcome =
          shell.run("highwater plan " + model + " -a " + allocator +
                    " -q -o plan.json && highwater check " + model + " plan.json --replay");
      CAPTURE(allocator, outcome.out, outcome.err);
      CHECK(outcome.exitCode == 0);
    }
    CHECK(shell
              .run("highwater plan " + model + " -q -o plan.csv && highwater check " + model +
                   " plan.csv")
              .exitCode == 0);
    // Bare problems spill only into an L3 that is asked for.
    CHECK(shell.run("highwater simulate " + model + " --l3 1GiB -q -o sim.json").exitCode == 0);
    CHECK(shell
              .run("highwater convert " + model + " -o problem.csv && " +
                   "highwater convert problem.csv -o again.csv && cmp problem.csv again.csv")
              .exitCode == 0);
  }
}

}  // namespace hw::test
