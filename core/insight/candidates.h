#pragma once

#include <vector>

#include "core/insight/advice.h"

namespace hw {

/// A change of a run's configuration that looks worth planning, and what it changes.
struct AdviceCandidate {
  Advice::Kind kind{};
  RunRequest request{};
};

/// All there are for `base`, which itself is not one. Cheap: nothing is planned.
std::vector<AdviceCandidate> adviceCandidates(const Run& base, const AdviceOptions& options);

}  // namespace hw
