#include "app/cli/console.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <mutex>
#include <string_view>

namespace hw::cli {
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

struct ProgressLine::State {
  std::mutex mutex;
  Clock::time_point start = Clock::now();
  Clock::time_point shown{};
  bool visible = false;

  void show(double fraction, const std::string& what) {
    const std::lock_guard lock(mutex);
    const auto now = Clock::now();
    if (now - start < kPatience || now - shown < kBetweenUpdates) return;
    shown = now;
    visible = true;
    fmt::print(stderr, "\r\x1b[K{:3.0f} % {}", fraction * 100, cellName(what, 60));
    std::fflush(stderr);
  }
};

ProgressLine::ProgressLine(bool wanted) {
  if (wanted && ::isatty(STDERR_FILENO) == 1 && !isDumbTerminal()) {
    state_ = std::make_shared<State>();
  }
}

ProgressLine::~ProgressLine() {
  if (!state_) return;
  const std::lock_guard lock(state_->mutex);
  if (state_->visible) fmt::print(stderr, "\r\x1b[K");
}

std::function<void(double, const std::string&)> ProgressLine::callback() {
  if (!state_) return {};
  return
      [state = state_](double fraction, const std::string& what) { state->show(fraction, what); };
}

}  // namespace hw::cli
