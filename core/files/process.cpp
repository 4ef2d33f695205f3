#include "core/files/process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
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
#include <utility>

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

/// True if `child` ended within `seconds`, and how; a stop cuts the wait short.
bool endsWithin(pid_t child, double seconds, const std::stop_token& stop, int& status) {
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + std::chrono::duration<double>(seconds);
  auto pause = std::chrono::microseconds(200);
  for (;;) {
    const pid_t done = waitpid(child, &status, WNOHANG);
    if (done == child || (done < 0 && errno != EINTR)) return true;
    if (Clock::now() >= deadline || stop.stop_requested()) return false;
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::microseconds(20'000));
  }
}

/// Waits for `child`, ends it and its group when time is up.
int waitFor(pid_t child, double seconds, const std::stop_token& stop, bool& timedOut) {
  constexpr double kGrace = 0.5;  // For ending what it started.
  int status = 0;
  timedOut = !endsWithin(child, seconds, stop, status);
  if (timedOut) {
    kill(child, SIGTERM);
    if (!endsWithin(child, kGrace, {}, status)) {
      kill(-child, SIGKILL);
      waitpid(child, &status, 0);
    }
  }
  kill(-child, SIGKILL);  // Whatever it left behind.
  return status;
}

/// In a group of its own, so that what the program starts can be ended with it; no signal is
/// blocked or ignored because it is so here.
class SpawnAttributes {
 public:
  SpawnAttributes() {
    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setflags(
        &attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setpgroup(&attributes_, 0);
    sigset_t signals;
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes_, &signals);
    sigfillset(&signals);
    posix_spawnattr_setsigdefault(&attributes_, &signals);
  }
  SpawnAttributes(const SpawnAttributes&) = delete;
  SpawnAttributes& operator=(const SpawnAttributes&) = delete;
  ~SpawnAttributes() { posix_spawnattr_destroy(&attributes_); }

  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_{};
};

/// The descriptors that a program gets in place of its standard streams; below 0: those of this.
struct Streams {
  int in = -1;
  int out = -1;
  int errors = -1;
};

Result<pid_t> spawn(const std::vector<std::string>& arguments, const Streams& streams) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  const auto put = [&](int from, int to) {
    if (from >= 0) posix_spawn_file_actions_adddup2(&actions, from, to);
  };
  put(streams.in, STDIN_FILENO);
  put(streams.out, STDOUT_FILENO);
  put(streams.errors, STDERR_FILENO);
  const SpawnAttributes attributes;
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  pid_t child = 0;
  const int failure =
      posix_spawn(&child, argv[0], &actions, attributes.get(), argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) {
    return fail(ErrorCode::unreadable, "cannot start " + arguments[0] + ": " + strerror(failure));
  }
  return child;
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

  HW_TRY(child, spawn(arguments, {fileno(in.get()), fileno(out.get()), fileno(errors.get())}));
  Finished finished;
  const int status = waitFor(child, seconds, stop, finished.timedOut);
  finished.exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  finished.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  finished.output = contentOf(out.get(), std::size_t{1} << 30);
  finished.errors = contentOf(errors.get(), kMaxErrors);
  return finished;
}

Result<ChildProcess> ChildProcess::start(const std::vector<std::string>& arguments) {
  int to[2];
  int from[2];
  // A socket, so that writing to a program that has ended fails, and sends this one no SIGPIPE.
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, to) != 0) {
    return fail(ErrorCode::unreadable, strerror(errno));
  }
  if (pipe2(from, O_CLOEXEC) != 0) {
    close(to[0]);
    close(to[1]);
    return fail(ErrorCode::unreadable, strerror(errno));
  }
  const auto child = spawn(arguments, {.in = to[0], .out = from[1]});
  close(to[0]);
  close(from[1]);
  ChildProcess process(child.value_or(0), to[1], from[0]);
  if (!child) return tl::unexpected(child.error());
  return process;
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : child_(std::exchange(other.child_, 0)),
      to_(std::exchange(other.to_, -1)),
      from_(std::exchange(other.from_, -1)) {}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  std::swap(child_, other.child_);
  std::swap(to_, other.to_);
  std::swap(from_, other.from_);
  return *this;
}

ChildProcess::~ChildProcess() {
  end(false);
  if (from_ >= 0) close(from_);
}

bool ChildProcess::read(std::string& text) {
  char piece[1 << 16];
  ssize_t got = 0;
  do {
    got = ::read(from_, piece, sizeof piece);
  } while (got < 0 && errno == EINTR);
  if (got <= 0) return false;
  text.append(piece, static_cast<std::size_t>(got));
  return true;
}

bool ChildProcess::write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = send(to_, text.data(), text.size(), MSG_NOSIGNAL);
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

std::string ChildProcess::end(bool byItself) {
  if (to_ >= 0) close(std::exchange(to_, -1));
  if (child_ == 0) return {};
  if (!byItself) kill(-child_, SIGKILL);
  int status = 0;
  while (waitpid(child_, &status, 0) < 0 && errno == EINTR) {
  }
  kill(-std::exchange(child_, 0), SIGKILL);  // Whatever it left behind.
  return WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status))
                             : "exit code " + std::to_string(WEXITSTATUS(status));
}

void openStandardStreams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) >= 0) continue;
    // Open for the other direction; the lowest free number is this one.
    if (open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0) return;
  }
}

std::string programFolder() {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  if (length <= 0) return {};
  const std::string whole(path, static_cast<std::size_t>(length));
  return whole.substr(0, whole.rfind('/') + 1);
}

}  // namespace hw
