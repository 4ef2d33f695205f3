#include "app/cli/console.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <string_view>

#include "app/cli/outcome.h"
#include "core/base/text.h"

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

}  // namespace hw::cli
