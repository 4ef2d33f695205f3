// Studies in processes, that are killed, resumed, divided and asked.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "core/base/dice.h"
#include "tests/cli/program.h"
#include "tests/support/rounds.h"

namespace hw::test {
namespace {

constexpr const char* kStudy =
    "models = [\"samples:chain\", \"samples:resnet8\", \"samples:squeezenet\"]\n"
    "allocators = [\"best\", \"free-list\"]\nplatform = [\"generic-npu\"]\n"
    "l2 = {from = \"64KiB\", to = \"1MiB\", steps = 5, scale = \"log\"}\n"
    "channels = [1, 2]\nalign = [1, 64]\norder = [\"given\", \"least-peak\"]\n";
constexpr int kRuns = 3 * 2 * 5 * 2 * 2 * 2;

/// All that does not depend on a clock.
std::string answers(const Shell& shell, const std::string& file) {
  const Outcome outcome = shell.run(
      "highwater study " + file +
      " --format csv --sql \"select identity, model, allocator, l2, channels, align, state, status,"
      " fits, peak, peak_l2, lower_bound, latency_ps, moved_bytes from runs order by identity\"");
  REQUIRE(outcome.exitCode == 0);
  return outcome.out;
}

}  // namespace

TEST_CASE("a study whose workers and writer are killed comes to the same bytes", "[cli][study]") {
  const Shell shell;
  shell.write("s.toml", kStudy);
  REQUIRE(shell.run("highwater sweep s.toml -o whole.db -q").exitCode == 0);
  const std::string whole = answers(shell, "whole.db");
  REQUIRE(std::count(whole.begin(), whole.end(), '\n') == kRuns + 1);
  const auto seed = static_cast<std::uint64_t>(GENERATE(1, 2));
  Dice dice(seed);
  CAPTURE(seed);
  REQUIRE(shell.run("highwater sweep s.toml -o r.db -q --threads 2 & sleep 0.01; kill -9 $!; wait")
              .exitCode == 0);
  for (std::uint64_t i = 0; i < rounds(10); ++i) {
    // A worker, or the one that writes; when depends on the machine, what comes of it must not.
    const bool writer = dice.chance(50);
    shell.run(
        fmt::format("highwater sweep s.toml -o r.db --resume -q --threads 2 & p=$!; sleep 0.{:03}; "
                    "kill -9 {}; wait",
                    dice.roll(5, 80), writer ? "$p" : "$(pgrep -P $p | head -1)"));
  }
  const Outcome rest = shell.run("highwater sweep s.toml -o r.db --resume -q");
  CHECK(rest.exitCode == 0);
  CHECK(rest.err.empty());
  CHECK(answers(shell, "r.db") == whole);
  const Outcome again = shell.run("highwater sweep s.toml -o r.db --resume");
  CHECK(again.out == fmt::format("r.db: {0} runs, of which {0} were there; 0 without a plan, 0 "
                                 "crashed\n",
                                 kRuns));
}

TEST_CASE("a study in shards comes to the same bytes as a whole one", "[cli][study]") {
  const Shell shell;
  shell.write("s.toml", kStudy);
  REQUIRE(shell.run("highwater sweep s.toml -o whole.db -q").exitCode == 0);
  for (int i = 1; i <= 3; ++i) {
    REQUIRE(shell.run(fmt::format("highwater sweep s.toml -o part{0}.db --shard {0}/3 -q", i))
                .exitCode == 0);
    CHECK(shell.read(fmt::format("part{}.status", i)) ==
          fmt::format("done: {0} of {0} runs\n", kRuns / 3));
  }
  const Outcome some =
      shell.run("highwater sweep s.toml -o all.db --collect part1.db --collect part2.db");
  CHECK(some.exitCode == 1);
  CHECK(some.out == "all.db: 160 rows of 2 files: 160 of 240 runs are there\n");
  shell.run("cp part3.db cut.db && truncate -s 5000 cut.db");
  const Outcome cut = shell.run("highwater sweep s.toml -o all.db --collect cut.db");
  CHECK(cut.exitCode == 3);
  CHECK_THAT(cut.err, Catch::Contains("cut.db: database disk image is malformed"));
  CHECK(shell.run("highwater sweep s.toml -o all.db --collect part3.db").exitCode == 0);
  CHECK(answers(shell, "all.db") == answers(shell, "whole.db"));
}

TEST_CASE("a file of results has one writer, and is not written over", "[cli][study]") {
  const Shell shell;
  shell.write("s.toml", "models = \"samples:chain\"\nallocators = \"none\"\n");
  REQUIRE(shell.run("highwater sweep s.toml -o r.db -q").exitCode == 0);
  const Outcome over = shell.run("highwater sweep s.toml -o r.db");
  CHECK(over.exitCode == 2);
  CHECK(over.err == "highwater: r.db: there are results already; --resume goes on with them\n");
  const Outcome second = shell.run("flock r.db highwater sweep s.toml -o r.db --resume");
  CHECK(second.exitCode == 3);
  CHECK(second.err == "highwater: r.db: another program writes this file\n");
  shell.write("m.toml", "models = \"no.onnx\"\nallocators = \"none\"\n");
  const Outcome missing = shell.run("highwater sweep m.toml -o m.db");
  CHECK(missing.out == "m.db: 1 run, of which 0 were there; 1 without a plan, 0 crashed\n");
  CHECK_THAT(shell.run("highwater study m.db --format csv --sql 'select error from runs'").out,
             Catch::Contains("No such file"));
}

TEST_CASE("a disk that is full costs what was not written yet", "[cli][study]") {
  const Shell shell;
  shell.write("s.toml", kStudy);
  REQUIRE(shell.run("highwater sweep s.toml -o whole.db -q").exitCode == 0);
  for (const int blocks : {1, 8, 40}) {
    CAPTURE(blocks);
    const Outcome full = shell.run(
        fmt::format("bash -c 'ulimit -f {}; highwater sweep s.toml -o r.db --resume'", blocks));
    CHECK(full.exitCode == 3);
    CHECK_THAT(full.err, Catch::StartsWith("highwater: r.db: "));
  }
  CHECK(shell.run("highwater sweep s.toml -o r.db --resume -q").exitCode == 0);
  CHECK(answers(shell, "r.db") == answers(shell, "whole.db"));
}

}  // namespace hw::test
