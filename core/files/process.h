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
/// `seconds`; then, or on stop, it is killed with its children. Fails when it cannot be started.
Result<Finished> runProgram(const std::vector<std::string>& arguments, const std::string& input,
                            double seconds, const std::stop_token& stop);

/// The folder the running program lies in, with a slash at the end; empty when it cannot be told.
std::string programFolder();

}  // namespace hw
