#pragma once

#include <memory>

#include "core/run/run.h"

namespace hw {

/// `execute` for a model that nobody else needs: the stays of a planning problem move into the run
/// instead of being copied, which for a million of them is a fifth of all memory. The problem in
/// the run's model is empty afterwards; `Run::problem` has it.
Result<std::shared_ptr<const Run>> executeOnce(Model model, const RunConfig& config,
                                               const RunContext& context);

}  // namespace hw
