#pragma once

#include <type_traits>
#include <utility>

#include "core/base/result.h"

namespace hw {

/// How a reader gives up from the depth of a document, where handing up every error would bury what
/// it reads. Never leaves the reader: see `unlessRefused`.
struct Refusal {
  Error error;
};

[[noreturn]] inline void refuse(std::string message, std::string where = {},
                                ErrorCode code = ErrorCode::malformed) {
  throw Refusal{{code, std::move(message), std::move(where)}};
}

/// What `read` returns, a value or a Result, or why it refused.
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
