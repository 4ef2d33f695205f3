#pragma once

#include <string_view>

#include "core/run/options.h"

namespace hw {

/// The request for a model whose author asks for something (`Model::options`), so that a figure
/// opens as it was drawn: `standard`, with what the author asks for, with what `said` says, which
/// goes before. Sizes belong to the platform: whoever names one leaves the author's. Errors name
/// the option after `prefix`, as those of `readRequest` do; those of what the author asks for name
/// the file and the place, and are `malformed`.
Result<RunRequest> asDrawn(const Model& model, OptionTexts said, RunRequest standard,
                           std::string_view prefix);

/// True where the file is a plan and nothing else: one that another tool wrote down, or a planning
/// problem all of whose buffers have their place. A model that brings one along is a model.
bool isPlan(const Model& model);

/// `asDrawn` for whoever looks at the file: a plan is shown as it is, unless it is said who plans,
/// whatever the platform has room for, and held against others at its own alignment.
Result<RunRequest> asShown(const Model& model, OptionTexts said, RunRequest standard,
                           std::string_view prefix);

/// What `request` says otherwise than `standard`, but for the model.
OptionTexts saidIn(const RunRequest& request, const RunRequest& standard);

}  // namespace hw
