#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/run/run.h"
#include "core/shrink/rewrites.h"

namespace hw {

/// One program that `shrink` looks at.
struct ShrinkAttempt {
  Rewrites with{};
  TileRule rule = TileRule::lines;  ///< How operators are cut, where they are,
  Bytes to{};                       ///< and down to which size.
  double extraWork = 0;             ///< What may be done more than once, where something may.
  /// Of use only below so many bytes: it is not planned where its bound is no lower.
  std::optional<Bytes> below{};
};

/// What came of it: neither where it is of no use, or was stopped.
struct ShrinkOutcome {
  std::shared_ptr<const Run> run{};
  std::optional<Error> error{};
};

/// "trying in-place, tile (lines) for 256 KiB".
std::string textOf(const ShrinkAttempt& attempt);

/// `plain` with what is attempted, carried out.
ShrinkOutcome outcomeOf(const std::shared_ptr<const Model>& model, const RunRequest& plain,
                        const ShrinkAttempt& attempt, const std::stop_token& stop);

}  // namespace hw
