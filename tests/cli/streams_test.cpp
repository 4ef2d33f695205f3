// Standard streams that are closed or full, signals, and the names of files.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "tests/cli/program.h"

namespace hw::test {
namespace {

/// A study whose one allocator is a plug-in that is not there.
constexpr const char* kPluginStudy =
    "models = [\"samples:chain\"]\nallocators = [\"best\", \"plugin:no.so\"]\n";

}  // namespace

TEST_CASE("a standard error that takes nothing costs no result", "[cli][streams]") {
  const Shell shell;
  const std::string closed = GENERATE("2>/dev/full", "2>&-", "2> >(exit)");
  CAPTURE(closed);
  const auto code = [&](const std::string& line) {
    const std::string command = "highwater " + line + " " + closed;
    return shell.run(fmt::format("bash -c '{}'", command)).exitCode;
  };
  CHECK(code("plan no.onnx") == 3);
  CHECK(code("plan samples:chain --no-such") == 2);
  CHECK(code("no-such") == 2);
  CHECK(code("plan samples:chain --l2 1 --l3 1 -a none --format json > plan.json") == 1);
  CHECK(shell.read("plan.json").find("over-budget") != std::string::npos);
  CHECK(code("compare samples:chain no.onnx -a none --progress -o rows.csv") == 3);
  CHECK(shell.read("rows.csv").find("samples:chain,none,complete") != std::string::npos);
  CHECK(code("simulate samples:chain --progress -o times.json > /dev/null") == 0);
  CHECK(shell.has("times.json"));
}

TEST_CASE("a standard output that takes nothing is an error", "[cli][streams]") {
  const Shell shell;
  for (const char* command :
       {"--help", "--version", "plan --help", "info samples:chain", "plan samples:chain",
        "compare samples:chain -a none", "simulate samples:chain --events -", "list allocators",
        "generate guillotine:buffers=10", "lesson two-sided",
        "convert samples:chain --to graph-json -o -", "report samples:chain --format md -o -"}) {
    CAPTURE(command);
    for (const auto& [closed, reason] :
         {std::pair{"> /dev/full", "No space left on device"}, {">&-", "Bad file descriptor"}}) {
      const Outcome outcome = shell.run(fmt::format("highwater {} {}", command, closed));
      CHECK(outcome.exitCode == 3);
      CHECK(outcome.err ==
            fmt::format("highwater: standard output: cannot be written: {}\n", reason));
      CHECK(shell.run(fmt::format("highwater {} {} 2>&-", command, closed)).exitCode == 3);
    }
    const Outcome unread =
        shell.run(fmt::format("bash -c 'highwater {} | true; echo ${{PIPESTATUS[0]}}'", command));
    CHECK((unread.out == "3\n" || unread.out == "0\n"));
    CHECK(unread.err.empty());
  }
  CHECK(shell.entries() == 0);
}

TEST_CASE("a closed standard stream is no file that is opened later", "[cli][streams]") {
  const Shell shell;
  const Outcome outcome =
      shell.run("highwater plan samples:chain --l2 1 --l3 1 -a none -o plan.json <&- >&- 2>&-");
  CHECK(outcome.exitCode == 1);
  CHECK(shell.read("plan.json").starts_with("{"));
  CHECK(shell.read("plan.json").find("highwater:") == std::string::npos);
  CHECK(shell.run("highwater info - <&-").err ==
        "highwater: -: the file cannot be read: Bad file descriptor\n");
}

TEST_CASE("signals end a command and leave no file half written", "[cli][streams]") {
  const Shell shell;
  shell.write("endless.csv", endlessProblem());
  const char* command = GENERATE("plan endless.csv -o plan.json -a ", "simulate endless.csv -a ",
                                 "convert endless.csv -o plan.csv -a ");
  for (const auto& [signal, code] : {std::pair{"INT", 130}, {"TERM", 143}, {"HUP", 129}}) {
    CAPTURE(command, signal);
    const Outcome outcome =
        shell.run(fmt::format("timeout --preserve-status -k 20 -s {} 1 highwater {}"
                              "hill-climb:seconds=600,tries=99999999,stuck=99999999",
                              signal, command));
    CHECK(outcome.exitCode == code);
    CHECK(outcome.err.empty());
    CHECK(shell.entries() == 1);
  }
}

TEST_CASE("nohup keeps a command alive when its terminal goes", "[cli][streams]") {
  const Shell shell;
  const Outcome outcome = shell.run(
      "mkfifo pipe; nohup highwater info pipe > out.txt 2> /dev/null & exec 3> pipe; "
      "kill -HUP $!; echo 'id,lower,upper,size' >&3; exec 3>&-; wait $!");
  CHECK(outcome.exitCode == 0);
}

TEST_CASE("a limit on file sizes is a write that fails", "[cli][streams]") {
  const Shell shell;
  const Outcome outcome =
      shell.run("ulimit -f 1; highwater plan samples:resnet50 -o plan.json 2> /dev/null");
  CHECK(outcome.exitCode == 3);
  CHECK(shell.entries() == 0);
}

TEST_CASE("what stands behind -- is no option", "[cli]") {
  const Shell shell;
  shell.write("-model.csv", "id,lower,upper,size\na,0,2,16\n");
  CHECK(shell.run("highwater plan -q -- -model.csv").exitCode == 0);
  CHECK(shell.run("highwater info --format json -- -model.csv").exitCode == 0);
  CHECK(shell.run("highwater compare -a none -- samples:chain -model.csv").exitCode == 0);
  CHECK(shell.run("highwater plan samples:chain --").exitCode == 0);
  for (const char* command : {"plan samples:chain -- --quiet", "plan -- samples:chain --quiet"}) {
    const Outcome outcome = shell.run(fmt::format("highwater {}", command));
    CAPTURE(command);
    CHECK(outcome.exitCode == 2);
    CHECK(outcome.err == "highwater: 'plan' does not take another argument '--quiet'\n");
  }
  CHECK(shell.run("highwater plan -- --no-such").err ==
        "highwater: --no-such: the file cannot be opened: No such file or directory\n");
}

TEST_CASE("two outputs of one name are refused before anything is done", "[cli]") {
  const Shell shell;
  CHECK(shell.run("mkdir in && ln -s in link && ln -s in/e.csv direct").exitCode == 0);
  for (const char* names :
       {"--events in/e.csv --activities in/e.csv",
        "--events in/e.csv --activities link/../in/e.csv",
        "--events \"$PWD\"/in/e.csv --activities ./in//e.csv", "--events in/e.csv --trace direct",
        "--events link/e.csv -o in/e.csv", "-o in/a.json --trace link/a.json"}) {
    CAPTURE(names);
    const Outcome outcome = shell.run(fmt::format("highwater simulate samples:chain {}", names));
    CHECK(outcome.exitCode == 2);
    CHECK(outcome.err.find("would both be written to") != std::string::npos);
  }
  CHECK(shell.run("highwater compare samples:chain -a none --picture -").err ==
        "highwater: -o and --picture would both be written to standard output\n");
  CHECK(shell.run("highwater shrink samples:chain -o -").exitCode == 2);
  CHECK(shell
            .run("highwater compare samples:chain -a none -o /dev/null --format text "
                 "--picture /dev/null")
            .exitCode == 0);
  CHECK(shell.entries() == 3);
}

TEST_CASE("plans go through links and into the longest names", "[cli]") {
  const Shell shell;
  const std::string name = std::string(250, 'n') + ".json";
  CHECK(shell.run("highwater plan samples:chain -q -o " + name).exitCode == 0);
  CHECK(shell.has(name));
  CHECK(shell
            .run("ln -s later.json link.json && highwater plan samples:chain -q -o link.json && "
                 "test -L link.json && test -f later.json")
            .exitCode == 0);
}

TEST_CASE("a study loads no plug-in unless that is allowed", "[cli]") {
  const Shell shell;
  shell.write("study.toml", kPluginStudy);
  const Outcome refused = shell.run("highwater sweep study.toml");
  CHECK(refused.exitCode == 3);
  CHECK(refused.err ==
        "highwater: study.toml: allocators: 'plugin:no.so' is a plug-in, whose code would run; it "
        "is refused unless the command line says --plugins allow (line 2, column 14)\n");
  CHECK(shell.run("highwater sweep study.toml --plugins allow").err.find("there is no plugin") !=
        std::string::npos);
}

TEST_CASE("documents beyond their limits are refused with file, limit and place", "[cli]") {
  const Shell shell;
  std::string deep = "a";
  for (int i = 0; i < 31'000; ++i) deep += ".a";
  shell.write("deep.toml", deep + " = 1\n");
  const std::string error = "deep.toml: TOML nested more than 16 levels deep (line 1, column 32)\n";
  CHECK(shell.run("highwater sweep deep.toml").err == "highwater: " + error);
  const Outcome platform = shell.run("highwater plan samples:chain --platform deep.toml");
  CHECK(platform.exitCode == 3);
  CHECK(platform.err.ends_with(error));
  shell.write("twice.json", R"({"format": "highwater-graph", "version": 1, "version": 1})");
  CHECK(shell.run("highwater info twice.json").err ==
        "highwater: twice.json: the key 'version' is there twice (at the top)\n");
}

}  // namespace hw::test
