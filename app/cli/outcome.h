#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"

namespace hw::cli {

/// What the program says to the shell.
enum class ExitCode {
  done = 0,
  answerIsNo = 1,     ///< The plan is invalid, does not fit, or no allocator succeeded.
  badUsage = 2,       ///< The command line.
  badInput = 3,       ///< A file.
  internalError = 4,  ///< A bug of ours.
  interrupted = 130,  ///< Ctrl-C, as shells count it.
};

/// Why a command ended early: printed as `highwater: SUBJECT: message`; without a message nothing
/// is.
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

}  // namespace hw::cli
