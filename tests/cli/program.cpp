#include "tests/cli/program.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace hw::test {
namespace {

namespace fs = std::filesystem;

std::string quoted(const std::string& text) {
  std::string safe = "'";
  for (const char c : text) safe += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return safe + "'";
}

std::string contentOf(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream content;
  content << in.rdbuf();
  return content.str();
}

}  // namespace

Shell::Shell() {
  static int count = 0;
  folder_ = fs::temp_directory_path() /
            ("highwater-cli-" + std::to_string(::getpid()) + "-" + std::to_string(count++));
  fs::remove_all(folder_);
  fs::create_directories(folder_ / "work");
}

Shell::~Shell() { fs::remove_all(folder_); }

Outcome Shell::run(const std::string& line) const {
  const fs::path script = folder_ / "script";
  std::ofstream(script) << "PATH=" << quoted(fs::path(HIGHWATER_PROGRAM).parent_path().string())
                        << ":$PATH\nunset NO_COLOR\n"
                        << line << '\n';
  const std::string command =
      "cd " + quoted((folder_ / "work").string()) + " && sh ../script" + " > ../out 2> ../err";
  const int status = std::system(command.c_str());
  Outcome outcome{.out = contentOf(folder_ / "out"), .err = contentOf(folder_ / "err")};
  outcome.exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return outcome;
}

void Shell::write(const std::string& file, const std::string& content) const {
  std::ofstream(folder_ / "work" / file, std::ios::binary) << content;
}

std::string Shell::read(const std::string& file) const {
  return contentOf(folder_ / "work" / file);
}

bool Shell::has(const std::string& file) const { return fs::exists(folder_ / "work" / file); }

std::size_t Shell::entries() const {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder_ / "work"), fs::directory_iterator()));
}

}  // namespace hw::test
