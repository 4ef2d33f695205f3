#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "tests/cli/program.h"
#include "tests/support/rounds.h"

namespace hw::test {
namespace {

namespace fs = std::filesystem;

/// What differs from run to run or from version to version, replaced by a word.
std::string settled(std::string text) {
  static const std::vector<std::pair<std::regex, std::string>> kRules = {
      {std::regex("planned in [0-9.]+ (?:[nm]|µ)?s"), "planned in TIME"},
      {std::regex("( (?:optimal|complete|over-budget|stopped) .*?) +[0-9.]+ (?:[nm]|µ)?s(?=\n)"),
       "$1 TIME"},
      {std::regex("(\\+[0-9.]+ %) +[0-9.]+ (?:[nm]|µ)?s(?=\n)"), "$1 TIME"},
      {std::regex("\"plan_seconds\":[0-9.e+-]+"), "\"plan_seconds\":SECONDS"},
  };
  for (const auto& [pattern, word] : kRules) text = std::regex_replace(text, pattern, word);
  return text;
}

/// Adds `text`, each line after `prefix`.
void addLines(std::string& transcript, const std::string& text, const std::string& prefix) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) transcript += prefix + line + '\n';
  if (!text.empty() && !text.ends_with('\n')) transcript += "(no newline at the end)\n";
}

/// Runs every "$ command" of a transcript again, in one folder, and writes the transcript anew.
/// Lines before the first command are kept: they say what it is about.
std::string replayed(const std::string& transcript) {
  const Shell shell;
  std::string fresh;
  bool introduction = true;
  std::istringstream lines(transcript);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("$ ")) {
      fresh += introduction ? "" : "\n";
      introduction = false;
      fresh += line + '\n';
      const Outcome outcome = shell.run(line.substr(2));
      addLines(fresh, settled(outcome.out), "");
      addLines(fresh, settled(outcome.err), "! ");
      if (outcome.exitCode != 0) fresh += "[exit " + std::to_string(outcome.exitCode) + "]\n";
    } else if (introduction) {
      fresh += line + '\n';
    }
  }
  return fresh;
}

std::string contentOf(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream content;
  content << in.rdbuf();
  return content.str();
}

}  // namespace

// One file of tests/golden/cli a topic. HIGHWATER_UPDATE_GOLDEN=1 writes them anew: look at what
// git says has changed. A new command is a new "$ ..." line.
TEST_CASE("the program answers as its transcripts say", "[cli][golden]") {
  const fs::path folder = fs::path(HIGHWATER_SOURCE_DIR) / "tests/golden/cli";
  const bool update = std::getenv("HIGHWATER_UPDATE_GOLDEN") != nullptr;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  REQUIRE(files.size() >= 8);
  std::uint64_t number = 0;
  for (const fs::path& file : files) {
    if (!isTried(number++)) continue;
    INFO(file.filename().string());
    const std::string expected = contentOf(file);
    const std::string fresh = replayed(expected);
    if (update) std::ofstream(file, std::ios::binary) << fresh;
    CHECK((update || fresh == expected));
    if (!update && fresh != expected) {
      UNSCOPED_INFO(fresh);
      CHECK(fresh == expected);
    }
  }
}

TEST_CASE("the program answers as README.md says", "[cli][golden]") {
  const std::string page = contentOf(fs::path(HIGHWATER_SOURCE_DIR) / "README.md");
  const std::string begin = "```console\n";
  std::string commands;
  for (std::size_t at = page.find(begin); at != std::string::npos; at = page.find(begin, at)) {
    at += begin.size();
    const std::size_t end = page.find("```", at);
    commands += (commands.empty() ? "" : "\n") + page.substr(at, end - at);
    at = end;
  }
  REQUIRE(commands.starts_with("$ "));
  CHECK(replayed(commands) == settled(commands));
}

}  // namespace hw::test
