#pragma once

#include "core/run/run_request.h"

namespace hw {

/// Of addresses in the plan of a graph, where nobody says otherwise.
inline constexpr Bytes kDefaultAlignment{64};

/// Whether `request` can be carried out on `model`, as far as that can be told beforehand: an error
/// says what cannot be.
Result<void> checkRequest(const Model& model, const RunRequest& request);

}  // namespace hw
