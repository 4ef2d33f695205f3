#include "tests/cli/program.h"

#include <sys/wait.h>

#include <cstdlib>
#include <fstream>

namespace hw::test {
namespace {

namespace fs = std::filesystem;

std::string quoted(const std::string& text) {
  std::string safe = "'";
  for (const char c : text) safe += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return safe + "'";
}

}  // namespace

std::string endlessProblem() {
  std::string csv = "id,lower,upper,size,alignment\n";
  for (int i = 0; i < 200; ++i) {
    csv += std::to_string(i) + "," + std::to_string(i % 50) + "," + std::to_string(i % 50 + 9) +
           ",33,64\n";
  }
  return csv;
}

Shell::Shell() { fs::create_directories(folder_ / "work"); }

Outcome Shell::run(const std::string& line) const {
  const fs::path script = folder_ / "script";
  std::ofstream(script) << "PATH=" << quoted(fs::path(HIGHWATER_PROGRAM).parent_path().string())
                        << ":$PATH\nunset NO_COLOR\n"
                        << line << '\n';
  const std::string command =
      "cd " + quoted((folder_ / "work").string()) + " && sh ../script" + " > ../out 2> ../err";
  const int status = std::system(command.c_str());
  Outcome outcome{.out = folder_.read("out"), .err = folder_.read("err")};
  outcome.exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return outcome;
}

void Shell::write(const std::string& file, const std::string& content) const {
  folder_.write("work/" + file, content);
}

std::string Shell::read(const std::string& file) const { return folder_.read("work/" + file); }

bool Shell::has(const std::string& file) const { return fs::exists(folder_ / "work" / file); }

std::size_t Shell::entries() const {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder_ / "work"), fs::directory_iterator()));
}

}  // namespace hw::test
