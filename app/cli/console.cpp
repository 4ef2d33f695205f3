#include "app/cli/console.h"

#include <fmt/format.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <string_view>
#include <thread>

#include "core/base/text.h"
#include "core/files/file.h"

namespace hw::cli {
namespace {

ExitCode exitCodeOf(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalidArgument:
      return ExitCode::badUsage;
    case ErrorCode::stopped:
      return ExitCode::interrupted;
    case ErrorCode::unreadable:
    case ErrorCode::malformed:
    case ErrorCode::unsupported:
      break;
  }
  return ExitCode::badInput;
}

}  // namespace

tl::unexpected<Failure> failure(ExitCode code, std::string subject, std::string message) {
  return tl::unexpected<Failure>({code, std::move(subject), std::move(message)});
}

tl::unexpected<Failure> failure(const Error& error, std::string subject) {
  return failure(exitCodeOf(error.code), std::move(subject), error.text());
}

void writeToErrors(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
    if (written < 0 && errno != EINTR) return;
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
}

void printFailure(const Failure& failure) {
  if (failure.message.empty()) return;
  constexpr std::size_t kLongest = 2000;
  const std::string subject =
      failure.subject.empty() ? "" : printable(failure.subject, kLongest) + ": ";
  writeToErrors(fmt::format("highwater: {}{}\n", subject, printable(failure.message, kLongest)));
}

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kPatience{500};
constexpr std::chrono::milliseconds kBetweenUpdates{100};

bool variableIsSet(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

bool isDumbTerminal() {
  const char* terminal = std::getenv("TERM");
  return terminal == nullptr || std::string_view(terminal) == "dumb";
}

}  // namespace

Paint outputPaint() {
  const bool terminal = ::isatty(STDOUT_FILENO) == 1 && !isDumbTerminal();
  return {.on = terminal && !variableIsSet("NO_COLOR")};
}

std::size_t outputWidth() {
  constexpr std::int64_t kLeast = 40;
  constexpr std::int64_t kUsual = 120;
  const char* columns = std::getenv("COLUMNS");
  if (const auto given = parseInteger(columns != nullptr ? columns : "")) {
    return static_cast<std::size_t>(std::max(kLeast, *given));
  }
  winsize size{};
  const bool known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return static_cast<std::size_t>(std::max<std::int64_t>(kLeast, known ? size.ws_col : kUsual));
}

namespace {

/// Length of the colour that `text` begins with: "\x1b[1;36m"; 0: none.
std::size_t colourLength(std::string_view text) {
  if (!text.starts_with("\x1b[")) return 0;
  const std::size_t end = text.find_first_not_of("0123456789;", 2);
  return end != std::string_view::npos && text[end] == 'm' ? end + 1 : 0;
}

}  // namespace

std::string terminalText(std::string_view text, bool painted) {
  constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
  std::string shown;
  while (!text.empty()) {
    const std::size_t plain = std::min(text.find_first_of("\n\t\x1b"), text.size());
    shown += printable(text.substr(0, plain), kAll);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const bool blank = text.front() != '\x1b';
    const std::size_t kept = blank ? 1 : painted ? colourLength(text) : 0;
    shown += kept > 0 ? std::string(text.substr(0, kept)) : printable(text.substr(0, 1));
    text.remove_prefix(std::max<std::size_t>(kept, 1));
  }
  return shown;
}

struct ProgressLine::State {
  std::mutex mutex;
  Clock::time_point start = Clock::now();
  Clock::time_point shown{};
  bool plain = false;  ///< Whole lines, for what is not a terminal.
  bool visible = false;

  void show(double fraction, const std::string& what) {
    const std::lock_guard lock(mutex);
    if (plain) {
      writeToErrors(fmt::format("{:3.0f} % {}\n", fraction * 100, printable(what)));
      return;
    }
    const auto now = Clock::now();
    if (now - start < kPatience || now - shown < kBetweenUpdates) return;
    shown = now;
    visible = true;
    writeToErrors(fmt::format("\r\x1b[K{:3.0f} % {}", fraction * 100, cellName(what, 60)));
  }
};

ProgressMode progressMode(bool told, bool quiet) {
  if (told) return ProgressMode::always;
  return quiet ? ProgressMode::never : ProgressMode::onTerminal;
}

ProgressLine::ProgressLine(ProgressMode mode) {
  if (mode == ProgressMode::never) return;
  const bool terminal = ::isatty(STDERR_FILENO) == 1 && !isDumbTerminal();
  if (!terminal && mode == ProgressMode::onTerminal) return;
  state_ = std::make_shared<State>();
  state_->plain = !terminal;
}

ProgressLine::~ProgressLine() {
  if (!state_) return;
  const std::lock_guard lock(state_->mutex);
  if (state_->visible) writeToErrors("\r\x1b[K");
}

std::function<void(double, const std::string&)> ProgressLine::callback() {
  if (!state_) return {};
  return
      [state = state_](double fraction, const std::string& what) { state->show(fraction, what); };
}

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

StoppableWork::StoppableWork(double stopAfter) {
  stoppable() = true;
  if (stopAfter <= 0) return;
  clock_ = std::jthread([this, stopAfter](const std::stop_token& over) {
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any wake;
    if (wake.wait_for(lock, over, std::chrono::duration<double>(stopAfter), [] { return false; })) {
      return;
    }
    if (over.stop_requested() || source().stop_requested()) return;
    timedOut_ = true;
    source().request_stop();
  });
}

StoppableWork::~StoppableWork() { stoppable() = false; }
std::stop_token StoppableWork::token() const { return source().get_token(); }

}  // namespace hw::cli
