// Runs one allocator plugin in processes of its own, so that what it does stays here:
//
//   highwater-plugin-host FILE PARENT SECONDS < problem > answer
//
// It ends with the process PARENT, and takes at most SECONDS of each processor. Problem and answer
// are plain 64-bit words in the machine's byte order; see core/allocators/plugin.cpp, the only one
// to call this.
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <optional>

#include "app/plugin_host/plugin_run.h"

namespace {

/// What the host waits for instead of being ended by it.
sigset_t awaitedSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : {SIGCHLD, SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, number);
  return signals;
}

/// Kills every process that descends from this one: orphans come here, whatever group or session
/// they made for themselves.
void endDescendants() {
  for (;;) {
    std::FILE* children = std::fopen("/proc/thread-self/children", "re");
    int child = 0;
    while (children != nullptr && std::fscanf(children, "%d", &child) == 1) kill(child, SIGKILL);
    if (children != nullptr) std::fclose(children);
    const pid_t ended = waitpid(-1, nullptr, children != nullptr ? 0 : WNOHANG);
    if (ended == 0 || (ended < 0 && errno != EINTR)) return;
  }
}

/// How `worker` ended; nothing while it runs. Orphans that ended are let go.
std::optional<int> statusOf(pid_t worker) {
  std::optional<int> found;
  int status = 0;
  for (pid_t ended = 0; (ended = waitpid(-1, &status, WNOHANG)) > 0;) {
    if (ended == worker) found = status;
  }
  return found;
}

/// Waits for `worker`, or for a signal to end; both end all that it started.
int supervise(pid_t worker) {
  const sigset_t signals = awaitedSignals();
  for (;;) {
    int number = 0;
    if (sigwait(&signals, &number) != 0) continue;
    const std::optional<int> status = statusOf(worker);
    if (number == SIGCHLD && !status) continue;  // An orphan ended.
    endDescendants();
    if (status && WIFEXITED(*status)) return WEXITSTATUS(*status);
    const int ending = status ? WTERMSIG(*status) : number;
    sigprocmask(SIG_UNBLOCK, &signals, nullptr);
    std::raise(ending);  // As the worker was.
    return 128 + ending;
  }
}

}  // namespace

int main(int argc, char** argv) {
  for (int stream = 0; stream <= STDERR_FILENO; ++stream) {
    if (fcntl(stream, F_GETFD) < 0 && open("/dev/null", O_RDWR) < 0) return 4;
  }
  close_range(STDERR_FILENO + 1, UINT_MAX, 0);  // Whatever the parent had open.
  char* end = nullptr;
  const long parent = argc == 4 ? std::strtol(argv[2], &end, 10) : 0;
  const long seconds = argc == 4 && *end == '\0' ? std::strtol(argv[3], &end, 10) : 0;
  if (seconds < 1 || *end != '\0') {
    std::fputs("usage: highwater-plugin-host FILE PARENT SECONDS < problem > answer\n", stderr);
    return 3;
  }
  const sigset_t signals = awaitedSignals();
  sigprocmask(SIG_SETMASK, &signals, nullptr);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  if (getppid() != parent) return 4;  // It ended before it could be watched.
  const rlimit noCore{0, 0};
  setrlimit(RLIMIT_CORE, &noCore);

  const pid_t host = getpid();
  const pid_t worker = fork();
  if (worker < 0) return 4;
  if (worker > 0) {
    setpgid(worker, worker);
    return supervise(worker);
  }
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != host) return 4;
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  return runPlugin(argv[1], static_cast<rlim_t>(seconds));
}
