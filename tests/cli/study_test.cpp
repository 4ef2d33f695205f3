// Studies in processes, that are killed, resumed, divided and asked.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <random>

#include "core/base/dice.h"
#include "core/base/text.h"
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

/// A study that takes some seconds, and what it answers when nobody disturbs it.
struct KilledStudy {
  KilledStudy() {
    std::string study = kStudy;
    study.replace(study.find("steps = 5"), 9, fmt::format("steps = {}", kSteps));
    shell.write("s.toml",
                study + "dma = [\"2GB/s\", \"4GB/s\", \"8GB/s\", \"16GB/s\", \"32GB/s\"]\n");
    REQUIRE(shell.run("highwater sweep s.toml -o whole.db -q").exitCode == 0);
    whole = answers(shell, "whole.db");
    REQUIRE(std::count(whole.begin(), whole.end(), '\n') == kMany + 1);
  }

  /// Runs what is missing.
  void finish() const {
    const Outcome rest = shell.run("highwater sweep s.toml -o r.db --resume -q");
    CHECK(rest.exitCode == 0);
    CHECK(rest.err.empty());
    CHECK((answers(shell, "r.db") == whole));
    const Outcome again = shell.run("highwater sweep s.toml -o r.db --resume");
    CHECK(again.out == fmt::format("r.db: {0} runs, of which {0} were there; 0 without a plan, 0 "
                                   "crashed\n",
                                   groupDigits(kMany)));
  }

  static constexpr int kSteps = kSanitized ? 5 : 15;
  static constexpr int kMany = kRuns / 5 * kSteps * 5;
  static constexpr const char* kBegin = "highwater sweep s.toml -o r.db --resume -q --threads ";
  Shell shell;
  std::string whole;
};

}  // namespace

// What is met when depends on the machine; what comes of it must not. A study that ends before so
// many were killed begins anew.

TEST_CASE("a study whose writer is killed ten times comes to the same bytes", "[cli][study]") {
  const KilledStudy study;
  const std::uint64_t seed = std::random_device()();
  CAPTURE(seed);
  Dice dice(seed);
  for (std::uint64_t kills = 0; kills < rounds(10);) {
    const Outcome killed = study.shell.run(
        fmt::format("{}1 & p=$!; sleep 0.{:03}; kill -9 $p; killed=$?; wait; exit $killed",
                    KilledStudy::kBegin, dice.roll(5, 700)));
    kills += killed.exitCode == 0 ? 1 : 0;
    if (killed.exitCode == 0 && kills < rounds(10)) continue;
    study.finish();
    study.shell.run("rm r.db*");
  }
}

TEST_CASE("a study whose workers are killed ten times comes to the same bytes", "[cli][study]") {
  const KilledStudy study;
  const std::uint64_t seed = std::random_device()();
  CAPTURE(seed);
  Dice dice(seed);
  for (std::uint64_t kills = 0; kills < rounds(10);) {
    std::string line = KilledStudy::kBegin + std::string("2 & p=$!; ");
    for (std::uint64_t i = kills; i < rounds(10); ++i) {
      // The shell waits for a worker: a sanitized program takes longer to start than the pause.
      line += fmt::format(
          "until w=$(pgrep -P $p) || ! kill -0 $p; do sleep 0.005; done; sleep 0.{:03}; "
          "kill -9 $(echo \"$w\" | {} -1) && echo; ",
          dice.roll(5, 90), dice.chance(50) ? "head" : "tail");
    }
    kills += study.shell.run(line + "wait").out.size();
    study.finish();
    study.shell.run("rm r.db*");
  }
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

TEST_CASE("Slurm is told which shards to run, in which words", "[cli][study]") {
  const Shell shell;
  shell.write("s.toml", kStudy);
  shell.run("mkdir bin");
  shell.write("bin/sbatch",
              "#!/bin/sh\necho $* > words\n[ ! -e refuse ] || { echo no partition >&2; exit 1; }\n"
              "cat job\n");
  shell.write("bin/squeue", "#!/bin/sh\necho $* > asked; cat queued\n");
  shell.run("chmod +x bin/*; touch refuse queued");
  const std::string slurm =
      "PATH=$PWD/bin:$PATH highwater sweep s.toml -o r.db --engine slurm --threads 1 --tasks 3";
  const Outcome refused = shell.run(slurm);
  CHECK(refused.exitCode == 3);
  CHECK(refused.err == "highwater: sbatch failed: no partition\n");
  // Nothing was given, so nothing is to be gone on with but the file.
  shell.run("rm refuse; echo '7;cluster' > job");
  const Outcome given = shell.run(slurm + " --resume --sbatch ' --time=5  --mem=1G '");
  CHECK(given.out ==
        "r.db: job 7 with 3 tasks; when it is done: highwater sweep s.toml -o r.db --collect "
        "r.db.shards\n");
  CHECK_THAT(shell.read("words"), Catch::StartsWith("--parsable --array=1-3 --output=/") &&
                                      Catch::Contains("--time=5 --mem=1G /"));
  for (int i = 1; i <= 3; i += 2) {
    CHECK(shell.run(fmt::format("SLURM_ARRAY_TASK_ID={} sh r.db.shards/task.sh", i)).exitCode == 0);
  }
  shell.run("rm r.db.shards/shard-3.status; echo 8 > job; echo 2 > queued");
  CHECK_THAT(shell.run(slurm + " --resume").out, Catch::StartsWith("r.db: job 8 with 1 task;"));
  CHECK_THAT(shell.read("words"), Catch::Contains("--array=3 "));
  CHECK(shell.read("r.db.shards/job") == "7,8 3\n");
  shell.write("queued", "2\n3\n");
  CHECK_THAT(shell.run(slurm + " --resume").out, Catch::Contains("no task is to be run again"));
  CHECK_THAT(shell.read("asked"), Catch::Contains("--jobs=7,8"));
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
