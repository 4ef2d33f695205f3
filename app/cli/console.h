#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

#include "core/base/result.h"
#include "core/report/text/text_table.h"

namespace hw::cli {

/// Codes that the program gives to the shell.
enum class ExitCode {
  done = 0,
  answerIsNo = 1,     ///< The plan is invalid, does not fit, or no allocator succeeded.
  badUsage = 2,       ///< The command line.
  badInput = 3,       ///< A file.
  internalError = 4,  ///< A bug of ours.
  interrupted = 130,  ///< Ctrl-C, as shells count it.
};

/// Reason why a command ended early: printed as `highwater: SUBJECT: message`; without a message
/// nothing is.
struct Failure {
  ExitCode code = ExitCode::badInput;
  std::string subject{};  ///< The file or option; may be empty.
  std::string message{};
};

template <class T>
using Outcome = tl::expected<T, Failure>;

tl::unexpected<Failure> failure(ExitCode code, std::string subject, std::string message);

/// An error of the core, about `subject`.
tl::unexpected<Failure> failure(const Error& error, std::string subject);

/// Writes to standard error what that takes: that it is closed or full keeps nobody from a result.
void writeToErrors(std::string_view text);

/// Writes the one line to standard error.
void printFailure(const Failure& failure);

/// Colours for standard output: on a terminal that can, unless NO_COLOR is set.
Paint outputPaint();

/// Columns that text may take: what COLUMNS says, else the terminal's width, else 120.
std::size_t outputWidth();

/// `text` as a terminal may show it: control characters but tabs and ends of lines, marks that
/// change the direction of text and invalid UTF-8 become escapes (`printable`). `painted`: colours,
/// which `Paint` puts in, stay.
std::string terminalText(std::string_view text, bool painted);

/// When to tell how far work has come.
enum class ProgressMode {
  never,
  onTerminal,  ///< If standard error is one.
  always,      ///< To a file or pipe as lines of plain text, one an update.
};

/// The mode that --progress and --quiet ask for.
ProgressMode progressMode(bool told, bool quiet);

/// A line on standard error that shows how far long work has come. On a terminal nothing appears
/// before half a second has gone by, and nothing is left when it ends.
class ProgressLine {
 public:
  explicit ProgressLine(ProgressMode mode);
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine();

  /// For RunContext; may be called from any thread. Empty when nothing is told.
  std::function<void(double, const std::string&)> callback();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

/// From now on Ctrl-C ends the program with exit code 130, SIGTERM and SIGHUP as shells count them
/// (143, 129), and none of them leaves a file half written. Writing to a pipe that nobody reads, or
/// beyond the limit on file sizes, fails like any other write. Call once, before any other thread
/// is started.
void handleSignals();

/// While one of these lives, the first Ctrl-C asks for a stop instead of ending the program; a
/// second one ends it. For work of which a part is of use: rows that are done, points that are
/// found.
class StoppableWork {
 public:
  /// Asks for a stop by itself when so many seconds have gone by; 0: never.
  explicit StoppableWork(double stopAfter = 0);
  StoppableWork(const StoppableWork&) = delete;
  StoppableWork& operator=(const StoppableWork&) = delete;
  ~StoppableWork();

  std::stop_token token() const;

  /// It was the clock that asked for a stop, not the user.
  bool timedOut() const { return timedOut_; }

 private:
  std::atomic<bool> timedOut_ = false;
  std::jthread clock_;
};

}  // namespace hw::cli
