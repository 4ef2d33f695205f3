#include "core/files/process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
#include <thread>

namespace hw {
namespace {

constexpr std::size_t kMaxErrors = 2000;

/// An unnamed file that is gone when closed: pipes could fill up and block both sides.
using ScratchFile = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

ScratchFile scratchFile() { return {std::tmpfile(), &std::fclose}; }

std::string contentOf(std::FILE* file, std::size_t limit) {
  std::string content;
  char piece[1 << 16];
  std::rewind(file);
  while (content.size() < limit) {
    const std::size_t wanted = std::min(sizeof piece, limit - content.size());
    const std::size_t got = std::fread(piece, 1, wanted, file);
    if (got == 0) break;
    content.append(piece, got);
  }
  return content;
}

/// Waits for `child`, kills its group when time is up.
int waitFor(pid_t child, double seconds, const std::stop_token& stop, bool& timedOut) {
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + std::chrono::duration<double>(seconds);
  auto pause = std::chrono::microseconds(200);
  int status = 0;
  for (;;) {
    const pid_t done = waitpid(child, &status, WNOHANG);
    if (done == child || (done < 0 && errno != EINTR)) break;
    if (Clock::now() >= deadline || stop.stop_requested()) {
      timedOut = true;
      kill(-child, SIGKILL);
      waitpid(child, &status, 0);
      break;
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::microseconds(20'000));
  }
  kill(-child, SIGKILL);  // Whatever it left behind.
  return status;
}

}  // namespace

Result<Finished> runProgram(const std::vector<std::string>& arguments, const std::string& input,
                            double seconds, const std::stop_token& stop) {
  const ScratchFile in = scratchFile();
  const ScratchFile out = scratchFile();
  const ScratchFile errors = scratchFile();
  if (!in || !out || !errors ||
      std::fwrite(input.data(), 1, input.size(), in.get()) != input.size() ||
      std::fflush(in.get()) != 0) {
    return fail(ErrorCode::unreadable, "no room for temporary files");
  }
  std::rewind(in.get());

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, fileno(in.get()), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fileno(out.get()), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fileno(errors.get()), STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  // In a group of its own, so that what the program starts can be ended with it.
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);

  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  pid_t child = 0;
  const int failure = posix_spawn(&child, argv[0], &actions, &attributes, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (failure != 0) {
    return fail(ErrorCode::unreadable, "cannot start " + arguments[0] + ": " + strerror(failure));
  }
  Finished finished;
  const int status = waitFor(child, seconds, stop, finished.timedOut);
  finished.exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  finished.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  finished.output = contentOf(out.get(), std::size_t{1} << 30);
  finished.errors = contentOf(errors.get(), kMaxErrors);
  return finished;
}

std::string programFolder() {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  if (length <= 0) return {};
  const std::string whole(path, static_cast<std::size_t>(length));
  return whole.substr(0, whole.rfind('/') + 1);
}

}  // namespace hw
