#include "app/cli/outcome.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>

#include "core/base/text.h"

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

}  // namespace hw::cli
