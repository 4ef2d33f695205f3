// Every option of a run through the command line, and back as the command that makes a report
// again.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "core/base/json.h"
#include "core/base/text.h"
#include "tests/cli/program.h"
#include "tests/support/option_samples.h"

namespace hw::test {

TEST_CASE("every option is taken by the command line and told by the report", "[cli]") {
  for (const RunOption& option : runOptions()) {
    if (option.group == OptionGroup::effort) continue;
    CAPTURE(option.name);
    std::string given;
    for (const std::string& text : optionSamples().at(std::string(option.name))) {
      const bool model = option.group == OptionGroup::model;
      given += (model ? " " : fmt::format(" --{} ", option.name)) + shellWord(text);
    }
    const std::string model = option.group == OptionGroup::model ? "" : " samples:inception";
    const Shell shell;
    const Outcome outcome =
        shell.run("highwater report" + model + given + " -q -o - --format json");
    CAPTURE(outcome.err);
    if (option.group == OptionGroup::import && outcome.exitCode >= 2) {
      // Taken, but the sample has no parts, and all its sizes are given.
      CHECK(outcome.err.starts_with("highwater: samples:"));
      continue;
    }
    const auto json = parseJson(outcome.out);
    REQUIRE(json);
    CHECK(json->at("command").get<std::string>() ==
          "highwater report" + (model.empty() ? given : model + given) + " -o report.json");
  }
}

TEST_CASE("what plans takes every option", "[cli]") {
  const Shell shell;
  for (const char* command : {"plan", "explain", "simulate", "report"}) {
    const std::string help = shell.run(fmt::format("highwater {} --help", command)).out;
    for (const RunOption& option : runOptions()) {
      CAPTURE(command, option.name);
      if (option.group == OptionGroup::model) continue;
      CHECK(help.find(fmt::format("--{} ", option.name)) != std::string::npos);
    }
  }
}

TEST_CASE("a plan in another order is checked in that order", "[cli]") {
  const Shell shell;
  const std::string checked = "highwater check samples:inception plan.json";
  REQUIRE(
      shell.run("highwater plan samples:inception --move 2:before:1 -q -o plan.json").exitCode ==
      0);
  const Outcome good = shell.run(checked + " --replay");
  CAPTURE(good.out, good.err);
  CHECK(good.exitCode == 0);
  std::string plan = shell.read("plan.json");
  plan.replace(plan.find("2:before:1"), 10, "2:before:0");
  shell.write("plan.json", plan);
  const Outcome bad = shell.run(checked);
  CHECK(bad.exitCode == 1);
  CHECK((bad.out + bad.err).find("the order it was made for") != std::string::npos);
}

TEST_CASE("a memory that an operator waits for is called by its name", "[cli]") {
  const Shell shell;
  const Outcome outcome =
      shell.run("highwater simulate samples:inception --platform gap8 --format csv");
  CAPTURE(outcome.err);
  CHECK(outcome.out.find(",L1,") != std::string::npos);
  CHECK(outcome.out.find(",L2,") == std::string::npos);
}

TEST_CASE("the command in a report makes the same report", "[cli]") {
  const Shell shell;
  const Outcome first = shell.run(
      "highwater report samples:inception -a free-list:pick=best --l2 64KiB --align 4KiB "
      "--alias reshape,concat --move 2:before:1 --time-limit 2 --weights resident "
      "--compare none,free-list -q -o - --format json");
  CAPTURE(first.err);
  const auto json = parseJson(first.out);
  REQUIRE(json);
  shell.run(json->at("command").get<std::string>() + " -q");
  CHECK(shell.read("report.json") == first.out);
}

}  // namespace hw::test
