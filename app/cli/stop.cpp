#include "app/cli/stop.h"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <thread>

#include "app/cli/outcome.h"
#include "core/files/file.h"

namespace hw::cli {
namespace {

std::atomic<bool>& stoppable() {
  static std::atomic<bool> value = false;
  return value;
}

/// Never destroyed: the signal thread may outlive `main`.
std::stop_source& source() {
  static auto* stop = new std::stop_source();
  return *stop;
}

sigset_t interruptSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  struct sigaction hangUp {};
  const bool kept = sigaction(SIGHUP, nullptr, &hangUp) == 0 && hangUp.sa_handler == SIG_IGN;
  if (!kept) sigaddset(&signals, SIGHUP);  // Of nohup's program it ends nothing.
  return signals;
}

/// Waits in a thread of its own: `request_stop` may not be called from a signal handler.
[[noreturn]] void awaitInterrupts() {
  const sigset_t signals = interruptSignals();
  for (;;) {
    int number = 0;
    if (sigwait(&signals, &number) != 0) continue;
    if (stoppable() && number == SIGINT && !source().stop_requested()) {
      source().request_stop();
    } else {
      discardUnfinished();
      if (::isatty(STDERR_FILENO) == 1) writeToErrors("\n");  // Behind the progress.
      ::_exit(number == SIGINT ? static_cast<int>(ExitCode::interrupted) : 128 + number);
    }
  }
}

}  // namespace

void handleSignals() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  source();
  stoppable();
  const sigset_t signals = interruptSignals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::thread(awaitInterrupts).detach();
}

StoppableWork::StoppableWork() { stoppable() = true; }
StoppableWork::~StoppableWork() { stoppable() = false; }
std::stop_token StoppableWork::token() const { return source().get_token(); }

void StoppableWork::stopAfter(double seconds) {
  clock_ = std::jthread([this, seconds](const std::stop_token& over) {
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any wake;
    if (wake.wait_for(lock, over, std::chrono::duration<double>(seconds), [] { return false; })) {
      return;
    }
    if (over.stop_requested() || source().stop_requested()) return;
    timedOut_ = true;
    source().request_stop();
  });
}

}  // namespace hw::cli
