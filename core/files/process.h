#pragma once

#include <stop_token>
#include <string>
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

/// Puts /dev/null in the place of standard streams that are closed, so that no file gets their
/// number. Reading and writing there still fail. Call first of all.
void openStandardStreams();

/// The folder the running program lies in, with a slash at the end; empty when it cannot be told.
std::string programFolder();

}  // namespace hw
