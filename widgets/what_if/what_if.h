#pragma once

#include <optional>

#include "core/machine/tuning.h"
#include "core/run/run.h"

namespace hw {

/// Another machine for the model on show: what differs from its own.
struct WhatIf {
  std::optional<Bytes> l2{};  ///< What may be planned of the first memory.
  Tuning tuning{};
  bool empty() const { return !l2 && tuning.empty(); }
};

/// The request of `run` on that machine. Fails where the machine has nothing to change.
Result<RunRequest> whatIfRequest(const Run& run, const WhatIf& change);

/// What `run` would be on it: with another L2 the model is planned again, else the same plan is
/// simulated.
Result<std::shared_ptr<const Run>> whatIf(const Run& run, const WhatIf& change,
                                          const RunContext& context);

/// Of what the critical path of a run consists, in words: "compute 62 %, moves 38 %, in 47
/// activities".
std::string pathShares(const Run& run);

}  // namespace hw
