#pragma once

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace hw {

/// A program run to its end.
struct Finished {
  int exitCode = 0;  ///< Of a normal end.
  int signal = 0;    ///< That ended it; 0 for a normal end.
  bool timedOut = false;
  std::string output{};  ///< Its standard output.
  std::string errors{};  ///< The start of its standard error.
};

/// Runs `arguments` (the first is the program's path) with `input` as standard input, for at most
/// `seconds`; then, or on stop, it is asked to end (SIGTERM), and killed with its group if it does
/// not within a moment. Signals are to it as to a program started by hand. Fails when it cannot be
/// started.
Result<Finished> runProgram(const std::vector<std::string>& arguments, const std::string& input,
                            double seconds, const std::stop_token& stop);

/// A program that runs beside this one, with a way to its standard input and one from its standard
/// output; standard error is shared. It is killed with its group when this ends.
class ChildProcess {
 public:
  /// The first of `arguments` is the program's path. Fails when it cannot be started.
  static Result<ChildProcess> start(const std::vector<std::string>& arguments);
  ChildProcess(ChildProcess&&) noexcept;
  ChildProcess& operator=(ChildProcess&&) noexcept;
  ~ChildProcess();

  /// To wait for with poll(2).
  int output() const { return from_; }
  /// Adds what it has written to `text`, after waiting until there is something; false: it has
  /// closed its output.
  bool read(std::string& text);
  /// False: it does not read any more.
  bool write(std::string_view text);
  /// Waits until it ends; kills it before, unless it is to end by itself. How it ended, in words:
  /// "signal 11", "exit code 3".
  std::string end(bool byItself);

 private:
  ChildProcess(int child, int to, int from) : child_(child), to_(to), from_(from) {}

  int child_ = 0;  ///< 0: there is none.
  int to_ = -1;
  int from_ = -1;
};

/// Puts /dev/null in the place of standard streams that are closed, so that no file gets their
/// number. Reading and writing there still fail. Call first of all.
void openStandardStreams();

/// The folder the running program lies in, with a slash at the end; empty when it cannot be told.
std::string programFolder();

}  // namespace hw
