#pragma once

#include <string>
#include <tl/expected.hpp>
#include <type_traits>
#include <utility>

namespace hw {

enum class ErrorCode {
  unreadable,       ///< The file cannot be opened, read or written.
  malformed,        ///< The content breaks its own format.
  unsupported,      ///< Well formed, but beyond what we can do; the message says what.
  invalidArgument,  ///< An option or parameter, not a file.
  stopped,          ///< The user asked to stop.
};

/// An error in something the user gave us, in words they can act on.
struct Error {
  ErrorCode code = ErrorCode::malformed;
  std::string message;  ///< Lower case, no full stop, names the thing and the expectation.
  std::string where;    ///< Line, node or byte offset; empty when it does not apply.

  /// "message (where)".
  std::string text() const { return where.empty() ? message : message + " (" + where + ")"; }
};

/// A value, or the reason there is none. For bad input only: bugs go to `check`, and "does not
/// fit" is an answer (see PlanStatus), not an error.
template <class T>
using Result = tl::expected<T, Error>;

/// `return fail(ErrorCode::malformed, "...", "line 3");`
inline tl::unexpected<Error> fail(ErrorCode code, std::string message, std::string where = {}) {
  return tl::unexpected<Error>(Error{code, std::move(message), std::move(where)});
}

/// `HW_TRY(name, expression);` declares `name` as the value of a Result, or returns its error from
/// the function it stands in.
#define HW_TRY(name, ...)                                                    \
  auto name##Result = (__VA_ARGS__);                                         \
  if (!name##Result) return tl::unexpected(std::move(name##Result).error()); \
  auto& name = *name##Result

/// `HW_DO(expression);` does what may fail and has no value, or returns its error.
#define HW_DO(...) \
  if (auto hwDone = (__VA_ARGS__); !hwDone) return tl::unexpected(std::move(hwDone).error())

/// An exception by which a reader gives up deep in a document, where handing up errors would bury
/// what it reads. Never leaves the reader: see `unlessRefused`.
struct Refusal {
  Error error;
};

[[noreturn]] inline void refuse(std::string message, std::string where = {},
                                ErrorCode code = ErrorCode::malformed) {
  throw Refusal{{code, std::move(message), std::move(where)}};
}

/// The value or Result that `read` returns, or why it refused.
template <class Read>
auto unlessRefused(const Read& read) {
  using Given = decltype(read());
  using Reply = std::conditional_t<std::is_constructible_v<Given, tl::unexpected<Error>>, Given,
                                   Result<Given>>;
  try {
    return Reply(read());
  } catch (Refusal& refusal) {
    return Reply(tl::unexpected<Error>(std::move(refusal.error)));
  }
}

}  // namespace hw
