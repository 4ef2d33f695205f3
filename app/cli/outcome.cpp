#include "app/cli/outcome.h"

#include <fmt/format.h>

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

void printFailure(const Failure& failure) {
  constexpr std::size_t kLongest = 2000;
  const std::string subject =
      failure.subject.empty() ? "" : printable(failure.subject, kLongest) + ": ";
  fmt::print(stderr, "highwater: {}{}\n", subject, printable(failure.message, kLongest));
}

}  // namespace hw::cli
