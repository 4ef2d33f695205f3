#pragma once

#include <string_view>

#include "core/run/options.h"

namespace hw {

/// The request for a model whose author asks for something (`Model::options`), so that a figure
/// opens as it was drawn: `standard`, with what the author asks for, with what `said` says, which
/// goes before. Sizes belong to the platform: whoever names one leaves the author's. Errors name
/// the option after `prefix`, as those of `readRequest` do.
Result<RunRequest> asDrawn(const Model& model, OptionTexts said, RunRequest standard,
                           std::string_view prefix);

/// What `request` says otherwise than `standard`, but for the model.
OptionTexts saidIn(const RunRequest& request, const RunRequest& standard);

}  // namespace hw
